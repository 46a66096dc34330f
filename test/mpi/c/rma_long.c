/* Long operations, which between nodes go from where they lie to where they are wanted: puts, gets and accumulates of
 * lengths around what pieces are, with gaps on either side, in windows of memory that is there and of memory that is
 * attached; both ways at once, beside messages and beside another window; buffers that are used again as soon as that
 * is allowed; and what does not lie in attached memory.
 *
 * np: 2 3
 * only: treefold
 */
#include "rma.h"

enum { MOST = 3 * 512 * 1024 / CHECK_SLOW, STRIDE = 3 };

static const size_t lengths[] = {16 * 1024 - 8, 16 * 1024, 128 * 1024 - 48, 128 * 1024 + 8, 600 * 1024, MOST};

static unsigned char value(size_t i, int seed)
{
    return (unsigned char)(i * 7 + (i >> 8) * 5 + (size_t)seed * 13);
}

static void fill(char *at, size_t bytes, int seed)
{
    for (size_t i = 0; i < bytes; i++)
        at[i] = (char)value(i, seed);
}

static void check_filled(const char *at, size_t bytes, int seed, const char *what)
{
    size_t i = 0;
    while (i < bytes && (unsigned char)at[i] == value(i, seed))
        i++;
    CHECK_NOTED(i == bytes, "%s of %zu bytes: byte %zu is %d, not %d", what, bytes, i, (unsigned char)at[i],
                value(i, seed));
}

/* So many longs, and those of every third. */
static MPI_Datatype with_gaps(size_t bytes)
{
    MPI_Datatype type;
    CHECK_OK(MPI_Type_vector((int)(bytes / 8), 1, STRIDE, MPI_LONG, &type));
    CHECK_OK(MPI_Type_commit(&type));
    return type;
}

static void spread(char *to, const char *from, size_t bytes)
{
    for (size_t i = 0; i < bytes / 8; i++)
        memcpy(to + i * 8 * STRIDE, from + i * 8, 8);
}

static void collect(char *to, const char *from, size_t bytes)
{
    for (size_t i = 0; i < bytes / 8; i++)
        memcpy(to + i * 8, from + i * 8 * STRIDE, 8);
}

/* ---- one at a time ---- */

struct buffers {
    char *plain, *gaps, *back;
};

static void put_and_get(struct window *w, const struct buffers *b, size_t bytes, int here_gaps, int there_gaps)
{
    int to = (w->rank + 1) % w->size, from = (w->rank + w->size - 1) % w->size;
    MPI_Datatype type = with_gaps(bytes);
    fill(b->plain, bytes, w->rank);
    if (here_gaps)
        spread(b->gaps, b->plain, bytes);
    MPI_Aint at = rma_disp(w, to, 8);
    rma_begin(w, LOCK_ALL, to);
    CHECK_OK(MPI_Put(here_gaps ? b->gaps : b->plain, here_gaps ? 1 : (int)(bytes / 8), here_gaps ? type : MPI_LONG, to,
                     at, there_gaps ? 1 : (int)(bytes / 8), there_gaps ? type : MPI_LONG, w->win));
    CHECK_OK(MPI_Win_flush(to, w->win));
    memset(b->back, 0, bytes * STRIDE);
    CHECK_OK(MPI_Get(b->back, here_gaps ? 1 : (int)(bytes / 8), here_gaps ? type : MPI_LONG, to, at,
                     there_gaps ? 1 : (int)(bytes / 8), there_gaps ? type : MPI_LONG, w->win));
    rma_end(w, LOCK_ALL, to);
    const char *got = b->back;
    if (here_gaps) {
        collect(b->gaps, b->back, bytes);
        got = b->gaps;
    }
    check_filled(got, bytes, w->rank, "a get");
    if (there_gaps) {
        collect(b->gaps, w->base + 8, bytes);
        check_filled(b->gaps, bytes, from, "a put with gaps");
    } else
        check_filled(w->base + 8, bytes, from, "a put");
    CHECK_INT(w->base[0], 1);
    CHECK_INT(w->base[8 + (there_gaps ? (bytes / 8 - 1) * 8 * STRIDE + 8 : bytes)], 1);
    CHECK_OK(MPI_Type_free(&type));
}

/* Pairs of 12 bytes in 16, and elements of 16: no piece ends within one. */
struct pair {
    double value;
    int index;
};

static void accumulate(struct window *w, struct buffers *b, size_t bytes)
{
    int to = (w->rank + 1) % w->size, n = (int)(bytes / sizeof(struct pair));
    struct pair *mine = (void *)b->plain, *there = (void *)w->base, *old = (void *)b->back;
    long double *wide = (void *)b->plain, *sums = (void *)w->base;
    MPI_Aint at = rma_disp(w, to, 0);
    for (int i = 0; i < n; i++) {
        mine[i] = (struct pair){i % 5 ? w->rank + i : -1, w->rank};
        there[i] = (struct pair){i, 77};
    }
    rma_begin(w, LOCK_ALL, to);
    CHECK_OK(MPI_Accumulate(mine, n, MPI_DOUBLE_INT, to, at, n, MPI_DOUBLE_INT, MPI_MAXLOC, w->win));
    CHECK_OK(MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, old, n, MPI_DOUBLE_INT, to, at, n, MPI_DOUBLE_INT,
                                MPI_NO_OP, w->win));
    rma_end(w, LOCK_ALL, to);
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        int larger = i % 5 && w->rank > 0, index = larger ? w->rank : i % 5 ? 0 : 77;
        wrong += old[i].value != (larger ? w->rank + i : i) || old[i].index != index;
    }
    CHECK_NOTED(wrong == 0, "%d of %d pairs", wrong, n);
    CHECK_OK(MPI_Barrier(w->comm));
    for (int i = 0; i < n; i++) {
        wide[i] = i + w->rank;
        sums[i] = 1;
    }
    for (int times = 1; times <= 2; times++) {
        rma_begin(w, times == 1 ? FENCE : PSCW, to);
        for (int r = 0; r < w->size; r++)
            CHECK_OK(
                MPI_Accumulate(wide, n, MPI_LONG_DOUBLE, r, rma_disp(w, r, 0), n, MPI_LONG_DOUBLE, MPI_SUM, w->win));
        rma_end(w, times == 1 ? FENCE : PSCW, to);
        wrong = 0;
        for (int i = 0; i < n; i++)
            wrong += sums[i] != 1 + times * (w->size * (long double)i + w->size * (w->size - 1) / 2);
        CHECK_NOTED(wrong == 0, "%d of %d sums, %d times", wrong, n, times);
    }
    CHECK_OK(MPI_Barrier(w->comm));
}

/* ---- what else goes on ---- */

/* Everybody to everybody, in two windows by turns, beside messages as long. */
static void all_at_once(struct window *w, struct window *other, struct buffers *b)
{
    size_t part = MOST / (size_t)w->size / 64 * 64;
    int to = (w->rank + 1) % w->size, from = (w->rank + w->size - 1) % w->size;
    MPI_Request requests[2];
    fill(b->plain, MOST, w->rank);
    CHECK_OK(MPI_Irecv(b->gaps, (int)part, MPI_BYTE, from, 5, w->comm, &requests[0]));
    rma_begin(w, LOCK_ALL, to);
    rma_begin(other, LOCK_ALL, to);
    for (int r = 0; r < w->size; r++)
        for (size_t half = 0; half < 2; half++) {
            MPI_Aint at = (MPI_Aint)(half * part / 2), there = (MPI_Aint)((size_t)w->rank * part) + at;
            CHECK_OK(MPI_Put(b->plain + at, (int)(part / 2), MPI_BYTE, r, rma_disp(w, r, there), (int)(part / 2),
                             MPI_BYTE, w->win));
            CHECK_OK(MPI_Put(b->plain + at, (int)(part / 2), MPI_BYTE, r, rma_disp(other, r, there), (int)(part / 2),
                             MPI_BYTE, other->win));
            CHECK_OK(MPI_Get(b->back + (size_t)r * part + at, (int)(part / 2), MPI_BYTE, r,
                             rma_disp(w, r, (MPI_Aint)((size_t)w->size * part) + at), (int)(part / 2), MPI_BYTE,
                             w->win));
        }
    CHECK_OK(MPI_Isend(b->plain, (int)part, MPI_BYTE, to, 5, w->comm, &requests[1]));
    CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    rma_end(other, LOCK_ALL, to);
    rma_end(w, LOCK_ALL, to);
    check_filled(b->gaps, part, from, "a message");
    for (int r = 0; r < w->size; r++) {
        check_filled(w->base + (size_t)r * part, part, r, "a put beside others");
        check_filled(other->base + (size_t)r * part, part, r, "a put into another window");
        check_filled(b->back + (size_t)r * part, part, 90 + r, "a get beside others");
    }
    CHECK_OK(MPI_Barrier(w->comm));
}

static void use_again(struct window *w, const struct buffers *b)
{
    int to = (w->rank + 1) % w->size, from = (w->rank + w->size - 1) % w->size;
    MPI_Request request;
    rma_begin(w, LOCK_ALL, to);
    fill(b->plain, MOST / 2, w->rank);
    CHECK_OK(MPI_Put(b->plain, MOST / 2, MPI_BYTE, to, rma_disp(w, to, 0), MOST / 2, MPI_BYTE, w->win));
    CHECK_OK(MPI_Win_flush_local(to, w->win));
    fill(b->plain, MOST / 2, 40 + w->rank);
    CHECK_OK(
        MPI_Rput(b->plain, MOST / 2, MPI_BYTE, to, rma_disp(w, to, MOST / 2), MOST / 2, MPI_BYTE, w->win, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    memset(b->plain, 0, MOST);
    rma_end(w, LOCK_ALL, to);
    check_filled(w->base, MOST / 2, from, "a put that is complete here");
    check_filled(w->base + MOST / 2, MOST / 2, 40 + from, "a put whose request is complete");
    rma_begin(w, LOCK_ALL, to);
    CHECK_OK(MPI_Rget(b->plain, MOST, MPI_BYTE, to, rma_disp(w, to, 0), MOST, MPI_BYTE, w->win, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    check_filled(b->plain, MOST / 2, w->rank, "a get with a request");
    check_filled(b->plain + MOST / 2, MOST / 2, 40 + w->rank, "its second half");
    rma_end(w, LOCK_ALL, to);
}

/* The half that is attached is there, or not; the window goes on. */
static void not_attached(const struct window *w, const struct buffers *b)
{
    int to = (w->rank + 1) % w->size, from = (w->rank + w->size - 1) % w->size;
    fill(b->plain, MOST, 3 + w->rank);
    CHECK_OK(MPI_Barrier(w->comm));
    CHECK_OK(MPI_Win_lock_all(0, w->win));
    CHECK_OK(
        MPI_Put(b->plain, MOST, MPI_BYTE, to, MPI_Aint_add(w->at[to], w->bytes - MOST / 2), MOST, MPI_BYTE, w->win));
    CHECK_CLASS(MPI_Win_flush(to, w->win), MPI_ERR_RMA_RANGE);
    CHECK_OK(
        MPI_Get(b->back, MOST, MPI_BYTE, to, MPI_Aint_add(w->at[to], w->bytes - MOST / 2), MOST, MPI_BYTE, w->win));
    CHECK_CLASS(MPI_Win_flush(to, w->win), MPI_ERR_RMA_RANGE);
    CHECK_OK(MPI_Put(b->plain, MOST, MPI_BYTE, to, w->at[to], MOST, MPI_BYTE, w->win));
    CHECK_OK(MPI_Win_unlock_all(w->win));
    CHECK_OK(MPI_Barrier(w->comm));
    check_filled(w->base, MOST, 3 + from, "a put behind one that was refused");
    CHECK_OK(MPI_Barrier(w->comm));
}

int main(int argc, char **argv)
{
    static const enum flavor flavors[] = {ALLOCATE, CREATE, DYNAMIC};
    struct window windows[3];
    check_start(&argc, &argv);
    struct buffers b = {check_alloc(MOST * STRIDE, 0), check_alloc(MOST * STRIDE, 0), check_alloc(MOST * STRIDE, 0)};
    for (int f = 0; f < 3; f++) {
        struct window *w = &windows[f];
        rma_open(w, flavors[f], MOST * STRIDE + 64, 8, MPI_INFO_NULL, MPI_COMM_WORLD, 1);
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
            for (int gaps = 0; gaps < 4; gaps++) {
                memset(w->base, 1, (size_t)w->bytes);
                CHECK_OK(MPI_Barrier(w->comm));
                put_and_get(w, &b, lengths[i] < MOST ? lengths[i] : MOST, gaps & 1, gaps >> 1);
                CHECK_OK(MPI_Barrier(w->comm));
            }
        accumulate(w, &b, MOST);
        use_again(w, &b);
        if (flavors[f] == DYNAMIC)
            not_attached(w, &b);
    }
    for (int f = 0; f < 3; f++) {
        struct window *w = &windows[f];
        size_t part = MOST / (size_t)w->size / 64 * 64;
        fill(w->base + (size_t)w->size * part, part, 90 + w->rank);
        CHECK_OK(MPI_Barrier(w->comm));
        all_at_once(w, &windows[(f + 1) % 3], &b);
    }
    for (int f = 0; f < 3; f++)
        rma_close(&windows[f]);
    free(b.plain);
    free(b.gaps);
    free(b.back);
    return check_end();
}
