/* What is significant only at the root, what is ignored in place, what a call without data may be given (MPI-5.0
 * sections 6.4 to 6.12): arguments that do not count are the worst there are, in every form of the call.
 *
 * np: 1 2 3 5 8
 * flags: -Wno-stringop-overread -Wno-stringop-overflow
 * wrong: mpich (4.0: takes two null buffers without data for aliased)
 */
#include "modes.h"

/* An address that faults, a count that is refused, a datatype and arrays that do not exist. */
#define NOWHERE ((void *)16)
#define NO_ARRAY ((int *)24)
#define NO_ARRAY_C ((MPI_Count *)24)
#define NO_PLACES ((MPI_Aint *)24)
#define NO_TYPES ((MPI_Datatype *)24)
#define NO_COUNT (-77)

enum { N = 5, ROOM = 64 * N };

static int mode, p, me;
static const MPI_Comm w = MPI_COMM_WORLD;
static int in[ROOM], out[ROOM];
static struct layout even; /* N ints each, in rank order */

static void fill(int *values, int n)
{
    for (int i = 0; i < n; i++)
        values[i] = check_value(me, i);
}

static void expect(const int *got, int sender, int first, const char *what)
{
    for (int i = 0; i < N; i++)
        CHECK_NOTED(got[i] == check_value(sender, first + i), "%s, %s: %d is %d, not %d", what, mode_names[mode], i,
                    got[i], check_value(sender, first + i));
}

static void expect_sum(const int *got, int ranks, int first, const char *what)
{
    for (int i = 0; i < N; i++) {
        int sum = 0;
        for (int r = 0; r < ranks; r++)
            sum += check_value(r, first + i) % 1000;
        CHECK_NOTED(got[i] == sum, "%s, %s: %d is %d, not %d", what, mode_names[mode], i, got[i], sum);
    }
}

static void fill_small(int *values, int n)
{
    for (int i = 0; i < n; i++)
        values[i] = check_value(me, i) % 1000;
}

static void roots(int root)
{
    bool mine = me == root;
    void *buf = mine ? out : NOWHERE;
    int count = mine ? N : NO_COUNT;
    MPI_Datatype type = mine ? MPI_INT : MPI_DATATYPE_NULL;
    int *counts = mine ? even.counts : NO_ARRAY, *displs = mine ? even.displs : NO_ARRAY;
    MPI_Count *counts_c __attribute__((unused)) = mine ? even.counts_c : NO_ARRAY_C;
    MPI_Aint *displs_c __attribute__((unused)) = mine ? even.displs_c : NO_PLACES;

    fill(in, N);
    check_wipe(out, sizeof out);
    CHECK_OK(CALL(mode, gather, Gather, in, N, MPI_INT, buf, count, type, root, w));
    for (int r = 0; mine && r < p; r++)
        expect(out + N * r, r, 0, "gather");
    check_wipe(out, sizeof out);
    CHECK_OK(CALL_V(mode, gatherv, Gatherv, (in, N, MPI_INT, buf, counts, displs, type, root, w),
                    (in, N, MPI_INT, buf, counts_c, displs_c, type, root, w)));
    for (int r = 0; mine && r < p; r++)
        expect(out + N * r, r, 0, "gatherv");

    fill(in, N * p);
    buf = mine ? in : NOWHERE;
    check_wipe(out, sizeof out);
    CHECK_OK(CALL(mode, scatter, Scatter, buf, count, type, out, N, MPI_INT, root, w));
    expect(out, root, N * me, "scatter");
    check_wipe(out, sizeof out);
    CHECK_OK(CALL_V(mode, scatterv, Scatterv, (buf, counts, displs, type, out, N, MPI_INT, root, w),
                    (buf, counts_c, displs_c, type, out, N, MPI_INT, root, w)));
    expect(out, root, N * me, "scatterv");

    fill_small(in, N);
    check_wipe(out, sizeof out);
    CHECK_OK(CALL(mode, reduce, Reduce, in, mine ? out : NOWHERE, N, MPI_INT, MPI_SUM, root, w));
    if (mine)
        expect_sum(out, p, 0, "reduce");
}

static void roots_in_place(int root)
{
    bool mine = me == root;
    void *from = mine ? MPI_IN_PLACE : in, *to = mine ? MPI_IN_PLACE : out;
    int count = mine ? NO_COUNT : N;
    MPI_Datatype type = mine ? MPI_DATATYPE_NULL : MPI_INT;

    fill(in, N);
    check_wipe(out, sizeof out);
    fill(out + N * me, N);
    CHECK_OK(CALL(mode, gather, Gather, from, count, type, out, N, MPI_INT, root, w));
    for (int r = 0; mine && r < p; r++)
        expect(out + N * r, r, 0, "gather in place");
    check_wipe(out, sizeof out);
    fill(out + N * me, N);
    CHECK_OK(CALL_V(mode, gatherv, Gatherv, (from, count, type, out, even.counts, even.displs, MPI_INT, root, w),
                    (from, count, type, out, even.counts_c, even.displs_c, MPI_INT, root, w)));
    for (int r = 0; mine && r < p; r++)
        expect(out + N * r, r, 0, "gatherv in place");

    fill(in, N * p);
    check_wipe(out, sizeof out);
    CHECK_OK(CALL(mode, scatter, Scatter, in, N, MPI_INT, to, count, type, root, w));
    expect(mine ? in + N * root : out, root, N * me, "scatter in place");
    check_wipe(out, sizeof out);
    CHECK_OK(CALL_V(mode, scatterv, Scatterv, (in, even.counts, even.displs, MPI_INT, to, count, type, root, w),
                    (in, even.counts_c, even.displs_c, MPI_INT, to, count, type, root, w)));
    expect(mine ? in + N * root : out, root, N * me, "scatterv in place");

    fill_small(mine ? out : in, N);
    CHECK_OK(CALL(mode, reduce, Reduce, from, mine ? out : NOWHERE, N, MPI_INT, MPI_SUM, root, w));
    if (mine)
        expect_sum(out, p, 0, "reduce in place");
}

/* In place the send count and type, and the arrays, are ignored. */
static void all_in_place(void)
{
    MPI_Datatype types[64];
    struct layout bytes;

    for (int r = 0; r < p; r++) {
        types[r] = MPI_INT;
        layout_set(&bytes, r, N, N * r * (int)sizeof(int));
    }
    check_wipe(out, sizeof out);
    fill(out + N * me, N);
    CHECK_OK(CALL(mode, allgather, Allgather, MPI_IN_PLACE, NO_COUNT, MPI_DATATYPE_NULL, out, N, MPI_INT, w));
    for (int r = 0; r < p; r++)
        expect(out + N * r, r, 0, "allgather in place");
    check_wipe(out, sizeof out);
    fill(out + N * me, N);
    CHECK_OK(CALL_V(mode, allgatherv, Allgatherv,
                    (MPI_IN_PLACE, NO_COUNT, MPI_DATATYPE_NULL, out, even.counts, even.displs, MPI_INT, w),
                    (MPI_IN_PLACE, NO_COUNT, MPI_DATATYPE_NULL, out, even.counts_c, even.displs_c, MPI_INT, w)));
    for (int r = 0; r < p; r++)
        expect(out + N * r, r, 0, "allgatherv in place");

    fill(out, N * p);
    CHECK_OK(CALL(mode, alltoall, Alltoall, MPI_IN_PLACE, NO_COUNT, MPI_DATATYPE_NULL, out, N, MPI_INT, w));
    for (int r = 0; r < p; r++)
        expect(out + N * r, r, N * me, "alltoall in place");
    fill(out, N * p);
    CHECK_OK(CALL_V(
        mode, alltoallv, Alltoallv,
        (MPI_IN_PLACE, NO_ARRAY, NO_ARRAY, MPI_DATATYPE_NULL, out, even.counts, even.displs, MPI_INT, w),
        (MPI_IN_PLACE, NO_ARRAY_C, NO_PLACES, MPI_DATATYPE_NULL, out, even.counts_c, even.displs_c, MPI_INT, w)));
    for (int r = 0; r < p; r++)
        expect(out + N * r, r, N * me, "alltoallv in place");
    fill(out, N * p);
    CHECK_OK(CALL_V(mode, alltoallw, Alltoallw,
                    (MPI_IN_PLACE, NO_ARRAY, NO_ARRAY, NO_TYPES, out, bytes.counts, bytes.displs, types, w),
                    (MPI_IN_PLACE, NO_ARRAY_C, NO_PLACES, NO_TYPES, out, bytes.counts_c, bytes.displs_c, types, w)));
    for (int r = 0; r < p; r++)
        expect(out + N * r, r, N * me, "alltoallw in place");
}

/* Rank 0's receive buffer of an exscan is not significant, and stays as it is in place (section 6.11.2). */
static void exscan(void)
{
    fill_small(in, N);
    check_wipe(out, sizeof out);
    CHECK_OK(CALL(mode, exscan, Exscan, in, me ? out : NOWHERE, N, MPI_INT, MPI_SUM, w));
    if (me)
        expect_sum(out, me, 0, "exscan");
    check_wipe(out, sizeof out);
    CHECK_OK(CALL(mode, exscan, Exscan, in, me ? out : NULL, N, MPI_INT, MPI_SUM, w));
    if (me)
        expect_sum(out, me, 0, "exscan, null at rank 0");
    fill_small(out, N);
    CHECK_OK(CALL(mode, exscan, Exscan, MPI_IN_PLACE, out, N, MPI_INT, MPI_SUM, w));
    if (me)
        expect_sum(out, me, 0, "exscan in place");
    else
        expect_sum(out, 1, 0, "exscan in place leaves rank 0's own");
}

/* Nothing to move: no buffer is looked at, and whatever they hold stays. */
static void nothing(int root)
{
    struct layout none;
    MPI_Datatype types[64];

    for (int r = 0; r < p; r++) {
        layout_set(&none, r, 0, 1000000 * r);
        types[r] = MPI_DOUBLE;
    }
    CHECK_OK(CALL(mode, bcast, Bcast, NULL, 0, MPI_INT, root, w));
    CHECK_OK(CALL(mode, reduce, Reduce, NULL, NULL, 0, MPI_INT, MPI_SUM, root, w));
    CHECK_OK(CALL(mode, allreduce, Allreduce, NULL, NULL, 0, MPI_DOUBLE, MPI_MAX, w));
    CHECK_OK(CALL(mode, allreduce, Allreduce, MPI_IN_PLACE, NULL, 0, MPI_DOUBLE, MPI_MAX, w));
    CHECK_OK(CALL(mode, scan, Scan, NULL, NULL, 0, MPI_INT, MPI_BXOR, w));
    CHECK_OK(CALL(mode, exscan, Exscan, NULL, NULL, 0, MPI_INT, MPI_BXOR, w));
    CHECK_OK(CALL(mode, reduce_scatter_block, Reduce_scatter_block, NULL, NULL, 0, MPI_INT, MPI_MIN, w));
    CHECK_OK(CALL_V(mode, reduce_scatter, Reduce_scatter, (NULL, NULL, none.counts, MPI_INT, MPI_MIN, w),
                    (NULL, NULL, none.counts_c, MPI_INT, MPI_MIN, w)));
    CHECK_OK(CALL(mode, gather, Gather, NULL, 0, MPI_INT, NULL, 0, MPI_INT, root, w));
    CHECK_OK(CALL(mode, scatter, Scatter, NULL, 0, MPI_INT, NULL, 0, MPI_INT, root, w));
    CHECK_OK(CALL(mode, allgather, Allgather, NULL, 0, MPI_INT, NULL, 0, MPI_INT, w));
    CHECK_OK(CALL(mode, alltoall, Alltoall, NULL, 0, MPI_INT, NULL, 0, MPI_INT, w));
    CHECK_OK(CALL_V(mode, gatherv, Gatherv, (NULL, 0, MPI_INT, NULL, none.counts, none.displs, MPI_INT, root, w),
                    (NULL, 0, MPI_INT, NULL, none.counts_c, none.displs_c, MPI_INT, root, w)));
    CHECK_OK(CALL_V(mode, scatterv, Scatterv, (NULL, none.counts, none.displs, MPI_INT, NULL, 0, MPI_INT, root, w),
                    (NULL, none.counts_c, none.displs_c, MPI_INT, NULL, 0, MPI_INT, root, w)));
    CHECK_OK(CALL_V(mode, allgatherv, Allgatherv, (NULL, 0, MPI_INT, NULL, none.counts, none.displs, MPI_INT, w),
                    (NULL, 0, MPI_INT, NULL, none.counts_c, none.displs_c, MPI_INT, w)));
    CHECK_OK(CALL_V(mode, alltoallv, Alltoallv,
                    (NULL, none.counts, none.displs, MPI_INT, NULL, none.counts, none.displs, MPI_INT, w),
                    (NULL, none.counts_c, none.displs_c, MPI_INT, NULL, none.counts_c, none.displs_c, MPI_INT, w)));
    CHECK_OK(CALL_V(mode, alltoallw, Alltoallw,
                    (NULL, none.counts, none.displs, types, NULL, none.counts, none.displs, types, w),
                    (NULL, none.counts_c, none.displs_c, types, NULL, none.counts_c, none.displs_c, types, w)));
}

/* Only one rank has something: the others' buffers are null, and theirs is the sum of all. */
static void one_block(int owner)
{
    struct layout only;
    int *buf = me == owner ? out : NULL;

    for (int r = 0; r < p; r++)
        layout_set(&only, r, r == owner ? N : 0, 0);
    fill_small(in, N);
    check_wipe(out, sizeof out);
    CHECK_OK(CALL_V(mode, reduce_scatter, Reduce_scatter, (in, buf, only.counts, MPI_INT, MPI_SUM, w),
                    (in, buf, only.counts_c, MPI_INT, MPI_SUM, w)));
    if (me == owner)
        expect_sum(out, p, 0, "reduce_scatter to one");
    fill(in, N);
    check_wipe(out, sizeof out);
    CHECK_OK(
        CALL_V(mode, allgatherv, Allgatherv,
               (me == owner ? in : NULL, me == owner ? N : 0, MPI_INT, out, only.counts, only.displs, MPI_INT, w),
               (me == owner ? in : NULL, me == owner ? N : 0, MPI_INT, out, only.counts_c, only.displs_c, MPI_INT, w)));
    expect(out, owner, 0, "allgatherv of one");
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    p = check_size;
    me = check_rank;
    for (int r = 0; r < p; r++)
        layout_set(&even, r, N, N * r);
    for (mode = 0; mode < MODES; mode++) {
        for (int root = 0; root < p; root++) {
            roots(root);
            roots_in_place(root);
            nothing(root);
            one_block(root);
        }
        all_in_place();
        exscan();
    }
    return check_end();
}
