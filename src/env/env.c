/* env.c - the World Model (MPI-5.0 section 11.2): init, finalize, abort.
 *
 * MPI_Init makes this process one more user of the library (open.c) and MPI_COMM_WORLD of the job.  No barrier is
 * needed at the start: connecting the network is collective.
 */
#include "env/env.h"

#include <pthread.h>
#include <stdio.h>

#include "base/caller.h"
#include "base/settings.h"
#include "coll/coll.h"
#include "dynamic/dynamic.h"
#include "env/fork.h"
#include "env/open.h"
#include "file/file.h"
#include "launch/launch.h"
#include "msg/await.h"
#include "msg/match.h"
#include "msg/transfer.h"
#include "net/net.h"

static pthread_t main_thread;

static int init_allowed(int required)
{
    if (tf_fork_is_child())
        return tf_fork_refuse();
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

int tf_env_init(int required, int *provided)
{
    int err = init_allowed(required);
    if (!err)
        err = tf_env_open(required);
    if (err)
        return err;
    err = tf_net_open();
    if (!err)
        err = tf_comm_setup();
    if (!err)
        err = tf_dynamic_meet_parent();
    if (err) {
        tf_env_close();
        return err;
    }
    main_thread = pthread_self();
    tf_world.thread_level = required;
    tf_world.initialized = true;
    if (tf_strict() && tf_library.users == 1)
        tf_caller_judge(required != MPI_THREAD_MULTIPLE);
    if (provided)
        *provided = required;
    return MPI_SUCCESS;
}

/* Without those who have died the launcher's barrier is the last one: it waits for nobody who is gone.  Meanwhile
 * others may need answers. */
static bool has_come(void *state, bool *moved)
{
    (void)moved;
    return tf_launch_barrier_is_over(state);
}

static int meet_living(void)
{
    int err = tf_launch_barrier_begin();
    if (err == MPI_SUCCESS)
        tf_await(TF_AWAITS_LINE, &(struct tf_await_line){"MPI_Finalize", "the processes that are left"}, has_come,
                 &err);
    return err;
}

/* The last barrier of the job.  Everybody is here, so whatever was sent to this process or by it in the World Model has
 * been received (section 11.2.2); and whether any of them has had a session is what they tell each other.  They do not
 * meet in MPI_COMM_WORLD, where others may have called a collective that goes on without this process, as MPI_Reduce to
 * one that has given up: that is left behind (tf_accord_left). */
static int meet_all(void)
{
    uint64_t lasting;
    struct tf_comm *meeting = tf_comm_create_internal(tf_comm_world->group, TF_INTERNAL_FINALIZE, "MPI_COMM_WORLD");
    if (!meeting)
        return MPI_ERR_NO_MEM;
    int err = tf_coll_max(meeting, TF_CALLER_FINALIZE, tf_library.lasting, &lasting);
    tf_comm_release(meeting);
    bool broken = err == MPIX_ERR_PROC_FAILED || err == MPIX_ERR_REVOKED;
    if (!err)
        tf_library.lasting = lasting != 0;
    if ((!err && tf_settings.keep_going) || broken) /* others may have seen somebody die meanwhile */
        return meet_living();
    return err;
}

int tf_env_finalize(void)
{
    if (tf_fork_is_child())
        return tf_fork_refuse();
    if (!tf_world.initialized)
        return tf_error(MPI_ERR_OTHER, "MPI was never initialized");
    if (tf_world.finalized)
        return tf_error(MPI_ERR_OTHER, "MPI is finalized already");

    /* First of all, while MPI still works and MPI_Finalized still says no (MPI-5.0 section 11.2.4). */
    int err = tf_comm_teardown_self(); /* in which libraries may close their files */
    if (!err)
        err = tf_file_leave();
    tf_job.leaving = true;
    tf_pull_settle();
    if (!err && tf_library.users == 1)
        tf_dynamic_finish();
    if (!err)
        err = meet_all();
    if (!err && tf_library.users == 1)
        err = tf_match_leave_all();
    if (err)
        return err;
    tf_job.left = !tf_library.lasting;
    tf_job.leaving = tf_job.left;
    tf_world.finalized = true;
    tf_file_drop();
    tf_comm_teardown();
    return tf_env_close();
}

int tf_env_abort(struct tf_comm *comm, int errorcode)
{
    fflush(stdout);
    fflush(stderr);
    fprintf(stderr, "treefold[%d]: MPI_Abort was called on %s with error code %d\n", tf_job.rank,
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
