/* reduce.c - the family of reductions: reduce, allreduce, scan, exscan, reduce_scatter and reduce_scatter_block.
 *
 * Elements of a predefined operator are plain bytes, gaps inside the pair types included (DOUBLE_INT is 12 bytes of
 * data in 16), so that kernels read them where they lie; vectors with gaps go to user-defined operators only and travel
 * packed.
 */
#include "coll/exact.h"
#include "coll/family.h"

/* Whether elements that follow each other from an aligned address on, as in a message, are where the function of an
 * operator may expect them: the alignment of a type divides its extent, and messages are aligned for every type of C.
 * (Those without an extent lie all in one place.)
 */
static bool lies_well(const struct tf_type *type)
{
    uintptr_t distance = (uintptr_t)type->extent | _Alignof(max_align_t), alignment = distance & -distance;
    return type->dense && (uintptr_t)type->true_lb % alignment == 0;
}

static void set_operator(struct tf_run *run, const struct tf_call *call)
{
    run->op = call->op;
    run->optype = call->recvtype;
    run->kernel = tf_op_kernel(call->op, call->recvtype);
    run->unit = (size_t)call->recvtype->extent;
    run->whole = !run->kernel && call->comm->whole_operators;
    run->apart = !run->kernel && tf_library.locking;
    run->lies_well = !run->kernel && lies_well(call->recvtype);
    run->exact =
        tf_exact_wants(call) ? tf_binned_form((enum tf_basic)call->recvtype->basic) : (struct tf_binned_form){0};
}

static struct tf_bound bound(const struct tf_run *run, const void *buf, enum tf_layout layout, MPI_Count count)
{
    if (run->kernel)
        return (struct tf_bound){.base = (char *)buf,
                                 .memory = tf_memory_of(buf),
                                 .stride = (ptrdiff_t)run->unit,
                                 .unit = run->unit,
                                 .layout = layout,
                                 .count = count};
    struct tf_bound b = tf_bound_typed((void *)buf, run->optype, layout, count);
    b.skew = (uint8_t)((uintptr_t)run->optype->true_lb % TF_CACHE_LINE);
    return b;
}

int tf_coll_bind_vector(struct tf_run *run, const struct tf_call *call)
{
    set_operator(run, call);
    run->bound[TF_INPUT] = bound(run, call->sendbuf, TF_EVEN, call->recvcount);
    run->bound[TF_OUTPUT] = bound(run, call->recvbuf, TF_EVEN, call->recvcount);
    run->plain = !run->bound[TF_OUTPUT].type && tf_memory_is_host(call->sendbuf) && tf_memory_is_host(call->recvbuf);
    run->plain_bytes = (size_t)call->recvcount * run->bound[TF_OUTPUT].unit;
    return run->plan->ntemps ? tf_bind_temps(run, &run->bound[TF_OUTPUT]) : MPI_SUCCESS;
}

size_t tf_coll_bytes_vector(const struct tf_call *call)
{
    return (size_t)call->recvcount * (size_t)call->recvtype->size;
}

int tf_coll_bind_reduce_scatter(struct tf_run *run, const struct tf_call *call)
{
    enum tf_layout layout = call->coll == TF_REDUCE_SCATTER ? TF_VARYING : TF_UNIFORM;
    const void *input = call->sendbuf == MPI_IN_PLACE ? call->recvbuf : call->sendbuf;
    set_operator(run, call);
    if (layout == TF_VARYING) {
        int err = tf_bind_prefix(run, call->recvcounts, NULL, call->comm->size);
        if (err)
            return err;
    }
    run->bound[TF_INPUT] = bound(run, input, layout, call->recvcount);
    run->bound[TF_OUTPUT] = bound(run, call->recvbuf, layout, call->recvcount);
    run->bound[TF_OUTPUT].first = call->comm->rank;
    return run->plan->ntemps ? tf_bind_temps(run, &run->bound[TF_INPUT]) : MPI_SUCCESS;
}

size_t tf_coll_bytes_reduce_scatter(const struct tf_call *call)
{
    MPI_Count total = 0;
    if (call->coll == TF_REDUCE_SCATTER_BLOCK)
        total = call->recvcount * call->comm->size;
    else
        for (int i = 0; i < call->comm->size; i++)
            total += tf_counts_at(call->recvcounts, i);
    return (size_t)total * (size_t)call->recvtype->size;
}
