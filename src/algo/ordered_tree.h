/* ordered_tree.h - the binary tree whose ranks are numbered from left to right: left subtree, top, right subtree.
 *
 *     ranks 0..6, top 3          3
 *                              /   \
 *                             1     5
 *                            / \   / \
 *                           0   2 4   6
 *
 * A rank combines its left subtree, its own contribution and its right subtree in rank order, whatever the top is.  At
 * most two children a rank, so long vectors pass at full speed in segments; depth about log2 of the number of ranks.
 */
#ifndef TF_ORDERED_TREE_H
#define TF_ORDERED_TREE_H

#include "plan/plan.h"

struct tf_ordered_tree {
    int parent;      /* -1 at the top */
    int left, right; /* children, -1: none */
    int depth;       /* 0 at the top */
    int first, end;  /* the ranks of this rank's subtree are first..end-1 */
};

/* The place of `rank` in the tree of ranks first..end-1 with that top. */
struct tf_ordered_tree tf_algo_ordered_tree(int rank, int first, int end, int top);

/* The middle of a run of ranks, the top of its tree unless there is another. */
static inline int tf_algo_middle(int first, int end)
{
    return first + (end - first) / 2;
}

#endif
