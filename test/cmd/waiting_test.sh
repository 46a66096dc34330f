#!/usr/bin/env bash
# test/cmd/waiting_test.sh PREFIX - a job that hangs is ended by `mpiexec -timeout`, and each rank says what it waits for.
set -u
prefix=${1:?usage: test/cmd/waiting_test.sh PREFIX}
. "$(dirname "$0")/lib.sh"
unset "${!TREEFOLD_@}"

cat >"$work/hang.c" <<'END'
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char big[1 << 20];
static MPI_Comm comm; /* a duplicate of MPI_COMM_WORLD, in which some cases begin */
static MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};

static int is(const char *what, const char *name)
{
    return strcmp(what, name) == 0;
}

/* Rank 0 is late for ever; the question interrupts its sleep. */
static void be_late(const char *what)
{
    if (is(what, "disconnect under way"))
        MPI_Comm_disconnect(&comm);
    if (is(what, "answer"))
        MPI_Bcast(big, 1, MPI_INT, 0, MPI_COMM_WORLD);
    while (1)
        sleep(60);
}

static int query(void *state, MPI_Status *status)
{
    return MPI_SUCCESS;
}

static int nothing(void *state)
{
    return MPI_SUCCESS;
}

static int nothing_either(void *state, int complete)
{
    return MPI_SUCCESS;
}

static void point(const char *what)
{
    if (is(what, "recv"))
        MPI_Recv(big, 4, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (is(what, "send"))
        MPI_Send(big, sizeof big, MPI_BYTE, 0, 8, MPI_COMM_WORLD);
    if (is(what, "ssend"))
        MPI_Ssend(big, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
    if (is(what, "sendrecv"))
        MPI_Sendrecv(big, 1, MPI_INT, 0, 8, big + 8, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (is(what, "probe"))
        MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (is(what, "mprobe")) {
        MPI_Message message;
        MPI_Mprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    }
    if (is(what, "buffer")) {
        void *buffer;
        int size;
        MPI_Buffer_attach(malloc(sizeof big + MPI_BSEND_OVERHEAD), sizeof big + MPI_BSEND_OVERHEAD);
        MPI_Bsend(big, sizeof big, MPI_BYTE, 0, 8, MPI_COMM_WORLD);
        MPI_Buffer_detach(&buffer, &size);
    }
}

static void request(const char *what)
{
    int n, indices[3];
    if (is(what, "wait for a send"))
        MPI_Isend(big, sizeof big, MPI_BYTE, 0, 8, MPI_COMM_WORLD, &requests[1]);
    else if (is(what, "wait for a collective"))
        MPI_Iallreduce(MPI_IN_PLACE, big, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
    else if (is(what, "wait for a generalized"))
        MPI_Grequest_start(query, nothing, nothing_either, NULL, &requests[1]);
    else
        MPI_Irecv(big, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &requests[1]);
    if (is(what, "waitall"))
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Irecv(big + 8, 1, MPI_INT, 0, 10, MPI_COMM_WORLD, &requests[2]);
    if (is(what, "waitany"))
        MPI_Waitany(3, requests, &n, MPI_STATUS_IGNORE);
    if (is(what, "waitsome"))
        MPI_Waitsome(3, requests, &n, indices, MPI_STATUSES_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}

static void collective(const char *what)
{
    MPI_Comm new;
    if (is(what, "barrier"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (is(what, "allreduce"))
        MPI_Allreduce(MPI_IN_PLACE, big, sizeof big / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (is(what, "answer"))
        MPI_Reduce(big, big + 8, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
    if (is(what, "split"))
        MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &new);
    if (is(what, "create group")) {
        MPI_Group group;
        MPI_Comm_group(MPI_COMM_WORLD, &group);
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 3, &new);
    }
    if (is(what, "disconnect"))
        MPI_Comm_disconnect(&comm);
    if (is(what, "disconnect under way")) {
        MPI_Irecv(big, 1, MPI_INT, 0, 9, comm, &requests[0]);
        MPI_Comm_disconnect(&comm);
    }
}

int main(int argc, char **argv)
{
    const char *what = argv[1];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "the duplicate");
    if (rank == 0)
        be_late(what);
    point(what);
    if (strncmp(what, "wait", 4) == 0)
        request(what);
    collective(what);
    MPI_Finalize();
    return 0;
}
END
check 'the program builds' "$prefix/bin/mpicc" "$work/hang.c" -o "$work/hang"

# waits CASE WORDS: where the machine is so slow that a rank does not wait yet, or has no time to say so, it gets more.
waits()
{
    local limit status
    for limit in 0.5 5 30; do
        MPIEXEC_GRACE=$limit "$prefix/bin/mpiexec" -timeout $limit -n 2 "$work/hang" "$1" >"$work/said" 2>&1
        status=$?
        grep -qF "treefold[1]: $2" "$work/said" && grep -qF 'treefold[0]: ' "$work/said" && break
    done
    equal "$1 ends with status 124" 124 $status
    check "$1: $2" grep -F "treefold[1]: $2" "$work/said"
}
waits recv 'waits for a message (rank 0, tag 7) on MPI_COMM_WORLD'
waits send 'waits for rank 0 of the job to receive a message of 1048576 bytes with tag 8'
waits ssend 'waits for rank 0 of the job to receive a message of 4 bytes with tag 8'
waits sendrecv 'waits for a message (rank 0, tag 9) on MPI_COMM_WORLD'
waits probe 'waits in a probe for a message (rank 0, any tag) on MPI_COMM_WORLD'
waits mprobe 'waits in a probe for a message (any rank, tag 5) on MPI_COMM_WORLD'
waits buffer 'waits for its buffered sends'
waits 'wait' 'waits for a message (any rank, tag 9) on MPI_COMM_WORLD'
waits 'wait for a send' 'waits for rank 0 of the job to receive a message of 1048576 bytes with tag 8'
waits 'wait for a collective' 'waits in MPI_Iallreduce with MPI_SUM on MPI_COMM_WORLD'
waits 'wait for a generalized' 'waits for a generalized request'
waits waitall 'waits for a message (any rank, tag 9) on MPI_COMM_WORLD'
waits waitany 'waits for one of 2 requests, the first of which waits for a message (any rank, tag 9) on MPI_COMM_WORLD'
waits waitsome 'waits for one of 2 requests, the first of which waits for a message (any rank, tag 9) on MPI_COMM_WORLD'
waits barrier 'waits in MPI_Barrier on MPI_COMM_WORLD for rank 0'
waits allreduce 'waits in MPI_Allreduce with MPI_SUM on MPI_COMM_WORLD'
waits split 'waits in MPI_Comm_split on MPI_COMM_WORLD for rank 0'
waits 'create group' 'waits in MPI_Comm_create_group on MPI_COMM_WORLD for rank 0'
waits disconnect 'waits in MPI_Comm_disconnect on the duplicate for rank 0'
waits 'disconnect under way' 'waits in MPI_Comm_disconnect on the duplicate for requests that are under way'
export TREEFOLD_MISMATCH_AFTER=100000
waits answer 'waits for rank 0 of the job to say what it called'
unset TREEFOLD_MISMATCH_AFTER
waits finalize 'waits in MPI_Finalize on MPI_COMM_WORLD for rank 0'
check 'one that computes says so' grep -F 'treefold[0]: does not wait in MPI' "$work/said"
finish
