/* ft.h - what programs share of which a process dies, and whose job goes on: the job's exit status is that of the dead,
 * so that all is well is told in words.
 */
#ifndef FT_H
#define FT_H

#include "check.h"

static inline void ft_must_fail(int err, const char *what)
{
    int class;
    MPI_Error_class(err, &class);
    CHECK_NOTED(class == MPIX_ERR_PROC_FAILED, "%s: class %d", what, class);
}

static inline void ft_may_fail(int err, const char *what)
{
    if (err)
        ft_must_fail(err, what);
}

/* By all but the dead one, which is not rank 0: it says so if no check has failed on any of them. */
static inline void ft_tell_the_end(const char *program, int dead)
{
    long long all = check_failures, of_one;
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int r = 1; rank == 0 && r < size; r++) {
        if (r == dead)
            continue;
        CHECK_OK(MPI_Recv(&of_one, 1, MPI_LONG_LONG, r, 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        all += of_one;
    }
    if (rank > 0)
        CHECK_OK(MPI_Send(&all, 1, MPI_LONG_LONG, 0, 40, MPI_COMM_WORLD));
    else if (all == 0)
        printf("%s: all is well\n", program);
}

#endif
