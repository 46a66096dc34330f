/* Messages stay where they belong: collectives of several communicators, of the same processes in another order, and
 * point-to-point traffic with any tag do not meet.
 *
 * np: 1 2 3 4 5 8
 */
#include "ordered.h"

static void beside_messages(void)
{
    int p = check_size, rank = check_rank, right = (rank + 1) % p, left = (rank + p - 1) % p;
    for (int k = 0; k < 40; k++) {
        int out = 1000 * rank + k, in = -1, sum = 0, n = 0;
        MPI_Request requests[2];
        MPI_Status status;
        CHECK_OK(MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]));
        CHECK_OK(MPI_Allreduce(&k, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        CHECK_INT(sum, k * p);
        CHECK_OK(MPI_Isend(&out, 1, MPI_INT, right, k, MPI_COMM_WORLD, &requests[1]));
        CHECK_OK(MPI_Exscan(&k, &n, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        if (rank)
            CHECK_INT(n, k * rank);
        CHECK_OK(MPI_Wait(&requests[0], &status));
        CHECK_INT(in, 1000 * left + k);
        CHECK_INT(status.MPI_SOURCE, left);
        CHECK_INT(status.MPI_TAG, k);
        CHECK_OK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
    }
}

/* The same processes, numbered backwards: rank order is the communicator's, not the world's. */
static void backwards(void)
{
    MPI_Comm back;
    MPI_Datatype type;
    MPI_Op op;
    int rank, p = check_size;
    affine_setup(&type, &op);
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, 0, p - check_rank, &back));
    CHECK_OK(MPI_Comm_rank(back, &rank));
    CHECK_INT(rank, p - 1 - check_rank);
    struct affine a[50], forth[50], r[50];
    for (int k = 0; k < 10; k++) {
        MPI_Request request;
        affine_fill(a, rank, k, 50);
        CHECK_OK(MPI_Iallreduce(a, r, 50, type, op, back, &request));
        struct affine w[50];
        affine_fill(w, check_rank, k, 50);
        CHECK_OK(MPI_Allreduce(w, forth, 50, type, op, MPI_COMM_WORLD));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        affine_verify(r, p - 1, k, 50, "backwards");
        affine_verify(forth, p - 1, k, 50, "forwards");
        CHECK_OK(MPI_Scan(a, r, 50, type, op, back));
        affine_verify(r, rank, k, 50, "scan backwards");
    }
    CHECK_OK(MPI_Comm_free(&back));
    CHECK_OK(MPI_Op_free(&op));
    CHECK_OK(MPI_Type_free(&type));
}

/* Halves and rows that overlap with the world, each with its own sums. */
static void pieces(void)
{
    MPI_Comm half, pair;
    int p = check_size, low = check_rank < p / 2, sum, want = 0;
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, low, check_rank, &half));
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank / 2, check_rank, &pair));
    for (int r = 0; r < p; r++)
        want += (r < p / 2) == low ? r : 0;
    for (int k = 0; k < 30; k++) {
        sum = -1;
        CHECK_OK(MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, half));
        CHECK_INT(sum, want);
        sum = -1;
        CHECK_OK(MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_MIN, pair));
        CHECK_INT(sum, check_rank / 2 * 2);
        sum = -1;
        CHECK_OK(MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
        CHECK_INT(sum, p - 1);
        sum = -1;
        CHECK_OK(MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_SELF));
        CHECK_INT(sum, check_rank);
    }
    CHECK_OK(MPI_Comm_free(&half));
    CHECK_OK(MPI_Comm_free(&pair));
}

/* A message on one communicator is not seen on another, whatever its tag. */
static void separate_contexts(void)
{
    enum { COMMS = 20 };
    MPI_Comm comms[COMMS];
    MPI_Request requests[COMMS];
    int in[COMMS], out[COMMS], right = (check_rank + 1) % check_size, left = (check_rank + check_size - 1) % check_size;
    for (int k = 0; k < COMMS; k++)
        CHECK_OK(MPI_Comm_dup(k ? comms[k - 1] : MPI_COMM_WORLD, &comms[k]));
    for (int k = 0; k < COMMS; k++) {
        out[k] = 100 * check_rank + k;
        CHECK_OK(MPI_Isend(&out[k], 1, MPI_INT, right, 5, comms[k], &requests[k]));
    }
    int flag = 0;
    CHECK_OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK_INT(flag, 0);
    for (int k = COMMS - 1; k >= 0; k--) {
        CHECK_OK(MPI_Recv(&in[k], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[k], MPI_STATUS_IGNORE));
        CHECK_INT(in[k], 100 * left + k);
    }
    CHECK_OK(MPI_Waitall(COMMS, requests, MPI_STATUSES_IGNORE));
    for (int k = 0; k < COMMS; k++)
        CHECK_OK(MPI_Comm_free(&comms[k]));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    beside_messages();
    backwards();
    pieces();
    separate_contexts();
    return check_end();
}
