/* scan_recursive_doubling.c - the doubling of scan.c over all ranks.  ceil(log2 p) rounds, m bytes a round; rank order.
 */
#include "algo/algo.h"
#include "algo/scan.h"

void tf_algo_scan_recursive_doubling(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct tf_relay relay = {.at = tf_algo_own(shape), .left = tf_algo_scan_rounds(shape, 0)};

    tf_algo_scan_double(plan, shape, 0, &relay);
    tf_algo_move(plan, tf_blocks(relay.at, 0, 1), tf_blocks(TF_OUTPUT, 0, 1));
}
