/* process.h - which process: a job and a rank in it.
 *
 * That is what processes tell each other.  Within a process each one that it knows has a number of its own: those of
 * this job their ranks, and those of other jobs, as jobs are met, the next ones.  Groups hold numbers.
 */
#ifndef TF_PROCESS_H
#define TF_PROCESS_H

#include "base/base.h"

struct tf_process {
    uint64_t job; /* tf_job.id */
    int32_t rank, unused;
};

/* The process of that number. */
struct tf_process tf_process_of(int number);
/* Its number, or MPI_UNDEFINED: this process does not know it. */
int tf_process_number(const struct tf_process *process);
/* In the same order for everybody. */
static inline int tf_process_compare(const struct tf_process *a, const struct tf_process *b)
{
    if (a->job != b->job)
        return a->job < b->job ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* ---- for net/ (net.h) ---- */

/* Another job of that size: *first is the number of its rank 0. */
int tf_process_add_job(uint64_t job, int size, int *first);
void tf_process_drop_job(int job); /* as tf_process_job() counts them; its numbers are not given again */
void tf_process_forget_jobs(void);
/* Which job a number is of, 0: this one, then in the order in which they were added; and the rank there. */
int tf_process_job(int number, int *rank);

#endif
