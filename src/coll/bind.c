/* bind.c - a call's arguments become buffers: what all families share. */
#include "coll/choice.h"
#include "msg/transfer.h"

/* A gap-free vector is plain bytes from its first byte on. */
struct tf_bound tf_bound_typed(void *buf, const struct tf_type *type, enum tf_layout layout, MPI_Count count)
{
    struct tf_bound b = {
        .base = buf, .memory = tf_memory_of(buf), .layout = layout, .count = count, .unit = (size_t)type->size};
    b.stride = (ptrdiff_t)type->extent;
    if (type->dense) {
        b.base = (char *)((uintptr_t)buf + (uintptr_t)type->true_lb); /* of nothing too, which NULL may stand for */
        if (layout == TF_UNIFORM && b.stride == (ptrdiff_t)b.unit)    /* a type without data may have an extent */
            b.block = (ptrdiff_t)count * b.stride;
    } else {
        b.type = type;
    }
    return b;
}

static size_t round_up(size_t bytes)
{
    return (bytes + TF_CACHE_LINE - 1) & ~(size_t)(TF_CACHE_LINE - 1);
}

static size_t temp_bytes(const struct tf_run *run, const struct tf_bound *b, int i, ptrdiff_t *lead)
{
    const struct tf_temp *temp = &run->plan->temps[i];
    MPI_Count elements = temp->alike ? temp->nblocks * tf_run_elements(run, b, temp->first, 1)
                                     : tf_run_elements(run, b, temp->first, temp->nblocks);
    size_t bytes = (size_t)elements * (size_t)b->stride;
    *lead = 0;
    if (b->type)
        tf_type_span(b->type, elements, &bytes, lead);
    return bytes;
}

/* Bytes that are left out so that the function of an operator finds elements where their alignment is. */
static size_t skew(const struct tf_bound *model, ptrdiff_t lead)
{
    return model->type ? (uintptr_t)lead % TF_CACHE_LINE : model->skew;
}

/* SIZE_MAX: more than can be counted. */
static size_t all_temps(const struct tf_run *run, const struct tf_bound *model)
{
    size_t total = 0;
    ptrdiff_t lead;
    for (int i = 0; i < run->plan->ntemps; i++) {
        size_t bytes = temp_bytes(run, model, i, &lead), rest = skew(model, lead) + TF_CACHE_LINE;
        if (bytes > SIZE_MAX - rest || total > SIZE_MAX - rest - bytes)
            return SIZE_MAX;
        total += round_up(bytes + skew(model, lead));
    }
    return total;
}

static int grow_scratch(struct tf_room *room, size_t bytes)
{
    if (bytes <= room->scratch_cap)
        return MPI_SUCCESS;
    free(room->scratch);
    room->age++;
    room->scratch_cap = 0;
    room->scratch = bytes < SIZE_MAX ? aligned_alloc(TF_CACHE_LINE, bytes) : NULL;
    if (!room->scratch)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate %zu bytes of scratch for a collective", bytes);
    room->scratch_cap = bytes;
    return MPI_SUCCESS;
}

int tf_bind_temps(struct tf_run *run, const struct tf_bound *model)
{
    int n = run->plan->ntemps;
    ptrdiff_t lead;
    int err = grow_scratch(run->room, all_temps(run, model));
    if (err)
        return err;
    char *at = run->room->scratch;
    for (int i = 0; i < n; i++) {
        size_t bytes = temp_bytes(run, model, i, &lead);
        struct tf_bound *b = &run->bound[TF_TEMP0 + i];
        *b = *model;
        b->base = at + skew(model, lead) - lead;
        b->memory = TF_MEMORY_HOST;
        b->first = run->plan->temps[i].first;
        b->counts = b->displs = (struct tf_counts){0};
        if (run->plan->temps[i].alike) {
            b->layout = TF_UNIFORM;
            b->count = tf_run_elements(run, model, b->first, 1);
            b->first = 0;
            run->plain = false;
        }
        at += round_up(bytes + skew(model, lead));
    }
    return MPI_SUCCESS;
}

int tf_bind_prefix(struct tf_run *run, struct tf_counts counts, struct tf_type *const *types, int n)
{
    if ((size_t)n + 1 > run->prefix_cap) {
        free(run->prefix);
        run->prefix_cap = 0;
        run->prefix = tf_alloc(((size_t)n + 1) * sizeof *run->prefix, "the blocks of a collective");
        if (!run->prefix)
            return MPI_ERR_NO_MEM;
        run->prefix_cap = (size_t)n + 1;
    }
    run->prefix[0] = 0;
    for (int i = 0; i < n; i++)
        run->prefix[i + 1] = run->prefix[i] + tf_counts_at(counts, i) * (types ? types[i]->size : 1);
    return MPI_SUCCESS;
}

int tf_coll_bind_none(struct tf_run *run, const struct tf_call *call)
{
    (void)run, (void)call;
    return MPI_SUCCESS;
}

size_t tf_coll_bytes_none(const struct tf_call *call)
{
    (void)call;
    return 0;
}

/* The longest messages of the first gear.  In an exchange everybody has data for others that have some for it: all are
 * there as long as the messages take, so two with a processor each read them; of more, one waits for another, and rings
 * of 6 to 16 that forward 16 to 64 KiB take twice as long by reads as by copies.  What a root sends or gets may run
 * ahead in the rings, where nobody waits for it (tf_send_is_awaited()). */
#define LONGEST(two, many, sharing)                                                                                    \
    {                                                                                                                  \
        [TF_NET_TWO] = two, [TF_NET_MANY] = many, [TF_NET_SHARING] = sharing                                           \
    }
#define MOVED LONGEST(TF_PULL_LEAST - 1, TF_PULL_LEAST - 1, TF_PULL_LEAST)
#define EXCHANGED LONGEST(TF_SEND_RUNNING - 1, TF_PULL_LEAST, TF_PULL_LEAST)
#define REDUCED LONGEST(SIZE_MAX, SIZE_MAX, SIZE_MAX)

const struct tf_family tf_families[TF_NCOLL] = {
    [TF_BARRIER] = {tf_coll_bind_none, tf_coll_bytes_none, MOVED},
    [TF_BCAST] = {tf_coll_bind_bcast, tf_coll_bytes_bcast, MOVED},
    [TF_GATHER] = {tf_coll_bind_move, tf_coll_bytes_move, MOVED},
    [TF_GATHERV] = {tf_coll_bind_move_v, tf_coll_bytes_none, MOVED},
    [TF_SCATTER] = {tf_coll_bind_move, tf_coll_bytes_move, MOVED},
    [TF_SCATTERV] = {tf_coll_bind_move_v, tf_coll_bytes_none, MOVED},
    [TF_ALLGATHER] = {tf_coll_bind_move, tf_coll_bytes_move, EXCHANGED},
    [TF_ALLGATHERV] = {tf_coll_bind_move_v, tf_coll_bytes_allgatherv, EXCHANGED},
    [TF_ALLTOALL] = {tf_coll_bind_move, tf_coll_bytes_move, EXCHANGED},
    [TF_ALLTOALLV] = {tf_coll_bind_move_v, tf_coll_bytes_none, EXCHANGED},
    [TF_ALLTOALLW] = {tf_coll_bind_alltoallw, tf_coll_bytes_none, EXCHANGED},
    [TF_NEIGHBOR_ALLGATHER] = {tf_coll_bind_move, tf_coll_bytes_none, EXCHANGED},
    [TF_NEIGHBOR_ALLGATHERV] = {tf_coll_bind_move_v, tf_coll_bytes_none, EXCHANGED},
    [TF_NEIGHBOR_ALLTOALL] = {tf_coll_bind_move, tf_coll_bytes_none, EXCHANGED},
    [TF_NEIGHBOR_ALLTOALLV] = {tf_coll_bind_move_v, tf_coll_bytes_none, EXCHANGED},
    [TF_NEIGHBOR_ALLTOALLW] = {tf_coll_bind_alltoallw, tf_coll_bytes_none, EXCHANGED},
    [TF_REDUCE] = {tf_coll_bind_vector, tf_coll_bytes_vector, REDUCED},
    [TF_ALLREDUCE] = {tf_coll_bind_vector, tf_coll_bytes_vector, REDUCED},
    [TF_REDUCE_SCATTER_BLOCK] = {tf_coll_bind_reduce_scatter, tf_coll_bytes_reduce_scatter, REDUCED},
    [TF_REDUCE_SCATTER] = {tf_coll_bind_reduce_scatter, tf_coll_bytes_reduce_scatter, REDUCED},
    [TF_SCAN] = {tf_coll_bind_vector, tf_coll_bytes_vector, REDUCED},
    [TF_EXSCAN] = {tf_coll_bind_vector, tf_coll_bytes_vector, REDUCED},
};

/* ---- all of a call ---- */

/* To and from how many it goes, each with a datatype. */
static int sides_of(const struct tf_call *call, int *nsent, int *nreceived)
{
    *nsent = *nreceived = call->comm->npeers;
    if (!tf_coll_is_neighbor(call->coll))
        return MPI_SUCCESS;
    const struct tf_neighbors *neighbors;
    int err = tf_coll_neighbors(call->comm, &neighbors);
    if (err)
        return err;
    *nsent = neighbors->outdegree;
    *nreceived = neighbors->indegree;
    return MPI_SUCCESS;
}

static int make_room(struct tf_run *run, int ntypes)
{
    if (run->types && ntypes <= run->ntypes)
        return MPI_SUCCESS;
    struct tf_type **types = tf_alloc(((size_t)ntypes + 1) * sizeof *types, "the datatypes of an alltoallw");
    if (!types)
        return MPI_ERR_NO_MEM;
    free(run->types);
    run->types = types;
    run->ntypes = ntypes;
    return MPI_SUCCESS;
}

/* MPI_DATATYPE_NULL, which stands beside a count of 0, is as good as any. */
static struct tf_type *type_of(MPI_Datatype handle)
{
    struct tf_type *type = tf_type_find(handle);
    return type ? type : tf_type_find(MPI_BYTE);
}

int tf_choice_types(struct tf_run *run, const struct tf_call *call)
{
    int nsent, nreceived;
    int err = sides_of(call, &nsent, &nreceived);
    if (!err)
        err = make_room(run, nsent + nreceived);
    if (err)
        return err;
    for (int i = 0; i < nsent; i++)
        run->types[i] = call->sendbuf == MPI_IN_PLACE ? NULL : type_of(call->sendtypes[i]);
    for (int i = 0; i < nreceived; i++)
        run->types[nsent + i] = type_of(call->recvtypes[i]);
    for (int i = nsent + nreceived; i < run->ntypes; i++) /* of an earlier call */
        run->types[i] = NULL;
    run->received_types = run->types + nsent;
    return MPI_SUCCESS;
}

int tf_choice_bind(struct tf_run *run, const struct tf_call *call, const struct tf_plan *plan)
{
    run->plan = plan;
    run->comm = call->comm->joint;
    run->plain = false;
    if (tf_choice_idle(call))
        return MPI_SUCCESS;
    const struct tf_family *family = &tf_families[call->coll];
    run->longest = family->longest[tf_net_company];
    return family->bind(run, call);
}
