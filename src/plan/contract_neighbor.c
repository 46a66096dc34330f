/* contract_neighbor.c - the third table of collective.h, between neighbors, as functions.
 *
 * What a rank sends is named by where it is among what it sends.  Which edge is which follows from the rules of the
 * standard (MPI-5.0 section 8.6), edge by edge, and not from what a generator makes of them.
 */
#include "plan/contract_neighbor.h"

static const struct tf_content nothing = {0, -1, 0};

/* What all destinations get alike is one block. */
static bool gathers(const struct tf_contract *call)
{
    return call->coll == TF_NEIGHBOR_ALLGATHER || call->coll == TF_NEIGHBOR_ALLGATHERV;
}

static bool varies(const struct tf_contract *call)
{
    return call->coll != TF_NEIGHBOR_ALLGATHER && call->coll != TF_NEIGHBOR_ALLTOALL;
}

void *tf_contract_set_near(struct tf_contract *call)
{
    size_t n = (size_t)call->size;
    const struct tf_neighbors **near = calloc(n + 1, sizeof *near + sizeof **near + sizeof(int32_t));
    struct tf_neighbors *sorted = (struct tf_neighbors *)(near + n);
    int32_t *first = (int32_t *)(sorted + n);

    if (!near)
        return NULL;
    for (size_t r = 0; r < n; r++)
        first[call->domain[r] + 1]++;
    for (size_t d = 0; d < n; d++)
        first[d + 1] += first[d];
    for (size_t r = 0; r < n; r++)
        near[r] = &sorted[first[call->domain[r]]];
    for (size_t r = 0; r < n; r++)
        sorted[first[call->domain[r]]++] = call->neighbors[r];
    call->near = near;
    return near;
}

int32_t tf_contract_neighbor_blocks(const struct tf_contract *call, int32_t rank, int buffer)
{
    if (buffer == TF_OUTPUT)
        return call->neighbors[rank].indegree;
    return gathers(call) ? 1 : call->neighbors[rank].outdegree;
}

struct tf_content tf_contract_neighbor_before(int32_t rank, int buffer, int32_t block)
{
    return buffer == TF_INPUT ? (struct tf_content){rank, rank, block} : nothing;
}

/* How often `rank` is among ranks[0..n). */
static int32_t count(const int32_t *ranks, int32_t n, int32_t rank)
{
    int32_t found = 0;
    for (int32_t i = 0; i < n; i++)
        found += ranks[i] == rank;
    return found;
}

/* Where among its source's destinations the edge is by which source `block` of a rank sends; -1: nowhere. */
static int32_t other_end(const struct tf_contract *call, int32_t rank, int32_t block)
{
    const struct tf_neighbors *mine = &call->neighbors[rank];
    if (mine->grid)
        return block % 2 ? block - 1 : block + 1;
    const struct tf_neighbors *theirs = &call->neighbors[mine->sources[block]];
    int32_t before = count(mine->sources, block, mine->sources[block]);
    for (int32_t k = 0; k < theirs->outdegree; k++)
        if (theirs->destinations[k] == rank && count(theirs->destinations, k, rank) == before)
            return k;
    return -1;
}

struct tf_content tf_contract_neighbor_after(const struct tf_contract *call, int32_t rank, int32_t block)
{
    int32_t source = call->neighbors[rank].sources[block];
    if (source < 0)
        return nothing;
    return (struct tf_content){source, source, gathers(call) ? 0 : other_end(call, rank, block)};
}

/* Of an edge, by the rank where it begins and its number there. */
static int32_t size_of_edge(const struct tf_contract *call, int32_t rank, int32_t edge)
{
    int32_t most = 1;
    for (int32_t r = 0; r < call->size; r++)
        most = call->neighbors[r].outdegree > most ? call->neighbors[r].outdegree : most;
    return rank * most + edge;
}

int32_t tf_contract_neighbor_size_of_content(const struct tf_contract *call, int32_t rank, int32_t block)
{
    return varies(call) ? size_of_edge(call, rank, block) : 0;
}

/* Of what a rank receives. */
static int32_t size_of_received(const struct tf_contract *call, int32_t rank, int32_t block)
{
    struct tf_content comes = tf_contract_neighbor_after(call, rank, block);
    return comes.last < comes.first ? -1 : size_of_edge(call, comes.first, comes.block);
}

/* A rank knows the sizes of what it sends and gets itself, and of what those of its domain do. */
static int32_t size_of_parcel(const struct tf_contract *call, const struct tf_parcel *parcels, int32_t rank,
                              int32_t block)
{
    if (!parcels || !call->domain || call->domain[parcels[block].rank] != call->domain[rank])
        return -1;
    const struct tf_parcel *parcel = &parcels[block];
    return parcel->received ? size_of_received(call, parcel->rank, parcel->number)
                            : size_of_edge(call, parcel->rank, parcel->number);
}

int32_t tf_contract_neighbor_size_of_block(const struct tf_contract *call, const struct tf_parcel *parcels,
                                           int32_t rank, int buffer, int32_t block)
{
    if (!varies(call))
        return 0;
    if (buffer >= TF_TEMP0)
        return size_of_parcel(call, parcels, rank, block);
    return buffer == TF_INPUT ? size_of_edge(call, rank, block) : size_of_received(call, rank, block);
}
