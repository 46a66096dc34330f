/* allgather_recursive_doubling.c - in round k ranks 2^k apart exchange all they have, runs of 2^k blocks.
 *
 *     p = 4     0 <-> 1, 2 <-> 3: one block each     0 <-> 2, 1 <-> 3: two blocks each
 *
 * log2 p rounds, p - 1 blocks a rank.  Powers of two; the blocks of a run must be adjacent in the user's buffer.
 */
#include "algo/algo.h"

void tf_algo_allgather_recursive_doubling(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank;

    tf_plan_blocks(plan, p);
    if (!shape->inplace)
        tf_plan_copy(plan, tf_blocks(TF_INPUT, 0, 1), tf_blocks(TF_OUTPUT, r, 1));
    for (int run = 1; run < p; run *= 2) {
        int peer = r ^ run, mine = r - r % run, theirs = peer - peer % run;
        bool first = run == 1 && !shape->inplace;
        tf_plan_send(plan, peer, first ? tf_blocks(TF_INPUT, 0, 1) : tf_blocks(TF_OUTPUT, mine, run));
        tf_plan_recv(plan, peer, tf_blocks(TF_OUTPUT, theirs, run));
    }
}
