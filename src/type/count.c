/* count.c - explicit packing, and the elements that a status tells.
 *
 * Elements of a part of a derived type are counted by going down its blocks: no list of basic types is kept.
 */
#include "base/status.h"
#include "type/construct.h"
#include "type/contents.h"

int tf_type_packed_size(const char *what, MPI_Count count, const struct tf_type *type, MPI_Count *bytes)
{
    if (count < 0)
        return tf_error(MPI_ERR_COUNT, "%s is %lld; it must be at least 0", what, (long long)count);
    if (__builtin_mul_overflow(count, type->size, bytes))
        return tf_error(MPI_ERR_COUNT, "%s is %lld; so many elements of %lld bytes do not fit 64 bits", what,
                        (long long)count, (long long)type->size);
    return MPI_SUCCESS;
}

int tf_type_check_position(const char *what, MPI_Count size, MPI_Count position, MPI_Count bytes)
{
    if (position < 0 || position > size)
        return tf_error(MPI_ERR_ARG, "position is %lld; it must be between 0 and %s, which is %lld",
                        (long long)position, what, (long long)size);
    if (bytes > size - position)
        return tf_error(MPI_ERR_TRUNCATE, "%s is %lld; %lld bytes from position %lld on do not fit", what,
                        (long long)size, (long long)bytes, (long long)position);
    return MPI_SUCCESS;
}

int tf_pack(const void *inbuf, MPI_Count incount, struct tf_type *type, void *outbuf, MPI_Count outsize,
            MPI_Count *position, const struct tf_comm *comm)
{
    MPI_Count bytes = 0;
    (void)comm;
    int err = tf_type_packed_size("incount", incount, type, &bytes);
    if (!err)
        err = tf_type_check_position("outsize", outsize, *position, bytes);
    if (err)
        return err;
    tf_type_pack(type, inbuf, incount, 0, (char *)outbuf + *position, bytes);
    *position += bytes;
    return MPI_SUCCESS;
}

int tf_unpack(const void *inbuf, MPI_Count insize, MPI_Count *position, void *outbuf, MPI_Count outcount,
              struct tf_type *type, const struct tf_comm *comm)
{
    MPI_Count bytes = 0;
    (void)comm;
    int err = tf_type_packed_size("outcount", outcount, type, &bytes);
    if (!err)
        err = tf_type_check_position("insize", insize, *position, bytes);
    if (err)
        return err;
    tf_type_unpack(type, outbuf, outcount, 0, (const char *)inbuf + *position, bytes);
    *position += bytes;
    return MPI_SUCCESS;
}

int tf_pack_size(MPI_Count incount, struct tf_type *type, const struct tf_comm *comm, MPI_Count *size)
{
    (void)comm;
    return tf_type_packed_size("incount", incount, type, size);
}

int tf_get_count(const MPI_Status *status, const struct tf_type *type, MPI_Count *count)
{
    MPI_Count bytes = tf_status_bytes(status);
    if (type->size == 0)
        *count = bytes == 0 ? 0 : MPI_UNDEFINED;
    else
        *count = bytes % type->size == 0 ? bytes / type->size : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

/* Blocks of a vector are alike: how many of them go before the one that holds unit number `units`, if each has so many.
 */
static MPI_Count whole_blocks(const struct tf_type *type, MPI_Count units, MPI_Count of_child)
{
    int combiner = type->contents->combiner;
    struct tf_block block;
    if ((combiner != MPI_COMBINER_VECTOR && combiner != MPI_COMBINER_HVECTOR) || tf_type_nblocks(type) == 0)
        return 0;
    tf_type_block(type, 0, &block);
    return block.count * of_child > 0 ? units / (block.count * of_child) : 0;
}

/* The basic elements in the first *bytes bytes, fewer than type->size, of an element; *bytes becomes what is left over
 * within the last one. */
static MPI_Count elements_within(const struct tf_type *type, MPI_Count *bytes)
{
    MPI_Count n = tf_type_nblocks(type), first = 0, elements = 0;
    struct tf_block block;
    if (n > 0) {
        tf_type_block(type, 0, &block);
        first = whole_blocks(type, *bytes, block.child->size);
        elements = first * block.count * block.child->contents->nbasic;
        *bytes -= first * block.count * block.child->size;
    }
    for (MPI_Count i = first; i<n && * bytes> 0; i++) {
        tf_type_block(type, i, &block);
        const struct tf_type *child = block.child;
        MPI_Count whole = child->size ? *bytes / child->size : 0;
        whole = whole < block.count ? whole : block.count;
        elements += whole * child->contents->nbasic;
        *bytes -= whole * child->size;
        if (whole < block.count && child->size)
            return elements + elements_within(child, bytes);
    }
    return elements;
}

int tf_get_elements(const MPI_Status *status, const struct tf_type *type, MPI_Count *count)
{
    MPI_Count bytes = tf_status_bytes(status), left = 0;
    if (type->size > 0) {
        left = bytes % type->size;
        bytes = bytes / type->size * type->contents->nbasic + elements_within(type, &left);
    }
    *count = type->size > 0 ? left == 0 ? bytes : MPI_UNDEFINED : bytes == 0 ? 0 : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

/* The bytes of the first `elements` basic elements, fewer than the type has. */
static MPI_Count bytes_of(const struct tf_type *type, MPI_Count elements)
{
    MPI_Count n = tf_type_nblocks(type), first = 0, bytes = 0;
    struct tf_block block;
    if (n > 0) {
        tf_type_block(type, 0, &block);
        first = whole_blocks(type, elements, block.child->contents->nbasic);
        bytes = first * block.count * block.child->size;
        elements -= first * block.count * block.child->contents->nbasic;
    }
    for (MPI_Count i = first; i < n && elements > 0; i++) {
        tf_type_block(type, i, &block);
        const struct tf_type *child = block.child;
        MPI_Count nbasic = child->contents->nbasic, whole = nbasic ? elements / nbasic : 0;
        whole = whole < block.count ? whole : block.count;
        bytes += whole * child->size;
        elements -= whole * nbasic;
        if (whole < block.count && nbasic)
            return bytes + bytes_of(child, elements);
    }
    return bytes;
}

int tf_status_set_elements(MPI_Status *status, const struct tf_type *type, MPI_Count count)
{
    MPI_Count nbasic = type->contents->nbasic, bytes = 0;
    if (count < 0)
        return tf_error(MPI_ERR_COUNT, "count is %lld; it must be at least 0", (long long)count);
    if (nbasic == 0 && count > 0)
        return tf_error(MPI_ERR_COUNT, "count is %lld; the datatype has no elements", (long long)count);
    if (nbasic > 0) {
        if (__builtin_mul_overflow(count / nbasic, type->size, &bytes))
            return tf_error(MPI_ERR_COUNT, "count is %lld; so many elements do not fit 64 bits", (long long)count);
        bytes += bytes_of(type, count % nbasic);
    }
    tf_status_set_bytes(status, bytes);
    return MPI_SUCCESS;
}
