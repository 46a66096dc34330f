/* move.c - the families that move data unchanged: bcast, gather, scatter, allgather, alltoall, and their v and w forms,
 * of neighbors too.
 *
 * What travels is the packed stream, so the two sides may describe the same data by different datatypes.  Scratch holds
 * packed elements.
 */
#include "coll/choice.h"

#include "base/settings.h"

/* The vector is cut by bytes: the ranks may count the same data in different datatypes. */
int tf_coll_bind_bcast(struct tf_run *run, const struct tf_call *call)
{
    struct tf_bound b = tf_bound_typed(call->recvbuf, call->recvtype, TF_EVEN, call->recvcount);
    if (b.type) {
        b.bytewise = true;
    } else {
        b.count *= (MPI_Count)b.unit;
        b.stride = 1;
    }
    b.unit = 1;
    run->bound[TF_OUTPUT] = b;
    run->plain = !b.type && !run->plan->ntemps && b.memory == TF_MEMORY_HOST;
    run->plain_bytes = (size_t)b.count;
    return MPI_SUCCESS;
}

size_t tf_coll_bytes_bcast(const struct tf_call *call)
{
    return (size_t)call->recvcount * (size_t)call->recvtype->size;
}

bool tf_coll_sends_known(const struct tf_call *call)
{
    bool root = call->root == (call->comm->remote ? MPI_ROOT : call->comm->rank);
    switch (call->coll) {
    case TF_GATHER:
        return !root;
    case TF_SCATTER:
        return root;
    default:
        return false;
    }
}

/* What is sent must be as long as what is received (MPI-5.0 section 6.7), but programs that gather names send strings
 * to places of the longest one, and MPICH and Open MPI let them: the rest of a place is what the sender has there.
 * Nothing at all is no such thing. */
bool tf_coll_sends_less(const struct tf_call *call, struct tf_call *whole)
{
    bool varying = call->coll == TF_ALLGATHERV;
    if ((call->coll != TF_ALLGATHER && !varying) || call->sendbuf == MPI_IN_PLACE || call->comm->remote || tf_strict())
        return false;
    int rank = call->comm->rank;
    MPI_Count room = varying ? tf_counts_at(call->recvcounts, rank) : call->recvcount;
    MPI_Count from = varying ? tf_counts_at(call->rdispls, rank) : rank * call->recvcount;
    if (call->sendcount == 0 || room == 0 || !tf_memory_is_host(call->sendbuf) || !tf_memory_is_host(call->recvbuf))
        return false;
    size_t sent = (size_t)call->sendcount * (size_t)call->sendtype->size;
    if (sent == 0 || sent >= (size_t)room * (size_t)call->recvtype->size)
        return false;
    uintptr_t place = (uintptr_t)call->recvbuf + (uintptr_t)(from * call->recvtype->extent);
    tf_type_copy((void *)place, room, call->recvtype, call->sendbuf, call->sendcount, call->sendtype);
    *whole = *call;
    whole->sendbuf = MPI_IN_PLACE;
    whole->sendcount = 0;
    whole->sendtype = NULL;
    return true;
}

static struct tf_bound packed(const struct tf_type *type, enum tf_layout layout, MPI_Count count)
{
    return (struct tf_bound){
        .stride = (ptrdiff_t)type->size, .unit = (size_t)type->size, .layout = layout, .count = count};
}

/* A buffer that is not significant here has neither type nor count. */
static struct tf_bound side(const void *buf, const struct tf_type *type, enum tf_layout layout, MPI_Count count)
{
    return type && buf != MPI_IN_PLACE ? tf_bound_typed((void *)buf, type, layout, count) : (struct tf_bound){0};
}

/* The scratch of a plan whose blocks are parcels. */
static int bind_parcels(struct tf_run *run)
{
    struct tf_bound model = {.stride = 1, .unit = 1, .layout = TF_VARYING};
    int err = tf_bind_prefix(run, (struct tf_counts){run->parcels, true}, NULL, run->plan->nblocks);
    return err ? err : tf_bind_temps(run, &model);
}

int tf_coll_bind_move(struct tf_run *run, const struct tf_call *call)
{
    run->bound[TF_INPUT] = side(call->sendbuf, call->sendtype, TF_UNIFORM, call->sendcount);
    run->bound[TF_OUTPUT] = side(call->recvbuf, call->recvtype, TF_UNIFORM, call->recvcount);
    if (!run->plan->ntemps)
        return MPI_SUCCESS;
    if (run->plan->parcels)
        return bind_parcels(run);
    bool sending = tf_coll_sends_known(call);
    struct tf_bound model =
        packed(sending ? call->sendtype : call->recvtype, TF_UNIFORM, sending ? call->sendcount : call->recvcount);
    return tf_bind_temps(run, &model);
}

size_t tf_coll_bytes_move(const struct tf_call *call)
{
    if (tf_coll_sends_known(call))
        return (size_t)call->sendcount * (size_t)call->sendtype->size;
    size_t bytes = (size_t)call->recvcount * (size_t)call->recvtype->size;
    /* Two groups may send different amounts; both know the sum. */
    if (call->comm->remote && (call->coll == TF_ALLGATHER || call->coll == TF_ALLTOALL))
        bytes += (size_t)call->sendcount * (size_t)call->sendtype->size;
    return bytes;
}

static struct tf_bound side_v(const void *buf, const struct tf_type *type, struct tf_counts counts,
                              struct tf_counts displs)
{
    struct tf_bound b = side(buf, type, TF_VARYING, 0);
    b.counts = counts;
    b.displs = displs;
    return b;
}

int tf_coll_bind_move_v(struct tf_run *run, const struct tf_call *call)
{
    enum tf_coll coll = call->coll;
    bool one_in = coll == TF_GATHERV || coll == TF_ALLGATHERV || coll == TF_NEIGHBOR_ALLGATHERV,
         one_out = coll == TF_SCATTERV;
    run->bound[TF_INPUT] = one_in ? side(call->sendbuf, call->sendtype, TF_UNIFORM, call->sendcount)
                                  : side_v(call->sendbuf, call->sendtype, call->sendcounts, call->sdispls);
    run->bound[TF_OUTPUT] = one_out ? side(call->recvbuf, call->recvtype, TF_UNIFORM, call->recvcount)
                                    : side_v(call->recvbuf, call->recvtype, call->recvcounts, call->rdispls);
    if (!run->plan->ntemps)
        return MPI_SUCCESS;
    if (run->plan->parcels)
        return bind_parcels(run);
    int err = tf_bind_prefix(run, call->recvcounts, NULL, call->comm->npeers);
    if (err)
        return err;
    struct tf_bound model = packed(call->recvtype, TF_VARYING, 0);
    return tf_bind_temps(run, &model);
}

size_t tf_coll_bytes_allgatherv(const struct tf_call *call)
{
    MPI_Count total = 0;
    if (call->comm->remote) /* a process does not know what the others of its group send */
        return 0;
    for (int i = 0; i < call->comm->size; i++)
        total += tf_counts_at(call->recvcounts, i);
    return (size_t)total * (size_t)call->recvtype->size / (size_t)call->comm->size;
}

int tf_coll_bind_alltoallw(struct tf_run *run, const struct tf_call *call)
{
    int err = run->types_kept ? MPI_SUCCESS : tf_choice_types(run, call);
    if (err)
        return err;
    run->bound[TF_INPUT] = (struct tf_bound){.base = (char *)call->sendbuf, .layout = TF_VARYING, .unit = 1};
    run->bound[TF_INPUT].counts = call->sendcounts;
    run->bound[TF_INPUT].displs = call->sdispls;
    run->bound[TF_INPUT].types = run->types;
    run->bound[TF_OUTPUT] = (struct tf_bound){.base = call->recvbuf, .layout = TF_VARYING, .unit = 1};
    run->bound[TF_OUTPUT].counts = call->recvcounts;
    run->bound[TF_OUTPUT].displs = call->rdispls;
    run->bound[TF_OUTPUT].types = run->received_types;
    if (!run->plan->ntemps)
        return MPI_SUCCESS;
    if (run->plan->parcels)
        return bind_parcels(run);
    err = tf_bind_prefix(run, call->recvcounts, run->received_types, call->comm->npeers);
    if (err)
        return err;
    struct tf_bound model = {.stride = 1, .unit = 1, .layout = TF_VARYING};
    return tf_bind_temps(run, &model);
}
