/* deaths.h - which processes have ended, in a job that goes on without them: a file that mpiexec writes and all
 * processes that it has started read, without asking anybody.
 *
 *     a page     how many entries there are; of 64 KiB, as some processors have them
 *     then       windows of TF_DEATHS_WINDOW entries, as many as it takes: both sides map one at a time
 *
 * Entries are never taken back.  mpiexec writes an entry and then, after it, the count.  It leaves the name of the file
 * in the environment.
 */
#ifndef TF_DEATHS_H
#define TF_DEATHS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define TF_DEATHS_VARIABLE "MPIEXEC_DEATHS" /* in the environment: the file's name */
enum { TF_DEATHS_PAGE = 65536, TF_DEATHS_WINDOW = 2048 };

struct tf_death {
    char job[80]; /* its name */
    int32_t rank; /* there */
    int32_t pid;
    char how[72]; /* "was killed by signal 9 (Killed)" */
};
_Static_assert(TF_DEATHS_WINDOW * sizeof(struct tf_death) % TF_DEATHS_PAGE == 0, "windows can be mapped");

typedef _Atomic uint32_t tf_deaths_count;

/* Where the window of that entry begins in the file. */
static inline int64_t tf_deaths_offset(uint32_t entry)
{
    return TF_DEATHS_PAGE + (int64_t)(entry / TF_DEATHS_WINDOW) * TF_DEATHS_WINDOW * (int64_t)sizeof(struct tf_death);
}

#endif
