/* tune_results.c - figures of `treefold tune`: kept by cell, made into rules of selection, or checked.
 *
 * Rules: at each size the good candidates are those within a few per cent of the best.  Neighbouring sizes are joined
 * as long as one candidate is good for all of them.  The bounds lie half-way, on a scale of powers, between what was
 * measured; the largest size has no upper bound.
 */
#include <limits.h>
#include <math.h>

#include "cmd/tune.h"
#include "net/net.h"

/* Within this factor two times are as good as the same. */
static const double alike = 1.05;
enum { SHOWN = 4, MOST_NAMES = 64 };

/* ---- keeping ---- */

static bool make_room(void **array, int count, int *cap, size_t size)
{
    if (count < *cap)
        return true;
    int more = *cap ? 2 * *cap : 64;
    void *bigger = realloc(*array, (size_t)more * size);
    if (!bigger)
        return false;
    *array = bigger;
    *cap = more;
    return true;
}

bool tf_tune_take(struct tf_tune_results *r, int ranks, const char *line)
{
    char collective[40];
    struct tf_tune_figure figure;
    struct tf_tune_cell cell = {.coll = TF_NCOLL, .ranks = ranks, .first = r->nfigures};
    if (sscanf(line, "%39s %zu %lf %79[^\n]", collective, &cell.bytes, &figure.seconds, figure.name) != 4)
        return false;
    for (int c = 0; c < TF_NCOLL; c++)
        if (strcmp(collective, tf_coll_name((enum tf_coll)c)) == 0)
            cell.coll = (enum tf_coll)c;
    if (cell.coll == TF_NCOLL || !make_room((void **)&r->figure, r->nfigures, &r->cap_figures, sizeof *r->figure) ||
        !make_room((void **)&r->cell, r->ncells, &r->cap_cells, sizeof *r->cell))
        return false;
    if (strcmp(figure.name, "default") == 0)
        r->cell[r->ncells++] = cell;
    else if (r->ncells == 0)
        return false;
    r->figure[r->nfigures++] = figure;
    r->cell[r->ncells - 1].count++;
    return true;
}

static int cell_order(const void *a, const void *b)
{
    const struct tf_tune_cell *x = a, *y = b;
    if (x->coll != y->coll)
        return x->coll < y->coll ? -1 : 1;
    if (x->ranks != y->ranks)
        return x->ranks < y->ranks ? -1 : 1;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

void tf_tune_sort(struct tf_tune_results *r)
{
    if (r->ncells > 0)
        qsort(r->cell, (size_t)r->ncells, sizeof *r->cell, cell_order);
}

void tf_tune_free(struct tf_tune_results *r)
{
    free(r->cell);
    free(r->figure);
}

/* ---- looking ---- */

static const struct tf_tune_figure *usual_of(const struct tf_tune_results *r, const struct tf_tune_cell *cell)
{
    return &r->figure[cell->first];
}

/* The k-th fastest, from 0; the default does not count.  NULL: there are not so many. */
static const struct tf_tune_figure *fastest(const struct tf_tune_results *r, const struct tf_tune_cell *cell, int k)
{
    for (int i = 1; i < cell->count; i++) {
        const struct tf_tune_figure *figure = &r->figure[cell->first + i];
        int faster = 0;
        for (int j = 1; j < cell->count; j++) {
            const struct tf_tune_figure *other = &r->figure[cell->first + j];
            faster += other->seconds < figure->seconds || (other->seconds == figure->seconds && j < i);
        }
        if (faster == k)
            return figure;
    }
    return NULL;
}

/* The condition of rules under which that many ranks were measured. */
static enum tf_rule_when where(const struct tf_tune_results *r, int ranks)
{
    if (r->node_size > 0 && ranks > r->node_size)
        return r->node_size > 1 ? TF_WHEN_LEVELS : TF_WHEN_NETWORK;
    return ranks > r->processors ? TF_WHEN_CROWDED : TF_WHEN_ROOMY;
}

/* The algorithm that the rules in force give the cell. */
static const char *usual_name(const struct tf_tune_results *r, const struct tf_tune_cell *cell, char text[TF_TUNE_NAME])
{
    enum tf_rule_when when = where(r, cell->ranks);
    struct tf_coll_case which = {.coll = cell->coll,
                                 .size = cell->ranks,
                                 .bytes = cell->bytes,
                                 .commutative = true,
                                 .elementwise = true,
                                 .network = when == TF_WHEN_NETWORK || when == TF_WHEN_LEVELS,
                                 .levels = when == TF_WHEN_LEVELS};
    struct tf_coll_choice choice;
    tf_pause_crowded = when == TF_WHEN_CROWDED;
    if (tf_coll_select(&which, &choice))
        return "default";
    return tf_rule_show_algo(choice.algo, choice.parameter, text, TF_TUNE_NAME);
}

static const char *time_text(double seconds, char text[32])
{
    if (seconds >= 1e-3)
        snprintf(text, 32, "%.3g ms", seconds * 1e3);
    else
        snprintf(text, 32, "%.3g us", seconds * 1e6);
    return text;
}

static const char *size_text(size_t bytes, char text[32])
{
    if (bytes >= 1024 && bytes % 1024 == 0)
        snprintf(text, 32, "%zuK", bytes / 1024);
    else
        snprintf(text, 32, "%zu", bytes);
    return text;
}

/* ---- rules ---- */

/* The names of a group of cells, of the same collective and ranks, as bits. */
struct names {
    int count;
    char name[MOST_NAMES][TF_TUNE_NAME];
};

static uint64_t bit_of(struct names *names, const char *name)
{
    int i = 0;
    while (i < names->count && strcmp(names->name[i], name) != 0)
        i++;
    if (i == MOST_NAMES)
        return 0;
    if (i == names->count)
        strcpy(names->name[names->count++], name);
    return (uint64_t)1 << i;
}

/* What is good at that size; the default alone if it is not far behind. */
static uint64_t good_at(const struct tf_tune_results *r, const struct tf_tune_cell *cell, double margin,
                        struct names *names)
{
    const struct tf_tune_figure *best = fastest(r, cell, 0);
    char usual[TF_TUNE_NAME];
    uint64_t good = 0;
    if (!best || usual_of(r, cell)->seconds <= margin * best->seconds)
        return bit_of(names, usual_name(r, cell, usual));
    for (int k = 0; (best = fastest(r, cell, k)) && best->seconds <= alike * fastest(r, cell, 0)->seconds; k++)
        good |= bit_of(names, best->name);
    return good;
}

static double seconds_of(const struct tf_tune_results *r, const struct tf_tune_cell *cell, const char *name)
{
    for (int i = 1; i < cell->count; i++)
        if (strcmp(r->figure[cell->first + i].name, name) == 0)
            return r->figure[cell->first + i].seconds;
    return usual_of(r, cell)->seconds;
}

/* Of the names in `good`, the one with the least product of times. */
static const char *best_for(const struct tf_tune_results *r, const struct tf_tune_cell *cell, int n, uint64_t good,
                            const struct names *names)
{
    const char *best = NULL;
    double least = 0;
    for (int k = 0; k < names->count; k++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += log(seconds_of(r, &cell[i], names->name[k]));
        if (good >> k & 1 && (!best || sum < least)) {
            best = names->name[k];
            least = sum;
        }
    }
    return best;
}

static int between(int low, int high)
{
    return (int)sqrt((double)low * (double)high);
}

/* The ranks for which what was measured at cell->ranks speaks. */
static void ranks_range(const struct tf_tune_results *r, const struct tf_tune_cell *cell, struct tf_rule *rule)
{
    int below = 1, above = INT_MAX;
    for (int i = 0; i < r->ncells; i++) {
        int ranks = r->cell[i].ranks;
        if (ranks < cell->ranks && ranks > below)
            below = ranks;
        if (ranks > cell->ranks && ranks < above)
            above = ranks;
    }
    rule->from = below == 1 ? (cell->ranks < 4 ? 2 : between(cell->ranks / 2, cell->ranks) + 1)
                            : between(below, cell->ranks) + 1;
    rule->to = between(cell->ranks, above == INT_MAX ? 2 * cell->ranks : above);
}

static size_t middle(size_t low, size_t high)
{
    return (size_t)1 << (int)lround(log2(sqrt((double)low * (double)high)));
}

/* A rule for n cells of the same collective and ranks, of a group of `size` cells. */
static void write_rule(const struct tf_tune_results *r, FILE *out, const struct tf_tune_cell *group, int size,
                       int first, int n, const char *name)
{
    const struct tf_tune_cell *cell = &group[first];
    struct tf_rule rule = {.coll = cell->coll, .high = SIZE_MAX};
    char text[300];
    rule.when = where(r, cell->ranks);
    ranks_range(r, cell, &rule);
    if (first > 0)
        rule.low = middle(cell[-1].bytes, cell[0].bytes);
    if (first + n < size)
        rule.high = middle(cell[n - 1].bytes, cell[n].bytes);
    fprintf(out, "%s%s\n", tf_rule_show_match(&rule, text, sizeof text), name);
}

static void write_comment(const struct tf_tune_results *r, FILE *out, const struct tf_tune_cell *cell)
{
    char bytes[32], time[32], name[TF_TUNE_NAME];
    const struct tf_tune_figure *figure;
    fprintf(out, "#%8s  default (%s) %s", size_text(cell->bytes, bytes), usual_name(r, cell, name),
            time_text(usual_of(r, cell)->seconds, time));
    for (int k = 0; k < SHOWN && (figure = fastest(r, cell, k)); k++)
        fprintf(out, "; %s %s", figure->name, time_text(figure->seconds, time));
    fputc('\n', out);
}

/* The longest run of cells from `first` on for which one candidate is good; *good: all that are. */
static int join(const struct tf_tune_results *r, const struct tf_tune_cell *cell, int size, double margin,
                struct names *names, uint64_t *good)
{
    int n = 1;
    *good = good_at(r, cell, margin, names);
    for (; n < size; n++) {
        uint64_t both = *good & good_at(r, &cell[n], margin, names);
        if (!both)
            break;
        *good = both;
    }
    return n;
}

static bool is_usual(const struct tf_tune_results *r, const struct tf_tune_cell *cell, int n, const char *name)
{
    char usual[TF_TUNE_NAME];
    for (int i = 0; i < n; i++)
        if (strcmp(name, usual_name(r, &cell[i], usual)) != 0)
            return false;
    return true;
}

static void write_group(const struct tf_tune_results *r, FILE *out, const struct tf_tune_cell *cell, int size,
                        double margin, bool all)
{
    struct names names = {0};
    enum tf_rule_when when = where(r, cell->ranks);
    fprintf(out, "\n# %s, %d ranks, %s; bytes, and the time of a call\n", tf_coll_name(cell->coll), cell->ranks,
            when == TF_WHEN_LEVELS    ? "levels"
            : when == TF_WHEN_NETWORK ? "network"
            : when == TF_WHEN_CROWDED ? "crowded"
                                      : "roomy");
    for (int i = 0; i < size; i++)
        write_comment(r, out, &cell[i]);
    for (int first = 0, n; first < size; first += n) {
        uint64_t good;
        n = join(r, &cell[first], size - first, margin, &names, &good);
        const char *name = best_for(r, &cell[first], n, good, &names);
        if (all || !is_usual(r, &cell[first], n, name))
            write_rule(r, out, cell, size, first, n, name);
    }
}

void tf_tune_write(const struct tf_tune_results *r, FILE *out, double margin, bool all)
{
    for (int first = 0, n; first < r->ncells; first += n) {
        const struct tf_tune_cell *cell = &r->cell[first];
        for (n = 1; first + n < r->ncells && cell[n].coll == cell->coll && cell[n].ranks == cell->ranks;)
            n++;
        write_group(r, out, cell, n, margin, all);
    }
}

/* ---- checking ---- */

double tf_tune_check(const struct tf_tune_results *r, FILE *out, double target)
{
    double worst = 0;
    int missed = 0;
    fprintf(out, "%-22s %5s %8s  %-6s %10s  %s\n", "collective", "ranks", "bytes", "ratio", "default", "best");
    for (int i = 0; i < r->ncells; i++) {
        const struct tf_tune_cell *cell = &r->cell[i];
        const struct tf_tune_figure *usual = usual_of(r, cell), *best = fastest(r, cell, 0);
        char name[TF_TUNE_NAME], bytes[32], times[2][32];
        double ratio = best ? usual->seconds / best->seconds : 1;
        fprintf(out, "%-22s %5d %8s  %.2f%s  %10s  %s %s; the default is %s\n", tf_coll_name(cell->coll), cell->ranks,
                size_text(cell->bytes, bytes), ratio, ratio > target ? "!" : " ", time_text(usual->seconds, times[0]),
                best ? best->name : "-", best ? time_text(best->seconds, times[1]) : "", usual_name(r, cell, name));
        worst = ratio > worst ? ratio : worst;
        missed += ratio > target;
    }
    fprintf(out, "%d of %d cells are above %.2f; the worst ratio is %.2f\n", missed, r->ncells, target, worst);
    return worst;
}
