/* alltoall.h - one exchange of the all-to-all algorithms. */
#ifndef TF_ALGO_ALLTOALL_H
#define TF_ALGO_ALLTOALL_H

#include "plan/plan.h"

/* The scratch buffer that in place needs (blocks of the ranks below this one), 0 if none is needed. */
int tf_algo_alltoall_temp(struct tf_plan *plan, const struct tf_shape *shape);
void tf_algo_alltoall_send(struct tf_plan *plan, const struct tf_shape *shape, int peer);
void tf_algo_alltoall_recv(struct tf_plan *plan, const struct tf_shape *shape, int peer, int temp);
/* This rank's own block, and in place the blocks that were received into the scratch buffer. */
void tf_algo_alltoall_copy(struct tf_plan *plan, const struct tf_shape *shape, int temp);

#endif
