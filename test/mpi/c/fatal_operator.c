/* An operator that does not fit its type, under MPI_ERRORS_ARE_FATAL: the message names the procedure and both.
 *
 * np: 1 3
 * fails: MPI_Allreduce(.|\n)*(MPI_BAND(.|\n)*MPI_DOUBLE|MPI_ERR_OP|MPI_Op)
 * timeout: 20
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    double in = 1, out = 0;
    MPI_Init(&argc, &argv);
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
