/* grid.c - parts of arrays of several dimensions: MPI_Type_create_subarray and MPI_Type_create_darray (MPI-5.0 sections
 * 5.1.3 and 5.1.4).
 *
 * Both are, dimension by dimension from the one that varies fastest, a list of blocks of indices:
 *
 *     t = oldtype at the place of the first index, row = extent(oldtype)
 *     for each dimension of n indices:  t = blocks of t, row apart, each block at its distance from the first;
 *                                       row = n * row
 *     t = resized(t, 0, row)
 */
#include "base/settings.h"
#include "type/construct.h"
#include "type/contents.h"

/* The indices of one dimension that are chosen: blocks of `length` indices, `step` apart, up to `end`. */
struct slice {
    MPI_Count size; /* of the whole dimension */
    MPI_Count first, length, step, end;
};

/* *type = the type that a constructor gave; the old one lives on in it. */
static void replace(struct tf_type **type, MPI_Datatype handle)
{
    tf_type_release(*type);
    *type = tf_type_find(handle);
}

static int does_not_fit(void)
{
    return tf_error(MPI_ERR_ARG, "the array does not fit 64 bits of addresses");
}

/* *type becomes n of itself, stride bytes apart. */
static int repeat(struct tf_type **type, MPI_Count n, MPI_Count stride)
{
    MPI_Datatype handle;
    if (n == 1)
        return MPI_SUCCESS;
    int err = tf_type_create_hvector(n, 1, stride, *type, &handle, true);
    if (!err)
        replace(type, handle);
    return err;
}

/* *type becomes itself, and `last` of `one`, row apart, at an offset. */
static int append(struct tf_type **type, struct tf_type *one, MPI_Count last, MPI_Count row, MPI_Count offset)
{
    MPI_Count at[2] = {0, offset}, lengths[2] = {1, 1};
    MPI_Datatype handle;
    tf_type_retain(one);
    int err = repeat(&one, last, row);
    if (!err) {
        MPI_Datatype parts[2] = {(MPI_Datatype)(uintptr_t)(*type)->obj.handle,
                                 (MPI_Datatype)(uintptr_t)one->obj.handle};
        err = tf_type_create_struct(2, (struct tf_counts){lengths, true}, (struct tf_counts){at, true}, parts, &handle,
                                    true);
    }
    if (!err)
        replace(type, handle);
    tf_type_release(one);
    return err;
}

/* The whole blocks, and what is left of the last one. */
static int add_dimension(struct tf_type **type, const struct slice *s, MPI_Count row)
{
    MPI_Count left = s->end > s->first ? s->end - s->first : 0;
    MPI_Count length = s->length < left ? s->length : left, whole = left / s->step, rest = left % s->step, step, end;
    if (rest >= length && rest > 0)
        whole++, rest = 0;
    if (__builtin_mul_overflow(s->step, row, &step) || __builtin_mul_overflow(whole, step, &end))
        return does_not_fit();

    struct tf_type *one = *type;
    tf_type_retain(one);
    int err = repeat(type, length, row);
    if (!err)
        err = repeat(type, whole, step);
    if (!err && rest > 0)
        err = append(type, one, rest, row, end);
    tf_type_release(one);
    return err;
}

/* *type becomes itself at an offset. */
static int shift(struct tf_type **type, MPI_Count offset)
{
    static const MPI_Count one = 1;
    MPI_Datatype handle;
    if (offset == 0)
        return MPI_SUCCESS;
    int err = tf_type_create_hindexed(1, (struct tf_counts){&one, true}, (struct tf_counts){&offset, true}, *type,
                                      &handle, true);
    if (!err)
        replace(type, handle);
    return err;
}

/* The type behind `type`, from the slices of its dimensions, the fastest first. */
static int fill(struct tf_type *type, int ndims, const struct slice *slices, bool first_is_fastest)
{
    struct tf_type *inner = type->contents->types[0];
    MPI_Count row = inner->extent, start = 0, first;
    MPI_Datatype handle = MPI_DATATYPE_NULL;
    int err = MPI_SUCCESS;

    tf_type_retain(inner);
    for (int i = 0; i < ndims && !err; i++) {
        const struct slice *s = &slices[first_is_fastest ? i : ndims - 1 - i];
        err = add_dimension(&inner, s, row);
        if (!err && (__builtin_mul_overflow(s->first, row, &first) || __builtin_add_overflow(start, first, &start) ||
                     __builtin_mul_overflow(row, s->size, &row)))
            err = does_not_fit();
    }
    if (!err)
        err = shift(&inner, start);
    if (!err)
        err = tf_type_create_resized(inner, 0, row, &handle, true);
    if (!err)
        replace(&inner, handle);
    if (err)
        tf_type_release(inner);
    else
        type->contents->inner = inner;
    return err;
}

static int check_shape(int ndims, int order)
{
    if (ndims < 1)
        return tf_error(MPI_ERR_ARG, "ndims is %d; it must be at least 1", ndims);
    if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN)
        return tf_error(MPI_ERR_ARG, "order is %d; it must be MPI_ORDER_C or MPI_ORDER_FORTRAN", order);
    return MPI_SUCCESS;
}

static int check_range(const char *array, int i, MPI_Count value, MPI_Count low, MPI_Count high)
{
    if (value >= low && value <= high)
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_ARG, "%s[%d] is %lld; it must be between %lld and %lld", array, i, (long long)value,
                    (long long)low, (long long)high);
}

/* The new type and room for its slices, or NULL. */
static struct tf_type *begin(struct tf_type *oldtype, int combiner, int ndims, MPI_Count nargs, struct slice **slices)
{
    *slices = tf_alloc(ndims * sizeof **slices, "the dimensions of an array datatype");
    struct tf_type *type = *slices ? tf_type_begin_from(oldtype, combiner, nargs) : NULL;
    if (!type)
        free(*slices);
    return type;
}

int tf_type_create_subarray(int ndims, struct tf_counts sizes, struct tf_counts subsizes, struct tf_counts starts,
                            int order, struct tf_type *oldtype, MPI_Datatype *newtype, bool large)
{
    struct slice *slices;
    int err = check_shape(ndims, order);
    if (err)
        return err;
    struct tf_type *type = begin(oldtype, MPI_COMBINER_SUBARRAY, ndims, 2 + 3 * (MPI_Count)ndims, &slices);
    if (!type)
        return MPI_ERR_NO_MEM;
    MPI_Count *args = type->contents->args;
    args[0] = ndims;
    args[1 + 3 * (MPI_Count)ndims] = order;
    type->contents->large = large;
    type->contents->wide = 1;
    type->contents->nwide = large ? 3 * (MPI_Count)ndims : 0;
    for (int i = 0; i < ndims && !err; i++) {
        MPI_Count size = tf_counts_at(sizes, i), subsize = tf_counts_at(subsizes, i), start = tf_counts_at(starts, i);
        args[1 + i] = size;
        args[1 + ndims + i] = subsize;
        args[1 + 2 * ndims + i] = start;
        err = check_range("array_of_sizes", i, size, 1, INT64_MAX);
        if (!err)
            err = check_range("array_of_subsizes", i, subsize, 1, size);
        if (!err)
            err = check_range("array_of_starts", i, start, 0, size - subsize);
        slices[i] = (struct slice){size, start, subsize, subsize, start + subsize};
    }
    if (!err)
        err = fill(type, ndims, slices, order == MPI_ORDER_FORTRAN);
    free(slices);
    return tf_type_finish(type, err, newtype);
}

/* What process `coord` of `nprocs` holds of dimension i. */
static int distribute(struct slice *s, int i, MPI_Count size, int distrib, int darg, int nprocs, int coord)
{
    MPI_Count block = darg;
    switch (distrib) {
    case MPI_DISTRIBUTE_NONE:
        *s = (struct slice){size, 0, size, size, size};
        if (nprocs == 1 || tf_strict())
            return check_range("array_of_psizes", i, nprocs, 1, 1);
        darg = MPI_DISTRIBUTE_DFLT_DARG; /* several processes share it as blocks */
        /* fall through */
    case MPI_DISTRIBUTE_BLOCK:
        if (darg == MPI_DISTRIBUTE_DFLT_DARG)
            block = (size - 1) / nprocs + 1;
        else if (darg < 1 || block * nprocs < size)
            return tf_error(MPI_ERR_ARG,
                            "array_of_dargs[%d] is %d; blocks of that size on %d processes do not cover %lld indices",
                            i, darg, nprocs, (long long)size);
        *s = (struct slice){size, block * coord, block, block, block * (coord + 1)};
        break;
    case MPI_DISTRIBUTE_CYCLIC:
        if (darg == MPI_DISTRIBUTE_DFLT_DARG)
            block = 1;
        else if (darg < 1)
            return tf_error(MPI_ERR_ARG, "array_of_dargs[%d] is %d; it must be at least 1", i, darg);
        *s = (struct slice){size, block * coord, block, block * nprocs, size};
        break;
    default:
        return tf_error(MPI_ERR_ARG,
                        "array_of_distribs[%d] is %d; it must be MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC or "
                        "MPI_DISTRIBUTE_NONE",
                        i, distrib);
    }
    s->end = s->end < size ? s->end : size;
    s->first = s->first < size ? s->first : size;
    return MPI_SUCCESS;
}

static int check_processes(int size, int rank, int ndims, const int *psizes)
{
    MPI_Count product = 1;
    if (size < 1)
        return tf_error(MPI_ERR_ARG, "size is %d; it must be at least 1", size);
    for (int i = 0; i < ndims; i++) {
        int err = check_range("array_of_psizes", i, psizes[i], 1, size);
        if (err)
            return err;
        product = product * psizes[i] <= size ? product * psizes[i] : INT32_MAX + 1ll;
    }
    if (product != size)
        return tf_error(MPI_ERR_ARG, "size is %d, which is not the product of array_of_psizes", size);
    if (rank < 0 || rank >= size)
        return tf_error(MPI_ERR_ARG, "rank is %d; it must be between 0 and %d", rank, size - 1);
    return MPI_SUCCESS;
}

int tf_type_create_darray(int size, int rank, int ndims, struct tf_counts gsizes, const int *distribs, const int *dargs,
                          const int *psizes, int order, struct tf_type *oldtype, MPI_Datatype *newtype, bool large)
{
    struct slice *slices;
    int err = check_shape(ndims, order);
    if (!err)
        err = check_processes(size, rank, ndims, psizes);
    if (err)
        return err;
    struct tf_type *type = begin(oldtype, MPI_COMBINER_DARRAY, ndims, 4 + 4 * (MPI_Count)ndims, &slices);
    if (!type)
        return MPI_ERR_NO_MEM;
    MPI_Count *args = type->contents->args;
    args[0] = size, args[1] = rank, args[2] = ndims;
    args[3 + 4 * (MPI_Count)ndims] = order;
    type->contents->large = large;
    type->contents->wide = 3;
    type->contents->nwide = large ? ndims : 0;
    /* The grid of processes is in C order whatever the array's is. */
    for (int i = ndims - 1; i >= 0 && !err; i--) {
        MPI_Count gsize = tf_counts_at(gsizes, i);
        args[3 + i] = gsize;
        args[3 + ndims + i] = distribs[i];
        args[3 + 2 * ndims + i] = dargs[i];
        args[3 + 3 * ndims + i] = psizes[i];
        err = check_range("array_of_gsizes", i, gsize, 1, INT64_MAX);
        if (!err)
            err = distribute(&slices[i], i, gsize, distribs[i], dargs[i], psizes[i], rank % psizes[i]);
        rank /= psizes[i];
    }
    if (!err)
        err = fill(type, ndims, slices, order == MPI_ORDER_FORTRAN);
    free(slices);
    return tf_type_finish(type, err, newtype);
}
