/* Operations by messages that are called faster than the target takes them: what waits on the way is bounded, and all
 * of it is done.
 *
 * np: 2 3
 * only: treefold
 */
#include "rma.h"

#include <malloc.h>

enum { TIMES = 60000, CELLS = 100, MOST = 8 << 20 };

static size_t in_use(void)
{
#ifdef __SANITIZE_ADDRESS__
    return 0;
#else
    return mallinfo2().uordblks;
#endif
}

static void check_use(size_t before, const char *what)
{
    size_t now = in_use();
    CHECK_NOTED(now < before + MOST, "%zu bytes for %s that are under way", now - before, what);
}

int main(int argc, char **argv)
{
    struct window w;
    static long in[TIMES];
    long one = 1;
    check_start(&argc, &argv);
    rma_open(&w, CREATE, CELLS * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, 0);
    CHECK_OK(MPI_Win_fence(0, w.win));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, w.win));
    int to = (w.rank + 1) % w.size;
    size_t before = in_use();
    CHECK_OK(MPI_Win_lock_all(0, w.win));
    CHECK_OK(MPI_Win_flush_all(w.win));
    for (int i = 0; i < TIMES; i++)
        CHECK_OK(MPI_Accumulate(&one, 1, MPI_LONG, to, i % CELLS, 1, MPI_LONG, MPI_SUM, w.win));
    check_use(before, "accumulates");
    CHECK_OK(MPI_Win_flush(to, w.win));
    for (int i = 0; i < TIMES; i++)
        CHECK_OK(MPI_Get(&in[i], 1, MPI_LONG, to, i % CELLS, 1, MPI_LONG, w.win));
    check_use(before, "gets");
    CHECK_OK(MPI_Win_unlock_all(w.win));
    for (int i = 0; i < TIMES; i++)
        CHECK_INT(in[i], TIMES / CELLS);
    rma_close(&w);
    return check_end();
}
