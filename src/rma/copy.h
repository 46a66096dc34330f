/* copy.h - put and get between processes of a node whose memory is not shared: the system copies, without the target.
 */
#ifndef TF_COPY_H
#define TF_COPY_H

#include "rma/op.h"

/* False: not by this way; nothing, or a part, has been done. */
bool tf_copy(const struct tf_win_op *op);

#endif
