/* circulant.c - rounds between ranks at one distance.  See circulant.h. */
#include "algo/circulant.h"

void tf_algo_run_send(struct tf_plan *plan, int peer, int buffer, int first, int count)
{
    struct tf_ref rest = tf_algo_run_rest(plan, buffer, first, count);

    tf_plan_send(plan, peer, tf_algo_run(plan, buffer, first, count));
    if (rest.count > 0)
        tf_plan_send(plan, peer, rest);
}

void tf_algo_run_recv(struct tf_plan *plan, int peer, int buffer, int first, int count)
{
    struct tf_ref rest = tf_algo_run_rest(plan, buffer, first, count);

    tf_plan_recv(plan, peer, tf_algo_run(plan, buffer, first, count));
    if (rest.count > 0)
        tf_plan_recv(plan, peer, rest);
}

void tf_algo_circulant_gather(struct tf_plan *plan, int rank)
{
    int p = plan->nblocks, left[TF_CIRCULANT_MAX_ROUNDS + 1];

    for (int k = tf_algo_circulant_rounds(p, left) - 1; k >= 0; k--) {
        int distance = left[k + 1], count = left[k] - distance, above = (int)(((int64_t)rank + distance) % p);
        tf_algo_run_send(plan, (rank - distance + p) % p, TF_OUTPUT, rank, count);
        tf_algo_run_recv(plan, above, TF_OUTPUT, above, count);
    }
}
