/* scan.c - the doubling that scan and exscan share.
 *
 * After round k a rank holds the combination of the 2^k values that end with its own:
 *
 *     round 0   r -> r+1      x0   x0-1   x1-2   x2-3   x3-4
 *     round 1   r -> r+2      x0   x0-1   x0-2   x0-3   x1-4
 *     round 2   r -> r+4      x0   x0-1   x0-2   x0-3   x0-4
 *
 * One application of the operator a round.  Hillis, Steele, "Data parallel algorithms", CACM 1986.
 */
#include "algo/scan.h"

int tf_algo_scan_rounds(const struct tf_shape *shape, int base)
{
    int rounds = 0;

    for (int64_t distance = 1; distance <= shape->rank - base; distance *= 2)
        rounds++;
    return rounds;
}

void tf_algo_scan_double(struct tf_plan *plan, const struct tf_shape *shape, int base, struct tf_relay *relay)
{
    for (int64_t distance = 1; distance < shape->size - base; distance *= 2) {
        struct tf_ref value = tf_blocks(relay->at, 0, 1);
        if (shape->rank + distance < shape->size)
            tf_plan_send(plan, (int)(shape->rank + distance), value);
        if (shape->rank - distance >= base)
            tf_plan_recv_reduce(plan, (int)(shape->rank - distance), TF_LEFT, value,
                                tf_blocks(tf_algo_relay_next(plan, relay), 0, 1));
    }
}
