#!/usr/bin/env bash
# test/cmd/waiting_test.sh PREFIX - a job that hangs is ended by `mpiexec -timeout`, and each rank says what it waits for.
set -u
prefix=${1:?usage: test/cmd/waiting_test.sh PREFIX}
. "$(dirname "$0")/lib.sh"
unset "${!TREEFOLD_@}"

cat >"$work/hang.c" <<'END'
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    static char big[1 << 20];
    int rank, what = atoi(argv[argc - 1]), index;
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        while (1) /* the question interrupts it */
            sleep(60);
    else if (what == 0)
        MPI_Recv(big, 4, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (what == 1)
        MPI_Barrier(MPI_COMM_WORLD);
    else if (what == 2)
        MPI_Send(big, sizeof big, MPI_BYTE, 0, 8, MPI_COMM_WORLD);
    else if (what == 3)
        MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (what == 4) {
        MPI_Irecv(big, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &request[1]);
        MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    } else if (what == 5) {
        MPI_Irecv(big, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &request[1]);
        MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE);
    } else {
        MPI_Iallreduce(MPI_IN_PLACE, big, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[0]);
        MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
END
check 'the program builds' "$prefix/bin/mpicc" "$work/hang.c" -o "$work/hang"

# waits CASE WORDS
waits()
{
    "$prefix/bin/mpiexec" -timeout 0.5 -n 2 "$work/hang" "$1" >"$work/said" 2>&1
    equal "case $1 ends with status 124" 124 $?
    check "case $1: $2" grep -F "treefold[1]: $2" "$work/said"
}
waits 0 'waits for a message (rank 0, tag 7) on MPI_COMM_WORLD'
waits 1 'waits in barrier on MPI_COMM_WORLD for rank 0'
waits 2 'waits for rank 0 of the job to receive a message of 1048576 bytes with tag 8'
waits 3 'waits in a probe on MPI_COMM_WORLD'
waits 4 'waits for a message (rank 0, tag 9) on MPI_COMM_WORLD'
waits 5 'waits for one of several requests'
waits 6 'waits for a collective request'
check 'one that computes says so' grep -F 'treefold[0]: does not wait in MPI' "$work/said"
finish
