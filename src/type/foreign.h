/* foreign.h - the elements of basic types in external32, the representation that is the same on all machines (MPI-5.0
 * section 14.5.2): big-endian integers and IEEE numbers of fixed lengths, without any alignment.
 *
 * Basic types whose elements are converted alike share an object, so two are alike if their pointers are equal; a
 * complex number is two elements of its parts' type.  Private to src/type/.
 */
#ifndef TF_TYPE_FOREIGN_H
#define TF_TYPE_FOREIGN_H

#include "type/type.h"

/* n elements, anywhere in memory, which do not overlap with where they go.  MPI_ERR_CONVERSION, in words, where one has
 * a value that external32's fewer bytes do not hold; pieces may have been written then. */
typedef int tf_convert_fn(void *to, const void *from, size_t n);

/* n elements, each so many bytes behind the one before. */
typedef void tf_turn_fn(char *to, ptrdiff_t to_stride, const char *from, ptrdiff_t from_stride, size_t n);

struct tf_foreign {
    uint8_t native, external; /* bytes of an element; native ones are a power of two, at most 16 */
    tf_convert_fn *pack, *unpack;
    tf_turn_fn *turn; /* where both are the same bytes the other way round, or in order; otherwise NULL */
};

/* Of a predefined type that is not a pair; NULL for another one. */
const struct tf_foreign *tf_foreign_of(const struct tf_type *type);

#endif
