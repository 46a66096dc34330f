/* foreign.c - conversion of elements from this machine's representation to external32's and back.
 *
 * Most are the same bytes in the other order: a loop that compilers turn into vector instructions.  The others:
 *
 *   long, unsigned long    4 bytes for 8
 *   wchar_t                2 bytes for 4
 *   bool, LOGICAL          0 is false and anything else true, whatever the other machine takes for true
 *   long double            16 bytes of IEEE binary128 for the 80 bits that x86 has:
 *
 *       x86        sign, 15 bits of exponent; 1 bit before the point, 63 behind it
 *       binary128  sign, 15 bits of exponent; 112 bits behind the point
 *
 * The exponents mean the same, those of subnormal numbers, infinities and NaN too: the fraction is moved by 49 bits.
 */
#include "type/foreign.h"

#include <float.h>

typedef unsigned __int128 uint128;

static uint128 bswap128(uint128 x)
{
    return (uint128)__builtin_bswap64((uint64_t)x) << 64 | __builtin_bswap64((uint64_t)(x >> 64));
}
#define bswap8(x) (x)
#define bswap16(x) __builtin_bswap16(x)
#define bswap32(x) __builtin_bswap32(x)
#define bswap64(x) __builtin_bswap64(x)

/* convert(to, from, n): each element of type `In` becomes the value of `expression` of it, x, as an `Out`.  Compiled
 * twice, as the instructions that every processor has are slow at turning bytes round. */
#ifdef TF_HAVE_AVX2
#define EACH(name, Out, In, expression)                                                                                \
    EACH_ON(name##_plain, , Out, In, expression)                                                                       \
    EACH_ON(name##_avx2, __attribute__((target("avx2"))), Out, In, expression)                                         \
    static void name(void *to, const void *from, size_t n)                                                             \
    {                                                                                                                  \
        (__builtin_cpu_supports("avx2") ? name##_avx2 : name##_plain)(to, from, n);                                    \
    }
#else
#define EACH(name, Out, In, expression) EACH_ON(name, , Out, In, expression)
#endif
#define EACH_ON(name, target, Out, In, expression)                                                                     \
    target static void name(void *restrict to, const void *restrict from, size_t n)                                    \
    {                                                                                                                  \
        for (size_t i = 0; i < n; i++) {                                                                               \
            In x;                                                                                                      \
            memcpy(&x, (const char *)from + i * sizeof x, sizeof x);                                                   \
            Out y = (Out)(expression);                                                                                 \
            memcpy((char *)to + i * sizeof y, &y, sizeof y);                                                           \
        }                                                                                                              \
    }

/* ---- the same bytes ---- */

#define TURNED(bits, T)                                                                                                \
    static void turn##bits(char *to, ptrdiff_t to_stride, const char *from, ptrdiff_t from_stride, size_t n)           \
    {                                                                                                                  \
        for (size_t i = 0; i < n; i++, to += to_stride, from += from_stride) {                                         \
            T x;                                                                                                       \
            memcpy(&x, from, sizeof x);                                                                                \
            x = bswap##bits(x);                                                                                        \
            memcpy(to, &x, sizeof x);                                                                                  \
        }                                                                                                              \
    }
TURNED(8, uint8_t)

static int copy(void *to, const void *from, size_t n)
{
    memcpy(to, from, n);
    return MPI_SUCCESS;
}
static const struct tf_foreign bytes = {1, 1, copy, copy, turn8};

#define SWAPPED(bits, T)                                                                                               \
    TURNED(bits, T)                                                                                                    \
    EACH(swap_each##bits, T, T, bswap##bits(x))                                                                        \
    static int swap##bits(void *to, const void *from, size_t n)                                                        \
    {                                                                                                                  \
        swap_each##bits(to, from, n);                                                                                  \
        return MPI_SUCCESS;                                                                                            \
    }                                                                                                                  \
    static const struct tf_foreign swapped##bits = {bits / 8, bits / 8, swap##bits, swap##bits, turn##bits};
SWAPPED(16, uint16_t)
SWAPPED(32, uint32_t)
SWAPPED(64, uint64_t)
SWAPPED(128, uint128)

/* ---- fewer bytes ---- */

/* The first element that does not fit is looked for only if there is one. */
#define NARROWED(name, Native, Narrow, bits, format, Printed)                                                          \
    EACH(pack_each_##name, uint##bits##_t, Native, bswap##bits((uint##bits##_t)x))                                     \
    EACH(unpack_each_##name, Native, uint##bits##_t, (Narrow)bswap##bits(x))                                           \
    static int pack_##name(void *to, const void *from, size_t n)                                                       \
    {                                                                                                                  \
        Native beyond = 0, x;                                                                                          \
        for (size_t i = 0; i < n; i++) {                                                                               \
            memcpy(&x, (const char *)from + i * sizeof x, sizeof x);                                                   \
            beyond |= x ^ (Narrow)x;                                                                                   \
        }                                                                                                              \
        for (size_t i = 0; i < n && beyond; i++) {                                                                     \
            memcpy(&x, (const char *)from + i * sizeof x, sizeof x);                                                   \
            if (x != (Narrow)x)                                                                                        \
                return tf_error(MPI_ERR_CONVERSION,                                                                    \
                                "an element of " #name " is " format "; external32 has %zu bytes for it, "             \
                                "which do not hold that",                                                              \
                                (Printed)x, sizeof(Narrow));                                                           \
        }                                                                                                              \
        pack_each_##name(to, from, n);                                                                                 \
        return MPI_SUCCESS;                                                                                            \
    }                                                                                                                  \
    static int unpack_##name(void *to, const void *from, size_t n)                                                     \
    {                                                                                                                  \
        unpack_each_##name(to, from, n);                                                                               \
        return MPI_SUCCESS;                                                                                            \
    }                                                                                                                  \
    static const struct tf_foreign narrowed_##name = {sizeof(Native), sizeof(Narrow), pack_##name, unpack_##name, NULL};
NARROWED(MPI_LONG, int64_t, int32_t, 32, "%lld", long long)
NARROWED(MPI_UNSIGNED_LONG, uint64_t, uint32_t, 32, "%llu", unsigned long long)
NARROWED(MPI_WCHAR, uint32_t, uint16_t, 16, "U+%X", unsigned)

/* ---- truth: 1 in the last byte, or 1 in the first ---- */

#define TRUTH(bits, T)                                                                                                 \
    EACH(pack_each_truth##bits, T, T, bswap##bits((T)(x != 0)))                                                        \
    EACH(unpack_each_truth##bits, T, T, x != 0)                                                                        \
    static int pack_truth##bits(void *to, const void *from, size_t n)                                                  \
    {                                                                                                                  \
        pack_each_truth##bits(to, from, n);                                                                            \
        return MPI_SUCCESS;                                                                                            \
    }                                                                                                                  \
    static int unpack_truth##bits(void *to, const void *from, size_t n)                                                \
    {                                                                                                                  \
        unpack_each_truth##bits(to, from, n);                                                                          \
        return MPI_SUCCESS;                                                                                            \
    }                                                                                                                  \
    static const struct tf_foreign truth##bits = {bits / 8, bits / 8, pack_truth##bits, unpack_truth##bits, NULL};
TRUTH(8, uint8_t)
TRUTH(16, uint16_t)
TRUTH(32, uint32_t)
TRUTH(64, uint64_t)
TRUTH(128, uint128)

/* ---- long double ---- */

#if LDBL_MANT_DIG == 64
enum { EXPONENT = 0x7fff, SIGN = 0x8000 };
#define POINT (UINT64_C(1) << 63) /* the bit before the point */
#define QUIET (UINT64_C(1) << 62) /* set in the fraction of a NaN that traps nobody */
#define FRACTION (((uint128)1 << 112) - 1)

struct extended {
    uint64_t fraction;
    uint16_t head; /* sign and exponent */
    uint8_t padding[6];
};

static uint128 to_binary128(const struct extended *x)
{
    uint16_t head = x->head;
    uint64_t fraction = x->fraction;
    if ((head & EXPONENT) && !(fraction & POINT))
        head |= EXPONENT, fraction |= QUIET; /* what the processor takes for no number */
    if (!(head & EXPONENT) && (fraction & POINT))
        head++; /* what it takes for a normal number */
    return (uint128)head << 112 | (uint128)(fraction & ~POINT) << 49;
}

/* Rounded to the nearest, and to an even one in the middle; a fraction that overflows goes into the exponent. */
static struct extended from_binary128(uint128 x)
{
    uint16_t sign = (uint16_t)(x >> 112) & SIGN;
    uint128 rest = x & ~((uint128)1 << 127);
    bool nan = rest > (uint128)EXPONENT << 112;
    if (!nan)
        rest += (((uint128)1 << 48) - 1) + (rest >> 49 & 1);
    uint16_t exponent = (uint16_t)(rest >> 112);
    uint64_t fraction = (uint64_t)((rest & FRACTION) >> 49);
    return (struct extended){.head = sign | exponent,
                             .fraction = fraction | (exponent ? POINT : 0) | (nan ? QUIET : 0)};
}

static int pack_extended(void *to, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct extended x;
        memcpy(&x, (const char *)from + i * sizeof x, sizeof x);
        uint128 y = bswap128(to_binary128(&x));
        memcpy((char *)to + i * sizeof y, &y, sizeof y);
    }
    return MPI_SUCCESS;
}

static int unpack_extended(void *to, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint128 x;
        memcpy(&x, (const char *)from + i * sizeof x, sizeof x);
        struct extended y = from_binary128(bswap128(x));
        memcpy((char *)to + i * sizeof y, &y, sizeof y);
    }
    return MPI_SUCCESS;
}
static const struct tf_foreign extended = {16, 16, pack_extended, unpack_extended, NULL};
#define LONG_DOUBLE &extended
#define QUAD &swapped128
#elif LDBL_MANT_DIG == 113
#define LONG_DOUBLE &swapped128
#define QUAD &swapped128
#else /* POWER's, which is the sum of two doubles */
static int pack_doubles(void *to, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        long double x;
        memcpy(&x, (const char *)from + i * sizeof x, sizeof x);
        __float128 y = x;
        turn128((char *)to + i * sizeof y, 0, (const char *)&y, 0, 1);
    }
    return MPI_SUCCESS;
}

static int unpack_doubles(void *to, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        __float128 x;
        turn128((char *)&x, 0, (const char *)from + i * sizeof x, 0, 1);
        long double y = (long double)x;
        memcpy((char *)to + i * sizeof y, &y, sizeof y);
    }
    return MPI_SUCCESS;
}
static const struct tf_foreign doubles = {16, 16, pack_doubles, unpack_doubles, NULL};
#define LONG_DOUBLE &doubles
#define QUAD &doubles
#endif

/* ---- which it is ---- */

static const struct tf_foreign *const by_element[TF_NBASIC] = {
    [TF_INT8] = &bytes,
    [TF_UINT8] = &bytes,
    [TF_CHAR] = &bytes,
    [TF_FORTRAN_INT8] = &bytes,
    [TF_FORTRAN_CHAR] = &bytes,
    [TF_BYTE] = &bytes,
    [TF_INT16] = &swapped16,
    [TF_UINT16] = &swapped16,
    [TF_FORTRAN_INT16] = &swapped16,
    [TF_FLOAT16] = &swapped16,
    [TF_COMPLEX_FLOAT16] = &swapped16,
    [TF_INT32] = &swapped32,
    [TF_UINT32] = &swapped32,
    [TF_FORTRAN_INT32] = &swapped32,
    [TF_FLOAT] = &swapped32,
    [TF_COMPLEX_FLOAT] = &swapped32,
    [TF_INT64] = &swapped64,
    [TF_UINT64] = &swapped64,
    [TF_FORTRAN_INT64] = &swapped64,
    [TF_MULTI] = &swapped64,
    [TF_DOUBLE] = &swapped64,
    [TF_COMPLEX_DOUBLE] = &swapped64,
    [TF_BINNED] = &swapped64, /* ours: its four words */
    [TF_COMPLEX_BINNED] = &swapped64,
    [TF_INT128] = &swapped128,
    [TF_FLOAT128] = QUAD,
    [TF_COMPLEX_FLOAT128] = QUAD,
    [TF_LONG_DOUBLE] = LONG_DOUBLE,
    [TF_COMPLEX_LONG_DOUBLE] = LONG_DOUBLE,
    [TF_BOOL] = &truth8,
    [TF_LOGICAL1] = &truth8,
    [TF_LOGICAL2] = &truth16,
    [TF_LOGICAL4] = &truth32,
    [TF_LOGICAL8] = &truth64,
    [TF_LOGICAL16] = &truth128,
};

const struct tf_foreign *tf_foreign_of(const struct tf_type *type)
{
    MPI_Datatype handle = (MPI_Datatype)(uintptr_t)type->obj.handle;
    if (handle == MPI_LONG)
        return &narrowed_MPI_LONG;
    if (handle == MPI_UNSIGNED_LONG)
        return &narrowed_MPI_UNSIGNED_LONG;
    if (handle == MPI_WCHAR)
        return &narrowed_MPI_WCHAR;
    if (handle == MPI_PACKED)
        return &bytes;
    return by_element[type->basic];
}
