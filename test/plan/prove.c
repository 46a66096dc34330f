/* prove.c - prove every registered algorithm: for every process count from 1 to 66, every root, in place and not; and
 * for some larger counts, around powers of two and not, with some roots.  Those for intercommunicators are proved for
 * every pair of groups of 1 to 9 processes, every root of both; those between neighbors for 1 to 24 processes in grids
 * of all kinds and in random graphs (graphs.h).  Plans that are the same for an operator that commutes as for one that
 * does not are proved for the latter alone, which is more.
 *
 *     prove [N [ALGORITHM]]        up to N processes, 257 by default; ALGORITHM is "reduce/binomial", say
 *
 * Prints a line an algorithm and "N passed, N failed"; exits with 1 if any failed.  A process proves one, as many at
 * once as there are processors: the order of the lines is that in which they end.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "algo/algo.h"
#include "algo/levels.h"
#include "graphs.h"
#include "plan/check.h"

enum { ALL_UP_TO = 66, ALL_GROUPS = 9, ALL_GRAPHS = 24, ALL_PLACED_UP_TO = 8 };

static const int parameters[] = {0, 3, 8};
static const int samples[] = {97, 127, 128, 129, 257, 511, 1000, 1024, 1030};

/* Placements of ranks in domains, for algorithms of two levels: one level; so many ranks each, adjacent or in turn; 1,
 * 2, 3, ... ranks; any. */
enum { ALL_PLACEMENTS_UP_TO = 24 }; /* three of them for more ranks */
enum { ONE_LEVEL, BLOCKS_2, BLOCKS_3, BLOCKS_4, TURNS_2, TURNS_3, GROWING, ANY, PLACEMENTS };
static const char *const placements[] = {"one level",         "blocks of 2",       "blocks of 3",     "blocks of 4",
                                         "2 domains in turn", "3 domains in turn", "growing domains", "any domains"};

static const int32_t *place(int placement, int size, int32_t *domain)
{
    int32_t number = 0, left = 1;

    for (int r = 0; r < size; r++, left--) {
        if (left == 0)
            left = ++number + 1;
        switch (placement) {
        case GROWING:
            domain[r] = number;
            break;
        case ANY:
            domain[r] = (int32_t)((r + 3) * 2654435761u >> 16) % size;
            domain[r] = domain[r] < 0 ? -domain[r] : domain[r];
            break;
        default:
            domain[r] = placement >= TURNS_2 ? r % (2 + placement - TURNS_2) : r / (2 + placement - BLOCKS_2);
        }
    }
    for (int r = 0; r < size; r++)
        domain[r] %= size;
    return placement == ONE_LEVEL ? NULL : domain;
}

/* Of the call that is being proved, where there are domains; test_levels.c shows that plans are the same without. */
static struct tf_levels_table *levels;

static void share_levels(const struct tf_algo *algo, const struct tf_contract *call)
{
    struct tf_shape shape = tf_contract_shape(call, 0, 0);
    bool scans = algo->coll == TF_SCAN || algo->coll == TF_EXSCAN;

    free(levels);
    levels = call->domain ? tf_algo_levels_share(&shape, scans || !call->commutes) : NULL;
}

/* How many of the parameters an algorithm is proved with: rules of selection give none to one that takes none, and
 * test_algo.c shows that it would make no difference. */
static size_t nparameters(const struct tf_algo *algo)
{
    return tf_algo_parameter(algo) ? TF_ARRAY_LEN(parameters) : 1;
}

/* The steps alone, which tells whether plans differ. */
static struct tf_plan *emit(const struct tf_algo *algo, const struct tf_contract *call, int rank, int parameter)
{
    struct tf_shape shape = tf_contract_shape(call, rank, parameter);
    struct tf_plan *plan = tf_plan_create();

    shape.levels = levels;
    if (plan)
        algo->generate(plan, &shape);
    if (!plan || plan->error == MPI_SUCCESS)
        return plan;
    tf_plan_destroy(plan);
    return NULL;
}

/* As far as the prover looks. */
static bool same_plan(const struct tf_plan *a, const struct tf_plan *b)
{
    if (a->nsteps != b->nsteps || a->nblocks != b->nblocks || a->ntemps != b->ntemps || a->alias != b->alias ||
        memcmp(a->temps, b->temps, sizeof a->temps) != 0)
        return false;
    for (uint32_t i = 0; i < a->nsteps; i++) {
        const struct tf_step *s = &a->steps[i], *t = &b->steps[i];
        if (s->kind != t->kind || s->side != t->side || s->echo != t->echo || s->peer != t->peer ||
            memcmp(&s->src, &t->src, sizeof s->src) != 0 || memcmp(&s->dst, &t->dst, sizeof s->dst) != 0)
            return false;
    }
    return true;
}

static bool reduces_in_order(const struct tf_algo *algo)
{
    return tf_contract_reduces(algo->coll) && !(algo->traits & TF_NEEDS_COMMUTATIVE);
}

/* That the operator commutes makes no difference to the plans, so that the proof for one that does not holds. */
static bool is_proved(const struct tf_algo *algo, const struct tf_contract *call)
{
    struct tf_contract ordered = *call;
    bool same = call->commutes && reduces_in_order(algo);

    ordered.commutes = false;
    for (size_t k = 0; same && k < nparameters(algo); k++)
        for (int rank = 0; same && rank < call->size; rank++) {
            struct tf_plan *a = emit(algo, call, rank, parameters[k]), *b = emit(algo, &ordered, rank, parameters[k]);
            same = a && b && same_plan(a, b);
            tf_plan_destroy(a);
            tf_plan_destroy(b);
        }
    return same;
}

/* Proves one call, for all parameters that make a difference.  False: wrong, and said why. */
static bool prove_call(const struct tf_algo *algo, const struct tf_contract *call, const char *placement, long *proofs)
{
    struct tf_plan **plans = calloc(2 * call->size, sizeof *plans), **usual = plans + call->size;
    bool right = plans != NULL;
    char words[4096];

    for (size_t k = 0; right && k < nparameters(algo); k++) {
        bool differs = k == 0;
        for (int rank = 0; rank < call->size; rank++) {
            struct tf_plan *plan = emit(algo, call, rank, parameters[k]);
            if (right && !plan)
                snprintf(words, sizeof words, "rank %d: no plan could be built", rank);
            right = right && plan;
            if (k == 0) {
                usual[rank] = plan;
                continue;
            }
            plans[rank] = plan;
            differs = differs || (right && !same_plan(plan, usual[rank]));
        }
        struct tf_plan **made = k == 0 ? usual : plans;
        for (int rank = 0; right && differs && rank < call->size; rank++)
            right = tf_plan_finish(made[rank]) == MPI_SUCCESS;
        const struct tf_plan *const *these = (const struct tf_plan *const *)made;
        if (right && differs) {
            bool fixed = k == 0 && (algo->traits & TF_GIVES_FIXED);
            right = (fixed ? tf_plan_check_fixed : tf_plan_check)(call, these, words, sizeof words);
            ++*proofs;
        }
        for (int rank = 0; k > 0 && rank < call->size; rank++)
            tf_plan_destroy(plans[rank]);
        if (!right)
            printf("not ok - %s/%s p=%d first=%d root=%d%s%s parameter=%d, %s: %s\n", tf_coll_name(call->coll),
                   algo->name, call->size, call->first, call->root, call->inplace ? " in place" : "",
                   call->commutes ? " commutative" : "", parameters[k], placement, words);
    }
    for (int rank = 0; plans && rank < call->size; rank++)
        tf_plan_destroy(usual[rank]);
    free(plans);
    return right;
}

/* The call in every placement that makes a difference. */
static bool prove_placements(const struct tf_algo *algo, struct tf_contract call, long *proofs)
{
    bool levels = algo->traits & TF_NEEDS_LEVELS;
    int32_t *domain = malloc((size_t)call.size * sizeof *domain);
    bool right = domain != NULL;

    for (int placement = 0; placement < (levels ? PLACEMENTS : 1) && right; placement++) {
        if (call.size > ALL_PLACEMENTS_UP_TO && placement != BLOCKS_4 && placement != TURNS_3 && placement != GROWING &&
            levels)
            continue;
        call.domain = place(placement, call.size, domain);
        share_levels(algo, &call);
        right = is_proved(algo, &call) || prove_call(algo, &call, placements[placement], proofs);
    }
    free(domain);
    return right;
}

/* `first`: ranks of an intercommunicator's first group, or 0. */
static bool prove_size(const struct tf_algo *algo, int size, int first, const int *roots, int nroots, long *proofs)
{
    enum tf_coll base = tf_coll_base(algo->coll);
    bool takes_inplace = !first && base != TF_BARRIER && base != TF_BCAST;

    for (int i = 0; i < nroots; i++)
        for (int inplace = 0; inplace <= takes_inplace; inplace++)
            for (int commutes = !reduces_in_order(algo); commutes <= 1; commutes++) {
                struct tf_contract call = {.coll = algo->coll,
                                           .size = size,
                                           .root = roots[i],
                                           .inplace = inplace,
                                           .commutes = commutes,
                                           .elementwise = (algo->traits & TF_NEEDS_ELEMENTWISE) != 0,
                                           .first = first};
                if (!prove_placements(algo, call, proofs))
                    return false;
            }
    return true;
}

static bool prove_between_groups(const struct tf_algo *algo, int max_size, const int *roots)
{
    int largest = max_size < ALL_GROUPS ? max_size : ALL_GROUPS;
    long proofs = 0;

    for (int first = 1; first <= largest; first++)
        for (int second = 1; second <= largest; second++) {
            int size = first + second;
            if (!prove_size(algo, size, first, roots, tf_coll_is_rooted(algo->coll) ? size : 1, &proofs))
                return false;
        }
    printf("ok - %s/%s p=1..%d in each group, %ld calls\n", tf_coll_name(algo->coll), algo->name, largest, proofs);
    return true;
}

/* In every placement that makes a difference. */
static bool prove_placed(const struct tf_algo *algo, struct tf_contract call, const char *topology, long *proofs)
{
    int32_t domain[ALL_GRAPHS];
    bool right = true;

    for (int placement = 0; right && placement < (algo->traits & TF_NEEDS_LEVELS ? PLACEMENTS : 1); placement++) {
        char words[200];
        if ((algo->traits & TF_NEEDS_LEVELS) && call.size > ALL_PLACED_UP_TO && placement != BLOCKS_4 &&
            placement != ANY)
            continue;
        call.near = NULL;
        call.domain = place(placement, call.size, domain);
        void *near = call.domain ? tf_contract_set_near(&call) : NULL;
        share_levels(algo, &call);
        snprintf(words, sizeof words, "%s, %s", topology, placements[placement]);
        right = (near || !call.domain) && prove_call(algo, &call, words, proofs);
        free(near);
    }
    return right;
}

static bool prove_on_graphs(const struct tf_algo *algo, int max_size)
{
    int largest = max_size < ALL_GRAPHS ? max_size : ALL_GRAPHS;
    struct graphs graphs;
    char words[100];
    long proofs = 0;
    bool right = true;

    for (int size = 1; size <= largest; size++)
        for (int i = 0; right && graphs_make(&graphs, size, i, words, sizeof words); i++) {
            struct tf_contract call = {.coll = algo->coll, .size = size, .commutes = true, .elementwise = true};
            call.neighbors = graphs.neighbors;
            right = prove_placed(algo, call, words, &proofs);
            graphs_free(&graphs);
        }
    if (right)
        printf("ok - %s/%s p=1..%d, %ld topologies\n", tf_coll_name(algo->coll), algo->name, largest, proofs);
    return right;
}

static bool prove_algorithm(const struct tf_algo *algo, int max_size)
{
    int roots[ALL_UP_TO], largest = 0;
    long proofs = 0;

    for (int i = 0; i < ALL_UP_TO; i++)
        roots[i] = i;
    if (tf_coll_is_inter(algo->coll))
        return prove_between_groups(algo, max_size, roots);
    if (tf_coll_is_neighbor(algo->coll))
        return prove_on_graphs(algo, max_size);
    for (int size = 1; size <= ALL_UP_TO && size <= max_size; size++) {
        if (!tf_algo_fits(algo, size, true, true))
            continue;
        if (!prove_size(algo, size, 0, roots, tf_coll_is_rooted(algo->coll) ? size : 1, &proofs))
            return false;
        largest = size;
    }
    printf("ok - %s/%s %s p=1..%d%s", tf_coll_name(algo->coll), algo->name,
           algo->traits & TF_GIVES_FIXED ? " (fixed)" : "", largest,
           algo->traits & TF_NEEDS_POWER_OF_TWO ? " (powers of two)" : "");
    for (size_t i = 0; i < TF_ARRAY_LEN(samples) && samples[i] <= max_size; i++) {
        const int some[] = {0, 1, samples[i] / 2, samples[i] - 1};
        if (!tf_algo_fits(algo, samples[i], true, true))
            continue;
        if (!prove_size(algo, samples[i], 0, some, tf_coll_is_rooted(algo->coll) ? TF_ARRAY_LEN(some) : 1, &proofs))
            return false;
        printf(",%d", samples[i]);
    }
    printf(", %ld calls\n", proofs);
    return true;
}

static void name_of(const struct tf_algo *algo, char name[128])
{
    snprintf(name, 128, "%s/%s", tf_coll_name(algo->coll), algo->name);
}

/* ---- a process each ---- */

enum { MOST_PROVERS = 64 };
static struct {
    pid_t pid; /* 0: nobody */
    const struct tf_algo *algo;
} provers[MOST_PROVERS];
static int passed, failed;

static void prove(int prover, const struct tf_algo *algo, int max_size)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        bool right = prove_algorithm(algo, max_size);
        exit(right && fflush(stdout) == 0 ? 0 : 1);
    }
    if (pid < 0) {
        perror("prove: fork");
        exit(2);
    }
    provers[prover].pid = pid;
    provers[prover].algo = algo;
}

/* Wait for one of them; who it was, or -1 if there is nobody. */
static int await_prover(void)
{
    int status, prover = 0;
    pid_t pid = wait(&status);
    if (pid < 0)
        return -1;
    while (provers[prover].pid != pid)
        prover++;
    if (WIFSIGNALED(status)) {
        char name[128];
        name_of(provers[prover].algo, name);
        printf("not ok - %s: ended by signal %d\n", name, WTERMSIG(status));
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        passed++;
    else
        failed++;
    provers[prover].pid = 0;
    return prover;
}

int main(int argc, char **argv)
{
    int max_size = argc > 1 ? atoi(argv[1]) : 257, busy = 0;
    long n = sysconf(_SC_NPROCESSORS_ONLN);

    n = n < 1 ? 1 : n > MOST_PROVERS ? MOST_PROVERS : n;
    if (max_size < 1) {
        fprintf(stderr, "prove: the number of processes is \"%s\"; it must be at least 1\n", argv[1]);
        return 2;
    }
    for (int i = 0; i < tf_algo_count; i++) {
        char name[128];
        name_of(&tf_algos[i], name);
        if (argc <= 2 || strcmp(argv[2], name) == 0)
            prove(busy < n ? busy++ : await_prover(), &tf_algos[i], max_size);
    }
    while (await_prover() >= 0)
        ;
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
