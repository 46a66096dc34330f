/* prove.c - prove every registered algorithm: for every process count from 1 to 66, every root, in place and not; and
 * for some larger counts, around powers of two and not, with some roots.
 *
 *     prove [N [ALGORITHM]]        up to N processes, 257 by default; ALGORITHM is "reduce/binomial", say
 *
 * Prints a line an algorithm and "N passed, N failed"; exits with 1 if any failed.
 */
#include <stdio.h>

#include "algo/algo.h"
#include "plan/check.h"

enum { ALL_UP_TO = 66 };

static const int radices[] = {0, 3, 8};
static const int samples[] = {97, 127, 128, 129, 257, 511, 1000, 1024, 1030};

static bool rooted(enum tf_coll coll)
{
    return coll == TF_BCAST || coll == TF_REDUCE || (coll >= TF_GATHER && coll <= TF_SCATTERV);
}

static struct tf_plan *generate(const struct tf_algo *algo, const struct tf_contract *call, int rank, int radix)
{
    struct tf_shape shape = {rank, call->size, call->root, tf_contract_inplace(call, rank), call->commutes, radix};
    struct tf_plan *plan = tf_plan_create();

    if (!plan)
        return NULL;
    algo->generate(plan, &shape);
    if (tf_plan_finish(plan) == MPI_SUCCESS)
        return plan;
    tf_plan_destroy(plan);
    return NULL;
}

static bool same_steps(const struct tf_plan *a, const struct tf_plan *b)
{
    if (a->nsteps != b->nsteps)
        return false;
    for (uint32_t i = 0; i < a->nsteps; i++) {
        const struct tf_step *s = &a->steps[i], *t = &b->steps[i];
        if (s->kind != t->kind || s->peer != t->peer || memcmp(&s->src, &t->src, sizeof s->src) != 0 ||
            memcmp(&s->dst, &t->dst, sizeof s->dst) != 0)
            return false;
    }
    return true;
}

/* Proves one call, for all radices that make a difference.  0: wrong, and said why; else the number of proofs. */
static int prove_call(const struct tf_algo *algo, const struct tf_contract *call)
{
    struct tf_plan **plans = calloc(2 * call->size, sizeof *plans), **usual = plans + call->size;
    int proofs = 0;
    bool right = plans != NULL;
    char words[4096];

    for (size_t k = 0; right && k < TF_ARRAY_LEN(radices); k++) {
        bool differs = k == 0;
        for (int rank = 0; rank < call->size; rank++) {
            struct tf_plan *plan = generate(algo, call, rank, radices[k]);
            snprintf(words, sizeof words, "rank %d: no plan could be built", rank);
            right = right && plan;
            if (k == 0) {
                usual[rank] = plan;
                continue;
            }
            plans[rank] = plan;
            differs = differs || (right && !same_steps(plan, usual[rank]));
        }
        const struct tf_plan *const *these = (const struct tf_plan *const *)(k == 0 ? usual : plans);
        if (right && differs) {
            bool fixed = k == 0 && (algo->needs & TF_GIVES_FIXED);
            right = (fixed ? tf_plan_check_fixed : tf_plan_check)(call, these, words, sizeof words);
            proofs++;
        }
        for (int rank = 0; k > 0 && rank < call->size; rank++)
            tf_plan_destroy(plans[rank]);
        if (!right)
            printf("not ok - %s/%s p=%d root=%d%s%s radix=%d: %s\n", tf_coll_name(call->coll), algo->name, call->size,
                   call->root, call->inplace ? " in place" : "", call->commutes ? " commutative" : "", radices[k],
                   words);
    }
    for (int rank = 0; plans && rank < call->size; rank++)
        tf_plan_destroy(usual[rank]);
    free(plans);
    return right ? proofs : 0;
}

static int prove_size(const struct tf_algo *algo, int size, const int *roots, int nroots)
{
    bool reduces = tf_contract_reduces(algo->coll), takes_inplace = algo->coll != TF_BARRIER && algo->coll != TF_BCAST;
    int proofs = 0;

    for (int i = 0; i < nroots; i++)
        for (int inplace = 0; inplace <= takes_inplace; inplace++)
            for (int commutes = !reduces || (algo->needs & TF_NEEDS_COMMUTATIVE); commutes <= 1; commutes++) {
                struct tf_contract call = {algo->coll, size,     roots[i],
                                           inplace,    commutes, (algo->needs & TF_NEEDS_ELEMENTWISE) != 0};
                int n = prove_call(algo, &call);
                if (n == 0)
                    return 0;
                proofs += n;
            }
    return proofs;
}

static bool prove_algorithm(const struct tf_algo *algo, int max_size)
{
    int roots[ALL_UP_TO], largest = 0;
    long proofs = 0;

    for (int i = 0; i < ALL_UP_TO; i++)
        roots[i] = i;
    for (int size = 1; size <= ALL_UP_TO && size <= max_size; size++) {
        if (!tf_algo_fits(algo, size, true, true))
            continue;
        int n = prove_size(algo, size, roots, rooted(algo->coll) ? size : 1);
        if (n == 0)
            return false;
        proofs += n;
        largest = size;
    }
    printf("ok - %s/%s %s p=1..%d%s", tf_coll_name(algo->coll), algo->name,
           algo->needs & TF_GIVES_FIXED ? " (fixed)" : "", largest,
           algo->needs & TF_NEEDS_POWER_OF_TWO ? " (powers of two)" : "");
    for (size_t i = 0; i < TF_ARRAY_LEN(samples) && samples[i] <= max_size; i++) {
        const int some[] = {0, 1, samples[i] / 2, samples[i] - 1};
        if (!tf_algo_fits(algo, samples[i], true, true))
            continue;
        int n = prove_size(algo, samples[i], some, rooted(algo->coll) ? TF_ARRAY_LEN(some) : 1);
        if (n == 0)
            return false;
        proofs += n;
        printf(",%d", samples[i]);
    }
    printf(", %ld calls\n", proofs);
    return true;
}

int main(int argc, char **argv)
{
    int max_size = argc > 1 ? atoi(argv[1]) : 257, passed = 0, failed = 0;

    if (max_size < 1) {
        fprintf(stderr, "prove: the number of processes is \"%s\"; it must be at least 1\n", argv[1]);
        return 2;
    }
    for (int i = 0; i < tf_nalgos; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s/%s", tf_coll_name(tf_algos[i].coll), tf_algos[i].name);
        if (argc > 2 && strcmp(argv[2], name) != 0)
            continue;
        if (prove_algorithm(&tf_algos[i], max_size))
            passed++;
        else
            failed++;
        fflush(stdout);
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
