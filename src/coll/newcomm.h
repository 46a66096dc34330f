/* newcomm.h - what the constructors of intracommunicators and intercommunicators share: context ids and hidden tags. */
#ifndef TF_NEWCOMM_H
#define TF_NEWCOMM_H

#include "coll/coll.h"

#include <limits.h>

/* An id that nobody else has, from this process's rank and a counter, and the next number, which an intercommunicator's
 * joint communicator takes; 0 once this process has led as many constructors as it can. */
uint64_t tf_context_take(void);
int tf_context_check(uint64_t context);

/* The handle that the user gets, also before the communicator is started. */
MPI_Comm tf_newcomm_handle(const struct tf_comm *comm);

/* The tag of the library's own messages in a constructor that the user gives a tag; no receive of the user's matches
 * it, and MPI_Intercomm_create and MPI_Comm_create_group do not meet. */
static inline int tf_newcomm_tag(int tag, bool inter)
{
    return -100 - 2 * (tag % (INT_MAX / 2 - 100)) - inter;
}

#endif
