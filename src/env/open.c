/* open.c - opening and closing the library and the network of its job.
 *
 * Layers are opened from the bottom up (launch/, settings, op/, msg/'s part in net/, net/) and closed from the top
 * down.
 *
 *     users   0 -> 1                          1 -> 0, nobody had a session   1 -> 0, somebody had one
 *             launcher: open, or open again   launcher: the end              launcher: the end, perhaps for now
 *             network: with MPI_Init, or      network: closed                network: open until the process ends,
 *             the first communicator                                         as others may have more to say
 *
 * Where all end in MPI_Finalize they know of each other which it is.  Who has only sessions does not wait for anybody.
 */
#include "env/open.h"

#include "base/caller.h"
#include "base/settings.h"
#include "coll/coll.h"
#include "env/fork.h"
#include "env/why.h"
#include "file/file.h"
#include "launch/launch.h"
#include "msg/await.h"
#include "msg/msg.h"
#include "msg/thread.h"
#include "msg/transfer.h"
#include "net/between.h"
#include "net/net.h"
#include "op/op.h"
#include "partition/partition.h"
#include "rma/win.h"
#include "survive/survive.h"
#include "topo/topo.h"

/* A block that glibc has from the system by itself (M_MMAP_THRESHOLD of mallopt(3)) is taken from the heap once one as
 * large has been freed, and then twice as much stays at the heap's end when it is freed.  At first that is 128 KiB:
 * arrays of some MiB that are made and freed in each step of a program would go back to the system each time. */
static void keep_freed(void)
{
    enum { MOST = 31 << 20 }; /* glibc learns from blocks of up to 32 MiB */
    size_t half = tf_settings.keep_freed / 2;
    void *volatile block = half > 0 ? malloc(half < MOST ? half : MOST) : NULL; /* its pages are not touched */
    free(block);
}

/* Once a process. */
static int set_up(void)
{
    int err = tf_fork_setup();
    if (!err)
        err = tf_launch_open();
    if (err)
        return err;
    tf_between_setup();
    tf_settings_load(tf_job.rank == 0);
    keep_freed();
    tf_op_setup(tf_settings.simd);
    if (tf_strict())
        tf_op_restrict();
    tf_msg_setup();
    tf_partition_setup();
    tf_coll_setup();
    tf_survive_setup();
    tf_topo_setup();
    tf_win_setup();
    tf_file_setup();
    tf_why_setup();
    tf_log(1, "rank %d of %d of job %s, started by %s", tf_job.rank, tf_job.size, tf_job.name, tf_launch_name());
    return MPI_SUCCESS;
}

/* Once more: a network that is open does not need the launcher, who may not take this process back. */
static int come_back(void)
{
    int err = tf_launch_reopen();
    return err && !tf_net_is_open() ? err : MPI_SUCCESS;
}

static int open_library(void)
{
    static bool ready;
    int err = ready ? come_back() : set_up();
    ready = ready || !err;
    return err;
}

int tf_env_open(int thread_level)
{
    bool threads = thread_level == MPI_THREAD_MULTIPLE;
    if (tf_library.users == 0) {
        int err = open_library();
        if (err)
            return err;
        tf_msg_thread_open();
        if (!threads && !tf_settings.progress_thread)
            tf_lock_disuse();
    } else {
        tf_caller_judge(false); /* each of them has a level of its own */
        if (threads)
            tf_lock_use();
    }
    if (tf_library.users++ == 0)
        tf_library.running = true;
    tf_why_enter();
    return MPI_SUCCESS;
}

static bool is_drained(void *state, bool *moved)
{
    (void)state;
    (void)moved;
    return tf_out_idle() && !tf_net_unsent();
}

static void tell_the_end(void)
{
    if (tf_library.users == 0)
        tf_launch_close();
}

/* A launcher that lets a process go once hears of the end when the process ends, if this one might still have to ask it
 * who the others are; at once if not, whatever way the process ends then. */
static int leave_job(void)
{
    static bool told;
    if (tf_launch_returns() || (tf_net_is_open() && !tf_net_asks()))
        return tf_launch_close();
    if (!told)
        told = atexit(tell_the_end) == 0;
    return told ? MPI_SUCCESS : tf_launch_close();
}

/* Other threads may come meanwhile. */
static void prepare_to_close(void)
{
    tf_msg_thread_stop();
    if (tf_library.lasting && tf_net_is_open())
        tf_await(TF_AWAITS_LEAVE, NULL, is_drained, NULL);
    if (tf_library.users > 1)
        tf_msg_thread_open();
}

int tf_env_close(void)
{
    if (tf_library.users == 1)
        prepare_to_close();
    if (--tf_library.users > 0)
        return MPI_SUCCESS;
    tf_library.running = false;
    tf_why_leave();
    tf_file_teardown();
    tf_caller_judge(false);
    tf_lock_take(); /* others may have it, for what may be called at any time */
    tf_lock_use();
    tf_lock_drop();
    if (tf_library.lasting)
        return leave_job();
    tf_net_close();
    /* The process manager's connection stays open where the job ends with an error: it is to be told so. */
    return tf_job.left ? tf_launch_close() : MPI_SUCCESS;
}
