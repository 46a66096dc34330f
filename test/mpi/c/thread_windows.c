/* Threads that use one window: each counts on every process, puts and gets cells of its own, and some have windows of
 * their own.
 *
 * np: 1 2 3
 * flags: -pthread
 */
#include <pthread.h>

#include "rma.h"

enum { THREADS = 4, TURNS = 200 };

static struct window counters;

static void *work(void *arg)
{
    int me = (int)(intptr_t)arg;
    struct window *w = &counters;
    for (int i = 0; i < TURNS; i++) {
        int target = (w->rank + i) % w->size;
        long one = 1, old = -1, mine = 1000L * i + me, back = -1;
        MPI_Aint own = 8 * (1 + w->rank * THREADS + me);
        CHECK_OK(MPI_Fetch_and_op(&one, &old, MPI_LONG, target, rma_disp(w, target, 0), MPI_SUM, w->win));
        CHECK_OK(MPI_Put(&mine, 1, MPI_LONG, target, rma_disp(w, target, own), 1, MPI_LONG, w->win));
        CHECK_OK(MPI_Win_flush(target, w->win));
        CHECK_OK(MPI_Get(&back, 1, MPI_LONG, target, rma_disp(w, target, own), 1, MPI_LONG, w->win));
        CHECK_OK(MPI_Win_flush(target, w->win));
        CHECK_NOTED(old >= 0 && old < (long)w->size * THREADS * TURNS, "turn %d: %ld", i, old);
        CHECK_INT(back, mine);
    }
    return NULL;
}

static void *alone(void *arg)
{
    struct window w;
    long one = 1, sum = 0;
    (void)arg;
    rma_open(&w, ALLOCATE, 64, 8, MPI_INFO_NULL, MPI_COMM_SELF, 0);
    for (int i = 0; i < 50; i++) {
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w.win));
        CHECK_OK(MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, w.win));
        CHECK_OK(MPI_Get(&sum, 1, MPI_LONG, 0, 0, 1, MPI_LONG, w.win));
        CHECK_OK(MPI_Win_unlock(0, w.win));
        CHECK_INT(sum, i + 1);
    }
    rma_close(&w);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t threads[THREADS + 1];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &check_size);
    CHECK_INT(provided, MPI_THREAD_MULTIPLE);
    for (enum flavor flavor = CREATE; flavor <= ALLOCATE; flavor++) {
        rma_open(&counters, flavor, 8 * (1 + 3 * THREADS), 8, MPI_INFO_NULL, MPI_COMM_WORLD, 0);
        CHECK_OK(MPI_Win_lock_all(0, counters.win));
        for (int i = 0; i < THREADS; i++)
            pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
        pthread_create(&threads[THREADS], NULL, alone, NULL);
        for (int i = 0; i <= THREADS; i++)
            pthread_join(threads[i], NULL);
        CHECK_OK(MPI_Win_unlock_all(counters.win));
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD)); /* all have unlocked */
        long mine = *(long *)counters.base, all = 0;
        CHECK_OK(MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
        CHECK_INT(all, (long)counters.size * THREADS * TURNS);
        rma_close(&counters);
    }
    return check_end();
}
