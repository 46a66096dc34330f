/* exscan_123_doubling.c - after distances 1 and 2 every rank has the three values below it; then distances 3, 6, 12,
 * ... double what it has.
 *
 *     distance 1    r -> r+1: x_r                 has x_r-1
 *     distance 2    r -> r+2: x_r-1 op x_r        has x_r-3 .. x_r-1
 *     distance 3    r -> r+3: what it has         has x_r-6 .. x_r-1
 *
 * 2 + ceil(log2((p - 1) / 3)) rounds, m bytes a round, and one application of the operator a round but the first, with
 * one more for the value of distance 2: what a rank has is exclusive of its own, so later rounds pass it on as it is.
 * Rank order.  Rank 0's result is untouched.  Traff, arXiv 2507.04785, who calls it 123-doubling.
 */
#include "algo/algo.h"
#include "algo/pattern.h"

/* Whether rank r gets a value from so far below: rank 0 has one of its own, but nothing exclusive. */
static bool receives(int r, int64_t distance)
{
    return r - distance >= (distance <= 2 ? 0 : 1);
}

static int64_t next_distance(int64_t distance)
{
    return distance <= 2 ? distance + 1 : 2 * distance;
}

void tf_algo_exscan_123_doubling(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank;
    struct tf_relay relay = {.at = tf_algo_own(shape)};
    struct tf_ref own = tf_blocks(relay.at, 0, 1), value = own;

    for (int64_t distance = 1; distance < p; distance = next_distance(distance))
        relay.left += receives(r, distance);
    for (int64_t distance = 1; distance < p; distance = next_distance(distance)) {
        if (distance == 2 && r > 0 && r + 2 < p) {
            struct tf_ref both = tf_blocks(tf_plan_temp(plan, 0, 1), 0, 1);
            tf_plan_copy(plan, own, both);
            tf_plan_reduce(plan, TF_LEFT, value, both);
            tf_plan_send(plan, r + 2, both);
        } else if (r + distance < p && (distance <= 2 || r > 0)) {
            tf_plan_send(plan, (int)(r + distance), value);
        }
        if (!receives(r, distance))
            continue;
        struct tf_ref next = tf_blocks(tf_algo_relay_next(plan, &relay), 0, 1);
        if (distance == 1)
            tf_plan_recv(plan, r - 1, next);
        else
            tf_plan_recv_reduce(plan, (int)(r - distance), TF_LEFT, value, next);
        value = next;
    }
    if (r > 0)
        tf_algo_move(plan, value, tf_blocks(TF_OUTPUT, 0, 1));
}
