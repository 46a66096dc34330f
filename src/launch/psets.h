/* psets.h - sets of processes that have names: what the clients of process managers find, kept for launch.c. */
#ifndef TF_PSETS_H
#define TF_PSETS_H

#include "launch/launch.h"

/* A set, with a copy of that name, which has no processes yet: an entry for each rank of the job, for the caller to
 * set. NULL: no memory. */
bool *tf_launch_psets_add(const char *name);
const struct tf_launch_pset *tf_launch_psets_at(int i); /* NULL: there are fewer */
void tf_launch_psets_forget(void);

#endif
