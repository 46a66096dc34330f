/* A process that lives and that another one cannot reach, where no launcher decides which of the two goes on: who
 * cannot reach the other one takes it for dead, and every error that tells of it tells the reason too.
 *
 * np: 3
 * option: -genv TREEFOLD_KEEP_GOING on -genv TREEFOLD_NODE_SIZE 1 -genv TREEFOLD_NET tcp
 * fails: ft_unreachable_alone: all is well
 * status: 17
 * only: treefold
 */
#include "ft.h"
#include "listeners.h"

#include <string.h>

static void must_tell(int err, const char *what)
{
    char words[MPI_MAX_ERROR_STRING] = "";
    int length;
    ft_must_fail(err, what);
    MPI_Error_string(err, words, &length);
    CHECK_NOTED(strstr(words, "rank 1") && strstr(words, "cannot be reached any more: cannot connect to rank 1") &&
                    strstr(words, "Connection refused"),
                "%s says: %.150s", what, words);
}

/* Rank 1 closes its door, and has rank 2 tell rank 0 so, as rank 1 itself would reach it. */
int main(int argc, char **argv)
{
    int word = 0, rank;
    MPI_Request receive;
    check_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    if (rank == 1) {
        close_listeners();
        CHECK_OK(MPI_Send(&word, 1, MPI_INT, 2, 0, MPI_COMM_WORLD));
        MPI_Recv(&word, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* which never comes */
    }
    if (rank == 2) {
        CHECK_OK(MPI_Recv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Send(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
        MPI_Recv(&word, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* nor this */
    }
    CHECK_OK(MPI_Irecv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &receive));
    CHECK_OK(MPI_Recv(&word, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    must_tell(MPI_Ssend(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD), "a send");
    must_tell(MPI_Wait(&receive, MPI_STATUS_IGNORE), "a receive that was posted before");
    must_tell(MPI_Recv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "a receive afterwards");
    must_tell(MPI_Barrier(MPI_COMM_WORLD), "a collective");
    if (check_failures == 0)
        fprintf(stderr, "ft_unreachable_alone: all is well\n");
    MPI_Abort(MPI_COMM_WORLD, 17);
}
