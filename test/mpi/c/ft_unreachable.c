/* A process that lives and that another one cannot reach: one of the two is ended, it is said which and why, and who
 * goes on learns it as of any other that has died.
 *
 * np: 1
 * option: -keep-going
 * fails: rank 0 says: cannot connect to rank 1 of job .*: Connection refused(.*\n)+ft_unreachable: all is well
 * status: 137
 * only: treefold
 */
#include "ft.h"
#include "listeners.h"
#include "spawn.h"

#include <stdlib.h>
#include <string.h>

enum { CHILDREN = 2 };

static int child(MPI_Comm parent)
{
    int word = 0, rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    if (rank == 1) {
        close_listeners();
        CHECK_OK(MPI_Send(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
        MPI_Recv(&word, 1, MPI_INT, 0, 0, parent, MPI_STATUS_IGNORE); /* which never comes */
    }
    CHECK_OK(MPI_Recv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Send(&word, 1, MPI_INT, 0, 0, parent));
    ft_must_fail(MPI_Recv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "its neighbor");
    CHECK_OK(MPI_Send(&word, 1, MPI_INT, 0, 0, parent));
    CHECK_OK(MPI_Comm_free(&parent));
    return spawn_end();
}

int main(int argc, char **argv)
{
    char *arguments[] = {"child", NULL}, words[MPI_MAX_ERROR_STRING] = "";
    int word = 0, length;
    MPI_Comm inter;
    check_start(&argc, &argv);
    MPI_Comm_get_parent(&inter);
    if (inter != MPI_COMM_NULL)
        return child(inter);
    CHECK_OK(MPI_Comm_spawn(spawn_self(), arguments, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                            MPI_ERRCODES_IGNORE));
    CHECK_OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Recv(&word, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Send(&word, 1, MPI_INT, 1, 0, inter));
    int err = MPI_Recv(&word, 1, MPI_INT, 1, 0, inter, MPI_STATUS_IGNORE);
    ft_must_fail(err, "who cannot be reached");
    MPI_Error_string(err, words, &length);
    CHECK_NOTED(strstr(words, "was ended, as it could not be reached"), "it says: %.150s", words);
    CHECK_OK(MPI_Recv(&word, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Comm_free(&inter));
    if (check_failures == 0)
        fprintf(stderr, "ft_unreachable: all is well\n");
    return check_end();
}
