/* prefix_tree.c - what scan and exscan on the tree of ordered_tree.h share.  See prefix_tree.h. */
#include "algo/prefix_tree.h"
#include "algo/pattern.h"

struct tf_prefix tf_algo_prefix(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, n = tf_algo_segments(shape);
    struct tf_prefix s = {plan, .tree = tf_algo_ordered_tree(shape->rank, 0, p, tf_algo_middle(0, p)),
                          .own = tf_algo_own(shape), .before = TF_OUTPUT};

    tf_plan_blocks(plan, n);
    s.asked = s.tree.end < p;
    s.through = s.own;
    if (s.asked && s.tree.right >= 0)
        s.all = tf_plan_temp(plan, 0, n);
    if (s.tree.first > 0 && s.tree.left >= 0)
        s.before = tf_plan_temp(plan, 0, n);
    return s;
}

static void pass_up(const struct tf_prefix *s, int i)
{
    struct tf_ref through = tf_blocks(s->through, i, 1), all = tf_blocks(s->all, i, 1);

    if (s->tree.right >= 0)
        tf_plan_recv_reduce(s->plan, s->tree.right, TF_RIGHT, through, all);
    tf_plan_send(s->plan, s->tree.parent, s->tree.right >= 0 ? all : through);
}

void tf_algo_prefix_walk(const struct tf_prefix *s, const struct tf_shape *shape,
                         void (*join)(const struct tf_prefix *, int i), void (*spread)(const struct tf_prefix *, int i))
{
    int n = tf_algo_segments(shape), depth = s->tree.depth;

    for (int i = 0; i < n + depth; i++) {
        if (i < n)
            join(s, i);
        if (i < n && s->asked)
            pass_up(s, i);
        if (i >= depth)
            spread(s, i - depth);
    }
}
