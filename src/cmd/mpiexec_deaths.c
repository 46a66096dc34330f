/* mpiexec_deaths.c - a job that goes on when processes of it die (-keep-going): the others are told, and nobody waits
 * for the dead.
 *
 * Those that end in the usual way are told of too: whoever still waits for one then would wait for ever.
 */
#include "cmd/mpiexec.h"
#include "launch/deaths.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int file = -1;
static tf_deaths_count *count; /* NULL: there is no such file */
static struct tf_death *window;
static char name[64];

static void *map(size_t bytes, int64_t offset)
{
    void *memory = ftruncate(file, offset + (int64_t)bytes)
                       ? MAP_FAILED
                       : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, offset);
    if (memory == MAP_FAILED)
        tf_mpiexec_give_up("no memory for the file that tells who has ended: %s", strerror(errno));
    return memory;
}

void tf_mpiexec_deaths_open(void)
{
    if (!mpiexec_job.options.keep_going)
        return;
    file = memfd_create("treefold-deaths", MFD_CLOEXEC);
    if (file < 0)
        tf_mpiexec_give_up("cannot make the file that tells who has ended: %s", strerror(errno));
    count = map(TF_DEATHS_PAGE, 0);
    snprintf(name, sizeof name, "/proc/%ld/fd/%d", (long)getpid(), file);
}

const char *tf_mpiexec_deaths_file(void)
{
    return count ? name : NULL;
}

void tf_mpiexec_deaths_tell(int rank, const char *how)
{
    const struct mpiexec_rank *r = &mpiexec_job.ranks[rank];
    if (!count)
        return;
    uint32_t n = atomic_load(count);
    if (n % TF_DEATHS_WINDOW == 0) {
        if (window)
            munmap(window, TF_DEATHS_WINDOW * sizeof *window);
        window = map(TF_DEATHS_WINDOW * sizeof *window, tf_deaths_offset(n));
    }
    struct tf_death *death = &window[n % TF_DEATHS_WINDOW];
    snprintf(death->job, sizeof death->job, "%s", r->world->name);
    snprintf(death->how, sizeof death->how, "%.71s", how);
    death->rank = rank - r->world->first;
    death->pid = (int32_t)r->pid;
    atomic_store_explicit(count, n + 1, memory_order_release);
}

/* Where it was not in MPI the others wait for it in MPI_Init, and that is the end of the job; who has spawned that one
 * is told. */
bool tf_mpiexec_deaths_spare(int rank, int status, const char *format, ...)
{
    const struct mpiexec_rank *r = &mpiexec_job.ranks[rank];
    char words[300];
    va_list args;
    if (!count)
        return false;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    if (!r->initialized) {
        tf_mpiexec_deaths_tell(rank, words);
        return false;
    }
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
    return count && r->initialized && (r->gone || r->finalized);
}
