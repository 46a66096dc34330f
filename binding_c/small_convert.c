/* small_convert.c - handles and statuses in other languages (MPI-5.0 sections 19.3.4, 19.3.5 and 20.4).
 *
 * The value of a handle fits a Fortran INTEGER and is the same in both languages, so all of this is casts.
 */
#include "check.h"

#define CONVERT(Class, ctype, name)                                                                                    \
    MPI_Fint PMPI_##Class##_c2f(ctype name)                                                                            \
    {                                                                                                                  \
        return (MPI_Fint)(intptr_t)name;                                                                               \
    }                                                                                                                  \
    TF_ALIAS(MPI_##Class##_c2f);                                                                                       \
    ctype PMPI_##Class##_f2c(MPI_Fint name)                                                                            \
    {                                                                                                                  \
        return (ctype)(uintptr_t)(uint32_t)name;                                                                       \
    }                                                                                                                  \
    TF_ALIAS(MPI_##Class##_f2c);                                                                                       \
    int PMPI_##Class##_toint(ctype name)                                                                               \
    {                                                                                                                  \
        return (int)(intptr_t)name;                                                                                    \
    }                                                                                                                  \
    TF_ALIAS(MPI_##Class##_toint);                                                                                     \
    ctype PMPI_##Class##_fromint(int name)                                                                             \
    {                                                                                                                  \
        return (ctype)(uintptr_t)(uint32_t)name;                                                                       \
    }                                                                                                                  \
    TF_ALIAS(MPI_##Class##_fromint)

CONVERT(Comm, MPI_Comm, comm);
CONVERT(Group, MPI_Group, group);
CONVERT(Type, MPI_Datatype, datatype);
CONVERT(Op, MPI_Op, op);
CONVERT(Request, MPI_Request, request);
CONVERT(Message, MPI_Message, message);
CONVERT(Errhandler, MPI_Errhandler, errhandler);
CONVERT(Info, MPI_Info, info);

/* The three kinds of status have the same eight words. */
_Static_assert(sizeof(MPI_Status) == MPI_F_STATUS_SIZE * sizeof(MPI_Fint), "a C status is a Fortran status");
_Static_assert(sizeof(MPI_Status) == sizeof(MPI_F08_status), "a C status is an mpi_f08 status");

static int copy_status(const char *procedure, const void *from, void *to)
{
    if (TF_UNLIKELY(!from || !to)) /* the ignore values have no status behind them */
        return tf_errhandler_raise(NULL, procedure, tf_error(MPI_ERR_ARG, "a status is an ignore value or null"));
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
