/* treefold_plan.c - treefold plan: the plans of a collective call, printed, proved, priced and drawn.
 *
 * Small calls keep the finished plans of all ranks, for the prover.  In large ones each rank's plan is generated,
 * handed to the pricing, and forgotten; and not finished either, as the builder's work goes with the number of blocks,
 * of which some algorithms have as many as ranks.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "algo/levels.h"
#include "cmd/treefold.h"
#include "plan/check.h"
#include "plan/draw.h"
#include "plan/dump.h"

/* Of all ranks.  Pricing takes up to 60 bytes a step; the prover's time goes with the blocks that steps name. */
#define MAX_PRICED_STEPS 120e6
#define MAX_PROVED_BLOCKS 3e6
enum { MAX_PROVED_RANKS = 1100, MAX_PRINTED_RANKS = 4, MAX_PRINTED_STEPS = 64, SAMPLES = 16 };

static struct tf_plan *generate(const struct tf_plan_request *q, const struct tf_algo *algo, int32_t rank)
{
    const struct tf_contract *call = &q->call;
    struct tf_shape shape = tf_contract_shape(call, rank, q->parameter);
    struct tf_plan *plan = tf_plan_create();

    shape.levels = q->levels;
    if (plan)
        algo->generate(plan, &shape);
    if (!plan || plan->error)
        tf_cmd_plan_refuse("rank %d: %s", rank, tf_error_text(plan ? plan->error : MPI_ERR_NO_MEM));
    return plan;
}

static void finish(struct tf_plan *plan)
{
    int error = tf_plan_finish(plan);

    if (error)
        tf_cmd_plan_refuse("%s", tf_error_text(error));
}

struct work {
    double steps, blocks; /* that the steps name; a signal counts as one */
};

static struct work work_of(const struct tf_plan_request *q, const struct tf_algo *algo, int32_t rank)
{
    struct tf_plan *plan = generate(q, algo, rank);
    struct work work = {plan->nsteps, plan->nsteps};

    for (uint32_t i = 0; i < plan->nsteps; i++)
        work.blocks += plan->steps[i].src.count + plan->steps[i].dst.count;
    tf_plan_destroy(plan);
    return work;
}

/* The work of all ranks, from a sample of them: of the root, which may have much more than the others, and of these. */
static struct work estimate(const struct tf_plan_request *q, const struct tf_algo *algo)
{
    int32_t others = q->call.size - 1, samples = others < SAMPLES ? others : SAMPLES;
    struct work sum = work_of(q, algo, q->call.root);

    for (int32_t i = 0; i < samples; i++) {
        int64_t rank = q->call.root + 1 + (int64_t)i * others / samples;
        struct work work = work_of(q, algo, (int32_t)(rank % q->call.size));
        sum.steps += work.steps / samples * others;
        sum.blocks += work.blocks / samples * others;
    }
    return sum;
}

/* ---- numbers for the eye ---- */

static const char *time_text(double seconds, char text[32])
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
    size_t i = 0;

    while (i + 1 < TF_ARRAY_LEN(units) && seconds < units[i].unit)
        i++;
    snprintf(text, 32, "%.4g %s", seconds / units[i].unit, units[i].name);
    return text;
}

const char *tf_cmd_bytes_text(double bytes, char text[32])
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t i = 0;

    for (; bytes >= 1024 && i + 1 < TF_ARRAY_LEN(names); i++)
        bytes /= 1024;
    snprintf(text, 32, "%.4g %s", bytes, names[i]);
    return text;
}

static const char *call_text(const struct tf_plan_request *q, char *text, size_t capacity)
{
    char groups[64] = "", root[32] = "", data[96] = "", bytes[32];

    if (q->call.first)
        snprintf(groups, sizeof groups, " in groups of %d and %d", q->call.first, q->call.size - q->call.first);
    if (q->call.root > 0)
        snprintf(root, sizeof root, ", root %d", q->call.root);
    if (tf_coll_base(q->call.coll) != TF_BARRIER)
        snprintf(data, sizeof data, ", %lld element%s of %zu byte%s (%s)", (long long)q->count,
                 q->count == 1 ? "" : "s", q->unit, q->unit == 1 ? "" : "s",
                 tf_cmd_bytes_text((double)q->count * (double)q->unit, bytes));
    snprintf(text, capacity, "%d rank%s%s%s%s%s", q->call.size, q->call.size == 1 ? "" : "s", groups, root, data,
             q->call.inplace ? ", in place" : "");
    return text;
}

static const char *network_text(const struct tf_price_model *m, char *text, size_t capacity)
{
    const struct tf_network *n = m->network;
    char shape[128] = "";

    if (n->topology == TF_FAT_TREE)
        snprintf(shape, sizeof shape, " of %d levels, %d ports, taper %g", n->levels, n->ports, n->taper);
    else if (n->topology == TF_DRAGONFLY)
        snprintf(shape, sizeof shape, " of %d groups, %d routers, %d hosts and %d global links each", n->groups,
                 n->routers, n->hosts, n->global);
    else if (n->topology == TF_TORUS)
        for (int32_t d = 0; d < n->ndims; d++)
            snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%s%d", d ? "x" : " of ", n->dims[d]);
    snprintf(text, capacity, "%s%s; %d port%s a node, hop %g us, links %g, bus %g ns/byte",
             tf_network_topology(n->topology), shape, m->nics, m->nics == 1 ? "" : "s", m->hop_latency * 1e6,
             m->link_gap_per_byte * 1e9, m->bus_per_byte * 1e9);
    return text;
}

static const char *model_text(const struct tf_price_model *m, char *text, size_t capacity)
{
    char network[256];

    snprintf(text, capacity,
             "LogGP: L %g us, o %g us, g %g us, G %g ns/byte; reduce %g, copy %g ns/byte; chunks of %zu bytes",
             m->latency * 1e6, m->overhead * 1e6, m->gap * 1e6, m->gap_per_byte * 1e9, m->reduce_per_byte * 1e9,
             m->copy_per_byte * 1e9, m->chunk);
    size_t used = strlen(text);
    if (m->domain)
        snprintf(text + used, capacity - used, "; within a %s L %g, o %g, g %g us, G %g ns/byte",
                 m->network ? "node" : "domain", m->local_latency * 1e6, m->local_overhead * 1e6, m->local_gap * 1e6,
                 m->local_gap_per_byte * 1e9);
    used = strlen(text);
    if (m->network)
        snprintf(text + used, capacity - used, "; %s", network_text(m, network, sizeof network));
    return text;
}

/* ---- treefold plan ---- */

static void list_algorithms(void)
{
    for (int coll = 0; coll < TF_NKINDS; coll++) {
        if (!tf_coll_exists(coll))
            continue;
        printf("%s\n", tf_coll_name(coll));
        for (int i = 0; i < tf_algo_count; i++) {
            char needs[256];
            if ((int)tf_algos[i].coll != coll)
                continue;
            if (*tf_algo_needs(&tf_algos[i], needs, sizeof needs))
                printf("    %-26s  needs %s\n", tf_algos[i].name, needs);
            else
                printf("    %s\n", tf_algos[i].name);
        }
    }
    printf("\n'treefold plan COLLECTIVE --algo NAME --np P --count N' shows one; 'treefold plan --help' tells more\n");
}

/* ---- treefold plan COLLECTIVE ---- */

/* What a call costs, from plans that are there or, where `plans` is NULL, are made one by one.  `sample`: of the ranks
 * of one node, which then stand for all.  NULL: it cannot be priced, and the error says why. */
static struct tf_price *price_call(const struct tf_plan_request *q, const struct tf_algo *algo,
                                   struct tf_plan *const *plans, bool sample, struct tf_price_result *result)
{
    struct tf_price_data data = {q->call.coll, q->count, q->unit};
    struct tf_price_model model = q->model;
    int32_t count = sample ? q->ranks_per_node : q->call.size;

    model.sample = sample ? count : 0;
    struct tf_price *price = tf_price_create(&model, &data, q->call.size, q->svg != NULL);
    int error = price ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    int32_t first = price ? tf_price_first(price) : 0;
    for (int32_t rank = first; rank < first + count && !error; rank++) {
        struct tf_plan *plan = plans ? plans[rank] : generate(q, algo, rank);
        error = tf_price_add(price, plan);
        if (!plans)
            tf_plan_destroy(plan);
    }
    if (!error)
        error = tf_price_run(price, result);
    if (error == MPI_SUCCESS)
        return price;
    tf_price_destroy(price);
    if (!sample)
        tf_cmd_plan_refuse("%s/%s: %s", tf_coll_name(q->call.coll), algo->name, tf_error_text(error));
    return NULL;
}

/* Too many steps for all ranks, but not for those of one node, of which all are alike; steps are those of all. */
static bool can_sample(const struct tf_plan_request *q, double steps)
{
    int32_t each = q->ranks_per_node, size = q->call.size;
    return !q->call.neighbors && size % each == 0 && size > each && steps / size * each <= MAX_PRICED_STEPS;
}

/* How a call can be priced, if at all. */
static struct tf_price *price_somehow(const struct tf_plan_request *q, const struct tf_algo *algo,
                                      struct tf_plan *const *plans, double steps, struct tf_price_result *result)
{
    if (steps <= MAX_PRICED_STEPS)
        return price_call(q, algo, plans, false, result);
    return can_sample(q, steps) ? price_call(q, algo, NULL, true, result) : NULL;
}

/* What is busiest, and for how much of the time; where nothing is for half of it, the call waits for messages. */
static const char *bound(const struct tf_price_result *r, char text[32])
{
    const struct {
        const char *name;
        double busy;
    } kinds[] = {{"processor", r->processor.busy},
                 {"memory port", r->port.busy},
                 {"node port", r->nic.busy},
                 {"memory bus", r->bus.busy},
                 {"link", r->link.busy}};
    size_t most = 0;

    for (size_t i = 1; i < TF_ARRAY_LEN(kinds); i++)
        most = kinds[i].busy > kinds[most].busy ? i : most;
    if (!(kinds[most].busy >= r->last / 2))
        return "waiting";
    double share = 100 * kinds[most].busy / r->last;
    snprintf(text, 32, "%s %.0f%%", kinds[most].name, share > 100 ? 100 : share);
    return text;
}

static void print_row(const struct tf_algo *algo, const struct tf_price_result *r, bool sampled)
{
    char time[32], sent[32], received[32], scratch[32], most[32];

    printf("    %-26s %s%10s  %8u  %14s  %14s  %14s  %s\n", algo->name, sampled ? "~" : " ", time_text(r->last, time),
           r->rounds, tf_cmd_bytes_text((double)r->sent.max, sent),
           tf_cmd_bytes_text((double)r->received.max, received), tf_cmd_bytes_text((double)r->scratch.max, scratch),
           bound(r, most));
}

struct ranked {
    const struct tf_algo *algo;
    double time;
};

static int by_time(const void *a, const void *b)
{
    double x = ((const struct ranked *)a)->time, y = ((const struct ranked *)b)->time;
    return (x > y) - (x < y);
}

/* Who wins, and by how much. */
static void print_ranking(struct ranked *ranked, int n)
{
    enum { SHOWN = 4 };

    if (n < 2)
        return;
    qsort(ranked, (size_t)n, sizeof *ranked, by_time);
    printf("\nFastest is %s", ranked[0].algo->name);
    for (int i = 1; i < n && i < SHOWN; i++)
        printf("%s %s takes %.2f times as long", i == 1 ? ";" : ",", ranked[i].algo->name,
               ranked[0].time > 0 ? ranked[i].time / ranked[0].time : 1);
    printf("\n");
}

static void compare(const struct tf_plan_request *q)
{
    struct ranked *ranked = calloc((size_t)tf_algo_count, sizeof *ranked);
    char text[512];
    int n = 0;

    if (!ranked)
        tf_cmd_plan_refuse("there is no memory to compare algorithms");
    printf("%s on %s\n", tf_coll_name(q->call.coll), call_text(q, text, sizeof text));
    printf("%s\n\n", model_text(&q->model, text, sizeof text));
    printf("    %-26s  %10s  %8s  %14s  %14s  %14s  %s\n", "algorithm", "time", "rounds", "sent, most",
           "received, most", "scratch, most", "busiest");
    for (int i = 0; i < tf_algo_count; i++) {
        const struct tf_algo *algo = &tf_algos[i];
        struct tf_price_result r;
        if (algo->coll != q->call.coll)
            continue;
        if (!tf_algo_fits(algo, q->call.size, q->call.commutes, q->call.elementwise)) {
            printf("    %-26s  needs %s\n", algo->name, tf_algo_needs(algo, text, sizeof text));
            continue;
        }
        double steps = estimate(q, algo).steps;
        struct tf_price *price = price_somehow(q, algo, NULL, steps, &r);
        if (price) {
            print_row(algo, &r, steps > MAX_PRICED_STEPS);
            ranked[n++] = (struct ranked){algo, r.last};
        } else
            printf("    %-26s  about %.2g steps, too many to price\n", algo->name, steps);
        tf_price_destroy(price);
        fflush(stdout);
    }
    print_ranking(ranked, n);
    free(ranked);
}

/* ---- treefold plan COLLECTIVE --algo NAME ---- */

static void print_plan(const struct tf_plan_request *q, const struct tf_plan *plan, int32_t rank)
{
    printf("\nRank %d: ", rank);
    if (plan->nsteps > MAX_PRINTED_STEPS && q->rank < 0)
        printf("%u steps; --rank %d prints them\n", plan->nsteps, rank);
    else
        tf_plan_dump(plan, stdout);
}

static void print_one(const struct tf_plan_request *q, int32_t rank)
{
    struct tf_plan *plan = generate(q, q->algo, rank);

    finish(plan);
    print_plan(q, plan, rank);
    tf_plan_destroy(plan);
}

/* All ranks' plans, finished. */
static struct tf_plan **make_plans(const struct tf_plan_request *q)
{
    struct tf_plan **plans = calloc((size_t)q->call.size, sizeof *plans);

    if (!plans)
        tf_cmd_plan_refuse("there is no memory for the plans of %d ranks", q->call.size);
    for (int32_t rank = 0; rank < q->call.size; rank++) {
        plans[rank] = generate(q, q->algo, rank);
        finish(plans[rank]);
    }
    return plans;
}

static bool prove(const struct tf_plan_request *q, struct tf_plan **plans)
{
    char words[4096];
    bool right = tf_plan_check(&q->call, (const struct tf_plan *const *)plans, words, sizeof words);

    if (right)
        printf("\nProof     right on every rank; no rank waits for ever, whether sends wait or not\n");
    else
        printf("\nProof     WRONG: %s\n", words);
    return right;
}

typedef const char *describe(double amount, char text[32]);

static const char *number_text(double number, char text[32])
{
    snprintf(text, 32, "%.*g", number < 1e4 ? 4 : 15, number);
    return text;
}

static void print_each(const char *what, const struct tf_price_each *each, int32_t size, describe *say)
{
    char most[32], mean[32];

    say((double)each->max, most);
    if (each->total == each->max * (uint64_t)size)
        printf("    %-10s  %s on every rank\n", what, most);
    else
        printf("    %-10s  %s a rank on average; the most is %s, on rank %d\n", what,
               say((double)each->total / size, mean), most, each->rank);
}

static void print_share(const char *what, const struct tf_price_busy *busy, const struct tf_price_result *r,
                        const char *which)
{
    if (busy->busy > 0)
        printf("    %-10s  %.3g%% of the time, at the most, at %s\n", what, 100 * busy->busy / r->last, which);
}

/* How busy what is busiest of each kind is. */
static void print_busy(const struct tf_plan_request *q, const struct tf_price_result *r)
{
    const struct tf_network *network = q->model.network;
    char which[128];

    snprintf(which, sizeof which, "rank %lld", (long long)r->processor.which);
    print_share("processor", &r->processor, r, which);
    if (!network)
        return;
    snprintf(which, sizeof which, "node %lld", (long long)r->nic.which);
    print_share("node port", &r->nic, r, which);
    snprintf(which, sizeof which, "node %lld", (long long)r->bus.which);
    print_share("memory bus", &r->bus, r, which);
    if (r->link.busy > 0)
        print_share(
            "link", &r->link, r,
            tf_network_name(network, (q->call.size - 1) / q->ranks_per_node + 1, r->link.which, which, sizeof which));
}

static void print_price(const struct tf_plan_request *q, const struct tf_price_result *r)
{
    char text[512], first[32], mean[32];
    int32_t p = q->call.size;

    printf("\nPrice     %s\n", model_text(&q->model, text, sizeof text));
    time_text(r->last, text);
    if (r->last - r->first <= 1e-9 * r->last)
        printf("    %-10s  %s on every rank\n", "time", text);
    else
        printf("    %-10s  %s until the last rank ends, rank %d; the first ends after %s, the mean is %s\n", "time",
               text, r->last_rank, time_text(r->first, first), time_text(r->mean, mean));
    printf("    %-10s  %u, the longest chain of messages of which each waits for the one before\n", "rounds",
           r->rounds);
    print_each("steps", &r->steps, p, number_text);
    print_each("messages", &r->messages, p, number_text);
    if (tf_coll_base(q->call.coll) != TF_BARRIER) {
        print_each("sent", &r->sent, p, tf_cmd_bytes_text);
        print_each("received", &r->received, p, tf_cmd_bytes_text);
    }
    if (tf_contract_reduces(q->call.coll))
        print_each("combined", &r->combined, p, tf_cmd_bytes_text);
    print_each("copied", &r->copied, p, tf_cmd_bytes_text);
    print_each("scratch", &r->scratch, p, tf_cmd_bytes_text);
    print_busy(q, r);
}

static void draw(const struct tf_plan_request *q, const struct tf_price *price, const struct tf_price_result *result)
{
    char call[192], title[256], model[512];
    FILE *stream = fopen(q->svg, "w");

    if (!stream)
        tf_cmd_plan_refuse("cannot write %s: %s", q->svg, strerror(errno));
    snprintf(title, sizeof title, "%s/%s, %s", tf_coll_name(q->call.coll), q->algo->name,
             call_text(q, call, sizeof call));
    tf_plan_draw(price, result, title, model_text(&q->model, model, sizeof model), stream);
    bool written = !ferror(stream);
    if (fclose(stream) != 0 || !written)
        tf_cmd_plan_refuse("cannot write %s: %s", q->svg, strerror(errno));
    printf("\nTimeline drawn to %s\n", q->svg);
}

static int show(const struct tf_plan_request *q)
{
    int32_t size = q->call.size;
    struct work work = estimate(q, q->algo);
    bool right = true, keep = size <= MAX_PROVED_RANKS && work.blocks <= MAX_PROVED_BLOCKS;
    char text[256];

    if (q->svg && size > TF_DRAW_MAX_LANES)
        tf_cmd_plan_refuse("--svg draws up to %d ranks; there are %d", TF_DRAW_MAX_LANES, size);
    printf("%s/%s on %s\n", tf_coll_name(q->call.coll), q->algo->name, call_text(q, text, sizeof text));
    struct tf_plan **plans = keep ? make_plans(q) : NULL;
    if (q->rank < 0 && size <= MAX_PRINTED_RANKS && keep)
        for (int32_t rank = 0; rank < size; rank++)
            print_plan(q, plans[rank], rank);
    else
        print_one(q, q->rank < 0 ? 0 : q->rank);
    if (q->check && keep)
        right = prove(q, plans);
    else if (q->check)
        printf("\nProof     left out, being large: it is made for up to %d ranks whose steps name up to %.2g blocks in "
               "all\n",
               MAX_PROVED_RANKS, MAX_PROVED_BLOCKS);
    else
        printf("\nProof     left out, as --no-check says\n");
    struct tf_price_result result;
    struct tf_price *price = right ? price_somehow(q, q->algo, plans, work.steps, &result) : NULL;
    if (right && !price)
        tf_cmd_plan_refuse("the plans have about %.2g steps; up to %.2g can be priced, or those of one node where all "
                           "do the same",
                           work.steps, MAX_PRICED_STEPS);
    if (price && work.steps > MAX_PRICED_STEPS)
        printf("\nPriced are the %d ranks of one node, which stand for all.\n", q->ranks_per_node);
    if (price)
        print_price(q, &result);
    if (right && q->svg)
        draw(q, price, &result);
    tf_price_destroy(price);
    for (int32_t rank = 0; plans && rank < size; rank++)
        tf_plan_destroy(plans[rank]);
    free(plans);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* As in tf_shape; the caller's to free. */
static int32_t *make_domains(const struct tf_plan_request *q)
{
    int32_t each = q->model.network ? q->ranks_per_node : q->each;
    int32_t *domain = each ? malloc((size_t)q->call.size * sizeof *domain) : NULL;

    if (each && !domain)
        tf_cmd_plan_refuse("there is no memory for the domains of %d ranks", q->call.size);
    for (int32_t rank = 0; domain && rank < q->call.size; rank++)
        domain[rank] = rank / each;
    return domain;
}

static struct tf_levels_table *share_levels(const struct tf_plan_request *q)
{
    struct tf_shape shape = tf_contract_shape(&q->call, 0, 0);
    struct tf_levels_table *levels = tf_algo_levels_share(&shape, false);

    if (!levels)
        tf_cmd_plan_refuse("%s", tf_error_text(MPI_ERR_NO_MEM));
    return levels;
}

int tf_cmd_plan(int argc, char **argv)
{
    struct tf_plan_request request;
    int status = EXIT_SUCCESS;

    tf_cmd_plan_parse(argc, argv, &request);
    int32_t *domain = request.list || request.memory ? NULL : make_domains(&request);
    request.model.domain = domain;
    request.call.domain = request.ranks_per_node > 1 || request.each ? domain : NULL;
    if (request.grid.ndims)
        tf_cmd_plan_grid(&request);
    struct tf_levels_table *levels = request.call.domain ? share_levels(&request) : NULL;
    request.levels = levels;
    if (request.list)
        list_algorithms();
    else if (request.memory)
        tf_cmd_plan_memory(&request);
    else if (request.grid_only)
        status = EXIT_SUCCESS;
    else if (request.algo)
        status = show(&request);
    else
        compare(&request);
    free(levels);
    tf_cmd_plan_grid_free(&request);
    free(domain);
    if (fflush(stdout) != 0)
        tf_cmd_plan_refuse("cannot write the output: %s", strerror(errno));
    return status;
}
