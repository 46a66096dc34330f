/* exscan_recursive_doubling.c - values move one rank up, then the doubling of scan.c over ranks 1 to p-1.
 *
 * 1 + ceil(log2 (p - 1)) rounds, m bytes a round; rank order.  Rank 0's result is untouched.
 */
#include "algo/algo.h"
#include "algo/scan.h"

void tf_algo_exscan_recursive_doubling(struct tf_plan *plan, const struct tf_shape *shape)
{
    int r = shape->rank;
    struct tf_relay relay = {.at = tf_algo_own(shape), .left = 1 + tf_algo_scan_rounds(shape, 1)};

    if (r + 1 < shape->size)
        tf_plan_send(plan, r + 1, tf_blocks(relay.at, 0, 1));
    if (r == 0)
        return;
    tf_plan_recv(plan, r - 1, tf_blocks(tf_algo_relay_next(plan, &relay), 0, 1));
    tf_algo_scan_double(plan, shape, 1, &relay);
    tf_algo_move(plan, tf_blocks(relay.at, 0, 1), tf_blocks(TF_OUTPUT, 0, 1));
}
