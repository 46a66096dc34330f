/* A part of the job has sessions, the others never call MPI: the first two make communicators in many cycles and leave;
 * then two others, one of which they know, do; the last one has nothing to do with any of them.
 *
 * np: 3 4 5 9
 * only: treefold
 */
#include "session.h"
#include <unistd.h>

static void pair(int first, int last)
{
    for (int cycle = 0; cycle < 20; cycle++) {
        MPI_Session session = session_begin();
        MPI_Comm comm = session_part(session, "mpi://WORLD", first, last, "pair");
        session_use(comm);
        CHECK_OK(MPI_Comm_free(&comm));
        CHECK_OK(MPI_Session_finalize(&session));
    }
}

int main(void)
{
    const char *rank = getenv("PMI_RANK"), *size = getenv("PMI_SIZE");
    check_rank = rank ? atoi(rank) : 0;
    check_size = size ? atoi(size) : 1;
    if (check_rank > 2 || check_rank == check_size - 1)
        return 0;
    if (check_rank < 2)
        pair(0, 1);
    if (check_rank >= 1 && check_rank <= 2 && check_size > 3)
        pair(1, 2);
    int status = session_end();
    if (check_rank == 1)
        _exit(status); /* it has said its farewell, so that this is no failure */
    return status;
}
