/* measure.c - what follows from a type map: size, bounds, alignment, signature (MPI-5.0 sections 5.1, 5.1.6 to 5.1.8).
 *
 * Nothing is expanded: a block of a million elements is two additions, a vector its first block and its last, and so
 * are equal blocks wherever they are.
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

/* Elements of one child: how many, and where the lowest and the highest of them are; these of any. */
struct elements {
    MPI_Count n, low, high;
};

/* Where a block begins and ends; false if that does not fit. */
static inline bool add_block(struct elements *all, MPI_Count units, MPI_Count unit, MPI_Count length, MPI_Count extent)
{
    MPI_Count offset, reach, end;
    if (__builtin_mul_overflow(units, unit, &offset))
        return false;
    if (length == 0)
        return true;
    if (__builtin_mul_overflow(length - 1, extent, &reach) || __builtin_add_overflow(offset, reach, &end))
        return false;
    MPI_Count low = reach < 0 ? end : offset, high = reach < 0 ? offset : end;
    all->low = all->low < low ? all->low : low;
    all->high = all->high > high ? all->high : high;
    return true;
}

/* Of equal blocks the outermost say where all are. */
static bool add_equal(struct elements *all, const struct tf_blocks *blocks)
{
    MPI_Count n = blocks->n, length = blocks->lengths[0], extent = blocks->children[0]->extent, low = 0, high = 0;
    const MPI_Count *units = blocks->units;
    if (units) {
        low = high = units[0];
        for (MPI_Count i = 1; i < n; i++) {
            low = low < units[i] ? low : units[i];
            high = high > units[i] ? high : units[i];
        }
    } else if (__builtin_mul_overflow(n - 1, blocks->stride, &high))
        return false;
    return !__builtin_mul_overflow(n, length, &all->n) && add_block(all, low, blocks->unit, length, extent) &&
           add_block(all, high, blocks->unit, length, extent);
}

/* Blocks that differ, from *i on, that have the child of the first of them; *i becomes the next one. */
static bool add_blocks(struct elements *found, const struct tf_blocks *blocks, MPI_Count *i)
{
    const struct tf_blocks b = *blocks;
    const struct tf_type *child = b.children[*i & b.many_children];
    struct elements all = *found;
    MPI_Count k = *i, extent = child->extent;
    do {
        MPI_Count length = b.lengths[k & b.many_lengths];
        if (!add_block(&all, b.units[k], b.unit, length, extent) || __builtin_add_overflow(all.n, length, &all.n))
            return false;
        k++;
    } while (k < b.n && b.children[k & b.many_children] == child);
    *i = k;
    *found = all;
    return true;
}

static void measure_elements(struct measure *m, const struct tf_type *child, const struct elements *all)
{
    m->size = add(m, m->size, multiply(m, all->n, child->size));
    m->nbasic = add(m, m->nbasic, multiply(m, all->n, child->contents->nbasic));
    if (all->n == 0)
        return;
    if (child->size > 0) {
        keep_least(&m->low, add(m, all->low, child->true_lb));
        keep_greatest(&m->high, add(m, add(m, all->high, child->true_lb), child->true_extent));
        if (m->alignment < child->contents->alignment)
            m->alignment = child->contents->alignment;
    }
    if (child->contents->lower_sticks)
        keep_least(&m->lower, add(m, all->low, child->lb));
    if (child->contents->upper_sticks) /* of a negative extent: it lies below the lower one */
        keep_greatest(&m->upper, add(m, add(m, all->high, child->lb), child->extent));
}

static void measure_blocks(struct measure *m, struct tf_type *type)
{
    struct tf_blocks blocks = tf_type_blocks(type);
    type->sig = TF_SIGNATURE_EMPTY;
    for (MPI_Count i = 0; i < blocks.n && !m->overflow;) {
        const struct tf_type *child = blocks.children[i & blocks.many_children];
        struct elements all = {0, INT64_MAX, INT64_MIN};
        if (!tf_blocks_are_equal(&blocks))
            m->overflow = !add_blocks(&all, &blocks, &i);
        else {
            m->overflow = !add_equal(&all, &blocks);
            i = blocks.n;
        }
        measure_elements(m, child, &all);
        type->sig = tf_signature_join(type->sig, tf_signature_repeat(child->sig, all.n));
    }
}

/* Whether the lengths of an indexed type are equal. */
static bool has_equal_lengths(const struct tf_type_contents *contents)
{
    if (contents->combiner != MPI_COMBINER_INDEXED && contents->combiner != MPI_COMBINER_HINDEXED)
        return false;
    MPI_Count differ = 0;
    for (MPI_Count i = 2; i <= contents->args[0]; i++)
        differ |= contents->args[i] ^ contents->args[1];
    return !differ;
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
    type->contents->equal_lengths = has_equal_lengths(type->contents);
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
