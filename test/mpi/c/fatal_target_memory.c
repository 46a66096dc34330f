/* The target of one-sided communication has no memory for what it has to keep: the description of a datatype (2 ranks),
 * who waits for its lock (3), an answer for which there is no room (4).  Nobody could be told otherwise, so the job
 * ends, in words.
 *
 * np: 2 3 4
 * option: -genv TREEFOLD_NODE_SIZE 1
 * fails: (2 ranks: .*: no memory for the datatypes|3 ranks: .*the list of those who wait|4 ranks: .*an answer)
 * only: treefold
 */
#include "check.h"
#include "scarce.h"

#include <unistd.h>

enum { CELLS = 1000, MANY = 20000 };

static long memory[CELLS];
static MPI_Win win;

static void ask(int ranks)
{
    static long one = 1, old;
    MPI_Datatype every_second;
    CHECK_OK(MPI_Type_vector(CELLS / 4, 1, 2, MPI_LONG, &every_second));
    CHECK_OK(MPI_Type_commit(&every_second));
    usleep(300000);
    if (ranks == 3)
        CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win));
    else
        CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, 1, MPI_MODE_NOCHECK, win));
    if (ranks == 2)
        CHECK_OK(MPI_Put(memory, CELLS / 4, MPI_LONG, 1, 0, 1, every_second, win));
    else
        CHECK_OK(MPI_Fetch_and_op(&one, &old, MPI_LONG, 1, 0, MPI_SUM, win));
    if (ranks == 4)
        sleep(50); /* the ring stays full */
    CHECK_OK(MPI_Win_unlock(1, win));
}

static void serve(int ranks)
{
    static MPI_Request requests[MANY];
    int flag;
    if (ranks == 3)
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win));
    for (int i = 0; i < MANY && ranks == 4; i++)
        CHECK_OK(MPI_Isend(memory, CELLS / 10, MPI_LONG, 0, 0, MPI_COMM_WORLD, &requests[i]));
    fprintf(stderr, "%d ranks: ", ranks);
    scarce_begin(0, true);
    for (;;)
        MPI_Iprobe(0, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    CHECK_OK(MPI_Win_create(memory, sizeof memory, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (check_rank == 0)
        ask(check_size);
    else if (check_rank == 1)
        serve(check_size);
    return check_end();
}
