/* represent.c - a datatype made again of elements of another size. */
#include "type/represent.h"

#include "type/construct.h"
#include "type/contents.h"

struct making {
    tf_type_sizer *size_of;
    void *context;
};

static int make(const struct making *making, struct tf_type *type, struct tf_type **made);

static int found(int err, MPI_Datatype handle, struct tf_type **made)
{
    if (!err)
        *made = tf_type_find(handle);
    return err;
}

static int make_basic(const struct making *making, struct tf_type *type, struct tf_type **made)
{
    MPI_Count bytes;
    MPI_Datatype handle = MPI_DATATYPE_NULL;
    int err = making->size_of(making->context, type, &bytes);
    if (!err)
        err = tf_type_contiguous(bytes, tf_type_find(MPI_BYTE), &handle, true);
    return found(err, handle, made);
}

/* The same arguments with those children. */
static int make_like(const struct tf_type *type, struct tf_type **children, struct tf_type **made)
{
    const struct tf_type_contents *from = type->contents;
    MPI_Datatype handle = MPI_DATATYPE_NULL;
    struct tf_type *like = tf_type_begin(from->combiner, from->nargs, from->ntypes);
    if (!like)
        return MPI_ERR_NO_MEM;
    struct tf_type_contents *to = like->contents;
    to->large = from->large;
    to->wide = from->wide;
    to->nwide = from->nwide;
    memcpy(to->args, from->args, (size_t)from->nargs * sizeof *to->args);
    for (MPI_Count i = 0; i < from->ntypes; i++) {
        tf_type_retain(children[i]);
        to->types[i] = children[i];
    }
    int err = tf_type_finish(like, MPI_SUCCESS, &handle);
    return found(err, handle, made);
}

/* What the constructors of arrays work out of extents is worked out again. */
static int make_subarray(const struct tf_type *type, struct tf_type *child, struct tf_type **made)
{
    const MPI_Count *args = type->contents->args;
    MPI_Count n = args[0];
    MPI_Datatype handle = MPI_DATATYPE_NULL;
    struct tf_counts sizes = {args + 1, true}, subsizes = {args + 1 + n, true}, starts = {args + 1 + 2 * n, true};
    int err = tf_type_create_subarray((int)n, sizes, subsizes, starts, (int)args[1 + 3 * n], child, &handle, true);
    return found(err, handle, made);
}

static int make_darray(const struct tf_type *type, struct tf_type *child, struct tf_type **made)
{
    const MPI_Count *args = type->contents->args;
    MPI_Count n = args[2];
    MPI_Datatype handle = MPI_DATATYPE_NULL;
    int *ints = tf_alloc(3 * (size_t)n * sizeof *ints, "the distribution of an array");
    if (!ints)
        return MPI_ERR_NO_MEM;
    for (MPI_Count i = 0; i < 3 * n; i++)
        ints[i] = (int)args[3 + n + i];
    int err = tf_type_create_darray((int)args[0], (int)args[1], (int)n, (struct tf_counts){args + 3, true}, ints,
                                    ints + n, ints + 2 * n, (int)args[3 + 4 * n], child, &handle, true);
    free(ints);
    return found(err, handle, made);
}

static int make_of(const struct tf_type *type, struct tf_type **children, struct tf_type **made)
{
    switch (type->contents->combiner) {
    case MPI_COMBINER_SUBARRAY:
        return make_subarray(type, children[0], made);
    case MPI_COMBINER_DARRAY:
        return make_darray(type, children[0], made);
    default:
        return make_like(type, children, made);
    }
}

static int make_derived(const struct making *making, struct tf_type *type, struct tf_type **made)
{
    struct tf_type_contents *contents = type->contents;
    MPI_Count n = contents->ntypes, known = 0;
    struct tf_type **children = tf_alloc((size_t)n * sizeof *children + 1, "the parts of a datatype");
    int err = children ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    while (known < n && !err)
        if (!(err = make(making, contents->types[known], &children[known])))
            known++;
    if (!err)
        err = make_of(type, children, made);
    while (known > 0)
        tf_type_release(children[--known]);
    free(children);
    return err;
}

static int make(const struct making *making, struct tf_type *type, struct tf_type **made)
{
    int combiner = type->contents->combiner;
    if (tf_type_is_marker(type)) {
        *made = type;
        tf_type_retain(type);
        return MPI_SUCCESS;
    }
    if (combiner == MPI_COMBINER_NAMED)
        return make_basic(making, type, made);
    if (combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX ||
        combiner == MPI_COMBINER_F90_INTEGER)
        return make(making, type->contents->inner, made);
    return make_derived(making, type, made);
}

int tf_type_represent(struct tf_type *type, tf_type_sizer *size_of, void *context, struct tf_type **represented)
{
    struct tf_type *made = NULL;
    int err = make(&(struct making){size_of, context}, type, &made);
    if (!err && (err = tf_type_commit(made)))
        tf_type_release(made);
    if (!err)
        *represented = made;
    return err;
}
