/* generalized.c - generalized requests: operations that the program itself carries out (MPI-5.0 section 13.2).
 */
#include "msg/request.h"

static int start(struct tf_request *request)
{
    (void)request;
    return MPI_SUCCESS;
}

static int release(struct tf_request *request)
{
    bool lent = tf_lock_lend();
    int err = request->general.free ? request->general.free(request->general.state) : MPI_SUCCESS;
    tf_lock_take_back(lent);
    return err;
}

static int query(struct tf_request *request, MPI_Status *status)
{
    MPI_Status ignored;
    MPI_Status *given = status == MPI_STATUS_IGNORE ? &ignored : status;
    tf_status_set_empty(given);
    bool lent = tf_lock_lend();
    int err = request->general.query ? request->general.query(request->general.state, given) : MPI_SUCCESS;
    tf_lock_take_back(lent);
    return err;
}

static int cancel(struct tf_request *request, bool complete)
{
    bool lent = tf_lock_lend();
    int err = request->general.cancel ? request->general.cancel(request->general.state, complete) : MPI_SUCCESS;
    tf_lock_take_back(lent);
    return err;
}

static const struct tf_request_kind general_kind = {
    .name = "generalized",
    .start = start,
    .release = release,
    .query = query,
    .cancel = cancel,
};

int tf_grequest_start(MPI_Grequest_query_function *query_fn, MPI_Grequest_free_function *free_fn,
                      MPI_Grequest_cancel_function *cancel_fn, void *extra_state, MPI_Request *handle)
{
    struct tf_request *request = tf_request_create(&general_kind, NULL);
    if (!request)
        return MPI_ERR_NO_MEM;
    request->general.query = query_fn;
    request->general.free = free_fn;
    request->general.cancel = cancel_fn;
    request->general.state = extra_state;
    tf_request_begin(request);
    *handle = tf_request_handle(request);
    return MPI_SUCCESS;
}

int tf_grequest_complete(MPI_Request handle)
{
    struct tf_request *request = tf_request_get(handle);
    if (!request)
        return MPI_ERR_REQUEST;
    if (request->kind != &general_kind)
        return tf_error(MPI_ERR_REQUEST, "request is not a generalized one (%s)", request->kind->name);
    if (request->complete)
        return tf_error(MPI_ERR_REQUEST, "the generalized request is complete already");
    tf_request_part_done(request);
    tf_pause_wake(tf_pause_asleep); /* another thread may have gone to sleep waiting for it */
    return MPI_SUCCESS;
}
