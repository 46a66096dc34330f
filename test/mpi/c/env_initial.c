/* Errors before MPI_Init, in it, after MPI_Finalize and beside sessions alone go to the initial error handler (MPI-5.0
 * section 9.3), that of a wrong error handler too.
 *
 * np: - 2
 * only: treefold
 */
#include "check.h"

static void wrong_errhandlers(void)
{
    MPI_Session session;
    MPI_Errhandler file;
    CHECK_CLASS(MPI_Session_init(MPI_INFO_NULL, MPI_ERRHANDLER_NULL, &session), MPI_ERR_ERRHANDLER);
    CHECK_CLASS(MPI_Session_init(MPI_INFO_NULL, (MPI_Errhandler)MPI_COMM_WORLD, &session), MPI_ERR_ERRHANDLER);
    CHECK_OK(MPI_File_create_errhandler((MPI_File_errhandler_function *)abort, &file));
    CHECK_OK(MPI_Errhandler_free(&file));
    CHECK_CLASS(MPI_Session_init(MPI_INFO_NULL, file, &session), MPI_ERR_ERRHANDLER);
}

int main(int argc, char **argv)
{
    int rank, failed;
    MPI_Session session;
    setenv("TREEFOLD_INITIAL_ERRHANDLER", "mpi_errors_return", 1);
    wrong_errhandlers();
    CHECK_CLASS(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_ERR_OTHER);
    CHECK_OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session));
    wrong_errhandlers();
    CHECK_OK(MPI_Session_finalize(&session));
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &check_size);
    wrong_errhandlers();
    failed = check_end();
    wrong_errhandlers();
    return failed || check_failures != 0;
}
