/* np: 1 2 5
 *
 * What ends puts and gets of ordinary memory beside MPI_Win_flush: epochs of all kinds, with windows that are freed
 * behind them, requests in any order, local ends, after which the origin's memory is used again or gone; derived
 * datatypes among rows of bytes; more operations than are collected at a time; and random puts and gets against a
 * model.
 */
#include "rma.h"

enum { MANY = 700, LONG = 20000, CELLS = 2 * MANY + 2 * LONG };

static struct window w;
static int right, left, turn;

static int value_of(int rank, int i)
{
    return check_value(rank, i) + 100000 * turn;
}

static void open_window(void)
{
    rma_open(&w, CREATE, CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, 0);
    right = (w.rank + 1) % w.size;
    left = (w.rank + w.size - 1) % w.size;
    turn++;
}

static int cell(int i)
{
    return ((volatile int *)w.base)[i];
}

/* Cells that are put by the left neighbor: single ones with holes, a long row, and every other one of as many. */
static void put_all(const int *out, MPI_Datatype half)
{
    for (int i = 0; i < MANY; i++) {
        CHECK_OK(MPI_Put(&out[2 * i], 1, MPI_INT, right, 2 * i, 1, MPI_INT, w.win));
        if (i == MANY / 2) {
            CHECK_OK(MPI_Put(&out[2 * MANY + LONG], 1, half, right, 2 * MANY + LONG, 1, half, w.win));
            CHECK_OK(MPI_Put(&out[2 * MANY], LONG, MPI_INT, right, 2 * MANY, LONG, MPI_INT, w.win));
        }
    }
}

static bool is_put(int i)
{
    return i < 2 * MANY ? i % 2 == 0 : i < 2 * MANY + LONG || (i - 2 * MANY - LONG) % 2 == 0;
}

/* The same cells; one after the other where they are put with holes. */
static void get_all(int *in, MPI_Datatype half)
{
    for (int i = 0; i < MANY; i++)
        CHECK_OK(MPI_Get(&in[2 * i], 1, MPI_INT, right, 2 * i, 1, MPI_INT, w.win));
    CHECK_OK(MPI_Get(&in[2 * MANY + LONG], LONG / 2, MPI_INT, right, 2 * MANY + LONG, 1, half, w.win));
    CHECK_OK(MPI_Get(&in[2 * MANY], LONG, MPI_INT, right, 2 * MANY, LONG, MPI_INT, w.win));
}

static void look_at_puts(const char *what)
{
    for (int i = 0; i < CELLS; i++)
        CHECK_NOTED(cell(i) == (is_put(i) ? value_of(left, i) : 0), "%s, cell %d is %d", what, i, cell(i));
}

static void look_at_gets(const int *in, const char *what)
{
    for (int i = 0; i < 2 * MANY; i += 2)
        CHECK_NOTED(in[i] == value_of(w.rank, i), "%s, get %d is %d", what, i, in[i]);
    for (int i = 2 * MANY; i < 2 * MANY + LONG; i++)
        CHECK_NOTED(in[i] == value_of(w.rank, i), "%s, get %d is %d", what, i, in[i]);
    for (int i = 0; i < LONG / 2; i++)
        CHECK_NOTED(in[2 * MANY + LONG + i] == value_of(w.rank, 2 * MANY + LONG + 2 * i), "%s, row %d", what, i);
}

/* In one epoch what is put, in the next one what is got; freed: the window goes at once, and its memory shows. */
static void epochs(enum sync sync, bool freed, MPI_Datatype half)
{
    int *out = check_alloc(CELLS * sizeof *out, 0), *in = check_alloc(CELLS * sizeof *in, 0xe5);
    open_window();
    for (int i = 0; i < CELLS; i++)
        out[i] = value_of(w.rank, i);
    rma_begin(&w, sync, right);
    put_all(out, half);
    if (!freed) {
        rma_end(&w, sync, right);
        check_wipe(out, CELLS * sizeof *out);
        look_at_puts(sync_words[sync]);
        rma_begin(&w, sync, right);
        get_all(in, half);
        rma_end(&w, sync, right);
        look_at_gets(in, sync_words[sync]);
    } else {
        if (sync == LOCK)
            CHECK_OK(MPI_Win_unlock(right, w.win));
        else
            CHECK_OK(MPI_Win_unlock_all(w.win));
        CHECK_OK(MPI_Win_free(&w.win));
        look_at_puts("a window that is freed");
    }
    if (freed) {
        free(w.base);
        free(w.at);
    } else {
        rma_close(&w);
    }
    free(out);
    free(in);
}

/* Waited for from both ends to the middle, one behind another or some at once. */
static void requests(void)
{
    static MPI_Request puts[MANY], gets[MANY];
    int *out = check_alloc(MANY * sizeof *out, 0), *in = check_alloc(MANY * sizeof *in, 0xe5);
    open_window();
    CHECK_OK(MPI_Win_lock_all(0, w.win));
    for (int i = 0; i < MANY; i++) {
        out[i] = value_of(w.rank, i);
        CHECK_OK(MPI_Rput(&out[i], 1, MPI_INT, right, i, 1, MPI_INT, w.win, &puts[i]));
    }
    for (int i = 0; i < MANY; i++) {
        int k = i % 2 ? MANY - 1 - i / 2 : i / 2;
        CHECK_OK(MPI_Wait(&puts[k], MPI_STATUS_IGNORE));
        out[k] = -1;
    }
    CHECK_OK(MPI_Win_flush(right, w.win));
    CHECK_OK(MPI_Barrier(w.comm));
    for (int i = 0; i < MANY; i++)
        CHECK_OK(MPI_Rget(&in[i], 1, MPI_INT, right, i, 1, MPI_INT, w.win, &gets[i]));
    for (int i = 0; i < MANY; i++) {
        int k = i % 2 ? i / 2 : MANY - 1 - i / 2, flag = 0;
        while (i % 3 == 0 && !flag)
            CHECK_OK(MPI_Test(&gets[k], &flag, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Wait(&gets[k], MPI_STATUS_IGNORE));
        CHECK_NOTED(in[k] == value_of(w.rank, k), "get %d is %d", k, in[k]);
    }
    CHECK_OK(MPI_Win_unlock_all(w.win));
    rma_close(&w);
    free(out);
    free(in);
}

/* One place for all that is put, and one that is given back as soon as that may be. */
static void local_ends(void)
{
    int one, *rows;
    open_window();
    CHECK_OK(MPI_Win_lock_all(0, w.win));
    for (int i = 0; i < MANY; i++) {
        one = value_of(w.rank, i);
        CHECK_OK(MPI_Put(&one, 1, MPI_INT, right, i, 1, MPI_INT, w.win));
        CHECK_OK(i % 2 ? MPI_Win_flush_local_all(w.win) : MPI_Win_flush_local(right, w.win));
        one = -1;
    }
    for (int k = 0; k < 4; k++) {
        rows = check_alloc(MANY / 4 * sizeof *rows, 0);
        for (int i = 0; i < MANY / 4; i++) {
            rows[i] = value_of(w.rank, MANY + k * (MANY / 4) + i);
            CHECK_OK(MPI_Put(&rows[i], 1, MPI_INT, right, MANY + k * (MANY / 4) + i, 1, MPI_INT, w.win));
        }
        CHECK_OK(MPI_Win_flush_local(right, w.win));
        memset(rows, 0xff, MANY / 4 * sizeof *rows);
        free(rows);
    }
    CHECK_OK(MPI_Win_flush(right, w.win));
    CHECK_OK(MPI_Barrier(w.comm));
    CHECK_OK(MPI_Win_sync(w.win));
    for (int i = 0; i < 2 * MANY; i++)
        CHECK_NOTED(cell(i) == value_of(left, i), "cell %d is %d", i, cell(i));
    CHECK_OK(MPI_Win_unlock_all(w.win));
    rma_close(&w);
}

static unsigned random_of(unsigned *state)
{
    *state = *state * 1103515245 + 12345;
    return *state >> 16;
}

/* Each rank has a part of each rank's memory for itself, which it puts to and gets from, with flushes in between where
 * one operation meets what another one of its own has done: then the standard says what is there. */
static void at_random(int turns)
{
    enum { PART = 400, MOST = 60 };
    int *model = check_alloc((size_t)check_size * PART * sizeof *model, 0), *into = check_alloc(MOST * sizeof *into, 0);
    int *out = check_alloc((size_t)turns * MOST * sizeof *out, 0);
    char *touched = check_alloc((size_t)check_size * PART, 0);
    unsigned state = 77 + 1000 * (unsigned)check_rank;
    MPI_Datatype two;
    CHECK_OK(MPI_Type_vector(MOST / 4, 1, 2, MPI_INT, &two));
    CHECK_OK(MPI_Type_commit(&two));
    rma_open(&w, CREATE, (MPI_Aint)PART * check_size * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL,
             MPI_COMM_WORLD, 0);
    CHECK_OK(MPI_Win_lock_all(0, w.win));
    for (int t = 0; t < turns; t++) {
        int n = 1 + (int)(random_of(&state) % MOST), to = (int)(random_of(&state) % (unsigned)w.size), step = 1;
        int first = (int)(random_of(&state) % (PART - MOST)), *mine = model + to * PART + first, *from = out + t * MOST;
        char *marks = touched + to * PART + first;
        MPI_Datatype type = MPI_INT;
        int count = n, kind = (int)(random_of(&state) % 8);
        if (kind < 2) {
            type = two;
            count = 1;
            n = MOST / 4;
            step = 2;
        }
        bool met = false;
        for (int i = 0; i < n; i++)
            met |= marks[i * step];
        if (met || kind == 7) {
            CHECK_OK(t % 3 == 0 ? MPI_Win_flush_all(w.win) : MPI_Win_flush(to, w.win));
            memset(t % 3 == 0 ? touched : touched + to * PART, 0, (size_t)(t % 3 == 0 ? w.size : 1) * PART);
        }
        if (kind % 2) {
            CHECK_OK(MPI_Get(into, n, MPI_INT, to, w.rank * PART + first, count, type, w.win));
            CHECK_OK(MPI_Win_flush_local(to, w.win));
            for (int i = 0; i < n; i++)
                CHECK_NOTED(into[i] == mine[i * step], "turn %d, cell %d of rank %d", t, first + i * step, to);
            continue;
        }
        for (int i = 0; i < n; i++) {
            from[i] = mine[i * step] = (int)random_of(&state);
            marks[i * step] = 1;
        }
        CHECK_OK(MPI_Put(from, n, MPI_INT, to, w.rank * PART + first, count, type, w.win));
    }
    CHECK_OK(MPI_Win_unlock_all(w.win));
    CHECK_OK(MPI_Barrier(w.comm));
    int *all = check_alloc((size_t)w.size * PART * sizeof *all, 0);
    CHECK_OK(MPI_Alltoall(model, PART, MPI_INT, all, PART, MPI_INT, w.comm));
    CHECK_BYTES(w.base, all, (size_t)w.size * PART * sizeof *all);
    rma_close(&w);
    CHECK_OK(MPI_Type_free(&two));
    free(model);
    free(into);
    free(out);
    free(touched);
    free(all);
}

int main(int argc, char **argv)
{
    MPI_Datatype half;
    check_start(&argc, &argv);
    CHECK_OK(MPI_Type_vector(LONG / 2, 1, 2, MPI_INT, &half));
    CHECK_OK(MPI_Type_commit(&half));
    for (int sync = 0; sync < SYNCS; sync++)
        epochs((enum sync)sync, false, half);
    epochs(LOCK, true, half);
    epochs(LOCK_ALL, true, half);
    requests();
    local_ends();
    at_random(2000);
    CHECK_OK(MPI_Type_free(&half));
    return check_end();
}
