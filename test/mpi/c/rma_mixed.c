/* np: 1 2 3 4
 *
 * Puts, gets and accumulates of all kinds in one epoch, in a random order, few and many of them between flushes of all
 * kinds, with requests and without, of one target and of all.  Each rank has cells of its own at every target, so it
 * knows what is in them; what conflicts there is kept apart by flushes, and nothing else.
 */
#include "rma.h"

enum { CELLS = 1500, MOST_PENDING = 2000 };
enum verb { PUT, GET, ADD, FETCH, RPUT, RGET, VERBS };

/* One that is not known to be done. */
struct pending {
    enum verb verb;
    int target, n;
    int *buf, *want; /* what it puts or is to get; for a get: what will be there */
    MPI_Request request;
};

static struct window w;
static uint64_t state;
static int *model;  /* [size][CELLS] what is in this rank's cells of each */
static char *taken; /* likewise: by which verb + 1, since the last flush of that target */
static struct pending pending[MOST_PENDING];
static int npending;
static MPI_Datatype gaps; /* an int and a gap of one */

static int random_below(int n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)n);
}

static MPI_Aint disp_of(int target, int cell)
{
    return rma_disp(&w, target, ((MPI_Aint)w.rank * CELLS + cell) * (MPI_Aint)sizeof(int));
}

/* Its buffers are this program's again: what was to be got is looked at, and what was put is overwritten. */
static void finish(struct pending *p)
{
    if (p->request != MPI_REQUEST_NULL)
        CHECK_OK(MPI_Wait(&p->request, MPI_STATUS_IGNORE));
    if (p->want)
        CHECK_BYTES(p->buf, p->want, (size_t)p->n * sizeof(int));
    else
        memset(p->buf, 0xdd, (size_t)p->n * sizeof(int));
    free(p->buf);
    free(p->want);
}

static void finish_all(int target)
{
    int left = 0;
    for (int i = 0; i < npending; i++)
        if (target < 0 || pending[i].target == target)
            finish(&pending[i]);
        else
            pending[left++] = pending[i];
    npending = left;
}

/* Those with requests alone, by a wait or by tests. */
static void finish_requests(void)
{
    int left = 0;
    for (int i = 0; i < npending; i++) {
        int flag = pending[i].request == MPI_REQUEST_NULL || i % 2;
        while (!flag)
            CHECK_OK(MPI_Test(&pending[i].request, &flag, MPI_STATUS_IGNORE));
        if (pending[i].verb == RPUT || pending[i].verb == RGET)
            finish(&pending[i]);
        else
            pending[left++] = pending[i];
    }
    npending = left;
}

static void flush(int target)
{
    CHECK_OK(target < 0 ? MPI_Win_flush_all(w.win) : MPI_Win_flush(target, w.win));
    finish_all(target);
    memset(taken + (target < 0 ? 0 : target * CELLS), 0, (size_t)(target < 0 ? w.size : 1) * CELLS);
}

static void flush_local(int target)
{
    CHECK_OK(target < 0 ? MPI_Win_flush_local_all(w.win) : MPI_Win_flush_local(target, w.win));
    finish_all(target);
}

/* Whether that may be done to these cells now. */
static bool is_free(const char *cells, int n, int step, enum verb verb)
{
    for (int i = 0; i < n; i++)
        if (cells[i * step] && !(cells[i * step] == ADD + 1 && verb == ADD))
            return false;
    return true;
}

static void call(struct pending *p, int first, int step)
{
    MPI_Aint at = disp_of(p->target, first);
    MPI_Datatype type = step == 1 ? MPI_INT : gaps;
    switch (p->verb) {
    case PUT:
        CHECK_OK(MPI_Put(p->buf, p->n, MPI_INT, p->target, at, p->n, type, w.win));
        break;
    case GET:
        CHECK_OK(MPI_Get(p->buf, p->n, MPI_INT, p->target, at, p->n, type, w.win));
        break;
    case ADD:
        CHECK_OK(MPI_Accumulate(p->buf, p->n, MPI_INT, p->target, at, p->n, type, MPI_SUM, w.win));
        break;
    case FETCH:
        CHECK_OK(
            MPI_Get_accumulate(NULL, 0, MPI_INT, p->buf, p->n, MPI_INT, p->target, at, p->n, type, MPI_NO_OP, w.win));
        break;
    case RPUT:
        CHECK_OK(MPI_Rput(p->buf, p->n, MPI_INT, p->target, at, p->n, type, w.win, &p->request));
        break;
    default:
        CHECK_OK(MPI_Rget(p->buf, p->n, MPI_INT, p->target, at, p->n, type, w.win, &p->request));
    }
}

/* What it does to the model, or what it is to find there. */
static void foresee(struct pending *p, int first, int step)
{
    int *cells = model + p->target * CELLS + first;
    bool gets = p->verb == GET || p->verb == FETCH || p->verb == RGET;
    p->buf = check_alloc((size_t)p->n * sizeof(int), 0xe5);
    p->want = gets ? check_alloc((size_t)p->n * sizeof(int), 0) : NULL;
    for (int i = 0; i < p->n; i++) {
        taken[p->target * CELLS + first + i * step] = (char)(p->verb + 1);
        if (gets) {
            p->want[i] = cells[i * step];
            continue;
        }
        p->buf[i] = random_below(1 << 20);
        cells[i * step] = p->buf[i] + (p->verb == ADD ? cells[i * step] : 0);
    }
}

static void one(int target, bool requests)
{
    struct pending p = {.verb = (enum verb)random_below(requests ? VERBS : RPUT), .target = target};
    int step = 1 + (random_below(8) == 0), longest = random_below(20) == 0 ? 300 : 6;
    p.n = 1 + random_below(longest);
    p.request = MPI_REQUEST_NULL;
    int first = random_below(CELLS - p.n * step + 1);
    if (npending == MOST_PENDING || !is_free(taken + target * CELLS + first, p.n, step, p.verb))
        return;
    foresee(&p, first, step);
    call(&p, first, step);
    pending[npending++] = p;
}

/* What is in all cells at the end, as their owner sees it. */
static void look(void)
{
    int *want = check_alloc((size_t)w.size * CELLS * sizeof *want, 0);
    CHECK_OK(MPI_Alltoall(model, CELLS, MPI_INT, want, CELLS, MPI_INT, w.comm));
    CHECK_OK(MPI_Win_sync(w.win));
    CHECK_BYTES(w.base, want, (size_t)w.size * CELLS * sizeof *want);
    CHECK_OK(MPI_Barrier(w.comm));
    free(want);
}

static void synchronize(int target, bool single)
{
    int some = single ? target : random_below(2) ? -1 : target;
    switch (random_below(4)) {
    case 0:
        flush_local(some);
        break;
    case 1:
        finish_requests();
        break;
    default:
        flush(some);
    }
}

static void passive(bool all, int turns)
{
    for (int turn = 0; turn < turns; turn++) {
        int one_target = random_below(w.size);
        if (all)
            CHECK_OK(MPI_Win_lock_all(0, w.win));
        else
            CHECK_OK(MPI_Win_lock(turn % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, one_target, 0, w.win));
        for (int burst = random_below(6); burst >= 0; burst--) {
            int target = one_target;
            for (int n = random_below(10) == 0 ? 1000 : random_below(40); n > 0; n--) {
                target = all ? random_below(w.size) : one_target;
                one(target, true);
            }
            if (burst > 0)
                synchronize(target, !all);
        }
        CHECK_OK(all ? MPI_Win_unlock_all(w.win) : MPI_Win_unlock(one_target, w.win));
        finish_all(-1);
        memset(taken, 0, (size_t)w.size * CELLS);
    }
    CHECK_OK(MPI_Barrier(w.comm));
    look();
}

static void active(enum sync sync, int turns)
{
    for (int turn = 0; turn < turns; turn++) {
        rma_begin(&w, sync, 0);
        for (int n = random_below(10) == 0 ? 1000 : random_below(40); n > 0; n--)
            one(random_below(w.size), false);
        rma_end(&w, sync, 0);
        finish_all(-1);
        memset(taken, 0, (size_t)w.size * CELLS);
    }
    look();
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &gaps));
    CHECK_OK(MPI_Type_commit(&gaps));
    for (enum flavor flavor = CREATE; flavor <= ALLOCATE; flavor++) {
        size_t cells = (size_t)check_size * CELLS;
        rma_open(&w, flavor, (MPI_Aint)(cells * sizeof(int)), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, 0);
        state = (uint64_t)(w.rank + 1) * 7919;
        model = check_alloc(cells * sizeof *model, 0);
        taken = check_alloc(cells, 0);
        passive(true, 25);
        passive(false, 40);
        active(FENCE, 25);
        active(PSCW, 25);
        free(model);
        free(taken);
        rma_close(&w);
    }
    CHECK_OK(MPI_Type_free(&gaps));
    return check_end();
}
