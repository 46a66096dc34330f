/* allreduce_recursive_multiplying.c - in round k groups of `radix` ranks, radix^k apart, send each other what they have
 * and all combine it in rank order.
 *
 *     p = 9, radix 3     {0 1 2} {3 4 5} {6 7 8}     {0 3 6} {1 4 7} {2 5 8}
 *
 * log_radix p rounds, (radix - 1) m bytes a round: for short vectors where a rank has several messages under way at no
 * more cost than one.  Where p is no power of the radix, runs of neighbours share one member of the largest power: two
 * more rounds.  Rank order, the same tree on all ranks; recursive doubling is radix 2.  Ruefenacht, Bull, Booth,
 * "Generalisation of recursive doubling for AllReduce", Parallel Computing 2017.
 */
#include "algo/algo.h"
#include "algo/linear.h"
#include "algo/pattern.h"

#define DEFAULT_RADIX 4
#define MAX_RADIX 16

/* Member m of `core` stands for the ranks from there up to where member m + 1 begins. */
static int first_rank(const struct tf_shape *shape, int64_t core, int64_t m)
{
    return (int)(m * shape->size / core);
}

static int member_of(const struct tf_shape *shape, int64_t core, int64_t rank)
{
    return (int)(((rank + 1) * core - 1) / shape->size);
}

/* One round: the member's value goes to the others of its group, theirs are combined with it. */
static void meet(struct tf_plan *plan, const struct tf_shape *shape, int radix, int core, int span, int member,
                 struct tf_relay *relay)
{
    int ranks[MAX_RADIX], me = member / span % radix, value = relay->at;

    for (int i = 0; i < radix; i++)
        ranks[i] = first_rank(shape, core, member + (int64_t)(i - me) * span);
    for (int i = 1; i < radix; i++)
        tf_plan_send(plan, ranks[(me + i) % radix], tf_blocks(value, 0, 1));
    tf_algo_combine_group(plan, ranks, radix, me, value, tf_algo_relay_next(plan, relay));
}

void tf_algo_allreduce_recursive_multiplying(struct tf_plan *plan, const struct tf_shape *shape)
{
    int radix = shape->parameter < 2 ? DEFAULT_RADIX : shape->parameter < MAX_RADIX ? shape->parameter : MAX_RADIX;
    struct tf_relay relay = {.at = tf_algo_own(shape)};
    struct tf_ref output = tf_blocks(TF_OUTPUT, 0, 1);
    int ranks[MAX_RADIX], core = 1, nfolded = 0;

    for (; (int64_t)core * radix <= shape->size; core *= radix)
        relay.left++;
    int member = member_of(shape, core, shape->rank), leader = first_rank(shape, core, member);
    if (shape->rank != leader) {
        tf_plan_send(plan, leader, tf_blocks(relay.at, 0, 1));
        tf_plan_recv(plan, leader, output);
        return;
    }
    for (int rank = leader; rank < first_rank(shape, core, (int64_t)member + 1); rank++)
        ranks[nfolded++] = rank;
    if (nfolded > 1) {
        int own = relay.at;
        relay.left++;
        tf_algo_combine_group(plan, ranks, nfolded, 0, own, tf_algo_relay_next(plan, &relay));
    }
    for (int span = 1; span < core; span *= radix)
        meet(plan, shape, radix, core, span, member, &relay);
    tf_algo_move(plan, tf_blocks(relay.at, 0, 1), output);
    for (int i = 1; i < nfolded; i++)
        tf_plan_send(plan, ranks[i], output);
}
