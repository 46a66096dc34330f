/* kernels_baseline.c - the kernels for any processor this library is built for. */
#define KERNEL_TABLE tf_op_kernels_baseline
#include "op/kernels.inc"

#define BINNED_TABLE tf_binned_kernels_baseline
#include "op/binned.inc"
