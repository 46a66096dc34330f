/* The operators that are measured: a sum and a maximum of doubles, a user's operator that does not commute, and
 * MPI_MINLOC on values with their place.  All values are small integers, so results are exact in any order of
 * combination that the operator allows.
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
    /* The hole after the int is zeroed, so that whole elements can be compared. */
    memset(at, 0, sizeof(struct place));
    ((struct place *)at)->value = (double)((5L * rank + index) % 7);
    ((struct place *)at)->rank = rank;
}

static void smaller(void *so_far, const void *next)
{
    if (((const struct place *)next)->value < ((struct place *)so_far)->value)
        memcpy(so_far, next, sizeof(struct place));
}

int operator_find(struct operator* o, const char *name)
{
    if (!strcmp(name, "sum")) {
        *o = (struct operator){"sum", MPI_SUM, MPI_DOUBLE, sizeof(double), number, add};
    } else if (!strcmp(name, "max")) {
        *o = (struct operator){"max", MPI_MAX, MPI_DOUBLE, sizeof(double), number, larger};
    } else if (!strcmp(name, "minloc")) {
        *o = (struct operator){"minloc", MPI_MINLOC, MPI_DOUBLE_INT, sizeof(struct place), placed, smaller};
    } else if (!strcmp(name, "user")) {
        *o = (struct operator){"user", MPI_OP_NULL, MPI_DATATYPE_NULL, sizeof(struct affine), map, then};
        MPI_Op_create(user_function, 0, &o->op);
        MPI_Type_contiguous(2, MPI_DOUBLE, &o->type);
        MPI_Type_commit(&o->type);
    } else {
        return -1;
    }
    return 0;
}

void operator_free(struct operator* o)
{
    if (strcmp(o->name, "user"))
        return;
    MPI_Op_free(&o->op);
    MPI_Type_free(&o->type);
}
