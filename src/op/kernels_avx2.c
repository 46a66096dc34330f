/* kernels_avx2.c - the kernels for processors with AVX2 and F16C. */
#define KERNEL_TABLE tf_op_kernels_avx2
#include "op/kernels.inc"

#define BINNED_TABLE tf_binned_kernels_avx2
#include "op/binned.inc"
