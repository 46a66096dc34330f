/* ordered_tree.c - the binary tree whose ranks are numbered from left to right.  See ordered_tree.h. */
#include "algo/ordered_tree.h"

struct tf_ordered_tree tf_algo_ordered_tree(int rank, int first, int end, int top)
{
    struct tf_ordered_tree tree = {.parent = -1};

    while (top != rank) {
        tree.parent = top;
        tree.depth++;
        if (rank < top)
            end = top;
        else
            first = top + 1;
        top = tf_algo_middle(first, end);
    }
    tree.first = first;
    tree.end = end;
    tree.left = rank > first ? tf_algo_middle(first, rank) : -1;
    tree.right = rank + 1 < end ? tf_algo_middle(rank + 1, end) : -1;
    return tree;
}
