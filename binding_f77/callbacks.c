/* callbacks.c - operators, error handlers and generalized requests whose functions are Fortran's.
 *
 * What C calls is a trampoline that has the Fortran function in its context, so there may be any number of them.  A
 * library without the MPIX_..._x procedures gets trampolines from a table (slots.h).
 */
#include "fortran.h"
#include "slots.h"

#pragma weak MPIX_Op_create_x
#define TF_ERRHANDLER(Stem, ...)                                                                                       \
    extern __typeof(MPIX_##Stem##_create_errhandler_x) MPIX_##Stem##_create_errhandler_x __attribute__((weak));
#include "handles.def"

/* ---- operators ---- */

typedef void fortran_operator(void *in, void *inout, MPI_Fint *length, MPI_Fint *datatype);

void tf_call_operator(void *in, void *inout, MPI_Count length, MPI_Datatype datatype, void *context)
{
    fortran_operator *fn = (fortran_operator *)context;
    char *a = in, *b = inout;
    MPI_Count lb, extent = 0;

    /* An INTEGER length holds no more. */
    if (length > INT_MAX)
        PMPI_Type_get_extent_c(datatype, &lb, &extent);
    while (length > 0) {
        MPI_Fint piece = length > INT_MAX ? INT_MAX : (MPI_Fint)length, type = tf_type_f(datatype);
        length -= piece;
        MPI_Count bytes = piece * extent;
        fn(a, b, &piece, &type);
        a += bytes;
        b += bytes;
    }
}

TF_PUBLIC void FC_FUNC_(pmpi_op_create, PMPI_OP_CREATE)(tf_function *user_fn, MPI_Fint *commute, MPI_Fint *op,
                                                        MPI_Fint *ierror)
{
    MPI_Op op_c;
    void *context = (void *)user_fn;

    if (MPIX_Op_create_x)
        *ierror = MPIX_Op_create_x(tf_call_operator, NULL, tf_logical_c(*commute), context, &op_c);
    else
        *ierror = tf_op_create_by_slot(context, tf_logical_c(*commute), &op_c);
    if (*ierror == MPI_SUCCESS)
        *op = tf_op_f(op_c);
}
TF_ALIAS(mpi_op_create, MPI_OP_CREATE)

/* ---- error handlers ---- */

typedef void fortran_errhandler(MPI_Fint *object, MPI_Fint *error_code);

#define TF_ERRHANDLER(Stem, stem, STEM, ctype)                                                                         \
    static void call_##stem(ctype object, int error_code, void *context)                                               \
    {                                                                                                                  \
        MPI_Fint handle = tf_##stem##_f(object), code = error_code;                                                    \
        ((fortran_errhandler *)context)(&handle, &code);                                                               \
    }                                                                                                                  \
    TF_PUBLIC void FC_FUNC_(pmpi_##stem##_create_errhandler, PMPI_##STEM##_CREATE_ERRHANDLER)(                         \
        tf_function * fn, MPI_Fint * errhandler, MPI_Fint * ierror)                                                    \
    {                                                                                                                  \
        MPI_Errhandler errhandler_c;                                                                                   \
        void *context = (void *)fn;                                                                                    \
        tf_function *slot;                                                                                             \
                                                                                                                       \
        if (MPIX_##Stem##_create_errhandler_x)                                                                         \
            *ierror = MPIX_##Stem##_create_errhandler_x(call_##stem, NULL, context, &errhandler_c);                    \
        else if ((slot = tf_errhandler_slot((tf_function *)call_##stem, context)))                                     \
            *ierror = MPI_##Stem##_create_errhandler((MPI_##Stem##_errhandler_function *)slot, &errhandler_c);         \
        else                                                                                                           \
            *ierror = tf_slots_full();                                                                                 \
        if (*ierror == MPI_SUCCESS)                                                                                    \
            *errhandler = tf_errhandler_f(errhandler_c);                                                               \
    }                                                                                                                  \
    TF_ALIAS(mpi_##stem##_create_errhandler, MPI_##STEM##_CREATE_ERRHANDLER)
#include "handles.def"
/* MPI-1's name */
TF_ALSO(pmpi_errhandler_create, PMPI_ERRHANDLER_CREATE,
        FC_FUNC_(pmpi_comm_create_errhandler, PMPI_COMM_CREATE_ERRHANDLER))
TF_ALSO(mpi_errhandler_create, MPI_ERRHANDLER_CREATE,
        FC_FUNC_(pmpi_comm_create_errhandler, PMPI_COMM_CREATE_ERRHANDLER))

/* ---- generalized requests: the context goes with the call of the free function, which is the last.  The functions get
 * the program's own extra_state, not a copy, and may change it ---- */

typedef void fortran_query(MPI_Aint *extra_state, MPI_Fint *status, MPI_Fint *ierror);
typedef void fortran_free(MPI_Aint *extra_state, MPI_Fint *ierror);
typedef void fortran_cancel(MPI_Aint *extra_state, MPI_Fint *complete, MPI_Fint *ierror);

struct general {
    fortran_query *query;
    fortran_free *free;
    fortran_cancel *cancel;
    MPI_Aint *extra_state;
};

static int call_query(void *extra_state, MPI_Status *status)
{
    struct general *g = extra_state;
    MPI_Fint ierror = MPI_SUCCESS;
    g->query(g->extra_state, (MPI_Fint *)status, &ierror);
    return ierror;
}

static int call_free(void *extra_state)
{
    struct general *g = extra_state;
    MPI_Fint ierror = MPI_SUCCESS;
    g->free(g->extra_state, &ierror);
    free(g);
    return ierror;
}

static int call_cancel(void *extra_state, int complete)
{
    struct general *g = extra_state;
    MPI_Fint flag = tf_logical_f(complete), ierror = MPI_SUCCESS;
    g->cancel(g->extra_state, &flag, &ierror);
    return ierror;
}

TF_PUBLIC void FC_FUNC_(pmpi_grequest_start, PMPI_GREQUEST_START)(tf_function *query_fn, tf_function *free_fn,
                                                                  tf_function *cancel_fn, MPI_Aint *extra_state,
                                                                  MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request request_c;
    struct general *g = malloc(sizeof *g);

    if (!g) {
        *ierror = tf_no_memory("MPI_Grequest_start");
        return;
    }
    *g = (struct general){(fortran_query *)query_fn, (fortran_free *)free_fn, (fortran_cancel *)cancel_fn, extra_state};
    *ierror = MPI_Grequest_start(call_query, call_free, call_cancel, g, &request_c);
    if (*ierror == MPI_SUCCESS)
        *request = tf_request_f(request_c);
    else
        free(g);
}
TF_ALIAS(mpi_grequest_start, MPI_GREQUEST_START)
