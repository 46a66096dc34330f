/* Errors that concern no object are those of MPI_COMM_SELF (MPI-5.0 section 9.3); where only MPI_COMM_WORLD has got an
 * error handler, as programs do that were written before MPI-4.0, they are its.  What a handler makes of the code is
 * returned.
 *
 * np: 1 2
 * only: treefold
 */
#include "check.h"

static MPI_Comm got;
static int calls, instead;

static void handler(MPI_Comm *comm, int *code, ...)
{
    got = *comm;
    calls++;
    *code = instead ? instead : *code;
}

/* Without an object, with a null one, and with a handle that is none. */
static void err(MPI_Comm want)
{
    int size, before = calls;
    MPI_Comm copy;
    MPI_Session none = MPI_SESSION_NULL;
    MPI_Win gone = MPI_WIN_NULL;
    CHECK_CLASS(MPI_Type_size(MPI_DATATYPE_NULL, &size), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Info_get_nkeys(MPI_INFO_NULL, &size), MPI_ERR_INFO);
    CHECK_CLASS(MPI_Comm_dup(MPI_COMM_NULL, &copy), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Win_free(&gone), MPI_ERR_WIN);
    CHECK_CLASS(MPI_Session_finalize(&none), MPI_ERR_SESSION);
    if (want == MPI_COMM_NULL)
        return;
    CHECK_INT(calls - before, 5);
    CHECK(got == want);
}

int main(int argc, char **argv)
{
    MPI_Errhandler own;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    err(MPI_COMM_NULL);
    CHECK_OK(MPI_Comm_create_errhandler(handler, &own));
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, own));
    err(MPI_COMM_WORLD);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, own));
    instead = MPI_ERR_PENDING; /* section 9.3.1: the code to be returned */
    CHECK_INT(MPI_Comm_set_name(MPI_COMM_NULL, "x"), MPI_ERR_PENDING);
    instead = 0;
    err(MPI_COMM_SELF);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
    err(MPI_COMM_SELF);
    CHECK_OK(MPI_Errhandler_free(&own));
    return check_end();
}
