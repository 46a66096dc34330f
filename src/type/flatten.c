/* flatten.c - from a type's blocks to its runs of bytes: what MPI_Type_commit does.
 *
 * A block is its child's flat form repeated at the child's extent; a vector is a block repeated at the stride.
 * Repeating costs nothing while it can be said by `reps`: runs that touch become one, a second level of repetition
 * multiplies the first where the strides meet.  Otherwise the pattern is written out.  Irregular blocks are written
 * out, and found to be regular afterwards if they are.
 */
#include "type/contents.h"

static const struct tf_flat empty = {.reps = 1};

#define MOST_RUNS ((size_t)1 << 32)

/* Room for `more` runs, all at once: a number that the system cannot give is refused before it is written to. */
static int reserve(struct tf_flat *flat, size_t *room, size_t more)
{
    if (more > MOST_RUNS - flat->nsegs)
        return tf_error(MPI_ERR_NO_MEM, "the datatype has more than %zu runs of bytes; it cannot be flattened",
                        MOST_RUNS);
    size_t needed = flat->nsegs + more;
    if (needed <= *room)
        return MPI_SUCCESS;
    size_t cap = needed > 2 * *room ? needed : 2 * *room;
    struct tf_seg *segs = realloc(flat->segs, cap * sizeof *segs);
    if (!segs)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate %zu bytes to flatten a datatype of at least %zu runs",
                        cap * sizeof *segs, needed);
    flat->segs = segs;
    *room = cap;
    return MPI_SUCCESS;
}

static void push(struct tf_flat *flat, ptrdiff_t offset, size_t length)
{
    struct tf_seg *last = flat->nsegs ? &flat->segs[flat->nsegs - 1] : NULL;
    if (last && last->offset + (ptrdiff_t)last->length == offset)
        last->length += length;
    else
        flat->segs[flat->nsegs++] = (struct tf_seg){offset, length, flat->pattern};
    flat->pattern += length;
}

/* Write out `from`, shifted, at the end of `to` (which does not repeat). */
static int append(struct tf_flat *to, size_t *room, const struct tf_flat *from, ptrdiff_t offset)
{
    size_t runs;
    if (__builtin_mul_overflow(from->nsegs, from->reps, &runs))
        runs = SIZE_MAX;
    int err = reserve(to, room, runs);
    if (err)
        return err;
    for (size_t r = 0; r < from->reps; r++)
        for (size_t i = 0; i < from->nsegs; i++)
            push(to, offset + (ptrdiff_t)r * from->stride + from->segs[i].offset, from->segs[i].length);
    return MPI_SUCCESS;
}

static int write_out(struct tf_flat *flat)
{
    struct tf_flat all = empty;
    size_t room = 0;
    int err = append(&all, &room, flat, 0);
    free(err ? all.segs : flat->segs);
    if (!err)
        *flat = all;
    return err;
}

static int repeat(struct tf_flat *flat, MPI_Count n, ptrdiff_t stride)
{
    if (n == 1 || flat->nsegs == 0)
        return MPI_SUCCESS;
    if (flat->reps > 1 && stride == (ptrdiff_t)(flat->reps * flat->stride)) {
        flat->reps *= n;
        return MPI_SUCCESS;
    }
    if (flat->reps > 1) {
        int err = write_out(flat);
        if (err)
            return err;
    }
    if (flat->nsegs == 1 && stride == (ptrdiff_t)flat->pattern) {
        flat->segs[0].length *= n;
        flat->pattern *= n;
    } else {
        flat->reps = n;
        flat->stride = stride;
    }
    return MPI_SUCCESS;
}

/* Runs of one length at one distance are one run, repeated. */
static void find_stride(struct tf_flat *flat)
{
    const struct tf_seg *s = flat->segs;
    if (flat->nsegs < 2 || flat->reps > 1)
        return;
    ptrdiff_t stride = s[1].offset - s[0].offset;
    for (size_t i = 1; i < flat->nsegs; i++)
        if (s[i].length != s[0].length || s[i].offset - s[i - 1].offset != stride)
            return;
    flat->reps = flat->nsegs;
    flat->stride = stride;
    flat->pattern = s[0].length;
    flat->nsegs = 1;
}

/* A copy of the child's runs, repeated as the block says. */
static int flatten_block(struct tf_flat *flat, const struct tf_block *block)
{
    const struct tf_flat *child = &block->child->flat;
    size_t room = 0;

    *flat = empty;
    if (block->count == 0 || child->nsegs == 0)
        return MPI_SUCCESS;
    int err = reserve(flat, &room, child->nsegs);
    if (err)
        return err;
    struct tf_seg *segs = flat->segs;
    *flat = *child;
    flat->segs = segs;
    for (size_t i = 0; i < child->nsegs; i++) {
        segs[i] = child->segs[i];
        segs[i].offset += block->offset;
    }
    return repeat(flat, block->count, block->child->extent);
}

static bool is_empty(const struct tf_block *block)
{
    return block->count == 0 || block->child->size == 0;
}

/* Blocks one after the other.  The common one, elements without gaps, is a single run. */
static int flatten_list(struct tf_flat *flat, const struct tf_type *type)
{
    MPI_Count n = tf_type_nblocks(type);
    struct tf_block block;
    size_t room = 0;
    int err = MPI_SUCCESS;

    for (MPI_Count i = 0; i < n && !err; i++) {
        tf_type_block(type, i, &block);
        if (is_empty(&block))
            continue;
        const struct tf_flat *child = &block.child->flat;
        if (child->nsegs == 1 && child->reps == 1 && (block.count == 1 || block.child->dense)) {
            err = reserve(flat, &room, 1);
            if (!err)
                push(flat, block.offset + child->segs[0].offset, block.count * block.child->size);
            continue;
        }
        struct tf_flat part;
        err = flatten_block(&part, &block);
        if (!err)
            err = append(flat, &room, &part, 0);
        free(part.segs);
    }
    find_stride(flat);
    return err;
}

/* All blocks but one are empty: the form of that one need not be written out. */
static bool find_only_block(const struct tf_type *type, struct tf_block *only)
{
    MPI_Count n = tf_type_nblocks(type), found = 0;
    struct tf_block block;
    for (MPI_Count i = 0; i < n && found < 2; i++) {
        tf_type_block(type, i, &block);
        if (is_empty(&block))
            continue;
        *only = block;
        found++;
    }
    return found == 1;
}

/* The first block repeated at the distance of the second. */
static int flatten_vector(struct tf_flat *flat, const struct tf_type *type)
{
    MPI_Count n = tf_type_nblocks(type);
    struct tf_block first, second;
    tf_type_block(type, 0, &first);
    tf_type_block(type, n > 1, &second);
    int err = flatten_block(flat, &first);
    return err ? err : repeat(flat, n, second.offset);
}

static int flatten_children(struct tf_type *type)
{
    struct tf_type_contents *contents = type->contents;
    int err = contents->inner ? tf_type_flatten(contents->inner) : MPI_SUCCESS;
    for (MPI_Count i = 0; i < contents->ntypes && !contents->inner && !err; i++)
        err = tf_type_flatten(contents->types[i]);
    return err;
}

int tf_type_flatten(struct tf_type *type)
{
    const struct tf_type_contents *contents = type->contents;
    struct tf_flat flat = empty;
    struct tf_block block;

    if (type->flat.nsegs > 0 || type->size == 0) {
        type->dense |= type->size == 0;
        return MPI_SUCCESS;
    }
    int err = flatten_children(type);
    if (err)
        return err;
    if (contents->combiner == MPI_COMBINER_VECTOR || contents->combiner == MPI_COMBINER_HVECTOR)
        err = flatten_vector(&flat, type);
    else if (find_only_block(type, &block))
        err = flatten_block(&flat, &block);
    else
        err = flatten_list(&flat, type);
    if (err) {
        free(flat.segs);
        return err;
    }
    struct tf_seg *shrunk = realloc(flat.segs, flat.nsegs * sizeof *flat.segs);
    if (shrunk)
        flat.segs = shrunk;
    type->flat = flat;
    type->dense = flat.nsegs == 1 && flat.reps == 1 && type->extent == type->size;
    return MPI_SUCCESS;
}
