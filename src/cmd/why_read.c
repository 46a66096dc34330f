/* why_read.c - an answer's text, as launch/board.h has it. */
#include "cmd/why.h"

#include <stdlib.h>
#include <string.h>

/* Grow an array by one zeroed element; NULL: no memory, and it stays as it was. */
static void *append(void *array, int *n, size_t size)
{
    char **place = array, *more = realloc(*place, ((size_t)*n + 1) * size);
    if (!more)
        return NULL;
    *place = more;
    memset(more + (size_t)*n * size, 0, size);
    return more + (size_t)(*n)++ * size;
}

/* "1;r2;s0,s3-5" */
static bool read_peers(struct why_wait *wait, char *text)
{
    int group = 0;
    char part = 'x';
    if (!strcmp(text, "-")) {
        wait->open = true;
        return true;
    }
    do {
        if (*text && strchr("srcx", *text))
            part = *text++;
        struct why_peers *peers = append(&wait->peers, &wait->npeers, sizeof *peers);
        if (!peers)
            return false;
        char *end;
        peers->part = part;
        peers->group = group;
        peers->first = peers->last = (int)strtol(text, &end, 10);
        if (*end == '-')
            peers->last = (int)strtol(end + 1, &end, 10);
        if (end == text || peers->first < 0 || peers->last < peers->first || (*end && *end != ',' && *end != ';'))
            return false;
        group += *end == ';';
        text = *end ? end + 1 : NULL;
    } while (text);
    wait->ngroups = group + 1;
    return true;
}

static void read_wait(struct why_rank *rank, char *line)
{
    bool run = *line == '=';
    struct why_wait *wait =
        run ? append(&rank->runs, &rank->nruns, sizeof *wait) : append(&rank->waits, &rank->nwaits, sizeof *wait);
    if (!wait)
        return;
    wait->since = run ? 0 : atof(strsep(&line, "\t"));
    if (run)
        strsep(&line, "\t");
    wait->name = line ? strsep(&line, "\t") : "-";
    char *peers = line ? strsep(&line, "\t") : NULL;
    wait->call = line ? strsep(&line, "\t") : "";
    wait->what = line ? line : "";
    /* What is not understood may end. */
    wait->open = !peers || !read_peers(wait, peers) || wait->open;
}

void tf_why_read(struct why_rank *rank, const char *text)
{
    rank->text = strdup(text);
    for (char *rest = rank->text, *line; rest && (line = strsep(&rest, "\n"));) {
        if (*line == '+')
            rank->threads = atoi(line + 1);
        else if (*line == '~')
            rank->reads = true;
        else if (*line == '?')
            rank->looks = line + strspn(line, "?\t");
        else if (*line)
            read_wait(rank, line);
    }
}

static bool same_peers(const struct why_wait *a, const struct why_wait *b)
{
    if (a->npeers != b->npeers || a->open != b->open)
        return false;
    for (int i = 0; i < a->npeers; i++)
        if (a->peers[i].first != b->peers[i].first || a->peers[i].last != b->peers[i].last ||
            a->peers[i].group != b->peers[i].group || a->peers[i].part != b->peers[i].part)
            return false;
    return true;
}

static bool is_among(const struct why_wait *wait, const struct why_wait *others, int n)
{
    for (int i = 0; i < n; i++)
        if (wait->since == others[i].since && !strcmp(wait->name, others[i].name) && same_peers(wait, &others[i]))
            return true;
    return false;
}

void tf_why_compare(struct why_rank *rank, const struct why_rank *earlier)
{
    for (int i = 0; i < rank->nwaits; i++)
        rank->waits[i].open |= !is_among(&rank->waits[i], earlier->waits, earlier->nwaits);
    for (int i = 0; i < rank->nruns; i++)
        rank->runs[i].open |= !is_among(&rank->runs[i], earlier->runs, earlier->nruns);
}

static void free_waits(struct why_wait *waits, int n)
{
    for (int i = 0; i < n; i++)
        free(waits[i].peers);
    free(waits);
}

void tf_why_free(struct why_rank *rank)
{
    free_waits(rank->waits, rank->nwaits);
    free_waits(rank->runs, rank->nruns);
    free(rank->text);
    *rank = (struct why_rank){.state = WHY_UNKNOWN};
}
