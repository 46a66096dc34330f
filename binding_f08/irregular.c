/* irregular.c - mpi_f08: the procedures that are not a call of the C procedure of their name.
 */
#include "section.h"

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
        err = tf_comm_fail(MPI_COMM_SELF, MPI_ERR_UNSUPPORTED_OPERATION);
    if (err == MPI_SUCCESS)
        *op = tf_op_f(made);
    if (ierror)
        *ierror = err;
}
TF_ALIAS(mpi_op_create_c_f08, MPI_OP_CREATE_C_F08)

/* ---- the size of an element, which is in the descriptor ---- */

TF_PUBLIC void FC_FUNC_(pmpi_sizeof_f08ts, PMPI_SIZEOF_F08TS)(const struct tf_array *x, MPI_Fint *size,
                                                              MPI_Fint *ierror)
{
    *size = (MPI_Fint)x->element;
    if (ierror)
        *ierror = MPI_SUCCESS;
}
TF_ALIAS(mpi_sizeof_f08ts, MPI_SIZEOF_F08TS)

/* That of `use mpi`. */
TF_ALIAS_OF(FC_FUNC_(pmpi_sizeof, PMPI_SIZEOF), FC_FUNC_(pmpi_sizeof_f08ts, PMPI_SIZEOF_F08TS))
TF_ALIAS_OF(FC_FUNC_(mpi_sizeof, MPI_SIZEOF), FC_FUNC_(pmpi_sizeof_f08ts, PMPI_SIZEOF_F08TS))

/* ---- a call that the compiler knows nothing of, so that it keeps no part of `buf` in registers ---- */

TF_PUBLIC void FC_FUNC_(pmpi_f_sync_reg_f08ts, PMPI_F_SYNC_REG_F08TS)(void *buf)
{
    (void)buf; /* a descriptor here, an address in the others */
}
TF_ALIAS(mpi_f_sync_reg_f08ts, MPI_F_SYNC_REG_F08TS)
TF_ALIAS_OF(FC_FUNC_(pmpi_f_sync_reg, PMPI_F_SYNC_REG), FC_FUNC_(pmpi_f_sync_reg_f08ts, PMPI_F_SYNC_REG_F08TS))
TF_ALIAS_OF(FC_FUNC_(mpi_f_sync_reg, MPI_F_SYNC_REG), FC_FUNC_(pmpi_f_sync_reg_f08ts, PMPI_F_SYNC_REG_F08TS))
