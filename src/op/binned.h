/* binned.h - exact sums: accumulators for which it does not matter in which order, or in which groups, numbers are
 * added.
 *
 * The line of binary exponents is cut into bins of 40 bits at fixed places.  A number is cut there too, into digits by
 * rounding to nearest; a sum keeps the digits of the highest bin that any of its numbers reaches and of the two bins
 * below, each digit as an integer.  Which digits a number has depends on the number alone, which bins are kept on the
 * largest number alone, and integers add exactly: so the accumulator is a function of the set of numbers, and the
 * double made of it has the same bits whatever the order.  After Demmel and Nguyen, "Parallel reproducible summation",
 * IEEE Transactions on Computers 2015 (whose digits are doubles).
 *
 *     x = d0 u0 + d1 u1 + d2 u2 + what is below      u1 = u0 / 2^40, u2 = u1 / 2^40, |d| <= 2^39
 *
 * Of each number at most u2 / 2 is left out, which is 2^-80 of the largest one or less, and nothing if the largest is
 * below 2^-955.  The double made of the digits is off by hardly more than half a unit of its last place.  So the error
 * of a sum of n numbers is at most n 2^-80 max|x| + (1/2 + 2^-30) ulp(sum).
 *
 * Infinities and NaN: the sum is NaN (always the same one) if there is a NaN or infinities of both signs, else the
 * infinity.  A sum overflows to infinity only if its value does, whatever the order.  It is -0 if all numbers are -0.
 */
#ifndef TF_BINNED_H
#define TF_BINNED_H

#include "type/basic.h"
#include "type/type.h"

void tf_binned_add(struct tf_binned *sum, double x);
void tf_binned_merge(struct tf_binned *sum, const struct tf_binned *other);
double tf_binned_value(const struct tf_binned *sum);

/* How an element is summed: it is so many (1, complex: 2) parts, doubles or floats.  0 parts: it is not. */
struct tf_binned_form {
    int parts;
    bool single;
};
struct tf_binned_form tf_binned_form(enum tf_basic basic);

/* Elements of the datatype to and from as many accumulators (times parts). */
void tf_binned_from(struct tf_binned *sums, struct tf_binned_form form, const void *x, size_t n);
void tf_binned_to(void *x, struct tf_binned_form form, const struct tf_binned *sums, size_t n);
/* Add n elements to one accumulator (for each part). */
void tf_binned_add_all(struct tf_binned *sum, struct tf_binned_form form, const void *x, size_t n);

/* dst[i] = sum of src[0][i], src[1][i] ... for n elements; vector j begins at src + j * stride bytes.  dst may be one
 * of the vectors. */
void tf_binned_combine(void *dst, struct tf_binned_form form, const void *src, ptrdiff_t stride, size_t vectors,
                       size_t n);

/* dst[i] = a[i] + b[i], accumulators; dst may be a or b.  Bytes at any address. */
void tf_binned_kernel(void *dst, const void *a, const void *b, size_t n);

/* What is compiled for each level of vector instructions (binned.inc). */
struct tf_binned_kernels {
    /* The highest exponent of n doubles, as in their bits. */
    uint64_t (*highest)(const double *x, size_t n);
    /* digits += those of n doubles, none of which is beyond bin `bin`; n at most 2^20, bin at most 49. */
    void (*add)(int64_t digits[3], const double *x, size_t n, uint64_t bin);
    /* As tf_binned_combine() on one tile of doubles; false, and nothing done, if there is a number beyond bin 49. */
    bool (*combine)(double *dst, const double *const *src, size_t vectors, size_t n);
};
extern const struct tf_binned_kernels tf_binned_kernels_baseline, tf_binned_kernels_avx2, tf_binned_kernels_avx512;
extern const struct tf_binned_kernels *tf_binned_kernels; /* those in use; set by tf_op_setup() */

#endif
