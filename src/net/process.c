/* process.c - the numbers of processes: this job's begin at 0, and each other one's where those before it end. */
#include "net/process.h"

#include <limits.h>

static struct other {
    uint64_t id;
    int size, first;
} * others;
static int nothers;
static int next; /* number, 0: there was no other job yet */

int tf_process_job(int number, int *rank)
{
    int job = number < tf_job.size ? 0 : nothers;
    while (job > 0 && number < others[job - 1].first)
        job--;
    *rank = job ? number - others[job - 1].first : number;
    return job;
}

struct tf_process tf_process_of(int number)
{
    int rank, job = tf_process_job(number, &rank);
    return (struct tf_process){.job = job ? others[job - 1].id : tf_job.id, .rank = rank};
}

static int number_in(int first, int size, int rank)
{
    return rank >= 0 && rank < size ? first + rank : MPI_UNDEFINED;
}

int tf_process_number(const struct tf_process *process)
{
    if (process->job == tf_job.id)
        return number_in(0, tf_job.size, process->rank);
    for (int i = 0; i < nothers; i++)
        if (process->job == others[i].id)
            return number_in(others[i].first, others[i].size, process->rank);
    return MPI_UNDEFINED;
}

int tf_process_add_job(uint64_t job, int size, int *first)
{
    if (next == 0)
        next = tf_job.size;
    if (size > INT_MAX - next)
        return tf_error(MPI_ERR_OTHER, "a job of %d processes is too large beside the %d that are known", size, next);
    struct other *more = realloc(others, (size_t)(nothers + 1) * sizeof *others);
    if (!more)
        return tf_error(MPI_ERR_NO_MEM, "no memory for one more job");
    others = more;
    others[nothers++] = (struct other){job, size, next};
    *first = next;
    next += size;
    return MPI_SUCCESS;
}

void tf_process_drop_job(int job)
{
    nothers--;
    memmove(&others[job - 1], &others[job], (size_t)(nothers - job + 1) * sizeof *others);
}

void tf_process_forget_jobs(void)
{
    free(others);
    others = NULL;
    nothers = next = 0;
}
