/* pmpi.c - all that libpmpi_abi.so is made of: a word that says that it needs libmpi_abi.so, and that linkers which
 * leave out what is not used (--as-needed) understand.
 */
#include <mpi.h>

static int (*const needed)(int *flag) __attribute__((used)) = PMPI_Initialized;
