/* exact.h - exact sums, in two ways that give the same bits.
 *
 * At once: the elements travel as they are, with an algorithm (one that says ONCE in algos.def) that brings together
 * all operands of an element on one rank, where tf_binned_combine() sums them.
 *
 * Wide: a reduction of elements as the same reduction of their accumulators, four times as many bytes, by any
 * algorithm.
 *
 *     the user's call --open--> accumulators --MPI_SUM on accumulators--> accumulators --close--> result
 */
#ifndef TF_EXACT_H
#define TF_EXACT_H

#include "coll/coll.h"
#include "op/accumulate.h"

struct tf_exact {
    struct tf_call call; /* the user's */
    struct tf_binned_form form;
    struct tf_binned *input, *output; /* in one allocation */
    size_t capacity;                  /* its bytes */
    MPI_Count ninput, noutput;        /* elements; of the output, those that this rank gets */
};

/* Whether the call is to be summed exactly. */
static inline bool tf_exact_wants(const struct tf_call *call)
{
    return call->op && call->root != MPI_PROC_NULL && call->comm->order == TF_ORDER_EXACT &&
           call->op->obj.handle == (uintptr_t)MPI_SUM && tf_binned_form((enum tf_basic)call->recvtype->basic).parts > 0;
}

/* Whether it goes by accumulators: where there is no algorithm that combines at once (scans, intercommunicators), or
 * where that is for fewer ranks; and where the user says which algorithm to take.  The same on every rank. */
bool tf_exact_widens(const struct tf_call *call);

/* The call on accumulators that stands for it, with memory that is kept for the next one; or MPI_ERR_NO_MEM. */
int tf_exact_prepare(struct tf_exact *exact, const struct tf_call *call, struct tf_call *wide);
void tf_exact_open(const struct tf_exact *exact);  /* before it begins */
void tf_exact_close(const struct tf_exact *exact); /* when it has ended well */
void tf_exact_free(struct tf_exact *exact);

#endif
