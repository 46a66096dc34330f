/* type.h - datatypes: the predefined table, the object, pack and unpack.  Walks piece by piece: type/cursor.h.
 *
 * Inside, sizes and offsets are MPI_Count / size_t / ptrdiff_t, never int.
 */
#ifndef TF_TYPE_H
#define TF_TYPE_H

#include "base/handle.h"
#include "type/nest.h"

/* What the elements of a predefined type are to a reduction kernel.  Types that are the same to the machine and to the
 * operators' tables share a value (MPI_INT and MPI_INT32_T are TF_INT32); unsigned ones never share with
 * their signed twins.  Generated from type/basic.def by X-macro. */
enum tf_basic {
    TF_BASIC_NONE = 0, /* derived types; MPI_PACKED and MPI_WCHAR: no reductions */
#define TF_BASIC(name, ctype) TF_##name,
#include "type/basic.def"
#undef TF_BASIC
    TF_NBASIC
};

/* A type signature as an element of a monoid: types in a row multiply, so it does not matter how they were grouped. */
struct tf_signature {
    uint64_t hash;
    uint64_t power; /* 0: holds MPI_PACKED, which matches every signature */
};

struct tf_attrs;
struct tf_type_contents; /* how it was made, its name: type/contents.h */

struct tf_type {
    struct tf_object obj;
    bool dense; /* `count` elements at buf are the count*size bytes at buf + true_lb: no gap in or between them */
    bool committed;
    uint8_t basic;                  /* enum tf_basic */
    MPI_Count size;                 /* packed bytes of one element */
    MPI_Count lb, extent;           /* MPI-5.0 section 5.1.6 */
    MPI_Count true_lb, true_extent; /* section 5.1.8 */
    uint64_t signature; /* hash of the type signature (the basic types in order, so a vector of INTs and an array of
                           INTs of the same length hash alike); 0 for size-0 types, and for those that hold MPI_PACKED,
                           which match anything */
    struct tf_signature sig;
    uint64_t number; /* derived: no other one ever has it, as it may have the handle and the address */
    struct tf_type_contents *contents;
    struct tf_attrs *attrs;
    struct tf_nest nest;
};

void tf_type_retain(struct tf_type *type); /* predefined ones are not counted */
void tf_type_release(struct tf_type *type);
/* The library's own datatypes of accumulators, without a handle (op/binned.h). */
extern struct tf_type tf_type_binned, tf_type_complex_binned;
/* One more handle of it for the user, who frees it. */
MPI_Datatype tf_type_share(struct tf_type *type);
/* MPI_LB or MPI_UB, which hold no data and are never committed. */
bool tf_type_is_marker(const struct tf_type *type);
/* A user handle's name for messages: "MPI_DOUBLE", or the user's name, or "a derived datatype (struct)". */
const char *tf_type_describe(const struct tf_type *type);

int tf_type_get_attr(const struct tf_type *type, int keyval, void *value, int *flag);

/* The hash of the signature of `count` elements: 6 of MPI_INT are 1 of contiguous(6, MPI_INT). */
uint64_t tf_type_signature(const struct tf_type *type, MPI_Count count);

/* The packed stream of `count` elements at `buf` is their bytes in type-map order, count*size of them.
 * Copy bytes [pos, pos + len) of that stream to dst, or from src into the buffer; gaps are not touched. Any pos. */
void tf_type_pack(const struct tf_type *type, const void *buf, MPI_Count count, size_t pos, void *dst, size_t len);
void tf_type_unpack(const struct tf_type *type, void *buf, MPI_Count count, size_t pos, const void *src, size_t len);
/* Call run() for each gap-free run of bytes of [pos, pos + len) of that stream, in its order. */
void tf_type_runs(const struct tf_type *type, uintptr_t buf, MPI_Count count, size_t pos, size_t len,
                  void (*run)(void *state, uintptr_t at, size_t length), void *state);
/* Copy min(dcount*dsize, scount*ssize) bytes from one typed buffer to another (which do not overlap). */
void tf_type_copy(void *dst, MPI_Count dcount, const struct tf_type *dtype, const void *src, MPI_Count scount,
                  const struct tf_type *stype);
/* Bytes that a buffer for `count` elements must span (0 if count is 0), and where in it element 0's address lies: an
 * allocation of *span bytes at p serves as the buffer address p - *shift.  Covers lb and ub as well as the data, since
 * a user's operator assigns whole structs, padding included. */
void tf_type_span(const struct tf_type *type, MPI_Count count, size_t *span, ptrdiff_t *shift);

#endif
