/* measure.c - what follows from a type map: size, bounds, alignment, signature (MPI-5.0 sections 5.1, 5.1.6 to 5.1.8).
 *
 * Nothing is expanded: a block of a million elements is two additions, a vector its first block and its last.
 */
#include "type/contents.h"

struct tf_signature tf_signature_join(struct tf_signature first, struct tf_signature second)
{
    if (!first.power || !second.power)
        return (struct tf_signature){0, 0};
    return (struct tf_signature){first.hash * second.power + second.hash, first.power * second.power};
}

/* By squaring. */
struct tf_signature tf_signature_repeat(struct tf_signature signature, MPI_Count n)
{
    uint64_t hash = 0, power = 1, h = signature.hash, p = signature.power;
    if (!p && n > 0)
        return signature;
    for (; n > 0; n >>= 1) {
        if (n & 1) {
            hash = hash * p + h;
            power *= p;
        }
        h = h * p + h;
        p *= p;
    }
    return (struct tf_signature){hash, power};
}

/* Programs reduce the same vector again and again: the last count's answer is kept. */
uint64_t tf_type_signature(const struct tf_type *type, MPI_Count count)
{
    struct tf_type_contents *contents = type->contents;
    if (count == 1)
        return type->signature;
    if (contents->last_count != count) {
        contents->last_signature = TF_MIX(tf_signature_repeat(type->sig, count).hash);
        contents->last_count = count;
    }
    return contents->last_signature;
}

/* The least or the greatest place seen so far. */
struct bound {
    MPI_Count at;
    bool any;
};

struct measure {
    struct bound low, high;    /* of the data */
    struct bound lower, upper; /* of what marks a lower or an upper bound, which sticks */
    MPI_Count size, nbasic, alignment;
    bool overflow;
};

static MPI_Count add(struct measure *m, MPI_Count a, MPI_Count b)
{
    MPI_Count sum;
    m->overflow |= __builtin_add_overflow(a, b, &sum);
    return sum;
}

static MPI_Count subtract(struct measure *m, MPI_Count a, MPI_Count b)
{
    MPI_Count difference;
    m->overflow |= __builtin_sub_overflow(a, b, &difference);
    return difference;
}

static MPI_Count multiply(struct measure *m, MPI_Count a, MPI_Count b)
{
    MPI_Count product;
    m->overflow |= __builtin_mul_overflow(a, b, &product);
    return product;
}

static void keep_least(struct bound *bound, MPI_Count at)
{
    bound->at = bound->any && bound->at < at ? bound->at : at;
    bound->any = true;
}

static void keep_greatest(struct bound *bound, MPI_Count at)
{
    bound->at = bound->any && bound->at > at ? bound->at : at;
    bound->any = true;
}

/* The bounds of a block: those of its first and its last element, whichever is lower. */
static void measure_block(struct measure *m, const struct tf_block *block)
{
    const struct tf_type *child = block->child;
    if (block->count == 0)
        return;
    MPI_Count reach = multiply(m, block->count - 1, child->extent);
    MPI_Count first = add(m, block->offset, reach < 0 ? reach : 0);
    MPI_Count last = add(m, block->offset, reach > 0 ? reach : 0);
    if (child->size > 0) {
        keep_least(&m->low, add(m, first, child->true_lb));
        keep_greatest(&m->high, add(m, add(m, last, child->true_lb), child->true_extent));
        if (m->alignment < child->contents->alignment)
            m->alignment = child->contents->alignment;
    }
    if (child->contents->lower_sticks)
        keep_least(&m->lower, add(m, first, child->lb));
    if (child->contents->upper_sticks) /* of a negative extent: it lies below the lower one */
        keep_greatest(&m->upper, add(m, add(m, last, child->lb), child->extent));
}

static void measure_blocks(struct measure *m, struct tf_type *type)
{
    const struct tf_type_contents *contents = type->contents;
    MPI_Count n = tf_type_nblocks(type);
    bool vector = contents->combiner == MPI_COMBINER_VECTOR || contents->combiner == MPI_COMBINER_HVECTOR;
    MPI_Count same = 0; /* elements of the child since it last changed */
    struct tf_block block = {0};
    const struct tf_type *child = NULL;

    type->sig = TF_SIGNATURE_EMPTY;
    for (MPI_Count i = 0; i < n; i = vector && i < n - 1 ? n - 1 : i + 1) {
        if (!tf_type_block(type, i, &block)) {
            m->overflow = true;
            return;
        }
        if (child && child != block.child) {
            type->sig = tf_signature_join(type->sig, tf_signature_repeat(child->sig, same));
            same = 0;
        }
        child = block.child;
        MPI_Count count = vector ? multiply(m, block.count, i > 0 ? n - 1 : 1) : block.count;
        same = add(m, same, count);
        m->size = add(m, m->size, multiply(m, count, child->size));
        m->nbasic = add(m, m->nbasic, multiply(m, count, child->contents->nbasic));
        measure_block(m, &block);
    }
    if (child)
        type->sig = tf_signature_join(type->sig, tf_signature_repeat(child->sig, same));
}

/* Without a marked upper bound the extent is rounded up to the strictest alignment, as a C compiler pads a struct. */
static MPI_Count padded(struct measure *m, MPI_Count extent)
{
    MPI_Count over = m->alignment ? extent % m->alignment : 0;
    if (over < 0)
        over += m->alignment;
    return add(m, extent, over ? m->alignment - over : 0);
}

static void set_bounds(struct measure *m, struct tf_type *type)
{
    struct tf_type_contents *contents = type->contents;
    bool resized = contents->combiner == MPI_COMBINER_RESIZED;

    type->true_lb = m->low.at;
    type->true_extent = subtract(m, m->high.at, m->low.at);
    contents->lower_sticks = resized || m->lower.any;
    contents->upper_sticks = resized || m->upper.any;
    if (resized) {
        type->lb = contents->args[0];
        type->extent = contents->args[1];
        add(m, type->lb, type->extent);
    } else {
        type->lb = m->lower.any ? m->lower.at : m->low.at;
        type->extent = subtract(m, m->upper.any ? m->upper.at : m->high.at, type->lb);
        if (!m->upper.any)
            type->extent = padded(m, type->extent);
    }
}

int tf_type_measure(struct tf_type *type)
{
    struct measure m = {0};
    measure_blocks(&m, type);
    set_bounds(&m, type);
    if (m.overflow)
        return tf_error(MPI_ERR_ARG, "the size or the bounds of the new datatype do not fit 64 bits");
    type->size = m.size;
    type->contents->nbasic = m.nbasic;
    type->contents->alignment = m.alignment;
    type->signature = TF_MIX(type->sig.hash);
    return MPI_SUCCESS;
}
