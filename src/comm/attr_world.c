/* attr_world.c - the attributes that every communicator has from the start (MPI-5.0 section 9.1.2). */
#include "comm/comm.h"
#include "launch/launch.h"
#include "net/net.h"
#include "object/attr.h"
#include "object/error_class.h"

/* In C the value is a pointer to an int. */
static bool predefined_get(int keyval, int **value, int *flag)
{
    static int tag_ub = 0x7fffffff, host = MPI_PROC_NULL, io = MPI_ANY_SOURCE, wtime_is_global;
    static int appnum, universe_size, last_used;
    *flag = 1;
    switch (keyval) {
    case MPI_TAG_UB:
        *value = &tag_ub;
        break;
    case MPI_HOST:
        *value = &host;
        break;
    case MPI_IO:
        *value = &io;
        break;
    case MPI_WTIME_IS_GLOBAL:
        wtime_is_global = tf_net_local_size() == tf_job.size; /* one machine, one clock */
        *value = &wtime_is_global;
        break;
    case MPI_APPNUM:
        *value = &appnum;
        *flag = tf_launch_knows(TF_LAUNCH_APPNUM, &appnum);
        break;
    case MPI_UNIVERSE_SIZE:
        *value = &universe_size;
        *flag = tf_launch_knows(TF_LAUNCH_UNIVERSE_SIZE, &universe_size);
        break;
    case MPI_LASTUSEDCODE:
        last_used = tf_error_last_used_code();
        *value = &last_used;
        break;
    default:
        return false;
    }
    return true;
}

int tf_comm_get_attr(const struct tf_comm *comm, int keyval, void *value, int *flag)
{
    int *predefined;
    if (!predefined_get(keyval, &predefined, flag))
        return tf_attrs_get(comm->attrs, TF_KIND_COMM, keyval, value, flag);
    if (*flag)
        *(int **)value = predefined;
    return MPI_SUCCESS;
}
