/* check.h - the prover: runs the plans of all ranks of one call symbolically and says whether they do what the
 * collective promises.
 *
 * Proved, for the contract given (contract.h) and so for every count, datatype and operator it covers:
 *   - every rank that must have a result has the right one: each contribution once, in rank order unless the operator
 *     commutes, with the same tree of combinations on all ranks of an allreduce, on whole vectors unless elementwise;
 *   - for each message there is one send and one receive, of the same blocks and sizes;
 *   - no rank waits for ever: with ready steps in any order even if every send waits for its receive, nor with steps in
 *     order of emission if sends do not wait;
 *   - steps of a rank that touch the same block, one writing, are ordered by the graph;
 *   - user input is not written, no buffer is named that does not exist, nothing is read before it is there;
 *   - no rank leaves a barrier before all have entered it.
 */
#ifndef TF_CHECK_H
#define TF_CHECK_H

#include "plan/contract.h"

/* plans[rank] for call->size ranks, finished.  False: what is wrong is said in `words` ("rank 3: block 2 of OUTPUT
 * holds ranks 0-1,3; rank 2's contribution is missing"). */
bool tf_plan_check(const struct tf_contract *call, const struct tf_plan *const *plans, char *words, size_t capacity);

/* The same, and that operands are bracketed in one way, so that the bits depend on neither algorithm nor root:
 *   reduce, allreduce, reduce_scatter(_block): with p = 2^k + e, e < 2^k, the first 2e ranks are combined in pairs of
 *       neighbours, and the 2^k values there are then in a balanced tree: p = 5 is ((x0 op x1) op x2) op (x3 op x4)
 *   scan, exscan: from the left, ((x0 op x1) op x2) op ..., whatever the number of ranks */
bool tf_plan_check_fixed(const struct tf_contract *call, const struct tf_plan *const *plans, char *words,
                         size_t capacity);

#endif
