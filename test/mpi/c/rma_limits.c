/* rma_limits.c - windows where the limit on the size of files (ulimit -f) is lower than they are: an error in words on
 * all ranks, and not the signal SIGXFSZ; below the limit, windows as ever.
 *
 * np: 2 4
 * only: treefold
 */
#include <sys/resource.h>

#include "check.h"

enum { BELOW = 1 << 16, LIMIT = 1 << 18, BEYOND = 1 << 20 };

static void limit_files(rlim_t to)
{
    struct rlimit limit;
    CHECK_INT(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = to;
    CHECK_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Each rank writes into the next one's. */
static void use(MPI_Comm comm, MPI_Win win)
{
    int rank, size, got = -1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int from = (rank + size - 1) % size, to = (rank + 1) % size;
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Put(&rank, 1, MPI_INT, to, 0, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Get(&got, 1, MPI_INT, rank, 0, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_INT(got, from);
    CHECK_OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length, sharers;
    void *base;
    MPI_Comm node;
    MPI_Win win;
    check_start(&argc, &argv);
    limit_files(LIMIT);
    CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    CHECK_OK(MPI_Comm_size(node, &sharers));
    CHECK_OK(MPI_Comm_set_errhandler(node, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Win_allocate_shared(BELOW / check_size, 1, MPI_INFO_NULL, node, &base, &win));
    use(node, win);
    int code = MPI_Win_allocate_shared(BEYOND, 1, MPI_INFO_NULL, node, &base, &win);
    if (code == MPI_SUCCESS && sharers == 1) /* it needs no memory that is shared */
        use(node, win);
    else {
        CHECK_CLASS(code, MPI_ERR_NO_MEM);
        MPI_Error_string(code, text, &length);
        if (check_rank == 0) /* who makes it */
            CHECK_NOTED(strstr(text, "ulimit -f"), "%.150s", text);
    }

    /* One that need not be shared may do without, if all agree. */
    code = MPI_Win_allocate(BEYOND, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    if (code == MPI_SUCCESS)
        use(MPI_COMM_WORLD, win);
    else
        CHECK_CLASS(code, MPI_ERR_NO_MEM);
    CHECK_OK(MPI_Comm_free(&node));
    return check_end();
}
