/* datarep.c - data representations whose functions are Fortran's.
 */
#include "fortran.h"

#include <stdlib.h>

typedef void fortran_extent(MPI_Fint *datatype, MPI_Aint *extent, MPI_Aint *extra_state, MPI_Fint *ierror);
typedef void fortran_conversion(void *userbuf, MPI_Fint *datatype, MPI_Fint *count, void *filebuf, MPI_Offset *position,
                                MPI_Aint *extra_state, MPI_Fint *ierror);

/* Never called: its address says that nothing is to be converted. */
TF_PUBLIC void FC_FUNC_(mpi_conversion_fn_null,
                        MPI_CONVERSION_FN_NULL)(void *userbuf, MPI_Fint *datatype, MPI_Fint *count, void *filebuf,
                                                MPI_Offset *position, MPI_Aint *extra_state, MPI_Fint *ierror)
{
    (void)userbuf, (void)datatype, (void)count, (void)filebuf, (void)position, (void)extra_state;
    *ierror = MPI_ERR_CONVERSION;
}
TF_OTHERS(mpi_conversion_fn_null, MPI_CONVERSION_FN_NULL)

static bool is_null(tf_function *fn)
{
    return TF_IS_ANY(fn, mpi_conversion_fn_null, MPI_CONVERSION_FN_NULL);
}

int tf_datarep_extent(MPI_Datatype datatype, MPI_Aint *extent, void *context)
{
    const struct tf_datarep_functions *functions = context;
    MPI_Fint type = tf_type_f(datatype), ierror = MPI_SUCCESS;
    MPI_Aint extra_state = functions->extra_state;
    ((fortran_extent *)functions->extent)(&type, extent, &extra_state, &ierror);
    return ierror;
}

static int convert(tf_function *fn, const struct tf_datarep_functions *functions, void *userbuf, MPI_Datatype datatype,
                   int count, void *filebuf, MPI_Offset position)
{
    MPI_Fint type = tf_type_f(datatype), n = count, ierror = MPI_SUCCESS;
    MPI_Aint extra_state = functions->extra_state;
    ((fortran_conversion *)fn)(userbuf, &type, &n, filebuf, &position, &extra_state, &ierror);
    return ierror;
}

static int read_in(void *userbuf, MPI_Datatype datatype, int count, void *filebuf, MPI_Offset position, void *context)
{
    struct tf_datarep_functions *functions = context;
    return convert(functions->read, functions, userbuf, datatype, count, filebuf, position);
}

static int write_out(void *userbuf, MPI_Datatype datatype, int count, void *filebuf, MPI_Offset position, void *context)
{
    struct tf_datarep_functions *functions = context;
    return convert(functions->write, functions, userbuf, datatype, count, filebuf, position);
}

TF_PUBLIC void FC_FUNC_(pmpi_register_datarep, PMPI_REGISTER_DATAREP)(char *datarep, tf_function *read_fn,
                                                                      tf_function *write_fn, tf_function *extent_fn,
                                                                      MPI_Aint *extra_state, MPI_Fint *ierror,
                                                                      size_t datarep_length)
{
    struct tf_datarep_functions *functions = malloc(sizeof *functions);
    char *name = tf_string_c(datarep, datarep_length, true);

    if (functions && name) {
        *functions = (struct tf_datarep_functions){read_fn, write_fn, extent_fn, *extra_state};
        *ierror =
            MPI_Register_datarep(name, is_null(read_fn) ? MPI_CONVERSION_FN_NULL : read_in,
                                 is_null(write_fn) ? MPI_CONVERSION_FN_NULL : write_out, tf_datarep_extent, functions);
    } else
        *ierror = tf_no_memory("MPI_Register_datarep");
    if (*ierror != MPI_SUCCESS)
        free(functions);
    free(name);
}
TF_ALIAS(mpi_register_datarep, MPI_REGISTER_DATAREP)
