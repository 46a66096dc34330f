/* construct.c - the constructors of derived datatypes: the arguments are kept as they came (contents.h), the rest
 * follows from them.
 */
#include "type/construct.h"
#include "object/attr.h"
#include "type/contents.h"

#define MOST_BLOCKS (INT64_MAX / 64)

static int too_many_blocks(MPI_Count count)
{
    return tf_error(MPI_ERR_COUNT, "count is %lld; a datatype of so many blocks cannot be kept", (long long)count);
}

struct tf_type *tf_type_begin(int combiner, MPI_Count nargs, MPI_Count ntypes)
{
    size_t args_bytes, types_bytes, bytes = sizeof(struct tf_type_contents);
    if (__builtin_mul_overflow(nargs, sizeof(MPI_Count), &args_bytes) ||
        __builtin_mul_overflow(ntypes, sizeof(struct tf_type *), &types_bytes) ||
        __builtin_add_overflow(bytes, args_bytes, &bytes) || __builtin_add_overflow(bytes, types_bytes, &bytes)) {
        tf_error(MPI_ERR_NO_MEM, "cannot keep %lld arguments of a datatype", (long long)nargs);
        return NULL;
    }
    struct tf_type_contents *contents = tf_alloc(bytes, "the arguments of a datatype");
    struct tf_type *type = contents ? tf_pool_take(&tf_type_pool) : NULL;
    if (!type) {
        free(contents);
        return NULL;
    }
    *contents = (struct tf_type_contents){.combiner = combiner, .handles = 1, .nargs = nargs, .ntypes = ntypes};
    contents->args = (MPI_Count *)(contents + 1);
    contents->types = (struct tf_type **)(contents->args + nargs);
    memset(contents->types, 0, types_bytes);
    type->contents = contents;
    static uint64_t latest;
    type->number = ++latest;
    return type;
}

/* From the arguments and types that are now in place to a finished type. */
int tf_type_finish(struct tf_type *type, int err, MPI_Datatype *newtype)
{
    if (!err)
        err = tf_type_measure(type);
    if (err) {
        tf_type_release(type);
        return err;
    }
    *newtype = (MPI_Datatype)(uintptr_t)type->obj.handle;
    return MPI_SUCCESS;
}

struct tf_type *tf_type_begin_from(struct tf_type *oldtype, int combiner, MPI_Count nargs)
{
    struct tf_type *type = tf_type_begin(combiner, nargs, 1);
    if (type) {
        type->contents->types[0] = oldtype;
        tf_type_retain(oldtype);
    }
    return type;
}

/* In the large form all arguments are large counts; in the plain one those from `first_address` on are addresses. */
static void set_form(struct tf_type *type, bool large, MPI_Count first_address)
{
    type->contents->large = large;
    type->contents->wide = large ? 0 : first_address;
    type->contents->nwide = type->contents->nargs - type->contents->wide;
}

/* A type whose arguments are a few numbers. */
static int construct(int combiner, MPI_Count nargs, const MPI_Count *args, MPI_Count first_address, bool large,
                     struct tf_type *oldtype, MPI_Datatype *newtype)
{
    struct tf_type *type = tf_type_begin_from(oldtype, combiner, nargs);
    if (!type)
        return MPI_ERR_NO_MEM;
    set_form(type, large, first_address);
    for (MPI_Count i = 0; i < nargs; i++)
        type->contents->args[i] = args[i];
    return tf_type_finish(type, MPI_SUCCESS, newtype);
}

int tf_type_contiguous(MPI_Count count, struct tf_type *oldtype, MPI_Datatype *newtype, bool large)
{
    return construct(MPI_COMBINER_CONTIGUOUS, 1, &count, 1, large, oldtype, newtype);
}

int tf_type_vector(MPI_Count count, MPI_Count blocklength, MPI_Count stride, struct tf_type *oldtype,
                   MPI_Datatype *newtype, bool large)
{
    MPI_Count args[] = {count, blocklength, stride};
    return construct(MPI_COMBINER_VECTOR, 3, args, 3, large, oldtype, newtype);
}

int tf_type_create_hvector(MPI_Count count, MPI_Count blocklength, MPI_Count stride, struct tf_type *oldtype,
                           MPI_Datatype *newtype, bool large)
{
    MPI_Count args[] = {count, blocklength, stride};
    return construct(MPI_COMBINER_HVECTOR, 3, args, 2, large, oldtype, newtype);
}

int tf_type_create_resized(struct tf_type *oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype *newtype, bool large)
{
    MPI_Count args[] = {lb, extent};
    return construct(MPI_COMBINER_RESIZED, 2, args, 0, large, oldtype, newtype);
}

/* n of them as MPI_Count. */
static void take_counts(MPI_Count *to, struct tf_counts counts, MPI_Count n)
{
    const MPI_Count *large = counts.array;
    const int *small = counts.array;
    if (counts.large)
        for (MPI_Count i = 0; i < n; i++)
            to[i] = large[i];
    else
        for (MPI_Count i = 0; i < n; i++)
            to[i] = small[i];
}

/* indexed and hindexed: count, block lengths, displacements. */
static int construct_indexed(int combiner, MPI_Count count, struct tf_counts blocklengths,
                             struct tf_counts displacements, struct tf_type *oldtype, MPI_Datatype *newtype, bool large)
{
    if (count > MOST_BLOCKS)
        return too_many_blocks(count);
    struct tf_type *type = tf_type_begin_from(oldtype, combiner, 1 + 2 * count);
    if (!type)
        return MPI_ERR_NO_MEM;
    set_form(type, large, combiner == MPI_COMBINER_INDEXED ? 1 + 2 * count : 1 + count);
    type->contents->args[0] = count;
    take_counts(type->contents->args + 1, blocklengths, count);
    take_counts(type->contents->args + 1 + count, displacements, count);
    return tf_type_finish(type, MPI_SUCCESS, newtype);
}

int tf_type_indexed(MPI_Count count, struct tf_counts blocklengths, struct tf_counts displacements,
                    struct tf_type *oldtype, MPI_Datatype *newtype, bool large)
{
    return construct_indexed(MPI_COMBINER_INDEXED, count, blocklengths, displacements, oldtype, newtype, large);
}

int tf_type_create_hindexed(MPI_Count count, struct tf_counts blocklengths, struct tf_counts displacements,
                            struct tf_type *oldtype, MPI_Datatype *newtype, bool large)
{
    return construct_indexed(MPI_COMBINER_HINDEXED, count, blocklengths, displacements, oldtype, newtype, large);
}

/* indexed_block and hindexed_block: count, block length, displacements. */
static int construct_blocks(int combiner, MPI_Count count, MPI_Count blocklength, struct tf_counts displacements,
                            struct tf_type *oldtype, MPI_Datatype *newtype, bool large)
{
    if (count > MOST_BLOCKS)
        return too_many_blocks(count);
    struct tf_type *type = tf_type_begin_from(oldtype, combiner, 2 + count);
    if (!type)
        return MPI_ERR_NO_MEM;
    set_form(type, large, combiner == MPI_COMBINER_INDEXED_BLOCK ? 2 + count : 2);
    type->contents->args[0] = count;
    type->contents->args[1] = blocklength;
    take_counts(type->contents->args + 2, displacements, count);
    return tf_type_finish(type, MPI_SUCCESS, newtype);
}

int tf_type_create_indexed_block(MPI_Count count, MPI_Count blocklength, struct tf_counts displacements,
                                 struct tf_type *oldtype, MPI_Datatype *newtype, bool large)
{
    return construct_blocks(MPI_COMBINER_INDEXED_BLOCK, count, blocklength, displacements, oldtype, newtype, large);
}

int tf_type_create_hindexed_block(MPI_Count count, MPI_Count blocklength, struct tf_counts displacements,
                                  struct tf_type *oldtype, MPI_Datatype *newtype, bool large)
{
    return construct_blocks(MPI_COMBINER_HINDEXED_BLOCK, count, blocklength, displacements, oldtype, newtype, large);
}

static int take_types(struct tf_type *type, const MPI_Datatype *types)
{
    for (MPI_Count i = 0; i < type->contents->ntypes; i++) {
        struct tf_type *child = tf_type_find(types[i]);
        if (!child)
            return tf_error(MPI_ERR_TYPE, "array_of_types[%lld] is %s", (long long)i,
                            tf_handle_describe(&tf_type_pool, (uintptr_t)types[i]));
        type->contents->types[i] = child;
        tf_type_retain(child);
    }
    return MPI_SUCCESS;
}

int tf_type_create_struct(MPI_Count count, struct tf_counts blocklengths, struct tf_counts displacements,
                          const MPI_Datatype *types, MPI_Datatype *newtype, bool large)
{
    if (count > MOST_BLOCKS)
        return too_many_blocks(count);
    struct tf_type *type = tf_type_begin(MPI_COMBINER_STRUCT, 1 + 2 * count, count);
    if (!type)
        return MPI_ERR_NO_MEM;
    set_form(type, large, 1 + count);
    type->contents->args[0] = count;
    take_counts(type->contents->args + 1, blocklengths, count);
    take_counts(type->contents->args + 1 + count, displacements, count);
    return tf_type_finish(type, take_types(type, types), newtype);
}

int tf_type_dup(struct tf_type *oldtype, MPI_Datatype *newtype)
{
    MPI_Datatype handle;
    int err = construct(MPI_COMBINER_DUP, 0, NULL, 0, false, oldtype, &handle);
    *newtype = MPI_DATATYPE_NULL; /* after an error too, as of a copy function: other MPI libraries have it so */
    if (err)
        return err;
    struct tf_type *type = tf_type_find(handle);
    type->basic = oldtype->basic;
    if (oldtype->committed)
        err = tf_type_commit(type);
    if (!err)
        err = tf_attrs_copy(oldtype->attrs, oldtype->obj.handle, &type->attrs, type->obj.handle);
    if (err) {
        tf_type_release(type);
        return err;
    }
    *newtype = handle;
    return MPI_SUCCESS;
}
