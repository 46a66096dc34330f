/* Persistent collectives (MPI-5.0 section 6.13): made once, started many times with other values each time, freed
 * inactive.
 *
 * np: 1 2 3 4 5 8
 * wrong: mpich (4.0: gather and scatter copy the local part when made, not when started)
 */
#include "ordered.h"

#if MPI_VERSION >= 4

enum { KINDS = 17, STARTS = 12 };

static int p, rank, root;
static struct affine *in, *all, *one, *scan, *exscan, *block, *blocks;
static int *values, *bcast, *gather, *gatherv, *scatter, *scatterv, *allgather, *allgatherv, *alltoall, *alltoallv,
    *alltoallw;
static int counts[64], displs[64], bytes[64];
static MPI_Datatype types[64];

static void buffers(int n)
{
    struct affine **maps[] = {&in, &all, &one, &scan, &exscan, &block, &blocks};
    int **ints[] = {&values,    &bcast,      &gather,   &gatherv,   &scatter,  &scatterv,
                    &allgather, &allgatherv, &alltoall, &alltoallv, &alltoallw};
    for (int i = 0; i < 7; i++)
        *maps[i] = check_alloc((size_t)n * p * sizeof **maps[i], 0);
    for (int i = 0; i < 11; i++)
        *ints[i] = check_alloc((size_t)n * p * sizeof **ints[i], 0);
    for (int r = 0; r < p; r++) {
        counts[r] = n;
        displs[r] = n * r;
        bytes[r] = 4 * n * r;
        types[r] = MPI_INT;
    }
}

static void make(int n, MPI_Datatype affine, MPI_Op op, MPI_Request *q)
{
    MPI_Comm w = MPI_COMM_WORLD;
    MPI_Info i = MPI_INFO_NULL;
    CHECK_OK(MPI_Allreduce_init(in, all, n, affine, op, w, i, q++));
    CHECK_OK(MPI_Reduce_init(in, one, n, affine, op, root, w, i, q++));
    CHECK_OK(MPI_Scan_init(in, scan, n, affine, op, w, i, q++));
    CHECK_OK(MPI_Exscan_init(in, exscan, n, affine, op, w, i, q++));
    CHECK_OK(MPI_Reduce_scatter_block_init(in, block, n, affine, op, w, i, q++));
    CHECK_OK(MPI_Reduce_scatter_init(in, blocks, counts, affine, op, w, i, q++));
    CHECK_OK(MPI_Bcast_init(bcast, n, MPI_INT, root, w, i, q++));
    CHECK_OK(MPI_Gather_init(values, n, MPI_INT, gather, n, MPI_INT, root, w, i, q++));
    CHECK_OK(MPI_Gatherv_init(values, n, MPI_INT, gatherv, counts, displs, MPI_INT, root, w, i, q++));
    CHECK_OK(MPI_Scatter_init(values, n, MPI_INT, scatter, n, MPI_INT, root, w, i, q++));
    CHECK_OK(MPI_Scatterv_init(values, counts, displs, MPI_INT, scatterv, n, MPI_INT, root, w, i, q++));
    CHECK_OK(MPI_Allgather_init(values, n, MPI_INT, allgather, n, MPI_INT, w, i, q++));
    CHECK_OK(MPI_Allgatherv_init(values, n, MPI_INT, allgatherv, counts, displs, MPI_INT, w, i, q++));
    CHECK_OK(MPI_Alltoall_init(values, n, MPI_INT, alltoall, n, MPI_INT, w, i, q++));
    CHECK_OK(MPI_Alltoallv_init(values, counts, displs, MPI_INT, alltoallv, counts, displs, MPI_INT, w, i, q++));
    CHECK_OK(MPI_Alltoallw_init(values, counts, bytes, types, alltoallw, counts, bytes, types, w, i, q++));
    CHECK_OK(MPI_Barrier_init(w, i, q++));
}

static void verify_ints(const int *got, int sender, int first, int n, int turn, const char *where)
{
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += got[i] != check_value(sender, first + i) + turn;
    CHECK_NOTED(wrong == 0, "%s, start %d: %d of %d ints wrong", where, turn, wrong, n);
}

static void verify(int n, int turn)
{
    affine_verify(all, p - 1, turn, n, "allreduce");
    if (rank == root)
        affine_verify(one, p - 1, turn, n, "reduce");
    affine_verify(scan, rank, turn, n, "scan");
    if (rank)
        affine_verify(exscan, rank - 1, turn, n, "exscan");
    affine_verify(block, p - 1, turn + n * rank, n, "reduce_scatter_block");
    affine_verify(blocks, p - 1, turn + n * rank, n, "reduce_scatter");
    verify_ints(bcast, root, 0, n, turn, "bcast");
    verify_ints(scatter, root, n * rank, n, turn, "scatter");
    verify_ints(scatterv, root, n * rank, n, turn, "scatterv");
    for (int r = 0; r < p; r++) {
        if (rank == root) {
            verify_ints(gather + n * r, r, 0, n, turn, "gather");
            verify_ints(gatherv + n * r, r, 0, n, turn, "gatherv");
        }
        verify_ints(allgather + n * r, r, 0, n, turn, "allgather");
        verify_ints(allgatherv + n * r, r, 0, n, turn, "allgatherv");
        verify_ints(alltoall + n * r, r, n * rank, n, turn, "alltoall");
        verify_ints(alltoallv + n * r, r, n * rank, n, turn, "alltoallv");
        verify_ints(alltoallw + n * r, r, n * rank, n, turn, "alltoallw");
    }
}

static void many_starts(int n)
{
    MPI_Request requests[KINDS];
    MPI_Datatype affine;
    MPI_Op op;
    buffers(n);
    affine_setup(&affine, &op);
    make(n, affine, op, requests);
    CHECK_OK(MPI_Op_free(&op)); /* the requests keep both */
    CHECK_OK(MPI_Type_free(&affine));
    for (int turn = 0; turn < STARTS; turn++) {
        affine_fill(in, rank, turn, n * p);
        for (int i = 0; i < n * p; i++)
            values[i] = check_value(rank, i) + turn;
        memcpy(bcast, values, n * sizeof *bcast);
        if (turn % 3 == 2) {
            for (int k = 0; k < KINDS; k++) {
                CHECK_OK(MPI_Start(&requests[k]));
                CHECK_OK(MPI_Wait(&requests[k], MPI_STATUS_IGNORE));
            }
        } else {
            CHECK_OK(MPI_Startall(KINDS, requests));
            for (int k = KINDS - 1; k >= 0 && turn % 3; k--)
                CHECK_OK(MPI_Wait(&requests[k], MPI_STATUS_IGNORE));
            CHECK_OK(MPI_Waitall(KINDS, requests, MPI_STATUSES_IGNORE));
        }
        verify(n, turn);
    }
    for (int k = 0; k < KINDS; k++) {
        CHECK(requests[k] != MPI_REQUEST_NULL);
        CHECK_OK(MPI_Request_free(&requests[k]));
        CHECK(requests[k] == MPI_REQUEST_NULL);
    }
    void *buffers[] = {in,     all,     one,     scan,     exscan,    block,      blocks,   values,    bcast,
                       gather, gatherv, scatter, scatterv, allgather, allgatherv, alltoall, alltoallv, alltoallw};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        free(buffers[i]);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    p = check_size;
    rank = check_rank;
    root = p / 2;
    many_starts(1);
    many_starts(33);
    many_starts(4000);
    return check_end();
}

#else

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    CHECK(MPI_VERSION < 4);
    return check_end();
}

#endif
