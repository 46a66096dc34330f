/* irregular.c - mpi_f08: the procedures that are not a call of the C procedure of their name.
 */
#include "section.h"

#include <stdlib.h>

#pragma weak MPIX_Op_create_x

/* ---- user functions with large counts, which `use mpi` does not have ---- */

typedef void user_function_c(void *in, void *inout, MPI_Count *len, MPI_Fint *datatype);

static void call_user(void *in, void *inout, MPI_Count len, MPI_Datatype datatype, void *fn)
{
    MPI_Fint type = tf_type_f(datatype);
    ((user_function_c *)fn)(in, inout, &len, &type);
}

TF_PUBLIC void FC_FUNC_(pmpi_op_create_c_f08, PMPI_OP_CREATE_C_F08)(user_function_c *user_fn, MPI_Fint *commute,
                                                                    MPI_Fint *op, MPI_Fint *ierror)
{
    MPI_Op made;
    int err;

    if (MPIX_Op_create_x)
        err = MPIX_Op_create_x(call_user, NULL, tf_logical_c(*commute), (void *)user_fn, &made);
    else
        err = tf_comm_fail(MPI_COMM_SELF, "MPI_Op_create_c", MPI_ERR_UNSUPPORTED_OPERATION,
                           "this MPI library has no operators with a context, which Fortran's become");
    if (err == MPI_SUCCESS)
        *op = tf_op_f(made);
    if (ierror)
        *ierror = err;
}
TF_ALIAS(mpi_op_create_c_f08, MPI_OP_CREATE_C_F08)

/* ---- data representations for large counts ---- */

typedef void conversion_c(void *userbuf, MPI_Fint *datatype, MPI_Count *count, void *filebuf, MPI_Offset *position,
                          MPI_Aint *extra_state, MPI_Fint *ierror);

/* Never called: its address says that nothing is to be converted. */
TF_PUBLIC void FC_FUNC_(mpi_conversion_fn_null_c,
                        MPI_CONVERSION_FN_NULL_C)(void *userbuf, MPI_Fint *datatype, MPI_Count *count, void *filebuf,
                                                  MPI_Offset *position, MPI_Aint *extra_state, MPI_Fint *ierror)
{
    (void)userbuf, (void)datatype, (void)count, (void)filebuf, (void)position, (void)extra_state;
    *ierror = MPI_ERR_CONVERSION;
}
TF_OTHERS(mpi_conversion_fn_null_c, MPI_CONVERSION_FN_NULL_C)

static bool is_null_c(tf_function *fn)
{
    return TF_IS_ANY(fn, mpi_conversion_fn_null_c, MPI_CONVERSION_FN_NULL_C);
}

static int convert_c(tf_function *fn, const struct tf_datarep_functions *functions, void *userbuf,
                     MPI_Datatype datatype, MPI_Count count, void *filebuf, MPI_Offset position)
{
    MPI_Fint type = tf_type_f(datatype), ierror = MPI_SUCCESS;
    MPI_Aint extra_state = functions->extra_state;
    ((conversion_c *)fn)(userbuf, &type, &count, filebuf, &position, &extra_state, &ierror);
    return ierror;
}

static int read_c(void *userbuf, MPI_Datatype datatype, MPI_Count count, void *filebuf, MPI_Offset position,
                  void *context)
{
    struct tf_datarep_functions *functions = context;
    return convert_c(functions->read, functions, userbuf, datatype, count, filebuf, position);
}

static int write_c(void *userbuf, MPI_Datatype datatype, MPI_Count count, void *filebuf, MPI_Offset position,
                   void *context)
{
    struct tf_datarep_functions *functions = context;
    return convert_c(functions->write, functions, userbuf, datatype, count, filebuf, position);
}

TF_PUBLIC void FC_FUNC_(pmpi_register_datarep_c_f08,
                        PMPI_REGISTER_DATAREP_C_F08)(char *datarep, tf_function *read_fn, tf_function *write_fn,
                                                     tf_function *extent_fn, MPI_Aint *extra_state, MPI_Fint *ierror,
                                                     size_t datarep_length)
{
    struct tf_datarep_functions *functions = malloc(sizeof *functions);
    char *name = tf_string_c(datarep, datarep_length, true);
    int err;

    if (functions && name) {
        *functions = (struct tf_datarep_functions){read_fn, write_fn, extent_fn, *extra_state};
        err = MPI_Register_datarep_c(name, is_null_c(read_fn) ? MPI_CONVERSION_FN_NULL_C : read_c,
                                     is_null_c(write_fn) ? MPI_CONVERSION_FN_NULL_C : write_c, tf_datarep_extent,
                                     functions);
    } else
        err = tf_no_memory("MPI_Register_datarep_c");
    if (err)
        free(functions);
    free(name);
    if (ierror)
        *ierror = err;
}
TF_ALIAS(mpi_register_datarep_c_f08, MPI_REGISTER_DATAREP_C_F08)

/* ---- the size of an element, which is in the descriptor; no mpi_sizeof, which mpif.h would call without one ---- */

TF_PUBLIC void FC_FUNC_(pmpi_sizeof_f08ts, PMPI_SIZEOF_F08TS)(const struct tf_array *x, MPI_Fint *size,
                                                              MPI_Fint *ierror)
{
    *size = (MPI_Fint)x->element;
    if (ierror)
        *ierror = MPI_SUCCESS;
}
TF_ALIAS(mpi_sizeof_f08ts, MPI_SIZEOF_F08TS)

/* ---- a call that the compiler knows nothing of, so that it keeps no part of `buf` in registers ---- */

TF_PUBLIC void FC_FUNC_(pmpi_f_sync_reg_f08ts, PMPI_F_SYNC_REG_F08TS)(void *buf)
{
    (void)buf; /* a descriptor here, an address in the others */
}
TF_ALIAS(mpi_f_sync_reg_f08ts, MPI_F_SYNC_REG_F08TS)
TF_ALSO(pmpi_f_sync_reg, PMPI_F_SYNC_REG, FC_FUNC_(pmpi_f_sync_reg_f08ts, PMPI_F_SYNC_REG_F08TS))
TF_ALSO(mpi_f_sync_reg, MPI_F_SYNC_REG, FC_FUNC_(pmpi_f_sync_reg_f08ts, PMPI_F_SYNC_REG_F08TS))
