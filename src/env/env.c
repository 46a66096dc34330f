/* env.c - the life of the library in a process: init, finalize, abort.
 *
 * MPI_Init opens the layers from the bottom up (settings, launch/, op/, net/, comm/), MPI_Finalize closes them from the
 * top down.  No barrier is needed at the start: connecting the network is collective.
 */
#include "env/env.h"

#include <pthread.h>
#include <stdio.h>

#include "base/settings.h"
#include "coll/coll.h"
#include "env/report.h"
#include "launch/launch.h"
#include "msg/thread.h"
#include "msg/wire.h"
#include "net/net.h"
#include "op/op.h"

static pthread_t main_thread;

static int init_allowed(int required)
{
    if (tf_world.finalized)
        return tf_error(MPI_ERR_OTHER, "MPI was finalized before; it cannot be initialized again");
    if (tf_world.initialized)
        return tf_error(MPI_ERR_OTHER, "MPI is initialized already");
    if (required != MPI_THREAD_SINGLE && required != MPI_THREAD_FUNNELED && required != MPI_THREAD_SERIALIZED &&
        required != MPI_THREAD_MULTIPLE)
        return tf_error(MPI_ERR_ARG,
                        "required is %d; it must be one of MPI_THREAD_SINGLE, _FUNNELED, _SERIALIZED and "
                        "_MULTIPLE",
                        required);
    return MPI_SUCCESS;
}

/* When one fails the launcher's connection stays open: the default error handler tells it to end the job. */
static int open_layers(void)
{
    int err = tf_launch_open();
    if (err)
        return err;
    tf_settings_load(tf_world.rank == 0);
    tf_op_setup(tf_settings.simd);
    err = tf_net_open();
    if (err)
        return err;
    err = tf_comm_setup();
    if (err)
        tf_net_close();
    return err;
}

int tf_env_init(int required, int *provided)
{
    int err = init_allowed(required);
    if (!err)
        err = open_layers();
    if (err)
        return err;
    main_thread = pthread_self();
    tf_report_setup();
    tf_world.thread_level = required;
    tf_world.locking = required == MPI_THREAD_MULTIPLE || tf_settings.progress_thread;
    tf_world.initialized = true;
    if (provided)
        *provided = required;
    tf_log(1, "rank %d of %d of job %s, started by %s", tf_world.rank, tf_world.size, tf_world.job, tf_launch_name());
    return MPI_SUCCESS;
}

int tf_env_finalize(void)
{
    if (!tf_world.initialized)
        return tf_error(MPI_ERR_OTHER, "MPI was never initialized");
    if (tf_world.finalized)
        return tf_error(MPI_ERR_OTHER, "MPI is finalized already");

    /* First of all, while MPI still works and MPI_Finalized still says no (MPI-5.0 section 11.2.4). */
    int err = tf_comm_teardown_self();
    tf_world.finalizing = true;
    tf_pull_settle();
    /* Everybody is here, so whatever was sent to this process or by it has been received (section 11.2.2). */
    if (!err)
        err = tf_coll_barrier(tf_comm_world, true);
    if (!err)
        err = tf_match_leave_all();
    if (err)
        return err;
    tf_msg_thread_stop();
    tf_world.finalized = true;
    tf_comm_teardown();
    tf_net_close();
    return tf_launch_close();
}

int tf_env_abort(struct tf_comm *comm, int errorcode)
{
    fflush(stdout);
    fflush(stderr);
    fprintf(stderr, "treefold[%d]: MPI_Abort was called on %s with error code %d\n", tf_world.rank,
            comm ? tf_comm_describe(comm) : "no communicator", errorcode);
    tf_launch_abort(errorcode, "called MPI_Abort");
    /* The shell sees eight bits: a failure must not look like a success. */
    _Exit(errorcode != 0 && (errorcode & 0xff) == 0 ? EXIT_FAILURE : errorcode);
}

int tf_env_query_thread(int *provided)
{
    *provided = tf_world.thread_level;
    return MPI_SUCCESS;
}

int tf_env_is_thread_main(int *flag)
{
    *flag = pthread_equal(main_thread, pthread_self()) != 0;
    return MPI_SUCCESS;
}
