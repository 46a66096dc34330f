/* levels.c - the ranks' domains.  See levels.h. */
#include "algo/levels.h"

/* The number of each rank's domain, into of[]; returns how many domains there are.  number[] is for p notes. */
static int name_domains(const struct tf_shape *shape, bool ordered, int *of, int *number)
{
    int p = shape->size, n = 0;
    const int32_t *domain = shape->domain;

    for (int r = 0; r < p; r++)
        number[r] = -1;
    for (int r = 0; r < p; r++) {
        int32_t d = domain ? domain[r] : 0;
        if (ordered ? r == 0 || (domain && d != domain[r - 1]) : number[d] < 0)
            number[d] = n++;
        of[r] = number[d];
    }
    return n;
}

/* Sort the ranks by domain: first[] and rank[] as in the header. */
static void sort_ranks(const int *of, int p, int n, int *first, int *rank)
{
    for (int d = 0; d <= n; d++)
        first[d] = 0;
    for (int r = 0; r < p; r++)
        first[of[r] + 1]++;
    for (int d = 0; d < n; d++)
        first[d + 1] += first[d];
    for (int r = 0; r < p; r++)
        rank[first[of[r]]++] = r;
    for (int d = n; d > 0; d--)
        first[d] = first[d - 1];
    first[0] = 0;
}

static bool are_runs(const int *of, int p, int n)
{
    int changes = 1;

    for (int r = 1; r < p; r++)
        changes += of[r] != of[r - 1];
    return changes == n;
}

struct tf_levels_table *tf_algo_levels_share(const struct tf_shape *shape, bool ordered)
{
    int p = shape->size, n;
    struct tf_levels_table *t = tf_alloc(sizeof *t + (5 * (size_t)p + 1) * sizeof *t->memory, "the domains of ranks");

    if (!t)
        return NULL;
    t->ordered = ordered;
    t->of = t->memory;
    t->rank = t->of + p;
    t->leaders = t->rank + p;
    t->first = t->leaders + p;
    t->ndomains = n = name_domains(shape, ordered, t->of, t->rank);
    sort_ranks(t->of, p, n, t->first, t->rank);
    t->runs = !ordered && are_runs(t->of, p, n);
    t->root_domain = t->of[shape->root];
    t->least = p;
    for (int d = 0; d < n; d++) {
        int members = t->first[d + 1] - t->first[d];
        t->leaders[d] = d == t->root_domain ? shape->root : t->rank[t->first[d]];
        t->least = members < t->least ? members : t->least;
    }
    return t;
}

bool tf_algo_levels_open(struct tf_plan *plan, const struct tf_shape *shape, bool ordered, struct tf_levels *levels)
{
    const struct tf_levels_table *t = shape->levels;

    *levels = (struct tf_levels){.own = NULL};
    if (!t || (t->ordered != ordered && !t->runs))
        t = levels->own = tf_algo_levels_share(shape, ordered);
    if (!t) {
        plan->error = MPI_ERR_NO_MEM;
        return false;
    }
    levels->ndomains = t->ndomains;
    levels->least = t->least;
    levels->root_domain = t->root_domain;
    levels->of = t->of;
    levels->first = t->first;
    levels->rank = t->rank;
    levels->leaders = t->leaders;
    levels->mine = t->of[shape->rank];
    levels->members = t->rank + t->first[levels->mine];
    levels->nmembers = t->first[levels->mine + 1] - t->first[levels->mine];
    for (int i = 0; i < levels->nmembers; i++) {
        levels->me = levels->members[i] == shape->rank ? i : levels->me;
        levels->leader = levels->members[i] == t->leaders[levels->mine] ? i : levels->leader;
    }
    return true;
}

void tf_algo_levels_close(struct tf_levels *levels)
{
    free(levels->own);
}
