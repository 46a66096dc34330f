#!/usr/bin/env bash
# test/cmd/debugger_test.sh PREFIX - parallel debuggers find the processes of a job (the MPIR interface), with gdb in the
# place of one.
set -u
prefix=$(cd "${1:?usage: test/cmd/debugger_test.sh PREFIX}" && pwd)
. "$(dirname "$0")/lib.sh"
unset "${!TREEFOLD_@}"

# Names by which debuggers find them in a program that has been stripped too.
offered=$(nm -D "$prefix/bin/mpiexec" | awk '{print $NF}')
for name in MPIR_Breakpoint MPIR_being_debugged MPIR_debug_state MPIR_debug_abort_string MPIR_proctable \
    MPIR_proctable_size MPIR_i_am_starter MPIR_partial_attach_ok; do
    check "mpiexec offers $name" grep -qx "$name" <(echo "$offered")
done

if ! gdb -batch -ex starti -ex kill /bin/true 2>/dev/null | grep -q _start; then
    skip "what a debugger reads" "there is no gdb, or it may not run programs here"
    finish
fi

cat >"$work/hello.c" <<'END'
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("rank %d is through\n", rank);
    fflush(stdout);
    if (argc > 1 && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END
check "a program" "$prefix/bin/mpicc" -o "$work/hello" "$work/hello.c"

cat >"$work/launch.gdb" <<'END'
set confirm off
set startup-with-shell off
starti
set var MPIR_being_debugged = 1
break MPIR_Breakpoint
continue
output MPIR_debug_state
echo \ is the state,\n
output MPIR_proctable_size
echo \ are the processes,\n
output MPIR_proctable[1].executable_name
echo \ is the program of rank 1,\n
shell sleep 0.3
echo they wait until now\n
continue
output MPIR_debug_state
echo \ is the state then\n
output MPIR_debug_abort_string
continue
END
# tells NAME PATTERN: gdb has told that in a line of its own.
tells()
{
    check "$1" grep -qE -- "$2" "$work/told"
}

cd "$work" || exit
timeout 60 gdb -batch -x launch.gdb --args "$prefix/bin/mpiexec" -n 2 ./hello abort >told 2>&1 </dev/null
tells "it stops mpiexec when all processes run" "^1 is the state,"
tells "it is told of two" "^2 are the processes,"
tells "and of their program" "\"$work/hello\" is the program of rank 1,"
check "which waits in MPI_Init meanwhile" \
    bash -c 'told=$(<told) before=${told%%they wait*}; [ "$before" != "$told" ] && [[ $before != *"is through"* ]]'
tells "and then goes on" "^rank 0 is through"
tells "it hears that the job fails" "^2 is the state then"
tells "and why" '"rank 1 \(pid [0-9]+\) called MPI_Abort with code 3"'
[ $failed -eq 0 ] || sed 's/^/    /' told

cat >attach.gdb <<'END'
output MPIR_proctable_size
echo \ are the processes,\n
output MPIR_proctable[0].pid
echo \ is rank 0\n
detach
END
"$prefix/bin/mpiexec" -n 3 sleep 30 >/dev/null 2>&1 &
job=$!
for ((i = 0; i < 100; i++)); do
    [ "$(pgrep -c -P $job sleep)" -eq 3 ] && break
    sleep 0.05
done
timeout 60 gdb -batch -p $job -x attach.gdb >told 2>&1 </dev/null
# On many machines only the parent of a program may trace it, or root.
if grep -q "not permitted" told; then
    skip "a debugger that attaches" "it may not here"
else
    tells "one that attaches finds the processes" "^3 are the processes,"
    tells "by their numbers" "^($(pgrep -d '|' -P $job sleep)) is rank 0"
fi
kill $job
wait
finish
