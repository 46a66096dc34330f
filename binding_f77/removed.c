/* removed.c - Fortran wrappers of what MPI-3.0 removed, whose addresses and displacements are INTEGERs.
 *
 * They call what replaced it, which every library of the ABI has.
 */
#include "fortran.h"

/* ---- addresses and bounds ---- */

/* Of an address that does not fit what fits: differences of addresses that lie close to each other are right. */
TF_PUBLIC void FC_FUNC_(pmpi_address, PMPI_ADDRESS)(void *location, MPI_Fint *address, MPI_Fint *ierror)
{
    MPI_Aint whole = 0;
    *ierror = MPI_Get_address(tf_buffer(location), &whole);
    if (*ierror == MPI_SUCCESS)
        *address = (MPI_Fint)(uint32_t)whole;
}
TF_ALIAS(mpi_address, MPI_ADDRESS)

static MPI_Fint fitting(MPI_Aint bytes)
{
    return bytes == (MPI_Fint)bytes ? (MPI_Fint)bytes : MPI_UNDEFINED;
}

#define BOUND(lower, UPPER, what)                                                                                      \
    TF_PUBLIC void FC_FUNC_(pmpi_type_##lower, PMPI_TYPE_##UPPER)(MPI_Fint * datatype, MPI_Fint * result,              \
                                                                  MPI_Fint * ierror)                                   \
    {                                                                                                                  \
        MPI_Aint lb, extent;                                                                                           \
        *ierror = MPI_Type_get_extent(tf_type_c(*datatype), &lb, &extent);                                             \
        if (*ierror == MPI_SUCCESS)                                                                                    \
            *result = fitting(what);                                                                                   \
    }                                                                                                                  \
    TF_ALIAS(mpi_type_##lower, MPI_TYPE_##UPPER)
BOUND(extent, EXTENT, extent)
BOUND(lb, LB, lb)
BOUND(ub, UB, lb + extent)

/* ---- datatypes ---- */

TF_PUBLIC void FC_FUNC_(pmpi_type_hvector, PMPI_TYPE_HVECTOR)(MPI_Fint *count, MPI_Fint *blocklength, MPI_Fint *stride,
                                                              MPI_Fint *oldtype, MPI_Fint *newtype, MPI_Fint *ierror)
{
    MPI_Datatype newtype_c;
    *ierror = MPI_Type_create_hvector(*count, *blocklength, *stride, tf_type_c(*oldtype), &newtype_c);
    if (*ierror == MPI_SUCCESS)
        *newtype = tf_type_f(newtype_c);
}
TF_ALIAS(mpi_type_hvector, MPI_TYPE_HVECTOR)

/* For free(); NULL without memory. */
static MPI_Aint *displacements(const MPI_Fint *from, int n)
{
    MPI_Aint *array = malloc((n > 0 ? n : 1) * sizeof *array);
    for (int i = 0; array && i < n; i++)
        array[i] = from[i];
    return array;
}

TF_PUBLIC void FC_FUNC_(pmpi_type_hindexed, PMPI_TYPE_HINDEXED)(MPI_Fint *count, MPI_Fint *blocklengths,
                                                                MPI_Fint *places, MPI_Fint *oldtype, MPI_Fint *newtype,
                                                                MPI_Fint *ierror)
{
    MPI_Datatype newtype_c;
    MPI_Aint *places_c = displacements(places, *count);

    if (!places_c)
        *ierror = tf_no_memory("MPI_Type_hindexed");
    else
        *ierror = MPI_Type_create_hindexed(*count, blocklengths, places_c, tf_type_c(*oldtype), &newtype_c);
    if (*ierror == MPI_SUCCESS)
        *newtype = tf_type_f(newtype_c);
    free(places_c);
}
TF_ALIAS(mpi_type_hindexed, MPI_TYPE_HINDEXED)

TF_PUBLIC void FC_FUNC_(pmpi_type_struct, PMPI_TYPE_STRUCT)(MPI_Fint *count, MPI_Fint *blocklengths, MPI_Fint *places,
                                                            MPI_Fint *types, MPI_Fint *newtype, MPI_Fint *ierror)
{
    MPI_Datatype newtype_c, few[TF_FEW], *types_c = tf_types_c(types, *count, few);
    MPI_Aint *places_c = displacements(places, *count);

    if (!places_c || !types_c)
        *ierror = tf_no_memory("MPI_Type_struct");
    else
        *ierror = MPI_Type_create_struct(*count, blocklengths, places_c, types_c, &newtype_c);
    if (*ierror == MPI_SUCCESS)
        *newtype = tf_type_f(newtype_c);
    tf_types_f(NULL, *count, few, types_c);
    free(places_c);
}
TF_ALIAS(mpi_type_struct, MPI_TYPE_STRUCT)

/* ---- error handlers ---- */

TF_PUBLIC void FC_FUNC_(pmpi_errhandler_get, PMPI_ERRHANDLER_GET)(MPI_Fint *comm, MPI_Fint *errhandler,
                                                                  MPI_Fint *ierror)
{
    MPI_Errhandler errhandler_c;
    *ierror = MPI_Comm_get_errhandler(tf_comm_c(*comm), &errhandler_c);
    if (*ierror == MPI_SUCCESS)
        *errhandler = tf_errhandler_f(errhandler_c);
}
TF_ALIAS(mpi_errhandler_get, MPI_ERRHANDLER_GET)

TF_PUBLIC void FC_FUNC_(pmpi_errhandler_set, PMPI_ERRHANDLER_SET)(MPI_Fint *comm, MPI_Fint *errhandler,
                                                                  MPI_Fint *ierror)
{
    *ierror = MPI_Comm_set_errhandler(tf_comm_c(*comm), tf_errhandler_c(*errhandler));
}
TF_ALIAS(mpi_errhandler_set, MPI_ERRHANDLER_SET)
