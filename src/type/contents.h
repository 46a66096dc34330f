/* contents.h - how a derived datatype was made: the constructor's arguments, which are also its type map's recipe.
 *
 * Every constructor is a list of blocks: block i is `count` elements of a child type in a row, at a byte offset.
 * Bounds, signature, nest of loops and the counting of elements all go over these blocks.  Private to src/type/.
 */
#ifndef TF_TYPE_CONTENTS_H
#define TF_TYPE_CONTENTS_H

#include "type/type.h"

/* The arguments in MPI's order, all as MPI_Count.  Those in [wide, wide + nwide) are addresses in the plain form and
 * large counts in the large one; the others are ints. */
struct tf_type_contents {
    int combiner;
    bool large;
    /* Its bounds come from MPI_Type_create_resized, or from MPI_LB or MPI_UB, here or further in: they stick
     * (5.1.6, 5.1.7) */
    bool lower_sticks, upper_sticks;
    bool equal_lengths;   /* its array of block lengths has only one value */
    MPI_Count alignment;  /* of the strictest basic type, bytes */
    MPI_Count nbasic;     /* basic types in the signature, as MPI_Get_elements counts them */
    MPI_Count handles;    /* references that users hold */
    MPI_Count last_count; /* tf_type_signature()'s latest question and its answer */
    uint64_t last_signature;
    MPI_Count nargs, wide, nwide;
    MPI_Count *args;
    MPI_Count ntypes;
    struct tf_type **types; /* references held */
    struct tf_type *inner;  /* subarray, darray, f90: the same type made in a simpler way; reference held */
    char name[MPI_MAX_OBJECT_NAME];
};

/* A constructor: begin (arguments to be filled in; NULL: no memory), then finish, which gives the new handle, or
 * releases the type if `err` or what follows from the arguments is an error. */
struct tf_type *tf_type_begin(int combiner, MPI_Count nargs, MPI_Count ntypes);
struct tf_type *tf_type_begin_from(struct tf_type *oldtype, int combiner, MPI_Count nargs); /* holds a reference */
int tf_type_finish(struct tf_type *type, int err, MPI_Datatype *newtype);

struct tf_block {
    ptrdiff_t offset;
    MPI_Count count;
    struct tf_type *child;
};

/* All blocks of a type (a pair has two, another predefined type none), as the arguments have them. */
struct tf_blocks {
    MPI_Count n;
    const MPI_Count *lengths; /* elements in a block */
    struct tf_type *const *children;
    MPI_Count many_lengths, many_children; /* -1: one for each block; 0: one for all */
    const MPI_Count *units;                /* the offset of each, in units; NULL: `stride` units apart, from 0 on */
    MPI_Count stride, unit;
};
struct tf_blocks tf_type_blocks(const struct tf_type *type);

/* The same child in blocks of the same length. */
static inline bool tf_blocks_are_equal(const struct tf_blocks *blocks)
{
    return !blocks->many_lengths && !blocks->many_children;
}

/* The i-th; false if its offset does not fit 64 bits, which tf_type_measure() has made sure of in every finished type.
 */
static inline bool tf_blocks_get(const struct tf_blocks *blocks, MPI_Count i, struct tf_block *block)
{
    MPI_Count units, offset;
    bool wrong = false;
    if (blocks->units)
        units = blocks->units[i];
    else
        wrong = __builtin_mul_overflow(i, blocks->stride, &units);
    wrong |= __builtin_mul_overflow(units, blocks->unit, &offset);
    *block = (struct tf_block){offset, blocks->lengths[i & blocks->many_lengths],
                               blocks->children[i & blocks->many_children]};
    return !wrong;
}

/* The same of a type of which only a few are looked at. */
MPI_Count tf_type_nblocks(const struct tf_type *type);
bool tf_type_block(const struct tf_type *type, MPI_Count i, struct tf_block *block);

/* Size, bounds, alignment, signature of a type whose contents are there; MPI_ERR_ARG in words if they overflow. */
int tf_type_measure(struct tf_type *type);

/* Fill type->nest and type->dense, and its children's on the way.  MPI_ERR_NO_MEM. */
int tf_type_lay_out(struct tf_type *type);

/* Explicit packing.  `what` is the argument's name: the bytes of so many elements in memory, MPI_ERR_COUNT if they do
 * not fit 64 bits; whether [position, position + bytes) lies within a buffer of `size` bytes. */
int tf_type_packed_size(const char *what, MPI_Count count, const struct tf_type *type, MPI_Count *bytes);
int tf_type_check_position(const char *what, MPI_Count size, MPI_Count position, MPI_Count bytes);

/* The monoid of signatures: the empty one, one after the other, n times. */
#define TF_SIGNATURE_BASE 0x9ddfea08eb382d69u
#define TF_SIGNATURE_EMPTY ((struct tf_signature){0, 1})
struct tf_signature tf_signature_join(struct tf_signature first, struct tf_signature second);
struct tf_signature tf_signature_repeat(struct tf_signature signature, MPI_Count n);

/* The finish of MurmurHash3 as a constant expression: the low bits of a polynomial depend on too little.  It keeps 0.
 */
#define TF_MIX(h) TF_MIX_SHIFT(TF_MIX_SHIFT(TF_MIX_SHIFT(h) * 0xff51afd7ed558ccdu) * 0xc4ceb9fe1a85ec53u)
#define TF_MIX_SHIFT(h) ((h) ^ (h) >> 33)

#endif
