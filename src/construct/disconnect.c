/* disconnect.c - MPI_Comm_disconnect (MPI-5.0 section 11.10.4): what goes on in a communicator ends, then it is freed.
 */
#include "coll/coll.h"
#include "construct/construct.h"
#include "msg/await.h"
#include "msg/leave.h"
#include "msg/msg.h"

static bool is_quiet(void *state, bool *moved)
{
    (void)moved;
    return !tf_request_under_way(state);
}

/* The processes are what is left of it when it has gone. */
static int part(struct tf_comm *comm)
{
    struct tf_group *group = comm->joint->group;
    tf_group_retain(group);
    int err = tf_comm_part(comm);
    if (!err)
        tf_leave_group(group);
    tf_group_release(group);
    return err;
}

int tf_comm_disconnect(struct tf_comm *comm)
{
    if (comm == tf_comm_world || comm == tf_comm_self)
        return tf_comm_free(comm); /* says that it cannot be */
    int err = tf_coll_barrier(comm, TF_CALLER_COMM_DISCONNECT);
    if (!err && tf_request_under_way(comm))
        tf_await(TF_AWAITS_DISCONNECT, comm, is_quiet, comm);
    return err ? err : part(comm);
}
