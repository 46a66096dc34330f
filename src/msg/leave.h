/* leave.h - the last words between processes of different jobs, after which neither needs the other any more.
 *
 * Each says that it has come to its end, behind all that it has sent, and hears the same: then nothing is on its way in
 * either direction, and connection and rings go.  Two that have never said anything to each other have nothing to end.
 */
#ifndef TF_LEAVE_H
#define TF_LEAVE_H

#include "comm/comm.h"

/* Take leave of those processes of the group that no communicator connects with this one any more. */
void tf_leave_group(const struct tf_group *group);
/* The same of the library's own communicator, of an object that all have freed: it is released, and connects nobody any
 * more. */
void tf_leave_comm(struct tf_comm *comm);
/* At the end of MPI: of all that are connected, or come to be meanwhile, in a call that has failed here; they are in
 * MPI_Finalize too. */
void tf_leave_all(void);
void tf_leave_setup(void);

#endif
