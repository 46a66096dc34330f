/* kernels_avx2.c - the kernels for processors with AVX2 and F16C. */
#define KERNEL_TABLE tf_op_kernels_avx2
#include "op/kernels.inc"
