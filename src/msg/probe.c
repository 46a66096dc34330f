/* probe.c - probe and matched probe (MPI-5.0 section 3.8).
 *
 * A matched message is taken out of the communicator's queue and kept in a message object until it is received.
 */
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

static void describe(const struct tf_unexpected *message, MPI_Status *status)
{
    tf_status_set(status, (int)message->header.source, message->header.tag, (MPI_Count)message->facts.total, false);
}

static struct tf_unexpected *look(int source, int tag, struct tf_comm *comm, bool take)
{
    struct tf_unexpected *message = tf_match_find(comm, source, tag, take);
    if (message)
        return message;
    tf_msg_progress();
    return tf_match_find(comm, source, tag, take);
}

static struct tf_unexpected *wait_for(int source, int tag, struct tf_comm *comm, bool take)
{
    struct tf_unexpected *message;
    struct tf_wait wait = TF_WAIT_INIT;
    tf_waiting_begin(TF_WAITS_PROBE, comm, NULL);
    while (!(message = tf_match_find(comm, source, tag, take)))
        tf_msg_step(&wait);
    tf_waiting_end();
    tf_wait_reset(&wait);
    return message;
}

int tf_probe(int source, int tag, struct tf_comm *comm, MPI_Status *status)
{
    if (source == MPI_PROC_NULL)
        tf_status_set_proc_null(status);
    else
        describe(wait_for(source, tag, comm, false), status);
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
    return keep(wait_for(source, tag, comm, true), comm, message, status);
}

int tf_improbe(int source, int tag, struct tf_comm *comm, int *flag, MPI_Message *message, MPI_Status *status)
{
    *flag = 1;
    if (source == MPI_PROC_NULL)
        return keep_no_proc(message, status);
    struct tf_unexpected *found = look(source, tag, comm, true);
    if (found)
        return keep(found, comm, message, status);
    *flag = 0;
    return MPI_SUCCESS;
}

/* ---- receiving a matched message ---- */

static int claim(MPI_Message *handle, struct message *out)
{
    struct message *object = tf_pool_find(&tf_message_pool, (uintptr_t)*handle);
    if (!object)
        return tf_error(MPI_ERR_REQUEST, "message is %s", tf_handle_describe(&tf_message_pool, (uintptr_t)*handle));
    *out = *object;
    tf_pool_give(&tf_message_pool, object);
    *handle = MPI_MESSAGE_NULL;
    return MPI_SUCCESS;
}

int tf_imrecv(void *buf, MPI_Count count, struct tf_type *type, MPI_Message *handle, struct tf_comm **comm_p,
              MPI_Request *request)
{
    struct message object;
    struct tf_end from = {buf, count, type, MPI_PROC_NULL, MPI_ANY_TAG};
    if (*handle == MPI_MESSAGE_NO_PROC) {
        *handle = MPI_MESSAGE_NULL;
        return tf_point_begin_recv(&from, NULL, tf_comm_self, request);
    }
    int err = claim(handle, &object);
    if (err)
        return err;
    from.rank = (int)object.message->header.source;
    from.tag = object.message->header.tag;
    *comm_p = object.comm->freed ? NULL : object.comm;
    err = tf_point_begin_recv(&from, object.message, object.comm, request);
    tf_comm_release(object.comm);
    return err;
}

int tf_mrecv(void *buf, MPI_Count count, struct tf_type *type, MPI_Message *handle, MPI_Status *status,
             struct tf_comm **comm_p)
{
    MPI_Request request;
    int err = tf_imrecv(buf, count, type, handle, comm_p, &request);
    return err ? err : tf_wait(&request, status, comm_p);
}
