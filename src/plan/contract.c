/* contract.c - collective.h as functions.  See contract.h. */
#include "plan/contract_inter.h"
#include "plan/contract_neighbor.h"

static const struct tf_content nothing = {0, -1, 0};

bool tf_contract_reduces(enum tf_coll coll)
{
    return tf_coll_base(coll) >= TF_REDUCE;
}

static bool same_group(const struct tf_contract *call, int32_t a, int32_t b)
{
    return (a < call->first) == (b < call->first);
}

struct tf_shape tf_contract_shape(const struct tf_contract *call, int32_t rank, int32_t parameter)
{
    bool idle =
        call->first && tf_coll_is_rooted(call->coll) && rank != call->root && same_group(call, rank, call->root);
    return (struct tf_shape){.rank = rank,
                             .size = call->size,
                             .root = idle ? -1 : call->root,
                             .inplace = tf_contract_inplace(call, rank),
                             .commutes = call->commutes,
                             .parameter = parameter,
                             .first = call->first,
                             .domain = call->domain,
                             .neighbors = call->neighbors ? &call->neighbors[rank] : NULL,
                             .near = call->near ? call->near[rank] : NULL};
}

static bool cuts_by_group(enum tf_coll coll)
{
    return coll == TF_INTER + TF_REDUCE_SCATTER || coll == TF_INTER + TF_REDUCE_SCATTER_BLOCK;
}

int32_t tf_contract_like(const struct tf_contract *call, int32_t rank)
{
    enum tf_coll base = tf_coll_base(call->coll);
    if (call->neighbors)
        return rank;
    bool whole = base == TF_BARRIER || base == TF_BCAST || base == TF_REDUCE;
    return call->first && !whole ? tf_plan_groups(rank, call->first, call->size).begin : 0;
}

bool tf_contract_recuts(const struct tf_contract *call, int32_t from, int32_t to)
{
    return cuts_by_group(call->coll) && !same_group(call, from, to);
}

bool tf_contract_inplace(const struct tf_contract *call, int32_t rank)
{
    switch (call->coll) {
    case TF_BARRIER:
    case TF_BCAST:
        return false;
    case TF_GATHER:
    case TF_GATHERV:
    case TF_SCATTER:
    case TF_SCATTERV:
    case TF_REDUCE:
        return call->inplace && rank == call->root;
    default:
        return call->inplace;
    }
}

static bool has_input(const struct tf_contract *call, int32_t rank)
{
    switch (call->coll) {
    case TF_BARRIER:
    case TF_BCAST:
        return false;
    case TF_SCATTER:
    case TF_SCATTERV:
        return rank == call->root;
    case TF_REDUCE_SCATTER:
    case TF_REDUCE_SCATTER_BLOCK:
        return true;
    default:
        return !tf_contract_inplace(call, rank);
    }
}

static bool has_output(const struct tf_contract *call, int32_t rank)
{
    switch (call->coll) {
    case TF_BARRIER:
        return false;
    case TF_GATHER:
    case TF_GATHERV:
    case TF_REDUCE:
        return rank == call->root;
    case TF_SCATTER:
    case TF_SCATTERV:
        return !tf_contract_inplace(call, rank);
    case TF_EXSCAN: /* rank 0's is untouched (MPI-5.0 section 6.11.2); in place it holds what rank 0 contributes */
        return rank != 0 || call->inplace;
    default:
        return true;
    }
}

int32_t tf_contract_blocks(const struct tf_contract *call, int32_t rank, int buffer, int32_t nblocks)
{
    if (call->first)
        return tf_contract_inter_blocks(call, rank, buffer, nblocks);
    if (call->neighbors)
        return tf_contract_neighbor_blocks(call, rank, buffer);
    if (buffer == TF_INPUT ? !has_input(call, rank) : !has_output(call, rank))
        return 0;
    switch (call->coll) {
    case TF_GATHER:
    case TF_GATHERV:
    case TF_ALLGATHER:
    case TF_ALLGATHERV:
        return buffer == TF_INPUT ? 1 : call->size;
    case TF_SCATTER:
    case TF_SCATTERV:
    case TF_REDUCE_SCATTER:
    case TF_REDUCE_SCATTER_BLOCK:
        return buffer == TF_INPUT ? call->size : 1;
    case TF_ALLTOALL:
    case TF_ALLTOALLV:
    case TF_ALLTOALLW:
        return call->size;
    default:
        return nblocks;
    }
}

bool tf_contract_writable(const struct tf_contract *call, int32_t rank, int buffer)
{
    if (buffer == TF_INPUT)
        return false;
    if (tf_coll_base(call->coll) == TF_BCAST)
        return rank != call->root;
    return !(call->coll == TF_EXSCAN && rank == 0);
}

struct tf_content tf_contract_before(const struct tf_contract *call, int32_t rank, int buffer, int32_t block)
{
    bool inplace = tf_contract_inplace(call, rank);

    if (call->first)
        return tf_contract_inter_before(call, rank, buffer, block);
    if (call->neighbors)
        return tf_contract_neighbor_before(rank, buffer, block);
    switch (call->coll) {
    case TF_BCAST:
        return rank == call->root ? (struct tf_content){rank, rank, block} : nothing;
    case TF_GATHER:
    case TF_GATHERV:
    case TF_ALLGATHER:
    case TF_ALLGATHERV:
        if (buffer == TF_INPUT || (inplace && block == rank))
            return (struct tf_content){rank, rank, rank};
        return nothing;
    case TF_REDUCE_SCATTER:
    case TF_REDUCE_SCATTER_BLOCK: /* in place the first block of both buffers is the same memory */
        if (buffer == TF_INPUT || (inplace && rank == 0))
            return (struct tf_content){rank, rank, block};
        return nothing;
    default:
        return buffer == TF_INPUT || inplace ? (struct tf_content){rank, rank, block} : nothing;
    }
}

struct tf_content tf_contract_after(const struct tf_contract *call, int32_t rank, int32_t block)
{
    int32_t last = call->size - 1;

    if (call->first)
        return tf_contract_inter_after(call, rank, block);
    if (call->neighbors)
        return tf_contract_neighbor_after(call, rank, block);
    switch (call->coll) {
    case TF_BCAST:
        return (struct tf_content){call->root, call->root, block};
    case TF_GATHER:
    case TF_GATHERV:
    case TF_ALLGATHER:
    case TF_ALLGATHERV:
        return (struct tf_content){block, block, block};
    case TF_SCATTER:
    case TF_SCATTERV:
        return (struct tf_content){call->root, call->root, rank};
    case TF_ALLTOALL:
    case TF_ALLTOALLV:
    case TF_ALLTOALLW:
        return (struct tf_content){block, block, rank};
    case TF_REDUCE_SCATTER:
    case TF_REDUCE_SCATTER_BLOCK:
        return (struct tf_content){0, last, rank};
    case TF_SCAN:
        return (struct tf_content){0, rank, block};
    case TF_EXSCAN:
        return rank > 0 ? (struct tf_content){0, rank - 1, block} : nothing;
    default:
        return (struct tf_content){0, last, block};
    }
}

static enum tf_layout layout(enum tf_coll coll)
{
    switch (coll) {
    case TF_GATHER:
    case TF_SCATTER:
    case TF_ALLGATHER:
    case TF_ALLTOALL:
    case TF_NEIGHBOR_ALLGATHER:
    case TF_NEIGHBOR_ALLTOALL:
    case TF_REDUCE_SCATTER_BLOCK:
        return TF_UNIFORM;
    case TF_GATHERV:
    case TF_SCATTERV:
    case TF_ALLGATHERV:
    case TF_ALLTOALLV:
    case TF_ALLTOALLW:
    case TF_NEIGHBOR_ALLGATHERV:
    case TF_NEIGHBOR_ALLTOALLV:
    case TF_NEIGHBOR_ALLTOALLW:
    case TF_REDUCE_SCATTER:
        return TF_VARYING;
    default:
        return TF_EVEN;
    }
}

bool tf_contract_contiguous(enum tf_coll coll)
{
    return layout(tf_coll_base(coll)) != TF_VARYING || tf_coll_base(coll) == TF_REDUCE_SCATTER;
}

/* What rank `from` sends to rank `to` in an alltoallv.  In place a pair's two messages are of one size. */
static int32_t size_of_pair(const struct tf_contract *call, int32_t from, int32_t to)
{
    return call->inplace && from > to ? to * call->size + from : from * call->size + to;
}

int32_t tf_contract_size_of_content(const struct tf_contract *call, int32_t rank, int32_t block)
{
    if (call->first)
        return tf_contract_inter_size_of_content(call, rank, block);
    if (call->neighbors)
        return tf_contract_neighbor_size_of_content(call, rank, block);
    if (layout(call->coll) == TF_UNIFORM)
        return 0;
    if (call->coll == TF_ALLTOALLV || call->coll == TF_ALLTOALLW)
        return size_of_pair(call, rank, block);
    return block;
}

int32_t tf_contract_size_of_block(const struct tf_contract *call, const struct tf_plan *plan, int32_t rank, int buffer,
                                  int32_t block)
{
    bool temp = buffer >= TF_TEMP0;

    if (temp)
        block =
            (plan->temps[buffer - TF_TEMP0].first + (plan->temps[buffer - TF_TEMP0].alike ? 0 : block)) % plan->nblocks;
    if (call->first)
        return tf_contract_inter_size_of_block(call, rank, buffer, block);
    if (call->neighbors)
        return tf_contract_neighbor_size_of_block(call, plan->parcels, rank, buffer, block);
    if (layout(call->coll) == TF_UNIFORM)
        return 0;
    switch (call->coll) {
    case TF_GATHERV:
    case TF_SCATTERV: /* only the root knows the others' counts */
        if (temp && rank != call->root && block != rank)
            return -1;
        return !temp && buffer == (call->coll == TF_GATHERV ? TF_INPUT : TF_OUTPUT) ? rank : block;
    case TF_ALLGATHERV:
        return buffer == TF_INPUT ? rank : block;
    case TF_REDUCE_SCATTER:
        return buffer == TF_OUTPUT ? rank : block;
    case TF_ALLTOALLV:
    case TF_ALLTOALLW:
        return buffer == TF_INPUT ? size_of_pair(call, rank, block) : size_of_pair(call, block, rank);
    default:
        return block;
    }
}
