/* np: 2 3
 *
 * Misuse is an error of the right class, in words that have both ranks, the displacement and the window's size; and
 * afterwards everything works.
 */
#include "rma.h"

static const char *words_of(int code)
{
    static char words[MPI_MAX_ERROR_STRING];
    int n;
    words[0] = 0;
    MPI_Error_string(code, words, &n);
    return words;
}

#define HAS(code, word) CHECK_NOTED(strstr(words_of(code), word) != NULL, "no \"%s\" in: %.150s", word, words_of(code))

static void no_epoch(struct window *w)
{
    int x = 1, err, other = (w->rank + 1) % w->size;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Group group;
    err = MPI_Put(&x, 1, MPI_INT, other, 0, 1, MPI_INT, w->win);
    CHECK_CLASS(err, MPI_ERR_RMA_SYNC);
    HAS(err, "no epoch");
    CHECK_CLASS(MPI_Get(&x, 1, MPI_INT, other, 0, 1, MPI_INT, w->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Accumulate(&x, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_SUM, w->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_unlock(other, w->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_unlock_all(w->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_flush(other, w->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_flush_all(w->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_flush_local(other, w->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_flush_local_all(w->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_complete(w->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_wait(w->win), MPI_ERR_RMA_SYNC);
    int flag = -1;
    CHECK_CLASS(MPI_Win_test(w->win, &flag), MPI_ERR_RMA_SYNC);
    CHECK_INT(flag, -1);
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, w->win));
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, w->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_lock_all(0, w->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_fence(0, w->win), MPI_ERR_RMA_SYNC);
    MPI_Win copy = w->win;
    CHECK_CLASS(MPI_Win_free(&copy), MPI_ERR_RMA_SYNC);
    CHECK(copy == w->win);
    CHECK_OK(MPI_Win_get_group(w->win, &group));
    CHECK_CLASS(MPI_Win_start(group, 0, w->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Put(&x, 1, MPI_INT, w->rank, 0, 1, MPI_INT, w->win), MPI_ERR_RMA_SYNC);
    CHECK_OK(MPI_Win_unlock(other, w->win));
    CHECK_OK(MPI_Win_lock_all(0, w->win));
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, w->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_unlock(other, w->win), MPI_ERR_RMA_SYNC);
    CHECK_OK(MPI_Win_unlock_all(w->win));
    CHECK_OK(MPI_Barrier(w->comm));
    CHECK_OK(MPI_Win_fence(0, w->win));
    CHECK_CLASS(MPI_Rput(&x, 1, MPI_INT, other, 0, 1, MPI_INT, w->win, &request), MPI_ERR_RMA_SYNC);
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_OK(MPI_Put(&x, 1, MPI_INT, other, 0, 1, MPI_INT, w->win));
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, w->win), MPI_ERR_RMA_SYNC);
    CHECK_OK(MPI_Win_fence(0, w->win));
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, w->win)); /* nothing was called since the fence */
    CHECK_OK(MPI_Win_unlock(other, w->win));
    CHECK_OK(MPI_Group_free(&group));
    CHECK_OK(MPI_Barrier(w->comm));
}

static void values(struct window *w)
{
    int x[4] = {1}, y[4], other = (w->rank + 1) % w->size, err;
    char mine[40], theirs[40];
    MPI_Datatype mixed;
    int lengths[] = {1, 1};
    MPI_Aint displs[] = {0, 8};
    MPI_Datatype two[] = {MPI_INT, MPI_DOUBLE};
    MPI_Op op;
    snprintf(mine, sizeof mine, "rank %d", w->rank);
    snprintf(theirs, sizeof theirs, "rank %d", other);
    CHECK_OK(MPI_Win_lock_all(0, w->win));
    err = MPI_Put(x, 4, MPI_INT, other, 23, 4, MPI_INT, w->win);
    CHECK_CLASS(err, MPI_ERR_RMA_RANGE);
    HAS(err, mine);
    HAS(err, theirs);
    HAS(err, "target_disp is 23");
    HAS(err, "100 bytes");
    HAS(err, "MPI_Put: ");
    err = MPI_Put_c(x, 4, MPI_INT, other, 23, 4, MPI_INT, w->win);
    CHECK_CLASS(err, MPI_ERR_RMA_RANGE);
    HAS(err, "MPI_Put_c: ");
    CHECK_NOTED(!strstr(words_of(err), "MPI_Put "), "%.150s", words_of(err));
    CHECK_CLASS(MPI_Get(x, 4, MPI_INT, other, -1, 4, MPI_INT, w->win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Get(x, 1, MPI_INT, other, (MPI_Aint)1 << 62, 1, MPI_INT, w->win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Get(x, 1, MPI_INT, w->size, 0, 1, MPI_INT, w->win), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Get(x, 1, MPI_INT, MPI_ANY_SOURCE, 0, 1, MPI_INT, w->win), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Get(x, 1, MPI_INT, other, 0, 2, MPI_INT, w->win), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Get(x, -1, MPI_INT, other, 0, 1, MPI_INT, w->win), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Get(x, 1, MPI_INT, other, 0, -1, MPI_INT, w->win), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Get(x, 1, MPI_DATATYPE_NULL, other, 0, 1, MPI_INT, w->win), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Get(NULL, 1, MPI_INT, other, 0, 1, MPI_INT, w->win), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Accumulate(x, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_NO_OP, w->win), MPI_ERR_OP);
    CHECK_CLASS(MPI_Accumulate(x, 1, MPI_FLOAT, other, 0, 1, MPI_FLOAT, MPI_BAND, w->win), MPI_ERR_OP);
    CHECK_CLASS(MPI_Accumulate(x, 1, MPI_INT, other, 0, 1, MPI_FLOAT, MPI_SUM, w->win), MPI_ERR_TYPE);
    MPI_Type_create_struct(2, lengths, displs, two, &mixed);
    CHECK_CLASS(MPI_Put(x, 1, mixed, other, 0, 1, mixed, w->win), MPI_ERR_TYPE);
    MPI_Type_commit(&mixed);
    CHECK_CLASS(MPI_Accumulate(x, 1, mixed, other, 0, 1, mixed, MPI_SUM, w->win), MPI_ERR_TYPE);
    MPI_Type_free(&mixed);
    MPI_Op_create((MPI_User_function *)abort, 1, &op);
    CHECK_CLASS(MPI_Accumulate(x, 1, MPI_INT, other, 0, 1, MPI_INT, op, w->win), MPI_ERR_OP);
    MPI_Op_free(&op);
    CHECK_CLASS(MPI_Compare_and_swap(x, x + 1, y, MPI_FLOAT, other, 0, w->win), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, y, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_SUM, w->win),
                MPI_ERR_TYPE);
    check_wipe(y, sizeof y);
    CHECK_OK(MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, y, 4, MPI_INT, other, 20, 4, MPI_INT, MPI_NO_OP, w->win));
    CHECK_OK(MPI_Win_unlock_all(w->win));
    CHECK_INT(y[0], 0x5a5a5a5a);
    CHECK_CLASS(MPI_Win_lock(7, 0, 0, w->win), MPI_ERR_LOCKTYPE);
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, w->size, 0, w->win), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 12345, w->win), MPI_ERR_ASSERT);
    CHECK_CLASS(MPI_Win_fence(MPI_MODE_NOCHECK, w->win), MPI_ERR_ASSERT);
    CHECK_OK(MPI_Barrier(w->comm));
}

static void flavors(void)
{
    struct window w;
    MPI_Aint size;
    int unit, x = 5, other, err;
    void *base;
    rma_open(&w, CREATE, 100, 4, MPI_INFO_NULL, MPI_COMM_WORLD, 0x5a);
    CHECK_CLASS(MPI_Win_attach(w.win, &x, sizeof x), MPI_ERR_RMA_FLAVOR);
    CHECK_CLASS(MPI_Win_detach(w.win, &x), MPI_ERR_RMA_FLAVOR);
    rma_close(&w);
    rma_open(&w, DYNAMIC, 100, 1, MPI_INFO_NULL, MPI_COMM_WORLD, 0x5a);
    other = (w.rank + 1) % w.size;
    CHECK_CLASS(MPI_Win_shared_query(w.win, 0, &size, &unit, &base), MPI_ERR_RMA_FLAVOR);
    CHECK_CLASS(MPI_Win_attach(w.win, w.base + 10, 5), MPI_ERR_RMA_ATTACH);
    CHECK_CLASS(MPI_Win_attach(w.win, w.base - 1, 2), MPI_ERR_RMA_ATTACH);
    CHECK_CLASS(MPI_Win_detach(w.win, w.base + 1), MPI_ERR_RMA_ATTACH);
    CHECK_CLASS(MPI_Win_attach(w.win, w.base + 200, -1), MPI_ERR_SIZE);
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, w.win));
    CHECK_OK(MPI_Put(&x, 1, MPI_INT, other, MPI_Aint_add(w.at[other], 98), 1, MPI_INT, w.win));
    err = MPI_Win_flush(other, w.win);
    CHECK_CLASS(err, MPI_ERR_RMA_RANGE);
    HAS(err, "not attached");
    CHECK_OK(MPI_Win_flush(other, w.win)); /* it was told once */
    CHECK_OK(MPI_Get(&x, 1, MPI_INT, other, MPI_Aint_add(w.at[other], 98), 1, MPI_INT, w.win));
    CHECK_CLASS(MPI_Win_flush(other, w.win), MPI_ERR_RMA_RANGE);
    CHECK_INT(x, 5);
    CHECK_OK(MPI_Get(&x, 1, MPI_INT, other, MPI_Aint_add(w.at[other], 96), 1, MPI_INT, w.win));
    CHECK_OK(MPI_Win_unlock(other, w.win));
    CHECK_INT(x, 0x5a5a5a5a);
    rma_close(&w);
}

static void creation(void)
{
    MPI_Win win = MPI_WIN_NULL;
    char memory[10];
    void *base;
    CHECK_CLASS(MPI_Win_create(memory, -1, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win), MPI_ERR_SIZE);
    CHECK_CLASS(MPI_Win_create(memory, 10, 0, MPI_INFO_NULL, MPI_COMM_SELF, &win), MPI_ERR_DISP);
    CHECK_CLASS(MPI_Win_create(NULL, 10, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win), MPI_ERR_BASE);
    CHECK_CLASS(MPI_Win_create(memory, 10, 1, MPI_INFO_NULL, MPI_COMM_NULL, &win), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Win_allocate(-5, 1, MPI_INFO_NULL, MPI_COMM_SELF, &base, &win), MPI_ERR_SIZE);
    CHECK_CLASS(MPI_Win_allocate((MPI_Aint)1 << 60, 1, MPI_INFO_NULL, MPI_COMM_SELF, &base, &win), MPI_ERR_NO_MEM);
    CHECK(win == MPI_WIN_NULL);
    MPI_Errhandler handler;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    /* One process alone is wrong: the others hear of it. */
    int err = MPI_Win_create(memory, check_rank == 0 ? -1 : 10, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    CHECK(err != MPI_SUCCESS);
    CHECK(win == MPI_WIN_NULL);
    CHECK_CLASS(MPI_Win_free(&win), MPI_ERR_WIN);
    CHECK_CLASS(MPI_Win_fence(0, MPI_WIN_NULL), MPI_ERR_WIN);
    CHECK_CLASS(MPI_Win_fence(0, (MPI_Win)MPI_COMM_WORLD), MPI_ERR_WIN);
    CHECK_OK(MPI_Win_create(memory, 10, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_get_errhandler(win, &handler));
    CHECK(handler == MPI_ERRORS_ARE_FATAL);
    CHECK_OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    creation();
    struct window w;
    rma_open(&w, CREATE, 100, 4, MPI_INFO_NULL, MPI_COMM_WORLD, 0x5a);
    no_epoch(&w);
    values(&w);
    rma_close(&w);
    flavors();
    return check_end();
}
