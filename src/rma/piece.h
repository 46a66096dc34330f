/* piece.h - an operation as messages: descriptions of datatypes, pieces, and bytes that go from where they lie. */
#ifndef TF_PIECE_H
#define TF_PIECE_H

#include "rma/op.h"

/* Have what can go now of that operation go; true: all of it has. */
bool tf_piece_push(struct tf_win_op *op);
/* A pass of progress: short pieces that were there in the last one are given to the network now. */
void tf_piece_pass(struct tf_target *target);

#endif
