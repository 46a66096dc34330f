/* tree.h - the tree of the binomial (k-nomial) algorithms: every subtree is a run of consecutive ranks.
 *
 * Ranks are grouped into runs of k, k^2, ... in rank order.  The leader of a run is its first rank, or the root where
 * the run holds the root.  At each level the leaders of the k runs of a group meet the group's leader.  p = 8, k = 2,
 * root 5:
 *
 *     ranks      0   1   2   3   4   5   6   7
 *     level 1    0 <-1   2 <-3   4-> 5   6 <-7
 *     level 2    0 <-----2           5 <-6
 *     level 3    0-----------------> 5
 *
 * With k = 2 and p no power of two, the extra ranks are paired first, as tf_algo_fold() has it, and only then do groups
 * grow.  So a reduction brackets the operands as recursive doubling and halving do, whatever the root.  p = 5, root 0:
 *
 *     ranks      0   1   2   3   4         ((x0 op x1) op x2) op (x3 op x4)
 *     level 1    0 <-1
 *     level 2    0 <-----2   3 <-4
 *     level 3    0 <---------3
 *
 * As each edge joins two adjacent runs of ranks, a reduction keeps rank order for every root without undoing a
 * rotation, and gathered blocks arrive in place.  ceil(log_k p) rounds.  The binomial tree itself: see Thakur,
 * Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH", IJHPCA 2005.
 */
#ifndef TF_TREE_H
#define TF_TREE_H

#include "plan/plan.h"

#define TF_TREE_MAX_RADIX 16
#define TF_TREE_MAX_CHILDREN 128 /* (radix - 1) * ceil(log_radix 2^31) is at most 120 */

struct tf_tree {
    int parent;       /* -1 at the root */
    int first, count; /* the ranks of this rank's subtree, a run that holds it */
    int nchildren;
    struct tf_tree_child {
        int rank, first, count;    /* the child and the ranks of its subtree */
    } child[TF_TREE_MAX_CHILDREN]; /* deepest level first; within a level those below this rank downwards, then those
                                      above upwards, so that their subtrees extend this rank's run at its ends */
};

struct tf_tree tf_algo_tree(int rank, int size, int root, int radix);

/* Emit a reduction of `block`s along the tree: combine `own` of this rank with the children's into `home` and send it
 * to the parent.  Returns where the result stands (own where there are no children). */
int tf_algo_tree_reduce(struct tf_plan *plan, const struct tf_tree *tree, int rank, int own, int home, int nblocks);

#endif
