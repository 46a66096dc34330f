/* basic.h - the predefined types that reductions take, as a table, and their elements as wide values.
 *
 * An element of any integer type is held as an __int128 and one of any floating type as two quads (real and
 * imaginary part), so that the answer is computed by other code than the library's kernels.
 */
#ifndef BASIC_H
#define BASIC_H

#include "../../numbers.h"
#include "check.h"
#include <complex.h>

enum kind { SIGNED, UNSIGNED, FORTRAN, MULTI, BYTE, BOOL, LOGICAL, FLOATING, COMPLEX };

struct basic {
    const char *name;
    MPI_Datatype type;
    enum kind kind;
    int size; /* of one number: half an element for COMPLEX */
};

#define BASIC(type, kind, ctype)                                                                                       \
    {                                                                                                                  \
#type, type, kind, sizeof(ctype)                                                                               \
    }
static inline const struct basic *basic_types(int *count)
{
    static struct basic types[80];
    const struct basic list[] = {
        BASIC(MPI_SIGNED_CHAR, SIGNED, signed char),
        BASIC(MPI_SHORT, SIGNED, short),
        BASIC(MPI_INT, SIGNED, int),
        BASIC(MPI_LONG, SIGNED, long),
        BASIC(MPI_LONG_LONG, SIGNED, long long),
        BASIC(MPI_LONG_LONG_INT, SIGNED, long long),
        BASIC(MPI_INT8_T, SIGNED, int8_t),
        BASIC(MPI_INT16_T, SIGNED, int16_t),
        BASIC(MPI_INT32_T, SIGNED, int32_t),
        BASIC(MPI_INT64_T, SIGNED, int64_t),
        BASIC(MPI_UNSIGNED_CHAR, UNSIGNED, unsigned char),
        BASIC(MPI_UNSIGNED_SHORT, UNSIGNED, unsigned short),
        BASIC(MPI_UNSIGNED, UNSIGNED, unsigned),
        BASIC(MPI_UNSIGNED_LONG, UNSIGNED, unsigned long),
        BASIC(MPI_UNSIGNED_LONG_LONG, UNSIGNED, unsigned long long),
        BASIC(MPI_UINT8_T, UNSIGNED, uint8_t),
        BASIC(MPI_UINT16_T, UNSIGNED, uint16_t),
        BASIC(MPI_UINT32_T, UNSIGNED, uint32_t),
        BASIC(MPI_UINT64_T, UNSIGNED, uint64_t),
        BASIC(MPI_INTEGER, FORTRAN, int),
        BASIC(MPI_INTEGER1, FORTRAN, int8_t),
        BASIC(MPI_INTEGER2, FORTRAN, int16_t),
        BASIC(MPI_INTEGER4, FORTRAN, int32_t),
        BASIC(MPI_INTEGER8, FORTRAN, int64_t),
#ifdef TREEFOLD
        BASIC(MPI_INTEGER16, FORTRAN, __int128),
#endif
        BASIC(MPI_AINT, MULTI, MPI_Aint),
        BASIC(MPI_OFFSET, MULTI, MPI_Offset),
        BASIC(MPI_COUNT, MULTI, MPI_Count),
        BASIC(MPI_BYTE, BYTE, unsigned char),
        BASIC(MPI_C_BOOL, BOOL, _Bool),
        BASIC(MPI_CXX_BOOL, BOOL, _Bool),
        BASIC(MPI_LOGICAL, LOGICAL, int),
        BASIC(MPI_FLOAT, FLOATING, float),
        BASIC(MPI_DOUBLE, FLOATING, double),
        BASIC(MPI_LONG_DOUBLE, FLOATING, long double),
        BASIC(MPI_REAL, FLOATING, float),
        BASIC(MPI_DOUBLE_PRECISION, FLOATING, double),
        BASIC(MPI_REAL4, FLOATING, float),
        BASIC(MPI_REAL8, FLOATING, double),
#ifdef TREEFOLD
        BASIC(MPI_REAL2, FLOATING, uint16_t),
        BASIC(MPI_COMPLEX4, COMPLEX, uint16_t),
        {"MPI_REAL16", MPI_REAL16, FLOATING, -16},
        {"MPI_COMPLEX32", MPI_COMPLEX32, COMPLEX, -16},
        BASIC(MPI_LOGICAL1, LOGICAL, int8_t),
        BASIC(MPI_LOGICAL2, LOGICAL, int16_t),
        BASIC(MPI_LOGICAL4, LOGICAL, int32_t),
        BASIC(MPI_LOGICAL8, LOGICAL, int64_t),
        BASIC(MPI_LOGICAL16, LOGICAL, __int128),
#endif
        BASIC(MPI_COMPLEX, COMPLEX, float),
        BASIC(MPI_DOUBLE_COMPLEX, COMPLEX, double),
        BASIC(MPI_COMPLEX8, COMPLEX, float),
        BASIC(MPI_COMPLEX16, COMPLEX, double),
        BASIC(MPI_C_COMPLEX, COMPLEX, float),
        BASIC(MPI_C_FLOAT_COMPLEX, COMPLEX, float),
        BASIC(MPI_C_DOUBLE_COMPLEX, COMPLEX, double),
        BASIC(MPI_C_LONG_DOUBLE_COMPLEX, COMPLEX, long double),
        BASIC(MPI_CXX_FLOAT_COMPLEX, COMPLEX, float),
        BASIC(MPI_CXX_DOUBLE_COMPLEX, COMPLEX, double),
        BASIC(MPI_CXX_LONG_DOUBLE_COMPLEX, COMPLEX, long double),
    };
    int n = 0;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (list[i].type != MPI_DATATYPE_NULL)
            types[n++] = list[i];
    *count = n;
    return types;
}

static inline bool basic_is_integer(enum kind kind)
{
    return kind == SIGNED || kind == UNSIGNED || kind == FORTRAN || kind == MULTI;
}

static inline bool basic_is_float(enum kind kind)
{
    return kind == FLOATING || kind == COMPLEX;
}

/* Size -16 is a quad; 16 is long double. */
static inline int basic_bytes(const struct basic *b)
{
    int one = b->size < 0 ? -b->size : b->size;
    return b->kind == COMPLEX ? 2 * one : one;
}

struct wide {
    __int128 i;
    quad re, im;
};

static inline void basic_store_real(void *p, int size, quad x)
{
    switch (size) {
#ifdef TREEFOLD
    case 2:
        *(uint16_t *)p = half_of_quad(x);
        break;
#endif
    case 4:
        *(float *)p = (float)x;
        break;
    case 8:
        *(double *)p = (double)x;
        break;
    case 16:
        *(long double *)p = (long double)x;
        break;
    case -16:
        *(quad *)p = x;
        break;
    }
}

static inline quad basic_load_real(const void *p, int size)
{
    switch (size) {
#ifdef TREEFOLD
    case 2:
        return quad_of_half(*(const uint16_t *)p);
#endif
    case 4:
        return *(const float *)p;
    case 8:
        return *(const double *)p;
    case 16:
        return *(const long double *)p;
    }
    return *(const quad *)p;
}

static inline void basic_store(const struct basic *b, void *buf, int index, struct wide w)
{
    char *p = (char *)buf + (size_t)index * basic_bytes(b);
    if (!basic_is_float(b->kind)) {
        memcpy(p, &w.i, b->size);
        return;
    }
    basic_store_real(p, b->size, w.re);
    if (b->kind == COMPLEX)
        basic_store_real(p + basic_bytes(b) / 2, b->size, w.im);
}

static inline struct wide basic_load(const struct basic *b, const void *buf, int index)
{
    const char *p = (const char *)buf + (size_t)index * basic_bytes(b);
    struct wide w = {0, 0, 0};
    if (basic_is_float(b->kind)) {
        w.re = basic_load_real(p, b->size);
        if (b->kind == COMPLEX)
            w.im = basic_load_real(p + basic_bytes(b) / 2, b->size);
        return w;
    }
    bool negative = (b->kind == SIGNED || b->kind == FORTRAN || b->kind == MULTI) && (p[b->size - 1] & 0x80);
    w.i = negative ? -1 : 0;
    memcpy(&w.i, p, b->size);
    return w;
}

/* The same value as the type holds it: integers wrap. */
static inline struct wide basic_wrap(const struct basic *b, struct wide w)
{
    char room[32] = {0};
    basic_store(b, room, 0, w);
    return basic_load(b, room, 0);
}

#endif
