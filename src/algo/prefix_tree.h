/* prefix_tree.h - what scan and exscan on the tree of ordered_tree.h share: the way up, and the order of the segments.
 *
 * Each rank combines its left subtree with its own contribution and, where ranks right of its subtree ask for it, with
 * its right subtree, and passes that to its parent.  Down comes the combination of all ranks left of the subtree.
 */
#ifndef TF_PREFIX_TREE_H
#define TF_PREFIX_TREE_H

#include "algo/ordered_tree.h"

struct tf_prefix {
    struct tf_plan *plan;
    struct tf_ordered_tree tree;
    bool asked;  /* there are ranks right of the subtree, who need what it holds */
    int own;     /* the contribution */
    int through; /* the left subtree and this rank, combined; `own` unless the caller has another buffer for it */
    int all;     /* the whole subtree; where there is a right one and it is asked for */
    int before; /* all ranks left of the subtree; a buffer of its own where a left child needs it too, else TF_OUTPUT */
};

/* The place of this rank, with the buffers but `through`; the vector is cut into segments. */
struct tf_prefix tf_algo_prefix(struct tf_plan *plan, const struct tf_shape *shape);

/* Segments pass up and down at one time: `join` brings segment i of the left subtree and of this rank into `through`,
 * `spread` receives what comes down and writes the result. */
void tf_algo_prefix_walk(const struct tf_prefix *s, const struct tf_shape *shape,
                         void (*join)(const struct tf_prefix *, int i),
                         void (*spread)(const struct tf_prefix *, int i));

#endif
