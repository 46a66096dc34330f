/* mpiexec_debug.c - where the processes are, for parallel debuggers: the MPIR process acquisition interface (MPI Forum,
 * version 1.1).
 *
 * A debugger that runs mpiexec, or attaches to it, reads MPIR_proctable.  One that has set MPIR_being_debugged before
 * the processes start gets MPIR_Breakpoint called once they run: it attaches to those that it wants and lets mpiexec go
 * on. Until then they wait in MPI_Init, since nobody answers them.
 */
#include "cmd/mpiexec.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The interface prescribes these names, and debug information about this type. */
typedef struct {
    char *host_name;
    char *executable_name;
    int pid;
} MPIR_PROCDESC;

#define OFFERED __attribute__((visibility("default"), used))

enum { SPAWNED = 1, ABORTING = 2 };
OFFERED volatile int MPIR_being_debugged, MPIR_debug_state;
OFFERED char *MPIR_debug_abort_string;
OFFERED MPIR_PROCDESC *MPIR_proctable;
OFFERED int MPIR_proctable_size;
/* That they are there says: this is no process of the job; debuggers need not attach to all; there are no queues of
 * messages to be read. */
OFFERED int MPIR_i_am_starter, MPIR_partial_attach_ok, MPIR_ignore_queues;

OFFERED __attribute__((noinline)) void MPIR_Breakpoint(void)
{
    __asm__ volatile("" ::: "memory");
}

/* With the directory in which it is. */
static char *whole_name(const struct mpiexec_app *app)
{
    char cwd[PATH_MAX], *name = NULL;
    const char *dir = app->wdir ? app->wdir : getcwd(cwd, sizeof cwd), *path = app->path;
    if (path[0] == '/' || !dir)
        return strdup(path);
    path += strncmp(path, "./", 2) == 0 ? 2 : 0;
    return asprintf(&name, "%s/%s", dir, path) < 0 ? NULL : name;
}

/* A debugger reads it while mpiexec stands. */
static void write_table(void)
{
    static char host[HOST_NAME_MAX + 1];
    for (int i = 0; i < MPIR_proctable_size; i++)
        free(MPIR_proctable[i].executable_name);
    MPIR_proctable_size = 0;
    MPIR_PROCDESC *table = realloc(MPIR_proctable, (size_t)mpiexec_job.size * sizeof *table);
    if (!table || gethostname(host, sizeof host) != 0)
        return;
    MPIR_proctable = table;
    for (int r = 0; r < mpiexec_job.size; r++) {
        const struct mpiexec_rank *rank = &mpiexec_job.ranks[r];
        if (rank->world && rank->pid > 0 && !rank->gone && rank->app && rank->app->path)
            table[MPIR_proctable_size++] = (MPIR_PROCDESC){host, whole_name(rank->app), (int)rank->pid};
    }
}

static void stop(int state)
{
    MPIR_debug_state = state;
    MPIR_Breakpoint();
}

/* Whether all of them have become their programs: then the pipe in which those tell that cannot ends. */
static bool all_run(int troubles)
{
    struct pollfd end = {.fd = troubles, .events = POLLIN};
    while (poll(&end, 1, -1) < 0 && errno == EINTR)
        continue;
    return !(end.revents & POLLIN);
}

void tf_mpiexec_debug_started(int troubles)
{
    write_table();
    if (MPIR_being_debugged && (troubles < 0 || all_run(troubles)))
        stop(SPAWNED);
}

void tf_mpiexec_debug_failed(const char *format, va_list args)
{
    if (!MPIR_being_debugged)
        return;
    if (vasprintf(&MPIR_debug_abort_string, format, args) < 0)
        MPIR_debug_abort_string = NULL;
    stop(ABORTING);
    free(MPIR_debug_abort_string);
    MPIR_debug_abort_string = NULL;
}
