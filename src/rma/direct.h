/* direct.h - operations on memory that this process has before it: loads and stores, at once. */
#ifndef TF_DIRECT_H
#define TF_DIRECT_H

#include "rma/op.h"

/* MPI_ERR_RMA_RANGE: it is not attached. */
int tf_direct(struct tf_win_op *op);

#endif
