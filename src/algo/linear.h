/* linear.h - receive the vectors of all ranks, or of a few, and combine them in rank order. */
#ifndef TF_LINEAR_H
#define TF_LINEAR_H

#include "plan/plan.h"

/* Receive the whole vector of every other rank and combine all, in rank order from the left, with this rank's own in
 * `own`; the result is left in `home`, which may be `own` on ranks 0 and 1 only. */
void tf_algo_combine_in_order(struct tf_plan *plan, const struct tf_shape *shape, int own, int home);

/* The same among n ranks in rising order, of which this one is ranks[me]. */
void tf_algo_combine_group(struct tf_plan *plan, const int *ranks, int n, int me, int own, int home);

#endif
