#!/usr/bin/env bash
# test/cmd/waiting_test.sh PREFIX - a job that hangs is ended by `mpiexec -timeout`, which says what each rank waits for.
set -u
prefix=$(cd "${1:?usage: test/cmd/waiting_test.sh PREFIX}" && pwd)
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

/* A program that has nothing to do with MPI. */
static void spawn(const char *what)
{
    MPI_Comm new;
    char *command = "sleep", *arguments[] = {"1000", NULL}, **all = arguments;
    int one = 1;
    MPI_Info none = MPI_INFO_NULL;
    if (is(what, "spawn"))
        MPI_Comm_spawn(command, arguments, 1, none, 0, MPI_COMM_SELF, &new, MPI_ERRCODES_IGNORE);
    if (is(what, "spawn multiple"))
        MPI_Comm_spawn_multiple(1, &command, &all, &one, &none, 0, MPI_COMM_SELF, &new, MPI_ERRCODES_IGNORE);
}

/* Rank 0 is late for ever. */
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
    spawn(what);
    MPI_Finalize();
    return 0;
}
END
check 'the program builds' "$prefix/bin/mpicc" "$work/hang.c" -o "$work/hang"

# waits CASE CALL WHAT: where the machine is so slow that a rank does not wait yet, or has no time to say so, it gets
# more.
waits()
{
    local limit status words="rank 1 has waited [0-9.]* s in $2, for $3"
    for limit in 0.5 5 30; do
        MPIEXEC_GRACE=$limit "$prefix/bin/mpiexec" -timeout $limit -n 2 "$work/hang" "$1" >"$work/said" 2>&1
        status=$?
        grep -q "$words" "$work/said" && grep -q 'rank 0 ' "$work/said" && break
    done
    equal "$1 ends with status 124" 124 $status
    check "$1: $2, for $3" grep "$words" "$work/said"
}
world='on MPI_COMM_WORLD'
waits recv "MPI_Recv $world" 'a message of rank 0 with tag 7'
waits send "MPI_Send $world" 'rank 0 to receive 1048576 bytes with tag 8'
waits ssend "MPI_Ssend $world" 'rank 0 to receive 4 bytes with tag 8'
waits sendrecv "MPI_Sendrecv $world" 'a message of rank 0 with tag 9'
waits probe "MPI_Probe $world" 'a message of rank 0 with any tag'
waits mprobe "MPI_Mprobe $world" 'a message of any rank with tag 5'
waits buffer 'the flush of a buffer' 'buffered sends to leave'
waits 'wait' "MPI_Wait for a request $world" 'a message of any rank with tag 9'
waits 'wait for a send' "MPI_Wait for a request $world" 'rank 0 to receive 1048576 bytes with tag 8'
waits 'wait for a collective' "MPI_Wait for MPI_Iallreduce with MPI_SUM $world" 'rank 0 to send (step '
waits 'wait for a generalized' 'MPI_Wait for a request' 'the end of a generalized request'
waits waitall MPI_Waitall "1 of 1 request: a message of any rank with tag 9 $world"
waits waitany MPI_Waitany "2 of 2 requests: a message of any rank with tag 9 $world; a message of rank 0 with tag 10 $world"
waits waitsome MPI_Waitsome "2 of 2 requests: a message of any rank with tag 9 $world; a message of rank 0 with tag 10 $world"
waits barrier "MPI_Barrier $world" 'rank 0 to send (step '
waits allreduce "MPI_Allreduce with MPI_SUM $world" 'rank 0 to '
waits split "MPI_Comm_split $world" 'rank 0 to send (step '
waits 'create group' "MPI_Comm_create_group $world" 'a message of rank 0'
waits disconnect 'MPI_Comm_disconnect on the duplicate' 'rank 0 to send (step '
waits 'disconnect under way' 'MPI_Comm_disconnect on the duplicate' 'requests that are under way'
waits spawn MPI_Comm_spawn 'the new processes to call MPI_Init'
waits 'spawn multiple' MPI_Comm_spawn_multiple 'the new processes to call MPI_Init'
export TREEFOLD_MISMATCH_AFTER=100000
waits answer 'a collective' 'rank 0 of the job to say what it called'
unset TREEFOLD_MISMATCH_AFTER
waits finalize "MPI_Finalize $world" 'rank 0 to send (step '
check 'of one outside MPI that is said' grep 'rank 0 sleeps, outside MPI' "$work/said"
finish
