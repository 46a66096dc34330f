/* small_convert.c - statuses in other languages (MPI-5.0 sections 19.3.5 and 20.4). */
#include "check.h"

/* The three kinds of status have the same eight words. */
_Static_assert(sizeof(MPI_Status) == MPI_F_STATUS_SIZE * sizeof(MPI_Fint), "a C status is a Fortran status");
_Static_assert(sizeof(MPI_Status) == sizeof(MPI_F08_status), "a C status is an mpi_f08 status");

static int copy_status(const char *procedure, const void *from, void *to)
{
    if (TF_UNLIKELY(!from || !to)) /* the ignore values have no status behind them */
        return tf_error_raise(tf_comm_site(NULL), procedure,
                              tf_error(MPI_ERR_ARG, "a status is an ignore value or null"));
    memcpy(to, from, sizeof(MPI_Status));
    return MPI_SUCCESS;
}

#define CONVERT_STATUS(name, from_type, from, to_type, to)                                                             \
    int PMPI_Status_##name(const from_type *from, to_type *to)                                                         \
    {                                                                                                                  \
        return copy_status("MPI_Status_" #name, from, to);                                                             \
    }                                                                                                                  \
    TF_ALIAS(MPI_Status_##name)

CONVERT_STATUS(c2f, MPI_Status, c_status, MPI_Fint, f_status);
CONVERT_STATUS(f2c, MPI_Fint, f_status, MPI_Status, c_status);
CONVERT_STATUS(c2f08, MPI_Status, c_status, MPI_F08_status, f08_status);
CONVERT_STATUS(f082c, MPI_F08_status, f08_status, MPI_Status, c_status);
CONVERT_STATUS(f2f08, MPI_Fint, f_status, MPI_F08_status, f08_status);
CONVERT_STATUS(f082f, MPI_F08_status, f08_status, MPI_Fint, f_status);
