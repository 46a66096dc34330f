/* tree.c - the tree of consecutive runs of ranks, and the reduction along it.  See tree.h. */
#include "algo/tree.h"

#include "algo/pattern.h"

/* Ranks stand in slots, and groups are aligned runs of slots.  From rank `dense` on only every second slot is taken:
 * with radix 2 these ranks have no partner at the first level. */
struct slots {
    int size, dense, root;
};

static int64_t slot_of(const struct slots *s, int64_t rank)
{
    return rank < s->dense ? rank : 2 * rank - s->dense;
}

/* The first rank at or after a slot, or the size. */
static int rank_at(const struct slots *s, int64_t slot)
{
    int64_t rank = slot < s->dense ? slot : s->dense + (slot - s->dense + 1) / 2;

    return (int)(rank < s->size ? rank : s->size);
}

static int leader(const struct slots *s, int first, int end)
{
    return s->root >= first && s->root < end ? s->root : first;
}

static void add_child(struct tf_tree *tree, const struct slots *s, int64_t slot, int64_t span)
{
    int first = rank_at(s, slot), end = rank_at(s, slot + span);

    if (first < end)
        tree->child[tree->nchildren++] = (struct tf_tree_child){leader(s, first, end), first, end - first};
}

struct tf_tree tf_algo_tree(int rank, int size, int root, int radix)
{
    struct tf_tree tree = {.parent = -1, .first = rank, .count = 1};
    int k = radix < 2 ? 2 : radix > TF_TREE_MAX_RADIX ? TF_TREE_MAX_RADIX : radix;
    int extra = k == 2 ? tf_algo_fold(rank, size, root).extra : 0;
    struct slots s = {size, extra > 0 ? 2 * extra : size, root};
    int64_t slot = slot_of(&s, rank), slots = slot_of(&s, size - 1) + 1;

    for (int64_t span = 1; span < slots; span *= k) {
        int64_t group = slot - slot % (span * k), mine = slot - slot % span;
        int first = rank_at(&s, group), end = rank_at(&s, group + span * k), top = leader(&s, first, end);
        if (top != rank) {
            tree.parent = top;
            break;
        }
        for (int64_t run = mine - span; run >= group; run -= span)
            add_child(&tree, &s, run, span);
        for (int64_t run = mine + span; run < group + span * k && run < slots; run += span)
            add_child(&tree, &s, run, span);
        tree.first = first;
        tree.count = end - first;
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
