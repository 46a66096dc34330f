/* op.h - reduction operators.
 *
 * Inside, an operator is (function, context, destructor, commutative); the C, C large-count, Fortran and mpi_f08
 * conventions are trampolines on that one form (MPIX_Op_create_x).  Predefined operators are rows of kernels.
 */
#ifndef TF_OP_H
#define TF_OP_H

#include "type/type.h"

/* dst[i] = a[i] op b[i] for n elements; dst may be equal to a or to b, otherwise they do not overlap. `a` is the
 * operand of the lower rank.  No alignment beyond the type's is assumed; not even that for a and b. */
typedef void tf_kernel(void *dst, const void *a, const void *b, size_t n);

struct tf_op {
    struct tf_object obj;
    bool commutative;
    bool freed;                /* MPI_Op_free was called; lives on until its last operation ends */
    const char *name;          /* "MPI_SUM", or NULL */
    uint64_t number;           /* user-defined: no other one ever has it, as it may have the handle and the address */
    tf_kernel *const *kernels; /* predefined: [enum tf_basic], NULL where it is not defined on the type */
    MPIX_User_function_x *fn;  /* user-defined: inout = in op inout */
    MPIX_Destructor_function *destructor;
    void *context;
    MPI_User_function *fn_int; /* the function behind the trampolines of MPI_Op_create and MPI_Op_create_c */
    MPI_User_function_c *fn_c;
};

/* The kernel of a predefined operator for a type, NULL for a user-defined one (or where not allowed). */
static inline tf_kernel *tf_op_kernel(const struct tf_op *op, const struct tf_type *type)
{
    return op->kernels ? op->kernels[type->basic] : NULL;
}

/* MPI_ERR_OP in words ("MPI_BAND is not defined on MPI_DOUBLE: bitwise operators take integers and MPI_BYTE"), or
 * MPI_SUCCESS.  The fast case is inline. */
int tf_op_mismatch(const struct tf_op *op, const struct tf_type *type) TF_COLD;
static inline int tf_op_check(const struct tf_op *op, const struct tf_type *type)
{
    if (TF_LIKELY(!op->kernels || op->kernels[type->basic]))
        return MPI_SUCCESS;
    return tf_op_mismatch(op, type);
}

/* inout = in op inout over `count` elements: one call, in pieces where the user's function takes an int length. */
void tf_op_apply(const struct tf_op *op, void *in, void *inout, MPI_Count count, struct tf_type *type);

void tf_op_retain(struct tf_op *op);
void tf_op_release(struct tf_op *op); /* the last release calls the destructor, without the big lock */

/* Choose the kernels for this processor (SSE2, AVX2, AVX-512); called once by tf_env_init(). `limit` is the setting
 * `simd` ("auto", "sse2", "avx2", "avx512"). Idempotent. */
void tf_op_setup(const char *limit);
/* Leave only what the standard defines: predefined operators lose the kernels beyond it (the setting check=strict).
 * Lasts until the next tf_op_setup(). */
void tf_op_restrict(void);

#endif
