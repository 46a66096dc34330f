/* basic.h - the C types behind enum tf_basic that C has no word for: basic.def names them.
 *
 * The pair types of MPI_MINLOC and MPI_MAXLOC (MPI-5.0 section 6.9.4) have C's padding: it belongs to the extent, not
 * to the size, and no operation touches it.
 */
#ifndef TF_BASIC_H
#define TF_BASIC_H

#include <float.h>
#include <stdint.h>

/* Fortran's REAL(2), IEEE's binary16: its bits, since few compilers have arithmetic for it (_Float16). */
struct tf_half {
    uint16_t bits;
};
struct tf_complex_half {
    struct tf_half re, im;
};

/* Fortran's REAL(16): C's long double wherever that is not x86's of 80 bits. */
#if LDBL_MANT_DIG == 64
typedef __float128 tf_quad;
#else
typedef long double tf_quad;
#endif
struct tf_complex_quad {
    tf_quad re, im;
};

/* The accumulator of an exact sum (op/binned.h).  32 zero bytes are the empty sum, whose value is 0; equal sums have
 * equal bytes.
 *
 *   tag      bits 0-5 the highest bin; 6-10 flags; from 12 on, 17 bits for each digit: its sum divided by 2^64, rounded
 *            down, as a signed number
 *   digit    the sum of the digits in each bin, from the highest one down, modulo 2^64
 *
 * Room for 2^41 numbers; more make NaN. */
struct tf_binned {
    uint64_t tag;
    uint64_t digit[3];
};
struct tf_complex_binned {
    struct tf_binned re, im;
};

struct tf_pair_float_int {
    float value;
    int index;
};
struct tf_pair_double_int {
    double value;
    int index;
};
struct tf_pair_long_int {
    long value;
    int index;
};
struct tf_pair_int_int {
    int value;
    int index;
};
struct tf_pair_short_int {
    short value;
    int index;
};
struct tf_pair_long_double_int {
    long double value;
    int index;
};
struct tf_pair_float_float {
    float value;
    float index;
};
struct tf_pair_double_double {
    double value;
    double index;
};

#endif
