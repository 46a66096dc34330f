/* copy.h - put and get between processes of a node whose memory is not shared: the system copies, without the target.
 *
 * A call of the system costs as much as some kilobytes do.  So what goes this way is collected, for each target what is
 * put and what is got, and copied by one call each: when it is much, and in the next pass of progress, which everything
 * makes that waits for operations.  Puts and gets are in no order towards each other and towards what goes by messages,
 * and buffers are the library's until then (MPI-5.0 sections 12.3 and 12.7.2).
 */
#ifndef TF_COPY_H
#define TF_COPY_H

#include "rma/op.h"

/* Whether that is its way. */
bool tf_copy_takes(const struct tf_win_op *op);
int tf_copy_collect(const struct tf_win_op *op);
/* Copy what is collected.  What the system refuses is queued, to go by messages (tf_op_queue). */
void tf_copy_push(struct tf_target *target);
/* All of it is queued. */
void tf_copy_leave(struct tf_target *target);

#endif
