/* windows.c - one-sided communication: `windows SECONDS CASE...`, with any MPI.  Run by test/bench/windows.
 *
 * A case is NAME:BYTES:MEMORY; the memory is `allocate` (MPI_Win_allocate), `create` (MPI_Win_create over ordinary
 * memory) or `dynamic` (such memory attached to a window of MPI_Win_create_dynamic).  Those under MPI_Win_lock_all:
 *
 *     fop cas           all ranks, a long of rank 0, and MPI_Win_flush
 *     put get acc       rank 0 into the memory of rank 1, and MPI_Win_flush; acc adds doubles
 *     puts gets         64 of them, to and from every other place, before the flush; a call is one of them
 *     poll              all ranks: a number goes round, put by MPI_Accumulate; each fetches its own until it is there
 *
 * And those that are about an epoch:
 *
 *     lock              rank 0: lock of rank 1, exclusive, put, unlock
 *     lock_all          all ranks: lock_all, put to the next rank, unlock_all
 *     fence             all ranks: put to the next rank, fence
 *     pscw              all ranks: post and start, put to the next rank, complete, wait
 *
 * What the processor does in their place, in memory of MPI_Win_allocate_shared, is bare_fop, bare_cas, bare_put (a
 * store and a fence, or memcpy), bare_get and bare_acc (a loop that adds).  A line of JSON for each: the case, and the
 * seconds a call took in each block.
 */
#include <mpi.h>
#include <stdatomic.h>
#include <string.h>

#include "common.h"

enum { MOST_RANKS = 64 };
static int rank, size;

struct what {
    MPI_Win win;
    char *mine, *near, *theirs; /* in the window, beside it, and what rank 1 has as this one sees it (bare) */
    MPI_Aint at[MOST_RANKS];    /* displacements where these begin */
    int bytes;
    MPI_Group before, after;
    void (*call)(struct what *w, long calls);
    int everybody;
    long round;
};

/* ---- under lock_all ---- */

static void fop(struct what *w, long calls)
{
    long one = 1, old;
    for (long i = 0; i < calls; i++) {
        MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, w->at[0], MPI_SUM, w->win);
        MPI_Win_flush(0, w->win);
    }
}

static void cas(struct what *w, long calls)
{
    long want = 0, old = 0, next;
    for (long i = 0; i < calls; i++) {
        want = old;
        next = want + 1;
        MPI_Compare_and_swap(&next, &want, &old, MPI_LONG, 0, w->at[0], w->win);
        MPI_Win_flush(0, w->win);
    }
}

static void put(struct what *w, long calls)
{
    for (long i = 0; i < calls; i++) {
        MPI_Put(w->near, w->bytes, MPI_BYTE, 1, w->at[1], w->bytes, MPI_BYTE, w->win);
        MPI_Win_flush(1, w->win);
    }
}

static void get(struct what *w, long calls)
{
    for (long i = 0; i < calls; i++) {
        MPI_Get(w->near, w->bytes, MPI_BYTE, 1, w->at[1], w->bytes, MPI_BYTE, w->win);
        MPI_Win_flush(1, w->win);
    }
}

enum { MANY = 64 };

static void puts_(struct what *w, long calls)
{
    for (long i = 0; i < calls; i += MANY) {
        for (int k = 0; k < MANY; k++)
            MPI_Put(w->near + k * w->bytes, w->bytes, MPI_BYTE, 1, w->at[1] + 2 * k * w->bytes, w->bytes, MPI_BYTE,
                    w->win);
        MPI_Win_flush(1, w->win);
    }
}

static void gets_(struct what *w, long calls)
{
    for (long i = 0; i < calls; i += MANY) {
        for (int k = 0; k < MANY; k++)
            MPI_Get(w->near + k * w->bytes, w->bytes, MPI_BYTE, 1, w->at[1] + 2 * k * w->bytes, w->bytes, MPI_BYTE,
                    w->win);
        MPI_Win_flush(1, w->win);
    }
}

static void acc(struct what *w, long calls)
{
    for (long i = 0; i < calls; i++) {
        MPI_Accumulate(w->near, w->bytes / 8, MPI_DOUBLE, 1, w->at[1], w->bytes / 8, MPI_DOUBLE, MPI_SUM, w->win);
        MPI_Win_flush(1, w->win);
    }
}

/* ---- epochs ---- */

static void hand_on(struct what *w)
{
    int next = (rank + 1) % size;
    MPI_Accumulate(&w->round, 1, MPI_LONG, next, w->at[next], 1, MPI_LONG, MPI_REPLACE, w->win);
    MPI_Win_flush(next, w->win);
}

static void poll(struct what *w, long calls)
{
    long nothing = 0, there;
    for (long i = 0; i < calls; i++) {
        w->round++;
        if (rank == 0)
            hand_on(w);
        do {
            MPI_Fetch_and_op(&nothing, &there, MPI_LONG, rank, w->at[rank], MPI_NO_OP, w->win);
            MPI_Win_flush(rank, w->win);
        } while (there < w->round);
        if (rank != 0)
            hand_on(w);
    }
}

static void lock(struct what *w, long calls)
{
    for (long i = 0; i < calls; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, w->win);
        MPI_Put(w->near, w->bytes, MPI_BYTE, 1, w->at[1], w->bytes, MPI_BYTE, w->win);
        MPI_Win_unlock(1, w->win);
    }
}

static void put_next(struct what *w)
{
    int next = (rank + 1) % size;
    MPI_Put(w->near, w->bytes, MPI_BYTE, next, w->at[next], w->bytes, MPI_BYTE, w->win);
}

static void lock_all(struct what *w, long calls)
{
    for (long i = 0; i < calls; i++) {
        MPI_Win_lock_all(0, w->win);
        put_next(w);
        MPI_Win_unlock_all(w->win);
    }
}

static void fence(struct what *w, long calls)
{
    MPI_Win_fence(0, w->win);
    for (long i = 0; i < calls; i++) {
        put_next(w);
        MPI_Win_fence(0, w->win);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, w->win);
}

static void pscw(struct what *w, long calls)
{
    for (long i = 0; i < calls; i++) {
        MPI_Win_post(w->before, 0, w->win);
        MPI_Win_start(w->after, 0, w->win);
        put_next(w);
        MPI_Win_complete(w->win);
        MPI_Win_wait(w->win);
    }
}

/* ---- without a library; the memory of the one that is reached ---- */

static void bare_fop(struct what *w, long calls)
{
    for (long i = 0; i < calls; i++)
        atomic_fetch_add((_Atomic long *)w->theirs, 1);
}

static void bare_cas(struct what *w, long calls)
{
    long want = 0;
    for (long i = 0; i < calls; i++)
        atomic_compare_exchange_strong((_Atomic long *)w->theirs, &want, want + 1);
}

static void bare_put(struct what *w, long calls)
{
    for (long i = 0; i < calls; i++) {
        memcpy(w->theirs, w->near, (size_t)w->bytes);
        atomic_thread_fence(memory_order_seq_cst);
    }
}

static void bare_get(struct what *w, long calls)
{
    for (long i = 0; i < calls; i++) {
        memcpy(w->near, w->theirs, (size_t)w->bytes);
        atomic_thread_fence(memory_order_seq_cst);
    }
}

static void bare_acc(struct what *w, long calls)
{
    double *restrict to = (double *)w->theirs;
    const double *restrict from = (const double *)w->near;
    for (long i = 0; i < calls; i++) {
        for (int k = 0; k < w->bytes / 8; k++)
            to[k] += from[k];
        atomic_thread_fence(memory_order_seq_cst);
    }
}

/* ---- all cases ---- */

enum how { BARE, LOCKED, EPOCH };
static const struct row {
    const char *name;
    void (*call)(struct what *w, long calls);
    enum how how;
    int everybody; /* all ranks call it, not rank 0 alone */
} rows[] = {{"fop", fop, LOCKED, 1},          {"cas", cas, LOCKED, 1},         {"put", put, LOCKED, 0},
            {"get", get, LOCKED, 0},          {"puts", puts_, LOCKED, 0},      {"gets", gets_, LOCKED, 0},
            {"acc", acc, LOCKED, 0},          {"poll", poll, LOCKED, 1},       {"lock", lock, EPOCH, 0},
            {"lock_all", lock_all, EPOCH, 1}, {"fence", fence, EPOCH, 1},      {"pscw", pscw, EPOCH, 1},
            {"bare_fop", bare_fop, BARE, 1},  {"bare_cas", bare_cas, BARE, 1}, {"bare_put", bare_put, BARE, 0},
            {"bare_get", bare_get, BARE, 0},  {"bare_acc", bare_acc, BARE, 0}};

/* The same on every rank: those of the slowest that takes part. */
static double block(void *what, long calls)
{
    struct what *w = what;
    MPI_Barrier(MPI_COMM_WORLD);
    double began = now();
    if (w->everybody || rank == 0)
        w->call(w, calls);
    double seconds = w->everybody || rank == 0 ? now() - began : 0;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

/* Room for the puts and gets of a call. */
static int room(const struct what *w, const struct row *row)
{
    return row->call == puts_ || row->call == gets_ ? 2 * MANY * w->bytes : w->bytes;
}

static void *open_window(struct what *w, const struct row *row, const char *memory)
{
    void *owned = NULL;
    MPI_Aint n, bytes = room(w, row);
    int unit;
    if (row->how == BARE) {
        MPI_Win_allocate_shared(w->bytes + PAGE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w->mine, &w->win);
        MPI_Win_shared_query(w->win, row->everybody ? 0 : 1, &n, &unit, &w->theirs);
    } else if (strcmp(memory, "create") == 0) {
        w->mine = owned = buffer_new((size_t)bytes, 0);
        MPI_Win_create(w->mine, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w->win);
    } else if (strcmp(memory, "dynamic") == 0) {
        MPI_Aint at;
        w->mine = owned = buffer_new((size_t)bytes, 0);
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &w->win);
        MPI_Win_attach(w->win, w->mine, bytes);
        MPI_Get_address(w->mine, &at);
        MPI_Allgather(&at, 1, MPI_AINT, w->at, 1, MPI_AINT, MPI_COMM_WORLD);
    } else
        MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w->mine, &w->win);
    memset(w->mine, 0, (size_t)bytes);
    return owned;
}

static MPI_Group group_of(int member)
{
    MPI_Group world, one;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &member, &one);
    MPI_Group_free(&world);
    return one;
}

static void run(const char *word, double budget)
{
    char name[32], memory[32] = "allocate";
    double seconds[MOST_BLOCKS];
    long calls;
    struct what w = {.bytes = 8};
    sscanf(word, "%31[^:]:%d:%31s", name, &w.bytes, memory);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, name) != 0)
            continue;
        w.call = rows[i].call;
        w.everybody = rows[i].everybody;
        w.near = buffer_new((size_t)room(&w, &rows[i]), 1);
        memset(w.near, 0, (size_t)room(&w, &rows[i]));
        w.before = group_of((rank + size - 1) % size);
        w.after = group_of((rank + 1) % size);
        void *owned = open_window(&w, &rows[i], memory);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rows[i].how == LOCKED)
            MPI_Win_lock_all(0, w.win);
        int blocks = blocks_time(block, &w, budget, seconds, &calls);
        if (w.call == puts_ || w.call == gets_)
            calls = (calls + MANY - 1) / MANY * MANY;
        if (rows[i].how == LOCKED)
            MPI_Win_unlock_all(w.win);
        if (strcmp(memory, "dynamic") == 0)
            MPI_Win_detach(w.win, w.mine);
        MPI_Win_free(&w.win);
        if (owned)
            buffer_free(owned, 0);
        buffer_free(w.near, 1);
        MPI_Group_free(&w.before);
        MPI_Group_free(&w.after);
        if (rank == 0)
            result_print(word, "-", (size_t)w.bytes, calls, blocks, seconds);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > MOST_RANKS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 2; i < argc; i++)
        run(argv[i], atof(argv[1]));
    MPI_Finalize();
    return 0;
}
