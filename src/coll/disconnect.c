/* disconnect.c - MPI_Comm_disconnect (MPI-5.0 section 11.10.4): what goes on in a communicator ends, then it is freed.
 */
#include "coll/coll.h"
#include "msg/msg.h"
#include "msg/wire.h"

int tf_comm_disconnect(struct tf_comm *comm)
{
    if (comm == tf_comm_world || comm == tf_comm_self)
        return tf_comm_free(comm); /* says that it cannot be */
    int err = tf_coll_barrier(comm, false);
    struct tf_wait wait = TF_WAIT_INIT;
    while (!err && tf_request_under_way(comm))
        tf_msg_step(&wait);
    tf_wait_reset(&wait);
    return err ? err : tf_comm_free(comm);
}
