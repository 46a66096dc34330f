/* shared.h - the shared file pointer (MPI-5.0 section 14.4.4): a number in memory that all processes of the file share,
 * or, where they do not share memory, at rank 0's process, which is asked by messages.
 */
#ifndef TF_SHARED_H
#define TF_SHARED_H

#include "file/file.h"

/* Collective over the file's communicator, when it is opened and closed; after an error, the same on all, there is
 * none. */
int tf_shared_open(struct tf_file *file);
void tf_shared_close(struct tf_file *file);
/* Add to the pointer, in etypes, and tell what it was: atomically among all processes.  0 tells where it is. */
int tf_shared_add(struct tf_file *file, MPI_Offset etypes, MPI_Offset *before);
/* By one rank; the others learn of it by a later message of the caller's. */
int tf_shared_set(struct tf_file *file, MPI_Offset position);

#endif
