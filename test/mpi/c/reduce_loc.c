/* MINLOC and MAXLOC on all nine pair types: values at the extremes, ties won by the smaller index (MPI-5.0 section
 * 6.9.4), through all reductions.
 *
 * np: 1 2 3 4 5 7 8
 */
#include "check.h"
#include <float.h>
#include <limits.h>

#define N 29

/* Every pair type, by the places of its two members. */
struct pair_type {
    const char *name;
    MPI_Datatype type;
    size_t extent, size;
    void (*store)(void *p, long double value, int index);
    void (*load)(const void *p, long double *value, int *index);
    long double low, high;
};

#define PAIR(tag, vtype, itype)                                                                                        \
    struct tag {                                                                                                       \
        vtype value;                                                                                                   \
        itype index;                                                                                                   \
    };                                                                                                                 \
    static void store_##tag(void *p, long double value, int index)                                                     \
    {                                                                                                                  \
        ((struct tag *)p)->value = (vtype)value;                                                                       \
        ((struct tag *)p)->index = (itype)index;                                                                       \
    }                                                                                                                  \
    static void load_##tag(const void *p, long double *value, int *index)                                              \
    {                                                                                                                  \
        *value = (long double)((const struct tag *)p)->value;                                                          \
        *index = (int)((const struct tag *)p)->index;                                                                  \
    }
PAIR(float_int, float, int)
PAIR(double_int, double, int)
PAIR(long_int, long, int)
PAIR(int_int, int, int)
PAIR(short_int, short, int)
PAIR(long_double_int, long double, int)
PAIR(float_float, float, float)
PAIR(double_double, double, double)

#define ROW(type, tag, vtype, itype, low, high)                                                                        \
    {                                                                                                                  \
#type, type, sizeof(struct tag), sizeof(vtype) + sizeof(itype), store_##tag, load_##tag, low, high             \
    }

static long double value(const struct pair_type *t, int rank, int i)
{
    const long double values[] = {0, 1, -1, t->high, t->low, 7, 7, t->high};
    return i % 4 == 0 ? 5 : values[(rank * (i % 5 + 1) + i) % 8]; /* i % 4 == 0: a tie of all ranks */
}

static int location(int rank, int i)
{
    return i % 3 == 0 ? check_size - rank : i % 3 == 1 ? rank : (rank * 5 + i) % 3;
}

static void expected(const struct pair_type *t, bool max, int last, int i, long double *v, int *index)
{
    *v = value(t, 0, i);
    *index = location(0, i);
    for (int r = 1; r <= last; r++) {
        long double w = value(t, r, i);
        if (w == *v)
            *index = location(r, i) < *index ? location(r, i) : *index;
        else if (max ? w > *v : w < *v) {
            *v = w;
            *index = location(r, i);
        }
    }
}

static void fill(const struct pair_type *t, int rank, char *buf, int n)
{
    for (int i = 0; i < n; i++)
        t->store(buf + i * t->extent, value(t, rank, i), location(rank, i));
}

static void verify(const struct pair_type *t, bool max, int last, const char *buf, int first, int n, const char *where)
{
    for (int i = 0; i < n; i++) {
        long double got, want;
        int at, want_at;
        t->load(buf + i * t->extent, &got, &at);
        expected(t, max, last, first + i, &want, &want_at);
        CHECK_NOTED(got == want && at == want_at, "%s %s of %s, element %d: (%Lg, %d), not (%Lg, %d)", where,
                    max ? "MAXLOC" : "MINLOC", t->name, first + i, got, at, want, want_at);
    }
}

static void reductions(const struct pair_type *t, bool max)
{
    MPI_Op op = max ? MPI_MAXLOC : MPI_MINLOC;
    int p = check_size, rank = check_rank, n = N > 3 * p ? N : 3 * p;
    char *a = check_alloc(t->extent * n, 0), *r = check_alloc(t->extent * n, 0);
    fill(t, rank, a, n);
    check_wipe(r, t->extent * n);
    CHECK_OK(MPI_Allreduce(a, r, n, t->type, op, MPI_COMM_WORLD));
    verify(t, max, p - 1, r, 0, n, "allreduce");
    fill(t, rank, r, n);
    CHECK_OK(MPI_Allreduce(MPI_IN_PLACE, r, n, t->type, op, MPI_COMM_WORLD));
    verify(t, max, p - 1, r, 0, n, "allreduce in place");
    for (int root = 0; root < p; root++) {
        check_wipe(r, t->extent * n);
        CHECK_OK(MPI_Reduce(a, r, n, t->type, op, root, MPI_COMM_WORLD));
        if (rank == root)
            verify(t, max, p - 1, r, 0, n, "reduce");
    }
    check_wipe(r, t->extent * n);
    CHECK_OK(MPI_Scan(a, r, n, t->type, op, MPI_COMM_WORLD));
    verify(t, max, rank, r, 0, n, "scan");
    check_wipe(r, t->extent * n);
    CHECK_OK(MPI_Exscan(a, r, n, t->type, op, MPI_COMM_WORLD));
    if (rank)
        verify(t, max, rank - 1, r, 0, n, "exscan");
    check_wipe(r, t->extent * n);
    CHECK_OK(MPI_Reduce_scatter_block(a, r, 3, t->type, op, MPI_COMM_WORLD));
    verify(t, max, p - 1, r, 3 * rank, 3, "reduce_scatter_block");
    if (p > 1) {
        fill(t, 0, a, n);
        fill(t, 1, r, n);
        CHECK_OK(MPI_Reduce_local(a, r, n, t->type, op));
        verify(t, max, 1, r, 0, n, "reduce_local");
    }
    free(a);
    free(r);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    const struct pair_type types[] = {
        ROW(MPI_FLOAT_INT, float_int, float, int, -FLT_MAX, FLT_MAX),
        ROW(MPI_DOUBLE_INT, double_int, double, int, -DBL_MAX, DBL_MAX),
        ROW(MPI_LONG_INT, long_int, long, int, LONG_MIN, LONG_MAX),
        ROW(MPI_2INT, int_int, int, int, INT_MIN, INT_MAX),
        ROW(MPI_SHORT_INT, short_int, short, int, SHRT_MIN, SHRT_MAX),
        ROW(MPI_LONG_DOUBLE_INT, long_double_int, long double, int, -LDBL_MAX, LDBL_MAX),
        ROW(MPI_2REAL, float_float, float, float, -FLT_MAX, FLT_MAX),
        ROW(MPI_2DOUBLE_PRECISION, double_double, double, double, -DBL_MAX, DBL_MAX),
        ROW(MPI_2INTEGER, int_int, int, int, INT_MIN, INT_MAX),
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        MPI_Aint lb, extent;
        int size;
        if (types[i].type == MPI_DATATYPE_NULL)
            continue;
        CHECK_OK(MPI_Type_get_extent(types[i].type, &lb, &extent));
        CHECK_OK(MPI_Type_size(types[i].type, &size));
        CHECK_NOTED(lb == 0 && extent == (MPI_Aint)types[i].extent, "%s: lb %ld, extent %ld, not %zu", types[i].name,
                    (long)lb, (long)extent, types[i].extent);
        CHECK_NOTED(size == (int)types[i].size, "%s: size %d, not %zu", types[i].name, size, types[i].size);
        reductions(&types[i], false);
        reductions(&types[i], true);
    }
    return check_end();
}
