/* np: 1 2 3
 *
 * Windows as objects: attributes, predefined and cached, names, hints, error handlers, groups, where shared memory
 * lies, sizes that differ, and windows of zero bytes.
 */
#include "rma.h"

static int deleted, handled;

static int delete_it(MPI_Win win, int keyval, void *value, void *extra)
{
    (void)win, (void)keyval, (void)extra;
    deleted += *(int *)value;
    return MPI_SUCCESS;
}

static void handle(MPI_Win *win, int *code, ...)
{
    handled++;
    CHECK(*win != MPI_WIN_NULL);
    CHECK_CLASS(*code, MPI_ERR_RMA_SYNC);
}

static void attributes(const struct window *w)
{
    void *value;
    int flag = 0, key, one = 1;
    CHECK_OK(MPI_Win_get_attr(w->win, MPI_WIN_BASE, &value, &flag));
    CHECK(flag && value == (w->flavor == DYNAMIC ? MPI_BOTTOM : (void *)w->base));
    CHECK_OK(MPI_Win_get_attr(w->win, MPI_WIN_SIZE, &value, &flag));
    CHECK(flag && *(MPI_Aint *)value == (w->flavor == DYNAMIC ? 0 : w->bytes));
    CHECK_OK(MPI_Win_get_attr(w->win, MPI_WIN_DISP_UNIT, &value, &flag));
    CHECK(flag && *(int *)value == w->unit);
    CHECK_OK(MPI_Win_get_attr(w->win, MPI_WIN_CREATE_FLAVOR, &value, &flag));
    CHECK(flag && *(int *)value == MPI_WIN_FLAVOR_CREATE + (w->flavor == DYNAMIC  ? 2
                                                            : w->flavor == SHARED ? 3
                                                                                  : (int)w->flavor));
    CHECK_OK(MPI_Win_get_attr(w->win, MPI_WIN_MODEL, &value, &flag));
    CHECK(flag && *(int *)value == MPI_WIN_UNIFIED);
    CHECK_OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_it, &key, NULL));
    CHECK_OK(MPI_Win_get_attr(w->win, key, &value, &flag));
    CHECK(!flag);
    CHECK_OK(MPI_Win_set_attr(w->win, key, &one));
    CHECK_OK(MPI_Win_get_attr(w->win, key, &value, &flag));
    CHECK(flag && value == &one);
    deleted = 0;
    CHECK_OK(MPI_Win_delete_attr(w->win, key));
    CHECK_INT(deleted, 1);
    static int last = 7;
    CHECK_OK(MPI_Win_set_attr(w->win, key, &last));
    CHECK_OK(MPI_Win_free_keyval(&key));
    CHECK_INT(key, MPI_KEYVAL_INVALID);
    CHECK_CLASS(MPI_Win_set_attr(w->win, MPI_WIN_BASE, &one), MPI_ERR_KEYVAL);
}

static void names(const struct window *w)
{
    char name[MPI_MAX_OBJECT_NAME] = "?";
    int n = -1;
    CHECK_OK(MPI_Win_get_name(w->win, name, &n));
    CHECK_STRING(name, "");
    CHECK_OK(MPI_Win_set_name(w->win, "halo"));
    CHECK_OK(MPI_Win_get_name(w->win, name, &n));
    CHECK_STRING(name, "halo");
    CHECK_INT(n, 4);
}

static void handlers(const struct window *w)
{
    MPI_Errhandler mine, found, old;
    CHECK_OK(MPI_Win_get_errhandler(w->win, &old));
    CHECK(old == MPI_ERRORS_RETURN);
    CHECK_OK(MPI_Win_create_errhandler(handle, &mine));
    CHECK_OK(MPI_Win_set_errhandler(w->win, mine));
    CHECK_OK(MPI_Win_get_errhandler(w->win, &found));
    CHECK(found == mine);
    CHECK_OK(MPI_Errhandler_free(&found));
    handled = 0;
    CHECK_CLASS(MPI_Win_complete(w->win), MPI_ERR_RMA_SYNC);
    CHECK_OK(MPI_Win_call_errhandler(w->win, MPI_ERR_RMA_SYNC));
    CHECK_INT(handled, 2);
    CHECK_OK(MPI_Win_set_errhandler(w->win, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Errhandler_free(&mine));
}

static void group(const struct window *w)
{
    MPI_Group mine, whole;
    int result;
    CHECK_OK(MPI_Win_get_group(w->win, &mine));
    CHECK_OK(MPI_Comm_group(w->comm, &whole));
    CHECK_OK(MPI_Group_compare(mine, whole, &result));
    CHECK_INT(result, MPI_IDENT);
    CHECK_OK(MPI_Group_free(&mine));
    CHECK_OK(MPI_Group_free(&whole));
}

static void check_hint(MPI_Info info, const char *key, const char *want)
{
    char value[30] = "?";
    int length = sizeof value, flag = 0;
    CHECK_OK(MPI_Info_get_string(info, key, &length, value, &flag));
    CHECK_NOTED(flag, "no hint %s", key);
    CHECK_STRING(value, want);
}

static void hints(void)
{
    MPI_Info info, used;
    struct window w;
    char value[20] = "?";
    int length = sizeof value, flag = 0;
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "true");
    MPI_Info_set(info, "unheard_of", "1");
    MPI_Info_set(info, "same_size", "maybe");
    rma_open(&w, CREATE, 100, 1, info, MPI_COMM_WORLD, 1);
    CHECK_OK(MPI_Win_get_info(w.win, &used));
    CHECK_OK(MPI_Info_get_string(used, "no_locks", &length, value, &flag));
    CHECK(flag);
    CHECK_STRING(value, "true");
    CHECK_OK(MPI_Info_get_string(used, "unheard_of", &length, value, &flag));
    CHECK(!flag);
    check_hint(used, "same_size", "false"); /* what it is where nothing, or nonsense, was said */
    check_hint(used, "same_disp_unit", "false");
    check_hint(used, "accumulate_ops", "same_op_no_op");
    check_hint(used, "accumulate_ordering", "rar,raw,war,waw");
    CHECK_OK(MPI_Info_free(&used));
    CHECK_CLASS(MPI_Win_lock_all(0, w.win), MPI_ERR_RMA_SYNC);
    MPI_Info_set(info, "no_locks", "false");
    CHECK_OK(MPI_Win_set_info(w.win, info));
    CHECK_OK(MPI_Win_lock_all(0, w.win));
    CHECK_OK(MPI_Win_unlock_all(w.win));
    rma_close(&w);
    CHECK_OK(MPI_Info_free(&info));
}

/* Each rank has (rank + 1) * 24 bytes, rank 0 none. */
static void shared(bool apart)
{
    MPI_Info info;
    MPI_Win win;
    int rank, size, unit;
    char *base, *at, *end = NULL;
    MPI_Aint bytes;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", apart ? "true" : "false");
    CHECK_OK(MPI_Win_allocate_shared(rank * 24, rank + 1, info, MPI_COMM_WORLD, &base, &win));
    CHECK_OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < rank * 24; i++)
        base[i] = (char)(rank * 10 + i);
    CHECK_OK(MPI_Win_sync(win));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_OK(MPI_Win_sync(win));
    for (int r = 0; r < size; r++) {
        unit = -1;
        bytes = -1;
        CHECK_OK(MPI_Win_shared_query(win, r, &bytes, &unit, &at));
        CHECK_INT(bytes, r * 24);
        CHECK_INT(unit, r + 1);
        if (r == rank)
            CHECK(at == base);
        if (r > 1 && !apart)
            CHECK(at == end);
        if (r > 1 && apart)
            CHECK((uintptr_t)at % 64 == 0);
        end = at + bytes;
        for (int i = 0; i < bytes; i++)
            CHECK_NOTED(at[i] == (char)(r * 10 + i), "byte %d of rank %d", i, r);
    }
    CHECK_OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &at));
    CHECK_INT(bytes, size > 1 ? 24 : 0);
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Info_free(&info));
}

/* Memory of MPI_Alloc_mem in a window of MPI_Win_create: a neighbor is given its address, and what either stores the
 * other sees. */
static void of_heap(void)
{
    MPI_Win win;
    MPI_Aint bytes = -1;
    long *base, *at = NULL, old = -1, one = 1;
    int rank, size, unit = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK_OK(MPI_Alloc_mem(4096, MPI_INFO_NULL, &base));
    memset(base, 0, 4096);
    CHECK_OK(MPI_Win_create(base + 1, 4000, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_lock_all(0, win));
    int next = (rank + 1) % size;
    long mine = 7 + rank; /* until the epoch ends */
    CHECK_OK(MPI_Win_shared_query(win, next, &bytes, &unit, &at));
    if (at) {
        CHECK_INT(bytes, 4000);
        CHECK_INT(unit, 8);
        at[100] = mine;
        CHECK_OK(MPI_Win_sync(win));
    } else
        CHECK_OK(MPI_Put(&mine, 1, MPI_LONG, next, 100, 1, MPI_LONG, win));
    for (int i = 0; i < 50; i++)
        CHECK_OK(MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, 0, MPI_SUM, win));
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_INT(base[101], 7 + (rank + size - 1) % size);
    CHECK_INT(base[1], rank == 0 ? 50 * size : 0);
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Free_mem(base));
}

/* A process alone: the lowest rank that has memory is itself. */
static void alone(void)
{
    MPI_Win win;
    MPI_Aint bytes = -1;
    int *base, *at = NULL, unit = -1, five = 5, old = -1;
    CHECK_OK(MPI_Win_allocate_shared(40, sizeof(int), MPI_INFO_NULL, MPI_COMM_SELF, &base, &win));
    CHECK_OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &at));
    CHECK(at == base);
    CHECK_INT(bytes, 40);
    CHECK_INT(unit, sizeof(int));
    base[9] = 8;
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    CHECK_OK(MPI_Fetch_and_op(&five, &old, MPI_INT, 0, 9, MPI_SUM, win));
    CHECK_OK(MPI_Put(&five, 1, MPI_INT, 0, 8, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_unlock(0, win));
    CHECK_INT(old, 8);
    CHECK_INT(base[9], 13);
    CHECK_INT(base[8], 5);
    CHECK_OK(MPI_Win_free(&win));
}

static void empty(void)
{
    struct window w;
    int x = 1;
    rma_open(&w, CREATE, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, 0);
    CHECK_OK(MPI_Win_fence(0, w.win));
    CHECK_OK(MPI_Put(&x, 0, MPI_INT, 0, 0, 0, MPI_INT, w.win));
    CHECK_OK(MPI_Accumulate(&x, 0, MPI_INT, 0, 0, 0, MPI_DOUBLE, MPI_SUM, w.win));
    CHECK_OK(MPI_Get_accumulate(&x, 0, MPI_INT, &x, 0, MPI_FLOAT, 0, 0, 0, MPI_DOUBLE, MPI_SUM, w.win));
    CHECK_CLASS(MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, w.win), MPI_ERR_RMA_RANGE);
    CHECK_OK(MPI_Win_fence(0, w.win));
    rma_close(&w);
    rma_open(&w, ALLOCATE, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, 0);
    rma_close(&w);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    bool one_node = rma_one_node(MPI_COMM_WORLD);
    for (enum flavor flavor = CREATE; flavor < FLAVORS; flavor++) {
        struct window w;
        if (flavor == SHARED && !one_node)
            continue;
        rma_open(&w, flavor, 1000, 8, MPI_INFO_NULL, MPI_COMM_WORLD, 0x5a);
        attributes(&w);
        names(&w);
        handlers(&w);
        group(&w);
        deleted = 0;
        rma_close(&w);
        CHECK_INT(deleted, 7);
    }
    hints();
    if (one_node) {
        shared(false);
        shared(true);
    }
    of_heap();
    alone();
    empty();
    char name[MPI_MAX_OBJECT_NAME] = "";
    int n;
    CHECK_OK(MPI_Win_get_name(MPI_WIN_NULL, name, &n));
    CHECK_STRING(name, "MPI_WIN_NULL");
    return check_end();
}
