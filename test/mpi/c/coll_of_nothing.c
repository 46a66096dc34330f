/* MPI_DATATYPE_NULL beside a count of 0: messages of all kinds, and collectives to which some processes give nothing,
 * and those of datatypes of their own, which have it for each process that gets nothing.
 *
 * np: - 1 2 4
 * only: treefold
 */
#include "check.h"

enum { MOST = 4 };
static const MPI_Datatype none = MPI_DATATYPE_NULL;
static int rank, size;

static void messages(void)
{
    int next = (rank + 1) % size, before = (rank + size - 1) % size, flag;
    MPI_Comm w = MPI_COMM_WORLD;
    MPI_Request r[2];
    MPI_Status status;
    CHECK_OK(MPI_Sendrecv(NULL, 0, none, next, 1, NULL, 0, none, before, 1, w, &status));
    CHECK_INT(status.MPI_SOURCE, before);
    CHECK_OK(MPI_Irecv(NULL, 0, none, before, 2, w, &r[0]));
    CHECK_OK(MPI_Isend(NULL, 0, MPI_INT, next, 2, w, &r[1]));
    CHECK_OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    CHECK_OK(MPI_Recv_init(NULL, 0, MPI_INT, before, 3, w, &r[0]));
    CHECK_OK(MPI_Ssend_init(NULL, 0, none, next, 3, w, &r[1]));
    CHECK_OK(MPI_Startall(2, r));
    CHECK_OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    CHECK_OK(MPI_Request_free(&r[0]));
    CHECK_OK(MPI_Request_free(&r[1]));
    CHECK_OK(MPI_Precv_init(NULL, 1, 0, none, before, 4, w, MPI_INFO_NULL, &r[0]));
    CHECK_OK(MPI_Psend_init(NULL, 1, 0, none, next, 4, w, MPI_INFO_NULL, &r[1]));
    CHECK_OK(MPI_Startall(2, r));
    CHECK_OK(MPI_Pready(0, r[1]));
    CHECK_OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    CHECK_OK(MPI_Parrived(r[0], 0, &flag));
    CHECK_INT(flag, 1);
    CHECK_OK(MPI_Request_free(&r[0]));
    CHECK_OK(MPI_Request_free(&r[1]));
    CHECK_CLASS(MPI_Send(NULL, 1, none, next, 5, w), MPI_ERR_TYPE);
}

/* Each process sends to itself alone. */
static void datatypes(void)
{
    MPI_Comm w = MPI_COMM_WORLD, ring;
    MPI_Request r;
    MPI_Datatype types[MOST], wrong[MOST];
    int in = rank + 5, out = 0, counts[MOST], displs[MOST] = {0}, refused[MOST];
    for (int i = 0; i < size; i++) {
        counts[i] = i == rank;
        refused[i] = 1;
        types[i] = i == rank ? MPI_INT : none;
        wrong[i] = none;
    }
    CHECK_OK(MPI_Alltoallw(&in, counts, displs, types, &out, counts, displs, types, w));
    CHECK_INT(out, in);
    in = -out;
    CHECK_OK(MPI_Ialltoallw(&in, counts, displs, types, &out, counts, displs, types, w, &r));
    CHECK_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    CHECK_INT(out, in);
    CHECK_OK(MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, &out, counts, displs, types, w));
    CHECK_INT(out, in);
    CHECK_CLASS(MPI_Alltoallw(&in, refused, displs, wrong, &out, refused, displs, wrong, w), MPI_ERR_TYPE);
    /* A buffer that is both, of which nothing moves. */
    counts[rank] = 0;
    types[rank] = none;
    CHECK_OK(MPI_Alltoallw(&in, counts, displs, types, &in, counts, displs, types, w));

    int periodic = 1, both[2] = {1, 0}, arrives[2] = {0, 1};
    MPI_Aint at[2] = {0, 0};
    MPI_Datatype sent[2] = {MPI_INT, none}, received[2] = {none, MPI_INT};
    CHECK_OK(MPI_Cart_create(w, 1, &size, &periodic, 0, &ring));
    CHECK_OK(MPI_Neighbor_alltoallw(&in, both, at, sent, &out, arrives, at, received, ring));
    CHECK_INT(out, -((rank + 1) % size + 5));
    CHECK_OK(MPI_Comm_free(&ring));
}

/* Only the last process gives something, or gets it; or nobody. */
static void blocks(void)
{
    MPI_Comm w = MPI_COMM_WORLD, ring;
    MPI_Request r;
    int last = size - 1, mine = rank == last, in = rank + 5, out = 0, periodic = 1;
    int counts[MOST] = {0}, displs[MOST] = {0}, zeros[MOST] = {0};
    MPI_Datatype type = mine ? MPI_INT : none;
    counts[last] = 1;
    CHECK_OK(MPI_Gatherv(&in, mine, type, &out, counts, displs, MPI_INT, 0, w));
    CHECK_INT(out, rank ? 0 : last + 5);
    CHECK_OK(MPI_Scatterv(&out, counts, displs, MPI_INT, &in, mine, type, 0, w));
    out = 0;
    CHECK_OK(MPI_Allgatherv(&in, mine, type, &out, counts, displs, MPI_INT, w));
    CHECK_INT(out, last + 5);
    out = 0;
    CHECK_OK(MPI_Igatherv(&in, mine, type, &out, counts, displs, MPI_INT, 0, w, &r));
    CHECK_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    CHECK_INT(out, rank ? 0 : last + 5);
    CHECK_OK(MPI_Gather(NULL, 0, none, NULL, 0, MPI_INT, 0, w));
    CHECK_OK(MPI_Scatter(NULL, 0, MPI_INT, NULL, 0, none, 0, w));
    CHECK_OK(MPI_Allgather(NULL, 0, none, NULL, 0, none, w));
    CHECK_OK(MPI_Alltoall(NULL, 0, none, NULL, 0, MPI_INT, w));
    CHECK_OK(MPI_Alltoall(NULL, 0, none, NULL, 0, none, w));
    CHECK_OK(MPI_Bcast(NULL, 0, rank ? none : MPI_INT, 0, w));
    CHECK_CLASS(MPI_Allgather(&in, 1, none, &out, 1, none, w), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Allgatherv(&in, 0, none, &out, zeros, displs, none, w), MPI_ERR_TYPE);
    CHECK_OK(MPI_Cart_create(w, 1, &size, &periodic, 0, &ring));
    CHECK_OK(MPI_Neighbor_allgather(NULL, 0, none, NULL, 0, none, ring));
    CHECK_OK(MPI_Neighbor_alltoall(NULL, 0, MPI_INT, NULL, 0, none, ring));
    CHECK_OK(MPI_Comm_free(&ring));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    rank = check_rank;
    size = check_size;
    messages();
    datatypes();
    blocks();
    return check_end();
}
