/* complete.c - the wait and test families (MPI-5.0 sections 3.7.3, 3.7.5, 3.7.6).
 *
 * All of them are one idea: look which of an array of requests are complete, make progress until enough are, then
 * retire those: hand out their status and free them (persistent ones become inactive).
 */
#include "msg/await.h"
#include "msg/progress.h"
#include "msg/request.h"

/* Null and inactive requests count as complete with an empty status. */
static bool idle(const struct tf_request *request)
{
    return !request || !request->active;
}

static bool ended(const struct tf_request *request)
{
    return idle(request) || request->complete;
}

/* The requests behind the handles, NULL for null ones; err if one is not a request. */
static int resolve(int count, const MPI_Request *handles, struct tf_request **requests)
{
    for (int i = 0; i < count; i++) {
        requests[i] = NULL;
        if (handles[i] == MPI_REQUEST_NULL)
            continue;
        requests[i] = tf_pool_find(&tf_request_pool, (uintptr_t)handles[i]);
        if (TF_UNLIKELY(!requests[i]))
            return tf_error(MPI_ERR_REQUEST, "request %d of the array is %s", i,
                            tf_handle_describe(&tf_request_pool, (uintptr_t)handles[i]));
    }
    return MPI_SUCCESS;
}

/* A small array lives on the stack, a long one on the heap. */
enum { FEW = 64 };
struct set {
    int count;
    int found;     /* by look_through() */
    uint64_t ends; /* that there had been then */
    struct tf_request **requests;
    struct tf_request *few[FEW];
};

static int open_set(struct set *set, int count, const MPI_Request *handles)
{
    set->count = count;
    set->requests = count <= FEW ? set->few : tf_alloc((size_t)count * sizeof(struct tf_request *), "requests");
    if (!set->requests)
        return MPI_ERR_NO_MEM;
    int err = resolve(count, handles, set->requests);
    if (err && set->requests != set->few)
        free(set->requests);
    return err;
}

static void close_set(struct set *set)
{
    if (set->requests != set->few)
        free(set->requests);
}

/* Of one that is active. */
static int fill_status(struct tf_request *request, MPI_Status *status)
{
    if (TF_UNLIKELY(request->kind->query))
        return request->kind->query(request, status);
    tf_status_set(status, request->source, request->tag, request->bytes, request->cancelled);
    return request->error;
}

/* A request that is not persistent is NULL in its handle once it is retired: another handle of it in the same array has
 * become stale since the array was resolved. */
static bool is_repeated(const struct tf_request *request, MPI_Request handle)
{
    return request && !tf_pool_find(&tf_request_pool, (uintptr_t)handle);
}

static TF_COLD int refuse_repeated(MPI_Request *handle)
{
    int err =
        tf_error(MPI_ERR_REQUEST, "request 0x%lx is in the array more than once: the first of them has completed it",
                 (unsigned long)(uintptr_t)*handle);
    *handle = MPI_REQUEST_NULL;
    return err;
}

static int retire_idle(const struct tf_request *request, MPI_Request *handle, MPI_Status *status)
{
    tf_status_set_empty(status);
    return is_repeated(request, *handle) ? refuse_repeated(handle) : MPI_SUCCESS;
}

static TF_COLD void tell_error(struct tf_request *request, int err, struct tf_object **on)
{
    if (on && !*on)
        *on = tf_request_on(request);
    if (request->words)
        tf_error_record(err, "%s", request->words);
}

/* Hand out the status of an ended request, and free it or make it inactive.  Its error is returned, or else that of the
 * program's function which frees a generalized one. */
static int retire(struct tf_request *request, MPI_Request *handle, MPI_Status *status, struct tf_object **on)
{
    if (TF_UNLIKELY(idle(request)))
        return retire_idle(request, handle, status);
    int err = fill_status(request, status);
    if (TF_UNLIKELY(err)) {
        tell_error(request, err, on);
        if (request->raised) {
            tf_msg_glance(); /* this may be a loop that waits for it all the same */
            return err;
        }
    }
    request->active = false;
    if (TF_LIKELY(!request->persistent)) {
        int freed = tf_request_destroy(request);
        *handle = MPI_REQUEST_NULL;
        if (freed && !err)
            err = freed;
    }
    return err;
}

static void wait_for(struct tf_request *request, enum tf_awaited what, const void *object, const char *call)
{
    if (ended(request))
        return;
    tf_await_begin(what, object, call);
    tf_await_flag(&request->complete, request->peer);
}

static MPI_Status *status_at(MPI_Status *statuses, int i)
{
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

/* Status i has been filled, and its request ended with `err`.  The error fields are written if and only if the call
 * returns MPI_ERR_IN_STATUS (section 3.2.5): from the first error on, and then those before it too. */
static void note_error(int *result, int err, MPI_Status *statuses, int i)
{
    bool first = err && !*result;
    if (err)
        *result = MPI_ERR_IN_STATUS;
    if (!*result || statuses == MPI_STATUSES_IGNORE)
        return;
    for (int k = 0; first && k < i; k++)
        statuses[k].MPI_ERROR = MPI_SUCCESS;
    statuses[i].MPI_ERROR = err;
}

int tf_wait(MPI_Request *handle, MPI_Status *status, struct tf_object **on)
{
    if (*handle == MPI_REQUEST_NULL) {
        tf_status_set_empty(status);
        return MPI_SUCCESS;
    }
    struct tf_request *request = tf_request_get(*handle);
    if (!request)
        return MPI_ERR_REQUEST;
    wait_for(request, TF_AWAITS_REQUEST, request, "MPI_Wait");
    return retire(request, handle, status, on);
}

int tf_test(MPI_Request *handle, int *flag, MPI_Status *status, struct tf_object **on)
{
    struct tf_request *request = NULL;
    if (*handle != MPI_REQUEST_NULL && !(request = tf_request_get(*handle)))
        return MPI_ERR_REQUEST;
    if (!ended(request))
        tf_msg_glance();
    *flag = ended(request);
    return *flag ? retire(request, handle, status, on) : MPI_SUCCESS;
}

/* ---- all ---- */

static bool all_ended(const struct set *set)
{
    for (int i = 0; i < set->count; i++)
        if (!ended(set->requests[i]))
            return false;
    return true;
}

static int retire_all(struct set *set, MPI_Request *handles, MPI_Status *statuses, struct tf_object **on)
{
    int result = MPI_SUCCESS;
    for (int i = 0; i < set->count; i++)
        note_error(&result, retire(set->requests[i], &handles[i], status_at(statuses, i), on), statuses, i);
    return result;
}

int tf_waitall(int count, MPI_Request *handles, MPI_Status *statuses, struct tf_object **on)
{
    struct set set;
    int err = open_set(&set, count, handles);
    if (err)
        return err;
    struct tf_await_set all = {"MPI_Waitall", count, set.requests};
    for (int i = 0; i < count; i++)
        wait_for(set.requests[i], TF_AWAITS_ALL, &all, NULL);
    err = retire_all(&set, handles, statuses, on);
    close_set(&set);
    return err;
}

int tf_testall(int count, MPI_Request *handles, int *flag, MPI_Status *statuses, struct tf_object **on)
{
    struct set set;
    int err = open_set(&set, count, handles);
    if (err)
        return err;
    if (!all_ended(&set))
        tf_msg_glance();
    *flag = all_ended(&set);
    if (*flag)
        err = retire_all(&set, handles, statuses, on);
    close_set(&set);
    return err;
}

/* ---- any ---- */

/* The index of the active request that ended first, MPI_UNDEFINED if no request is active, -1 if all active ones are
 * under way.  The first to end, not the first of the array: then messages of one sender are told in the order in which
 * they were sent, on which programs count (HPC Challenge's RandomAccess), and no request is passed over for ever. */
static int find_ended(const struct set *set)
{
    const struct tf_request *first = NULL;
    int result = MPI_UNDEFINED;
    for (int i = 0; i < set->count; i++) {
        const struct tf_request *request = set->requests[i];
        if (idle(request))
            continue;
        if (!request->complete) {
            result = first ? result : -1;
        } else if (!first || request->order < first->order) {
            first = request;
            result = i;
        }
    }
    return result;
}

static void look_through(struct set *set)
{
    set->ends = tf_request_ends;
    set->found = find_ended(set);
}

static bool one_ended(void *state, bool *moved)
{
    struct set *set = state;
    (void)moved;
    if (set->ends != tf_request_ends)
        look_through(set);
    return set->found != -1;
}

/* As find_ended(), but not -1. */
static int wait_for_one(struct set *set, const char *call)
{
    look_through(set);
    if (set->found == -1) {
        struct tf_await_set any = {call, set->count, set->requests};
        tf_await(TF_AWAITS_ANY, &any, one_ended, set);
    }
    return set->found;
}

/* The same after a glance at most, and -1 if none has ended even so. */
static int look_for_one(struct set *set)
{
    look_through(set);
    if (set->found == -1) {
        tf_msg_glance();
        one_ended(set, NULL);
    }
    return set->found;
}

static int retire_any(struct set *set, int found, MPI_Request *handles, int *index, MPI_Status *status,
                      struct tf_object **on)
{
    *index = found;
    if (found == MPI_UNDEFINED) {
        tf_status_set_empty(status);
        return MPI_SUCCESS;
    }
    return retire(set->requests[found], &handles[found], status, on);
}

int tf_waitany(int count, MPI_Request *handles, int *index, MPI_Status *status, struct tf_object **on)
{
    struct set set;
    int err = open_set(&set, count, handles);
    if (err)
        return err;
    err = retire_any(&set, wait_for_one(&set, "MPI_Waitany"), handles, index, status, on);
    close_set(&set);
    return err;
}

int tf_testany(int count, MPI_Request *handles, int *index, int *flag, MPI_Status *status, struct tf_object **on)
{
    struct set set;
    int err = open_set(&set, count, handles);
    if (err)
        return err;
    int found = look_for_one(&set);
    *flag = found != -1;
    *index = MPI_UNDEFINED;
    if (*flag)
        err = retire_any(&set, found, handles, index, status, on);
    close_set(&set);
    return err;
}

/* ---- some ---- */

static int retire_some(struct set *set, MPI_Request *handles, int *outcount, int *indices, MPI_Status *statuses,
                       struct tf_object **on)
{
    int n = 0, result = MPI_SUCCESS;
    for (int i = 0; i < set->count; i++) {
        if (idle(set->requests[i]) ? !is_repeated(set->requests[i], handles[i]) : !set->requests[i]->complete)
            continue;
        note_error(&result, retire(set->requests[i], &handles[i], status_at(statuses, n), on), statuses, n);
        indices[n++] = i;
    }
    *outcount = n;
    return result;
}

static int complete_some(int incount, MPI_Request *handles, int *outcount, int *indices, MPI_Status *statuses,
                         struct tf_object **on, bool patient)
{
    struct set set;
    int err = open_set(&set, incount, handles);
    if (err)
        return err;
    int found = patient ? wait_for_one(&set, "MPI_Waitsome") : look_for_one(&set);
    if (found == MPI_UNDEFINED)
        *outcount = MPI_UNDEFINED;
    else
        err = retire_some(&set, handles, outcount, indices, statuses, on);
    close_set(&set);
    return err;
}

int tf_waitsome(int incount, MPI_Request *handles, int *outcount, int *indices, MPI_Status *statuses,
                struct tf_object **on)
{
    return complete_some(incount, handles, outcount, indices, statuses, on, true);
}

int tf_testsome(int incount, MPI_Request *handles, int *outcount, int *indices, MPI_Status *statuses,
                struct tf_object **on)
{
    return complete_some(incount, handles, outcount, indices, statuses, on, false);
}

/* ---- the same without retiring anything (section 3.7.6) ---- */

static void look_at_nothing(MPI_Status *status)
{
    tf_status_set_empty(status);
    if (status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = MPI_SUCCESS;
}

/* The status of an ended request that stays.  How it ended is told when it is retired: an error here is one of the
 * program's function that describes a generalized one. */
static int look(struct tf_request *request, MPI_Status *status)
{
    if (idle(request)) {
        look_at_nothing(status);
        return MPI_SUCCESS;
    }
    int err = fill_status(request, status);
    return request->kind->query ? err : MPI_SUCCESS;
}

int tf_request_get_status(MPI_Request handle, int *flag, MPI_Status *status)
{
    struct tf_request *request = NULL;
    if (handle != MPI_REQUEST_NULL && !(request = tf_request_get(handle)))
        return MPI_ERR_REQUEST;
    if (!ended(request))
        tf_msg_glance();
    *flag = ended(request);
    return *flag ? look(request, status) : MPI_SUCCESS;
}

int tf_request_get_status_all(int count, const MPI_Request *handles, int *flag, MPI_Status *statuses)
{
    struct set set;
    int err = open_set(&set, count, handles);
    if (err)
        return err;
    if (!all_ended(&set))
        tf_msg_glance();
    *flag = all_ended(&set);
    for (int i = 0; *flag && i < count; i++)
        note_error(&err, look(set.requests[i], status_at(statuses, i)), statuses, i);
    close_set(&set);
    return err;
}

int tf_request_get_status_any(int count, const MPI_Request *handles, int *index, int *flag, MPI_Status *status)
{
    struct set set;
    int err = open_set(&set, count, handles);
    if (err)
        return err;
    int found = look_for_one(&set);
    *flag = found != -1;
    *index = *flag ? found : MPI_UNDEFINED;
    if (found >= 0)
        err = look(set.requests[found], status);
    else if (*flag)
        look_at_nothing(status);
    close_set(&set);
    return err;
}

int tf_request_get_status_some(int incount, const MPI_Request *handles, int *outcount, int *indices,
                               MPI_Status *statuses)
{
    struct set set;
    int err = open_set(&set, incount, handles);
    if (err)
        return err;
    int found = look_for_one(&set), n = 0;
    for (int i = 0; i < incount; i++) {
        if (idle(set.requests[i]) || !set.requests[i]->complete)
            continue;
        note_error(&err, look(set.requests[i], status_at(statuses, n)), statuses, n);
        indices[n++] = i;
    }
    *outcount = found == MPI_UNDEFINED ? MPI_UNDEFINED : n;
    close_set(&set);
    return err;
}
