/* create.c - the constructors of windows: what the processes tell each other (MPI-5.0 section 12.2).
 *
 *     context id of the hidden communicator        a reduction; whoever cannot go on gives the call up
 *     sizes, units, handles; addresses             an allgather
 *     names of shared memory, if there is any      an allgather
 *     whether all have come so far                 a barrier
 */
#include "coll/coll.h"
#include "construct/newcomm.h"
#include "heap/heap.h"
#include "msg/thread.h"
#include "object/errhandler.h"
#include "object/info.h"
#include "rma/lock.h"
#include "rma/memory.h"
#include "rma/share.h"
#include "rma/win.h"

#include <limits.h>

struct make {
    enum tf_caller caller;
    int flavor;
    void *base;
    MPI_Aint size, unit;
    const struct tf_info *info;
    struct tf_comm *comm;
};

/* ---- arguments ---- */

static int check(const struct make *make)
{
    if (make->comm->remote)
        return tf_error(MPI_ERR_COMM, "%s is an intercommunicator; a window needs an intracommunicator",
                        tf_comm_describe(make->comm));
    if (make->size < 0)
        return tf_error(MPI_ERR_SIZE, "size is %td; it must be at least 0", (ptrdiff_t)make->size);
    if (make->unit <= 0)
        return tf_error(MPI_ERR_DISP, "disp_unit is %td; it must be greater than 0", (ptrdiff_t)make->unit);
    return make->flavor == MPI_WIN_FLAVOR_CREATE ? tf_win_check_base(make->base, make->size) : MPI_SUCCESS;
}

static int check_node(const struct make *make)
{
    const struct tf_group *group = make->comm->group;
    if (make->flavor != MPI_WIN_FLAVOR_SHARED)
        return MPI_SUCCESS;
    for (int r = 0; r < group->size; r++)
        if (tf_net_node(group->processes[r]) != tf_net_node(tf_job.rank))
            return tf_error(
                MPI_ERR_RMA_SHARED,
                "rank %d of %s cannot share memory with rank %d: it is on another node (MPI_Comm_split_type "
                "with MPI_COMM_TYPE_SHARED makes communicators for MPI_Win_allocate_shared)",
                r, tf_comm_describe(make->comm), make->comm->rank);
    return MPI_SUCCESS;
}

/* ---- the object ---- */

static int begin_object(struct tf_win *win, const struct make *make)
{
    win->flavor = make->flavor;
    win->model = MPI_WIN_UNIFIED;
    win->base = make->base;
    win->size = make->size;
    win->unit_int = make->unit > INT_MAX ? INT_MAX : (int)make->unit;
    win->last_waiter = &win->first_waiter;
    win->errhandler = &tf_errors_are_fatal;
    win->comm = tf_comm_prepare(make->comm->group, NULL, false, make->comm);
    if (!win->comm)
        return MPI_ERR_NO_MEM;
    win->group = make->comm->group;
    tf_group_retain(win->group);
    win->targets = calloc((size_t)win->comm->size, sizeof *win->targets);
    win->holds_exclusive = calloc((size_t)win->comm->size, sizeof *win->holds_exclusive);
    if (!win->targets || !win->holds_exclusive)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate what a window keeps of %d processes", win->comm->size);
    int err = tf_win_default_info(win);
    return err ? err : tf_win_set_info(win, make->info);
}

static void set_target(struct tf_win *win, int rank, const struct tf_win_fact *fact)
{
    struct tf_target *target = &win->targets[rank];
    target->win = win;
    target->peer = win->comm->peers[rank];
    target->rank = rank;
    target->number = fact->number;
    target->base = fact->base;
    target->size = fact->size;
    target->unit = fact->unit;
    target->in_heap = fact->in_heap && tf_memory_same_node(win, rank, win->comm->rank);
    target->last = &target->first;
}

/* What each has is told to all. */
static int tell(struct tf_win *win, const struct make *make)
{
    struct tf_win_fact mine = {.base = (uint64_t)(uintptr_t)win->base, .size = (uint64_t)win->size};
    mine.unit = (uint64_t)make->unit;
    mine.number = win->obj.handle;
    mine.in_heap = tf_memory_heaps() && win->size > 0 && tf_heap_find(win->base, (size_t)win->size) != TF_HEAP_NOWHERE;
    struct tf_win_fact *facts = tf_alloc((size_t)win->comm->size * sizeof *facts, "what processes tell of a window");
    int err = facts ? tf_coll_allgather_bytes(win->comm, make->caller, &mine, sizeof mine, facts)
                    : tf_coll_give_up(win->comm, MPI_ERR_NO_MEM);
    for (int r = 0; r < win->comm->size && !err; r++)
        set_target(win, r, &facts[r]);
    free(facts);
    return err;
}

/* ---- memory ---- */

static size_t alignment_of(const struct tf_info *info)
{
    const char *value = info ? tf_info_value(info, "mpi_minimum_memory_alignment") : NULL;
    unsigned long wanted = value ? strtoul(value, NULL, 10) : 0;
    return wanted > 0 && wanted <= (1ul << 30) && (wanted & (wanted - 1)) == 0 ? wanted : TF_CACHE_LINE;
}

static bool is_together(const struct make *make)
{
    const char *value = make->info ? tf_info_value(make->info, "alloc_shared_noncontig") : NULL;
    return make->flavor == MPI_WIN_FLAVOR_SHARED && !(value && strcmp(value, "true") == 0);
}

/* How many of the window are on this node. */
static int near_size(const struct tf_win *win)
{
    int n = 0;
    for (int r = 0; r < win->comm->size; r++)
        n += tf_memory_same_node(win, r, win->comm->rank);
    return n;
}

static bool gives_memory(const struct make *make)
{
    return make->flavor == MPI_WIN_FLAVOR_ALLOCATE || make->flavor == MPI_WIN_FLAVOR_SHARED;
}

/* Whether the segment has memory too: MPI_Win_allocate has that of heaps, if all neighbors have one. */
static bool has_data(const struct tf_win *win)
{
    if (win->flavor != MPI_WIN_FLAVOR_ALLOCATE)
        return win->flavor == MPI_WIN_FLAVOR_SHARED;
    for (int r = 0; r < win->comm->size && near_size(win) > 1; r++)
        if (tf_memory_same_node(win, r, win->comm->rank) && win->targets[r].size > 0 && !win->targets[r].in_heap)
            return true;
    return false;
}

/* Memory of that process that lies in its heap. */
static void *view_of(const struct tf_target *target)
{
    if (!target->in_heap)
        return NULL;
    if (target->rank == target->win->comm->rank)
        return target->win->base;
    tf_net_meet(target->peer);
    return tf_net_map(target->peer, target->base, target->size);
}

static void find_here(struct tf_win *win, const struct make *make, bool data, const struct tf_memory_place *places)
{
    for (int r = 0; r < win->comm->size; r++) {
        struct tf_target *target = &win->targets[r];
        if (!tf_memory_same_node(win, r, win->comm->rank))
            continue;
        target->share = (struct tf_share *)(win->segment.at + places[r].share);
        target->here = data ? win->segment.at + places[r].data : view_of(target);
        target->direct = target->here != NULL;
        target->loads = data && is_together(make);
    }
}

/* Epochs that all take part in are told by memory where there is such memory. */
static void find_flags(struct tf_win *win)
{
    struct tf_share *own = win->targets[win->comm->rank].share;
    win->share = own;
    win->near = true;
    for (int r = 0; r < win->comm->size; r++) {
        struct tf_target *target = &win->targets[r];
        if (target->share) {
            target->reads = tf_share_reads(own, target->share);
            target->hears = tf_share_flags(own, target->share);
            target->tells = tf_share_flags(target->share, own);
        } else
            win->near = false;
    }
    win->fences_by_memory = win->near && win->comm->size <= TF_FENCE_MOST;
}

/* Whether all could; if not, an error on those that could too. */
static int agree_on(struct tf_win *win, const struct make *make, int err)
{
    uint64_t worst;
    int err_agreed = tf_coll_max(win->comm, make->caller, (uint64_t)err, &worst);
    if (err || err_agreed)
        return err ? err : err_agreed;
    return worst ? tf_error((int)worst, "another process of the window could not get its memory") : MPI_SUCCESS;
}

/* The first of the node makes the segment, with what belongs to locks as it has to be. */
static int make_segment(struct tf_win *win, size_t bytes, struct tf_memory_fact *fact, int *fd)
{
    int err = tf_memory_create(win, &win->segment, bytes, fact, fd);
    if (!err)
        tf_share_set_up((struct tf_share *)win->segment.at, near_size(win));
    return err;
}

/* Memory that the node shares.  A process whose exchange of names has failed agrees with the others all the same:
 * theirs may have succeeded, and what follows would be taken for it. */
static int share(struct tf_win *win, const struct make *make, struct tf_memory_place *places,
                 struct tf_memory_fact *facts)
{
    int leader = tf_memory_leader(win, win->comm->rank), fd = -1, err = MPI_SUCCESS;
    bool data = has_data(win), alone = near_size(win) == 1, remembers = places && facts;
    size_t bytes = remembers ? tf_memory_lay_out(win, data, is_together(make), alignment_of(make->info), places) : 0;
    struct tf_memory_fact mine = {0};
    if (!alone && remembers && leader == win->comm->rank)
        err = make_segment(win, bytes, &mine, &fd);
    int err_told = remembers ? tf_coll_allgather_bytes(win->comm, make->caller, &mine, sizeof mine, facts)
                             : tf_coll_give_up(win->comm, MPI_ERR_NO_MEM);
    err = err ? err : err_told;
    if (!err && !alone && leader != win->comm->rank)
        err = tf_memory_open(&win->segment, bytes, win->comm->peers[leader], &facts[leader]);
    err = agree_on(win, make, err);
    tf_memory_close(&mine, fd);
    if (!err && !alone)
        find_here(win, make, data, places);
    return err;
}

/* Where nobody shares anything with this process. */
static int provide_alone(struct tf_win *win, const struct make *make)
{
    struct tf_target *self = &win->targets[win->comm->rank];
    if (make->flavor == MPI_WIN_FLAVOR_SHARED)
        win->own_memory = tf_heap_alloc((size_t)win->size, alignment_of(make->info), "a window");
    win->segment.at = tf_heap_alloc_private(tf_share_bytes(1), TF_CACHE_LINE, "the locks of a window");
    if (!win->segment.at || (gives_memory(make) && !win->own_memory))
        return MPI_ERR_NO_MEM;
    win->segment.kind = TF_SEGMENT_BLOCK;
    self->share = (struct tf_share *)win->segment.at;
    tf_share_set_up(self->share, 1);
    return MPI_SUCCESS;
}

/* MPI_Win_allocate has taken memory before it was known whether all of the node share it. */
static void set_base(struct tf_win *win)
{
    void *shared = win->targets[win->comm->rank].here;
    if (shared && win->own_memory && shared != win->own_memory) {
        tf_heap_free(win->own_memory);
        win->own_memory = NULL;
    }
    win->base = win->size == 0 ? NULL : shared ? shared : win->own_memory;
}

/* Where there is no memory to share each has its own, and nobody else loads from it. */
static int provide(struct tf_win *win, const struct make *make)
{
    size_t n = (size_t)win->comm->size;
    struct tf_memory_place *places = tf_alloc(n * sizeof *places, "the places of a window's memory");
    struct tf_memory_fact *facts = tf_alloc(n * sizeof *facts, "the names of a window's memory");
    struct tf_target *self = &win->targets[win->comm->rank];
    int err = share(win, make, places, facts);
    free(places);
    free(facts);
    if (err && make->flavor != MPI_WIN_FLAVOR_SHARED)
        tf_memory_release(&win->segment);
    else if (err)
        return err;
    err = agree_on(win, make, self->share ? MPI_SUCCESS : provide_alone(win, make));
    self->direct = true;
    if (!err)
        find_flags(win);
    if (!err && !tf_share_is_alone(self->share))
        tf_share_join(self->share - self->share->place);
    if (gives_memory(make))
        set_base(win);
    if (!err && make->flavor != MPI_WIN_FLAVOR_DYNAMIC && tf_share_is_alone(self->share))
        self->here = win->base; /* for this process, as nobody else has it */
    return err;
}

static void set_reach(struct tf_target *target)
{
    target->reach = target->here ? target->size : 0;
    target->units = target->here ? target->size / target->unit : 0;
}

/* ---- all ---- */

static int agree_context(const struct make *make, int err, uint64_t *context)
{
    if (err)
        return tf_coll_give_up(make->comm, err);
    err = tf_coll_max(make->comm, make->caller, make->comm->rank == 0 ? tf_newcomm_context_take() : 0, context);
    return err ? err : tf_newcomm_context_check(*context);
}

static int furnish(struct tf_win *win, const struct make *make)
{
    if (make->flavor == MPI_WIN_FLAVOR_ALLOCATE) {
        win->base = win->own_memory = tf_heap_alloc((size_t)win->size, alignment_of(make->info), "a window");
        if (!win->base)
            return tf_coll_give_up(win->comm, MPI_ERR_NO_MEM);
    }
    int err = tell(win, make);
    if (!err)
        err = provide(win, make);
    if (!err && gives_memory(make))
        err = tell(win, make); /* now with its address */
    for (int r = 0; r < win->comm->size && !err; r++)
        set_reach(&win->targets[r]);
    return err;
}

/* Others reach this process's memory as it reaches theirs. */
static bool is_served(const struct tf_win *win)
{
    for (int r = 0; r < win->comm->size; r++)
        if (r != win->comm->rank && !win->targets[r].direct)
            return true;
    return false;
}

/* Whoever has come out of it may send to those that have not: they must know whose messages these are. */
static int agree(struct tf_win *win, const struct make *make, int err)
{
    return err ? err : tf_coll_barrier(win->comm, make->caller);
}

static int make_window(const struct make *make, struct tf_win **made)
{
    uint64_t context;
    struct tf_win *win = NULL;
    int err = check(make);
    if (make->comm->remote)
        return err;
    if (!err)
        err = check_node(make);
    if (!err && !(win = tf_pool_take(&tf_win_pool)))
        err = MPI_ERR_NO_MEM;
    if (!err)
        err = begin_object(win, make);
    err = agree_context(make, err, &context);
    if (!err) {
        tf_comm_start(win->comm, context);
        tf_newcomm_follow(win->comm, make->comm);
        err = agree(win, make, furnish(win, make));
        tf_newcomm_is_made(win->comm);
    }
    if (!err) {
        *made = win;
        tf_msg_thread_serve(win->comm->size > 1);
        win->served = is_served(win);
        tf_lock_let_in_often(win, win->served);
        tf_msg_served += win->served;
    } else if (win) {
        tf_win_clear(win);
    }
    return err;
}

static MPI_Win handle_of(const struct tf_win *win)
{
    return (MPI_Win)(uintptr_t)win->obj.handle;
}

int tf_win_create(void *base, MPI_Aint size, MPI_Aint unit, const struct tf_info *info, struct tf_comm *comm,
                  MPI_Win *win)
{
    struct make make = {TF_CALLER_WIN_CREATE, MPI_WIN_FLAVOR_CREATE, base, size, unit, info, comm};
    struct tf_win *made;
    int err = make_window(&make, &made);
    if (!err)
        *win = handle_of(made);
    return err;
}

int tf_win_create_dynamic(const struct tf_info *info, struct tf_comm *comm, MPI_Win *win)
{
    struct make make = {TF_CALLER_WIN_CREATE_DYNAMIC, MPI_WIN_FLAVOR_DYNAMIC, NULL, 0, 1, info, comm};
    struct tf_win *made;
    int err = make_window(&make, &made);
    if (!err)
        *win = handle_of(made);
    return err;
}

static int allocate(const struct make *make, void *baseptr, MPI_Win *win)
{
    struct tf_win *made;
    int err = make_window(make, &made);
    if (err)
        return err;
    memcpy(baseptr, &made->base, sizeof made->base);
    *win = handle_of(made);
    return MPI_SUCCESS;
}

int tf_win_allocate(MPI_Aint size, MPI_Aint unit, const struct tf_info *info, struct tf_comm *comm, void *baseptr,
                    MPI_Win *win)
{
    struct make make = {TF_CALLER_WIN_ALLOCATE, MPI_WIN_FLAVOR_ALLOCATE, NULL, size, unit, info, comm};
    return allocate(&make, baseptr, win);
}

int tf_win_allocate_shared(MPI_Aint size, MPI_Aint unit, const struct tf_info *info, struct tf_comm *comm,
                           void *baseptr, MPI_Win *win)
{
    struct make make = {TF_CALLER_WIN_ALLOCATE_SHARED, MPI_WIN_FLAVOR_SHARED, NULL, size, unit, info, comm};
    return allocate(&make, baseptr, win);
}

/* ---- the memory of others ---- */

/* MPI_PROC_NULL: of the lowest rank that has any. */
static int first_with_memory(const struct tf_win *win)
{
    for (int r = 0; r < win->comm->size; r++)
        if (win->targets[r].size > 0 && win->targets[r].here)
            return r;
    return MPI_PROC_NULL;
}

/* From now on the program loads and stores there, in whatever epoch; and perhaps in one that is open. */
static void give_address(struct tf_target *target)
{
    target->loads = true;
    tf_lock_want(target);
}

int tf_win_shared_query(struct tf_win *win, int rank, MPI_Aint *size, MPI_Count *unit, void *baseptr)
{
    void *none = NULL;
    int err = tf_win_check_rank(win, "rank", rank);
    if (err)
        return err;
    if (win->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        return tf_error(MPI_ERR_RMA_FLAVOR,
                        "%s was made by MPI_Win_create_dynamic; MPI_Win_shared_query needs another one",
                        tf_win_describe(win));
    if (rank == MPI_PROC_NULL)
        rank = first_with_memory(win);
    struct tf_target *target = rank == MPI_PROC_NULL ? NULL : &win->targets[rank];
    if (target)
        give_address(target);
    bool shared = target && (target->here || rank == win->comm->rank);
    *size = shared ? (MPI_Aint)target->size : 0;
    *unit = shared ? (MPI_Count)target->unit : rank == MPI_PROC_NULL ? 1 : 0;
    memcpy(baseptr,
           !shared || target->size == 0 ? &none
           : rank == win->comm->rank    ? &win->base
                                        : &target->here,
           sizeof none);
    return MPI_SUCCESS;
}
