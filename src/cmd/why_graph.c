/* why_graph.c - who can never go on.
 *
 * Whoever does not wait may still do anything.  A wait may end if in each of its groups somebody may do his part; a
 * rank may go on if one of its threads may.  The smallest set of which that holds is alive, found by looking until
 * nothing changes, and the rest is dead: cycles, and what waits for these or for a rank that has gone.
 *
 * A collective's peer may be in that call, or be in it by a nonblocking call meanwhile: then it counts what this waits
 * for, and not what its thread does.
 */
#include "cmd/why.h"

#include <stdlib.h>
#include <string.h>

static const struct why_wait *find_run(const struct why_rank *rank, const char *name)
{
    for (int i = 0; i < rank->nruns && strcmp(name, "-"); i++)
        if (!strcmp(rank->runs[i].name, name))
            return &rank->runs[i];
    return NULL;
}

static bool is_dead(const struct why_job *job, const struct why_wait *wait, char part, int r)
{
    const struct why_wait *run = NULL;
    if (r < 0 || r >= job->size)
        return false;
    const struct why_rank *rank = &job->ranks[r];
    if (part == 'r' && rank->reads)
        return false;
    if (part == 'c')
        run = find_run(rank, wait->name);
    return run ? run->dead : rank->dead;
}

static bool group_is_dead(const struct why_job *job, const struct why_wait *wait, int group)
{
    for (int i = 0; i < wait->npeers; i++) {
        const struct why_peers *peers = &wait->peers[i];
        for (int r = peers->first; peers->group == group && r <= peers->last; r++)
            if (!is_dead(job, wait, peers->part, r))
                return false;
    }
    return true;
}

int tf_why_obstacle(const struct why_job *job, const struct why_wait *wait)
{
    int group = 0;
    while (group < wait->ngroups && !group_is_dead(job, wait, group))
        group++;
    return group;
}

/* Whether something came alive. */
static bool revive_wait(const struct why_job *job, struct why_wait *wait)
{
    if (!wait->dead || tf_why_obstacle(job, wait) < wait->ngroups)
        return false;
    wait->dead = false;
    return true;
}

static bool revive(const struct why_job *job, struct why_rank *rank)
{
    bool changed = false;
    for (int i = 0; i < rank->nruns; i++)
        changed |= revive_wait(job, &rank->runs[i]);
    for (int i = 0; i < rank->nwaits; i++)
        changed |= revive_wait(job, &rank->waits[i]);
    for (int i = 0; i < rank->nwaits && rank->dead; i++)
        rank->dead = rank->waits[i].dead;
    return changed;
}

static void begin(struct why_rank *rank)
{
    bool gone = rank->state == WHY_LEFT || rank->state == WHY_ENDED;
    rank->dead = gone || (rank->state == WHY_WAITS && rank->nwaits > 0);
    for (int i = 0; i < rank->nruns; i++)
        rank->runs[i].dead = !rank->runs[i].open;
    for (int i = 0; i < rank->nwaits; i++) {
        rank->waits[i].dead = !rank->waits[i].open;
        rank->dead &= rank->waits[i].dead;
    }
}

void tf_why_judge(struct why_job *job)
{
    bool changed = true;
    for (int r = 0; r < job->size; r++)
        begin(&job->ranks[r]);
    while (changed) {
        changed = false;
        for (int r = 0; r < job->size; r++)
            changed |= revive(job, &job->ranks[r]);
    }
}

/* ---- ways through it ---- */

static const struct why_peers *first_of(const struct why_wait *wait, int group)
{
    int i = 0;
    while (i < wait->npeers && wait->peers[i].group != group)
        i++;
    return i < wait->npeers ? &wait->peers[i] : NULL;
}

/* Where the peer takes part in the call by a nonblocking one, whom that waits for. */
int tf_why_next(const struct why_job *job, int rank, const struct why_wait **wait, const struct why_peers **peers)
{
    const struct why_rank *from = &job->ranks[rank];
    if (!from->dead || from->nwaits == 0)
        return -1;
    const struct why_wait *run = *wait = &from->waits[0];
    for (int steps = 0; run && steps <= job->size; steps++) {
        *peers = first_of(run, tf_why_obstacle(job, run));
        if (!*peers)
            return -1;
        run = (*peers)->part == 'c' ? find_run(&job->ranks[(*peers)->first], run->name) : NULL;
    }
    return (*peers)->first;
}

static int next(const struct why_job *job, int rank)
{
    const struct why_wait *wait;
    const struct why_peers *peers;
    return tf_why_next(job, rank, &wait, &peers);
}

/* `at` is on it; it begins with the lowest rank. */
static int fill(const struct why_job *job, int at, int *cycle)
{
    int n = 0, lowest = at;
    for (int r = next(job, at); r != at; r = next(job, r))
        lowest = r < lowest ? r : lowest;
    for (int r = lowest; n == 0 || r != lowest; r = next(job, r))
        cycle[n++] = r;
    return n;
}

int tf_why_cycle(const struct why_job *job, int rank, int *cycle)
{
    int r = rank, before = rank;
    for (int steps = 0; steps <= job->size; steps++) { /* after so many it goes round */
        before = r;
        r = next(job, r);
        if (r < 0 || job->ranks[r].nwaits == 0) {
            cycle[0] = before;
            return 0;
        }
    }
    return fill(job, r, cycle);
}

/* Ranks to look at, each once. */
struct agenda {
    char *seen;
    int *ranks, n;
};

static void put(struct agenda *agenda, int rank)
{
    if (!agenda->seen[rank])
        agenda->ranks[agenda->n++] = rank;
    agenda->seen[rank] = 1;
}

/* False: it may go on whatever they do. */
static bool put_peers(const struct why_job *job, const struct why_rank *rank, struct agenda *agenda)
{
    for (int i = 0; i < rank->nwaits; i++) {
        if (rank->waits[i].open)
            return false;
        for (int k = 0; k < rank->waits[i].npeers; k++)
            for (int r = rank->waits[i].peers[k].first; r <= rank->waits[i].peers[k].last && r < job->size; r++)
                put(agenda, r);
    }
    return true;
}

static int find_culprit(const struct why_job *job, struct agenda *agenda)
{
    int found = -1, waiting = 0;
    for (int r = 0; r < job->size; r++)
        if (job->ranks[r].state == WHY_WAITS)
            put(agenda, r), waiting++;
    for (int i = 0; i < agenda->n; i++) {
        const struct why_rank *rank = &job->ranks[agenda->ranks[i]];
        if (rank->state == WHY_WAITS) {
            if (!put_peers(job, rank, agenda))
                return -1;
        } else if (found >= 0) {
            return -1;
        } else {
            found = agenda->ranks[i];
        }
    }
    return waiting > 1 ? found : -1;
}

int tf_why_culprit(const struct why_job *job)
{
    struct agenda agenda = {calloc((size_t)job->size + 1, 1), calloc((size_t)job->size + 1, sizeof(int)), 0};
    int found = agenda.seen && agenda.ranks ? find_culprit(job, &agenda) : -1;
    free(agenda.seen);
    free(agenda.ranks);
    return found;
}
