/* rma.h - windows of all flavors and epochs of all kinds, for the tests of one-sided communication. */
#ifndef RMA_H
#define RMA_H

#include "check.h"

enum flavor { CREATE, ALLOCATE, SHARED, DYNAMIC, FLAVORS };
static const char *const flavor_words[] = {"create", "allocate", "allocate_shared", "dynamic"};

struct window {
    MPI_Win win;
    MPI_Comm comm;
    char *base; /* of this process */
    MPI_Aint bytes;
    int unit, size, rank;
    enum flavor flavor;
    MPI_Aint *at; /* [size] dynamic: the addresses of all; else 0 */
};

/* Whether all processes of comm can share memory. */
static inline bool rma_one_node(MPI_Comm comm)
{
    MPI_Comm node;
    int all, near;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(comm, &all);
    MPI_Comm_size(node, &near);
    MPI_Comm_free(&node);
    return all == near;
}

/* The displacement of that byte of a process, which must be a multiple of the unit. */
static inline MPI_Aint rma_disp(const struct window *w, int rank, MPI_Aint byte)
{
    return w->flavor == DYNAMIC ? MPI_Aint_add(w->at[rank], byte) : byte / w->unit;
}

/* Memory of every process filled with `fill`. */
static inline void rma_open(struct window *w, enum flavor flavor, MPI_Aint bytes, int unit, MPI_Info info,
                            MPI_Comm comm, int fill)
{
    MPI_Aint mine = 0;
    memset(w, 0, sizeof *w);
    w->comm = comm;
    w->bytes = bytes;
    w->unit = flavor == DYNAMIC ? 1 : unit;
    w->flavor = flavor;
    w->win = MPI_WIN_NULL;
    MPI_Comm_size(comm, &w->size);
    MPI_Comm_rank(comm, &w->rank);
    w->at = check_alloc((size_t)w->size * sizeof *w->at, 0);
    if (flavor == CREATE || flavor == DYNAMIC)
        w->base = check_alloc((size_t)bytes, fill);
    if (flavor == CREATE)
        CHECK_OK(MPI_Win_create(w->base, bytes, unit, info, comm, &w->win));
    else if (flavor == ALLOCATE)
        CHECK_OK(MPI_Win_allocate(bytes, unit, info, comm, &w->base, &w->win));
    else if (flavor == SHARED)
        CHECK_OK(MPI_Win_allocate_shared(bytes, unit, info, comm, &w->base, &w->win));
    else {
        CHECK_OK(MPI_Win_create_dynamic(info, comm, &w->win));
        CHECK_OK(MPI_Win_attach(w->win, w->base, bytes));
        CHECK_OK(MPI_Get_address(w->base, &mine));
        CHECK_OK(MPI_Allgather(&mine, 1, MPI_AINT, w->at, 1, MPI_AINT, comm));
    }
    CHECK(w->win != MPI_WIN_NULL);
    CHECK_OK(MPI_Win_set_errhandler(w->win, MPI_ERRORS_RETURN));
    if (bytes > 0)
        memset(w->base, fill, (size_t)bytes);
    CHECK_OK(MPI_Barrier(comm));
}

static inline void rma_close(struct window *w)
{
    if (w->flavor == DYNAMIC) {
        CHECK_OK(MPI_Barrier(w->comm));
        CHECK_OK(MPI_Win_detach(w->win, w->base));
    }
    CHECK_OK(MPI_Win_free(&w->win));
    CHECK(w->win == MPI_WIN_NULL);
    if (w->flavor == CREATE || w->flavor == DYNAMIC)
        free(w->base);
    free(w->at);
}

/* ---- epochs, in which all processes may reach all ---- */

enum sync { FENCE, PSCW, LOCK, LOCK_ALL, SYNCS };
static const char *const sync_words[] = {"fence", "post-start-complete-wait", "lock", "lock_all"};

static inline void rma_begin(struct window *w, enum sync sync, int target)
{
    MPI_Group group;
    switch (sync) {
    case FENCE:
        CHECK_OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, w->win));
        break;
    case PSCW:
        CHECK_OK(MPI_Win_get_group(w->win, &group));
        CHECK_OK(MPI_Win_post(group, 0, w->win));
        CHECK_OK(MPI_Win_start(group, 0, w->win));
        CHECK_OK(MPI_Group_free(&group));
        break;
    case LOCK:
        CHECK_OK(MPI_Barrier(w->comm));
        CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, w->win));
        break;
    default:
        CHECK_OK(MPI_Barrier(w->comm));
        CHECK_OK(MPI_Win_lock_all(0, w->win));
    }
}

/* When it returns, what all have called is done. */
static inline void rma_end(struct window *w, enum sync sync, int target)
{
    switch (sync) {
    case FENCE:
        CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w->win));
        break;
    case PSCW:
        CHECK_OK(MPI_Win_complete(w->win));
        CHECK_OK(MPI_Win_wait(w->win));
        break;
    case LOCK:
        CHECK_OK(MPI_Win_unlock(target, w->win));
        CHECK_OK(MPI_Barrier(w->comm));
        break;
    default:
        CHECK_OK(MPI_Win_unlock_all(w->win));
        CHECK_OK(MPI_Barrier(w->comm));
    }
}

#endif
