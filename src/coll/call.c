/* call.c - the path of a blocking collective call: the choice of the last call of its kind if that fits, the buffers, a
 * run on what the communicator keeps for it.  Nonblocking and persistent ones: nonblocking.c.
 */
#include "coll/choice.h"
#include "msg/match.h"

/* What the next call may be told by: only the program's own calls.  Not on an intercommunicator, whose joint
 * communicator has calls of its own in between: the history could not tell which.  An object that is not predefined may
 * come back as another one, with the same handle and address: of a reduction its number tells that, and where data
 * moves there are only predefined types. */
static bool is_lasting(const struct tf_type *type)
{
    return !type || type->obj.handle < 4096;
}

static bool can_come_again(const struct tf_colls *colls, const struct tf_call *call)
{
    if (call->comm->remote || call->caller != TF_CALLER_USER)
        return false;
    if (call->op) /* with buffers of the host, as run->plain says, which begin at their addresses */
        return colls->run.plain && call->recvtype->true_lb == 0;
    /* Scratch is laid out by the counts, which an array may change. */
    bool varies = call->recvcounts.array && colls->run.plan->ntemps;
    return is_lasting(call->recvtype) && is_lasting(call->sendtype) && !call->recvtypes && !varies &&
           tf_memory_is_host(call->sendbuf) && tf_memory_is_host(call->recvbuf);
}

static void remember(struct tf_colls *colls, struct tf_choice *c, const struct tf_call *call, size_t bytes)
{
    c->again.op = NULL;
    if (!can_come_again(colls, call))
        return;
    c->again.op = colls->run.kernel && is_lasting(call->recvtype) ? call->op : NULL;
    c->again.type = call->recvtype;
    c->again.count = call->recvcount;
    c->again.inplace = call->sendbuf == MPI_IN_PLACE;
    if (call->op) {
        colls->latest_op = call->op->number;
        colls->latest_type = call->recvtype->number;
    }
    colls->latest = *call;
    colls->latest_bytes = bytes;
    colls->run.bound_for = c;
}

static inline bool is_again(const struct tf_choice *c, const struct tf_call *call)
{
    return tf_memory_is_host(call->sendbuf) && tf_memory_is_host(call->recvbuf) && c->again.op == call->op &&
           call->op && c->again.type == call->recvtype && c->again.count == call->recvcount &&
           c->again.inplace == (call->sendbuf == MPI_IN_PLACE) && c->root == call->root;
}

static inline bool same_array(struct tf_counts a, struct tf_counts b)
{
    return a.array == b.array && a.large == b.large;
}

static bool same_arrays(const struct tf_call *a, const struct tf_call *b)
{
    return same_array(a->recvcounts, b->recvcounts) && same_array(a->rdispls, b->rdispls) &&
           same_array(a->sendcounts, b->sendcounts) && same_array(a->sdispls, b->sdispls);
}

static inline bool same_data(const struct tf_call *a, const struct tf_call *b)
{
    return a->recvcount == b->recvcount && a->recvtype == b->recvtype && a->sendcount == b->sendcount &&
           a->sendtype == b->sendtype && a->caller == b->caller;
}

static inline bool same_places(const struct tf_call *a, const struct tf_call *b)
{
    return (a->sendbuf == MPI_IN_PLACE) == (b->sendbuf == MPI_IN_PLACE) &&
           (a->recvbuf == MPI_IN_PLACE) == (b->recvbuf == MPI_IN_PLACE);
}

/* The same where the operator or the datatype is a program's. */
static __attribute__((noinline)) bool reduces_again(const struct tf_colls *colls, const struct tf_call *call)
{
    const struct tf_call *latest = &colls->latest;
    return latest->op == call->op && colls->latest_op == call->op->number &&
           (colls->run.kernel || colls->run.apart == tf_library.locking) && same_data(latest, call) &&
           colls->latest_type == call->recvtype->number && latest->root == call->root && same_places(latest, call) &&
           tf_memory_is_host(call->sendbuf) && tf_memory_is_host(call->recvbuf);
}

/* The same of calls that move data.  What is in arrays of counts is read when the plan runs; it may have changed the
 * bytes by which the algorithm was chosen. */
static bool moves_again(const struct tf_colls *colls, const struct tf_call *call)
{
    const struct tf_call *latest = &colls->latest;
    return same_data(latest, call) && latest->root == call->root && same_places(latest, call) &&
           tf_memory_is_host(call->sendbuf) && tf_memory_is_host(call->recvbuf) && same_arrays(latest, call) &&
           (call->coll != TF_ALLGATHERV || tf_choice_bytes(call) == colls->latest_bytes);
}

/* Whether the accord has these terms since the last blocking call.  Of an intercommunicator see above; the library's
 * own calls may be those on its joint communicator. */
static inline bool is_told(const struct tf_colls *colls, const struct tf_call *call)
{
    return colls->run.fingerprint == colls->run.terms.fingerprint && same_data(&colls->told, call) &&
           call->caller == TF_CALLER_USER && !call->comm->remote;
}

static __attribute__((noinline)) void tell(struct tf_colls *colls, const struct tf_call *call, size_t bytes,
                                           uint32_t algorithm)
{
    colls->run.terms = tf_choice_terms(call, TF_FORM_BLOCKING, bytes, algorithm);
    colls->told = *call;
    tf_accord_note(tf_accord_of(call->comm), colls->run.sequence, &colls->run.terms);
}

static int prepare(struct tf_colls *colls, struct tf_choice *c, const struct tf_call *call)
{
    colls->run.bound_for = NULL;
    int err = tf_choice_check(call);
    size_t bytes = err ? 0 : tf_choice_bytes(call);
    if (!err && !tf_choice_fits(c, call, bytes))
        err = tf_choice_make(call, bytes, c);
    if (!err)
        err = tf_choice_bind(&colls->run, call, c->plan);
    if (err)
        return tf_choice_give_up(call->comm, colls->run.sequence, err);
    colls->run.fingerprint = tf_choice_fingerprint(call, bytes, c->algorithm);
    if (!is_told(colls, call))
        tell(colls, call, bytes, c->algorithm);
    remember(colls, c, call, bytes);
    return MPI_SUCCESS;
}

static __attribute__((noinline)) int run_exact(const struct tf_call *call)
{
    struct tf_exact *exact = &call->comm->colls->exact;
    struct tf_call wide;
    int err = tf_exact_prepare(exact, call, &wide);
    if (err)
        return tf_coll_give_up(call->comm, err);
    tf_exact_open(exact);
    err = tf_coll_run(&wide);
    if (!err)
        tf_exact_close(exact);
    return err;
}

/* The next call, too, is to come by here. */
static TF_COLD int run_told(struct tf_colls *colls, const struct tf_choice *c, const struct tf_call *call)
{
    uint32_t algorithm = c->algorithm, sequence = colls->run.sequence;
    tf_choice_tell(TF_NEWS_BEGUN, call, algorithm, sequence, MPI_SUCCESS);
    int err = tf_exec_run(&colls->run);
    tf_choice_tell(TF_NEWS_ENDED, call, algorithm, sequence, err);
    colls->run.bound_for = NULL;
    return err;
}

/* While it waits the lock is let go, and another thread may free what it was called with. */
static TF_COLD int run_kept(struct tf_colls *colls, const struct tf_choice *c, const struct tf_call *call)
{
    tf_choice_hold(&colls->run, call);
    int err = tf_choice_is_told(call) ? run_told(colls, c, call) : tf_exec_run(&colls->run);
    tf_choice_let_go(&colls->run, call);
    return err;
}

/* Only the addresses are others than those of the latest call. */
static inline void bind_again(struct tf_colls *colls, const struct tf_call *call)
{
    struct tf_run *run = &colls->run;
    run->sequence = tf_choice_number(call->comm);
    run->bound[TF_INPUT].base = (char *)call->sendbuf;
    run->bound[TF_OUTPUT].base = call->recvbuf;
}

static inline int run_bound(struct tf_colls *colls, const struct tf_call *call)
{
    bind_again(colls, call);
    return tf_exec_run(&colls->run);
}

static int reduce_again(struct tf_colls *colls, const struct tf_choice *c, const struct tf_call *call)
{
    bind_again(colls, call);
    return TF_UNLIKELY(tf_library.locking) ? run_kept(colls, c, call) : tf_exec_run(&colls->run);
}

static __attribute__((noinline)) int run_anew(struct tf_colls *colls, struct tf_choice *c, const struct tf_call *call)
{
    if (colls->run.bound_for == c && call->op && reduces_again(colls, call))
        return reduce_again(colls, c, call);
    if (colls->run.bound_for == c && !call->op && moves_again(colls, call))
        return run_bound(colls, call);
    if (TF_UNLIKELY(call->comm->order == TF_ORDER_EXACT) && tf_exact_widens(call))
        return run_exact(call);
    colls->run.sequence = tf_choice_number(call->comm);
    int err = prepare(colls, c, call);
    if (TF_UNLIKELY(tf_library.locking) && !err)
        return run_kept(colls, c, call);
    if (TF_UNLIKELY(tf_choice_is_told(call)) && !err)
        return run_told(colls, c, call);
    return err ? err : tf_exec_run(&colls->run);
}

int tf_coll_run(const struct tf_call *call)
{
    struct tf_colls *colls = call->comm->colls;
    struct tf_choice *c = &colls->choices[call->coll];
    if (TF_UNLIKELY(colls->run.bound_for != c || !is_again(c, call)))
        return run_anew(colls, c, call);
    return run_bound(colls, call);
}

/* ---- the library's own ---- */

int tf_coll_give_up(struct tf_comm *comm, int err)
{
    return tf_choice_give_up(comm, tf_choice_number(comm), err);
}

struct tf_call tf_coll_max_call(struct tf_comm *comm, enum tf_caller caller, const void *mine, uint64_t *result)
{
    return (struct tf_call){.coll = TF_ALLREDUCE,
                            .caller = caller,
                            .comm = comm,
                            .sendbuf = mine,
                            .recvbuf = result,
                            .recvcount = 1,
                            .recvtype = tf_type_find(MPI_UINT64_T),
                            .op = tf_op_find(MPI_MAX)};
}

int tf_coll_max(struct tf_comm *comm, enum tf_caller caller, uint64_t mine, uint64_t *result)
{
    struct tf_call call = tf_coll_max_call(comm, caller, &mine, result);
    comm->colls->run.bound_for = NULL; /* the program's own may be the same but for the caller */
    return tf_coll_run(&call);
}

int tf_coll_bcast_bytes(struct tf_comm *comm, enum tf_caller caller, void *buffer, size_t bytes, int root)
{
    struct tf_call call = {.coll = TF_BCAST,
                           .caller = caller,
                           .comm = comm,
                           .root = root,
                           .recvbuf = buffer,
                           .recvcount = (MPI_Count)bytes,
                           .recvtype = tf_type_find(MPI_BYTE)};
    return tf_coll_run(&call);
}

int tf_coll_allgather_bytes(struct tf_comm *comm, enum tf_caller caller, const void *mine, size_t bytes, void *all)
{
    struct tf_type *byte = tf_type_find(MPI_BYTE);
    struct tf_call call = {.coll = TF_ALLGATHER,
                           .caller = caller,
                           .comm = comm,
                           .sendbuf = mine,
                           .recvbuf = all,
                           .sendcount = (MPI_Count)bytes,
                           .recvcount = (MPI_Count)bytes,
                           .sendtype = byte,
                           .recvtype = byte};
    return tf_coll_run(&call);
}

int tf_coll_barrier(struct tf_comm *comm, enum tf_caller caller)
{
    struct tf_call call = {.coll = TF_BARRIER, .caller = caller, .comm = comm};
    return tf_coll_run(&call);
}
