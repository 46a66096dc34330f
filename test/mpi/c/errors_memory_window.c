/* Memory that runs out on one rank at each allocation of each way to make a window, and of operations with requests, in
 * turn: a window is made on all ranks, and works, or on none, who are told; what could not be called has done nothing.
 *
 * np: 2 3
 * only: treefold
 * timeout: 120
 */
#include "rma.h"
#include "shortage.h"

enum { CELLS = 50 };

static void *memory;

static int make(enum flavor flavor, void **base, MPI_Win *win)
{
    MPI_Aint bytes = CELLS * sizeof(int);
    *base = memory;
    switch (flavor) {
    case CREATE:
        return MPI_Win_create(memory, bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, win);
    case ALLOCATE:
        return MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, base, win);
    case SHARED:
        return MPI_Win_allocate_shared(bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, base, win);
    default:
        return MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win);
    }
}

static void use(int *base, MPI_Win win)
{
    int rank, size, value;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    value = 100 + rank;
    base[7] = -1;
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 7, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    CHECK_INT(base[7], 100 + (rank + size - 1) % size);
}

static void windows(enum flavor flavor, int victim)
{
    bool hit = true;
    for (int k = 0; hit; k++) {
        char what[80];
        void *base;
        int failed, all;
        MPI_Win win = MPI_WIN_NULL;
        snprintf(what, sizeof what, "%s, allocation %d of rank %d", flavor_words[flavor], k, victim);
        begin_shortage(victim, k, false);
        int code = make(flavor, &base, &win);
        hit = end_shortage(victim);
        failed = code != MPI_SUCCESS;
        CHECK_OK(MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        int size;
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        CHECK_NOTED(all == 0 || all == size, "%d of %d failed: %s", all, size, what);
        CHECK_NOTED(hit || !failed, "class %d without a reason: %s", code, what);
        if (failed)
            CHECK_NOTED(win == MPI_WIN_NULL, "a window is left: %s", what);
        if (failed && check_rank == victim)
            must_tell(code, what);
        if (all)
            continue;
        if (flavor != DYNAMIC)
            use(base, win);
        CHECK_OK(MPI_Win_free(&win));
    }
}

/* Of rank 0, to the next one. */
static int call(int i, int *out, int *in, MPI_Win win, MPI_Request *r)
{
    switch (i) {
    case 0:
        return MPI_Rput(out, CELLS, MPI_INT, 1, 0, CELLS, MPI_INT, win, r);
    case 1:
        return MPI_Rget(in, CELLS, MPI_INT, 1, 0, CELLS, MPI_INT, win, r);
    case 2:
        return MPI_Raccumulate(out, CELLS, MPI_INT, 1, 0, CELLS, MPI_INT, MPI_REPLACE, win, r);
    default:
        return MPI_Rget_accumulate(out, CELLS, MPI_INT, in, CELLS, MPI_INT, 1, 0, CELLS, MPI_INT, MPI_REPLACE, win, r);
    }
}

static void operations(enum flavor flavor)
{
    struct window w;
    int out[CELLS], in[CELLS];
    rma_open(&w, flavor, CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, 0x11);
    if (w.rank == 0)
        CHECK_OK(MPI_Win_lock_all(0, w.win));
    for (int i = 0; i < 4 && w.rank == 0; i++)
        for (int k = 0, hit = 1; hit; k++) {
            MPI_Request r = MPI_REQUEST_NULL;
            memset(in, 0x66, sizeof in);
            for (int j = 0; j < CELLS; j++)
                out[j] = 1000 * i + j;
            CHECK_OK(MPI_Win_flush(1, w.win));
            scarce_begin(k, false);
            int code = call(i, out, in, w.win, &r);
            hit = scarce_end();
            if (code) {
                must_tell(code, flavor_words[flavor]);
                CHECK(r == MPI_REQUEST_NULL);
                CHECK(hit);
                continue;
            }
            CHECK_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
            CHECK_OK(MPI_Win_flush(1, w.win));
            CHECK_OK(MPI_Get(in, CELLS, MPI_INT, 1, 0, CELLS, MPI_INT, w.win));
            CHECK_OK(MPI_Win_flush(1, w.win));
            CHECK_INT(in[CELLS - 1], i == 1 ? 0 + CELLS - 1 : out[CELLS - 1]);
        }
    if (w.rank == 0)
        CHECK_OK(MPI_Win_unlock_all(w.win));
    rma_close(&w);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    share_page();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    memory = check_alloc(CELLS * sizeof(int), 0);
    bool one_node = rma_one_node(MPI_COMM_WORLD);
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (enum flavor flavor = CREATE; flavor < FLAVORS; flavor++)
        for (int victim = 0; victim < size; victim++)
            if (flavor != SHARED || one_node)
                windows(flavor, victim);
    operations(CREATE);
    operations(ALLOCATE);
    free(memory);
    return check_end();
}
