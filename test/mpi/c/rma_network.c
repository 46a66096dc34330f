/* Puts and gets that the network does by itself, and what they have to get along with.  How many bytes went so, epochs
 * of every kind, requests, messages that follow a flush, accumulates and what has gaps, which are messages, and windows
 * that come again over the same memory.  Where they are messages anyway, or loads and stores, the values are the same.
 *
 * np: 2 3
 * only: treefold
 */
#include "rma.h"
#include "tool.h"

#include <unistd.h>

enum { BYTES = 3 << 20, CELLS = 1000, TURNS = 100, MANY = 5000 };

/* Bytes that went so by the transports that can do it, of those that were built. */
struct count {
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handles[2];
    int n;
};
static struct count written, fetched;

static void begin_count(struct count *count, const char *what)
{
    static const char *const nets[] = {"ofi", "ucx"};
    CHECK_CODE(MPI_T_pvar_session_create(&count->session), 0);
    for (int i = 0; i < 2; i++) {
        MPI_T_pvar_handle *handle = &count->handles[count->n];
        char name[80];
        int index, n;
        snprintf(name, sizeof name, "treefold_bytes_%s_%s", what, nets[i]);
        if (MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_AGGREGATE, &index))
            continue;
        CHECK_CODE(MPI_T_pvar_handle_alloc(count->session, index, NULL, handle, &n), 0);
        CHECK_CODE(MPI_T_pvar_start(count->session, *handle), 0);
        count->n++;
    }
}

static unsigned long long now(const struct count *count)
{
    unsigned long long sum = 0, value;
    for (int i = 0; i < count->n; i++) {
        CHECK_CODE(MPI_T_pvar_read(count->session, count->handles[i], &value), 0);
        sum += value;
    }
    return sum;
}

static bool is_set(const char *name, const char *value)
{
    const char *now = getenv(name);
    return now && strcmp(now, value) == 0;
}

/* Whether there is a device that needs nothing of the target's processor (test/net/guest). */
static bool is_fabric(void)
{
    return access("/sys/class/infiniband/rxe0", F_OK) == 0;
}

/* Whether the network is to do it: it is told to, or it is one that does. */
static bool is_forced(void)
{
    bool can = is_set("TREEFOLD_NET", "ofi") || is_set("TREEFOLD_NET", "ucx");
    bool will = is_set("TREEFOLD_NETWORK_WINDOWS", "on") || is_fabric();
    return can && will && is_set("TREEFOLD_NODE_SIZE", "1");
}

static bool is_forbidden(void)
{
    return !getenv("TREEFOLD_NODE_SIZE") || is_set("TREEFOLD_NETWORK_WINDOWS", "off");
}

static void check_moved(const struct count *count, unsigned long long before, size_t bytes)
{
    if (is_forced())
        CHECK(now(count) - before == bytes);
    if (is_forbidden())
        CHECK(now(count) == before);
}

static void fill(char *at, size_t n, int seed)
{
    for (size_t i = 0; i < n; i++)
        at[i] = (char)(i * 7 + i / 251 + (size_t)seed);
}

static bool is_filled(const char *at, size_t n, int seed)
{
    for (size_t i = 0; i < n; i++)
        if (at[i] != (char)(i * 7 + i / 251 + (size_t)seed))
            return false;
    return true;
}

/* The key of that rank's memory is there when its first flush is over. */
static void greet(const struct window *w, int to)
{
    static char theirs;
    CHECK_OK(MPI_Get(&theirs, 1, MPI_BYTE, to, 0, 1, MPI_BYTE, w->win));
    CHECK_OK(MPI_Win_flush(to, w->win));
}

/* Who is told by a message that a flush is over finds the bytes, whatever their number. */
static void by_size(const struct window *w, size_t bytes)
{
    int to = (w->rank + 1) % w->size, from = (w->rank + w->size - 1) % w->size;
    char *mine = check_alloc(bytes, 0), *back = check_alloc(bytes, 0);
    unsigned long long before = now(&written);
    fill(mine, bytes, w->rank);
    CHECK_OK(MPI_Put(mine, (int)bytes, MPI_BYTE, to, 3, (int)bytes, MPI_BYTE, w->win));
    CHECK_OK(MPI_Win_flush(to, w->win));
    check_moved(&written, before, bytes);
    CHECK_OK(MPI_Sendrecv(NULL, 0, MPI_BYTE, to, 0, NULL, 0, MPI_BYTE, from, 0, w->comm, MPI_STATUS_IGNORE));
    CHECK(is_filled(w->base + 3, bytes, from));
    before = now(&fetched);
    CHECK_OK(MPI_Get(back, (int)bytes, MPI_BYTE, to, 3, (int)bytes, MPI_BYTE, w->win));
    CHECK_OK(MPI_Win_flush_local(to, w->win));
    check_moved(&fetched, before, bytes);
    CHECK(is_filled(back, bytes, w->rank));
    CHECK_OK(MPI_Barrier(w->comm));
    free(mine);
    free(back);
}

static void with_requests(const struct window *w)
{
    int to = (w->rank + 1) % w->size;
    char *mine = check_alloc(BYTES / 2, 0), *back = check_alloc(BYTES / 2, 0);
    MPI_Request request;
    fill(mine, BYTES / 2, w->rank + 50);
    CHECK_OK(MPI_Rput(mine, BYTES / 2, MPI_BYTE, to, 0, BYTES / 2, MPI_BYTE, w->win, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    memset(mine, 0, BYTES / 2);
    CHECK_OK(MPI_Win_flush(to, w->win));
    CHECK_OK(MPI_Rget(back, BYTES / 2, MPI_BYTE, to, 0, BYTES / 2, MPI_BYTE, w->win, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(is_filled(back, BYTES / 2, w->rank + 50));
    CHECK_OK(MPI_Barrier(w->comm));
    free(mine);
    free(back);
}

/* More than the network is given at a time, each to a place of its own. */
static void many(const struct window *w)
{
    int to = (w->rank + 1) % w->size, from = (w->rank + w->size - 1) % w->size, wrong = 0;
    static int values[MANY], back[MANY];
    for (int i = 0; i < MANY; i++) {
        values[i] = w->rank * MANY + i;
        CHECK_OK(MPI_Put(&values[i], 1, MPI_INT, to, 4 * i, 1, MPI_INT, w->win));
    }
    CHECK_OK(MPI_Win_flush_all(w->win));
    for (int i = 0; i < MANY; i++)
        CHECK_OK(MPI_Get(&back[i], 1, MPI_INT, to, 4 * (MANY - 1 - i), 1, MPI_INT, w->win));
    CHECK_OK(MPI_Win_flush_all(w->win));
    CHECK_OK(MPI_Barrier(w->comm));
    for (int i = 0; i < MANY; i++)
        wrong += ((int *)w->base)[i] != from * MANY + i || back[i] != w->rank * MANY + MANY - 1 - i;
    CHECK_INT(wrong, 0);
    CHECK_OK(MPI_Barrier(w->comm));
}

/* Accumulates, and what has gaps, beside it. */
static void beside_messages(const struct window *w)
{
    int to = (w->rank + 1) % w->size, from = (w->rank + w->size - 1) % w->size, wrong = 0;
    int *cells = (int *)w->base;
    static int ones[CELLS], row[CELLS];
    MPI_Datatype every_second;
    CHECK_OK(MPI_Type_vector(CELLS, 1, 2, MPI_INT, &every_second));
    CHECK_OK(MPI_Type_commit(&every_second));
    for (int i = 0; i < CELLS; i++) {
        ones[i] = 1;
        row[i] = w->rank * CELLS + i;
    }
    memset(w->base, 0, 16 * CELLS);
    CHECK_OK(MPI_Win_sync(w->win));
    CHECK_OK(MPI_Barrier(w->comm));
    CHECK_OK(MPI_Put(row, CELLS, MPI_INT, to, 0, 1, every_second, w->win));
    CHECK_OK(MPI_Put(row, CELLS, MPI_INT, to, 8 * CELLS, CELLS, MPI_INT, w->win));
    for (int r = 0; r < w->size; r++)
        CHECK_OK(MPI_Accumulate(ones, CELLS, MPI_INT, r, 12 * CELLS, CELLS, MPI_INT, MPI_SUM, w->win));
    CHECK_OK(MPI_Win_flush_all(w->win));
    CHECK_OK(MPI_Barrier(w->comm));
    for (int i = 0; i < CELLS; i++)
        wrong += cells[2 * i] != from * CELLS + i || cells[2 * i + 1] != 0 ||
                 cells[2 * CELLS + i] != from * CELLS + i || cells[3 * CELLS + i] != w->size;
    CHECK_INT(wrong, 0);
    CHECK_OK(MPI_Type_free(&every_second));
    CHECK_OK(MPI_Barrier(w->comm));
}

/* The others put, get and flush while the last rank calls nothing, but waits in its memory for what they put at last.
 */
static void without_the_target(const struct window *w)
{
    int last = w->size - 1;
    _Atomic int *seen = (_Atomic int *)w->base;
    static int one = 1, mine[100], back[100];
    memset(w->base, 0, 4096);
    if (w->rank < last) /* the key, and the lock */
        greet(w, last);
    CHECK_OK(MPI_Barrier(w->comm));
    for (int r = 0; r < last && w->rank == last; r++)
        while (!seen[r])
            ;
    for (int turn = 0; turn < 10 && w->rank < last; turn++) {
        MPI_Aint at = 4 * (w->size + 100 * w->rank);
        mine[turn] = turn + 1;
        CHECK_OK(MPI_Put(mine, 100, MPI_INT, last, at, 100, MPI_INT, w->win));
        CHECK_OK(MPI_Win_flush(last, w->win));
        CHECK_OK(MPI_Get(back, 100, MPI_INT, last, at, 100, MPI_INT, w->win));
        CHECK_OK(MPI_Win_flush(last, w->win));
        CHECK_INT(back[turn], turn + 1);
    }
    if (w->rank < last) {
        CHECK_OK(MPI_Put(&one, 1, MPI_INT, last, 4 * w->rank, 1, MPI_INT, w->win));
        CHECK_OK(MPI_Win_flush(last, w->win));
    }
    CHECK_OK(MPI_Barrier(w->comm));
}

/* A counter that is read, and written one more, by who holds the lock. */
static void under_locks(const struct window *w)
{
    long value, last = w->size - 1;
    memset(w->base, 0, sizeof value);
    CHECK_OK(MPI_Barrier(w->comm));
    for (int i = 0; i < TURNS; i++) {
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, (int)last, 0, w->win));
        CHECK_OK(MPI_Get(&value, 1, MPI_LONG, (int)last, 0, 1, MPI_LONG, w->win));
        CHECK_OK(MPI_Win_flush(w->size - 1, w->win));
        value++;
        CHECK_OK(MPI_Put(&value, 1, MPI_LONG, (int)last, 0, 1, MPI_LONG, w->win));
        CHECK_OK(MPI_Win_unlock((int)last, w->win));
    }
    CHECK_OK(MPI_Barrier(w->comm));
    if (w->rank == last)
        CHECK_INT(*(long *)w->base, (long)w->size * TURNS);
    CHECK_OK(MPI_Barrier(w->comm));
}

static void in_active_epochs(const struct window *w)
{
    int to = (w->rank + 1) % w->size, from = (w->rank + w->size - 1) % w->size;
    static char mine[20000];
    MPI_Group all, before, after;
    CHECK_OK(MPI_Win_get_group(w->win, &all));
    CHECK_OK(MPI_Group_incl(all, 1, &from, &before));
    CHECK_OK(MPI_Group_incl(all, 1, &to, &after));
    for (int i = 0; i < 20; i++) {
        fill(mine, sizeof mine, i + w->rank);
        CHECK_OK(MPI_Win_fence(0, w->win));
        CHECK_OK(MPI_Put(mine, sizeof mine, MPI_BYTE, to, 0, sizeof mine, MPI_BYTE, w->win));
        CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w->win));
        CHECK(is_filled(w->base, sizeof mine, i + from));
        fill(mine, sizeof mine, i + w->rank + 90);
        CHECK_OK(MPI_Win_post(before, 0, w->win));
        CHECK_OK(MPI_Win_start(after, 0, w->win));
        CHECK_OK(MPI_Put(mine, sizeof mine, MPI_BYTE, to, 0, sizeof mine, MPI_BYTE, w->win));
        CHECK_OK(MPI_Win_complete(w->win));
        CHECK_OK(MPI_Win_wait(w->win));
        CHECK(is_filled(w->base, sizeof mine, i + from + 90));
    }
    CHECK_OK(MPI_Group_free(&all));
    CHECK_OK(MPI_Group_free(&before));
    CHECK_OK(MPI_Group_free(&after));
}

/* Memory that had another window, and a window whose memory is of any length, none too. */
static void again_and_again(void)
{
    static char memory[1 << 16], mine[1 << 16];
    int to = (check_rank + 1) % check_size, from = (check_rank + check_size - 1) % check_size;
    for (int i = 0; i < 20; i++) {
        MPI_Win win;
        int bytes = (1 << 16) - 512 * i;
        CHECK_OK(MPI_Win_create(memory, check_rank == 0 && i == 3 ? 0 : bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        fill(mine, sizeof mine, i + check_rank);
        CHECK_OK(MPI_Win_lock_all(0, win));
        for (int turn = 0; turn < 2 && !(to == 0 && i == 3); turn++) {
            CHECK_OK(MPI_Put(mine, bytes, MPI_BYTE, to, 0, bytes, MPI_BYTE, win));
            CHECK_OK(MPI_Win_flush(to, win));
        }
        CHECK_OK(MPI_Win_unlock_all(win));
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
        if (!(check_rank == 0 && i == 3))
            CHECK(is_filled(memory, (size_t)bytes, i + from));
        CHECK_OK(MPI_Win_free(&win));
    }
}

int main(int argc, char **argv)
{
    int provided;
    check_start(&argc, &argv);
    CHECK_CODE(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), 0);
    begin_count(&written, "written");
    begin_count(&fetched, "read");
    for (enum flavor flavor = CREATE; flavor <= ALLOCATE; flavor++) {
        struct window w;
        rma_open(&w, flavor, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, 0);
        CHECK_OK(MPI_Win_lock_all(0, w.win));
        greet(&w, (w.rank + 1) % w.size);
        by_size(&w, 1);
        by_size(&w, 100);
        by_size(&w, 20000);
        by_size(&w, BYTES - 3);
        with_requests(&w);
        many(&w);
        beside_messages(&w);
        if (is_fabric() && is_forced())
            without_the_target(&w);
        CHECK_OK(MPI_Win_unlock_all(w.win));
        under_locks(&w);
        in_active_epochs(&w);
        rma_close(&w);
    }
    again_and_again();
    CHECK_CODE(MPI_T_pvar_session_free(&written.session), 0);
    CHECK_CODE(MPI_T_pvar_session_free(&fetched.session), 0);
    CHECK_CODE(MPI_T_finalize(), 0);
    return check_end();
}
