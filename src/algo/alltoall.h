/* alltoall.h - one exchange of the all-to-all algorithms. */
#ifndef TF_ALGO_ALLTOALL_H
#define TF_ALGO_ALLTOALL_H

#include "plan/plan.h"

/* The scratch buffer that in place needs (blocks of the ranks below this one), 0 if none is needed. */
int tf_algo_alltoall_temp(struct tf_plan *plan, const struct tf_shape *shape);
void tf_algo_alltoall_send(struct tf_plan *plan, const struct tf_shape *shape, int peer);
void tf_algo_alltoall_recv(struct tf_plan *plan, const struct tf_shape *shape, int peer, int temp);
/* This rank's own block: while those of the others are on their way. */
void tf_algo_alltoall_own(struct tf_plan *plan, const struct tf_shape *shape);
/* In place the blocks that were received into the scratch buffer. */
void tf_algo_alltoall_put_back(struct tf_plan *plan, const struct tf_shape *shape, int temp);

#endif
