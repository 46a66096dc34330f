/* np: 2 4
 *
 * Many of everything: accumulates of all ranks that overlap, whose sum is known; requests; windows; attachments that
 * come and go; locks that exclude each other; a counter and a list that all use at once; short puts between flushes.
 */
#include "rma.h"

#include <sys/resource.h>

enum { CELLS = 500, TURNS = 600, MILLION = 1000000, REQUESTS = 10000, WINDOWS = 1000 };

static uint64_t random_of(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* What rank r adds in its turn t: where, how many, and how much. */
static void choose(int r, int t, int size, int *target, int *first, int *n, int *value)
{
    uint64_t state = (uint64_t)(r + 1) * 1000003u + (uint64_t)t;
    random_of(&state);
    *target = (int)(random_of(&state) % (uint64_t)size);
    *n = (int)(random_of(&state) % 40) + 1;
    *first = (int)(random_of(&state) % (uint64_t)(CELLS - *n + 1));
    *value = (int)(random_of(&state) % 1000);
}

/* Returns how many accumulates all ranks have made. */
static long random_sums(enum flavor flavor, int turns)
{
    struct window w;
    long want[CELLS] = {0}, mine[40], old[40], made = 0, *out = check_alloc((size_t)turns * sizeof *out, 0x11);
    rma_open(&w, flavor, CELLS * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, 0);
    CHECK_OK(MPI_Win_lock_all(0, w.win));
    for (int t = 0; t < turns; t++) {
        int target, first, n, value;
        choose(w.rank, t, w.size, &target, &first, &n, &value);
        MPI_Aint at = rma_disp(&w, target, first * (MPI_Aint)sizeof(long));
        out[t] = value;
        for (int i = 0; i < n; i++)
            mine[i] = value;
        if (t % 3 == 0) { /* one element, and those behind it one by one */
            for (int i = 0; i < n; i++)
                CHECK_OK(MPI_Fetch_and_op(&out[t], old, MPI_LONG, target,
                                          rma_disp(&w, target, (first + i) * (MPI_Aint)sizeof(long)), MPI_SUM, w.win));
            continue;
        }
        if (t % 3 == 1)
            CHECK_OK(MPI_Accumulate(mine, n, MPI_LONG, target, at, n, MPI_LONG, MPI_SUM, w.win));
        else
            CHECK_OK(MPI_Get_accumulate(mine, n, MPI_LONG, old, n, MPI_LONG, target, at, n, MPI_LONG, MPI_SUM, w.win));
        CHECK_OK(MPI_Win_flush_local(target, w.win));
    }
    CHECK_OK(MPI_Win_unlock_all(w.win));
    CHECK_OK(MPI_Barrier(w.comm));
    for (int r = 0; r < w.size; r++)
        for (int t = 0; t < turns; t++) {
            int target, first, n, value;
            choose(r, t, w.size, &target, &first, &n, &value);
            made += t % 3 == 0 ? n : 1;
            for (int i = 0; target == w.rank && i < n; i++)
                want[first + i] += value;
        }
    CHECK_BYTES(w.base, want, sizeof want);
    rma_close(&w);
    free(out);
    return made;
}

static void requests(void)
{
    struct window w;
    MPI_Request *r = check_alloc(REQUESTS * sizeof *r, 0);
    int *out = check_alloc(REQUESTS * sizeof *out, 0), *in = check_alloc(REQUESTS * sizeof *in, 0x66);
    rma_open(&w, ALLOCATE, REQUESTS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, 0);
    int other = (w.rank + 1) % w.size, left = (w.rank + w.size - 1) % w.size;
    CHECK_OK(MPI_Win_lock_all(0, w.win));
    for (int i = 0; i < REQUESTS; i++) {
        out[i] = check_value(w.rank, i);
        if (i % 2)
            CHECK_OK(MPI_Rput(&out[i], 1, MPI_INT, other, i, 1, MPI_INT, w.win, &r[i]));
        else
            CHECK_OK(MPI_Raccumulate(&out[i], 1, MPI_INT, other, i, 1, MPI_INT, MPI_SUM, w.win, &r[i]));
    }
    CHECK_OK(MPI_Waitall(REQUESTS, r, MPI_STATUSES_IGNORE));
    CHECK_OK(MPI_Win_flush_all(w.win));
    for (int i = 0; i < REQUESTS; i++) {
        if (i % 2)
            CHECK_OK(MPI_Rget(&in[i], 1, MPI_INT, other, i, 1, MPI_INT, w.win, &r[i]));
        else
            CHECK_OK(MPI_Rget_accumulate(NULL, 0, MPI_INT, &in[i], 1, MPI_INT, other, i, 1, MPI_INT, MPI_NO_OP, w.win,
                                         &r[i]));
    }
    CHECK_OK(MPI_Waitall(REQUESTS, r, MPI_STATUSES_IGNORE));
    CHECK_BYTES(in, out, REQUESTS * sizeof *in);
    CHECK_OK(MPI_Win_unlock_all(w.win));
    CHECK_OK(MPI_Barrier(w.comm));
    for (int i = 0; i < REQUESTS; i++)
        out[i] = check_value(left, i);
    CHECK_BYTES(w.base, out, REQUESTS * sizeof *out);
    rma_close(&w);
    free(r);
    free(out);
    free(in);
}

/* A request completes when its data are there, whatever the layout. */
static void long_requests(void)
{
    enum { N = 200000 };
    struct window w;
    MPI_Request r;
    MPI_Datatype half;
    int *in = check_alloc(2 * N * sizeof *in, 0x66), flag = 0;
    rma_open(&w, CREATE, N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, 0);
    int other = (w.rank + 1) % w.size;
    for (int i = 0; i < N; i++)
        ((int *)w.base)[i] = check_value(w.rank, i);
    MPI_Type_vector(N, 1, 2, MPI_INT, &half);
    MPI_Type_commit(&half);
    CHECK_OK(MPI_Barrier(w.comm));
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, w.win));
    CHECK_OK(MPI_Rget(in, 1, half, other, 0, N, MPI_INT, w.win, &r));
    CHECK_OK(MPI_Type_free(&half));
    while (!flag)
        CHECK_OK(MPI_Test(&r, &flag, MPI_STATUS_IGNORE));
    for (int i = 0; i < N; i++)
        CHECK_NOTED(in[2 * i] == check_value(other, i) && in[2 * i + 1] == 0x66666666, "element %d", i);
    CHECK_OK(MPI_Win_unlock(other, w.win));
    rma_close(&w);
    free(in);
}

/* The forms with large counts, one behind the other; each sees what the one before has done. */
static void large_forms(void)
{
    struct window w;
    MPI_Request r;
    int out[4] = {1, 2, 3, 4}, in[4];
    rma_open(&w, CREATE, 4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, 0);
    int to = (w.rank + 1) % w.size;
    CHECK_OK(MPI_Barrier(w.comm));
    CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, w.win));
    CHECK_OK(MPI_Put_c(out, 4, MPI_INT, to, 0, 4, MPI_INT, w.win));
    CHECK_OK(MPI_Win_flush(to, w.win));
    check_wipe(in, sizeof in);
    CHECK_OK(MPI_Get_c(in, 4, MPI_INT, to, 0, 4, MPI_INT, w.win));
    CHECK_OK(MPI_Win_flush(to, w.win));
    CHECK_BYTES(in, out, sizeof in);
    CHECK_OK(MPI_Accumulate_c(out, 4, MPI_INT, to, 0, 4, MPI_INT, MPI_SUM, w.win));
    check_wipe(in, sizeof in);
    CHECK_OK(MPI_Get_accumulate_c(out, 4, MPI_INT, in, 4, MPI_INT, to, 0, 4, MPI_INT, MPI_SUM, w.win));
    CHECK_OK(MPI_Win_flush(to, w.win));
    CHECK_INT(in[3], 8);
    CHECK_OK(MPI_Raccumulate_c(out, 4, MPI_INT, to, 0, 4, MPI_INT, MPI_SUM, w.win, &r));
    CHECK_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    check_wipe(in, sizeof in);
    CHECK_OK(MPI_Rget_accumulate_c(out, 4, MPI_INT, in, 4, MPI_INT, to, 0, 4, MPI_INT, MPI_SUM, w.win, &r));
    CHECK_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    CHECK_INT(in[3], 16);
    CHECK_OK(MPI_Win_flush(to, w.win));
    check_wipe(in, sizeof in);
    CHECK_OK(MPI_Rget_c(in, 4, MPI_INT, to, 0, 4, MPI_INT, w.win, &r));
    CHECK_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    CHECK_INT(in[3], 20);
    CHECK_OK(MPI_Rput_c(out, 4, MPI_INT, to, 0, 4, MPI_INT, w.win, &r));
    CHECK_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Win_unlock(to, w.win));
    CHECK_OK(MPI_Barrier(w.comm));
    CHECK_BYTES(w.base, out, sizeof out);
    rma_close(&w);
}

static void windows(void)
{
    static MPI_Win wins[WINDOWS];
    static int cells[WINDOWS];
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int some = rma_one_node(MPI_COMM_WORLD) || size == 2 ? WINDOWS : 50; /* making them among many takes its time */
    struct rlimit files;                                                 /* none of them keeps a file */
    CHECK_INT(getrlimit(RLIMIT_NOFILE, &files), 0);
    rlim_t were = files.rlim_cur;
    files.rlim_cur = were < 256 ? were : 256;
    CHECK_INT(setrlimit(RLIMIT_NOFILE, &files), 0);
    for (int i = 0; i < some; i++)
        CHECK_OK(MPI_Win_create(&cells[i], sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &wins[i]));
    for (int i = 0; i < some; i += 37) {
        int value = 100 * i + rank;
        CHECK_OK(MPI_Win_fence(0, wins[i]));
        CHECK_OK(MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, wins[i]));
        CHECK_OK(MPI_Win_fence(0, wins[i]));
        CHECK_INT(cells[i], 100 * i + (rank + size - 1) % size);
    }
    for (int i = 0; i < some; i++)
        CHECK_OK(MPI_Win_free(&wins[i * 7 % some]));
    files.rlim_cur = were;
    CHECK_INT(setrlimit(RLIMIT_NOFILE, &files), 0);
}

/* Each rank appends to a list that is spread over all, as in the example of MPI-5.0 section 12.8: memory is attached
 * under way. */
static void growing(void)
{
    enum { STEPS = 30 };
    MPI_Win win;
    int rank, size;
    long *pieces[STEPS];
    MPI_Aint mine, theirs;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    CHECK_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < STEPS; i++) {
        long value = check_value(rank, i), old = -1;
        pieces[i] = check_alloc(64, 0);
        CHECK_OK(MPI_Win_attach(win, pieces[i], 64));
        MPI_Get_address(pieces[i], &mine);
        CHECK_OK(MPI_Sendrecv(&mine, 1, MPI_AINT, left, 1, &theirs, 1, MPI_AINT, right, 1, MPI_COMM_WORLD,
                              MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Fetch_and_op(&value, &old, MPI_LONG, right, MPI_Aint_add(theirs, 56), MPI_REPLACE, win));
        CHECK_OK(MPI_Win_flush(right, win));
        CHECK_INT(old, 0);
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
        CHECK_INT(pieces[i][7], check_value(left, i));
        if (i % 2)
            CHECK_OK(MPI_Win_detach(win, pieces[i]));
    }
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Win_free(&win));
    for (int i = 0; i < STEPS; i++)
        free(pieces[i]);
}

/* A lock that one holds keeps all others out: a counter that is read and written apart loses nothing. */
static void exclusion(enum flavor flavor)
{
    struct window w;
    rma_open(&w, flavor, 64, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, 0);
    for (int i = 0; i < 100; i++) {
        long value = -1;
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w.win));
        CHECK_OK(MPI_Get(&value, 1, MPI_LONG, 0, rma_disp(&w, 0, 0), 1, MPI_LONG, w.win));
        CHECK_OK(MPI_Win_flush(0, w.win));
        value++;
        CHECK_OK(MPI_Put(&value, 1, MPI_LONG, 0, rma_disp(&w, 0, 0), 1, MPI_LONG, w.win));
        CHECK_OK(MPI_Win_unlock(0, w.win));
    }
    CHECK_OK(MPI_Barrier(w.comm));
    if (w.rank == 0)
        CHECK_INT(*(long *)w.base, 100 * w.size);
    rma_close(&w);
}

/* Each waits for what its neighbor brings by nothing but looking at its own memory, in calls that have nothing to wait
 * for (MPI-5.0 section 12.7.3). */
static void polling(enum flavor flavor)
{
    struct window w;
    long seen;
    rma_open(&w, flavor, 64, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, 0);
    int right = (w.rank + 1) % w.size;
    for (int way = 0; way < 2; way++) {
        long value = 5 + way, zero = 0;
        if (way == 0)
            CHECK_OK(MPI_Win_lock_all(0, w.win));
        if (way == 1)
            CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, w.win));
        CHECK_OK(MPI_Accumulate(&value, 1, MPI_LONG, right, rma_disp(&w, right, 0), 1, MPI_LONG, MPI_REPLACE, w.win));
        if (way == 1)
            CHECK_OK(MPI_Win_unlock(right, w.win));
        do {
            if (way == 1)
                CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, w.rank, 0, w.win));
            CHECK_OK(MPI_Fetch_and_op(&zero, &seen, MPI_LONG, w.rank, rma_disp(&w, w.rank, 0), MPI_NO_OP, w.win));
            if (way == 0)
                CHECK_OK(MPI_Win_flush(w.rank, w.win));
            if (way == 1)
                CHECK_OK(MPI_Win_unlock(w.rank, w.win));
        } while (seen != value);
        if (way == 0)
            CHECK_OK(MPI_Win_unlock_all(w.win));
        CHECK_OK(MPI_Barrier(w.comm));
    }
    rma_close(&w);
}

/* To the next rank: a few go another way than many, and again after each flush; behind an accumulate or not. */
static void few_and_many(enum flavor flavor)
{
    enum { MOST = 20 };
    struct window w;
    int value[MOST], back[MOST], one = 1;
    rma_open(&w, flavor, (MOST + 1) * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, 0);
    int next = (w.rank + 1) % w.size, last = (w.rank + w.size - 1) % w.size;
    const volatile int *base = (const volatile int *)w.base;
    CHECK_OK(MPI_Win_lock_all(0, w.win));
    for (int turn = 0; turn < 2 * MOST; turn++) {
        int n = turn / 2 + 1;
        if (turn % 2)
            CHECK_OK(MPI_Accumulate(&one, 1, MPI_INT, next, rma_disp(&w, next, MOST * (int)sizeof(int)), 1, MPI_INT,
                                    MPI_SUM, w.win));
        for (int i = 0; i < n; i++) {
            value[i] = 1000 * turn + 100 * w.rank + i;
            CHECK_OK(MPI_Put(&value[i], 1, MPI_INT, next, rma_disp(&w, next, i * (int)sizeof(int)), 1, MPI_INT, w.win));
        }
        CHECK_OK(MPI_Win_flush(next, w.win));
        memset(back, 0xff, sizeof back);
        CHECK_OK(MPI_Get(back, n, MPI_INT, next, rma_disp(&w, next, 0), n, MPI_INT, w.win));
        CHECK_OK(MPI_Win_flush(next, w.win));
        CHECK_BYTES(back, value, (size_t)n * sizeof(int));
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
        CHECK_OK(MPI_Win_sync(w.win));
        for (int i = 0; i < n; i++)
            CHECK_NOTED(base[i] == 1000 * turn + 100 * last + i, "%s, turn %d: put %d is %d", flavor_words[flavor],
                        turn, i, base[i]);
        CHECK_INT(base[MOST], (turn + 1) / 2);
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    CHECK_OK(MPI_Win_unlock_all(w.win));
    rma_close(&w);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    for (enum flavor flavor = CREATE; flavor < FLAVORS; flavor++) {
        if (flavor == SHARED && !rma_one_node(MPI_COMM_WORLD))
            continue;
        random_sums(flavor, TURNS);
        exclusion(flavor);
        polling(flavor);
        few_and_many(flavor);
    }
    if (rma_one_node(MPI_COMM_WORLD)) {
        long made = random_sums(ALLOCATE, MILLION / 7 / check_size);
        CHECK_NOTED(made >= MILLION, "%ld accumulates", made);
    }
    requests();
    long_requests();
    large_forms();
    windows();
    growing();
    return check_end();
}
