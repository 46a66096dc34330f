/* nonblocking.c - collectives with a request: a run of their own, with a choice of their own.
 *
 *     nonblocking tf_coll_begin
 *     persistent  tf_coll_prepare   bound anew and started at each MPI_Start
 */
#include "coll/choice.h"
#include "msg/match.h"
#include "msg/progress.h"
#include "msg/request.h"

struct coll_request {
    struct tf_standing s; /* first, so that others find its run; holds references to the operator and the types */
    struct tf_room room;
    uint32_t since;     /* the age of the communicator's room as it was bound: it stands while that is the same too */
    bool bound;         /* as it is to be started */
    MPI_Count *parcels; /* bytes of those of its plan, or NULL */
    bool is_wide;
    struct tf_exact exact;
    int broken; /* the error that an operation of it ended with; a persistent one is not started again */
    struct tf_request *request;
    int (*done)(void *context, int err);
    void *context;
    struct coll_request *next; /* of those that are kept for later calls */
};

/* ---- kept ones ----
 * A communicator keeps a few that have ended, as they were bound, with the memory that their runs have. */

enum { KEPT = 16, KEPT_SCRATCH = 64 * 1024 };

static bool is_again(const struct tf_colls *colls, const struct coll_request *c, const struct tf_call *call)
{
    return c->s.age == c->room.age && c->since == colls->standings.room.age && tf_standing_is(&c->s, call);
}

static struct coll_request *take_from(struct tf_colls *colls, struct coll_request **place)
{
    struct coll_request *c = *place;
    *place = c->next;
    colls->nkept--;
    return c;
}

/* One that was bound for such a call, NULL: none is kept. */
static struct coll_request *take_again(struct tf_colls *colls, const struct tf_call *call)
{
    struct coll_request **place = &colls->kept;
    while (*place && !is_again(colls, *place, call))
        place = &(*place)->next;
    return *place ? take_from(colls, place) : NULL;
}

static void destroy(struct tf_colls *colls, struct coll_request *c)
{
    tf_standing_drop_plan(&c->s, colls->plans);
    tf_run_clear(&c->s.run);
    tf_room_clear(&c->room);
    tf_exact_free(&c->exact);
    free(c);
}

/* One that is bound for nothing. */
static struct coll_request *take(struct tf_colls *colls)
{
    if (!colls->kept) {
        struct coll_request *c = calloc(1, sizeof *c);
        if (c) {
            c->room.age = 1;
            c->s.run.room = &c->room;
        }
        return c;
    }
    struct coll_request *c = take_from(colls, &colls->kept);
    tf_standing_drop_plan(&c->s, colls->plans);
    tf_standing_reset(&c->s);
    c->bound = false;
    return c;
}

static void give(struct tf_colls *colls, struct coll_request *c)
{
    bool common = c->room.scratch_cap <= KEPT_SCRATCH && !c->is_wide && !c->s.run.types;
    if (colls->nkept == KEPT || !common) {
        destroy(colls, c);
        return;
    }
    c->next = colls->kept;
    colls->kept = c;
    colls->nkept++;
}

void tf_coll_forget_kept(struct tf_colls *colls)
{
    while (colls->nkept > 0)
        destroy(colls, take_from(colls, &colls->kept));
}

/* ---- their runs ---- */

static void note(const struct tf_run *run, struct tf_comm *comm)
{
    tf_accord_note(tf_accord_of(comm), run->sequence, &run->terms);
    comm->colls->standings.noted = NULL;
}

static void finished(struct tf_task *task)
{
    struct coll_request *c = TF_CONTAINER(task, struct coll_request, s.run.task);
    struct tf_request *request = c->request;
    request->error = c->broken = c->s.run.error;
    if (tf_choice_is_told(&c->s.call))
        tf_choice_tell(TF_NEWS_ENDED, &c->s.call, c->s.algorithm, c->s.run.sequence, c->s.run.error);
    if (c->is_wide && !request->error)
        tf_exact_close(&c->exact);
    if (c->done)
        request->error = c->done(c->context, request->error);
    tf_request_part_done(request);
}

/* What the other ranks have sent meanwhile may be of either start, so that nothing could be told from it. */
static TF_COLD int refuse(const struct coll_request *c)
{
    return tf_error(
        c->broken,
        "this persistent %s has failed when it was started before; free the request and make a new one on all "
        "ranks",
        tf_coll_name(c->s.call.coll));
}

/* A persistent one need not be bound at each start, nor one that comes again.  (How a program's operator is called
 * depends on whether there are threads by then.) */
static int bind(const struct tf_request *request, struct coll_request *c)
{
    int err = tf_choice_bind(&c->s.run, &c->s.call, c->s.plan);
    if (err)
        return err;
    bool stands = tf_standing_know(&c->s);
    c->bound = stands && (!c->s.run.op || c->s.run.kernel);
    if (stands && !request->persistent && !c->is_wide) {
        c->s.age = c->room.age;
        c->since = c->s.call.comm->colls->standings.room.age;
    }
    return MPI_SUCCESS;
}

static int start_coll(struct tf_request *request)
{
    struct coll_request *c = request->coll.run;
    int err = c->broken ? refuse(c) : MPI_SUCCESS;
    if (c->is_wide && !err)
        tf_exact_open(&c->exact);
    if (!request->persistent) {
        c->s.run.sequence = tf_choice_number(c->s.call.comm);
        note(&c->s.run, c->s.call.comm);
    }
    if (!err && !c->bound)
        err = bind(request, c);
    if (!err && tf_choice_is_told(&c->s.call))
        tf_choice_tell(TF_NEWS_BEGUN, &c->s.call, c->s.algorithm, c->s.run.sequence, MPI_SUCCESS);
    if (err)
        err = tf_choice_give_up(c->s.call.comm, c->s.run.sequence, err);
    else
        err = tf_exec_begin(&c->s.run, finished);
    if (TF_UNLIKELY(err))
        c->broken = err;
    return err;
}

static int release_coll(struct tf_request *request)
{
    struct coll_request *c = request->coll.run;
    tf_choice_let_go(&c->s.run, &c->s.call);
    free(c->parcels);
    c->parcels = NULL;
    give(c->s.call.comm->colls, c);
    return MPI_SUCCESS;
}

static const struct tf_request_kind coll_kind = {
    .name = "collective",
    .collective = true,
    .plan = true,
    .start = start_coll,
    .release = release_coll,
};

static void set_terms(struct coll_request *c, enum tf_form form, size_t bytes, uint32_t algorithm)
{
    c->s.run.terms = tf_choice_terms(&c->s.call, form, bytes, algorithm);
    c->s.run.fingerprint = c->s.run.terms.fingerprint;
}

static int learn_sizes(struct coll_request *c)
{
    const struct tf_plan *plan = c->s.plan;
    if (plan->parcels) {
        c->parcels = tf_alloc((size_t)plan->nblocks * sizeof *c->parcels, "the parcels of a collective");
        if (!c->parcels)
            return MPI_ERR_NO_MEM;
        c->s.run.parcels = c->parcels;
    }
    return tf_near_sizes(&c->s.call, plan, c->parcels);
}

/* Where other ranks have to be asked before there is a plan, that is by messages of this call: its terms are without
 * the algorithm then, from then on, as who asks has none yet while others go on. */
static int choose_and_ask(struct coll_request *c, uint32_t sequence)
{
    struct tf_near *near = &c->s.call.comm->colls->near;
    struct tf_choice own = {.plan = NULL};
    c->s.algorithm = 0;
    c->s.run.sequence = sequence;
    set_terms(c, TF_FORM_PERSISTENT, tf_choice_bytes(&c->s.call), 0);
    note(&c->s.run, c->s.call.comm);
    near->call = &c->s.call;
    near->run = &c->s.run;
    near->asked = false;
    int err = tf_choice_make(&c->s.call, 0, &own);
    c->s.plan = own.plan;
    c->s.algorithm = own.algorithm;
    if (!err && tf_algos[c->s.algorithm >> 16].traits & TF_NEEDS_PERSISTENT)
        err = learn_sizes(c);
    near->call = NULL;
    return err;
}

/* Its plan, and what it is to others. */
static int choose(struct coll_request *c, const struct tf_call *call, enum tf_form form, uint32_t sequence)
{
    int err = MPI_SUCCESS;
    c->s.call = *call;
    if (form == TF_FORM_NONBLOCKING)
        tf_coll_sends_less(call, &c->s.call);
    c->is_wide = tf_exact_widens(call);
    if (c->is_wide)
        err = tf_exact_prepare(&c->exact, call, &c->s.call);
    call = &c->s.call;
    size_t bytes = tf_choice_bytes(call);
    if (!err && tf_choice_has_types(call))
        err = tf_choice_types(&c->s.run, call);
    c->s.run.types_kept = true; /* the program may free its handles once the call has begun */
    tf_choice_hold(&c->s.run, call);
    bool may_ask = form == TF_FORM_PERSISTENT && tf_coll_is_neighbor(call->coll);
    if (!err)
        err = may_ask ? choose_and_ask(c, sequence) : tf_choice_take(call, bytes, &c->s.plan, &c->s.algorithm);
    if (!may_ask || !call->comm->colls->near.asked)
        set_terms(c, form, bytes, c->s.algorithm);
    return err;
}

/* `told` is the communicator that the request is of and whose error handler hears of its errors. */
static int create(const struct tf_call *call, enum tf_form form, uint32_t sequence, struct tf_comm *told,
                  struct tf_request **request_p, struct coll_request **c_p)
{
    struct tf_colls *colls = call->comm->colls;
    int err = tf_choice_check(call);
    if (err)
        return err;
    struct tf_request *request = tf_request_create(&coll_kind, told);
    if (!request)
        return MPI_ERR_NO_MEM;
    struct coll_request *again = form == TF_FORM_NONBLOCKING ? take_again(colls, call) : NULL;
    struct coll_request *c = again ? again : take(colls);
    if (!c) {
        tf_pool_give(&tf_request_pool, request);
        tf_comm_release(told);
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate a nonblocking collective");
    }
    c->done = NULL;
    c->broken = MPI_SUCCESS;
    c->request = request;
    request->coll.run = c;
    if (again) {
        c->bound = true;
        tf_standing_place(&c->s, call);
        tf_choice_hold(&c->s.run, call);
    } else {
        err = choose(c, call, form, sequence);
    }
    if (err) {
        tf_request_destroy(request);
        return err;
    }
    *request_p = request;
    *c_p = c;
    return MPI_SUCCESS;
}

static int begin(const struct tf_call *call, struct tf_comm *told, int (*done)(void *, int), void *context,
                 MPI_Request *handle)
{
    struct tf_request *request;
    struct coll_request *c;
    int err = create(call, TF_FORM_NONBLOCKING, 0, told, &request, &c);
    if (err)
        return tf_coll_give_up(call->comm, err);
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
    /* They may be started in different orders on different ranks (MPI-5.0 section 6.13): the number is their own. */
    uint32_t sequence = tf_choice_number(call->comm) | TF_SEQUENCE_PERSISTENT;
    int err = create(call, TF_FORM_PERSISTENT, sequence, call->comm, &request, &c);
    if (err)
        return tf_choice_give_up(call->comm, sequence, err);
    request->persistent = true;
    c->s.run.sequence = sequence;
    note(&c->s.run, call->comm);
    *handle = tf_request_handle(request);
    return MPI_SUCCESS;
}

int tf_coll_max_then(struct tf_comm *comm, enum tf_caller caller, uint64_t *word, int (*done)(void *context, int err),
                     void *context, MPI_Request *request)
{
    struct tf_call call = tf_coll_max_call(comm->joint, caller, MPI_IN_PLACE, word);
    return begin(&call, comm, done, context, request);
}
