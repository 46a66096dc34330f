/* kernels_avx512.c - the kernels for processors with AVX-512 F, BW, DQ and VL. */
#define KERNEL_TABLE tf_op_kernels_avx512
#include "op/kernels.inc"

#define BINNED_TABLE tf_binned_kernels_avx512
#include "op/binned.inc"
