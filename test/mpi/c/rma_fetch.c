/* np: 2 3 4
 *
 * Counters and compare and swap in windows of all flavors, between accumulates of many elements and without a flush in
 * between: from one rank to another they are done in the order in which they were called.  More of them than are under
 * way at a time; what is wrong with one; and one that is asked for by a rank that the target does not wait for.
 */
#include "rma.h"

#include <unistd.h>

enum { CELLS = 16, TURNS = 1500 / CHECK_SLOW, MANY = 20000 / CHECK_SLOW };
enum verb { ADD, REPLACE, READ, SWAP, FAIL, VECTOR, VECTOR_BACK, VERBS };

static uint64_t state;

static int random_below(int n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)n);
}

struct call {
    long value, compare, old[CELLS], want[CELLS];
    int n;
};

/* The cells of this rank at the target, which are `model` before it and after it. */
static void begin(struct window *w, int target, long *model, struct call *c)
{
    static const long ones[CELLS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    enum verb verb = (enum verb)random_below(VERBS);
    int cell = random_below(CELLS), vector = verb == VECTOR || verb == VECTOR_BACK;
    MPI_Aint at = rma_disp(w, target, ((MPI_Aint)w->rank * CELLS + (vector ? 0 : cell)) * (MPI_Aint)sizeof(long));
    c->value = random_below(1000);
    c->n = verb == VECTOR ? 0 : vector ? CELLS : 1;
    c->compare = verb == SWAP ? model[cell] : model[cell] + 1;
    memcpy(c->want, vector ? model : &model[cell], (vector ? CELLS : 1) * sizeof(long));
    if (verb == ADD || verb == REPLACE || verb == READ)
        CHECK_OK(MPI_Fetch_and_op(verb == READ ? NULL : &c->value, c->old, MPI_LONG, target, at,
                                  verb == ADD       ? MPI_SUM
                                  : verb == REPLACE ? MPI_REPLACE
                                                    : MPI_NO_OP,
                                  w->win));
    else if (verb == SWAP || verb == FAIL)
        CHECK_OK(MPI_Compare_and_swap(&c->value, &c->compare, c->old, MPI_LONG, target, at, w->win));
    else if (verb == VECTOR)
        CHECK_OK(MPI_Accumulate(ones, CELLS, MPI_LONG, target, at, CELLS, MPI_LONG, MPI_SUM, w->win));
    else
        CHECK_OK(MPI_Get_accumulate(ones, CELLS, MPI_LONG, c->old, CELLS, MPI_LONG, target, at, CELLS, MPI_LONG,
                                    MPI_SUM, w->win));
    for (int i = 0; vector && i < CELLS; i++)
        model[i]++;
    if (!vector)
        model[cell] = verb == ADD ? model[cell] + c->value : verb == REPLACE || verb == SWAP ? c->value : model[cell];
}

static void in_order(enum flavor flavor, enum sync sync)
{
    struct window w;
    static struct call calls[TURNS];
    rma_open(&w, flavor, (MPI_Aint)(check_size * CELLS) * (MPI_Aint)sizeof(long), sizeof(long), MPI_INFO_NULL,
             MPI_COMM_WORLD, 0);
    int target = (w.rank + 1) % w.size, before = (w.rank + w.size - 1) % w.size;
    long model[CELLS] = {0}, theirs[CELLS];
    state = (uint64_t)w.rank + 17;
    rma_begin(&w, sync, target);
    for (int i = 0; i < TURNS; i++) {
        begin(&w, target, model, &calls[i]);
        if (random_below(100) == 0 && (sync == LOCK || sync == LOCK_ALL))
            CHECK_OK(MPI_Win_flush(target, w.win));
    }
    rma_end(&w, sync, target);
    for (int i = 0; i < TURNS; i++)
        CHECK_BYTES(calls[i].old, calls[i].want, (size_t)calls[i].n * sizeof(long));
    CHECK_OK(
        MPI_Sendrecv(model, CELLS, MPI_LONG, target, 1, theirs, CELLS, MPI_LONG, before, 1, w.comm, MPI_STATUS_IGNORE));
    CHECK_BYTES(w.base + (size_t)before * sizeof theirs, theirs, sizeof theirs);
    rma_close(&w);
}

static void many(enum flavor flavor)
{
    struct window w;
    const long one = 1;
    long *old = check_alloc(MANY * sizeof *old, 0x44), sum = 0;
    rma_open(&w, flavor, sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, 0);
    CHECK_OK(MPI_Win_lock_all(0, w.win));
    for (int i = 0; i < MANY; i++)
        CHECK_OK(MPI_Fetch_and_op(&one, &old[i], MPI_LONG, 0, rma_disp(&w, 0, 0), MPI_SUM, w.win));
    CHECK_OK(MPI_Win_flush_local_all(w.win));
    for (int i = 0; i < MANY; i++) {
        CHECK(i == 0 || old[i] > old[i - 1]);
        sum += old[i];
    }
    CHECK_OK(MPI_Win_unlock_all(w.win));
    CHECK_OK(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, w.comm));
    long all = (long)MANY * w.size;
    CHECK(sum == all * (all - 1) / 2); /* each number was had once */
    CHECK(w.rank != 0 || *(long *)w.base == all);
    rma_close(&w);
    free(old);
}

static void wrong(enum flavor flavor)
{
    struct window w;
    long x = 1, y = 0;
    rma_open(&w, flavor, 4 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, 0);
    int other = (w.rank + 1) % w.size;
    CHECK_CLASS(MPI_Fetch_and_op(&x, &y, MPI_LONG, other, 0, MPI_SUM, w.win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Compare_and_swap(&x, &x, &y, MPI_LONG, other, 0, w.win), MPI_ERR_RMA_SYNC);
    CHECK_OK(MPI_Barrier(w.comm));
    CHECK_OK(MPI_Win_lock_all(0, w.win));
    const MPI_Aint beyond[] = {4, -1, PTRDIFF_MAX, PTRDIFF_MIN, PTRDIFF_MAX / 8 + 1};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        CHECK_CLASS(MPI_Fetch_and_op(&x, &y, MPI_LONG, other, beyond[i], MPI_SUM, w.win), MPI_ERR_RMA_RANGE);
        CHECK_CLASS(MPI_Compare_and_swap(&x, &x, &y, MPI_LONG, other, beyond[i], w.win), MPI_ERR_RMA_RANGE);
    }
    CHECK_OK(MPI_Fetch_and_op(&x, &y, MPI_LONG, MPI_PROC_NULL, 9, MPI_SUM, w.win));
    CHECK_CLASS(MPI_Fetch_and_op(&x, &y, MPI_LONG, other, 0, MPI_OP_NULL, w.win), MPI_ERR_OP);
    CHECK_CLASS(MPI_Fetch_and_op(NULL, &y, MPI_LONG, other, 0, MPI_SUM, w.win), MPI_ERR_BUFFER);
    CHECK_OK(MPI_Win_unlock_all(w.win));
    rma_close(&w);
}

/* While rank 1 waits for one that sleeps, rank 0 counts there. */
static void aside(enum flavor flavor)
{
    struct window w;
    const long one = 1;
    long old = -1;
    rma_open(&w, flavor, sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, 0);
    CHECK_OK(MPI_Win_lock_all(0, w.win));
    CHECK_OK(MPI_Barrier(w.comm));
    for (long i = 0; w.rank == 0 && i < 1000; i++) {
        CHECK_OK(MPI_Fetch_and_op(&one, &old, MPI_LONG, 1, rma_disp(&w, 1, 0), MPI_SUM, w.win));
        CHECK_OK(MPI_Win_flush(1, w.win));
        CHECK_INT((int)old, (int)i);
    }
    if (w.rank == w.size - 1 && w.size > 2)
        usleep(500000);
    CHECK_OK(MPI_Bcast(&old, 1, MPI_LONG, w.size - 1, w.comm));
    CHECK_OK(MPI_Win_unlock_all(w.win));
    rma_close(&w);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    for (enum flavor flavor = CREATE; flavor < FLAVORS; flavor++) {
        if (flavor == SHARED && !rma_one_node(MPI_COMM_WORLD))
            continue;
        for (enum sync sync = FENCE; sync < SYNCS; sync++)
            in_order(flavor, sync);
        many(flavor);
        if (flavor != DYNAMIC)
            wrong(flavor);
    }
    aside(CREATE);
    return check_end();
}
