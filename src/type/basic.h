/* basic.h - the C types behind enum tf_basic that C has no word for: basic.def names them.
 *
 * The pair types of MPI_MINLOC and MPI_MAXLOC (MPI-5.0 section 6.9.4) have C's padding: it belongs to the extent, not
 * to the size, and no operation touches it.
 */
#ifndef TF_BASIC_H
#define TF_BASIC_H

#include <stdint.h>

struct tf_complex_float16 {
    _Float16 re, im;
};
struct tf_complex_float128 {
    __float128 re, im;
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
