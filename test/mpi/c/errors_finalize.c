/* One rank reduces while the other one finalizes: neither has given a wrong operator.
 *
 * np: 2
 * only: treefold
 * fails: MPI_Allreduce gives 16
 */
#include "check.h"

int main(int argc, char **argv)
{
    int class = MPI_SUCCESS, one = 1, sum;
    CHECK_OK(MPI_Init(&argc, &argv));
    CHECK_OK(MPI_Comm_rank(MPI_COMM_WORLD, &check_rank));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (check_rank == 1) {
        int code = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Error_class(code, &class);
        printf("MPI_Allreduce gives %d\n", class);
    }
    MPI_Finalize();
    return 1;
}
