/* The operators that are measured: a sum of doubles, plain and reproducible, a maximum, a user's operator that does not
 * commute, and MPI_MINLOC on values with their place.  All values are small integers, so results are exact in any order
 * of combination that the operator allows.
 */
#include "calls.h"

#include <string.h>

struct affine {
    double a, b;
};

struct place {
    double value;
    int rank;
};

/* Nothing is said about the hole after the int. */
enum { PLACE_DATA = offsetof(struct place, rank) + sizeof(int) };

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

static void user_function(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)type;
    struct affine *f = in, *g = inout;
    for (int i = 0; i < *len; i++)
        g[i] = compose(f[i], g[i]);
}

static void placed(void *at, int rank, long index)
{
    struct place *p = at;
    p->value = (double)((5L * rank + index) % 7);
    p->rank = rank;
}

static void smaller(void *so_far, const void *next)
{
    if (((const struct place *)next)->value < ((struct place *)so_far)->value)
        *(struct place *)so_far = *(const struct place *)next;
}

/* What Treefold promises of the bits of sums; other libraries do not know the hint. */
static void promise(const char *word)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "treefold_reproducible", word);
    MPI_Comm_set_info(MPI_COMM_WORLD, info);
    MPI_Info_free(&info);
}

int reduction_find(struct reduction *r, const char *name)
{
    if (!strcmp(name, "fixed") || !strcmp(name, "exact")) {
        *r = (struct reduction){name, MPI_SUM, MPI_DOUBLE, sizeof(double), sizeof(double), number, add};
        promise(name);
    } else if (!strcmp(name, "sum")) {
        *r = (struct reduction){"sum", MPI_SUM, MPI_DOUBLE, sizeof(double), sizeof(double), number, add};
    } else if (!strcmp(name, "max")) {
        *r = (struct reduction){"max", MPI_MAX, MPI_DOUBLE, sizeof(double), sizeof(double), number, larger};
    } else if (!strcmp(name, "minloc")) {
        *r =
            (struct reduction){"minloc", MPI_MINLOC, MPI_DOUBLE_INT, sizeof(struct place), PLACE_DATA, placed, smaller};
    } else if (!strcmp(name, "user")) {
        *r = (struct reduction){"user", MPI_OP_NULL, MPI_DATATYPE_NULL, sizeof(struct affine), sizeof(struct affine),
                                map,    then};
        MPI_Op_create(user_function, 0, &r->op);
        MPI_Type_contiguous(2, MPI_DOUBLE, &r->type);
        MPI_Type_commit(&r->type);
    } else {
        return -1;
    }
    return 0;
}

void reduction_free(struct reduction *r)
{
    if (!strcmp(r->name, "fixed") || !strcmp(r->name, "exact"))
        promise("no");
    if (strcmp(r->name, "user"))
        return;
    MPI_Op_free(&r->op);
    MPI_Type_free(&r->type);
}
