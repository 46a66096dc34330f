/* What a rank finds wrong in one message of a collective is still its answer after it has waited long for another.
 *
 * np: 3
 * only: treefold
 */
#include <unistd.h>

#include "check.h"

int main(int argc, char **argv)
{
    int in[2] = {1, 2}, out[6];
    check_start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (check_rank == 2)
        usleep(150000);
    if (check_rank == 0)
        CHECK_CLASS(MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_TRUNCATE);
    else
        MPI_Gather(in, check_rank == 1 ? 2 : 1, MPI_INT, out, 1, MPI_INT, 0, MPI_COMM_WORLD);
    /* rank 1 is here while rank 0 still waits for rank 2 */
    CHECK_OK(MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, 0, MPI_COMM_WORLD));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    return check_end();
}
