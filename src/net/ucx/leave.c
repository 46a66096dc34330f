/* leave.c - the end: everything that was sent arrives.
 *
 * Who has sent something to a process tells it when nothing more comes, and each process waits for that from all that
 * have sent something to it: an endpoint that is closed with something unread may lose what goes the other way.
 */
#include "net/ucx/ucx.h"

#include <sched.h>

enum { LAST_WORDS = 10 }; /* seconds */

/* Nothing is left to do for that link. */
static bool is_done(struct tf_ucx_link *link)
{
    struct tf_packets *packets = &link->packets;
    bool came = packets->number_in > 0 || packets->first;
    if (link->failure != UCS_OK || packets->base.peer->failed)
        return true;
    tf_ucx_drop_offers(link);
    tf_ucx_flush(link);
    if (tf_frames_unsent(&packets->frames, link->packets.base.peer))
        return false;
    if (link->endpoint && !link->said_last)
        tf_ucx_say_last(link);
    return link->under_way == 0 && link->offers == 0 && (!came || link->heard_last);
}

static bool all_done(void)
{
    bool done = true;
    for (struct tf_ucx_link *link = tf_ucx_used; link; link = link->next_used)
        done &= is_done(link);
    return done;
}

static void finish(ucs_status_ptr_t request, int64_t limit)
{
    if (!UCS_PTR_IS_PTR(request))
        return;
    while (tf_ucx.ucp_request_check_status(request) == UCS_INPROGRESS && tf_time() < limit)
        if (!tf_ucx.ucp_worker_progress(tf_ucx_worker))
            sched_yield();
    tf_ucx.ucp_request_free(request);
}

void tf_ucx_take_leave(void)
{
    ucp_request_param_t param = {0};
    int64_t limit = tf_time() + LAST_WORDS * TF_SECOND;
    while (!all_done() && tf_time() < limit)
        if (!tf_ucx.ucp_worker_progress(tf_ucx_worker))
            sched_yield();
    finish(tf_ucx.ucp_worker_flush_nbx(tf_ucx_worker, &param), limit);
}

void tf_ucx_close_endpoints(void)
{
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS, .flags = UCP_EP_CLOSE_FLAG_FORCE};
    int64_t limit = tf_time() + TF_SECOND;
    for (struct tf_ucx_link *link = tf_ucx_used; link; link = link->next_used)
        if (link->endpoint) {
            tf_ucx_forget_rkey(link);
            finish(tf_ucx.ucp_ep_close_nbx(link->endpoint, &param), limit);
        }
}
