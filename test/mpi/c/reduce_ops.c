/* Every predefined operator on every type the standard allows it on (MPI-5.0 section 6.9.2), at the extremes, through
 * all reductions.
 *
 * np: 1 2 3 4 5 7 8
 * wrong: mpich openmpi (unsigned MAX and MIN taken as signed; saturating vector sums)
 */
#include "basic.h"
#include <float.h>

#define N 67 /* vector width plus a tail, for every width of vector */

enum operator{ MAX, MIN, SUM, PROD, LAND, LOR, LXOR, BAND, BOR, BXOR, NOPS };
static const char *const names[NOPS] = {"MAX", "MIN", "SUM", "PROD", "LAND", "LOR", "LXOR", "BAND", "BOR", "BXOR"};

static bool allowed(enum operator op, enum kind kind)
{
    switch (op) {
    case MAX:
    case MIN:
        return basic_is_integer(kind) || kind == FLOATING;
    case SUM:
    case PROD:
        return basic_is_integer(kind) || basic_is_float(kind);
    case LAND:
    case LOR:
    case LXOR:
        return kind == SIGNED || kind == UNSIGNED || kind == BOOL || kind == LOGICAL;
    default:
        return basic_is_integer(kind) || kind == BYTE;
    }
}

static __int128 lowest(const struct basic *b)
{
    if (b->kind == UNSIGNED || b->kind == BYTE)
        return 0;
    return (__int128)((unsigned __int128)1 << (8 * b->size - 1)) * (b->size == 16 ? 1 : -1);
}

static __int128 highest(const struct basic *b)
{
    if (b->kind == UNSIGNED || b->kind == BYTE)
        return ((__int128)1 << (8 * b->size)) - 1;
    return ~lowest(b) & (__int128)(((unsigned __int128)1 << (8 * b->size - 1)) - 1);
}

/* Bit patterns around the sign bit and the ends. */
static __int128 extreme(const struct basic *b, int which)
{
    __int128 sign = (__int128)((unsigned __int128)1 << (8 * b->size - 1));
    const __int128 values[] = {0,    1,        lowest(b),     highest(b), highest(b) - 1, lowest(b) + 1,
                               sign, sign - 1, sign + 1,      0x5a,       0x33,           highest(b) / 3,
                               100,  2,        highest(b) / 2};
    struct wide w = {values[which % 15], 0, 0};
    return basic_wrap(b, w).i;
}

/* No signed sum may overflow, and the float ones must be exact in any order of addition. */
static struct wide integer_value(const struct basic *b, enum operator op, int rank, int i)
{
    struct wide w = {0, 0, 0};
    bool wraps = b->kind == UNSIGNED;
    if (op == SUM && !wraps)
        w.i = rank != i % check_size ? (i % 2 ? 1 : -1) : i % 2 ? lowest(b) + i % 5 : highest(b) - i % 3;
    else if (op == PROD && !wraps)
        w.i = rank == i % check_size ? (i % 3) - 1 : rank == (i + 1) % check_size ? 1 + i % 60 : 1;
    else
        w.i = extreme(b, rank * 7 + i);
    return basic_wrap(b, w);
}

static struct wide logical_value(const struct basic *b, enum operator op, int rank, int i)
{
    /* true values whose low byte, low half or all but the sign bit are 0 */
    const int top = 8 * b->size - 1;
    const __int128 truths[] = {1, 2, (__int128)((unsigned __int128)1 << top), -1, (__int128)1 << (top / 2), 6};
    bool truth = op == LAND  ? (i % 3 == 0 || rank != i % check_size)
                 : op == LOR ? (i % 3 && rank == i % check_size)
                             : (rank * 5 + i * 3 + rank * i) % 2;
    struct wide w = {truth ? 1 : 0, 0, 0};
    if (truth && (b->kind == SIGNED || b->kind == UNSIGNED))
        w.i = truths[(rank + i) % 6];
    return basic_wrap(b, w);
}

static struct wide float_value(const struct basic *b, enum operator op, int rank, int i)
{
    static const int factor[][2] = {{1, 1}, {0, 1}, {-1, 0}, {1, 0}, {0, -1}, {1, -1}};
    struct wide w = {0, (rank * 3 + i) % 9 - 4, (rank + i * 5) % 7 - 3};
    if (op == PROD && b->kind == COMPLEX) {
        w.re = factor[(rank + i) % 6][0];
        w.im = factor[(rank + i) % 6][1];
    } else if (op == PROD) {
        w.re = (rank + i) % 4 == 0 ? -2 : (rank + i) % 4 == 1 ? 0.5 : 1.5;
    } else if (op == MAX || op == MIN) {
        const quad big = b->size == 2 ? 65504 : b->size == 4 ? FLT_MAX : b->size == 8 ? DBL_MAX : LDBL_MAX;
        const quad tiny = b->size == 2   ? 0x1p-24
                          : b->size == 4 ? FLT_TRUE_MIN
                          : b->size == 8 ? DBL_TRUE_MIN
                                         : LDBL_TRUE_MIN;
        const quad values[] = {big, -big, tiny, -tiny, 1, -1, 0, __builtin_inf(), -__builtin_inf(), 0.25};
        w.re = values[(rank * 3 + i) % 10];
    }
    return basic_wrap(b, w);
}

static struct wide value(const struct basic *b, enum operator op, int rank, int i)
{
    if (op == LAND || op == LOR || op == LXOR)
        return logical_value(b, op, rank, i);
    return basic_is_float(b->kind) ? float_value(b, op, rank, i) : integer_value(b, op, rank, i);
}

static struct wide combine(const struct basic *b, enum operator op, struct wide x, struct wide y)
{
    struct wide r = {0, 0, 0};
    bool real = basic_is_float(b->kind);
    switch (op) {
    case MAX:
        return real ? (x.re > y.re ? x : y) : (x.i > y.i ? x : y);
    case MIN:
        return real ? (x.re < y.re ? x : y) : (x.i < y.i ? x : y);
    case SUM:
        r = (struct wide){(__int128)((unsigned __int128)x.i + (unsigned __int128)y.i), x.re + y.re, x.im + y.im};
        break;
    case PROD:
        r = (struct wide){(__int128)((unsigned __int128)x.i * (unsigned __int128)y.i), x.re * y.re - x.im * y.im,
                          x.re * y.im + x.im * y.re};
        break;
    case LAND:
        r.i = x.i && y.i;
        break;
    case LOR:
        r.i = x.i || y.i;
        break;
    case LXOR:
        r.i = !x.i != !y.i;
        break;
    case BAND:
        r.i = x.i & y.i;
        break;
    case BOR:
        r.i = x.i | y.i;
        break;
    default:
        r.i = x.i ^ y.i;
        break;
    }
    return basic_wrap(b, r);
}

static void fill(const struct basic *b, enum operator op, int rank, void *buf, int first, int n)
{
    for (int i = 0; i < n; i++)
        basic_store(b, buf, i, value(b, op, rank, first + i));
}

/* Elements first..first+n-1 of the combination of ranks 0..last. */
static void verify(const struct basic *b, enum operator op, int last, const void *buf, int first, int n,
                   const char *where)
{
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        struct wide want = value(b, op, 0, first + i), got = basic_load(b, buf, i);
        for (int r = 1; r <= last; r++)
            want = combine(b, op, want, value(b, op, r, first + i));
        bool logical = op == LAND || op == LOR || op == LXOR;
        if (b->kind == LOGICAL || (logical && last == 0)) { /* .TRUE. may be any value; one operand stays as it is */
            got.i = got.i != 0;
            want.i = want.i != 0;
        }
        wrong += got.i != want.i || got.re != want.re || got.im != want.im;
    }
    CHECK_NOTED(wrong == 0, "%s of MPI_%s on %s: %d of %d elements wrong", where, names[op], b->name, wrong, n);
}

static void reductions(const struct basic *b, enum operator op, MPI_Op mpi_op, int turn)
{
    int p = check_size, rank = check_rank, root = turn % p, bytes = basic_bytes(b);
    char *in = check_alloc((size_t)bytes * (N + 1) * p, 0), *out = check_alloc((size_t)bytes * (N + 1) * p, 0);
    char *a = in + bytes, *r = out + bytes; /* one element off the alignment that malloc gives */

    fill(b, op, rank, a, 0, N);
    check_wipe(r, (size_t)bytes * N);
    CHECK_OK(MPI_Allreduce(a, r, N, b->type, mpi_op, MPI_COMM_WORLD));
    verify(b, op, p - 1, r, 0, N, "allreduce");
    fill(b, op, rank, r, 0, N);
    CHECK_OK(MPI_Allreduce(MPI_IN_PLACE, r, N, b->type, mpi_op, MPI_COMM_WORLD));
    verify(b, op, p - 1, r, 0, N, "allreduce in place");

    check_wipe(r, (size_t)bytes * N);
    CHECK_OK(MPI_Reduce(a, r, N, b->type, mpi_op, root, MPI_COMM_WORLD));
    if (rank == root)
        verify(b, op, p - 1, r, 0, N, "reduce");
    check_wipe(r, (size_t)bytes * N);
    CHECK_OK(MPI_Scan(a, r, N, b->type, mpi_op, MPI_COMM_WORLD));
    verify(b, op, rank, r, 0, N, "scan");
    check_wipe(r, (size_t)bytes * N);
    CHECK_OK(MPI_Exscan(a, r, N, b->type, mpi_op, MPI_COMM_WORLD));
    if (rank > 0)
        verify(b, op, rank - 1, r, 0, N, "exscan");

    fill(b, op, rank, a, 0, 5 * p);
    check_wipe(r, (size_t)bytes * N);
    CHECK_OK(MPI_Reduce_scatter_block(a, r, 5, b->type, mpi_op, MPI_COMM_WORLD));
    verify(b, op, p - 1, r, 5 * rank, 5, "reduce_scatter_block");
    free(in);
    free(out);
}

/* All lengths up to N, without communication: every tail of every vector width. */
static void locally(const struct basic *b, enum operator op, MPI_Op mpi_op)
{
    int bytes = basic_bytes(b);
    char *in = check_alloc((size_t)bytes * (N + 4), 0), *out = check_alloc((size_t)bytes * (N + 4), 0);
    char mark[64];
    memset(mark, 0x7b, sizeof mark);
    for (int n = 0; n <= N; n++) {
        char *a = in + bytes * (n % 3), *r = out + bytes * (n % 2);
        int wrong = 0;
        fill(b, op, 0, a, 0, n);
        fill(b, op, 1, r, 0, n);
        memcpy(r + bytes * n, mark, bytes);
        CHECK_OK(MPI_Reduce_local(a, r, n, b->type, mpi_op));
        for (int i = 0; i < n; i++) {
            struct wide want = combine(b, op, value(b, op, 0, i), value(b, op, 1, i)), got = basic_load(b, r, i);
            wrong += b->kind == LOGICAL ? !got.i != !want.i : got.i != want.i || got.re != want.re || got.im != want.im;
        }
        CHECK_NOTED(wrong == 0 && memcmp(r + bytes * n, mark, bytes) == 0,
                    "reduce_local of %d, MPI_%s on %s: %d wrong, or the byte after it", n, names[op], b->name, wrong);
    }
    free(in);
    free(out);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    const MPI_Op ops[NOPS] = {MPI_MAX, MPI_MIN,  MPI_SUM,  MPI_PROD, MPI_LAND,
                              MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR,  MPI_BXOR};
    int ntypes, turn = 0;
    const struct basic *types = basic_types(&ntypes);
    for (int t = 0; t < ntypes; t++) {
        int size;
        CHECK_OK(MPI_Type_size(types[t].type, &size));
        CHECK_NOTED(size == basic_bytes(&types[t]), "size of %s is %d", types[t].name, size);
        for (int op = 0; op < NOPS; op++)
            if (allowed(op, types[t].kind)) {
                reductions(&types[t], op, ops[op], turn++);
                if (t % check_size == check_rank)
                    locally(&types[t], op, ops[op]);
            }
    }
    return check_end();
}
