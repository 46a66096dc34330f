/* open.c - opening and closing the library and the network of its job.
 *
 * Layers are opened from the bottom up (launch/, settings, op/, msg/'s part in net/, net/) and closed from the top
 * down.
 */
#include "env/open.h"

#include "base/settings.h"
#include "coll/coll.h"
#include "env/report.h"
#include "launch/launch.h"
#include "msg/msg.h"
#include "msg/thread.h"
#include "net/between.h"
#include "net/net.h"
#include "op/op.h"
#include "topo/topo.h"

static bool connected;

int tf_env_open(int thread_level)
{
    if (tf_library.users == 0) {
        int err = tf_launch_open();
        if (err)
            return err;
        tf_between_setup();
        tf_settings_load(tf_job.rank == 0);
        tf_op_setup(tf_settings.simd);
        if (tf_strict())
            tf_op_restrict();
        tf_msg_setup();
        tf_coll_setup();
        tf_topo_setup();
        tf_report_setup();
        tf_log(1, "rank %d of %d of job %s, started by %s", tf_job.rank, tf_job.size, tf_job.name, tf_launch_name());
    }
    if (thread_level == MPI_THREAD_MULTIPLE || tf_settings.progress_thread)
        tf_library.locking = true;
    tf_library.users++;
    return MPI_SUCCESS;
}

int tf_env_connect(void)
{
    int err = connected ? MPI_SUCCESS : tf_net_open();
    connected = !err;
    return err;
}

int tf_env_close(void)
{
    if (--tf_library.users > 0)
        return MPI_SUCCESS;
    tf_msg_thread_stop();
    if (connected)
        tf_net_close();
    connected = false;
    /* The process manager's connection stays open where the job ends with an error: it is to be told so. */
    return tf_job.left ? tf_launch_close() : MPI_SUCCESS;
}
