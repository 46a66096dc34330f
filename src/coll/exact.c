/* exact.c - exact sums.  See exact.h.
 */
#include "coll/exact.h"

#include "base/settings.h"
#include "coll/family.h"
#include "object/info.h"

/* Of an intercommunicator, the group without the root contributes to a reduction (MPI-5.0 section 6.9.1). */
static MPI_Count elements_in(const struct tf_call *call)
{
    MPI_Count total = 0;
    switch (call->coll) {
    case TF_REDUCE:
        return call->root == MPI_ROOT ? 0 : call->recvcount;
    case TF_REDUCE_SCATTER:
        for (int i = 0; i < call->comm->size; i++)
            total += tf_counts_at(call->recvcounts, i);
        return total;
    case TF_REDUCE_SCATTER_BLOCK:
        return call->recvcount * call->comm->size;
    default:
        return call->recvcount;
    }
}

static MPI_Count elements_out(const struct tf_call *call)
{
    switch (call->coll) {
    case TF_REDUCE_SCATTER:
        return tf_counts_at(call->recvcounts, call->comm->rank);
    case TF_REDUCE:
        return call->root == (call->comm->remote ? MPI_ROOT : call->comm->rank) ? call->recvcount : 0;
    case TF_EXSCAN:
        return call->comm->rank > 0 ? call->recvcount : 0;
    default:
        return call->recvcount;
    }
}

/* A rank that combines a short vector at once gets a message of every other one. */
enum { MOST_RANKS = 16, LEAST_SLICE = 1024 };

bool tf_exact_widens(const struct tf_call *call)
{
    if (!tf_exact_wants(call))
        return false;
    bool named = tf_settings.algorithm[0] || tf_info_value(call->comm->info, "treefold_algorithm");
    if (call->coll == TF_SCAN || call->coll == TF_EXSCAN || call->comm->remote || named)
        return true;
    size_t ranks = (size_t)call->comm->size;
    return ranks > MOST_RANKS && tf_families[call->coll].bytes(call) / ranks < LEAST_SLICE;
}

int tf_exact_prepare(struct tf_exact *exact, const struct tf_call *call, struct tf_call *wide)
{
    struct tf_binned_form form = tf_binned_form((enum tf_basic)call->recvtype->basic);
    MPI_Count ninput = elements_in(call), noutput = elements_out(call);
    size_t bytes = (size_t)(ninput + noutput) * (size_t)form.parts * sizeof(struct tf_binned);
    if (bytes > exact->capacity) {
        tf_exact_free(exact);
        exact->input = tf_alloc(bytes, "the accumulators of an exact sum");
        if (!exact->input)
            return MPI_ERR_NO_MEM;
        exact->capacity = bytes;
    }
    exact->call = *call;
    exact->form = form;
    exact->ninput = ninput;
    exact->noutput = noutput;
    exact->output = exact->input + ninput * form.parts;
    *wide = *call;
    wide->sendbuf = exact->input;
    wide->recvbuf = exact->output;
    wide->recvtype = form.parts == 1 ? &tf_type_binned : &tf_type_complex_binned;
    return MPI_SUCCESS;
}

void tf_exact_open(const struct tf_exact *exact)
{
    const struct tf_call *call = &exact->call;
    const void *from = call->sendbuf == MPI_IN_PLACE ? call->recvbuf : call->sendbuf;
    tf_binned_from(exact->input, exact->form, from, (size_t)exact->ninput);
}

void tf_exact_close(const struct tf_exact *exact)
{
    tf_binned_to(exact->call.recvbuf, exact->form, exact->output, (size_t)exact->noutput);
}

void tf_exact_free(struct tf_exact *exact)
{
    free(exact->input);
    exact->input = NULL;
    exact->capacity = 0;
}
