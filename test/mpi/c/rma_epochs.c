/* np: 1 2 3 4 5 8
 *
 * Many epochs of active targets, one after the other: what is put in one is there after it and not before the next;
 * ranks that come late; groups of some, in each other's way; epochs that nobody has to be told of; and what goes by
 * loads and stores beside what goes by messages.
 */
#include <unistd.h>

#include "rma.h"

enum { TURNS = 60, LATE = 2000 };

static void be_late(const struct window *w, int turn)
{
    if (turn % 20 == 7 && w->rank == turn % w->size)
        CHECK_OK(usleep(LATE));
}

/* Each puts into all, and finds what all have put: no fence lets anybody through too early, or too late. */
static void fences(enum flavor flavor)
{
    struct window w;
    int mine[TURNS], theirs[TURNS][8];
    rma_open(&w, flavor, 8 * (int)sizeof(int) * 2, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, 0xff);
    int next = (w.rank + 1) % w.size;
    volatile int *base = (volatile int *)w.base;
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, w.win));
    for (int t = 0; t < TURNS; t++) {
        be_late(&w, t);
        mine[t] = 1000 * t + w.rank;
        for (int r = 0; r < w.size; r++)
            CHECK_OK(MPI_Put(&mine[t], 1, MPI_INT, r, rma_disp(&w, r, (8 * (t % 2) + w.rank) * (int)sizeof(int)), 1,
                             MPI_INT, w.win));
        CHECK_OK(MPI_Win_fence(t + 1 < TURNS ? 0 : MPI_MODE_NOSUCCEED, w.win));
        /* What was put is there for all, not only where it lies. */
        if (t + 1 < TURNS)
            CHECK_OK(MPI_Get(theirs[t], w.size, MPI_INT, next, rma_disp(&w, next, 8 * (t % 2) * (int)sizeof(int)),
                             w.size, MPI_INT, w.win));
        for (int r = 0; r < w.size && t > 0; r++)
            CHECK_NOTED(theirs[t - 1][r] == 1000 * (t - 1) + r, "%s, fence %d: rank %d had put %d there",
                        flavor_words[flavor], t, r, theirs[t - 1][r]);
        for (int r = 0; r < w.size; r++)
            CHECK_NOTED(base[8 * (t % 2) + r] == 1000 * t + r, "%s, fence %d: rank %d has put %d", flavor_words[flavor],
                        t, r, base[8 * (t % 2) + r]);
    }
    rma_close(&w);
}

/* More than there is room for at a time, of lengths that go by messages and that do not, from all but the last one. */
static void floods(enum flavor flavor)
{
    enum { ROWS = 120, ROW = 1024, LONG = 5000, ALL = ROWS * ROW + LONG };
    struct window w;
    rma_open(&w, flavor, 2 * ALL * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, 0xff);
    volatile int *base = (volatile int *)w.base;
    int *data = check_alloc(ALL * sizeof *data, 0);
    int to = (w.rank + 1) % w.size, from = (w.rank + w.size - 1) % w.size;
    CHECK_OK(MPI_Win_fence(0, w.win));
    for (int t = 0; t < 6; t++) {
        MPI_Aint first = (MPI_Aint)(t % 2) * ALL;
        be_late(&w, 7 + 20 * t);
        for (int i = 0; i < ALL; i++)
            data[i] = t * ALL + i + w.rank;
        for (int row = 0; row < ROWS && to > 0; row++)
            CHECK_OK(MPI_Put(data + (ptrdiff_t)row * ROW, ROW, MPI_INT, to,
                             rma_disp(&w, to, (first + (MPI_Aint)row * ROW) * (MPI_Aint)sizeof(int)), ROW, MPI_INT,
                             w.win));
        if (to > 0)
            CHECK_OK(MPI_Put(data + (ptrdiff_t)ROWS * ROW, LONG, MPI_INT, to,
                             rma_disp(&w, to, (first + (MPI_Aint)ROWS * ROW) * (MPI_Aint)sizeof(int)), LONG, MPI_INT,
                             w.win));
        CHECK_OK(MPI_Win_fence(t < 5 ? 0 : MPI_MODE_NOSUCCEED, w.win));
        int wrong = 0;
        for (int i = 0; i < ALL && w.rank > 0; i++)
            wrong += base[first + i] != t * ALL + i + from;
        CHECK_NOTED(wrong == 0, "%s, fence %d: %d of %d elements are wrong", flavor_words[flavor], t, wrong, ALL);
    }
    free(data);
    rma_close(&w);
}

static MPI_Group group_of(const struct window *w, int distance)
{
    MPI_Group all, one;
    int member = (w->rank + distance + 2 * w->size) % w->size;
    CHECK_OK(MPI_Win_get_group(w->win, &all));
    CHECK_OK(MPI_Group_incl(all, 1, &member, &one));
    CHECK_OK(MPI_Group_free(&all));
    return one;
}

static void test_until(MPI_Win win)
{
    int flag = 0;
    while (!flag)
        CHECK_OK(MPI_Win_test(win, &flag));
}

/* To the next rank and to the one after it in turn, so that those posted for are others each time. */
static void rings(enum flavor flavor)
{
    struct window w;
    rma_open(&w, flavor, 2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, 0xff);
    const volatile int *base = (const volatile int *)w.base;
    for (int t = 0; t < TURNS; t++) {
        int distance = t % 3, value = 1000 * t + w.rank, target = (w.rank + distance) % w.size;
        MPI_Group before = group_of(&w, -distance), after = group_of(&w, distance);
        be_late(&w, t);
        CHECK_OK(MPI_Win_post(before, 0, w.win));
        CHECK_OK(MPI_Win_start(after, 0, w.win));
        CHECK_OK(
            MPI_Put(&value, 1, MPI_INT, target, rma_disp(&w, target, (t % 2) * (int)sizeof(int)), 1, MPI_INT, w.win));
        CHECK_OK(MPI_Win_complete(w.win));
        if (t % 2)
            CHECK_OK(MPI_Win_wait(w.win));
        else
            test_until(w.win);
        int from = (w.rank - distance + 2 * w.size) % w.size;
        CHECK_NOTED(base[t % 2] == 1000 * t + from, "%s, turn %d: %d is there", flavor_words[flavor], t, base[t % 2]);
        CHECK_OK(MPI_Group_free(&before));
        CHECK_OK(MPI_Group_free(&after));
    }
    rma_close(&w);
}

/* Rank 0 posts for all others, who each start alone; then nobody is told, as all know; then a fence. */
static void star(enum flavor flavor)
{
    struct window w;
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rma_open(&w, flavor, size * (MPI_Aint)sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, 0);
    const volatile long *base = (const volatile long *)w.base;
    MPI_Group all, others, root;
    int zero = 0;
    CHECK_OK(MPI_Win_get_group(w.win, &all));
    CHECK_OK(MPI_Group_incl(all, 1, &zero, &root));
    CHECK_OK(MPI_Group_difference(all, root, &others));
    for (int t = 1; t <= TURNS / 2; t++) {
        int assertion = t % 3 == 0 ? MPI_MODE_NOCHECK : 0;
        long one = 1;
        be_late(&w, t);
        if (w.rank == 0)
            CHECK_OK(MPI_Win_post(others, assertion, w.win));
        if (assertion)
            CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
        if (w.rank > 0) {
            CHECK_OK(MPI_Win_start(root, assertion, w.win));
            CHECK_OK(MPI_Accumulate(&one, 1, MPI_LONG, 0, rma_disp(&w, 0, 0), 1, MPI_LONG, MPI_SUM, w.win));
            CHECK_OK(MPI_Accumulate(&one, 1, MPI_LONG, 0, rma_disp(&w, 0, w.rank * (MPI_Aint)sizeof(long)), 1, MPI_LONG,
                                    MPI_SUM, w.win));
            CHECK_OK(MPI_Win_complete(w.win));
        } else {
            CHECK_OK(MPI_Win_wait(w.win));
            CHECK_NOTED(base[0] == (long)t * (w.size - 1), "%s, turn %d: the sum is %ld", flavor_words[flavor], t,
                        base[0]);
            for (int r = 1; r < w.size; r++)
                CHECK_INT(base[r], t);
        }
    }
    CHECK_OK(MPI_Win_fence(0, w.win));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win));
    CHECK_OK(MPI_Group_free(&all));
    CHECK_OK(MPI_Group_free(&others));
    CHECK_OK(MPI_Group_free(&root));
    rma_close(&w);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    bool one_node = rma_one_node(MPI_COMM_WORLD);
    for (enum flavor flavor = CREATE; flavor < FLAVORS; flavor++) {
        if (flavor == SHARED && !one_node)
            continue;
        fences(flavor);
        floods(flavor);
        rings(flavor);
        star(flavor);
    }
    return check_end();
}
