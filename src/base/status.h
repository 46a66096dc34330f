/* status.h - what Treefold keeps in the reserved words of an MPI_Status (MPI-5.0 ABI: five ints behind the public
 * three).
 */
#ifndef TF_STATUS_H
#define TF_STATUS_H

#include "base/base.h"

/* MPI_internal[0..1]: received bytes as a 64-bit number; [2]: 1 if cancelled. */
static inline MPI_Count tf_status_bytes(const MPI_Status *status)
{
    MPI_Count bytes;
    memcpy(&bytes, &status->MPI_internal[0], sizeof bytes);
    return bytes;
}
static inline void tf_status_set_bytes(MPI_Status *status, MPI_Count bytes)
{
    memcpy(&status->MPI_internal[0], &bytes, sizeof bytes);
}
/* MPI_ERROR is left alone: the standard has it set only by the calls that return MPI_ERR_IN_STATUS. */
static inline void tf_status_set(MPI_Status *status, int source, int tag, MPI_Count bytes, bool cancelled)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    status->MPI_SOURCE = source;
    status->MPI_TAG = tag;
    tf_status_set_bytes(status, bytes);
    status->MPI_internal[2] = cancelled;
}
/* The empty status of MPI-5.0 section 3.7.3. */
static inline void tf_status_set_empty(MPI_Status *status)
{
    tf_status_set(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, false);
}
/* The status of a receive from MPI_PROC_NULL, section 3.10. */
static inline void tf_status_set_proc_null(MPI_Status *status)
{
    tf_status_set(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false);
}

#endif
