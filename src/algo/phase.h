/* phase.h - another generator's algorithm as a phase of a longer one, among some of the ranks. */
#ifndef TF_PHASE_H
#define TF_PHASE_H

#include "plan/plan.h"

struct tf_phase {
    tf_algo_generate *generate; /* one that does not cut the vector */
    const int *ranks;           /* [size] who takes part, in the order that counts for it; this rank is ranks[me] */
    int size, me, root;         /* the root's number among them */
    bool inplace;
    int input, output; /* the plan's buffers that are TF_INPUT and TF_OUTPUT to it */
    int first, count;  /* the plan's blocks that are its vector */
    const int *starts; /* NULL, or [size]: who takes part is ranks[starts[i] + plus] */
    int plus;
};

/* Emit the steps that come after those already there, as a plan is a sequential program. */
void tf_algo_phase(struct tf_plan *plan, const struct tf_shape *shape, const struct tf_phase *phase);

#endif
