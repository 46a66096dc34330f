/* contents.c - a datatype's recipe: its blocks, and what MPI_Type_get_envelope and MPI_Type_get_contents say of it.
 */
#include "type/contents.h"

#include "type/construct.h"

MPI_Count tf_type_nblocks(const struct tf_type *type)
{
    const struct tf_type_contents *contents = type->contents;
    switch (contents->combiner) {
    case MPI_COMBINER_NAMED:
        return contents->ntypes;
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
    case MPI_COMBINER_STRUCT:
        return contents->args[0];
    default:
        return 1;
    }
}

bool tf_type_block(const struct tf_type *type, MPI_Count i, struct tf_block *block)
{
    const struct tf_type_contents *contents = type->contents;
    const MPI_Count *args = contents->args;
    struct tf_type *child = contents->inner ? contents->inner : contents->types[0];
    MPI_Count n, count = 1, factor = 1, units = 0;

    switch (contents->combiner) {
    case MPI_COMBINER_NAMED:
        child = contents->types[i];
        units = i == 0 ? 0 : type->true_extent - child->size; /* a pair ends with its index */
        break;
    case MPI_COMBINER_CONTIGUOUS:
        count = args[0];
        break;
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
        count = args[1];
        if (contents->combiner == MPI_COMBINER_VECTOR)
            factor = child->extent;
        if (__builtin_mul_overflow(i, args[2], &units))
            return false;
        break;
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_STRUCT:
        n = args[0];
        count = args[1 + i];
        units = args[1 + n + i];
        if (contents->combiner == MPI_COMBINER_INDEXED)
            factor = child->extent;
        if (contents->combiner == MPI_COMBINER_STRUCT)
            child = contents->types[i];
        break;
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
        count = args[1];
        units = args[2 + i];
        if (contents->combiner == MPI_COMBINER_INDEXED_BLOCK)
            factor = child->extent;
        break;
    default: /* dup, resized, and what has an inner type */
        break;
    }
    MPI_Count offset;
    if (__builtin_mul_overflow(units, factor, &offset))
        return false;
    *block = (struct tf_block){offset, count, child};
    return true;
}

int tf_type_get_envelope(const struct tf_type *type, MPI_Count *num_integers, MPI_Count *num_addresses,
                         MPI_Count *num_large_counts, MPI_Count *num_datatypes, int *combiner)
{
    const struct tf_type_contents *contents = type->contents;
    MPI_Count large = contents->large ? contents->nwide : 0;

    if (!num_large_counts && large > 0)
        return tf_error(MPI_ERR_TYPE,
                        "datatype is %s made by a large-count procedure: only MPI_Type_get_envelope_c can describe it",
                        tf_type_describe(type));
    *num_integers = contents->nargs - contents->nwide;
    *num_addresses = contents->large ? 0 : contents->nwide;
    if (num_large_counts)
        *num_large_counts = large;
    *num_datatypes = contents->combiner == MPI_COMBINER_NAMED ? 0 : contents->ntypes;
    *combiner = contents->combiner;
    return MPI_SUCCESS;
}

MPI_Datatype tf_type_share(struct tf_type *type)
{
    tf_type_retain(type);
    type->contents->handles++;
    return (MPI_Datatype)(uintptr_t)type->obj.handle;
}

/* An array of the user, array_of_<what>, has room for `max` elements, max_<what>; `needed` would be written. */
static int check_room(const char *what, const void *array, MPI_Count max, MPI_Count needed)
{
    if (max < needed)
        return tf_error(MPI_ERR_ARG, "max_%s is %lld; the datatype's contents need %lld", what, (long long)max,
                        (long long)needed);
    if (!array && max > 0)
        return tf_error(MPI_ERR_ARG, "array_of_%s is a null pointer, but max_%s is %lld", what, what, (long long)max);
    return MPI_SUCCESS;
}

int tf_type_get_contents(struct tf_type *type, MPI_Count max_integers, MPI_Count max_addresses,
                         MPI_Count max_large_counts, MPI_Count max_datatypes, int *integers, MPI_Aint *addresses,
                         MPI_Count *large_counts, MPI_Datatype *datatypes)
{
    const struct tf_type_contents *contents = type->contents;
    MPI_Count end = contents->wide + contents->nwide;

    if (contents->combiner == MPI_COMBINER_NAMED)
        return tf_error(MPI_ERR_TYPE, "datatype is %s, which is predefined: it has no contents", contents->name);
    if (max_large_counts == TF_NO_LARGE_COUNTS && contents->large && contents->nwide > 0)
        return tf_error(MPI_ERR_TYPE,
                        "datatype is %s made by a large-count procedure: only MPI_Type_get_contents_c can describe it",
                        tf_type_describe(type));
    int err = check_room("integers", integers, max_integers, contents->nargs - contents->nwide);
    if (!err)
        err = check_room("addresses", addresses, max_addresses, contents->large ? 0 : contents->nwide);
    if (!err && max_large_counts != TF_NO_LARGE_COUNTS)
        err = check_room("large_counts", large_counts, max_large_counts, contents->large ? contents->nwide : 0);
    if (!err)
        err = check_room("datatypes", datatypes, max_datatypes, contents->ntypes);
    if (err)
        return err;

    for (MPI_Count i = 0; i < contents->nargs; i++) {
        if (i < contents->wide || i >= end)
            *integers++ = contents->args[i];
        else if (contents->large)
            *large_counts++ = contents->args[i];
        else
            *addresses++ = contents->args[i];
    }
    for (MPI_Count i = 0; i < contents->ntypes; i++)
        datatypes[i] = tf_type_share(contents->types[i]);
    return MPI_SUCCESS;
}
