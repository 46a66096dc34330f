/* win.c - the window as an object: its end, its attributes and hints, whom a message is for. */
#include "rma/win.h"

#include <stdio.h>

#include "base/memory.h"
#include "base/own.h"
#include "base/settings.h"
#include "coll/coll.h"
#include "comm/group.h"
#include "construct/newcomm.h"
#include "heap/heap.h"
#include "msg/leave.h"
#include "msg/match.h"
#include "msg/thread.h"
#include "object/attr.h"
#include "object/errhandler.h"
#include "object/info.h"
#include "rma/answer.h"
#include "rma/dynamic.h"
#include "rma/epoch.h"
#include "rma/lock.h"
#include "rma/memory.h"
#include "rma/op.h"
#include "rma/region.h"
#include "rma/serve.h"

struct tf_pool tf_win_pool = {.what = "window",
                              .kind = TF_KIND_WIN,
                              .size = sizeof(struct tf_win),
                              .predef_first = (uint32_t)(uintptr_t)MPI_WIN_NULL,
                              .predef_count = 1,
                              .predef = (struct tf_object *[]){NULL}};

void tf_win_setup(void)
{
    tf_serve_setup();
    tf_win_lost_setup();
}

static const char the[] = "the window ";

const char *tf_win_describe(const struct tf_win *win)
{
    _Static_assert(MPI_MAX_OBJECT_NAME + sizeof the + 10 <= TF_OWN_BYTES, "it fits into a piece");
    char *text = tf_own(TF_OWN_WIN);
    if (win->name[0])
        snprintf(text, TF_OWN_BYTES, "%s%s", the, win->name);
    else
        snprintf(text, TF_OWN_BYTES, "%s0x%x", the, win->obj.handle & 0x7fffffffu);
    return text;
}

struct tf_error_site tf_win_site(const struct tf_win *win)
{
    if (!win)
        return tf_comm_site(NULL);
    return (struct tf_error_site){win->errhandler, TF_KIND_WIN, win->obj.handle, tf_win_describe(win) + strlen(the)};
}

int tf_win_check_rank(const struct tf_win *win, const char *name, int rank)
{
    if (TF_LIKELY((unsigned)rank < (unsigned)win->comm->size) || rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_RANK, "%s is %d; it must be between 0 and %d, the highest rank of %s, or MPI_PROC_NULL",
                    name, rank, win->comm->size - 1, tf_win_describe(win));
}

int tf_win_check_base(const void *base, MPI_Aint size)
{
    if (!base && size > 0)
        return tf_error(MPI_ERR_BASE, "base is a null pointer, but size is %td", (ptrdiff_t)size);
    if (base == MPI_IN_PLACE)
        return tf_error(MPI_ERR_BASE, "base is MPI_IN_PLACE, which is not allowed for this argument here");
    return MPI_SUCCESS;
}

static bool some_were_broken; /* and have ended, maybe here alone */

struct tf_win *tf_win_numbered(uint32_t number, uint32_t rank)
{
    struct tf_win *win = tf_pool_find(&tf_win_pool, number);
    return TF_LIKELY(win && rank < (uint32_t)win->comm->size) ? win : NULL;
}

struct tf_win *tf_win_of_message(uint32_t number, uint32_t source, const struct tf_peer *peer)
{
    struct tf_win *win = tf_win_numbered(number, source);
    if (TF_LIKELY(win != NULL))
        return win;
    if (tf_settings.keep_going || some_were_broken)
        return NULL;
    tf_fatal(1, "treefold[%d]: a message of rank %d of the job is for a window that this process does not have",
             tf_job.rank, peer->rank);
}

/* ---- its end ---- */

const char *tf_win_epoch(const struct tf_win *win)
{
    return win->started     ? "an epoch of MPI_Win_start"
           : win->posted    ? "an epoch of MPI_Win_post"
           : win->all       ? "the locks of all ranks"
           : win->locks > 0 ? "a lock"
                            : NULL;
}

static int check_closed(const struct tf_win *win)
{
    const char *open = tf_win_epoch(win);
    if (!open)
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_RMA_SYNC, "rank %d frees %s and has %s open", win->comm->rank, tf_win_describe(win), open);
}

static void types_clear(struct tf_win_types *types)
{
    for (int i = 0; types && i < TF_WIN_TYPES; i++)
        if (types->types[i])
            tf_type_release(types->types[i]);
    free(types);
}

void tf_win_clear(struct tf_win *win)
{
    some_were_broken |= win->comm && win->comm->match && win->comm->match->broken;
    tf_op_rest(win);
    tf_lock_rest(win);
    for (int r = 0; win->targets && r < win->comm->size; r++) {
        types_clear(win->targets[r].told);
        types_clear(win->targets[r].heard);
        free(win->targets[r].words);
        free(win->targets[r].key);
        free(win->targets[r].copies);
        free(win->targets[r].stream);
    }
    tf_answer_leave(win);
    tf_region_close(win);
    free(win->targets);
    free(win->holds_exclusive);
    free(win->attached);
    tf_heap_free(win->own_memory);
    tf_memory_release(&win->segment);
    if (win->info)
        tf_info_free(win->info);
    if (win->errhandler)
        tf_errhandler_release(win->errhandler);
    if (win->group)
        tf_group_release(win->group);
    if (win->comm)
        tf_comm_release(win->comm);
    tf_pool_give(&tf_win_pool, win);
}

int tf_win_free(struct tf_win *win)
{
    struct tf_comm *comm = win->comm;
    int err = check_closed(win);
    if (!err)
        err = tf_attrs_delete_all(&win->attrs, win->obj.handle);
    if (err)
        return err;
    tf_epoch_wait_answered(win, TF_EPOCH_ALL);
    tf_epoch_flush(win, TF_EPOCH_ALL);
    /* Nobody has anything more to say. */
    err = tf_coll_barrier(win->comm, TF_CALLER_WIN_FREE);
    if (err)
        return err;
    tf_msg_thread_serve(-(comm->size > 1));
    tf_msg_served -= win->served;
    tf_comm_retain(comm);
    tf_win_clear(win);
    tf_leave_comm(comm);
    return MPI_SUCCESS;
}

/* ---- what is asked of it ---- */

int tf_win_get_group(struct tf_win *win, MPI_Group *group)
{
    *group = tf_group_share(win->group);
    return MPI_SUCCESS;
}

/* In C the value is a pointer to the number, and the base itself. */
int tf_win_get_attr(struct tf_win *win, int keyval, void *value, int *flag)
{
    void *found;
    switch (keyval) {
    case MPI_WIN_BASE:
        found = win->base;
        break;
    case MPI_WIN_SIZE:
        found = &win->size;
        break;
    case MPI_WIN_DISP_UNIT:
        found = &win->unit_int;
        break;
    case MPI_WIN_CREATE_FLAVOR:
        found = &win->flavor;
        break;
    case MPI_WIN_MODEL:
        found = &win->model;
        break;
    default:
        return tf_attrs_get(win->attrs, TF_KIND_WIN, keyval, value, flag);
    }
    *(void **)value = found;
    *flag = 1;
    return MPI_SUCCESS;
}

/* ---- hints ---- */

static bool is_truth(const char *value)
{
    return strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
}

static bool hint_take(void *object, const char *key, const char *value)
{
    static const char *const truths[] = {"same_size", "same_disp_unit", "alloc_shared_noncontig"};
    struct tf_win *win = object;
    if (strcmp(key, "no_locks") == 0) {
        if (is_truth(value))
            win->no_locks = strcmp(value, "true") == 0;
        return is_truth(value);
    }
    for (size_t i = 0; i < TF_ARRAY_LEN(truths); i++)
        if (strcmp(key, truths[i]) == 0)
            return is_truth(value);
    if (strcmp(key, "accumulate_ops") == 0)
        return strcmp(value, "same_op") == 0 || strcmp(value, "same_op_no_op") == 0;
    return strcmp(key, "accumulate_ordering") == 0 || strcmp(key, "mpi_accumulate_granularity") == 0 ||
           strcmp(key, "mpi_minimum_memory_alignment") == 0;
}

/* MPI_Win_get_info shows all hints that have a default (MPI-5.0 section 12.2.7). */
int tf_win_default_info(struct tf_win *win)
{
    static const char *const defaults[][2] = {{"no_locks", "false"},
                                              {"accumulate_ordering", "rar,raw,war,waw"},
                                              {"accumulate_ops", "same_op_no_op"},
                                              {"mpi_accumulate_granularity", "0"},
                                              {"same_size", "false"},
                                              {"same_disp_unit", "false"},
                                              {TF_MEMORY_KINDS_HINT, TF_MEMORY_KINDS},
                                              {"alloc_shared_noncontig", "false"}};
    size_t shown = TF_ARRAY_LEN(defaults) - (win->flavor != MPI_WIN_FLAVOR_SHARED);
    int err = (win->info = tf_info_copy(NULL)) ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    for (size_t i = 0; i < shown && !err; i++)
        err = tf_info_set(win->info, defaults[i][0], defaults[i][1]);
    return err;
}

int tf_win_set_info(struct tf_win *win, const struct tf_info *info)
{
    return info ? tf_info_take(&win->info, info, hint_take, win) : MPI_SUCCESS;
}

int tf_win_get_info(const struct tf_win *win, MPI_Info *info_used)
{
    return tf_info_dup(win->info, info_used);
}
