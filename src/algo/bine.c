/* bine.c - the binomial tree along the meetings of swing.h.  See bine.h. */
#include "algo/bine.h"

#include "algo/pattern.h"
#include "algo/swing.h"

struct tf_bine tf_algo_bine(const struct tf_shape *shape)
{
    int root = shape->root, round = 0;
    struct tf_fold fold = tf_algo_fold(shape->rank, shape->size, root);
    int root_member = tf_algo_fold(root, shape->size, root).member;
    struct tf_bine tree = {.parent = -1};

    if (fold.member < 0) {
        tree.parent = fold.partner;
        return tree;
    }
    if (fold.partner >= 0)
        tree.child[tree.nchildren++] = fold.partner;
    struct tf_swing swing = tf_algo_swing((fold.member - root_member + fold.core) % fold.core, fold.core);
    for (; round < swing.rounds && !(swing.bits >> round & 1); round++) {
        int member = (tf_algo_swing_peer(&swing, round) + root_member) % fold.core;
        tree.child[tree.nchildren++] = tf_algo_fold_rank(&fold, member, root);
    }
    if (round < swing.rounds) {
        int member = (tf_algo_swing_peer(&swing, round) + root_member) % fold.core;
        tree.parent = tf_algo_fold_rank(&fold, member, root);
    }
    return tree;
}
