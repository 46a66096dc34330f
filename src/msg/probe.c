/* probe.c - probe and matched probe (MPI-5.0 section 3.8).
 *
 * A matched message is taken out of the communicator's queue and kept in a message object until it is received.
 */
#include "msg/await.h"
#include "msg/lost.h"
#include "msg/match.h"
#include "msg/progress.h"
#include "msg/request.h"

struct message {
    struct tf_object obj;
    struct tf_comm *comm; /* holds a reference */
    struct tf_unexpected *message;
};
struct tf_pool tf_message_pool = {
    .what = "message",
    .kind = TF_KIND_MESSAGE,
    .size = sizeof(struct message),
};

/* What is told of is what the next receive gets (MPI-5.0 section 3.8.1). */
static void describe(struct tf_unexpected *message, MPI_Status *status)
{
    message->header.flags |= TF_FLAG_TOLD;
    tf_status_set(status, (int)message->header.source, message->header.tag, (MPI_Count)message->facts.total, false);
}

static struct tf_unexpected *look(int source, int tag, struct tf_comm *comm, bool take)
{
    struct tf_unexpected *message = tf_match_find(comm, source, tag, take);
    if (message)
        return message;
    tf_msg_glance();
    return tf_match_find(comm, source, tag, take);
}

struct probe {
    struct tf_await_probe sought;
    bool take;
    struct tf_unexpected *found;
};

/* Whether nothing comes any more, or the program has to know of a failure first. */
static bool is_hopeless(int source, const struct tf_comm *comm)
{
    if (TF_LIKELY(!comm->match->broken))
        return false;
    return comm->match->broken == MPIX_ERR_REVOKED ||
           (source == MPI_ANY_SOURCE ? tf_lost_any(comm) : tf_failure_is(comm->peers[source]));
}

static int despair(int source, const struct tf_comm *comm)
{
    if (comm->match->broken == MPIX_ERR_REVOKED)
        return tf_lost_broken(comm);
    return source == MPI_ANY_SOURCE ? tf_lost_wild(comm, MPIX_ERR_PROC_FAILED)
                                    : tf_lost_error(comm, comm->peers[source]);
}

static bool is_there(void *state, bool *moved)
{
    struct probe *p = state;
    (void)moved;
    p->found = tf_match_find(p->sought.comm, p->sought.source, p->sought.tag, p->take);
    return p->found || is_hopeless(p->sought.source, p->sought.comm);
}

static struct tf_unexpected *wait_for(int source, int tag, struct tf_comm *comm, bool take)
{
    struct probe probe = {
        {take ? "MPI_Mprobe" : "MPI_Probe", comm, source, tag}, take, tf_match_find(comm, source, tag, take)};
    if (!probe.found)
        tf_await(TF_AWAITS_PROBE, &probe.sought, is_there, &probe);
    return probe.found;
}

int tf_probe(int source, int tag, struct tf_comm *comm, MPI_Status *status)
{
    if (source == MPI_PROC_NULL) {
        tf_status_set_proc_null(status);
        return MPI_SUCCESS;
    }
    struct tf_unexpected *found = wait_for(source, tag, comm, false);
    if (!found)
        return despair(source, comm);
    describe(found, status);
    return MPI_SUCCESS;
}

int tf_iprobe(int source, int tag, struct tf_comm *comm, int *flag, MPI_Status *status)
{
    if (source == MPI_PROC_NULL) {
        *flag = 1;
        tf_status_set_proc_null(status);
        return MPI_SUCCESS;
    }
    struct tf_unexpected *message = look(source, tag, comm, false);
    if (!message && is_hopeless(source, comm))
        return despair(source, comm);
    *flag = message != NULL;
    if (message)
        describe(message, status);
    return MPI_SUCCESS;
}

static int keep(struct tf_unexpected *found, struct tf_comm *comm, MPI_Message *handle, MPI_Status *status)
{
    struct message *object = tf_pool_take(&tf_message_pool);
    if (!object)
        tf_fatal(1, "no memory for a matched message");
    object->comm = comm;
    object->message = found;
    tf_comm_retain(comm);
    describe(found, status);
    *handle = (MPI_Message)(uintptr_t)object->obj.handle;
    return MPI_SUCCESS;
}

static int keep_no_proc(MPI_Message *handle, MPI_Status *status)
{
    *handle = MPI_MESSAGE_NO_PROC;
    tf_status_set_proc_null(status);
    return MPI_SUCCESS;
}

int tf_mprobe(int source, int tag, struct tf_comm *comm, MPI_Message *message, MPI_Status *status)
{
    if (source == MPI_PROC_NULL)
        return keep_no_proc(message, status);
    struct tf_unexpected *found = wait_for(source, tag, comm, true);
    return found ? keep(found, comm, message, status) : despair(source, comm);
}

int tf_improbe(int source, int tag, struct tf_comm *comm, int *flag, MPI_Message *message, MPI_Status *status)
{
    *flag = 1;
    if (source == MPI_PROC_NULL)
        return keep_no_proc(message, status);
    struct tf_unexpected *found = look(source, tag, comm, true);
    if (found)
        return keep(found, comm, message, status);
    if (is_hopeless(source, comm))
        return despair(source, comm);
    *flag = 0;
    return MPI_SUCCESS;
}

/* ---- receiving a matched message ---- */

int tf_imrecv(void *buf, MPI_Count count, struct tf_type *type, MPI_Message *handle, struct tf_object **on,
              MPI_Request *request)
{
    struct tf_end from = {buf, count, type, MPI_PROC_NULL, MPI_ANY_TAG};
    if (*handle == MPI_MESSAGE_NO_PROC) {
        *handle = MPI_MESSAGE_NULL;
        return tf_point_begin_recv(&from, NULL, tf_comm_self, request);
    }
    struct message *object = tf_pool_find(&tf_message_pool, (uintptr_t)*handle);
    if (!object)
        return tf_error(MPI_ERR_REQUEST, "message is %s", tf_handle_describe(&tf_message_pool, (uintptr_t)*handle));
    struct tf_comm *comm = object->comm;
    from.rank = (int)object->message->header.source;
    from.tag = object->message->header.tag;
    *on = comm->freed ? NULL : &comm->obj;
    int err = tf_point_begin_recv(&from, object->message, comm, request);
    if (err) /* it can be received later */
        return err;
    tf_pool_give(&tf_message_pool, object);
    tf_comm_release(comm);
    *handle = MPI_MESSAGE_NULL;
    return MPI_SUCCESS;
}

int tf_mrecv(void *buf, MPI_Count count, struct tf_type *type, MPI_Message *handle, MPI_Status *status,
             struct tf_object **on)
{
    MPI_Request request;
    int err = tf_imrecv(buf, count, type, handle, on, &request);
    return err ? err : tf_wait(&request, status, on);
}
