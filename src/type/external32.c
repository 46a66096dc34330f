/* external32.c - explicit packing in the representation that is the same on all machines (MPI-5.0 sections 5.3 and
 * 14.5.2).
 *
 * A datatype whose elements are all converted alike, however they lie, is the packed stream of pack.c, converted: in
 * one go where there are no gaps, otherwise piece by piece in memory that stays in the first-level cache.  Others are
 * taken apart into their blocks, down to types that are alike within; once for all elements where there are few such.
 */
#include "type/construct.h"
#include "type/contents.h"
#include "type/foreign.h"

enum { PIECE = 8192, FIELDS = 32, FEW = 8, AT_ONCE = 32 };

/* All blocks are of one type but for structures and pairs. */
static bool is_mixture(const struct tf_type *type)
{
    int combiner = type->contents->combiner;
    return combiner == MPI_COMBINER_STRUCT || combiner == MPI_COMBINER_NAMED;
}

static const struct tf_type *child_of(const struct tf_type *type)
{
    struct tf_block block;
    tf_type_block(type, 0, &block);
    return block.child;
}

static bool is_empty(const struct tf_block *block)
{
    return block->count == 0 || block->child->size == 0;
}

/* How all elements of a type that is not empty are converted; NULL if they differ. */
static const struct tf_foreign *alike(const struct tf_type *type)
{
    MPI_Count n = tf_type_nblocks(type);
    if (n == 0)
        return tf_foreign_of(type);
    if (!is_mixture(type))
        return alike(child_of(type));

    const struct tf_foreign *common = NULL;
    struct tf_block block;
    for (MPI_Count i = 0; i < n; i++) {
        tf_type_block(type, i, &block);
        if (is_empty(&block))
            continue;
        const struct tf_foreign *other = alike(block.child);
        if (!other || (common && other != common))
            return NULL;
        common = other;
    }
    return common;
}

/* Bytes of an element in external32: never more than in memory. */
static MPI_Count external_size(const struct tf_type *type)
{
    if (type->size == 0)
        return 0;
    const struct tf_foreign *foreign = alike(type);
    if (foreign)
        return type->size / foreign->native * foreign->external;
    if (!is_mixture(type))
        return type->size / child_of(type)->size * external_size(child_of(type));

    MPI_Count size = 0;
    struct tf_block block;
    for (MPI_Count i = 0; i < tf_type_nblocks(type); i++) {
        tf_type_block(type, i, &block);
        size += block.count * external_size(block.child);
    }
    return size;
}

/* Where a walk is in the external32 stream, and which way it goes. */
struct walk {
    char *at;
    bool pack;
};

static int convert(struct walk *walk, const struct tf_foreign *foreign, void *native, size_t n)
{
    int err = walk->pack ? foreign->pack(walk->at, native, n) : foreign->unpack(native, walk->at, n);
    walk->at += n * foreign->external;
    return err;
}

/* Addresses are integers here: the buffer of a type with absolute addresses is MPI_BOTTOM, which is NULL. */
static int walk_alike(struct walk *walk, const struct tf_foreign *foreign, const struct tf_type *type, MPI_Count count,
                      uintptr_t buf)
{
    size_t length = (size_t)(count * type->size);
    if (type->dense)
        return convert(walk, foreign, (void *)(buf + type->true_lb), length / foreign->native);

    _Alignas(16) char piece[PIECE];
    int err = MPI_SUCCESS;
    for (size_t pos = 0, n; pos < length && !err; pos += n) {
        n = length - pos < PIECE ? length - pos : PIECE;
        if (walk->pack)
            tf_type_pack(type, (const void *)buf, count, pos, piece, n);
        err = convert(walk, foreign, piece, n / foreign->native);
        if (!walk->pack)
            tf_type_unpack(type, (void *)buf, count, pos, piece, n);
    }
    return err;
}

/* A datatype as elements that lie side by side and are converted alike, in the order of its type map. */
struct fields {
    int n;
    struct field {
        ptrdiff_t offset;
        const struct tf_foreign *foreign;
        size_t count;
    } at[FIELDS];
};

/* Adds those of `count` elements; false if they are too many. */
static bool take_apart(const struct tf_type *type, MPI_Count count, ptrdiff_t offset, struct fields *fields)
{
    if (count == 0 || type->size == 0)
        return true;
    if (fields->n == FIELDS)
        return false;
    const struct tf_foreign *foreign = type->dense ? alike(type) : NULL;
    if (foreign) {
        fields->at[fields->n].offset = offset + type->true_lb;
        fields->at[fields->n].foreign = foreign;
        fields->at[fields->n++].count = (size_t)(count * type->size) / foreign->native;
        return true;
    }

    MPI_Count nblocks = tf_type_nblocks(type);
    bool fits = true;
    struct tf_block block;
    for (MPI_Count i = 0; i < count && fits; i++, offset += type->extent)
        for (MPI_Count b = 0; b < nblocks && fits; b++) {
            tf_type_block(type, b, &block);
            fits = take_apart(block.child, block.count, offset + block.offset, fields);
        }
    return fits;
}

/* A field of n structures, `width` bytes apart in the stream. */
static int walk_field(struct walk *walk, const struct field *field, uintptr_t at, ptrdiff_t extent, ptrdiff_t width,
                      size_t n)
{
    const struct tf_foreign *foreign = field->foreign;
    int err = MPI_SUCCESS;
    if (foreign->turn && field->count <= FEW)
        for (size_t k = 0; k < field->count; k++) {
            char *stream = walk->at + k * foreign->external, *memory = (char *)(at + k * foreign->native);
            if (walk->pack)
                foreign->turn(stream, width, memory, extent, n);
            else
                foreign->turn(memory, extent, stream, width, n);
        }
    else
        for (size_t i = 0; i < n && !err; i++, at += (uintptr_t)extent) {
            struct walk one = {walk->at + (ptrdiff_t)i * width, walk->pack};
            err = convert(&one, foreign, (void *)at, field->count);
        }
    walk->at += field->count * foreign->external;
    return err;
}

/* Field by field, some structures at a time, which stay in the first-level cache. */
static int walk_fields(struct walk *walk, const struct fields *fields, MPI_Count count, uintptr_t buf, ptrdiff_t extent)
{
    ptrdiff_t width = 0;
    for (int i = 0; i < fields->n; i++)
        width += (ptrdiff_t)(fields->at[i].count * fields->at[i].foreign->external);
    int err = MPI_SUCCESS;
    for (MPI_Count n; count > 0 && !err; count -= n, buf += (uintptr_t)(n * extent)) {
        struct walk some = *walk;
        n = count < AT_ONCE ? count : AT_ONCE;
        for (int i = 0; i < fields->n && !err; i++)
            err = walk_field(&some, &fields->at[i], buf + (uintptr_t)fields->at[i].offset, extent, width, (size_t)n);
        walk->at += n * width;
    }
    return err;
}

static int walk_type(struct walk *walk, const struct tf_type *type, MPI_Count count, uintptr_t buf)
{
    if (count == 0 || type->size == 0)
        return MPI_SUCCESS;
    const struct tf_foreign *foreign = alike(type);
    if (foreign)
        return walk_alike(walk, foreign, type, count, buf);

    int err = MPI_SUCCESS;
    struct fields fields = {.n = 0};
    if (take_apart(type, 1, 0, &fields))
        return walk_fields(walk, &fields, count, buf, type->extent);
    MPI_Count nblocks = tf_type_nblocks(type);
    struct tf_block block;
    for (MPI_Count i = 0; i < count; i++, buf += type->extent)
        for (MPI_Count b = 0; b < nblocks && !err; b++) {
            tf_type_block(type, b, &block);
            err = walk_type(walk, block.child, block.count, buf + block.offset);
        }
    return err;
}

static int check_datarep(const char *datarep)
{
    return strcmp(datarep, "external32") == 0
               ? MPI_SUCCESS
               : tf_error(MPI_ERR_UNSUPPORTED_DATAREP, "datarep is \"%s\"; it must be \"external32\"", datarep);
}

/* How many bytes `count` elements take: if they fit 64 bits in memory they do in external32. */
static int size_of(const char *datarep, const char *what, MPI_Count count, const struct tf_type *type, MPI_Count *bytes)
{
    int err = check_datarep(datarep);
    if (!err)
        err = tf_type_packed_size(what, count, type, bytes);
    if (!err)
        *bytes = count * external_size(type);
    return err;
}

int tf_pack_external(const char *datarep, const void *inbuf, MPI_Count incount, struct tf_type *type, void *outbuf,
                     MPI_Count outsize, MPI_Count *position)
{
    MPI_Count bytes = 0;
    int err = size_of(datarep, "incount", incount, type, &bytes);
    if (!err)
        err = tf_type_check_position("outsize", outsize, *position, bytes);
    if (err)
        return err;
    struct walk walk = {(char *)outbuf + *position, true};
    err = walk_type(&walk, type, incount, (uintptr_t)inbuf);
    if (!err)
        *position += bytes;
    return err;
}

int tf_unpack_external(const char *datarep, const void *inbuf, MPI_Count insize, MPI_Count *position, void *outbuf,
                       MPI_Count outcount, struct tf_type *type)
{
    MPI_Count bytes = 0;
    int err = size_of(datarep, "outcount", outcount, type, &bytes);
    if (!err)
        err = tf_type_check_position("insize", insize, *position, bytes);
    if (err)
        return err;
    struct walk walk = {(char *)inbuf + *position, false};
    err = walk_type(&walk, type, outcount, (uintptr_t)outbuf);
    if (!err)
        *position += bytes;
    return err;
}

int tf_pack_external_size(const char *datarep, MPI_Count incount, struct tf_type *type, MPI_Count *size)
{
    MPI_Count bytes = 0;
    int err = size_of(datarep, "incount", incount, type, &bytes);
    if (!err)
        *size = bytes;
    return err;
}
