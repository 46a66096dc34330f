/* kernels.h - the tables of kernels, one per level of SIMD instructions.
 *
 * kernels.inc is compiled once per level (kernels_baseline.c, kernels_avx2.c, kernels_avx512.c), each giving one table.
 * All levels compute the same bits: no contraction to fused multiply-add, no reassociation.  The one exception is what
 * the processor itself leaves open: which of two NaN operands a sum or a product hands on.
 */
#ifndef TF_OP_KERNELS_H
#define TF_OP_KERNELS_H

#include "op/op.h"

#if defined __FAST_MATH__ || (defined __FINITE_MATH_ONLY__ && __FINITE_MATH_ONLY__)
#error "reductions need NaNs and the order of operations: compile without -ffast-math, -Ofast, -ffinite-math-only"
#endif

#define TF_OPS_WITH_KERNELS(OP)                                                                                        \
    OP(MAX) OP(MIN) OP(SUM) OP(PROD) OP(LAND) OP(LOR) OP(LXOR) OP(BAND) OP(BOR) OP(BXOR) OP(MINLOC) OP(MAXLOC)
#define TF_OPS_WITHOUT_KERNELS(OP) OP(REPLACE) OP(NO_OP) /* for one-sided communication only */

enum tf_op_index {
#define INDEX(op) TF_OP_##op,
    TF_OPS_WITH_KERNELS(INDEX) TF_OP_NKERNELS,
    TF_OP_LAST_WITH_KERNELS = TF_OP_NKERNELS - 1, /* the next goes on from here */
    TF_OPS_WITHOUT_KERNELS(INDEX) TF_OP_NPREDEFINED
#undef INDEX
};

typedef tf_kernel *const tf_kernel_table[TF_OP_NKERNELS][TF_NBASIC]; /* NULL where the operator is not defined */

extern tf_kernel_table tf_op_kernels_baseline;
#ifdef TF_HAVE_AVX2
extern tf_kernel_table tf_op_kernels_avx2; /* needs AVX2 and F16C */
#endif
#ifdef TF_HAVE_AVX512
extern tf_kernel_table tf_op_kernels_avx512; /* needs AVX-512 F, BW, DQ, VL and F16C */
#endif

/* What .TRUE. is in a Fortran LOGICAL that an operator writes (operands are true if they are not 0): 1, as gfortran
 * has it, or whatever MPI_Abi_set_fortran_booleans was told. */
extern int tf_op_logical_true;

#endif
