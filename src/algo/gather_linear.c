/* gather_linear.c - every rank sends its block to the root.  One round, all blocks into the root.  Gather and gatherv.
 *
 *     window 2:   rank 1 ==========>|
 *                 rank 2 ============>|
 *                 rank 3            |-- go -->==========>      so only two blocks come at a time
 *                 rank 4              |-- go -->==========>
 *
 * With a window of w, from which rank i after the root waits for a signal that the root sends when it has the block of
 * rank i-w and of those before.  p-1-w signals; the bound on what the root holds and on who reads its memory at a time.
 */
#include "algo/algo.h"

void tf_algo_gather_linear(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, window = shape->parameter > 0 && shape->parameter < p ? shape->parameter : p;
    int place = (shape->rank - shape->root + p) % p;

    tf_plan_blocks(plan, p);
    if (place > 0) {
        if (place > window)
            tf_plan_recv(plan, shape->root, TF_NO_REF);
        tf_plan_send(plan, shape->root, tf_blocks(TF_INPUT, 0, 1));
        return;
    }
    if (!shape->inplace)
        tf_plan_copy(plan, tf_blocks(TF_INPUT, 0, 1), tf_blocks(TF_OUTPUT, shape->rank, 1));
    for (int i = 1; i < p; i++) {
        int peer = (shape->root + i) % p;
        tf_plan_recv(plan, peer, tf_blocks(TF_OUTPUT, peer, 1));
        if (i + window < p)
            tf_plan_send(plan, (shape->root + i + window) % p, TF_NO_REF);
    }
}
