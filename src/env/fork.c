/* fork.c - a process that fork() makes of this one is none of the job's.
 *
 * It has a copy of all that the library knows: how far the rings are written, the numbers of messages, the connection
 * to the launcher.  What it sent would go where its parent's next message goes, and its MPI_Finalize would be taken for
 * its parent's; which is what happens when it calls exit() and something finalizes MPI at exit: language bindings do.
 * So it finds MPI finalized, and nothing that leads to a peer has a handle any more.  Its errors end it alone.  What a
 * communicator is may still be asked: programs name the files of a helper process after the rank.
 */
#include "env/fork.h"

#include <pthread.h>

#include "base/handle.h"
#include "launch/launch.h"

static bool forked;
static struct tf_pool comms; /* as its parent had them */

/* In the child, which may have been made by any thread in the middle of anything: nothing is called that allocates or
 * takes a lock. */
static void leave_to_parent(void)
{
    struct tf_pool *const pools[] = {&tf_request_pool, &tf_message_pool, &tf_win_pool, &tf_file_pool, &tf_session_pool};
    if (forked)
        return; /* a child's child */
    forked = true;
    comms = tf_comm_pool;
    tf_library.users = 0;
    tf_library.running = false;
    tf_world.initialized = tf_world.finalized = true;
    tf_comm_pool.predef_count = tf_comm_pool.used = 0;
    for (size_t i = 0; i < TF_ARRAY_LEN(pools); i++)
        pools[i]->used = 0;
    tf_launch_forget();
    tf_library.judging = false;
    tf_lock_forget();
}

int tf_fork_setup(void)
{
    if (pthread_atfork(NULL, NULL, leave_to_parent))
        return tf_error(MPI_ERR_NO_MEM, "no memory to be told of fork()");
    return MPI_SUCCESS;
}

bool tf_fork_is_child(void)
{
    return forked;
}

struct tf_comm *tf_fork_comm(MPI_Comm handle)
{
    return forked ? tf_pool_find(&comms, (uintptr_t)handle) : NULL;
}

int tf_fork_refuse(void)
{
    return tf_error(MPI_ERR_OTHER,
                    "this process was made by fork(): only its parent, rank %d, is a process of the MPI job",
                    tf_job.rank);
}
