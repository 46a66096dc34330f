/* call.c - the one path of every collective call: choose an algorithm, get its plan, bind the buffers, run.
 *
 *     blocking    tf_coll_run      on the communicator's own run, with the choice of the last call of that kind kept
 *     nonblocking tf_coll_begin    on a run of the request
 *     persistent  tf_coll_prepare  the same, bound anew and started at each MPI_Start
 */
#include "base/settings.h"
#include "coll/domain.h"
#include "coll/exact.h"
#include "coll/family.h"
#include "comm/info.h"
#include "msg/request.h"

/* The latest choice for a collective: good for calls of the same kind with low <= bytes < high.  A program that makes
 * the same call again and again, on other addresses perhaps, is recognised by `again`. */
struct choice {
    struct {
        const struct tf_op *op; /* NULL: not to be relied on */
        const struct tf_type *type;
        MPI_Count count;
        bool inplace;
    } again;
    const struct tf_plan *plan; /* NULL: none yet; in use in the cache */
    size_t low, high;
    uint32_t algorithm; /* a number for it and its parameter */
    int root;
    bool inplace, commutative, elementwise;
    unsigned must_give;
};

struct tf_colls {
    struct tf_plan_cache *plans;
    struct tf_run run; /* of blocking calls */
    struct tf_domains domains;
    struct choice *bound; /* whose buffers are bound in it, if that can be told by `again` */
    struct choice choices[TF_NCOLL];
    struct tf_exact exact;  /* of blocking calls */
    struct tf_rules *rules; /* the communicator's own, NULL: none; once they are known: */
    bool rules_known;
};

struct tf_colls *tf_colls_create(struct tf_comm *comm)
{
    (void)comm;
    struct tf_colls *colls = calloc(1, sizeof *colls);
    if (!colls)
        goto fail;
    colls->plans = tf_plan_cache_create();
    if (colls->plans)
        return colls;
    free(colls);
fail:
    tf_error(MPI_ERR_NO_MEM, "cannot allocate the collective state of a communicator");
    return NULL;
}

void tf_colls_destroy(struct tf_colls *colls)
{
    tf_run_clear(&colls->run);
    tf_exact_free(&colls->exact);
    tf_coll_domains_clear(&colls->domains);
    tf_plan_cache_destroy(colls->plans);
    tf_rules_free(colls->rules);
    free(colls);
}

void tf_colls_forget(struct tf_colls *colls)
{
    for (int i = 0; i < TF_NCOLL; i++) {
        if (colls->choices[i].plan)
            tf_plan_cache_release(colls->plans, colls->choices[i].plan);
        colls->choices[i].plan = NULL;
    }
    colls->bound = NULL;
    tf_rules_free(colls->rules);
    colls->rules = NULL;
    colls->rules_known = false;
}

/* ---- choosing ---- */

static bool is_inplace(const struct tf_call *call)
{
    if (call->coll == TF_BARRIER || call->coll == TF_BCAST)
        return false;
    return call->sendbuf == MPI_IN_PLACE || call->recvbuf == MPI_IN_PLACE;
}

/* Ranks other than the root ignore the buffer arguments of the other side. */
static bool inplace_counts(const struct tf_call *call)
{
    return is_inplace(call) && (!tf_coll_is_rooted(call->coll) || call->comm->rank == call->root);
}

static bool is_elementwise(const struct tf_call *call)
{
    return !call->op || call->op->kernels != NULL;
}

/* What is asked of the algorithm where bits must not depend on it: nothing of accumulators, whose sums are exact. */
static unsigned must_give(const struct tf_call *call)
{
    if (!call->op || call->comm->order == TF_ORDER_ANY || tf_binned_is(call->recvtype))
        return TF_NEEDS_NOTHING;
    return tf_exact_wants(call) ? TF_GIVES_ONCE : TF_GIVES_FIXED;
}

static bool fits(const struct choice *c, const struct tf_call *call, size_t bytes)
{
    return c->plan && bytes >= c->low && bytes < c->high && c->root == call->root &&
           c->inplace == inplace_counts(call) && c->elementwise == is_elementwise(call) &&
           c->commutative == (!call->op || call->op->commutative) && c->must_give == must_give(call);
}

/* ---- what an intercommunicator changes ---- */

static enum tf_coll form_of(const struct tf_call *call)
{
    return call->comm->remote ? (enum tf_coll)(TF_INTER + call->coll) : call->coll;
}

/* Ranks of the first group, 0 on an intracommunicator. */
static int first_group(const struct tf_comm *comm)
{
    if (!comm->remote)
        return 0;
    return tf_comm_leads(comm) ? comm->size : comm->npeers;
}

/* Whether this process only stands by: its group has the root, which is another one. */
static bool is_idle(const struct tf_call *call)
{
    return call->root == MPI_PROC_NULL;
}

/* The root's rank in the joint communicator, -1 where that is unknown, 0 where there is none. */
static int joint_root(const struct tf_call *call)
{
    const struct tf_comm *comm = call->comm;
    if (!tf_coll_is_rooted(call->coll))
        return 0;
    if (!comm->remote)
        return call->root;
    if (call->root < 0)
        return call->root == MPI_ROOT ? comm->joint->rank : -1;
    return tf_comm_leads(comm) ? comm->size + call->root : call->root;
}

/* What intercommunicators do not have. */
static int check_inter(const struct tf_call *call)
{
    if (!call->comm->remote)
        return MPI_SUCCESS;
    if (call->coll == TF_SCAN || call->coll == TF_EXSCAN)
        return tf_error(MPI_ERR_COMM,
                        "%s is an intercommunicator; a scan is of the ranks of one group, so it needs an "
                        "intracommunicator",
                        tf_comm_describe(call->comm));
    if (is_inplace(call))
        return tf_error(MPI_ERR_BUFFER,
                        "MPI_IN_PLACE is given, but %s is an intercommunicator, where what is sent and "
                        "what is received belong to different groups",
                        tf_comm_describe(call->comm));
    return MPI_SUCCESS;
}

static void complain(const char *words)
{
    tf_log(0, "%s", words);
}

/* The rules that an info key gives the communicator. */
static struct tf_rules *rules_of(const struct tf_comm *comm)
{
    struct tf_colls *colls = comm->colls;
    const char *value = colls->rules_known ? NULL : tf_info_value(comm->info, "treefold_algorithm");
    colls->rules_known = true;
    if (value)
        colls->rules = tf_rules_parse(value, "info key treefold_algorithm", comm->rank == 0 ? complain : NULL);
    return colls->rules;
}

static void tell_choice(const struct tf_call *call, size_t bytes, const struct tf_coll_choice *chosen)
{
    char algo[100];
    if (tf_settings.verbose >= 1)
        tf_log(1, "%s of %zu bytes on %d ranks: %s (%s:%d)", tf_coll_name(chosen->algo->coll), bytes,
               call->comm->joint->size, tf_rule_show_algo(chosen->algo, chosen->radix, algo, sizeof algo),
               chosen->from->source, chosen->line);
}

static int choose(const struct tf_call *call, size_t bytes, struct choice *c)
{
    struct tf_comm *comm = call->comm, *joint = comm->joint;
    struct choice new = {.root = call->root,
                         .inplace = inplace_counts(call),
                         .commutative = !call->op || call->op->commutative,
                         .elementwise = is_elementwise(call),
                         .must_give = must_give(call)};
    struct tf_coll_case which = {.coll = form_of(call),
                                 .size = joint->size,
                                 .bytes = bytes,
                                 .commutative = new.commutative,
                                 .elementwise = new.elementwise,
                                 .own = rules_of(comm),
                                 .must_give = new.must_give};
    struct tf_coll_choice chosen;
    int err = tf_coll_select(&which, &chosen);
    if (err)
        return err;
    new.low = chosen.low;
    new.high = chosen.high;
    new.algorithm = (uint32_t)(chosen.algo - tf_algos) << 16 | (uint32_t)chosen.radix;
    struct tf_shape shape = {.rank = joint->rank,
                             .size = joint->size,
                             .root = joint_root(call),
                             .inplace = new.inplace,
                             .commutes = new.commutative,
                             .radix = chosen.radix,
                             .first = first_group(comm)};
    if (chosen.algo->needs & TF_NEEDS_LEVELS)
        shape.domain = tf_coll_domains(comm, &comm->colls->domains);
    new.plan = tf_plan_cache_get(comm->colls->plans, chosen.algo, &shape);
    if (!new.plan)
        return MPI_ERR_NO_MEM;
    tell_choice(call, bytes, &chosen);
    if (c->plan)
        tf_plan_cache_release(comm->colls->plans, c->plan);
    *c = new;
    return MPI_SUCCESS;
}

/* Sizes must agree in all but the v forms; the datatype's signature too where an operator combines elements; and the
 * algorithm always: if it does not, the ranks' rules differ. */
static uint32_t fingerprint(const struct tf_call *call, size_t bytes, uint32_t algorithm)
{
    if (call->coll == TF_BARRIER && call->root == TF_LAST_BARRIER)
        return TF_FINGERPRINT_FINALIZE;
    if (!tf_settings.compare_calls)
        return tf_fingerprint_make(call->coll, MPI_OP_NULL, 0, 0, 0);
    uint64_t signature = (uint64_t)algorithm << 32;
    bool cut_by_groups = call->comm->remote && call->coll == TF_REDUCE_SCATTER_BLOCK;
    if (call->op && call->coll != TF_REDUCE_SCATTER && !cut_by_groups)
        signature ^= tf_type_signature(call->recvtype, call->recvcount);
    return tf_fingerprint_make(call->coll, call->op ? (MPI_Op)(uintptr_t)call->op->obj.handle : MPI_OP_NULL, bytes,
                               signature, joint_root(call));
}

/* ---- binding ---- */

static int resolve_types(struct tf_run *run, const struct tf_call *call)
{
    int p = call->comm->npeers;
    if (!run->types) {
        run->types = tf_alloc(2 * (size_t)p * sizeof *run->types, "the datatypes of an alltoallw");
        if (!run->types)
            return MPI_ERR_NO_MEM;
    }
    for (int i = 0; i < p; i++) {
        run->types[i] = call->sendbuf == MPI_IN_PLACE ? NULL : tf_type_find(call->sendtypes[i]);
        run->types[p + i] = tf_type_find(call->recvtypes[i]);
    }
    return MPI_SUCCESS;
}

static int bind(struct tf_run *run, const struct tf_call *call, const struct tf_plan *plan)
{
    run->plan = plan;
    run->comm = call->comm->joint;
    run->plain = false;
    if (is_idle(call))
        return MPI_SUCCESS;
    /* Where everything goes to one rank, it is better that the others do their part of the copying. */
    run->pull = call->coll != TF_GATHER && call->coll != TF_GATHERV;
    run->longest = run->pull && !call->op ? TF_PULL_LEAST : SIZE_MAX;
    return tf_families[call->coll].bind(run, call);
}

/* ---- blocking ---- */

static uint32_t next_sequence(struct tf_comm *comm)
{
    return comm->joint->coll_seq++ & 0x7fffffff;
}

/* Only predefined operators and types, since a handle's object may come back as another one.  Not on an
 * intercommunicator, whose joint communicator has calls of its own in between: the history could not tell which. */
static void remember(struct tf_colls *colls, struct choice *c, const struct tf_call *call)
{
    c->again.op = NULL;
    if (!colls->run.plain || !colls->run.kernel || call->recvtype->obj.handle >= 4096 || call->comm->remote)
        return;
    c->again.op = call->op;
    c->again.type = call->recvtype;
    c->again.count = call->recvcount;
    c->again.inplace = call->sendbuf == MPI_IN_PLACE;
    colls->bound = c;
}

static inline bool is_again(const struct choice *c, const struct tf_call *call)
{
    return c->again.op == call->op && call->op && c->again.type == call->recvtype &&
           c->again.count == call->recvcount && c->again.inplace == (call->sendbuf == MPI_IN_PLACE) &&
           c->root == call->root;
}

static size_t bytes_of(const struct tf_call *call)
{
    return is_idle(call) ? 0 : tf_families[call->coll].bytes(call);
}

static int prepare(struct tf_colls *colls, struct choice *c, const struct tf_call *call)
{
    colls->bound = NULL;
    int err = check_inter(call);
    if (err)
        return err;
    size_t bytes = bytes_of(call);
    err = fits(c, call, bytes) ? MPI_SUCCESS : choose(call, bytes, c);
    if (!err && call->coll == TF_ALLTOALLW)
        err = resolve_types(&colls->run, call);
    if (!err)
        err = bind(&colls->run, call, c->plan);
    colls->run.fingerprint = fingerprint(call, bytes, c->algorithm);
    tf_history_note(&call->comm->joint->match->history, colls->run.sequence, colls->run.fingerprint);
    if (!err)
        remember(colls, c, call);
    return err;
}

static __attribute__((noinline)) int run_exact(const struct tf_call *call)
{
    struct tf_exact *exact = &call->comm->colls->exact;
    struct tf_call wide;
    int err = tf_exact_prepare(exact, call, &wide);
    if (err)
        return err;
    tf_exact_open(exact);
    err = tf_coll_run(&wide);
    if (!err)
        tf_exact_close(exact);
    return err;
}

int tf_coll_run(const struct tf_call *call)
{
    struct tf_comm *comm = call->comm;
    struct tf_colls *colls = comm->colls;
    struct tf_run *run = &colls->run;
    struct choice *c = &colls->choices[call->coll];
    bool again = TF_LIKELY(colls->bound == c && is_again(c, call));
    if (TF_UNLIKELY(!again && tf_exact_widens(call)))
        return run_exact(call);
    run->sequence = next_sequence(comm);
    if (TF_LIKELY(again)) {
        run->bound[TF_INPUT].base = (char *)call->sendbuf;
        run->bound[TF_OUTPUT].base = call->recvbuf;
    } else {
        int err = prepare(colls, c, call);
        if (err)
            return err;
    }
    return tf_exec_run(run);
}

/* ---- requests ---- */

struct coll_request {
    struct tf_run run;
    struct tf_call call; /* holds references to its operator and types */
    struct choice choice;
    bool is_wide;
    struct tf_exact exact;
    struct tf_request *request;
    int (*done)(void *context);
    void *context;
};

/* The next blocking call, if it is the same `again`, notes nothing. */
static void note(const struct tf_run *run, struct tf_comm *comm)
{
    struct tf_history *history = &comm->joint->match->history;
    tf_history_note(history, run->sequence, run->fingerprint);
    tf_history_note(history, comm->joint->coll_seq & ~TF_SEQUENCE_PERSISTENT, comm->colls->run.fingerprint);
}

static void retain_types(const struct coll_request *c, void (*change)(struct tf_type *type))
{
    if (c->call.sendtype)
        change(c->call.sendtype);
    if (c->call.recvtype)
        change(c->call.recvtype);
    for (int i = 0; c->run.types && i < 2 * c->call.comm->npeers; i++)
        if (c->run.types[i])
            change(c->run.types[i]);
}

static void finished(struct tf_task *task)
{
    struct coll_request *c = TF_CONTAINER(task, struct coll_request, run.task);
    struct tf_request *request = c->request;
    request->error = c->run.error;
    if (c->is_wide && !request->error)
        tf_exact_close(&c->exact);
    if (c->done && !request->error)
        request->error = c->done(c->context);
    tf_request_part_done(request);
}

static int start_coll(struct tf_request *request)
{
    struct coll_request *c = request->coll.run;
    if (c->is_wide)
        tf_exact_open(&c->exact);
    if (!request->persistent) {
        c->run.sequence = next_sequence(c->call.comm);
        note(&c->run, c->call.comm);
    }
    int err = bind(&c->run, &c->call, c->choice.plan);
    return err ? err : tf_exec_begin(&c->run, finished);
}

static void release_coll(struct tf_request *request)
{
    struct coll_request *c = request->coll.run;
    if (c->choice.plan)
        tf_plan_cache_release(c->call.comm->colls->plans, c->choice.plan);
    retain_types(c, tf_type_release);
    if (c->call.op)
        tf_op_release(c->call.op);
    tf_run_clear(&c->run);
    tf_exact_free(&c->exact);
    free(c);
}

static const struct tf_request_kind coll_kind = {
    .name = "collective",
    .collective = true,
    .start = start_coll,
    .release = release_coll,
};

/* `told` is the communicator that the request is of and whose error handler hears of its errors. */
static int create(const struct tf_call *call, struct tf_comm *told, struct tf_request **request_p,
                  struct coll_request **c_p)
{
    int err = check_inter(call);
    if (err)
        return err;
    struct tf_request *request = tf_request_create(&coll_kind, told);
    if (!request)
        return MPI_ERR_NO_MEM;
    struct coll_request *c = calloc(1, sizeof *c);
    if (!c) {
        tf_pool_give(&tf_request_pool, request);
        tf_comm_release(told);
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate a nonblocking collective");
    }
    c->call = *call;
    c->request = request;
    request->coll.run = c;
    c->is_wide = tf_exact_widens(call);
    if (c->is_wide)
        err = tf_exact_prepare(&c->exact, call, &c->call);
    call = &c->call;
    size_t bytes = bytes_of(call);
    if (!err && call->coll == TF_ALLTOALLW)
        err = resolve_types(&c->run, call);
    retain_types(c, tf_type_retain);
    if (call->op)
        tf_op_retain(call->op);
    if (!err)
        err = choose(call, bytes, &c->choice);
    c->run.fingerprint = fingerprint(call, bytes, c->choice.algorithm);
    if (err) {
        tf_request_destroy(request);
        return err;
    }
    *request_p = request;
    *c_p = c;
    return MPI_SUCCESS;
}

static int begin(const struct tf_call *call, struct tf_comm *told, int (*done)(void *), void *context,
                 MPI_Request *handle)
{
    struct tf_request *request;
    struct coll_request *c;
    int err = create(call, told, &request, &c);
    if (err)
        return err;
    c->done = done;
    c->context = context;
    err = tf_request_begin(request);
    if (err)
        tf_request_destroy(request);
    else
        *handle = tf_request_handle(request);
    return err;
}

int tf_coll_begin(const struct tf_call *call, MPI_Request *request)
{
    return begin(call, call->comm, NULL, NULL, request);
}

int tf_coll_prepare(const struct tf_call *call, struct tf_info *info, MPI_Request *handle)
{
    struct tf_request *request;
    struct coll_request *c;
    (void)info; /* no hints are defined for persistent collectives */
    int err = create(call, call->comm, &request, &c);
    if (err)
        return err;
    request->persistent = true;
    /* They may be started in different orders on different ranks (MPI-5.0 section 6.13): the number is their own. */
    c->run.sequence = next_sequence(call->comm) | TF_SEQUENCE_PERSISTENT;
    note(&c->run, call->comm);
    *handle = tf_request_handle(request);
    return MPI_SUCCESS;
}

/* ---- the library's own ---- */

static struct tf_call bcast_call(struct tf_comm *comm, void *buffer, size_t bytes, int root)
{
    return (struct tf_call){.coll = TF_BCAST,
                            .comm = comm,
                            .root = root,
                            .recvbuf = buffer,
                            .recvcount = (MPI_Count)bytes,
                            .recvtype = tf_type_find(MPI_BYTE)};
}

int tf_coll_bcast_bytes(struct tf_comm *comm, void *buffer, size_t bytes, int root)
{
    struct tf_call call = bcast_call(comm, buffer, bytes, root);
    return tf_coll_run(&call);
}

int tf_coll_bcast_then(struct tf_comm *comm, void *buffer, size_t bytes, int root, int (*done)(void *context),
                       void *context, MPI_Request *request)
{
    struct tf_call call = bcast_call(comm->joint, buffer, bytes, root);
    return begin(&call, comm, done, context, request);
}

int tf_coll_allgather_bytes(struct tf_comm *comm, const void *mine, size_t bytes, void *all)
{
    struct tf_type *byte = tf_type_find(MPI_BYTE);
    struct tf_call call = {.coll = TF_ALLGATHER,
                           .comm = comm,
                           .sendbuf = mine,
                           .recvbuf = all,
                           .sendcount = (MPI_Count)bytes,
                           .recvcount = (MPI_Count)bytes,
                           .sendtype = byte,
                           .recvtype = byte};
    return tf_coll_run(&call);
}

int tf_coll_barrier(struct tf_comm *comm, bool last)
{
    struct tf_call call = {.coll = TF_BARRIER, .comm = comm, .root = last ? TF_LAST_BARRIER : 0};
    return tf_coll_run(&call);
}
