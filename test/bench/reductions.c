/* The operators that are measured: a sum of doubles, plain and reproducible, a maximum, a bitwise and a logical and,
 * two of a user's, one of which does not commute, and MPI_MINLOC and MPI_MAXLOC on values with their place.  All values
 * are small integers, so results are exact in any order of combination that the operator allows.
 */
#include "calls.h"

#include <stdint.h>
#include <string.h>

struct affine {
    double a, b;
};

static void number(void *at, int rank, long index)
{
    *(double *)at = (double)((7L * rank + 3 * index) % 11 + 1);
}

static void add(void *so_far, const void *next)
{
    *(double *)so_far += *(const double *)next;
}

static void larger(void *so_far, const void *next)
{
    if (*(const double *)next > *(double *)so_far)
        *(double *)so_far = *(const double *)next;
}

static void map(void *at, int rank, long index)
{
    struct affine f = {(rank + index) % 3 ? -1 : 1, (double)((rank + 2 * index) % 5)};
    *(struct affine *)at = f;
}

/* First f, then g. */
static struct affine compose(struct affine f, struct affine g)
{
    struct affine h = {g.a * f.a, g.a * f.b + g.b};
    return h;
}

static void then(void *so_far, const void *next)
{
    *(struct affine *)so_far = compose(*(struct affine *)so_far, *(const struct affine *)next);
}

static void bits(void *at, int rank, long index)
{
    *(uint64_t *)at = ~(UINT64_C(1) << (5 * rank + index) % 64);
}

static void both_bits(void *so_far, const void *next)
{
    *(uint64_t *)so_far &= *(const uint64_t *)next;
}

static void truth(void *at, int rank, long index)
{
    *(int *)at = (rank + index) % 5 != 0;
}

static void both(void *so_far, const void *next)
{
    *(int *)so_far = *(int *)so_far && *(const int *)next;
}

static void sum_function(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)type;
    double *x = in, *y = inout;
    for (int i = 0; i < *len; i++)
        y[i] += x[i];
}

static void user_function(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)type;
    struct affine *f = in, *g = inout;
    for (int i = 0; i < *len; i++)
        g[i] = compose(f[i], g[i]);
}

/* Of a pair type: what ranks contribute, the smaller and the larger of two; of equal ones the lower rank is first.
 * Nothing is said about a hole after the int. */
#define PAIR(name, T)                                                                                                  \
    struct name {                                                                                                      \
        T value;                                                                                                       \
        int rank;                                                                                                      \
    };                                                                                                                 \
    static void name##_place(void *at, int rank, long index)                                                           \
    {                                                                                                                  \
        struct name *p = at;                                                                                           \
        p->value = (T)((5L * rank + index) % 7);                                                                       \
        p->rank = rank;                                                                                                \
    }                                                                                                                  \
    static void name##_smaller(void *so_far, const void *next)                                                         \
    {                                                                                                                  \
        if (((const struct name *)next)->value < ((struct name *)so_far)->value)                                       \
            *(struct name *)so_far = *(const struct name *)next;                                                       \
    }                                                                                                                  \
    static void name##_larger(void *so_far, const void *next)                                                          \
    {                                                                                                                  \
        if (((const struct name *)next)->value > ((struct name *)so_far)->value)                                       \
            *(struct name *)so_far = *(const struct name *)next;                                                       \
    }
PAIR(double_int, double)
PAIR(float_int, float)
PAIR(long_int, long)
PAIR(two_int, int)
PAIR(short_int, short)
PAIR(long_double_int, long double)

#define PAIRS(words, name, type, value)                                                                                \
    {"minloc" words,  MPI_MINLOC,   type,          sizeof(struct name), value, offsetof(struct name, rank),            \
     PLACE_END(name), name##_place, name##_smaller},                                                                   \
    {                                                                                                                  \
        "maxloc" words, MPI_MAXLOC, type, sizeof(struct name), value, offsetof(struct name, rank), PLACE_END(name),    \
            name##_place, name##_larger                                                                                \
    }
#define PLACE_END(name) (offsetof(struct name, rank) + sizeof(int))

static void promise(const char *word)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "treefold_reproducible", word);
    MPI_Comm_set_info(MPI_COMM_WORLD, info);
    MPI_Info_free(&info);
}

static int find_predefined(struct reduction *r, const char *name)
{
    const struct reduction known[] = {
        {"sum", MPI_SUM, MPI_DOUBLE, sizeof(double), sizeof(double), 0, 0, number, add},
        {"fixed", MPI_SUM, MPI_DOUBLE, sizeof(double), sizeof(double), 0, 0, number, add},
        {"exact", MPI_SUM, MPI_DOUBLE, sizeof(double), sizeof(double), 0, 0, number, add},
        {"max", MPI_MAX, MPI_DOUBLE, sizeof(double), sizeof(double), 0, 0, number, larger},
        {"band", MPI_BAND, MPI_UINT64_T, sizeof(uint64_t), sizeof(uint64_t), 0, 0, bits, both_bits},
        {"land", MPI_LAND, MPI_INT, sizeof(int), sizeof(int), 0, 0, truth, both},
        PAIRS("", double_int, MPI_DOUBLE_INT, sizeof(double)),
        PAIRS(".float", float_int, MPI_FLOAT_INT, sizeof(float)),
        PAIRS(".long", long_int, MPI_LONG_INT, sizeof(long)),
        PAIRS(".int", two_int, MPI_2INT, sizeof(int)),
        PAIRS(".short", short_int, MPI_SHORT_INT, sizeof(short)),
        PAIRS(".longdouble", long_double_int, MPI_LONG_DOUBLE_INT, 10),
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!strcmp(known[i].name, name)) {
            *r = known[i];
            return 0;
        }
    return -1;
}

static int is_promised(const char *name)
{
    return !strcmp(name, "fixed") || !strcmp(name, "exact");
}

int reduction_find(struct reduction *r, const char *name)
{
    if (!strcmp(name, "user")) {
        *r = (struct reduction){
            "user", MPI_OP_NULL, MPI_DATATYPE_NULL, sizeof(struct affine), sizeof(struct affine), 0, 0, map, then};
        MPI_Op_create(user_function, 0, &r->op);
        MPI_Type_contiguous(2, MPI_DOUBLE, &r->type);
        MPI_Type_commit(&r->type);
        return 0;
    }
    if (!strcmp(name, "usersum")) {
        find_predefined(r, "sum");
        r->name = "usersum";
        return MPI_Op_create(sum_function, 1, &r->op) != MPI_SUCCESS;
    }
    if (is_promised(name))
        promise(name);
    return find_predefined(r, name);
}

void reduction_free(struct reduction *r)
{
    if (is_promised(r->name))
        promise("no");
    if (!strncmp(r->name, "user", 4))
        MPI_Op_free(&r->op);
    if (!strcmp(r->name, "user"))
        MPI_Type_free(&r->type);
}
