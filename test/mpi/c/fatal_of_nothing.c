/* With TREEFOLD_CHECK=strict an error that concerns no object is that of MPI_COMM_SELF alone (MPI-5.0 section 9.3).
 *
 * np: 2
 * option: -env TREEFOLD_CHECK strict
 * fails: MPI_Type_size: datatype is MPI_DATATYPE_NULL
 * status: 3
 * only: treefold
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Type_size(MPI_DATATYPE_NULL, &size);
    MPI_Finalize();
    return 0;
}
