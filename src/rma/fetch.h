/* fetch.h - one element of a process whose memory is not before this one: MPI_Fetch_and_op and MPI_Compare_and_swap by
 * the shortest messages.
 *
 * All that the target needs fits into the first line of a cell, and all of the answer into a header; of what is under
 * way nothing is kept but where the answer goes.  Towards other operations they are what op.h's are: done by the target
 * in the order in which they were called, and awaited by whoever awaits answers.
 */
#ifndef TF_RMA_FETCH_H
#define TF_RMA_FETCH_H

#include "op/op.h"
#include "rma/win.h"

/* What travels: with an operator a value, without one a value and what to compare with. */
struct tf_fetch_ask {
    uint32_t asker;    /* id by which the answer names it */
    uint16_t type, op; /* handles of predefined ones; op 0: compare and swap */
    uint64_t value, compare;
};

/* Ask for it.  False: nothing has happened, it has to go the long way, which says what is wrong, if something is. */
bool tf_fetch_combine(struct tf_win *win, int rank, MPI_Aint disp, const struct tf_type *type, const struct tf_op *op,
                      const void *data, void *old);
bool tf_fetch_swap(struct tf_win *win, int rank, MPI_Aint disp, const struct tf_type *type, const void *compare,
                   const void *data, void *old);
/* That process asks. */
void tf_fetch_serve(struct tf_target *asker, uint64_t at, const void *payload, size_t length);
/* The answer. */
void tf_fetch_end(uint32_t id, uint64_t value);

#endif
