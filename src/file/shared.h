/* shared.h - the shared file pointer (MPI-5.0 section 14.4.4): a number in memory that all processes of the file share,
 * or, where they do not share memory, at rank 0's process, which is asked by messages.
 */
#ifndef TF_SHARED_H
#define TF_SHARED_H

#include "file/file.h"

/* Before there is a network. */
void tf_shared_setup(void);
/* NULL: no memory. */
struct tf_shared *tf_shared_create(void);
/* The first steps of a collective procedure (agree.c), before any rank uses it: it is where file->position is on rank
 * 0. */
int tf_shared_open(struct tf_file *file);
void tf_shared_close(struct tf_file *file);
/* Add to the pointer, in etypes, and tell what it was: atomically among all processes.  0 tells where it is. */
int tf_shared_add(struct tf_file *file, MPI_Offset etypes, MPI_Offset *before);
/* By one rank; the others learn of it by a later message of the caller's. */
int tf_shared_set(struct tf_file *file, MPI_Offset position);

#endif
