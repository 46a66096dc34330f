/* fork.h - a process that fork() makes of this one.
 */
#ifndef TF_ENV_FORK_H
#define TF_ENV_FORK_H

#include "base/handle.h"

/* From now on such a process is none of the job's.  Once a process. */
int tf_fork_setup(void);
/* Whether this is one; tf_fork_refuse() then records the error of a call that needs the job. */
bool tf_fork_is_child(void);
int tf_fork_refuse(void) TF_COLD;
/* What a communicator of its parent was, or NULL: only for what asks nobody. */
struct tf_comm *tf_fork_comm(MPI_Comm handle) TF_COLD;

#endif
