/* reference.c - scalar answers for the kernels: see reference.h. */
#include "reference.h"

#include "../../numbers.h"

typedef __int128 int128;
typedef unsigned __int128 uint128;

#define SIMPLE(b, c, ctype, is_signed)                                                                                 \
    {                                                                                                                  \
#b, TF_##b, c, sizeof(ctype), is_signed, 0, 0, 0                                                               \
    }
#define PARTS(b, part, ctype)                                                                                          \
    {                                                                                                                  \
#b, TF_##b, COMPLEX, 2 * sizeof(ctype), true, TF_##part, TF_##part, sizeof(ctype)                              \
    }
#define A_PAIR(b, value_basic, index_basic, tag)                                                                       \
    {                                                                                                                  \
#b, TF_##b, PAIR, sizeof(struct tag), true, TF_##value_basic, TF_##index_basic, offsetof(struct tag, index)    \
    }

const struct reference_type reference_types[] = {
    SIMPLE(INT8, INTEGER, int8_t, true),
    SIMPLE(INT16, INTEGER, int16_t, true),
    SIMPLE(INT32, INTEGER, int32_t, true),
    SIMPLE(INT64, INTEGER, int64_t, true),
    SIMPLE(FORTRAN_INT8, FORTRAN_INTEGER, int8_t, true),
    SIMPLE(FORTRAN_INT16, FORTRAN_INTEGER, int16_t, true),
    SIMPLE(FORTRAN_INT32, FORTRAN_INTEGER, int32_t, true),
    SIMPLE(FORTRAN_INT64, FORTRAN_INTEGER, int64_t, true),
    SIMPLE(INT128, WIDE_INTEGER, int128, true),
    SIMPLE(UINT8, INTEGER, uint8_t, false),
    SIMPLE(UINT16, INTEGER, uint16_t, false),
    SIMPLE(UINT32, INTEGER, uint32_t, false),
    SIMPLE(UINT64, INTEGER, uint64_t, false),
    SIMPLE(MULTI, MULTI_LANGUAGE, int64_t, true),
    SIMPLE(CHAR, CHARACTER, int8_t, true),
    SIMPLE(FORTRAN_CHAR, FORTRAN_CHARACTER, int8_t, true),
    SIMPLE(BYTE, BYTE, uint8_t, false),
    SIMPLE(BOOL, BOOL, uint8_t, false),
    SIMPLE(LOGICAL1, LOGICAL, int8_t, true),
    SIMPLE(LOGICAL2, LOGICAL, int16_t, true),
    SIMPLE(LOGICAL4, LOGICAL, int32_t, true),
    SIMPLE(LOGICAL8, LOGICAL, int64_t, true),
    SIMPLE(LOGICAL16, LOGICAL, int128, true),
    SIMPLE(FLOAT16, REAL, struct tf_half, true),
    SIMPLE(FLOAT, REAL, float, true),
    SIMPLE(DOUBLE, REAL, double, true),
    SIMPLE(LONG_DOUBLE, REAL, long double, true),
    SIMPLE(FLOAT128, REAL, quad, true),
    PARTS(COMPLEX_FLOAT16, FLOAT16, struct tf_half),
    PARTS(COMPLEX_FLOAT, FLOAT, float),
    PARTS(COMPLEX_DOUBLE, DOUBLE, double),
    PARTS(COMPLEX_LONG_DOUBLE, LONG_DOUBLE, long double),
    PARTS(COMPLEX_FLOAT128, FLOAT128, quad),
    A_PAIR(PAIR_FLOAT_INT, FLOAT, INT32, tf_pair_float_int),
    A_PAIR(PAIR_DOUBLE_INT, DOUBLE, INT32, tf_pair_double_int),
    A_PAIR(PAIR_LONG_INT, INT64, INT32, tf_pair_long_int),
    A_PAIR(PAIR_INT_INT, INT32, INT32, tf_pair_int_int),
    A_PAIR(PAIR_SHORT_INT, INT16, INT32, tf_pair_short_int),
    A_PAIR(PAIR_LONG_DOUBLE_INT, LONG_DOUBLE, INT32, tf_pair_long_double_int),
    A_PAIR(PAIR_FLOAT_FLOAT, FLOAT, FLOAT, tf_pair_float_float),
    A_PAIR(PAIR_DOUBLE_DOUBLE, DOUBLE, DOUBLE, tf_pair_double_double),
};
const size_t reference_ntypes = TF_ARRAY_LEN(reference_types);

const char *const reference_levels[] = {"sse2", "avx2", "avx512"};
const size_t reference_nlevels = TF_ARRAY_LEN(reference_levels);

bool reference_use_level(const char *level)
{
    static tf_kernel *const *narrower;
    tf_op_setup(level);
    tf_kernel *const *now = tf_op_find(MPI_SUM)->kernels;
    bool there = level == reference_levels[0] || now != narrower;
    narrower = now;
    return there;
}

bool reference_allows(enum tf_op_index op, enum reference_class class)
{
    bool number = class == INTEGER || class == FORTRAN_INTEGER || class == WIDE_INTEGER || class == MULTI_LANGUAGE ||
                  class == REAL;
    switch (op) {
    case TF_OP_MAX:
    case TF_OP_MIN:
        return number;
    case TF_OP_SUM:
    case TF_OP_PROD:
        return number || class == COMPLEX;
    case TF_OP_LAND:
    case TF_OP_LOR:
    case TF_OP_LXOR:
        return class == INTEGER || class == BOOL || class == LOGICAL;
    case TF_OP_BAND:
    case TF_OP_BOR:
    case TF_OP_BXOR:
        return (number && class != REAL) || class == BYTE;
    default:
        return class == PAIR;
    }
}

bool reference_beyond(enum tf_op_index op, enum reference_class class)
{
    bool logical = op == TF_OP_LAND || op == TF_OP_LOR || op == TF_OP_LXOR;
    switch (class) {
    case FORTRAN_INTEGER:
    case MULTI_LANGUAGE:
        return logical;
    case CHARACTER:
        return op != TF_OP_MINLOC && op != TF_OP_MAXLOC;
    case FORTRAN_CHARACTER: /* whether letters beyond ASCII come first or last is not agreed upon */
        return op != TF_OP_MINLOC && op != TF_OP_MAXLOC && op != TF_OP_MAX && op != TF_OP_MIN;
    default:
        return false;
    }
}

static const struct reference_type *type_of(enum tf_basic basic)
{
    const struct reference_type *type = reference_types;
    while (type->basic != basic)
        type++;
    return type;
}

/* Little-endian bytes, sign-extended to 128 bits. */
static int128 get_integer(const struct reference_type *type, const void *from)
{
    int128 x = 0;
    memcpy(&x, from, type->size);
    unsigned unused = 128 - 8 * (unsigned)type->size;
    return type->is_signed ? (int128)((uint128)x << unused) >> unused : x;
}

static void put_integer(const struct reference_type *type, void *to, uint128 x)
{
    memcpy(to, &x, type->size);
}

static void apply_integer(enum tf_op_index op, const struct reference_type *type, void *dst, const void *a,
                          const void *b)
{
    int128 x = get_integer(type, a), y = get_integer(type, b);
    bool truth[] = {[TF_OP_LAND] = x && y, [TF_OP_LOR] = x || y, [TF_OP_LXOR] = !x != !y};
    uint128 is_true = type->class == LOGICAL ? (uint128)tf_op_logical_true : 1;
    uint128 result = 0;
    switch (op) {
    case TF_OP_MAX:
        result = x >= y ? x : y;
        break;
    case TF_OP_MIN:
        result = x >= y ? y : x;
        break;
    case TF_OP_SUM:
        result = (uint128)x - ~(uint128)y - 1;
        break;
    case TF_OP_PROD:
        for (unsigned bit = 0; bit < 8 * type->size; bit++)
            result += (uint128)y >> bit & 1 ? (uint128)x << bit : 0;
        break;
    case TF_OP_BAND:
        result = ~(~(uint128)x | ~(uint128)y);
        break;
    case TF_OP_BOR:
        result = ~(~(uint128)x & ~(uint128)y);
        break;
    case TF_OP_BXOR:
        result = (x | y) & ~(x & y);
        break;
    default:
        result = truth[op] ? is_true : 0;
    }
    put_integer(type, dst, result);
}

/* Every real fits the widest format; a sum or product rounded there and then to its own format is right, since that has
 * less than half the digits; only for the two widest formats it would not, and those are computed as they are. */
static quad get_real(enum tf_basic basic, const void *from)
{
    union {
        uint16_t h;
        float f;
        double d;
        long double l;
        quad q;
    } x;
    memcpy(&x, from, type_of(basic)->size);
    switch (basic) {
    case TF_FLOAT16:
        return quad_of_half(x.h);
    case TF_FLOAT:
        return x.f;
    case TF_DOUBLE:
        return x.d;
    case TF_LONG_DOUBLE:
        return x.l;
    default:
        return x.q;
    }
}

#define LONG_DOUBLE_BYTES (LDBL_MANT_DIG == 64 ? 10 : 16) /* of the 16; the others are padding */

static void put_real(enum tf_basic basic, void *to, quad x)
{
    uint16_t h = half_of_quad(x);
    float f = (float)x;
    double d = (double)x;
    long double l = (long double)x;
    switch (basic) {
    case TF_FLOAT16:
        memcpy(to, &h, sizeof h);
        break;
    case TF_FLOAT:
        memcpy(to, &f, sizeof f);
        break;
    case TF_DOUBLE:
        memcpy(to, &d, sizeof d);
        break;
    case TF_LONG_DOUBLE:
        memcpy(to, &l, LONG_DOUBLE_BYTES);
        break;
    default:
        memcpy(to, &x, sizeof x);
    }
}

static quad rounded(enum tf_basic basic, quad x)
{
    char bytes[16];
    put_real(basic, bytes, x);
    return get_real(basic, bytes);
}

static quad sum(enum tf_basic basic, quad x, quad y)
{
    return basic == TF_LONG_DOUBLE ? (quad)((long double)x + (long double)y) : rounded(basic, x + y);
}

static quad product(enum tf_basic basic, quad x, quad y)
{
    return basic == TF_LONG_DOUBLE ? (quad)((long double)x * (long double)y) : rounded(basic, x * y);
}

/* Which comes first where MIN looks for the least: numbers in order, -0 before +0. */
static bool before(quad x, quad y)
{
    if (x == 0 && y == 0)
        return signbit(x) && !signbit(y);
    return x < y;
}

/* MAX and MIN hand on the bits of an operand. */
static void apply_real(enum tf_op_index op, const struct reference_type *type, void *dst, const void *a, const void *b)
{
    quad x = get_real(type->basic, a), y = get_real(type->basic, b);
    bool first;
    if (op == TF_OP_SUM || op == TF_OP_PROD) {
        put_real(type->basic, dst, op == TF_OP_SUM ? sum(type->basic, x, y) : product(type->basic, x, y));
        return;
    }
    if (x != x || y != y)
        first = x != x;
    else
        first = op == TF_OP_MAX ? !before(x, y) : !before(y, x);
    memcpy(dst, first ? a : b, type->basic == TF_LONG_DOUBLE ? LONG_DOUBLE_BYTES : type->size);
}

/* Halves are multiplied in float and rounded at the end; the others at every step. */
static void apply_complex(enum tf_op_index op, const struct reference_type *type, void *dst, const void *a,
                          const void *b)
{
    size_t next = type->index_offset;
    enum tf_basic step = type->value == TF_FLOAT16 ? TF_FLOAT : type->value;
    quad xr = get_real(type->value, a), xi = get_real(type->value, (const char *)a + next);
    quad yr = get_real(type->value, b), yi = get_real(type->value, (const char *)b + next);
    quad re, im;
    if (op == TF_OP_SUM) {
        re = sum(type->value, xr, yr);
        im = sum(type->value, xi, yi);
    } else {
        re = sum(step, product(step, xr, yr), -product(step, xi, yi));
        im = sum(step, product(step, xr, yi), product(step, xi, yr));
    }
    put_real(type->value, dst, re);
    put_real(type->value, (char *)dst + next, im);
}

static bool is_real(enum tf_basic basic)
{
    return type_of(basic)->class == REAL;
}

static quad get_number(enum tf_basic basic, const void *from)
{
    return is_real(basic) ? get_real(basic, from) : (quad)get_integer(type_of(basic), from);
}

static void apply_loc(enum tf_op_index op, const struct reference_type *type, void *dst, const void *a, const void *b)
{
    size_t next = type->index_offset;
    quad x = get_number(type->value, a), y = get_number(type->value, b);
    quad x_index = get_number(type->index, (const char *)a + next);
    quad y_index = get_number(type->index, (const char *)b + next);
    /* How much each is worth: a NaN most of all, else the value, turned around for MINLOC. */
    quad x_worth = x != x ? 1 : 0, y_worth = y != y ? 1 : 0;
    if (x_worth == 0 && y_worth == 0) {
        x_worth = op == TF_OP_MAXLOC ? x : -x;
        y_worth = op == TF_OP_MAXLOC ? y : -y;
    }
    bool second = x_worth < y_worth || (x_worth == y_worth && y_index < x_index);
    const char *winner = second ? b : a;
    size_t value_size = type->value == TF_LONG_DOUBLE ? LONG_DOUBLE_BYTES : type_of(type->value)->size;
    memcpy(dst, winner, value_size);
    memcpy((char *)dst + next, winner + next, type_of(type->index)->size);
}

void reference_apply(enum tf_op_index op, const struct reference_type *type, void *dst, const void *a, const void *b)
{
    if (type->class == REAL)
        apply_real(op, type, dst, a, b);
    else if (type->class == COMPLEX)
        apply_complex(op, type, dst, a, b);
    else if (type->class == PAIR)
        apply_loc(op, type, dst, a, b);
    else
        apply_integer(op, type, dst, a, b);
}

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33 ^ *seed << 31;
}

static void integer_value(const struct reference_type *type, uint64_t *seed, void *dst)
{
    uint128 top = (uint128)1 << (8 * type->size - 1);
    const uint128 extremes[] = {0, 1, 2, top, top - 1, top + 1, 2 * top - 1, 2 * top - 2, top >> 1, 3, 255};
    uint64_t i = next_random(seed) % (TF_ARRAY_LEN(extremes) + 4);
    uint128 random = (uint128)next_random(seed) << 64 | next_random(seed);
    put_integer(type, dst, i < TF_ARRAY_LEN(extremes) ? extremes[i] : random);
}

static quad power(quad base, int exponent)
{
    quad result = 1;
    for (; exponent > 0; exponent /= 2, base *= base)
        result *= exponent % 2 ? base : 1;
    return result;
}

static void real_value(enum tf_basic basic, uint64_t *seed, void *dst)
{
    static const struct {
        enum tf_basic basic;
        int digits, max_exp, min_exp;
    } formats[] = {{TF_FLOAT16, 11, 16, -13},
                   {TF_FLOAT, 24, 128, -125},
                   {TF_DOUBLE, 53, 1024, -1021},
                   {TF_LONG_DOUBLE, LDBL_MANT_DIG, 16384, -16381},
                   {TF_FLOAT128, 113, 16384, -16381}};
    const quad half = (quad)1 / 2;
    size_t f = 0;
    while (formats[f].basic != basic)
        f++;
    quad huge = power(2, formats[f].max_exp - 1), tiny = power(half, formats[f].digits - formats[f].min_exp);
    quad epsilon = power(half, formats[f].digits - 1);
    const quad extremes[] = {0,
                             1,
                             2,
                             3,
                             huge * (2 - epsilon),
                             huge,
                             tiny,
                             tiny * 3,
                             1 / huge,
                             1 + epsilon,
                             (quad)1 / 10,
                             (quad)1 / 3,
                             (quad)INFINITY,
                             (quad)NAN};
    uint64_t i = next_random(seed) % (TF_ARRAY_LEN(extremes) + 8);
    quad random = (quad)(int64_t)next_random(seed) / ((uint64_t)1 << 50);
    quad x = i < TF_ARRAY_LEN(extremes) ? extremes[i] : random;
    put_real(basic, dst, next_random(seed) % 2 ? -x : x);
}

static void number_value(enum tf_basic basic, uint64_t *seed, void *dst)
{
    if (is_real(basic))
        real_value(basic, seed, dst);
    else
        integer_value(type_of(basic), seed, dst);
}

void reference_value(const struct reference_type *type, uint64_t *seed, void *dst)
{
    if (type->class == PAIR) {
        number_value(type->value, seed, dst);
        float as_float = (float)(next_random(seed) % 5);
        double as_double = as_float;
        int32_t as_int = (int32_t)as_float - 2;
        const void *index = type->index == TF_FLOAT    ? (void *)&as_float
                            : type->index == TF_DOUBLE ? (void *)&as_double
                                                       : (void *)&as_int;
        memcpy((char *)dst + type->index_offset, index, type_of(type->index)->size);
    } else if (type->class == COMPLEX) {
        real_value(type->value, seed, dst);
        real_value(type->value, seed, (char *)dst + type->index_offset);
    } else if (type->class == BOOL) {
        *(uint8_t *)dst = next_random(seed) % 2;
    } else {
        number_value(type->basic, seed, dst);
    }
}

static bool same_number(enum tf_basic basic, const void *x, const void *y, bool any_nan)
{
    if (any_nan && is_real(basic)) {
        quad a = get_real(basic, x), b = get_real(basic, y);
        if (a != a && b != b)
            return true;
    }
    return memcmp(x, y, basic == TF_LONG_DOUBLE ? LONG_DOUBLE_BYTES : type_of(basic)->size) == 0;
}

bool reference_same(const struct reference_type *type, const void *x, const void *y, bool any_nan)
{
    if (type->class != PAIR && type->class != COMPLEX)
        return same_number(type->basic, x, y, any_nan);
    size_t next = type->index_offset;
    return same_number(type->value, x, y, any_nan) &&
           same_number(type->index, (const char *)x + next, (const char *)y + next, any_nan);
}
