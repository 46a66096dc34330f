/* order.h - the prover's look at one rank's plan: whether it is a plan at all, and whether steps that touch the same
 * blocks are ordered by its graph. */
#ifndef TF_ORDER_H
#define TF_ORDER_H

#include "plan/plan.h"

/* Every step names peers of the communicator, buffers and blocks that exist (`extent` blocks in each buffer), as many
 * blocks on both sides, and earlier steps as dependencies.  If not: false, and why in `words`. */
bool tf_order_check_steps(const struct tf_plan *plan, int32_t rank, int32_t size, const int32_t extent[TF_NBUFFERS],
                          char *words, size_t capacity);

/* Any two steps that touch a block, one of them writing, are joined by a path of dependencies, and each streamed
 * dependency is one that may be. Independent of how the builder found the dependencies. */
bool tf_order_check_races(const struct tf_plan *plan, int32_t rank, const int32_t extent[TF_NBUFFERS], char *words,
                          size_t capacity);

#endif
