/* MPIX_Comm_revoke: whatever waits on the communicator ends, on every process, and so does whatever comes later;
 * nothing is written into buffers afterwards, and other communicators do not notice.
 *
 * np: 1 2 3 5
 * only: treefold
 */
#include "check.h"

enum { LONG = 60000, SHORT = 8, ROUNDS = 40 };

static int rank, size;
static double sent[LONG], got[LONG];

static void fill(double *x, double value)
{
    for (int i = 0; i < LONG; i++)
        x[i] = value;
}

static void expect_revoked(MPI_Comm comm)
{
    int flag = 0;
    while (!flag)
        CHECK_OK(MPIX_Comm_is_revoked(comm, &flag));
}

static MPI_Comm make(void)
{
    MPI_Comm comm;
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CHECK_OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    return comm;
}

static void everybody_is_here(void)
{
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void begin_later(MPI_Comm comm)
{
    double x = -1, y = -1;
    MPI_Request request;
    int flag;
    CHECK_CLASS(MPI_Send(&x, 1, MPI_DOUBLE, 0, 1, comm), MPIX_ERR_REVOKED);
    CHECK_CLASS(MPI_Send(&x, 0, MPI_DOUBLE, 0, 1, comm), MPIX_ERR_REVOKED);
    CHECK_CLASS(MPI_Send(sent, LONG, MPI_DOUBLE, 0, 1, comm), MPIX_ERR_REVOKED);
    CHECK_CLASS(MPI_Ssend(&x, 1, MPI_DOUBLE, size - 1, 1, comm), MPIX_ERR_REVOKED);
    CHECK_CLASS(MPI_Recv(&x, 1, MPI_DOUBLE, 0, 1, comm, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    CHECK_CLASS(MPI_Recv(&x, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    CHECK_CLASS(MPI_Sendrecv(&y, 1, MPI_DOUBLE, 0, 1, &x, 1, MPI_DOUBLE, 0, 1, comm, MPI_STATUS_IGNORE),
                MPIX_ERR_REVOKED);
    CHECK_OK(MPI_Isend(&x, 1, MPI_DOUBLE, 0, 1, comm, &request));
    CHECK_CLASS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_OK(MPI_Irecv(&x, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 1, comm, &request));
    CHECK_CLASS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_CLASS(MPI_Probe(MPI_ANY_SOURCE, 1, comm, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    CHECK_CLASS(MPI_Iprobe(0, 1, comm, &flag, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    CHECK_CLASS(MPI_Barrier(comm), MPIX_ERR_REVOKED);
    CHECK_CLASS(MPI_Allreduce(sent, got, LONG, MPI_DOUBLE, MPI_SUM, comm), MPIX_ERR_REVOKED);
    CHECK_CLASS(MPI_Ibcast(&x, 1, MPI_DOUBLE, 0, comm, &request), MPIX_ERR_REVOKED);
    CHECK_CLASS(MPI_Comm_dup(comm, &(MPI_Comm){MPI_COMM_NULL}), MPIX_ERR_REVOKED);
    CHECK_CLASS(MPI_Comm_split(comm, 0, 0, &(MPI_Comm){MPI_COMM_NULL}), MPIX_ERR_REVOKED);
    CHECK_OK(MPIX_Comm_revoke(comm));
    CHECK_NOTED(x == -1, "an operation that failed has written %g", x);
}

/* The words name the communicator. */
static void read_words(MPI_Comm comm)
{
    char words[MPI_MAX_ERROR_STRING];
    int length;
    CHECK_OK(MPI_Comm_set_name(comm, "the heat"));
    CHECK_OK(MPI_Error_string(MPI_Barrier(comm), words, &length));
    CHECK_NOTED(strstr(words, "the heat has been revoked"), "%.150s", words);
}

static void revoke_and_try(void)
{
    MPI_Comm comm = make();
    MPI_Request started, sending;
    MPI_Group failed;
    int flag = 1, err;
    CHECK_OK(MPI_Recv_init(got, 1, MPI_DOUBLE, 0, 1, comm, &started));
    CHECK_OK(MPI_Barrier_init(comm, MPI_INFO_NULL, &sending));
    CHECK_OK(MPIX_Comm_is_revoked(comm, &flag));
    CHECK_INT(flag, 0);
    everybody_is_here();
    if (rank == size / 2)
        CHECK_OK(MPIX_Comm_revoke(comm));
    expect_revoked(comm);
    begin_later(comm);
    err = MPI_Start(&started);
    if (err == MPI_SUCCESS)
        err = MPI_Wait(&started, MPI_STATUS_IGNORE);
    CHECK_CLASS(err, MPIX_ERR_REVOKED);
    CHECK_CLASS(MPI_Start(&sending), MPIX_ERR_REVOKED);
    CHECK_OK(MPI_Request_free(&started));
    CHECK_OK(MPI_Request_free(&sending));
    CHECK_OK(MPIX_Comm_get_failed(comm, &failed));
    CHECK(failed == MPI_GROUP_EMPTY);
    read_words(comm);
    CHECK_OK(MPI_Comm_free(&comm));
    everybody_is_here();
}

/* Each waits for something that never comes; one revokes. */
static void interrupt(void)
{
    enum { N = 8 };
    MPI_Comm comm = make();
    MPI_Request requests[N];
    double buffers[N] = {-1, -1, -1, -1, -1, -1, -1, -1};
    int n = 0, next = (rank + 1) % size, before = (rank + size - 1) % size;
    fill(sent, rank);
    fill(got, -1);
    CHECK_OK(MPI_Irecv(&buffers[0], 1, MPI_DOUBLE, before, 1, comm, &requests[n++]));
    CHECK_OK(MPI_Irecv(&buffers[1], 1, MPI_DOUBLE, MPI_ANY_SOURCE, 2, comm, &requests[n++]));
    CHECK_OK(MPI_Irecv(got, LONG, MPI_DOUBLE, before, 3, comm, &requests[n++]));
    CHECK_OK(MPI_Isend(sent, LONG, MPI_DOUBLE, next, 4, comm, &requests[n++]));
    CHECK_OK(MPI_Issend(sent, SHORT, MPI_DOUBLE, next, 5, comm, &requests[n++]));
    everybody_is_here();
    if (rank == size - 1)
        CHECK_OK(MPIX_Comm_revoke(comm));
    for (int i = 0; i < n; i++)
        CHECK_CLASS(MPI_Wait(&requests[i], MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    fill(sent, -2);
    CHECK_OK(MPI_Comm_free(&comm));
    everybody_is_here();
    for (int i = 0; i < LONG; i++)
        CHECK_NOTED(got[i] == -1, "element %d is %g", i, got[i]);
    CHECK_NOTED(buffers[0] == -1 && buffers[1] == -1, "got %g %g", buffers[0], buffers[1]);
}

/* A blocking operation, too, ends; the one that revokes may have gone on and freed it. */
static void interrupt_blocking(int which)
{
    MPI_Comm comm = make();
    int err = MPIX_ERR_REVOKED;
    double x = -1;
    MPI_Request request;
    fill(sent, 1);
    fill(got, -1);
    if (rank == 0) {
        CHECK_OK(MPIX_Comm_revoke(comm));
    } else if (which == 0) {
        err = MPI_Recv(&x, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 1, comm, MPI_STATUS_IGNORE);
    } else if (which == 1) {
        err = MPI_Ssend(sent, LONG, MPI_DOUBLE, 0, 1, comm);
    } else if (which == 2) {
        err = MPI_Probe(0, 1, comm, MPI_STATUS_IGNORE);
    } else if (which == 3) {
        err = MPI_Allreduce(sent, got, LONG, MPI_DOUBLE, MPI_SUM, comm);
    } else if (which == 4) {
        err = MPI_Bcast(&x, 1, MPI_DOUBLE, 0, comm);
    } else if (which == 5) {
        err = MPI_Alltoall(sent, SHORT, MPI_DOUBLE, got, SHORT, MPI_DOUBLE, comm);
    } else {
        err = MPI_Iallreduce(sent, got, LONG, MPI_DOUBLE, MPI_SUM, comm, &request);
        if (err == MPI_SUCCESS)
            err = MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    CHECK_CLASS(err, MPIX_ERR_REVOKED);
    CHECK_OK(MPI_Comm_free(&comm));
    fill(sent, 1e9);
    fill(got, -3);
    everybody_is_here();
    for (int i = 0; i < LONG; i++)
        CHECK_NOTED(got[i] == -3, "element %d is %g", i, got[i]);
}

static unsigned next_random(unsigned *state)
{
    *state = *state * 1103515245u + 12345u;
    return *state >> 8;
}

static int some_collective(MPI_Comm comm, unsigned which, int count)
{
    int err;
    fill(sent, rank + 1);
    fill(got, -1);
    if (which % 3 == 0) {
        err = MPI_Allreduce(sent, got, count, MPI_DOUBLE, MPI_SUM, comm);
        for (int i = 0; i < count && err == MPI_SUCCESS; i++)
            CHECK_NOTED(got[i] == size * (size + 1) / 2.0, "allreduce: element %d is %g", i, got[i]);
    } else if (which % 3 == 1) {
        err = MPI_Bcast(rank == 0 ? sent : got, count, MPI_DOUBLE, 0, comm);
        for (int i = 0; i < count && err == MPI_SUCCESS && rank > 0; i++)
            CHECK_NOTED(got[i] == 1, "bcast: element %d is %g", i, got[i]);
    } else {
        err = MPI_Sendrecv(sent, count, MPI_DOUBLE, (rank + 1) % size, 1, got, count, MPI_DOUBLE,
                           (rank + size - 1) % size, 1, comm, MPI_STATUS_IGNORE);
        for (int i = 0; i < count && err == MPI_SUCCESS; i++)
            CHECK_NOTED(got[i] == (rank + size - 1) % size + 1, "sendrecv: element %d is %g", i, got[i]);
    }
    return err;
}

/* Somewhere in a series of calls one process revokes: what succeeds is right, and all come to the end. */
static void race(void)
{
    static const int counts[] = {1, 100, 3000, LONG};
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Comm comm = make();
        unsigned common = 42u + (unsigned)i;
        unsigned who = next_random(&common) % (unsigned)size, when = next_random(&common) % 6;
        int err = MPI_SUCCESS;
        for (unsigned k = 0; err == MPI_SUCCESS; k++) {
            int count = counts[(i + (int)k) % 4];
            if (k == when && rank == (int)who)
                CHECK_OK(MPIX_Comm_revoke(comm));
            err = some_collective(comm, (unsigned)i + k, count);
        }
        CHECK_CLASS(err, MPIX_ERR_REVOKED);
        CHECK_OK(MPI_Comm_free(&comm));
    }
    everybody_is_here();
}

/* The next one is made at once, by a process that has it before others do. */
static void revoke_at_once(void)
{
    for (int i = 0; i < 20; i++) {
        MPI_Comm comm = make();
        if (rank == i % size)
            CHECK_OK(MPIX_Comm_revoke(comm));
        CHECK_CLASS(MPI_Recv(got, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 9, comm, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
        CHECK_OK(MPI_Comm_free(&comm));
    }
}

/* Who hears from one that refuses a message that the communicator is revoked takes it as that, too: it was refused
 * before the communicator was made there, so the word itself comes from somebody else, and later. */
static void revoke_before_it_is_made(void)
{
    for (int i = 0; i < 20 * ROUNDS; i++) {
        MPI_Comm comm = make();
        int next = (rank + 1) % size, before = (rank + size - 1) % size, err = MPI_SUCCESS;
        if (rank == i % size)
            CHECK_OK(MPIX_Comm_revoke(comm));
        while (err == MPI_SUCCESS) {
            err = MPI_Sendrecv(sent, SHORT, MPI_DOUBLE, next, 1, got, SHORT, MPI_DOUBLE, before, 1, comm,
                               MPI_STATUS_IGNORE);
            if (err == MPI_SUCCESS)
                err = MPI_Allreduce(sent, got, 1, MPI_DOUBLE, MPI_SUM, comm);
        }
        CHECK_CLASS(err, MPIX_ERR_REVOKED);
        CHECK_OK(MPI_Comm_free(&comm));
    }
    everybody_is_here();
}

static void revoke_intercommunicator(void)
{
    MPI_Comm half, inter;
    double x = -1;
    if (size < 2)
        return;
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half));
    CHECK_OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &inter));
    CHECK_OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
    if (rank == 1)
        CHECK_OK(MPIX_Comm_revoke(inter));
    CHECK_CLASS(MPI_Recv(&x, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 9, inter, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    CHECK_CLASS(MPI_Send(&x, 1, MPI_DOUBLE, 0, 9, inter), MPIX_ERR_REVOKED);
    CHECK_CLASS(MPI_Barrier(inter), MPIX_ERR_REVOKED);
    CHECK_OK(MPI_Comm_free(&inter));
    CHECK_OK(MPI_Barrier(half));
    CHECK_OK(MPI_Comm_free(&half));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    rank = check_rank;
    size = check_size;
    revoke_and_try();
    interrupt();
    for (int which = 0; which < 7; which++)
        interrupt_blocking(which);
    revoke_at_once();
    revoke_before_it_is_made();
    revoke_intercommunicator();
    race();
    return check_end();
}
