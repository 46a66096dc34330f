/* tune_ranks.c - what `treefold tune` starts as an MPI job: measures all algorithms of collectives, side by side.
 *
 *     tune_ranks SECONDS MARGIN COLLECTIVE:BYTES...
 *
 * Each candidate has a duplicate of MPI_COMM_WORLD whose info key makes it use that algorithm; the one called "default"
 * has no key.  Candidates take turns.  After a few single calls the hopeless ones are dropped, after each round those
 * that are far behind and about half of all; the last ones get most of the time.  Whoever then beats the default by
 * more than MARGIN meets it again, up to three times, block by block, and the smallest lead counts.
 *
 * Rank 0 prints a line for each of the last: COLLECTIVE BYTES SECONDS NAME.  SECONDS is the median, over blocks of
 * calls, of what a call took on the slowest rank.  BYTES are those of the rules: of the vector, or of one rank's block.
 * All ranks take the same decisions, as the times they go by are the same.
 */
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "coll/rules.h"
#include "common.h"

enum { MOST_CANDIDATES = 64, BLOCKS_A_ROUND = 5, ROUNDS = 3, REPEATS = 3, FEW = 3, PAIRS = 21 };

/* The more rounds, the fewer are left; what is so much slower than the fastest goes. */
static const double behind[ROUNDS] = {1.7, 1.3, 1.15};
static const double hopeless = 4, alike = 1.05;

struct candidate {
    char name[80];
    MPI_Comm comm;
    double seconds; /* the median of: */
    double samples[ROUNDS * BLOCKS_A_ROUND];
    int nsamples;
    bool dropped;
};

struct field {
    enum tf_coll coll;
    int count; /* candidate 0 is the default */
    struct candidate candidate[MOST_CANDIDATES];
};

static int rank, size;

static void fail(const char *what, const char *which)
{
    fprintf(stderr, "treefold tune: %s: %s\n", which, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- the candidates ---- */

static void add(struct field *f, const struct tf_algo *algo, int parameter)
{
    struct candidate *c = &f->candidate[f->count];
    if (f->count == MOST_CANDIDATES)
        return;
    *c = (struct candidate){.name = "default"};
    MPI_Info info = MPI_INFO_NULL;
    if (algo) {
        char rule[200];
        tf_rule_show_algo(algo, parameter, c->name, sizeof c->name);
        snprintf(rule, sizeof rule, "%s = %s", tf_coll_name(f->coll), c->name);
        MPI_Info_create(&info);
        MPI_Info_set(info, "treefold_algorithm", rule);
    }
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &c->comm);
    if (algo)
        MPI_Info_free(&info);
    f->count++;
}

static void add_all(struct field *f, enum tf_coll coll)
{
    static const int segments[] = {4, 16, 64}, windows[] = {0, 1, 4};
    f->coll = coll;
    f->count = 0;
    add(f, NULL, 0);
    for (int i = 0; i < tf_algo_count; i++) {
        const struct tf_algo *algo = &tf_algos[i];
        if (algo->coll != coll || !tf_algo_fits(algo, size, true, true))
            continue;
        if (!tf_algo_parameter(algo))
            add(f, algo, 0);
        /* A radix of p and more makes all trees the same. */
        for (int radix = 2; algo->traits & TF_TAKES_RADIX && radix <= 8 && (radix == 2 || radix / 2 < size); radix *= 2)
            add(f, algo, radix);
        for (size_t k = 0; algo->traits & TF_TAKES_SEGMENTS && k < TF_ARRAY_LEN(segments); k++)
            add(f, algo, segments[k]);
        for (size_t k = 0; algo->traits & TF_TAKES_WINDOW && k < TF_ARRAY_LEN(windows) && windows[k] < size; k++)
            add(f, algo, windows[k]);
    }
}

static void remove_all(struct field *f)
{
    for (int i = 0; i < f->count; i++)
        MPI_Comm_free(&f->candidate[i].comm);
}

/* ---- times ---- */

/* Seconds of a call on the slowest rank. */
static double block(struct measured *m, const struct candidate *c, long calls)
{
    double slowest;
    m->comm = c->comm;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = now();
    for (long i = 0; i < calls; i++)
        m->call->run(m);
    double mine = (now() - start) / (double)calls;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof values[0], by_value);
    return values[n / 2];
}

static long calls_in(double seconds, const struct candidate *c)
{
    double wanted = c->seconds > 0 ? seconds / c->seconds : 1;
    return wanted < 1 ? 1 : wanted > 1e6 ? (long)1e6 : (long)wanted;
}

static void add_sample(struct candidate *c, double seconds)
{
    double sorted[ROUNDS * BLOCKS_A_ROUND];
    c->samples[c->nsamples++] = seconds;
    memcpy(sorted, c->samples, sizeof sorted);
    c->seconds = median(sorted, c->nsamples);
}

static int left(const struct field *f)
{
    int n = 0;
    for (int i = 0; i < f->count; i++)
        n += !f->candidate[i].dropped;
    return n;
}

/* The fastest but for the default. */
static struct candidate *best_of(struct field *f)
{
    struct candidate *best = NULL;
    for (int i = 1; i < f->count; i++)
        if (!f->candidate[i].dropped && (!best || f->candidate[i].seconds < best->seconds))
            best = &f->candidate[i];
    return best;
}

/* Drop what takes more than `factor` times the best's time, and all but the `most` best and what is as good as the
 * best; never the default. */
static void drop(struct field *f, double factor, int most)
{
    double best = best_of(f)->seconds, sorted[MOST_CANDIDATES], limit = factor * best;
    int n = 0;
    for (int i = 1; i < f->count; i++)
        if (!f->candidate[i].dropped)
            sorted[n++] = f->candidate[i].seconds;
    qsort(sorted, (size_t)n, sizeof sorted[0], by_value);
    most = most < FEW ? FEW : most;
    if (n > most && sorted[most - 1] < limit)
        limit = sorted[most - 1] > alike * best ? sorted[most - 1] : alike * best;
    for (int i = 1; i < f->count; i++)
        f->candidate[i].dropped |= f->candidate[i].seconds > limit;
}

/* Every candidate that is left gets `blocks` blocks, in turns, in about `seconds` together. */
static void turns(struct field *f, struct measured *m, int blocks, double seconds)
{
    double share = seconds / blocks / left(f);
    for (int turn = 0; turn < blocks; turn++)
        for (int k = 0; k < f->count; k++) {
            struct candidate *c = &f->candidate[(k + turn) % f->count];
            if (!c->dropped)
                add_sample(c, block(m, c, calls_in(share, c)));
        }
}

/* One call of each that is verified, and the fewest seconds of a few more. */
static void probe(struct field *f, struct measured *m)
{
    for (int i = 0; i < f->count; i++) {
        struct candidate *c = &f->candidate[i];
        m->comm = c->comm;
        c->nsamples = 0;
        c->dropped = false;
        long wrong = m->call->source ? measured_verify(m) : 0, all_wrong;
        MPI_Allreduce(&wrong, &all_wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        if (all_wrong)
            fail("elements of its result are wrong", c->name);
        c->seconds = block(m, c, 1);
        for (int again = 0; again < 3; again++) {
            double seconds = block(m, c, 1);
            c->seconds = seconds < c->seconds ? seconds : c->seconds;
        }
    }
}

/* ---- one case ---- */

/* How many times longer the default takes than the candidate: the median over pairs of blocks, one right after the
 * other, so that what disturbs for longer disturbs both. */
static double duel(struct measured *m, const struct candidate *usual, const struct candidate *c, double seconds)
{
    double ratios[PAIRS], share = seconds / PAIRS / 2;
    for (int i = 0; i < PAIRS; i++) {
        double first = block(m, i % 2 ? c : usual, calls_in(share, i % 2 ? c : usual));
        double second = block(m, i % 2 ? usual : c, calls_in(share, i % 2 ? usual : c));
        ratios[i] = i % 2 ? second / first : first / second;
    }
    return median(ratios, PAIRS);
}

/* The fastest of many looks faster than it is: every lead must repeat, or it is smaller. */
static void confirm(struct field *f, struct measured *m, double seconds, double margin)
{
    const struct candidate *usual = &f->candidate[0];
    for (int i = 1; i < f->count; i++) {
        struct candidate *c = &f->candidate[i];
        double lead = usual->seconds / c->seconds;
        for (int again = 0; !c->dropped && again < REPEATS && lead > margin; again++) {
            double now = duel(m, usual, c, seconds);
            lead = now < lead ? now : lead;
        }
        c->seconds = usual->seconds / lead;
    }
}

static void contest(struct field *f, struct measured *m, double seconds, double margin)
{
    probe(f, m);
    drop(f, hopeless, f->count);
    for (int round = 0; round < ROUNDS; round++) {
        turns(f, m, BLOCKS_A_ROUND, seconds / (ROUNDS + 1));
        drop(f, behind[round], left(f) / 2);
    }
    confirm(f, m, seconds / (ROUNDS + 1), margin);
}

static int count_of(const struct measured *m, enum tf_coll coll, size_t bytes)
{
    size_t parts = coll == TF_REDUCE_SCATTER || coll == TF_REDUCE_SCATTER_BLOCK ? (size_t)m->size : 1;
    size_t count = bytes / parts / m->with.extent;
    return m->call->in == NONE ? 0 : count < 1 ? 1 : (int)count;
}

static enum tf_coll collective(const char *name)
{
    for (int c = 0; c < TF_NCOLL; c++)
        if (!strcmp(tf_coll_name((enum tf_coll)c), name))
            return (enum tf_coll)c;
    fail("there is no such collective", name);
    return TF_NCOLL;
}

static void run_case(struct field *f, const char *which, double seconds, double margin)
{
    char name[40];
    size_t bytes;
    struct measured m = {.rank = rank, .size = size};
    if (sscanf(which, "%39[^:]:%zu", name, &bytes) != 2 || !(m.call = call_find(name)) ||
        reduction_find(&m.with, "sum"))
        fail("it is no COLLECTIVE:BYTES that can be measured", which);
    enum tf_coll coll = collective(name);
    if (f->coll != coll) {
        remove_all(f);
        add_all(f, coll);
    }
    m.count = count_of(&m, coll, bytes);
    measured_start(&m);
    contest(f, &m, seconds, margin);
    for (int i = 0; i < f->count; i++)
        if (rank == 0 && !f->candidate[i].dropped)
            printf("%s %zu %.4g %s\n", name, bytes, f->candidate[i].seconds, f->candidate[i].name);
    fflush(stdout);
    measured_end(&m);
    reduction_free(&m.with);
}

int main(int argc, char **argv)
{
    static struct field field = {.coll = TF_NCOLL};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 4)
        fail("it is started by 'treefold tune'", argv[0]);
    for (int i = 3; i < argc; i++)
        run_case(&field, argv[i], atof(argv[1]) / (argc - 3), atof(argv[2]));
    remove_all(&field);
    MPI_Finalize();
    return 0;
}
