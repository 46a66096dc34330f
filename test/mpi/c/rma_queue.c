/* Operations by messages that are called faster than the target takes them, or before it grants its lock: what waits on
 * the way is bounded, and all of it is done.
 *
 * np: 2 3
 * only: treefold
 */
#include "rma.h"

#include <malloc.h>

/* UCX has some megabytes of packets of its own; all operations at once would be 17. */
enum { TIMES = 60000 / CHECK_SLOW, CELLS = 100, MOST = 12 << 20 };

static size_t in_use(void)
{
#ifdef __SANITIZE_ADDRESS__
    return 0;
#else
#if __GLIBC_PREREQ(2, 33)
    return mallinfo2().uordblks;
#else
    return (unsigned)mallinfo().uordblks;
#endif
#endif
}

static void check_use(size_t before, const char *what)
{
    size_t now = in_use();
    CHECK_NOTED(now < before + MOST, "%zu bytes for %s that are under way", now - before, what);
}

static void add_often(const struct window *w, int to)
{
    static long one = 1; /* still there when the last one goes */
    for (int i = 0; i < TIMES; i++)
        CHECK_OK(MPI_Accumulate(&one, 1, MPI_LONG, to, i % CELLS, 1, MPI_LONG, MPI_SUM, w->win));
}

/* Rank 0 keeps its lock for a while.  MPI_Win_lock may wait for it (MPI-5.0 section 12.5.3), so what comes behind may.
 */
static void before_the_lock(const struct window *w)
{
    double until = MPI_Wtime() + 0.5;
    if (w->rank == 0)
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w->win));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    size_t before = in_use();
    if (w->rank > 0)
        CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w->win));
    if (w->rank == 1)
        add_often(w, 0);
    check_use(before, "accumulates whose lock is not granted");
    while (w->rank == 0 && MPI_Wtime() < until)
        CHECK_OK(MPI_Win_flush(0, w->win));
    CHECK_OK(MPI_Win_unlock(0, w->win));
}

int main(int argc, char **argv)
{
    struct window w;
    static long in[TIMES];
    check_start(&argc, &argv);
    rma_open(&w, CREATE, CELLS * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, 0);
    CHECK_OK(MPI_Win_fence(0, w.win));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, w.win));
    before_the_lock(&w);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    int to = (w.rank + 1) % w.size, had = 1 + (to == 0);
    size_t before = in_use();
    CHECK_OK(MPI_Win_lock_all(0, w.win));
    CHECK_OK(MPI_Win_flush_all(w.win));
    add_often(&w, to);
    check_use(before, "accumulates");
    CHECK_OK(MPI_Win_flush(to, w.win));
    for (int i = 0; i < TIMES; i++)
        CHECK_OK(MPI_Get(&in[i], 1, MPI_LONG, to, i % CELLS, 1, MPI_LONG, w.win));
    check_use(before, "gets");
    CHECK_OK(MPI_Win_unlock_all(w.win));
    for (int i = 0; i < TIMES; i++)
        CHECK_INT(in[i], had * TIMES / CELLS);
    rma_close(&w);
    return check_end();
}
