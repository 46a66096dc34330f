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

bool tf_algo_levels_open(struct tf_plan *plan, const struct tf_shape *shape, bool ordered, struct tf_levels *levels)
{
    int p = shape->size, *of, *number, *first, *rank;

    of = tf_alloc((5 * (size_t)p + 1) * sizeof *of, "the domains of ranks");
    *levels = (struct tf_levels){.memory = of};
    if (!of) {
        plan->error = MPI_ERR_NO_MEM;
        return false;
    }
    number = of + p;
    rank = number + p;
    levels->leaders = rank + p;
    first = levels->leaders + p;
    int n = levels->ndomains = name_domains(shape, ordered, of, number);
    sort_ranks(of, p, n, first, rank);
    levels->first = first;
    levels->rank = rank;
    levels->least = p;
    for (int d = 0; d < n; d++) {
        levels->leaders[d] = d == of[shape->root] ? shape->root : rank[first[d]];
        levels->least = first[d + 1] - first[d] < levels->least ? first[d + 1] - first[d] : levels->least;
    }
    levels->mine = of[shape->rank];
    levels->root_domain = of[shape->root];
    levels->members = rank + first[levels->mine];
    levels->nmembers = first[levels->mine + 1] - first[levels->mine];
    for (int i = 0; i < levels->nmembers; i++) {
        levels->me = levels->members[i] == shape->rank ? i : levels->me;
        levels->leader = levels->members[i] == levels->leaders[levels->mine] ? i : levels->leader;
    }
    return true;
}

void tf_algo_levels_close(struct tf_levels *levels)
{
    free(levels->memory);
}
