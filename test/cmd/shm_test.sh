#!/usr/bin/env bash
# test/cmd/shm_test.sh PREFIX - shared memory where there is little of it, and what is left of it: nothing.
#
# A small /dev/shm is a tmpfs in a mount namespace of the test's own.
set -u
prefix=$(cd "${1:?usage: test/cmd/shm_test.sh PREFIX}" && pwd)
. "$(dirname "$0")/lib.sh"
mpiexec=$prefix/bin/mpiexec
unset "${!TREEFOLD_@}"

cat >"$work/sum.c" <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
int main(int argc, char **argv)
{
    int rank, size, n = 200000, wrong = 0, *shared;
    MPI_Win win;
    if (argc > 2)
        prctl(PR_SET_DUMPABLE, 0);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1)
        prctl(PR_SET_DUMPABLE, 0); /* nobody may read this process now */
    int *in = malloc(n * sizeof *in), *out = malloc(n * sizeof *out);
    for (int i = 0; i < n; i++)
        in[i] = rank + i;
    MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        wrong += out[i] != size * i + size * (size - 1) / 2;
    MPI_Sendrecv(in, n, MPI_INT, (rank + 1) % size, 0, out, n, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    wrong += out[n - 1] != (rank + size - 1) % size + n - 1;
    MPI_Win_allocate_shared(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    wrong += *shared != (rank + size - 1) % size;
    MPI_Win_free(&win);
    MPI_Win_create(out, n * sizeof *out, sizeof *out, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(in, n, MPI_INT, (rank + 1) % size, 0, n, MPI_INT, win);
    MPI_Win_fence(0, win);
    wrong += out[0] != (rank + size - 1) % size;
    MPI_Win_free(&win);
    MPI_Finalize();
    if (!wrong && rank == 0)
        puts("right");
    return wrong != 0;
}
END
check 'the program builds' "$prefix/bin/mpicc" "$work/sum.c" -o "$work/sum"

# in_small BYTES VARIABLE=VALUE N: run sum with a /dev/shm of that size.
in_small()
{
    unshare -m bash -c 'mount -t tmpfs -o size=$1 none /dev/shm && env "$2" "$3" -n "$4" "$5" 2>&1
                        status=$?; echo "left: $(ls /dev/shm | wc -l)"; exit $status' - "$1" "$2" "$mpiexec" "$3" "$work/sum"
}

if unshare -m mount -t tmpfs none /dev/shm 2>/dev/null; then
    memory=$(in_small 64K TREEFOLD_SHM_BACKING=memfd 4)
    equal 'a tiny /dev/shm does not matter' 'right left: 0' "$(xargs <<<"$memory")"
    file=$(in_small 64M TREEFOLD_SHM_BACKING=file 8)
    equal '64 MB of /dev/shm are enough for 8 ranks' 'right left: 0' "$(xargs <<<"$file")"
    in_small 1M TREEFOLD_SHM_BACKING=file 4 >"$work/full"
    equal 'no space in /dev/shm fails' yes "$([ $? -ne 0 ] && echo yes)"
    check 'no space in /dev/shm is said in words' grep -E 'cannot reserve [0-9]+ bytes in /dev/shm' "$work/full"
    check 'and what to do' grep -F 'TREEFOLD_SHM_BACKING=memfd' "$work/full"
    equal 'and leaves nothing' 'left: 0' "$(grep '^left' "$work/full")"
    says 'each rank with a /dev/shm of its own is said in words' 'must see the same /dev/shm' env \
        TREEFOLD_SHM_BACKING=file "$mpiexec" -timeout 30 -n 2 unshare -m \
        sh -c 'mount -t tmpfs none /dev/shm; exec "$1"' - "$work/sum"
else
    skip 'small /dev/shm' 'this machine does not let the test make a mount namespace'
fi

before=$(ls /dev/shm)
equal 'files in /dev/shm work' right "$(TREEFOLD_SHM_BACKING=file "$mpiexec" -n 4 "$work/sum")"
equal 'without reading other processes it works' right "$(TREEFOLD_SINGLE_COPY=8G "$mpiexec" -n 4 "$work/sum")"
nobody=() # who may do everything may read every process
[ "$(id -u)" != 0 ] || nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all)
chmod 755 "$work"
if "${nobody[@]}" test -x "$mpiexec" 2>/dev/null; then
    equal 'where reading them is forbidden it works' right "$("${nobody[@]}" "$mpiexec" -n 4 "$work/sum" closed)"
    equal 'and where it is from the start' right "$("${nobody[@]}" "$mpiexec" -n 4 "$work/sum" closed early)"
    cp "$work/sum" "$work/secret"
    chmod 711 "$work/secret"
    equal 'a program that may be run and not read works' right "$("${nobody[@]}" "$mpiexec" -n 4 "$work/secret")"
else
    skip 'reading forbidden' 'the installation cannot be used by another user than root'
fi
if unshare -pf true 2>/dev/null; then
    equal 'with a /proc that shows others it works' right "$(unshare -pf "$mpiexec" -n 4 "$work/sum")"
else
    skip 'a /proc of others' 'this machine does not let the test make a PID namespace'
fi
equal 'with small rings it works' right "$(TREEFOLD_SHM_SIZE=200K "$mpiexec" -n 4 "$work/sum")"

# An older system, or a sandbox.
cat >"$work/without.c" <<'END'
#include "filter.h"
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    return argc > 1 && filter_calls(SYS_memfd_create, SYS_memfd_create, ENOSYS) ? execv(argv[1], argv + 1) : 77;
}
END
check 'a system without memfd_create builds' gcc -I"$(dirname "$0")/.." "$work/without.c" -o "$work/without"
if "$work/without" /bin/sh -c :; then
    equal 'where memory always has a name it works' right "$("$work/without" "$mpiexec" -n 4 "$work/sum")"
else
    skip 'memory that always has a name' 'the system does not filter calls (seccomp)'
fi

# Valgrind's memcheck, which is known by what it preloads, would take what another process wrote for uninitialised.
cat >"$work/told.c" <<'END'
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
ssize_t process_vm_writev(pid_t pid, const struct iovec *from, unsigned long m, const struct iovec *to, unsigned long n,
                          unsigned long flags)
{
    return write(2, "written\n", 8) == 8 ? syscall(SYS_process_vm_writev, pid, from, m, to, n, flags) : -1;
}
END
check 'a library that tells of writes builds' gcc -shared -fPIC "$work/told.c" -o "$work/told.so"
cp "$work/told.so" "$work/vgpreload_memcheck-told.so"
says 'processes write into each other' written env LD_PRELOAD="$work/told.so" "$mpiexec" -n 2 "$work/sum"
equal 'but not where valgrind looks' right "$(LD_PRELOAD=$work/vgpreload_memcheck-told.so "$mpiexec" -n 2 "$work/sum" 2>&1)"

equal 'nothing is left in /dev/shm' "$before" "$(ls /dev/shm)"
finish
