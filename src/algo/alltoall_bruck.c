/* alltoall_bruck.c - a block for the rank i above travels the powers of two that i is the sum of, together with all
 * others that make the same hop.
 *
 *     rank r's scratch, p = 6     r | r+1 | r+2 | r+3 | r+4 | r+5        whom the block is for    (modulo p)
 *     hop of 1: blocks 1 3 5      hop of 2: blocks 2 3      hop of 4: blocks 4 5
 *
 * ceil(log2 p) rounds of at most p / 2 blocks, where the other algorithms take p - 1 rounds of one: for small blocks.
 * Every block is copied at each of its hops.  Scratch: 2 p blocks.  Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient
 * algorithms for all-to-all communications in multiport message-passing systems", TPDS 1997.
 */
#include "algo/algo.h"
#include "algo/pattern.h"

/* Copy the blocks that hop between their places and a row without gaps; returns how many there are. */
static int pack(struct tf_plan *plan, int hop, int places, int row, bool unpack)
{
    int p = plan->nblocks, n = 0;

    for (int64_t first = hop; first < p; first += 2 * (int64_t)hop) {
        int count = first + hop < p ? hop : (int)(p - first);
        struct tf_ref there = tf_blocks(places, (int)first, count), here = tf_blocks(row, n, count);
        tf_plan_copy(plan, unpack ? here : there, unpack ? there : here);
        n += count;
    }
    return n;
}

void tf_algo_alltoall_bruck(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank, own = tf_algo_own(shape);

    tf_plan_blocks(plan, p);
    if (p == 1) {
        tf_algo_move(plan, tf_blocks(own, 0, 1), tf_blocks(TF_OUTPUT, 0, 1));
        return;
    }
    int places = tf_plan_temp(plan, r, p), out = tf_plan_temp(plan, 0, p / 2), in = tf_plan_temp(plan, 0, p / 2);
    tf_plan_copy(plan, tf_blocks(own, r, p - r), tf_blocks(places, 0, p - r));
    if (r > 0)
        tf_plan_copy(plan, tf_blocks(own, 0, r), tf_blocks(places, p - r, r));
    for (int64_t hop = 1; hop < p; hop *= 2) {
        int n = pack(plan, (int)hop, places, out, false);
        tf_plan_send(plan, (int)((r + hop) % p), tf_blocks(out, 0, n));
        tf_plan_recv(plan, (int)((r - hop + p) % p), tf_blocks(in, 0, n));
        pack(plan, (int)hop, places, in, true);
    }
    for (int i = shape->inplace ? 1 : 0; i < p; i++)
        tf_plan_copy(plan, tf_blocks(places, i, 1), tf_blocks(TF_OUTPUT, (r - i + p) % p, 1));
}
