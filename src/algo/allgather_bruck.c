/* allgather_bruck.c - in round k every rank receives, from the rank 2^k above it, all that one has (or what is
 * missing).
 *
 *     rank r's scratch, p = 5     r | r+1 | r+2 r+3 | r+4       rounds of 1, 1, 2, 1 blocks   (all modulo p)
 *
 * ceil(log2 p) rounds for any p, p - 1 blocks a rank; scratch for all blocks, copied out at the end.  Bruck, Ho,
 * Kipnis, Upfal, Weathersby, "Efficient algorithms for all-to-all communications in multiport message-passing systems",
 * TPDS 1997.
 */
#include "algo/algo.h"

/* Fill the scratch buffer: its block j becomes block (r + j) % p.  Returns the buffer. */
static int collect(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank, temp = tf_plan_temp(plan, r, p);
    struct tf_ref own = shape->inplace ? tf_blocks(TF_OUTPUT, r, 1) : tf_blocks(TF_INPUT, 0, 1);

    tf_plan_copy(plan, own, tf_blocks(temp, 0, 1));
    for (int have = 1; have < p;) {
        int count = have < p - have ? have : p - have;
        tf_plan_send(plan, (r - have + p) % p, have == 1 ? own : tf_blocks(temp, 0, count));
        tf_plan_recv(plan, (r + have) % p, tf_blocks(temp, have, count));
        have += count;
    }
    return temp;
}

void tf_algo_allgather_bruck(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank;

    tf_plan_blocks(plan, p);
    int temp = collect(plan, shape);
    int own = shape->inplace ? 1 : 0; /* in its place already */
    if (r + own < p)
        tf_plan_copy(plan, tf_blocks(temp, own, p - r - own), tf_blocks(TF_OUTPUT, r + own, p - r - own));
    if (r > 0)
        tf_plan_copy(plan, tf_blocks(temp, p - r, r), tf_blocks(TF_OUTPUT, 0, r));
}

/* The user's blocks stand apart, so they are copied one by one. */
void tf_algo_allgatherv_bruck(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank;

    tf_plan_blocks(plan, p);
    int temp = collect(plan, shape);
    for (int j = shape->inplace ? 1 : 0; j < p; j++)
        tf_plan_copy(plan, tf_blocks(temp, j, 1), tf_blocks(TF_OUTPUT, (r + j) % p, 1));
}
