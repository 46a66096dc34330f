/* What MPI-5.0 section 6.9 says of operators, in every form of every reduction: the function gets the very datatype of
 * the call, a length of 1 to count, and two vectors apart from each other; the send buffer stays as it is; operator and
 * datatype may be freed as soon as the call has begun; commutativity is what was said.
 *
 * np: 1 2 3 4 5 8
 */
#include "modes.h"
#include "ordered.h"

enum { MOST = 2500 };

static int mode, p, me;
static const MPI_Comm w = MPI_COMM_WORLD;

/* An affine map in an element with a gap, which is the user's. */
struct gapped {
    uint32_t slope, gap, offset;
};

static MPI_Datatype expected_type;
static MPI_Count expected_most;
static int calls, wrong_types, wrong_lengths, not_apart;

static void combine(const struct gapped *x, struct gapped *y, MPI_Count len, MPI_Datatype type)
{
    calls++;
    wrong_types += type != expected_type;
    wrong_lengths += len < 1 || len > expected_most;
    not_apart += x < y + len && y < x + len;
    for (MPI_Count i = 0; i < len; i++) {
        struct affine a = {x[i].slope, x[i].offset}, b = {y[i].slope, y[i].offset}, c = affine_product(a, b);
        y[i].slope = c.slope;
        y[i].offset = c.offset;
    }
}

static void function(void *in, void *inout, int *len, MPI_Datatype *type)
{
    combine(in, inout, *len, *type);
}

#if MPI_VERSION >= 4
static void function_c(void *in, void *inout, MPI_Count *len, MPI_Datatype *type)
{
    combine(in, inout, *len, *type);
}
#endif

static void make(MPI_Datatype *type, MPI_Op *op, bool large)
{
    const int lengths[] = {1, 1};
    const MPI_Aint places[] = {offsetof(struct gapped, slope), offsetof(struct gapped, offset)};
    const MPI_Datatype types[] = {MPI_UINT32_T, MPI_UINT32_T};

    (void)large;
    CHECK_OK(MPI_Type_create_struct(2, lengths, places, types, type));
    CHECK_OK(MPI_Type_commit(type));
    expected_type = *type;
#if MPI_VERSION >= 4
    if (large) {
        CHECK_OK(MPI_Op_create_c(function_c, 0, op));
        return;
    }
#endif
    CHECK_OK(MPI_Op_create(function, 0, op));
}

static struct gapped value(int rank, int i)
{
    struct affine a = affine_value(rank, i);
    return (struct gapped){a.slope, 0xabcd0000u + (uint32_t)rank, a.offset};
}

static void fill(struct gapped *v, int n)
{
    for (int i = 0; i < n; i++)
        v[i] = value(me, i);
}

/* Elements first.. are the product of ranks 0..last, and their gaps hold `gap` still. */
static void verify(const struct gapped *got, int last, int first, int n, uint32_t gap, const char *what)
{
    int wrong = 0, gaps = 0;

    for (int i = 0; i < n; i++) {
        struct affine want = affine_expected(last, first + i);
        wrong += got[i].slope != want.slope || got[i].offset != want.offset;
        gaps += got[i].gap != gap;
    }
    CHECK_NOTED(wrong == 0, "%s, %s: %d of %d elements", what, mode_names[mode], wrong, n);
    CHECK_NOTED(gaps == 0, "%s, %s: %d of %d gaps written", what, mode_names[mode], gaps, n);
}

static void unchanged(const struct gapped *in, int n, const char *what)
{
    int wrong = 0;

    for (int i = 0; i < n; i++) {
        struct gapped want = value(me, i);
        wrong += memcmp(&in[i], &want, sizeof want) != 0;
    }
    CHECK_NOTED(wrong == 0, "%s, %s: %d of %d elements of the send buffer changed", what, mode_names[mode], wrong, n);
}

static void reductions(int n, bool large)
{
    static struct gapped in[8 * MOST], out[8 * MOST];
    const uint32_t gap = 0x77777777, own = 0xabcd0000u + (uint32_t)me;
    MPI_Datatype type;
    MPI_Op op;
    struct layout l;
    int root = n % p;

    make(&type, &op, large);
    for (int r = 0; r < p; r++)
        layout_set(&l, r, n, n * r);
    calls = wrong_types = wrong_lengths = not_apart = 0;
    expected_most = (MPI_Count)n * p;
    fill(in, n * p);
    memset(out, 0x77, sizeof out);
    CHECK_OK(CALL(mode, allreduce, Allreduce, in, out, n, type, op, w));
    verify(out, p - 1, 0, n, gap, "allreduce");
    memset(out, 0x77, sizeof out);
    CHECK_OK(CALL(mode, reduce, Reduce, in, out, n, type, op, root, w));
    if (me == root)
        verify(out, p - 1, 0, n, gap, "reduce");
    else
        CHECK_INT(out[0].slope, gap);
    memset(out, 0x77, sizeof out);
    CHECK_OK(CALL(mode, scan, Scan, in, out, n, type, op, w));
    verify(out, me, 0, n, gap, "scan");
    memset(out, 0x77, sizeof out);
    CHECK_OK(CALL(mode, exscan, Exscan, in, out, n, type, op, w));
    if (me)
        verify(out, me - 1, 0, n, gap, "exscan");
    else
        CHECK_INT(out[0].slope, gap); /* "the value in recvbuf on the process with rank 0 is undefined": we leave it */
    memset(out, 0x77, sizeof out);
    CHECK_OK(CALL(mode, reduce_scatter_block, Reduce_scatter_block, in, out, n, type, op, w));
    verify(out, p - 1, n * me, n, gap, "reduce_scatter_block");
    memset(out, 0x77, sizeof out);
    CHECK_OK(CALL_V(mode, reduce_scatter, Reduce_scatter, (in, out, l.counts, type, op, w),
                    (in, out, l.counts_c, type, op, w)));
    verify(out, p - 1, n * me, n, gap, "reduce_scatter");
    unchanged(in, n * p, "reductions");

    fill(out, n);
    CHECK_OK(CALL(mode, allreduce, Allreduce, MPI_IN_PLACE, out, n, type, op, w));
    verify(out, p - 1, 0, n, own, "allreduce in place");
    fill(out, n);
    CHECK_OK(CALL(mode, scan, Scan, MPI_IN_PLACE, out, n, type, op, w));
    verify(out, me, 0, n, own, "scan in place");
    fill(out, n);
    CHECK_OK(CALL(mode, exscan, Exscan, MPI_IN_PLACE, out, n, type, op, w));
    if (me)
        verify(out, me - 1, 0, n, own, "exscan in place");
    else
        unchanged(out, n, "exscan in place of rank 0");
    fill(out, n * p);
    CHECK_OK(CALL(mode, reduce_scatter_block, Reduce_scatter_block, MPI_IN_PLACE, out, n, type, op, w));
    verify(out, p - 1, n * me, n, own, "reduce_scatter_block in place");
    fill(out, n * p);
    CHECK_OK(CALL_V(mode, reduce_scatter, Reduce_scatter, (MPI_IN_PLACE, out, l.counts, type, op, w),
                    (MPI_IN_PLACE, out, l.counts_c, type, op, w)));
    verify(out, p - 1, n * me, n, own, "reduce_scatter in place");
    fill(out, n);
    CHECK_OK(MPI_Reduce_local(in, out, n, type, op));
    unchanged(in, n, "reduce_local");
    for (int i = 0; i < n; i++) {
        struct affine twice = affine_product(affine_value(me, i), affine_value(me, i));
        CHECK_NOTED(out[i].slope == twice.slope && out[i].offset == twice.offset, "reduce_local, element %d", i);
    }

    CHECK_NOTED(wrong_types == 0, "%d of %d calls of the function with another datatype", wrong_types, calls);
    CHECK_NOTED(wrong_lengths == 0, "%d of %d calls of the function with a length not in 1..%lld", wrong_lengths, calls,
                (long long)expected_most);
    CHECK_NOTED(not_apart == 0, "%d of %d calls of the function with vectors that overlap", not_apart, calls);
    CHECK_OK(MPI_Op_free(&op));
    CHECK_OK(MPI_Type_free(&type));
}

/* Operators and datatypes freed between the beginning and the end of every reduction. */
static void freed_in_use(int n, bool persistent)
{
    enum { KINDS = 6 };
    MPI_Request q[KINDS];
    struct gapped *in = check_alloc((size_t)n * p * sizeof *in, 0), *out[KINDS];
    int counts[64];

    fill(in, n * p);
    for (int r = 0; r < p; r++)
        counts[r] = n;
    for (int k = 0; k < KINDS; k++) {
        MPI_Datatype type;
        MPI_Op op;
        struct gapped *o = out[k] = check_alloc((size_t)n * sizeof *o, 0);
        const int root = p - 1;
        make(&type, &op, false);
#if MPI_VERSION >= 4
        if (persistent) {
            MPI_Info i = MPI_INFO_NULL;
            CHECK_OK(k == 0   ? MPI_Allreduce_init(in, o, n, type, op, w, i, &q[k])
                     : k == 1 ? MPI_Reduce_init(in, o, n, type, op, root, w, i, &q[k])
                     : k == 2 ? MPI_Scan_init(in, o, n, type, op, w, i, &q[k])
                     : k == 3 ? MPI_Exscan_init(in, o, n, type, op, w, i, &q[k])
                     : k == 4 ? MPI_Reduce_scatter_block_init(in, o, n, type, op, w, i, &q[k])
                              : MPI_Reduce_scatter_init(in, o, counts, type, op, w, i, &q[k]));
        }
#endif
        if (!persistent)
            CHECK_OK(k == 0   ? MPI_Iallreduce(in, o, n, type, op, w, &q[k])
                     : k == 1 ? MPI_Ireduce(in, o, n, type, op, root, w, &q[k])
                     : k == 2 ? MPI_Iscan(in, o, n, type, op, w, &q[k])
                     : k == 3 ? MPI_Iexscan(in, o, n, type, op, w, &q[k])
                     : k == 4 ? MPI_Ireduce_scatter_block(in, o, n, type, op, w, &q[k])
                              : MPI_Ireduce_scatter(in, o, counts, type, op, w, &q[k]));
        CHECK_OK(MPI_Op_free(&op));
        CHECK_OK(MPI_Type_free(&type));
        CHECK(op == MPI_OP_NULL && type == MPI_DATATYPE_NULL);
    }
    if (persistent)
        CHECK_OK(MPI_Startall(KINDS, q));
    CHECK_OK(MPI_Waitall(KINDS, q, MPI_STATUSES_IGNORE));
    verify(out[0], p - 1, 0, n, 0, "allreduce freed");
    if (me == p - 1)
        verify(out[1], p - 1, 0, n, 0, "reduce freed");
    verify(out[2], me, 0, n, 0, "scan freed");
    if (me)
        verify(out[3], me - 1, 0, n, 0, "exscan freed");
    verify(out[4], p - 1, n * me, n, 0, "reduce_scatter_block freed");
    verify(out[5], p - 1, n * me, n, 0, "reduce_scatter freed");
    for (int k = 0; k < KINDS; k++) {
        if (persistent)
            CHECK_OK(MPI_Request_free(&q[k]));
        free(out[k]);
    }
    free(in);
}

/* A predefined handle is passed to the function as it was given, be it another name of the same type or a copy. */
static void same_handle(void *in, void *inout, int *len, MPI_Datatype *type)
{
    const int *x = in;
    int *y = inout;

    wrong_types += *type != expected_type;
    for (int i = 0; i < *len; i++)
        y[i] += x[i];
}

static void handles(void)
{
    MPI_Datatype copy, types[5] = {MPI_INT, MPI_INT32_T, MPI_INTEGER, MPI_UNSIGNED};
    MPI_Op op;

    CHECK_OK(MPI_Type_dup(MPI_INT, &copy));
    types[4] = copy;
    CHECK_OK(MPI_Op_create(same_handle, 1, &op));
    for (int t = 0; t < 5; t++)
        for (int n = 1; n < 70000; n = n * 40 + 1) {
            int *in = check_alloc((size_t)n * sizeof *in, 1), *out = check_alloc((size_t)n * sizeof *out, 0);
            expected_type = types[t];
            wrong_types = 0;
            CHECK_OK(CALL(mode, allreduce, Allreduce, in, out, n, types[t], op, w));
            CHECK_NOTED(wrong_types == 0, "type %d, count %d: another handle, %d times", t, n, wrong_types);
            CHECK_INT(out[n - 1], p * 0x01010101);
            free(in);
            free(out);
        }
    CHECK_OK(MPI_Op_free(&op));
    CHECK_OK(MPI_Type_free(&copy));
}

/* Predefined operators commute; one of the user's does as was said, whatever number said it. */
static void commutativity(void)
{
    const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MAX,  MPI_MIN,  MPI_LAND,   MPI_BAND,
                          MPI_LOR, MPI_BOR,  MPI_LXOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC};
    const int said[] = {0, 1, 2, -1};
    MPI_Op op = MPI_OP_NULL;

    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        int commutes = 0;
        CHECK_OK(MPI_Op_commutative(ops[i], &commutes));
        CHECK_NOTED(commutes, "operator %zu", i);
        op = ops[i];
        CHECK_CLASS(MPI_Op_free(&op), MPI_ERR_OP);
        CHECK(op == ops[i]);
    }
    for (int i = 0; i < 4; i++) {
        int commutes = -5;
        CHECK_OK(MPI_Op_create(same_handle, said[i], &op));
        CHECK_OK(MPI_Op_commutative(op, &commutes));
        CHECK_INT(!!commutes, said[i] != 0);
        CHECK_OK(MPI_Op_free(&op));
        CHECK(op == MPI_OP_NULL);
    }
    int commutes = 7;
    CHECK_CLASS(MPI_Op_commutative(MPI_OP_NULL, &commutes), MPI_ERR_OP);
    CHECK_CLASS(MPI_Op_free(&op), MPI_ERR_OP);
    CHECK_INT(commutes, 7);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    p = check_size;
    me = check_rank;
    for (mode = 0; mode < MODES; mode++) {
        for (int large = 0; large <= (MPI_VERSION >= 4); large++) {
            reductions(1, large);
            reductions(p, large);
            reductions(37, large);
            reductions(MOST, large);
        }
        handles();
    }
    mode = NONBLOCKING;
    for (int persistent = 0; persistent <= (MPI_VERSION >= 4); persistent++) {
        freed_in_use(1, persistent);
        freed_in_use(2000, persistent);
    }
    commutativity();
    return check_end();
}
