/* mpi-ext.h - for programs that include it because another library declares its extensions there: mpi.h has ours. */
#ifndef MPI_EXT_H_INCLUDED
#define MPI_EXT_H_INCLUDED

#include <mpi.h>

/* What such programs ask for: MPIX_Comm_revoke, MPIX_Comm_shrink, MPIX_Comm_agree and the others. */
#define OMPI_HAVE_MPI_EXT_FTMPI 1

#endif
