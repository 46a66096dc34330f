/* allgather_circulant.c - the rounds of circulant.h backwards: in each a rank receives, from the rank as far above as
 * it has blocks, that many more (or what is missing).
 *
 *     p = 5     r <- r+1: 1 block     r <- r+2: 1 block     r <- r+3: 2 blocks    (all modulo p)
 *
 * ceil(log2 p) rounds for any p, p - 1 blocks a rank, straight into their places and so without Bruck's scratch and
 * copies; a run of blocks that goes past the last one takes two messages.  The blocks of a run must be adjacent in the
 * user's buffer.
 */
#include "algo/algo.h"
#include "algo/circulant.h"

void tf_algo_allgather_circulant(struct tf_plan *plan, const struct tf_shape *shape)
{
    tf_plan_blocks(plan, shape->size);
    if (!shape->inplace)
        tf_plan_copy(plan, tf_blocks(TF_INPUT, 0, 1), tf_blocks(TF_OUTPUT, shape->rank, 1));
    tf_algo_circulant_gather(plan, shape->rank);
}
