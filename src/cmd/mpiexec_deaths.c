/* mpiexec_deaths.c - a job that goes on when processes of it die (-keep-going): the others are told, and nobody waits
 * for the dead.
 *
 * Those that end in the usual way are told of too: whoever still waits for one then would wait for ever.
 */
#include "cmd/mpiexec.h"
#include "launch/deaths.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static struct tf_deaths *deaths; /* NULL: there is no such file */
static char name[64];

void tf_mpiexec_deaths_open(void)
{
    if (!mpiexec_job.options.keep_going)
        return;
    int fd = memfd_create("treefold-deaths", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, sizeof *deaths))
        tf_mpiexec_give_up("cannot make the file that tells who has ended");
    void *memory = mmap(NULL, sizeof *deaths, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        tf_mpiexec_give_up("cannot map the file that tells who has ended");
    deaths = memory;
    snprintf(name, sizeof name, "/proc/%ld/fd/%d", (long)getpid(), fd);
}

const char *tf_mpiexec_deaths_file(void)
{
    return deaths ? name : NULL;
}

void tf_mpiexec_deaths_tell(int rank, const char *how)
{
    const struct mpiexec_rank *r = &mpiexec_job.ranks[rank];
    uint32_t n = deaths ? atomic_load(&deaths->count) : TF_DEATHS_MOST;
    if (n == TF_DEATHS_MOST)
        return;
    struct tf_death *death = &deaths->each[n];
    snprintf(death->job, sizeof death->job, "%s", r->world->name);
    snprintf(death->how, sizeof death->how, "%.71s", how);
    death->rank = rank - r->world->first;
    death->pid = (int32_t)r->pid;
    atomic_store_explicit(&deaths->count, n + 1, memory_order_release);
}

/* It was in MPI, as otherwise the others wait for it in MPI_Init: that is the end of the job. */
bool tf_mpiexec_deaths_spare(int rank, int status, const char *format, ...)
{
    const struct mpiexec_rank *r = &mpiexec_job.ranks[rank];
    char words[300];
    va_list args;
    if (!deaths || !r->initialized)
        return false;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    if (mpiexec_job.status == 0)
        mpiexec_job.status = status;
    tf_mpiexec_say("%s (pid %ld) %s; the job goes on without it", tf_mpiexec_world_name(rank), (long)r->pid, words);
    tf_mpiexec_deaths_tell(rank, words);
    return true;
}

/* Nobody waits for one that has been in MPI and is not any more. */
bool tf_mpiexec_deaths_is_missed(int rank)
{
    const struct mpiexec_rank *r = &mpiexec_job.ranks[rank];
    return deaths && r->initialized && (r->gone || r->finalized);
}
