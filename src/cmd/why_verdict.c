/* why_verdict.c - what follows from what the ranks wait for, in words.
 *
 *     deadlock: 0 waits for a send of 1, 1 for a send of 0
 *     for ever: 0 waits for a send of 1, which has ended
 *     in the end it is rank 3 that the 7 others wait for
 */
#include "cmd/why.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_PEERS = 12, MOST_OF_CYCLE = 12 };

void tf_why_add(struct why_line *line, const char *format, ...)
{
    va_list args;
    size_t room = sizeof line->text - line->length;
    va_start(args, format);
    int length = vsnprintf(line->text + line->length, room, format, args);
    va_end(args);
    line->length += (size_t)length < room ? (size_t)length : room - 1;
}

/* "1", "itself", "any of 0, 2-3" */
static void add_peers(struct why_line *line, int rank, const struct why_wait *wait, const struct why_peers *peers)
{
    const struct why_peers *end = wait->peers + wait->npeers;
    bool own = peers >= wait->peers && peers < end; /* else of a nonblocking collective behind it */
    int n = 1;
    while (own && peers + n < end && peers[n].group == peers->group)
        n++;
    if (n > 1 || peers->first != peers->last)
        tf_why_add(line, "any of ");
    else if (peers->first == rank) {
        tf_why_add(line, "itself");
        return;
    }
    for (int i = 0; i < n && i < MOST_PEERS; i++)
        tf_why_add(line, peers[i].first == peers[i].last ? "%s%d" : "%s%d-%d", i ? ", " : "", peers[i].first,
                   peers[i].last);
    if (n > MOST_PEERS)
        tf_why_add(line, " and others");
}

static void add_whom(struct why_line *line, int rank, const struct why_wait *wait, const struct why_peers *peers)
{
    tf_why_add(line, peers->part == 's' ? "for a send of " : "for ");
    add_peers(line, rank, wait, peers);
    if (peers->part == 'r')
        tf_why_add(line, " to receive");
    if (peers->part == 'c')
        tf_why_add(line, " in %s", wait->call);
}

static void say_cycle(const struct why_job *job, const int *cycle, int n, void (*say)(const char *line))
{
    struct why_line line = {.length = 0};
    bool threads = false;
    tf_why_add(&line, "    deadlock: ");
    for (int i = 0; i < n; i++) {
        const struct why_wait *wait;
        const struct why_peers *peers;
        tf_why_next(job, cycle[i], &wait, &peers);
        threads |= job->ranks[cycle[i]].threads > 0;
        if (i >= MOST_OF_CYCLE && i < n - 1)
            continue;
        if (i == n - 1 && n > MOST_OF_CYCLE + 1)
            tf_why_add(&line, ", and so on");
        tf_why_add(&line, "%s%d %s", i ? ", " : "", cycle[i], i ? "" : "waits ");
        add_whom(&line, cycle[i], wait, peers);
    }
    if (threads)
        tf_why_add(&line, ", unless another of their threads does what is waited for");
    say(line.text);
}

static void say_end(const struct why_job *job, int rank, void (*say)(const char *line))
{
    struct why_line line = {.length = 0};
    const struct why_wait *wait;
    const struct why_peers *peers;
    int gone = tf_why_next(job, rank, &wait, &peers);
    if (gone < 0)
        return;
    tf_why_add(&line, "    for ever: %d waits ", rank);
    add_whom(&line, rank, wait, peers);
    tf_why_add(&line, ", which %s", job->ranks[gone].state == WHY_ENDED ? "has ended" : "has called MPI_Finalize");
    say(line.text);
}

static void mark(char *known, const int *ranks, int n)
{
    for (int i = 0; i < n; i++)
        known[ranks[i]] = 1;
}

/* Each cycle, and each end, once. */
static bool say_deadlocks(const struct why_job *job, void (*say)(const char *line))
{
    char *known = calloc((size_t)job->size + 1, 1);
    int *cycle = calloc((size_t)job->size + 1, sizeof *cycle);
    bool any = false;
    for (int r = 0; known && cycle && r < job->size; r++) {
        if (!job->ranks[r].dead || job->ranks[r].nwaits == 0)
            continue;
        int n = tf_why_cycle(job, r, cycle);
        any = true;
        if (known[cycle[0]])
            continue;
        if (n > 0)
            say_cycle(job, cycle, n, say);
        else
            say_end(job, cycle[0], say);
        mark(known, cycle, n ? n : 1);
    }
    free(known);
    free(cycle);
    return any;
}

static void say_culprit(const struct why_job *job, void (*say)(const char *line))
{
    struct why_line line = {.length = 0};
    int culprit = tf_why_culprit(job), waiting = 0;
    for (int r = 0; r < job->size; r++)
        waiting += job->ranks[r].state == WHY_WAITS;
    if (culprit < 0)
        return;
    tf_why_add(&line, "    in the end it is rank %d that the %d others wait for", culprit, waiting);
    say(line.text);
}

void tf_why_verdict(const struct why_job *job, void (*say)(const char *line))
{
    if (!say_deadlocks(job, say))
        say_culprit(job, say);
}
