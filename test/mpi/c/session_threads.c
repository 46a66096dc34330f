/* Threads that begin sessions and create communicators of one group at the same time, told apart by their tags alone,
 * which are as long as they may be.
 *
 * np: 1 2 3 4 7
 * only: treefold
 * flags: -pthread
 */
#include "session.h"
#include <pthread.h>

enum { THREADS = 4, TURNS = 10 };

static void *run(void *number)
{
    int id = (int)(intptr_t)number;
    for (int turn = 0; turn < TURNS; turn++) {
        char tag[MPI_MAX_STRINGTAG_LEN];
        memset(tag, 'y', sizeof tag);
        tag[sizeof tag - 1] = '\0';
        tag[id % 2 ? 0 : sizeof tag - 2] = (char)('a' + id);
        MPI_Session session = session_begin();
        MPI_Comm comm = session_part(session, "mpi://WORLD", 0, check_size - 1, tag);
        int rank = -1, wanted = -1;
        CHECK_OK(MPI_Comm_rank(comm, &rank));
        int mine = id * 1000 + rank, right = (rank + 1) % check_size, left = (rank + check_size - 1) % check_size;
        CHECK_OK(MPI_Sendrecv(&mine, 1, MPI_INT, right, 3, &wanted, 1, MPI_INT, left, 3, comm, MPI_STATUS_IGNORE));
        CHECK_INT(wanted, id * 1000 + left);
        session_use(comm);
        CHECK_OK(MPI_Comm_free(&comm));
        CHECK_OK(MPI_Session_finalize(&session));
    }
    return NULL;
}

static void *begin_and_end(void *unused)
{
    (void)unused;
    for (int turn = 0; turn < 50; turn++) {
        MPI_Session session = session_begin();
        session_place(session);
        CHECK_OK(MPI_Session_finalize(&session));
    }
    return NULL;
}

static void together(void *(*what)(void *))
{
    pthread_t threads[THREADS];
    for (int t = 0; t < THREADS; t++)
        CHECK(pthread_create(&threads[t], NULL, what, (void *)(intptr_t)t) == 0);
    for (int t = 0; t < THREADS; t++)
        CHECK(pthread_join(threads[t], NULL) == 0);
}

int main(void)
{
    MPI_Session first = session_begin();
    session_place(first);
    CHECK_OK(MPI_Session_finalize(&first));
    together(begin_and_end);
    together(run);
    return session_end();
}
