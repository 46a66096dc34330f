/* why_report.c - the words for what a job's processes wait for.
 *
 *     ranks 0-2 have waited 12 s in MPI_Barrier on MPI_COMM_WORLD:
 *         0: for rank 1 to send (step 1 of 4 of dissemination)
 *         ...
 *     rank 3 sleeps, outside MPI; it last waited in MPI 13 s ago, in MPI_Recv
 *
 * Ranks that would get the same line share it.
 */
#include "cmd/why.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DETAILS = 16, MOST_RANKS = 12 };

/* What is said of one rank, or of one of its threads. */
struct item {
    int rank;
    bool waits;             /* in the call `rest`; or */
    const char *one, *many; /* "has ended", "have ended"; rest: the call in which it last waited */
    const char *rest;
    const char *detail; /* of this rank; "": none */
    double seconds;     /* for so long; -1: not known */
    bool said;
};

struct items {
    struct item *all;
    int n;
};

/* ---- what is said of a rank ---- */

static void add_item(struct items *items, struct item item)
{
    struct item *more = realloc(items->all, ((size_t)items->n + 1) * sizeof *more);
    if (!more)
        return;
    items->all = more;
    more[items->n++] = item;
}

static void add_waits(struct items *items, const struct why_job *job, int r)
{
    const struct why_rank *rank = &job->ranks[r];
    for (int i = 0; i < rank->nwaits; i++) {
        const struct why_wait *wait = &rank->waits[i];
        add_item(items, (struct item){r, true, "", "", wait->call, wait->what,
                                      wait->since > 0 ? job->now - wait->since : -1, false});
    }
}

/* Outside MPI: how the system sees it. */
static void add_outside(struct items *items, const struct why_job *job, int r)
{
    const struct why_rank *rank = &job->ranks[r];
    double seconds = rank->left > 0 ? job->now - rank->left : -1;
    const char *rest = rank->left > 0 ? rank->last : "";
    if (rank->process == 'T' || rank->process == 't')
        add_item(items, (struct item){r, false, "is stopped, by a signal or a debugger",
                                      "are stopped, by a signal or a debugger", rest, "", seconds, false});
    else if (rank->process == 'R')
        add_item(items,
                 (struct item){r, false, "computes, outside MPI", "compute, outside MPI", rest, "", seconds, false});
    else
        add_item(items, (struct item){r, false, "sleeps, outside MPI", "sleep, outside MPI", rest, "", seconds, false});
}

static void add_rank(struct items *items, const struct why_job *job, int r)
{
    static const char *const words[][2] = {
        [WHY_UNKNOWN] = {"is not on this machine", "are not on this machine"},
        [WHY_NEVER] = {"has not called MPI_Init", "have not called MPI_Init"},
        [WHY_STARTING] = {"is about to start MPI, or uses another MPI", "are about to start MPI, or use another MPI"},
        [WHY_SILENT] = {"waits in MPI and does not say for what", "wait in MPI and do not say for what"},
        [WHY_LEFT] = {"has called MPI_Finalize", "have called MPI_Finalize"},
        [WHY_ENDED] = {"has ended", "have ended"},
    };
    enum why_state state = job->ranks[r].state;
    char process = job->ranks[r].process;
    if (state == WHY_WAITS)
        add_waits(items, job, r);
    else if (state == WHY_LOOKS)
        add_item(items, (struct item){r, false, "looks again and again, without waiting",
                                      "look again and again, without waiting", "", job->ranks[r].looks, -1, false});
    else if (state == WHY_OUTSIDE || (state == WHY_SILENT && (process == 'T' || process == 't')))
        add_outside(items, job, r);
    else
        add_item(items, (struct item){r, false, words[state][0], words[state][1], "", "", -1, false});
}

/* ---- lines ---- */

static bool alike(const struct item *a, const struct item *b, bool wholly)
{
    return a->waits == b->waits && a->one == b->one && !strcmp(a->rest, b->rest) &&
           (!wholly || !strcmp(a->detail, b->detail));
}

/* "ranks 0-3, 5" of the items from `first` on that are like it. */
static int add_ranks(struct why_line *line, const struct items *items, int first, bool wholly)
{
    int ranks = 0, parts = 0, from = -1, to = -1;
    for (int i = first; i <= items->n; i++) {
        bool ends = i == items->n;
        if (!ends &&
            (items->all[i].said || !alike(&items->all[first], &items->all[i], wholly) || items->all[i].rank == to))
            continue;
        if (!ends && to >= 0 && items->all[i].rank == to + 1) {
            to++, ranks++;
            continue;
        }
        if (to >= 0 && parts++ < MOST_RANKS)
            tf_why_add(line, from == to ? "%s%d" : "%s%d-%d", parts > 1 ? ", " : "", from, to);
        if (!ends)
            from = to = items->all[i].rank, ranks++;
    }
    if (parts > MOST_RANKS)
        tf_why_add(line, " and others");
    return ranks;
}

static void add_seconds(struct why_line *line, double seconds)
{
    tf_why_add(line, seconds < 10 ? "%.1f" : "%.0f", seconds);
}

/* Of those that are alike, whether all are so wholly, and the shortest and longest time. */
struct common {
    bool wholly;
    double least, most;
};

static struct common in_common(const struct items *items, int first)
{
    const struct item *mine = &items->all[first];
    struct common common = {true, mine->seconds, mine->seconds};
    for (int i = first + 1; i < items->n; i++) {
        const struct item *item = &items->all[i];
        if (item->said || !alike(mine, item, false))
            continue;
        common.wholly &= !strcmp(mine->detail, item->detail);
        common.least = item->seconds < common.least ? item->seconds : common.least;
        common.most = item->seconds > common.most ? item->seconds : common.most;
    }
    return common;
}

/* Collectives outside calls are kept by their names alone, as barrier. */
static void add_call(struct why_line *line, const char *name)
{
    if (strncmp(name, "MPI_", 4) && !strchr(name, ' '))
        tf_why_add(line, "MPI_%c%s", toupper(*name), name + 1);
    else
        tf_why_add(line, "%s", name);
}

static void add_time(struct why_line *line, const struct common *common)
{
    add_seconds(line, common->least);
    if (common->most - common->least >= 0.1) {
        tf_why_add(line, " to ");
        add_seconds(line, common->most);
    }
    tf_why_add(line, " s");
}

/* "has waited 12 s in MPI_Barrier on MPI_COMM_WORLD" */
static void add_wait(struct why_line *line, const struct item *item, const struct common *common, int ranks)
{
    if (common->least < 0) {
        tf_why_add(line, "%s in %s", ranks > 1 ? "wait" : "waits", item->rest);
        return;
    }
    tf_why_add(line, "%s waited ", ranks > 1 ? "have" : "has");
    add_time(line, common);
    tf_why_add(line, " in %s", item->rest);
}

/* "sleeps, outside MPI; it last waited in MPI 12 s ago, in MPI_Barrier" */
static void add_other(struct why_line *line, const struct item *item, const struct common *common, int ranks)
{
    tf_why_add(line, "%s", ranks > 1 ? item->many : item->one);
    if (common->least < 0)
        return;
    tf_why_add(line, "; %s last waited in MPI ", ranks > 1 ? "they" : "it");
    add_time(line, common);
    tf_why_add(line, " ago, in ");
    add_call(line, item->rest);
}

static void say_details(struct items *items, int first, void (*say)(const char *line))
{
    int lines = 0, left = 0;
    struct item like = items->all[first];
    for (int i = first; i < items->n; i++) {
        struct item *item = &items->all[i];
        if (item->said || !alike(&like, item, false))
            continue;
        struct why_line line = {.length = 0};
        tf_why_add(&line, "        ");
        int ranks = add_ranks(&line, items, i, true);
        tf_why_add(&line, ": for %s", item->detail);
        if (lines++ < MOST_DETAILS)
            say(line.text);
        else
            left += ranks;
        struct item same = *item;
        for (int k = i; k < items->n; k++)
            items->all[k].said |= alike(&same, &items->all[k], true);
    }
    struct why_line line = {.length = 0};
    tf_why_add(&line, "        and %d others", left);
    if (left)
        say(line.text);
}

static void say_group(struct items *items, int first, void (*say)(const char *line))
{
    const struct item like = items->all[first];
    struct common common = in_common(items, first);
    struct why_line ranks = {.length = 0}, line = {.length = 0};
    int n = add_ranks(&ranks, items, first, false);
    tf_why_add(&line, "    %s %s ", n > 1 ? "ranks" : "rank", ranks.text);
    (like.waits ? add_wait : add_other)(&line, &like, &common, n);
    if (!common.wholly)
        tf_why_add(&line, ":");
    else if (*like.detail)
        tf_why_add(&line, ", for %s", like.detail);
    say(line.text);
    if (!common.wholly)
        say_details(items, first, say);
    for (int i = first; i < items->n; i++)
        items->all[i].said |= alike(&like, &items->all[i], false);
}

static void say_catching(const struct why_job *job, void (*say)(const char *line))
{
    struct items items = {NULL, 0};
    struct why_line line = {.length = 0}, ranks = {.length = 0};
    for (int r = 0; r < job->size; r++)
        if (job->ranks[r].catches)
            add_item(&items, (struct item){r, false, "", "", "", "", -1, false});
    if (items.n > 0) {
        int n = add_ranks(&ranks, &items, 0, false);
        tf_why_add(&line, "    rank%s %s handle%s SIGUSR1, so the signal was passed on there", n > 1 ? "s" : "",
                   ranks.text, n > 1 ? "" : "s");
        say(line.text);
    }
    free(items.all);
}

void tf_why_report(const struct why_job *job, void (*say)(const char *line))
{
    struct items items = {NULL, 0};
    for (int r = 0; r < job->size; r++)
        add_rank(&items, job, r);
    for (int i = 0; i < items.n; i++)
        if (!items.all[i].said)
            say_group(&items, i, say);
    free(items.all);
    say_catching(job, say);
    tf_why_verdict(job, say);
}
