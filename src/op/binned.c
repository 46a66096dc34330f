/* binned.c - one accumulator: add a number, add another accumulator, make a number of it; and vectors of them.  See
 * binned.h. */
#include "op/binned.h"

#include <math.h>

typedef __int128 wide;

enum { WIDTH = 40, TOP = 50 /* the highest bin */, CARRY_BITS = 17, CARRY_AT = 12 };

/* What has been added, besides what the digits tell. */
enum tf_binned_flag {
    NOT_A_NUMBER = 1 << 6,
    PLUS_INFINITY = 1 << 7,
    MINUS_INFINITY = 1 << 8,
    ANYTHING = 1 << 9,
    NO_MINUS_ZERO = 1 << 10, /* a number other than -0 */
    FLAGS = NOT_A_NUMBER | PLUS_INFINITY | MINUS_INFINITY | ANYTHING | NO_MINUS_ZERO
};

const struct tf_binned_kernels *tf_binned_kernels = &tf_binned_kernels_baseline;

/* An accumulator unpacked. */
struct sum {
    wide digit[3];
    unsigned bin, flags;
};

static inline struct sum unpack(const struct tf_binned *b)
{
    struct sum s = {.bin = b->tag & 63, .flags = b->tag & FLAGS};
    for (int i = 0; i < 3; i++) {
        int64_t carry = (int64_t)(b->tag << (64 - CARRY_AT - CARRY_BITS * (i + 1))) >> (64 - CARRY_BITS);
        s.digit[i] = (wide)((unsigned __int128)carry << 64 | b->digit[i]);
    }
    return s;
}

static inline struct tf_binned pack(const struct sum *s)
{
    const int64_t most = (1 << (CARRY_BITS - 1)) - 1, mask = (1 << CARRY_BITS) - 1;
    struct tf_binned b = {.tag = s->bin | s->flags};
    for (int i = 0; i < 3; i++) {
        int64_t carry = (int64_t)(s->digit[i] >> 64);
        if (carry > most || carry < -most - 1)
            b.tag |= NOT_A_NUMBER;
        b.tag |= (uint64_t)(carry & mask) << (CARRY_AT + CARRY_BITS * i);
        b.digit[i] = (uint64_t)s->digit[i];
    }
    return b;
}

/* Let the highest bin be at least `bin`: digits go down, and the lowest drop out. */
static inline void raise_to(struct sum *s, unsigned bin)
{
    if (s->bin >= bin)
        return;
    unsigned by = bin - s->bin;
    for (int i = 2; i >= 0; i--)
        s->digit[i] = (unsigned)i >= by ? s->digit[i - (int)by] : 0;
    s->bin = bin;
}

static inline uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static unsigned flags_of(double x)
{
    unsigned flags = ANYTHING | (bits_of(x) == bits_of(-0.0) ? 0 : NO_MINUS_ZERO);
    if (x != x)
        flags |= NOT_A_NUMBER;
    else if (isinf(x))
        flags |= x > 0 ? PLUS_INFINITY : MINUS_INFINITY;
    return flags;
}

/* The lowest bin that holds every number below 2^(exponent - 1022), 2^39 times its unit; `exponent` as in the bits. */
static inline unsigned bin_of(uint64_t exponent)
{
    return exponent < 28 ? 0 : (unsigned)(exponent - 28) / WIDTH;
}

/* Adding 3/2 2^52 units rounds to a multiple of the unit, and leaves its number in the low bits. */
static inline uint64_t rounder(unsigned bin)
{
    return (uint64_t)(1 + WIDTH * (bin + 2)) << 52 | (uint64_t)1 << 51;
}

static inline void cut(double x, unsigned bin, int64_t digit[3])
{
    uint64_t unit = rounder(bin);
    for (int i = 0; i < 3; i++, unit -= (uint64_t)WIDTH << 52) {
        double rounded = x + of_bits(unit);
        digit[i] = (int64_t)(bits_of(rounded) - unit);
        x -= rounded - of_bits(unit);
    }
}

/* A number, finite, in the bins from `bin` on.  The unit of the highest bins is too large for the rounder; everything
 * is taken two bins lower, where what is lost of small numbers is nothing but zeros. */
static inline void cut_any(double x, unsigned bin, int64_t digit[3])
{
    if (bin == TOP)
        cut(x * 0x1p-80, bin - 2, digit);
    else
        cut(x, bin, digit);
}

static struct sum of_number(double x)
{
    struct sum s = {.flags = flags_of(x)};
    uint64_t exponent = bits_of(x) >> 52 & 0x7ff;
    int64_t digit[3];
    if (exponent == 0x7ff)
        return s;
    s.bin = bin_of(exponent);
    cut_any(x, s.bin, digit);
    for (int i = 0; i < 3; i++)
        s.digit[i] = digit[i];
    return s;
}

static inline void merge(struct sum *s, struct sum other)
{
    raise_to(s, other.bin);
    raise_to(&other, s->bin);
    for (int i = 0; i < 3; i++)
        s->digit[i] += other.digit[i];
    s->flags |= other.flags;
}

void tf_binned_add(struct tf_binned *sum, double x)
{
    struct sum s = unpack(sum);
    merge(&s, of_number(x));
    *sum = pack(&s);
}

void tf_binned_merge(struct tf_binned *sum, const struct tf_binned *other)
{
    struct sum s = unpack(sum);
    merge(&s, unpack(other));
    *sum = pack(&s);
}

/* Move what is more than half a unit of the bin above into it. */
static inline void carry_up(wide *above, wide *digit)
{
    wide carry = (*digit + ((wide)1 << (WIDTH - 1))) >> WIDTH;
    *digit -= carry * ((wide)1 << WIDTH);
    *above += carry;
}

double tf_binned_value(const struct tf_binned *sum)
{
    struct sum s = unpack(sum);
    if (s.flags & (NOT_A_NUMBER | PLUS_INFINITY | MINUS_INFINITY)) {
        bool both = (s.flags & PLUS_INFINITY) && (s.flags & MINUS_INFINITY);
        return s.flags & NOT_A_NUMBER || both ? (double)NAN : s.flags & PLUS_INFINITY ? INFINITY : -INFINITY;
    }
    carry_up(&s.digit[1], &s.digit[2]);
    carry_up(&s.digit[0], &s.digit[1]);
    /* In units of the lowest bin.  The last addition is the one that rounds; the others are exact, or far below. */
    double first = (double)s.digit[0], high = first * 0x1p80, middle = (double)s.digit[1] * 0x1p40;
    double low = (double)s.digit[2] + (double)(s.digit[0] - (wide)first) * 0x1p80;
    double top = high + middle, rest = middle - (top - high);
    double value = top + (rest + low);
    if (value == 0)
        return s.flags & ANYTHING && !(s.flags & NO_MINUS_ZERO) ? -0.0 : 0.0;
    /* The unit is 2^(40 bin - 1074), which may be less than any normal double and the value more than any double. */
    int exponent = WIDTH * (int)s.bin - 1074, half = exponent / 2;
    return value * of_bits((uint64_t)(1023 + half) << 52) * of_bits((uint64_t)(1023 + exponent - half) << 52);
}

/* ---- vectors ---- */

struct tf_binned_form tf_binned_form(enum tf_basic basic)
{
    switch (basic) {
    case TF_DOUBLE:
        return (struct tf_binned_form){1, false};
    case TF_COMPLEX_DOUBLE:
        return (struct tf_binned_form){2, false};
    case TF_FLOAT:
        return (struct tf_binned_form){1, true};
    case TF_COMPLEX_FLOAT:
        return (struct tf_binned_form){2, true};
    default:
        return (struct tf_binned_form){0, false};
    }
}

static inline double number_at(const void *x, bool single, size_t i)
{
    double number;
    float narrow;
    if (single) {
        memcpy(&narrow, (const char *)x + i * sizeof narrow, sizeof narrow);
        return narrow;
    }
    memcpy(&number, (const char *)x + i * sizeof number, sizeof number);
    return number;
}

static inline void put_number(void *x, bool single, size_t i, double number)
{
    float narrow = (float)number;
    if (single)
        memcpy((char *)x + i * sizeof narrow, &narrow, sizeof narrow);
    else
        memcpy((char *)x + i * sizeof number, &number, sizeof number);
}

void tf_binned_from(struct tf_binned *sums, struct tf_binned_form form, const void *x, size_t n)
{
    for (size_t i = 0; i < n * (size_t)form.parts; i++) {
        struct sum s = of_number(number_at(x, form.single, i));
        sums[i] = pack(&s);
    }
}

void tf_binned_to(void *x, struct tf_binned_form form, const struct tf_binned *sums, size_t n)
{
    for (size_t i = 0; i < n * (size_t)form.parts; i++)
        put_number(x, form.single, i, tf_binned_value(&sums[i]));
}

void tf_binned_kernel(void *dst, const void *a, const void *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct tf_binned left, right;
        memcpy(&left, (const char *)a + i * sizeof left, sizeof left);
        memcpy(&right, (const char *)b + i * sizeof right, sizeof right);
        tf_binned_merge(&left, &right);
        memcpy((char *)dst + i * sizeof left, &left, sizeof left);
    }
}

enum { TILE = 256 };

/* Numbers that the kernels take together, at most TILE. */
static void add_tile(struct tf_binned *sum, const double *x, size_t n)
{
    uint64_t exponent = tf_binned_kernels->highest(x, n);
    unsigned bin = bin_of(exponent);
    if (exponent == 0x7ff || bin >= TOP) {
        for (size_t i = 0; i < n; i++)
            tf_binned_add(sum, x[i]);
        return;
    }
    struct sum s = unpack(sum);
    int64_t digits[3] = {0, 0, 0};
    raise_to(&s, bin);
    if (s.bin < TOP) {
        tf_binned_kernels->add(digits, x, n, s.bin);
    } else {
        for (size_t i = 0; i < n; i++) {
            int64_t digit[3];
            cut_any(x[i], TOP, digit);
            for (int k = 0; k < 3; k++)
                digits[k] += digit[k];
        }
    }
    for (int k = 0; k < 3; k++)
        s.digit[k] += digits[k];
    s.flags |= ANYTHING;
    for (size_t i = 0; i < n && !(s.flags & NO_MINUS_ZERO); i++)
        s.flags |= flags_of(x[i]);
    *sum = pack(&s);
}

void tf_binned_add_all(struct tf_binned *sum, struct tf_binned_form form, const void *x, size_t n)
{
    double tile[TILE];
    for (size_t done = 0; done < n; done += TILE) {
        size_t now = n - done < TILE ? n - done : TILE;
        for (int part = 0; part < form.parts; part++) {
            for (size_t i = 0; i < now; i++)
                tile[i] = number_at(x, form.single, (done + i) * (size_t)form.parts + (size_t)part);
            add_tile(&sum[part], tile, now);
        }
    }
}

/* One by one, what the kernel declines. */
static void combine_slowly(double *dst, const double *const *src, size_t vectors, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct tf_binned sum = {0};
        for (size_t j = 0; j < vectors; j++)
            tf_binned_add(&sum, src[j][i]);
        dst[i] = tf_binned_value(&sum);
    }
}

/* At most so many vectors go to the kernel at once: their tiles of doubles stay in the first cache.  More are summed in
 * accumulators. */
enum { MOST_VECTORS = 16 };

static void combine_many(void *dst, struct tf_binned_form form, const char *src, ptrdiff_t stride, size_t vectors,
                         size_t n)
{
    struct tf_binned sums[TILE] = {{0}}, next[TILE];
    struct tf_binned_form part = {1, form.single};
    for (size_t j = 0; j < vectors; j++) {
        tf_binned_from(next, part, src + (ptrdiff_t)j * stride, n);
        tf_binned_kernel(sums, sums, next, n);
    }
    tf_binned_to(dst, part, sums, n);
}

void tf_binned_combine(void *dst, struct tf_binned_form form, const void *src, ptrdiff_t stride, size_t vectors,
                       size_t n)
{
    double tiles[MOST_VECTORS][TILE], result[TILE];
    const double *operands[MOST_VECTORS];
    size_t width = form.single ? sizeof(float) : sizeof(double);
    n *= (size_t)form.parts;
    for (size_t done = 0, now; done < n; done += now) {
        const char *from = (const char *)src + done * width;
        void *to = (char *)dst + done * width;
        now = n - done < TILE ? n - done : TILE;
        if (vectors > MOST_VECTORS) {
            combine_many(to, form, from, stride, vectors, now);
            continue;
        }
        for (size_t j = 0; j < vectors; j++) {
            for (size_t i = 0; i < now; i++)
                tiles[j][i] = number_at(from + (ptrdiff_t)j * stride, form.single, i);
            operands[j] = tiles[j];
        }
        if (!tf_binned_kernels->combine(result, operands, vectors, now))
            combine_slowly(result, operands, vectors, now);
        for (size_t i = 0; i < now; i++)
            put_number(to, form.single, i, result[i]);
    }
}
