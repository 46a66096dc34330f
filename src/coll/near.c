/* near.c - what the processes of a domain tell each other before a persistent collective between neighbors. */
#include "coll/near.h"

#include "coll/choice.h"

/* A collective among the neighbors of `with`, or, where that is NULL, all ranks, as a part of the call. */
static int run_inside(const struct tf_call *call, struct tf_call *inner, const char *algorithm,
                      const struct tf_neighbors *with)
{
    struct tf_comm *comm = call->comm;
    struct tf_plan_cache *plans = comm->colls->plans;
    const struct tf_run *own = comm->colls->near.run;
    struct tf_shape shape = {.rank = comm->rank, .size = comm->size, .commutes = true, .neighbors = with};
    struct tf_room room = {0};
    struct tf_run run = {.room = &room,
                         .blocking = true,
                         .sequence = own->sequence,
                         .fingerprint = own->fingerprint,
                         .terms = own->terms};
    const struct tf_plan *plan = tf_plan_cache_get(plans, tf_algo_find(inner->coll, algorithm), &shape);
    if (!plan)
        return MPI_ERR_NO_MEM;
    inner->comm = comm;
    comm->colls->near.asked = true;
    int err = tf_choice_bind(&run, inner, plan);
    if (!err)
        err = tf_exec_run(&run);
    tf_run_clear(&run);
    tf_room_clear(&room);
    tf_plan_cache_release(plans, plan);
    return err;
}

/* ---- how long blocks are ---- */

static MPI_Count bytes_of(struct tf_counts counts, MPI_Count count, const struct tf_type *type, int32_t number)
{
    if (counts.array)
        count = tf_counts_at(counts, number);
    return type ? count * (MPI_Count)type->size : 0;
}

/* That this rank sends as that number, gets as that. */
static MPI_Count sent(const struct tf_call *call, int32_t number)
{
    const struct tf_type *type =
        call->coll == TF_NEIGHBOR_ALLTOALLW ? call->comm->colls->near.run->types[number] : call->sendtype;
    return bytes_of(call->sendcounts, call->sendcount, type, number);
}

static MPI_Count received(const struct tf_call *call, int32_t number)
{
    const struct tf_type *type =
        call->coll == TF_NEIGHBOR_ALLTOALLW ? call->comm->colls->near.run->received_types[number] : call->recvtype;
    return bytes_of(call->recvcounts, call->recvcount, type, number);
}

int tf_near_bytes(const struct tf_call *call, size_t *bytes)
{
    const struct tf_neighbors *mine;
    uint64_t longest = 0, result = 0;
    int err = tf_coll_neighbors(call->comm, &mine);
    if (err)
        return err;
    for (int32_t k = 0; k < mine->outdegree; k++)
        longest = (uint64_t)sent(call, k) > longest ? (uint64_t)sent(call, k) : longest;
    struct tf_call inner = tf_coll_max_call(call->comm, call->caller, &longest, &result);
    err = run_inside(call, &inner, "recursive_doubling", NULL);
    *bytes = (size_t)result;
    return err;
}

/* ---- what each rank of the domain has, side by side ---- */

/* Rank i of the domain has each * (what it has of neighbors) elements; they come one after the other. */
static int gather(const struct tf_call *call, const void *mine, void *all, MPI_Datatype type)
{
    struct tf_near *near = &call->comm->colls->near;
    int n = near->domain.indegree;
    MPI_Count *counts = tf_alloc(2 * (size_t)n * sizeof *counts, "what ranks of a domain tell"), *displs = counts + n;
    if (!counts)
        return MPI_ERR_NO_MEM;
    struct tf_call inner = {.coll = TF_NEIGHBOR_ALLGATHERV, .sendbuf = mine, .recvbuf = all};
    inner.sendtype = inner.recvtype = tf_type_find(type);
    inner.recvcounts = (struct tf_counts){counts, true};
    inner.rdispls = (struct tf_counts){displs, true};
    MPI_Count total = 0;
    for (int i = 0; i < n; i++) {
        counts[i] = near->lists[i].outdegree + near->lists[i].indegree;
        displs[i] = total;
        total += counts[i];
        if (near->domain.sources[i] == call->comm->rank)
            inner.sendcount = counts[i];
    }
    int err = run_inside(call, &inner, "direct", &near->domain);
    free(counts);
    return err;
}

/* ---- who has which neighbors ---- */

static int find_domain(const struct tf_comm *comm, struct tf_neighbors *domain)
{
    const int32_t *of = comm->colls->domains.of;
    int32_t n = 0, *ranks = tf_alloc((size_t)comm->size * sizeof *ranks, "the ranks of a domain");
    if (!ranks)
        return MPI_ERR_NO_MEM;
    for (int r = 0; r < comm->size; r++)
        if (of[r] == of[comm->rank])
            ranks[n++] = r;
    *domain = (struct tf_neighbors){.indegree = n, .outdegree = n, .sources = ranks, .destinations = ranks};
    return MPI_SUCCESS;
}

/* Destinations, then sources. */
static void write_list(const struct tf_neighbors *mine, int32_t *list)
{
    if (mine->outdegree)
        memcpy(list, mine->destinations, (size_t)mine->outdegree * sizeof *list);
    if (mine->indegree)
        memcpy(list + mine->outdegree, mine->sources, (size_t)mine->indegree * sizeof *list);
}

static int gather_degrees(const struct tf_call *call, const struct tf_neighbors *mine, int32_t (*degrees)[2])
{
    int32_t own[2] = {mine->outdegree, mine->indegree};
    struct tf_call inner = {
        .coll = TF_NEIGHBOR_ALLGATHER, .sendbuf = own, .recvbuf = degrees, .sendcount = 2, .recvcount = 2};
    inner.sendtype = inner.recvtype = tf_type_find(MPI_INT32_T);
    return run_inside(call, &inner, "direct", &call->comm->colls->near.domain);
}

/* Fills near->lists, whose memory is before the ranks that they point to. */
static int gather_lists(const struct tf_call *call, const struct tf_neighbors *mine, int32_t (*degrees)[2])
{
    struct tf_near *near = &call->comm->colls->near;
    size_t n = (size_t)near->domain.indegree, edges = 0, own = (size_t)mine->outdegree + (size_t)mine->indegree;
    for (size_t i = 0; i < n; i++)
        edges += (size_t)degrees[i][0] + (size_t)degrees[i][1];
    near->lists = tf_alloc(n * sizeof *near->lists + (edges + own + 1) * sizeof(int32_t), "neighbors of a domain");
    if (!near->lists)
        return MPI_ERR_NO_MEM;
    int32_t *all = (int32_t *)(near->lists + n), *at = all;
    for (size_t i = 0; i < n; i++) {
        near->lists[i] = (struct tf_neighbors){.outdegree = degrees[i][0],
                                               .indegree = degrees[i][1],
                                               .destinations = at,
                                               .sources = at + degrees[i][0],
                                               .grid = mine->grid};
        at += degrees[i][0] + degrees[i][1];
    }
    write_list(mine, at);
    return gather(call, at, all, MPI_INT32_T);
}

static int fill(const struct tf_call *call, struct tf_near *near)
{
    const struct tf_neighbors *mine;
    int err = tf_coll_neighbors(call->comm, &mine);
    if (!err)
        err = find_domain(call->comm, &near->domain);
    if (err)
        return err;
    int32_t(*degrees)[2] = tf_alloc((size_t)near->domain.indegree * sizeof *degrees, "neighbors of a domain");
    if (!degrees)
        return MPI_ERR_NO_MEM;
    err = gather_degrees(call, mine, degrees);
    if (!err)
        err = gather_lists(call, mine, degrees);
    free(degrees);
    return err;
}

int tf_near_lists(const struct tf_call *call, const struct tf_neighbors **lists)
{
    struct tf_near *near = &call->comm->colls->near;
    *lists = NULL;
    if (!call->comm->colls->domains.of)
        return MPI_SUCCESS;
    int err = near->lists ? MPI_SUCCESS : fill(call, near);
    if (err)
        tf_near_clear(near);
    *lists = near->lists;
    return err;
}

/* ---- and how long their blocks are ---- */

/* The first of the numbers that a rank of the domain has told. */
static const MPI_Count *told_by(const struct tf_near *near, const MPI_Count *all, int32_t rank,
                                const struct tf_neighbors **list)
{
    int i = 0;
    for (; near->domain.sources[i] != rank; i++)
        all += near->lists[i].outdegree + near->lists[i].indegree;
    *list = &near->lists[i];
    return all;
}

static void pick(const struct tf_near *near, const struct tf_plan *plan, const MPI_Count *all, MPI_Count *bytes)
{
    for (int32_t b = 0; plan->parcels && b < plan->nblocks; b++) {
        const struct tf_parcel *p = &plan->parcels[b];
        const struct tf_neighbors *list;
        const MPI_Count *told = told_by(near, all, p->rank, &list);
        bytes[b] = told[p->received ? list->outdegree + p->number : p->number];
    }
}

int tf_near_sizes(const struct tf_call *call, const struct tf_plan *plan, MPI_Count *bytes)
{
    struct tf_near *near = &call->comm->colls->near;
    const struct tf_neighbors *mine;
    int err = tf_coll_neighbors(call->comm, &mine);
    if (err || !near->lists)
        return err;
    size_t edges = 0;
    for (int i = 0; i < near->domain.indegree; i++)
        edges += (size_t)near->lists[i].outdegree + (size_t)near->lists[i].indegree;
    MPI_Count *all =
        tf_alloc((edges + (size_t)mine->outdegree + (size_t)mine->indegree + 1) * sizeof *all, "sizes of blocks");
    if (!all)
        return MPI_ERR_NO_MEM;
    MPI_Count *own = all + edges;
    for (int32_t k = 0; k < mine->outdegree; k++)
        own[k] = sent(call, k);
    for (int32_t k = 0; k < mine->indegree; k++)
        own[mine->outdegree + k] = received(call, k);
    err = gather(call, own, all, MPI_INT64_T);
    if (!err)
        pick(near, plan, all, bytes);
    free(all);
    return err;
}

void tf_near_clear(struct tf_near *near)
{
    free((void *)near->domain.sources);
    free(near->lists);
    near->domain = (struct tf_neighbors){.indegree = 0};
    near->lists = NULL;
}
