/* slices.h - every rank combines one slice, its own block of the vector, of everybody's contribution. */
#ifndef TF_SLICES_H
#define TF_SLICES_H

#include "plan/plan.h"

/* The blocks go from `own` of each rank to their ranks, which combine them in rank order into `result`, one block. */
void tf_algo_slices(struct tf_plan *plan, const struct tf_shape *shape, int own, struct tf_ref result);

#endif
