#!/usr/bin/env bash
# test/cmd/tune_test.sh PREFIX - rules of selection as a user meets them: settings, info key, `treefold rules`, and
# `treefold tune`.  Nothing here depends on how fast anything is.
set -u
prefix=$(cd "${1:?usage: test/cmd/tune_test.sh PREFIX}" && pwd)
. "$(dirname "$0")/lib.sh"
treefold=$prefix/bin/treefold
unset "${!TREEFOLD_@}"

# ---- rules ----

rules=$work/rules.txt
"$treefold" rules >"$rules"
check 'treefold rules prints the shipped ones' grep -q '^allreduce .* = reduce_broadcast' "$rules"
equal 'what it prints is what it reads' "$(grep -v '^#' "$rules")" \
    "$(TREEFOLD_RULES=$rules "$treefold" rules 2>&1 | sed '/^# shipped/,$d' | grep -v '^#')"
says 'info tells where rules come from' "$rules: " env TREEFOLD_RULES="$rules" "$treefold" info
says 'and how many there are' 'setting algorithm: 2' env TREEFOLD_ALGORITHM=scan=linear,bcast=linear "$treefold" info
printf '# mine\nallreduce = circulant\nalreduce = ring\n' >"$rules"
says 'a wrong line is told' "$rules:3: there is no collective \"alreduce\"; there are barrier, bcast" \
    env TREEFOLD_RULES="$rules" "$treefold" rules
says 'the others count' '= circulant' env TREEFOLD_RULES="$rules" "$treefold" rules
says 'a file that is not there is told' 'cannot be read (No such file' env TREEFOLD_RULES="$work/nowhere" "$treefold" rules

# ---- calls ----

cat >"$work/sum.c" <<'EOF'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, size, sum = 0;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Init(&argc, &argv);
    if (argc > 1) {
        MPI_Info info;
        MPI_Info_create(&info);
        MPI_Info_set(info, "treefold_algorithm", argv[1]);
        MPI_Comm_set_info(comm, info);
        MPI_Info_free(&info);
    }
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Finalize();
    if (sum != size * (size - 1) / 2)
        abort();
    return 0;
}
EOF
check 'compile' "$prefix/bin/mpicc" -o "$work/sum" "$work/sum.c"
sum=("$prefix/bin/mpiexec" -timeout 30 -n 3 "$work/sum")
chosen='allreduce of 4 bytes on 3 ranks:'
says 'shipped rules' "$chosen" env TREEFOLD_VERBOSE=1 "${sum[@]}"
says 'shipped rules of two levels' 'allreduce of 4 bytes on 4 ranks: two_level(radix=4)' env TREEFOLD_VERBOSE=1 \
    TREEFOLD_NODE_SIZE=2 "$prefix/bin/mpiexec" -timeout 30 -n 4 "$work/sum"
says 'a file' "$chosen circulant ($rules:2)" env TREEFOLD_VERBOSE=1 TREEFOLD_RULES="$rules" "${sum[@]}"
says 'whose errors rank 0 tells' 'alreduce' env TREEFOLD_RULES="$rules" "${sum[@]}"
says 'the setting goes before the file' "$chosen recursive_multiplying(radix=3) (setting algorithm:1)" env \
    TREEFOLD_VERBOSE=1 TREEFOLD_RULES="$rules" TREEFOLD_ALGORITHM='allreduce ranks 3 = recursive_multiplying(radix=3)' \
    "${sum[@]}"
says 'the info key before both' "$chosen ring (info key treefold_algorithm:1)" env TREEFOLD_VERBOSE=1 \
    TREEFOLD_RULES="$rules" TREEFOLD_ALGORITHM=allreduce=linear "${sum[@]}" allreduce=ring
equal 'a key that makes no sense is told once' \
    'treefold[0]: info key treefold_algorithm:1: "frobnicate" is no rule; it must be like "allreduce bytes <2K = flat"' \
    "$(timeout 60 "${sum[@]}" frobnicate 2>&1)"
# Rank 1 alone has the file.
check 'different files are an error' bash -c '! "$@" 2>&1' - "$prefix/bin/mpiexec" -timeout 30 -n 1 "$work/sum" : -n 1 \
    -env TREEFOLD_RULES "$rules" "$work/sum" : -n 1 "$work/sum"

# ---- tune ----

tune=("$treefold" tune -n 2,3 --collectives allreduce,barrier,allgatherv --max-bytes 128 --time 2)
check 'tune' "${tune[@]}" -o "$work/tuned"
says 'it tells the figures' 'default (' grep '^#.*8  default' "$work/tuned"
equal 'it writes rules that make sense' '' "$(TREEFOLD_RULES=$work/tuned "$treefold" rules 2>&1 >/dev/null)"
check 'with them a program runs' env TREEFOLD_RULES="$work/tuned" "${sum[@]}"
check 'tune --all' "${tune[@]}" --all -o "$work/all"
for ranks in 2 3; do
    check "has rules for $ranks ranks" grep -E "^allreduce +ranks $ranks.*=" "$work/all"
done
check 'tune --check' "${tune[@]}" --check --target 100000
says 'it prints the ratios' 'cells are above 1000.00; the worst ratio is' "${tune[@]}" --check --target 1000
says 'help' 'Usage: treefold tune' "$treefold" tune --help
says 'no such collective' 'names "alltoallw"; there are barrier' "$treefold" tune --collectives alltoallw
says 'no such number of ranks' 'names "one"' "$treefold" tune -n one
says 'no such size' 'must be a number of bytes' "$treefold" tune --max-bytes 8X
says 'nowhere to write' 'cannot be written' "$treefold" tune -o "$work/no/where"
for wrong in '--time x' '--frobnicate' 'surplus' '-n 1'; do
    check "tune $wrong is refused" bash -c '! "$@"' - "$treefold" tune $wrong
done
finish
