/* tree.c - the tree of consecutive runs of ranks, and the reduction along it.  See tree.h. */
#include "algo/tree.h"

static int leader(int64_t first, int64_t span, int root)
{
    return root >= first && root < first + span ? root : (int)first;
}

static void add_child(struct tf_tree *tree, int64_t first, int64_t span, int size, int root)
{
    int64_t end = first + span < size ? first + span : size;

    tree->child[tree->nchildren++] = (struct tf_tree_child){leader(first, span, root), (int)first, (int)(end - first)};
}

struct tf_tree tf_algo_tree(int rank, int size, int root, int radix)
{
    struct tf_tree tree = {.parent = -1, .first = rank, .count = 1};
    int k = radix < 2 ? 2 : radix > TF_TREE_MAX_RADIX ? TF_TREE_MAX_RADIX : radix;

    for (int64_t span = 1; span < size; span *= k) {
        int64_t group = rank - rank % (span * k), mine = rank - rank % span;
        int top = leader(group, span * k, root);
        if (top != rank) {
            tree.parent = top;
            break;
        }
        for (int64_t run = mine - span; run >= group; run -= span)
            add_child(&tree, run, span, size, root);
        for (int64_t run = mine + span; run < group + span * k && run < size; run += span)
            add_child(&tree, run, span, size, root);
        int64_t end = group + span * k < size ? group + span * k : size;
        tree.first = (int)group;
        tree.count = (int)(end - group);
    }
    return tree;
}

int tf_algo_tree_reduce(struct tf_plan *plan, const struct tf_tree *tree, int rank, int own, int home, int nblocks)
{
    int at = own;

    for (int i = 0; i < tree->nchildren; i++) {
        int child = tree->child[i].rank;
        tf_plan_recv_reduce(plan, child, child < rank ? TF_LEFT : TF_RIGHT, tf_blocks(at, 0, nblocks),
                            tf_blocks(home, 0, nblocks));
        at = home;
    }
    if (tree->parent >= 0)
        tf_plan_send(plan, tree->parent, tf_blocks(at, 0, nblocks));
    return at;
}
