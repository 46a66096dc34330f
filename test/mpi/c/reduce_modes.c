/* Predefined operators, which algorithms may cut into blocks and reorder, in every form of every reduction: counts
 * from 0 on, below, at and above the number of processes, in place or not, and roots that change from call to call.
 * An operator of the user's that commutes, beside them.
 *
 * np: 1 2 3 4 5 7 8 24
 */
#include "modes.h"

enum { LONGEST = 10007 };

static int mode, p, me;
static const MPI_Comm w = MPI_COMM_WORLD;
static int64_t *in, *out;

static void largest(void *x, void *y, int *n, MPI_Datatype *type)
{
    const int64_t *a = x;
    int64_t *b = y;
    (void)type;
    for (int i = 0; i < *n; i++)
        b[i] = a[i] > b[i] ? a[i] : b[i];
}

/* No two ranks alike, and the maximum at another rank for each element. */
static int64_t value(int rank, int64_t i)
{
    return (int64_t)check_value(rank, i) * ((rank + i) % p + 1);
}

static int64_t expected(bool maximum, int last, int64_t i)
{
    int64_t all = value(0, i);
    for (int r = 1; r <= last; r++)
        all = !maximum ? all + value(r, i) : value(r, i) > all ? value(r, i) : all;
    return all;
}

static void fill(int64_t *values, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        values[i] = value(me, i);
}

static void expect(bool maximum, int last, int64_t first, int n, const char *what)
{
    int wrong = 0;

    for (int i = 0; i<n; i += n> 2000 ? 7 : 1)
        wrong += out[i] != expected(maximum, last, first + i);
    CHECK_NOTED(wrong == 0, "%s, %s, %d elements: %d wrong", what, mode_names[mode], n, wrong);
    CHECK_NOTED(out[n] == -1, "%s, %s, %d elements: one more is written", what, mode_names[mode], n);
}

/* The operand: in place it is in `out`, with something after it that must stay. */
static void *operand(bool inplace, int64_t n)
{
    memset(out, 0xff, (size_t)(n + 1) * sizeof *out);
    if (inplace)
        fill(out, n);
    return inplace ? MPI_IN_PLACE : in;
}

static void reductions(MPI_Op op, int n, bool inplace, int root)
{
    const MPI_Datatype t = MPI_INT64_T;
    bool maximum = op != MPI_SUM;
    struct layout uneven;
    int total = 0, first = 0;
    void *from;

    int each = n > 1000 ? n / p : n;

    fill(in, (int64_t)(each * p > n ? each * p : n));
    from = operand(inplace, n);
    CHECK_OK(CALL(mode, allreduce, Allreduce, from, out, n, t, op, w));
    expect(maximum, p - 1, 0, n, "allreduce");
    from = operand(inplace && me == root, n);
    CHECK_OK(CALL(mode, reduce, Reduce, from, me == root ? out : NULL, n, t, op, root, w));
    if (me == root)
        expect(maximum, p - 1, 0, n, "reduce");
    from = operand(inplace, n);
    CHECK_OK(CALL(mode, scan, Scan, from, out, n, t, op, w));
    expect(maximum, me, 0, n, "scan");
    from = operand(inplace, n);
    CHECK_OK(CALL(mode, exscan, Exscan, from, out, n, t, op, w));
    if (me)
        expect(maximum, me - 1, 0, n, "exscan");

    from = operand(inplace, (int64_t)each * p);
    if (!inplace)
        out[each] = -1;
    CHECK_OK(CALL(mode, reduce_scatter_block, Reduce_scatter_block, from, out, each, t, op, w));
    out[each] = inplace ? -1 : out[each]; /* in place the rest of the vector is the library's to use */
    expect(maximum, p - 1, (int64_t)each * me, each, "reduce_scatter_block");
    for (int r = 0; r < p; r++) { /* some have nothing, the last has most */
        int count = r % 3 == 1 ? 0 : r == p - 1 ? each : each / 2;
        layout_set(&uneven, r, count, 0);
        first += r < me ? count : 0;
        total += count;
    }
    from = operand(inplace, total);
    CHECK_OK(CALL_V(mode, reduce_scatter, Reduce_scatter, (from, out, uneven.counts, t, op, w),
                    (from, out, uneven.counts_c, t, op, w)));
    out[uneven.counts[me]] = inplace ? -1 : out[uneven.counts[me]];
    expect(maximum, p - 1, first, uneven.counts[me], "reduce_scatter");
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    p = check_size;
    me = check_rank;
    const int counts[] = {0, 1, p > 1 ? p - 1 : 2, p, p + 1, 61, 1999, LONGEST};
    in = check_alloc((size_t)(LONGEST + 2000 * p + 1) * sizeof *in, 0);
    out = check_alloc((size_t)(LONGEST + 2000 * p + 1) * sizeof *out, 0);
    MPI_Op op[3] = {MPI_SUM, MPI_MAX};
    CHECK_OK(MPI_Op_create(largest, 1, &op[2]));
    for (mode = 0; mode < MODES; mode++)
        for (int i = 0; i < 8; i++)
            for (int k = 0; k < 3; k++)
                for (int inplace = 0; inplace < 2; inplace++)
                    reductions(op[k], counts[i], inplace, (i + k + inplace + mode) % p);
    CHECK_OK(MPI_Op_free(&op[2]));
    free(in);
    free(out);
    return check_end();
}
