/* request.c - the life of a request: create, start, free, cancel.
 */
#include "msg/request.h"

#include "base/settings.h"
#include "msg/lost.h"
#include "msg/match.h"
#include "msg/progress.h"
#include "msg/thread.h"

uint64_t tf_request_ends;
static char *chunks[TF_POOL_CHUNKS];

struct tf_pool tf_request_pool = {
    .what = "request",
    .kind = TF_KIND_REQUEST,
    .size = sizeof(struct tf_request),
    .used_as_is = sizeof(struct tf_request) - offsetof(struct tf_request, point.send),
    .chunks = chunks,
    .lasting = true,
};

struct tf_request *tf_request_create(const struct tf_request_kind *kind, struct tf_comm *comm)
{
    struct tf_request *request = tf_pool_take(&tf_request_pool);
    if (!request)
        return NULL;
    request->kind = kind;
    request->comm = comm;
    if (comm)
        tf_comm_retain(comm);
    return request;
}

/* ---- what hangs on a request ---- */

static void tell_started(const struct tf_request *request)
{
    for (struct tf_request_watch *watch = request->watches; watch; watch = watch->next)
        if (watch->started)
            watch->started(watch->context);
}

static void tell_completed(const struct tf_request *request)
{
    for (struct tf_request_watch *watch = request->watches; watch; watch = watch->next)
        if (watch->completed)
            watch->completed(watch->context);
}

static void drop_watches(struct tf_request *request)
{
    while (request->watches) {
        struct tf_request_watch *watch = request->watches;
        request->watches = watch->next;
        if (watch->destructor)
            watch->destructor(watch->context);
        free(watch);
    }
}

int tf_request_attach_x(MPI_Request handle, MPIX_Request_function_x *started, MPIX_Request_function_x *completed,
                        MPIX_Destructor_function *destructor, void *context)
{
    struct tf_request *request = tf_request_get(handle);
    if (!request)
        return MPI_ERR_REQUEST;
    struct tf_request_watch *watch = tf_alloc(sizeof *watch, "functions of a request");
    if (!watch)
        return MPI_ERR_NO_MEM;
    *watch = (struct tf_request_watch){started, completed, destructor, context, request->watches};
    request->watches = watch;
    if (request->active && request->complete && completed)
        completed(context);
    return MPI_SUCCESS;
}

/* ---- its life ---- */

int tf_request_destroy(struct tf_request *request)
{
    struct tf_comm *comm = request->comm;
    int err = MPI_SUCCESS;
    drop_watches(request);
    if (request->kind->release)
        err = request->kind->release(request);
    if (TF_UNLIKELY(request->words))
        free(request->words);
    tf_pool_give(&tf_request_pool, request);
    if (comm)
        tf_comm_release(comm);
    return err;
}

struct tf_request *tf_request_get(MPI_Request handle)
{
    struct tf_request *request = tf_pool_find(&tf_request_pool, (uintptr_t)handle);
    if (!request)
        tf_error(MPI_ERR_REQUEST, "request is %s", tf_handle_describe(&tf_request_pool, (uintptr_t)handle));
    return request;
}

int tf_request_begin(struct tf_request *request)
{
    request->active = true;
    request->complete = request->cancelled = request->raised = request->told = false;
    request->parts = 1;
    request->error = MPI_SUCCESS;
    request->source = MPI_ANY_SOURCE;
    request->tag = MPI_ANY_TAG;
    request->bytes = 0;
    int err = request->kind->start(request);
    if (err)
        request->active = false;
    else if (!request->complete)
        tf_msg_thread_wake();
    return err;
}

/* Another thread, or a later call, reports the error. */
static TF_COLD void keep_words(struct tf_request *request)
{
    const char *words = tf_error_text(request->error);
    free(request->words);
    request->words = words ? strdup(words) : NULL;
}

void tf_request_raise(struct tf_request *request, int err)
{
    if (request->raised || request->complete)
        return;
    request->error = err;
    keep_words(request);
    request->complete = request->raised = true;
    tf_request_ends++;
}

void tf_request_lower(struct tf_request *request)
{
    if (!request->raised)
        return;
    request->complete = request->raised = false;
    request->error = MPI_SUCCESS;
}

void tf_request_reopen(struct tf_request *request)
{
    request->told = true;
    request->complete = false;
    request->parts = 1;
}

void tf_request_part_done(struct tf_request *request)
{
    if (--request->parts > 0)
        return;
    if (TF_UNLIKELY(request->watches) && !request->told)
        tell_completed(request);
    request->complete = true;
    request->order = ++tf_request_ends;
    if (TF_UNLIKELY(request->error))
        keep_words(request);
    if (!request->abandoned)
        return;
    request->active = false;
    tf_request_destroy(request);
}

static int start_nothing(struct tf_request *request)
{
    tf_request_part_done(request);
    return MPI_SUCCESS;
}

int tf_request_finished(struct tf_comm *comm, MPI_Request *handle)
{
    static const struct tf_request_kind nothing = {.name = "finished", .start = start_nothing};
    struct tf_request *request = tf_request_create(&nothing, comm);
    if (!request)
        return MPI_ERR_NO_MEM;
    tf_request_begin(request);
    *handle = tf_request_handle(request);
    return MPI_SUCCESS;
}

bool tf_request_under_way(const struct tf_comm *comm)
{
    for (uint32_t i = 0; i < tf_request_pool.used; i++) {
        const char *chunk = tf_request_pool.chunks[i / TF_POOL_CHUNK];
        const struct tf_request *r = (const void *)(chunk + (size_t)(i % TF_POOL_CHUNK) * tf_request_pool.size);
        if (r->obj.handle && r->comm == comm && r->active && !r->complete)
            return true;
    }
    return false;
}

/* MPI-5.0 sections 6.12 and 4.2.1: erroneous. */
static int refuse_to_end(const struct tf_request *request, const char *what)
{
    return tf_error(MPI_ERR_REQUEST,
                    "the request is of a %s operation %s, which cannot be %s; complete it with a wait or test",
                    request->kind->collective ? "collective" : "partitioned",
                    request->complete ? "that nobody has waited for" : "under way", what);
}

static bool is_to_be_completed(const struct tf_request_kind *kind)
{
    return kind->collective || kind->partitioned;
}

int tf_request_abandon(MPI_Request *handle)
{
    struct tf_request *request = tf_request_get(*handle);
    *handle = MPI_REQUEST_NULL;
    tf_request_lower(request);
    if (!request->active || request->complete)
        return tf_request_destroy(request);
    request->abandoned = true;
    return MPI_SUCCESS;
}

int tf_request_free(MPI_Request *handle, struct tf_object **on)
{
    struct tf_request *request = tf_request_get(*handle);
    if (!request)
        return MPI_ERR_REQUEST;
    *on = tf_request_on(request);
    if (is_to_be_completed(request->kind) && request->active) {
        if (!request->complete)
            tf_msg_progress(); /* it may have ended, and nobody has looked */
        if (!request->complete || tf_settings.check == TF_CHECK_STRICT)
            return refuse_to_end(request, "freed");
    }
    return tf_request_abandon(handle);
}

static int check_start(const struct tf_request *request, struct tf_object **on)
{
    if (!request)
        return MPI_ERR_REQUEST;
    *on = tf_request_on(request);
    if (!request->persistent)
        return tf_error(MPI_ERR_REQUEST, "request is not persistent (%s); only those of MPI_..._init can be started",
                        request->kind->name);
    if (request->active)
        return tf_error(MPI_ERR_REQUEST, "the persistent request is already active; it must be completed first");
    if (request->comm && TF_UNLIKELY(request->comm->match->broken == MPIX_ERR_REVOKED))
        return tf_lost_broken(request->comm);
    return MPI_SUCCESS;
}

int tf_start(MPI_Request *handle, struct tf_object **on)
{
    struct tf_request *request = tf_request_get(*handle);
    int err = check_start(request, on);
    if (err)
        return err;
    if (request->watches)
        tell_started(request);
    return tf_request_begin(request);
}

int tf_startall(int count, MPI_Request *requests, struct tf_object **on)
{
    int err = MPI_SUCCESS;
    for (int i = 0; i < count && !err; i++)
        err = check_start(tf_request_get(requests[i]), on); /* before any is started */
    for (int i = 0; i < count && !err; i++)
        err = tf_start(&requests[i], on);
    return err;
}

int tf_cancel(MPI_Request *handle, struct tf_object **on)
{
    struct tf_request *request = tf_request_get(*handle);
    if (!request)
        return MPI_ERR_REQUEST;
    *on = tf_request_on(request);
    tf_request_lower(request);
    if (request->persistent && !request->active)
        return tf_error(MPI_ERR_REQUEST, "the persistent request is not active; there is nothing to cancel");
    if (is_to_be_completed(request->kind))
        return refuse_to_end(request, "cancelled");
    return request->kind->cancel ? request->kind->cancel(request, request->complete) : MPI_SUCCESS;
}
