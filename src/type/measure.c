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

/* The least and greatest of the bytes and of the sticky bounds seen so far. */
struct bounds {
    MPI_Count low, high;
    bool any;
};

struct measure {
    struct bounds data, sticky;
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

static void widen(struct bounds *bounds, MPI_Count low, MPI_Count high)
{
    bounds->low = bounds->any && bounds->low < low ? bounds->low : low;
    bounds->high = bounds->any && bounds->high > high ? bounds->high : high;
    bounds->any = true;
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
        MPI_Count low = add(m, first, child->true_lb);
        MPI_Count high = add(m, add(m, last, child->true_lb), child->true_extent);
        widen(&m->data, low, high);
        if (m->alignment < child->contents->alignment)
            m->alignment = child->contents->alignment;
    }
    if (child->contents->sticky) {
        /* The extent may be negative: the upper bound then lies below the lower one. */
        MPI_Count low = add(m, first, child->lb);
        MPI_Count high = add(m, add(m, last, child->lb), child->extent);
        widen(&m->sticky, low, high);
    }
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
        m->overflow |= !tf_type_block(type, i, &block);
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

/* Without sticky bounds the extent is rounded up to the strictest alignment, as a C compiler pads a struct. */
static void set_bounds(struct measure *m, struct tf_type *type)
{
    type->true_lb = m->data.low;
    type->true_extent = m->data.any ? subtract(m, m->data.high, m->data.low) : 0;
    if (type->contents->combiner == MPI_COMBINER_RESIZED) {
        type->lb = type->contents->args[0];
        type->extent = type->contents->args[1];
        add(m, type->lb, type->extent);
        type->contents->sticky = true;
    } else if (m->sticky.any) {
        type->lb = m->sticky.low;
        type->extent = subtract(m, m->sticky.high, m->sticky.low);
        type->contents->sticky = true;
    } else {
        MPI_Count over = m->alignment ? type->true_extent % m->alignment : 0;
        type->lb = type->true_lb;
        type->extent = add(m, type->true_extent, over ? m->alignment - over : 0);
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
