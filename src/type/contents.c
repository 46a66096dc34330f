/* contents.c - a datatype's recipe: its blocks, and what MPI_Type_get_envelope and MPI_Type_get_contents say of it.
 */
#include "type/contents.h"

#include "type/construct.h"

struct tf_blocks tf_type_blocks(const struct tf_type *type)
{
    static const MPI_Count one = 1;
    const struct tf_type_contents *contents = type->contents;
    const MPI_Count *args = contents->args;
    struct tf_blocks blocks = {1, .lengths = &one, .children = contents->types, .unit = 1};

    switch (contents->combiner) {
    case MPI_COMBINER_NAMED:
        blocks.n = contents->ntypes;
        blocks.many_children = -1;
        if (blocks.n > 1)
            blocks.stride = type->true_extent - contents->types[1]->size; /* a pair ends with its index */
        return blocks;
    case MPI_COMBINER_CONTIGUOUS:
        blocks.lengths = args;
        return blocks;
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
        blocks.lengths = args + 1;
        blocks.stride = args[2];
        break;
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_STRUCT:
        blocks.lengths = args + 1;
        blocks.units = args + 1 + args[0];
        blocks.many_lengths = -!contents->equal_lengths;
        blocks.many_children = -(contents->combiner == MPI_COMBINER_STRUCT);
        break;
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
        blocks.lengths = args + 1;
        blocks.units = args + 2;
        break;
    default: /* dup, resized, and what has an inner type */
        if (contents->inner)
            blocks.children = &contents->inner;
        return blocks;
    }
    blocks.n = args[0];
    if (contents->combiner == MPI_COMBINER_VECTOR || contents->combiner == MPI_COMBINER_INDEXED ||
        contents->combiner == MPI_COMBINER_INDEXED_BLOCK)
        blocks.unit = contents->types[0]->extent;
    return blocks;
}

MPI_Count tf_type_nblocks(const struct tf_type *type)
{
    return tf_type_blocks(type).n;
}

bool tf_type_block(const struct tf_type *type, MPI_Count i, struct tf_block *block)
{
    struct tf_blocks blocks = tf_type_blocks(type);
    return tf_blocks_get(&blocks, i, block);
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
