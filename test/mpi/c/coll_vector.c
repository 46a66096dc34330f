/* Gatherv, scatterv, allgatherv, alltoallv and alltoallw with uneven and zero counts, displacements in any order, and
 * gaps that stay untouched.
 *
 * np: 1 2 3 4 5 7 8
 * wrong: mpich (4.0: allgatherv of one process ignores the displacement)
 */
#include "check.h"

#define GAP 3
#define HOLE 0x6b6b6b6b

static int p, rank;
static int counts[64], displs[64], span;
static int *in, *out;

/* Rank r has counts[r]; its block lies after those of the ranks above it, with GAP ints between. */
static void uneven(int scale)
{
    span = GAP;
    for (int r = p - 1; r >= 0; r--) {
        counts[r] = r % 3 == 1 ? 0 : scale * (r + 1) / 2 + r % 2;
        displs[r] = span;
        span += counts[r] + GAP;
    }
}

/* A whole receive buffer of uneven blocks and holes. */
static void verify_blocks(const int *buf, long long (*origin)(int), const char *where)
{
    int wrong = 0, holes = 0;
    char *covered = check_alloc(span, 0);
    for (int r = 0; r < p; r++)
        for (int i = 0; i < counts[r]; i++) {
            wrong += buf[displs[r] + i] != check_value(r, origin(r) + i);
            covered[displs[r] + i] = 1;
        }
    for (int i = 0; i < span; i++)
        holes += !covered[i] && buf[i] != HOLE;
    CHECK_NOTED(wrong == 0 && holes == 0, "%s: %d values wrong, %d gaps touched", where, wrong, holes);
    free(covered);
}

static long long from_zero(int r)
{
    (void)r;
    return 0;
}

static void fill(int *buf, int n)
{
    for (int i = 0; i < n; i++)
        buf[i] = check_value(rank, i);
}

static void empty(int *buf, int n)
{
    for (int i = 0; i < n; i++)
        buf[i] = HOLE;
}

static void gathers(int root)
{
    fill(in, counts[rank]);
    empty(out, span);
    CHECK_OK(MPI_Gatherv(in, counts[rank], MPI_INT, out, counts, displs, MPI_INT, root, MPI_COMM_WORLD));
    if (rank == root)
        verify_blocks(out, from_zero, "gatherv");
    empty(out, span);
    fill(out + displs[rank], counts[rank]);
    CHECK_OK(MPI_Gatherv(rank == root ? MPI_IN_PLACE : (void *)in, counts[rank], MPI_INT, out, counts, displs, MPI_INT,
                         root, MPI_COMM_WORLD));
    if (rank == root)
        verify_blocks(out, from_zero, "gatherv in place");
}

static void allgathers(void)
{
    fill(in, counts[rank]);
    empty(out, span);
    CHECK_OK(MPI_Allgatherv(in, counts[rank], MPI_INT, out, counts, displs, MPI_INT, MPI_COMM_WORLD));
    verify_blocks(out, from_zero, "allgatherv");
    empty(out, span);
    fill(out + displs[rank], counts[rank]);
    CHECK_OK(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, counts, displs, MPI_INT, MPI_COMM_WORLD));
    verify_blocks(out, from_zero, "allgatherv in place");
}

static void scatters(int root)
{
    int wrong = 0;
    fill(in, span);
    empty(out, counts[rank] + GAP);
    CHECK_OK(MPI_Scatterv(in, counts, displs, MPI_INT, out, counts[rank], MPI_INT, root, MPI_COMM_WORLD));
    for (int i = 0; i < counts[rank] + GAP; i++)
        wrong += out[i] != (i < counts[rank] ? check_value(root, displs[rank] + i) : HOLE);
    CHECK_NOTED(wrong == 0, "scatterv from %d: %d wrong", root, wrong);
    empty(out, counts[rank]);
    CHECK_OK(MPI_Scatterv(in, counts, displs, MPI_INT, rank == root ? MPI_IN_PLACE : (void *)out, counts[rank], MPI_INT,
                          root, MPI_COMM_WORLD));
    for (int i = 0; i < counts[rank]; i++)
        wrong += rank == root ? in[displs[rank] + i] != check_value(root, displs[rank] + i)
                              : out[i] != check_value(root, displs[rank] + i);
    CHECK_NOTED(wrong == 0, "scatterv in place from %d: %d wrong", root, wrong);
}

/* What rank s sends to rank r: a number that depends on both, sometimes none. */
static int share(int s, int r, int scale)
{
    return (s + 2 * r) % 4 == 0 ? 0 : scale + s + r % 3;
}

/* Place of rank s's block for r among all that it sends, with gaps. */
static int place(int s, int r, int scale)
{
    int at = GAP;
    for (int q = 0; q < r; q++)
        at += share(s, q, scale) + GAP;
    return at;
}

static int scale_now;

static long long sent_from(int s)
{
    return place(s, rank, scale_now);
}

static void exchanges(int scale)
{
    int sendcounts[64], sdispls[64], bytes_to[64], bytes_from[64], total = 0;
    MPI_Datatype sendtypes[64], recvtypes[64];
    scale_now = scale;
    span = GAP;
    for (int r = p - 1; r >= 0; r--) {
        sendcounts[r] = share(rank, r, scale);
        sdispls[r] = place(rank, r, scale);
        counts[r] = share(r, rank, scale);
        displs[r] = span;
        span += counts[r] + GAP;
        total = sdispls[r] + sendcounts[r] > total ? sdispls[r] + sendcounts[r] : total;
    }
    fill(in, total);
    empty(out, span);
    CHECK_OK(MPI_Alltoallv(in, sendcounts, sdispls, MPI_INT, out, counts, displs, MPI_INT, MPI_COMM_WORLD));
    verify_blocks(out, sent_from, "alltoallv");

    /* w: the same exchange; the receiver takes single ints, the sender one derived type for each peer */
    for (int r = 0; r < p; r++) {
        CHECK_OK(MPI_Type_contiguous(sendcounts[r], MPI_INT, &sendtypes[r]));
        CHECK_OK(MPI_Type_commit(&sendtypes[r]));
        sendcounts[r] = 1;
        recvtypes[r] = MPI_INT;
        bytes_to[r] = sdispls[r] * (int)sizeof(int);
        bytes_from[r] = displs[r] * (int)sizeof(int);
    }
    empty(out, span);
    CHECK_OK(MPI_Alltoallw(in, sendcounts, bytes_to, sendtypes, out, counts, bytes_from, recvtypes, MPI_COMM_WORLD));
    verify_blocks(out, sent_from, "alltoallw");
    for (int r = 0; r < p; r++)
        CHECK_OK(MPI_Type_free(&sendtypes[r]));

    /* in place: rank s and r exchange as many as they receive from each other */
    for (int r = 0; r < p; r++) {
        counts[r] = scale + (r + rank) % 3;
        displs[r] = r * (scale + 5) + GAP;
    }
    span = p * (scale + 5) + GAP;
    empty(out, span);
    for (int r = 0; r < p; r++)
        for (int i = 0; i < counts[r]; i++)
            out[displs[r] + i] = check_value(rank, 1000 * r + i);
    CHECK_OK(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, out, counts, displs, MPI_INT, MPI_COMM_WORLD));
    int wrong = 0;
    for (int r = 0; r < p; r++)
        for (int i = 0; i < scale + 5; i++)
            wrong += out[displs[r] + i] != (i < counts[r] ? check_value(r, 1000 * rank + i) : HOLE);
    CHECK_NOTED(wrong == 0, "alltoallv in place: %d wrong", wrong);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    p = check_size;
    rank = check_rank;
    const int scales[] = {0, 1, 16, 700, 9000};
    in = check_alloc(sizeof(int) * 600000, 0);
    out = check_alloc(sizeof(int) * 600000, 0);
    for (int i = 0; i < 5; i++) {
        uneven(scales[i]);
        for (int root = 0; root < p; root++) {
            gathers(root);
            scatters(root);
        }
        allgathers();
        exchanges(scales[i]);
    }
    free(in);
    free(out);
    return check_end();
}
