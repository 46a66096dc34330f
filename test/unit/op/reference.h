/* reference.h - the answers of the predefined operators, one element at a time and computed in another way than the
 * kernels do: integers in 128 bits, reals in a wider format, MAX and MIN by a total order.
 */
#ifndef TF_TEST_OP_REFERENCE_H
#define TF_TEST_OP_REFERENCE_H

#include "op/kernels.h"
#include "type/basic.h"

enum reference_class {
    INTEGER,
    FORTRAN_INTEGER,
    WIDE_INTEGER, /* Fortran's of 128 bits */
    MULTI_LANGUAGE,
    REAL,
    COMPLEX,
    BOOL,
    LOGICAL,
    BYTE,
    PAIR,
    CHARACTER,
    FORTRAN_CHARACTER,
};

struct reference_type {
    const char *name;
    enum tf_basic basic;
    enum reference_class class;
    size_t size; /* in memory */
    bool is_signed;
    enum tf_basic value, index; /* of a pair, or of a complex number (both are `value`) */
    size_t index_offset;
};

extern const struct reference_type reference_types[];
extern const size_t reference_ntypes;

/* The levels of SIMD instructions, the narrowest first, and the switch to one; false if it is not there: the next
 * narrower one is then in force.  To be asked for all of them, in order. */
extern const char *const reference_levels[];
extern const size_t reference_nlevels;
bool reference_use_level(const char *level);

/* MPI-5.0 section 6.9.2 and 6.9.4: is the operator defined on that class? */
bool reference_allows(enum tf_op_index op, enum reference_class class);
/* Is it given a meaning beyond the standard? */
bool reference_beyond(enum tf_op_index op, enum reference_class class);

/* *dst = *a op *b; nothing but the bytes of the value is written. */
void reference_apply(enum tf_op_index op, const struct reference_type *type, void *dst, const void *a, const void *b);

/* A value for tests: an extreme of its type or a random one, as `seed` has it. */
void reference_value(const struct reference_type *type, uint64_t *seed, void *dst);

/* Are the two the same value, bit for bit?  NaNs are alike if `any_nan`; padding is not looked at. */
bool reference_same(const struct reference_type *type, const void *x, const void *y, bool any_nan);

#endif
