/* process.c - the numbers of processes. */
#include "net/process.h"

struct tf_process tf_process_of(int number)
{
    return (struct tf_process){.job = tf_job.id, .rank = number};
}

int tf_process_number(const struct tf_process *process)
{
    bool known = process->job == tf_job.id && process->rank >= 0 && process->rank < tf_job.size;
    return known ? process->rank : MPI_UNDEFINED;
}
