/* contract_inter.c - the second table of collective.h, between the groups of an intercommunicator, as functions.
 *
 * A contribution to be gathered is named by the rank in its group, a part of a vector to be scattered by the rank that
 * gets it: of a reduce_scatter by its rank through both groups, as each group cuts the vector at other places.
 */
#include "plan/contract_inter.h"

static const struct tf_content nothing = {0, -1, 0};

static struct tf_groups groups_of(const struct tf_contract *call, int32_t rank)
{
    return tf_plan_groups(rank, call->first, call->size);
}

static bool faces_root(const struct tf_contract *call, int32_t rank)
{
    return (rank < call->first) != (call->root < call->first);
}

static bool has_input(const struct tf_contract *call, int32_t rank)
{
    switch (tf_coll_base(call->coll)) {
    case TF_BARRIER:
    case TF_BCAST:
        return false;
    case TF_GATHER:
    case TF_GATHERV:
    case TF_REDUCE:
        return faces_root(call, rank);
    case TF_SCATTER:
    case TF_SCATTERV:
        return rank == call->root;
    default:
        return true;
    }
}

static bool has_output(const struct tf_contract *call, int32_t rank)
{
    switch (tf_coll_base(call->coll)) {
    case TF_BARRIER:
        return false;
    case TF_BCAST:
        return rank == call->root || faces_root(call, rank);
    case TF_GATHER:
    case TF_GATHERV:
    case TF_REDUCE:
        return rank == call->root;
    case TF_SCATTER:
    case TF_SCATTERV:
        return faces_root(call, rank);
    default:
        return true;
    }
}

int32_t tf_contract_inter_blocks(const struct tf_contract *call, int32_t rank, int buffer, int32_t nblocks)
{
    struct tf_groups g = groups_of(call, rank);
    if (buffer == TF_INPUT ? !has_input(call, rank) : !has_output(call, rank))
        return 0;
    switch (tf_coll_base(call->coll)) {
    case TF_GATHER:
    case TF_GATHERV:
    case TF_ALLGATHER:
    case TF_ALLGATHERV:
        return buffer == TF_INPUT ? 1 : g.other_size;
    case TF_SCATTER:
    case TF_SCATTERV:
        return buffer == TF_INPUT ? g.other_size : 1;
    case TF_REDUCE_SCATTER:
    case TF_REDUCE_SCATTER_BLOCK:
        return buffer == TF_INPUT ? g.size : 1;
    case TF_ALLTOALL:
    case TF_ALLTOALLV:
    case TF_ALLTOALLW:
        return g.other_size;
    default:
        return nblocks;
    }
}

struct tf_content tf_contract_inter_before(const struct tf_contract *call, int32_t rank, int buffer, int32_t block)
{
    int32_t begin = groups_of(call, rank).begin;
    if (buffer != TF_INPUT && !(tf_coll_base(call->coll) == TF_BCAST && rank == call->root))
        return nothing;
    switch (tf_coll_base(call->coll)) {
    case TF_GATHER:
    case TF_GATHERV:
    case TF_ALLGATHER:
    case TF_ALLGATHERV:
        return (struct tf_content){rank, rank, rank - begin};
    case TF_REDUCE_SCATTER:
    case TF_REDUCE_SCATTER_BLOCK:
        return (struct tf_content){rank, rank, begin + block};
    default:
        return (struct tf_content){rank, rank, block};
    }
}

struct tf_content tf_contract_inter_after(const struct tf_contract *call, int32_t rank, int32_t block)
{
    struct tf_groups g = groups_of(call, rank);
    int32_t from = g.other_begin + block, last = g.other_begin + g.other_size - 1;
    switch (tf_coll_base(call->coll)) {
    case TF_BCAST:
        return (struct tf_content){call->root, call->root, block};
    case TF_GATHER:
    case TF_GATHERV:
    case TF_ALLGATHER:
    case TF_ALLGATHERV:
        return (struct tf_content){from, from, block};
    case TF_SCATTER:
    case TF_SCATTERV:
        return (struct tf_content){call->root, call->root, rank - g.begin};
    case TF_ALLTOALL:
    case TF_ALLTOALLV:
    case TF_ALLTOALLW:
        return (struct tf_content){from, from, rank - g.begin};
    case TF_REDUCE_SCATTER:
    case TF_REDUCE_SCATTER_BLOCK:
        return (struct tf_content){g.other_begin, last, rank};
    default:
        return (struct tf_content){g.other_begin, last, block};
    }
}

/* The size of the blocks that a group contributes, of an alltoallv that of what rank `from` sends to rank `to`. */
static int32_t size_of_group(const struct tf_contract *call, int32_t begin)
{
    return begin == 0 ? 0 : call->size;
}

static int32_t size_of_pair(const struct tf_contract *call, int32_t from, int32_t to)
{
    return from * call->size + to;
}

int32_t tf_contract_inter_size_of_content(const struct tf_contract *call, int32_t rank, int32_t block)
{
    struct tf_groups g = groups_of(call, rank);
    switch (tf_coll_base(call->coll)) {
    case TF_GATHER:
    case TF_SCATTER:
        return 0;
    case TF_ALLGATHER:
    case TF_ALLTOALL:
        return size_of_group(call, g.begin);
    case TF_ALLGATHERV:
        return rank;
    case TF_ALLTOALLV:
    case TF_ALLTOALLW:
        return size_of_pair(call, rank, g.other_begin + block);
    default:
        return block;
    }
}

int32_t tf_contract_inter_size_of_block(const struct tf_contract *call, int32_t rank, int buffer, int32_t block)
{
    struct tf_groups g = groups_of(call, rank);
    switch (tf_coll_base(call->coll)) {
    case TF_GATHER:
    case TF_SCATTER:
        return 0;
    case TF_GATHERV:
    case TF_SCATTERV: /* only the root knows the others' counts */
        if (buffer >= TF_TEMP0)
            return -1;
        return rank == call->root ? block : rank - g.begin;
    case TF_ALLGATHER:
    case TF_ALLTOALL:
        return size_of_group(call, buffer == TF_INPUT ? g.begin : g.other_begin);
    case TF_ALLGATHERV:
        return buffer == TF_INPUT ? rank : g.other_begin + block;
    case TF_ALLTOALLV:
    case TF_ALLTOALLW:
        return buffer == TF_INPUT ? size_of_pair(call, rank, g.other_begin + block)
                                  : size_of_pair(call, g.other_begin + block, rank);
    case TF_REDUCE_SCATTER:
    case TF_REDUCE_SCATTER_BLOCK:
        return buffer == TF_OUTPUT ? rank : g.begin + block;
    default:
        return block;
    }
}
