/* np: 1 2 3 4 5 6 7
 * timeout: 120
 *
 * MPI_Win_lock and MPI_Win_lock_all at once, on the memory of all ranks: an exclusive lock keeps all others out, those
 * who share a lock see nothing half done, nobody is kept out for ever, and no order in which the ranks come stops them.
 */
#include "rma.h"

enum { TURNS = 120 / CHECK_SLOW, MEETINGS = 100 / CHECK_SLOW, PATIENT = 20 };

static uint64_t random_of(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void get_pair(struct window *w, int target, long pair[2])
{
    for (int i = 0; i < 2; i++)
        CHECK_OK(
            MPI_Get(&pair[i], 1, MPI_LONG, target, rma_disp(w, target, i * (int)sizeof(long)), 1, MPI_LONG, w->win));
    CHECK_OK(MPI_Win_flush(target, w->win));
}

static void put_long(struct window *w, int target, int i, long value)
{
    CHECK_OK(MPI_Put(&value, 1, MPI_LONG, target, rma_disp(w, target, i * (int)sizeof(long)), 1, MPI_LONG, w->win));
    CHECK_OK(MPI_Win_flush(target, w->win));
}

/* Two counters that are the same whenever nobody is between them. */
static void count(struct window *w, int target)
{
    long pair[2];
    CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, w->win));
    get_pair(w, target, pair);
    CHECK_INT(pair[0], pair[1]);
    put_long(w, target, 0, pair[0] + 1);
    put_long(w, target, 1, pair[1] + 1);
    CHECK_OK(MPI_Win_unlock(target, w->win));
}

static void compare(struct window *w, int target)
{
    long pair[2];
    get_pair(w, target, pair);
    CHECK_INT(pair[0], pair[1]);
}

static void mixed(enum flavor flavor, int weight)
{
    struct window w;
    rma_open(&w, flavor, 2 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, 0);
    long *made = check_alloc((size_t)w.size * sizeof *made, 0);
    uint64_t state = (uint64_t)w.rank + 77;
    for (int turn = 0; turn < TURNS; turn++) {
        int target = (int)(random_of(&state) % (uint64_t)w.size), what = (int)(random_of(&state) % 10);
        if (what < weight) {
            count(&w, target);
            made[target]++;
        } else if (what % 2) {
            CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, w.win));
            compare(&w, target);
            CHECK_OK(MPI_Win_unlock(target, w.win));
        } else {
            CHECK_OK(MPI_Win_lock_all(0, w.win));
            for (int i = 0; i < 3; i++)
                compare(&w, (target + i * what) % w.size);
            CHECK_OK(MPI_Win_unlock_all(w.win));
        }
    }
    CHECK_OK(MPI_Allreduce(MPI_IN_PLACE, made, w.size, MPI_LONG, MPI_SUM, w.comm));
    CHECK_INT(((long *)w.base)[0], made[w.rank]);
    CHECK_INT(((long *)w.base)[1], made[w.rank]);
    free(made);
    rma_close(&w);
}

/* Some have the locks of all and go to each other, while the rest want theirs alone: those who share a lock never wait
 * for each other, not even behind one that wants it alone. */
static void crossing(enum flavor flavor, bool one_by_one)
{
    struct window w;
    rma_open(&w, flavor, 2 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, 0);
    int share = w.size / 2, other = (w.rank + 1) % (share ? share : 1);
    for (int turn = 0; turn < MEETINGS; turn++)
        if (w.rank >= share)
            count(&w, share ? w.rank % share : 0);
        else if (one_by_one && other != w.rank) {
            CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, w.rank, 0, w.win));
            CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, w.win));
            compare(&w, other);
            CHECK_OK(MPI_Win_unlock(w.rank, w.win));
            CHECK_OK(MPI_Win_unlock(other, w.win));
        } else {
            CHECK_OK(MPI_Win_lock_all(0, w.win));
            compare(&w, other);
            compare(&w, w.rank);
            CHECK_OK(MPI_Win_unlock_all(w.win));
        }
    rma_close(&w);
}

/* The others share a lock again and again until the last one has had it alone, and so some times. */
static void patience(enum flavor flavor)
{
    struct window w;
    rma_open(&w, flavor, 2 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, 0);
    for (int turn = 1; turn <= PATIENT; turn++) {
        long pair[2] = {0};
        if (w.rank == w.size - 1)
            count(&w, 0);
        while (pair[0] < turn) {
            CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w.win));
            get_pair(&w, 0, pair);
            CHECK_OK(MPI_Win_unlock(0, w.win));
        }
    }
    rma_close(&w);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    for (enum flavor flavor = 0; flavor < FLAVORS; flavor++) {
        if (flavor == SHARED && !rma_one_node(MPI_COMM_WORLD))
            continue;
        mixed(flavor, 2);
        mixed(flavor, 8);
        crossing(flavor, false);
        crossing(flavor, true);
        patience(flavor);
    }
    return check_end();
}
