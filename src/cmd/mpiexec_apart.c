/* mpiexec_apart.c - processes that cannot reach each other any more, in a job that goes on without the dead.
 *
 *     ranks 0 1 | 2 3      0 and 2 say so of each other, 1 and 3 do; within a moment, perhaps others
 *
 * Each would go on without the other one.  So one of two is ended here and told of like any other that has died: in the
 * order of their numbers, a rank goes on if it is apart from none that does.  Of a link that is cut it is the side of
 * rank 0 that goes on.  All who notice say so at about the same time; what is said before the others have been heard
 * would end one of the wrong side.  Ranks are used again, so what was said of those of a job ends with it.
 */
#include "cmd/mpiexec.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOMENT 1.0 /* seconds from the first word to the verdict */

struct apart {
    int low, high;
    int by; /* which of them has said so, */
    char why[500];
};

static struct apart *list;
static int n;
static double due;

static bool lives(int rank)
{
    const struct mpiexec_rank *r = &mpiexec_job.ranks[rank];
    return r->world && !r->gone && !r->finalized && !r->condemned;
}

/* That rank of a job, among all; -1: there is no such job here. */
static int find(const char *job, int rank)
{
    for (const struct mpiexec_world *world = mpiexec_job.world; world; world = world->next)
        if (strcmp(world->name, job) == 0 && rank >= 0 && rank < world->size)
            return world->first + rank;
    return -1;
}

bool tf_mpiexec_apart_hear(int rank, const char *job, int of, const char *why)
{
    int other = find(job, of);
    struct apart *more = realloc(list, ((size_t)n + 1) * sizeof *more);
    if (!more)
        tf_mpiexec_give_up("no memory to note that %s cannot reach another one", tf_mpiexec_world_name(rank));
    list = more;
    if (!tf_mpiexec_deaths_file() || other < 0)
        return false;
    list[n] = (struct apart){.low = rank < other ? rank : other, .high = rank < other ? other : rank, .by = rank};
    snprintf(list[n++].why, sizeof list->why, "%s", why);
    if (due == 0)
        due = tf_mpiexec_now() + MOMENT;
    return true;
}

void tf_mpiexec_apart_forget(const struct mpiexec_world *world)
{
    int first = world->first, end = world->first + world->size, left = 0;
    for (int i = 0; i < n; i++) {
        bool names_it = (list[i].low >= first && list[i].low < end) || (list[i].high >= first && list[i].high < end);
        if (!names_it)
            list[left++] = list[i];
    }
    n = left;
}

double tf_mpiexec_apart_due(void)
{
    return due;
}

/* What was said of this one and the lowest rank that goes on and that it cannot reach; NULL: there is none. */
static const struct apart *apart_from(int rank)
{
    const struct apart *lowest = NULL;
    for (int i = 0; i < n; i++)
        if (list[i].high == rank && lives(list[i].low) && (!lowest || list[i].low < lowest->low))
            lowest = &list[i];
    return lowest;
}

void tf_mpiexec_apart_judge(void)
{
    due = 0;
    for (int r = 0; r < mpiexec_job.size; r++) {
        const struct apart *said = lives(r) ? apart_from(r) : NULL;
        if (!said)
            continue;
        struct mpiexec_rank *rank = &mpiexec_job.ranks[r];
        rank->condemned = true;
        tf_mpiexec_say(
            "%s (pid %ld) and %s cannot reach each other any more; the lower rank goes on, and the other one "
            "is ended; %s says: %s",
            tf_mpiexec_world_name(r), (long)rank->pid, tf_mpiexec_world_name(said->low),
            tf_mpiexec_world_name(said->by), said->why);
        kill(mpiexec_job.groups[r] > 0 ? -mpiexec_job.groups[r] : rank->pid, SIGKILL);
    }
    n = 0;
}
