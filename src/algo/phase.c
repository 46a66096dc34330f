/* phase.c - another generator's algorithm as a phase of a longer one.  See phase.h. */
#include "algo/phase.h"

struct names {
    int buffer[TF_NBUFFERS];
    int first, count;
};

/* The phase's vector is one block, its scratch buffers are vectors. */
static struct tf_ref rename_ref(const struct names *names, struct tf_ref ref)
{
    if (ref.count == 0)
        return ref;
    return tf_blocks(names->buffer[ref.buffer], ref.buffer < TF_TEMP0 ? names->first : 0, names->count);
}

static void append(struct tf_plan *plan, const struct tf_plan *part, const struct tf_phase *phase)
{
    struct names names = {{phase->input, phase->output}, phase->first, phase->count};
    uint32_t before = plan->nsteps;

    for (int i = 0; i < part->ntemps; i++)
        names.buffer[TF_TEMP0 + i] = tf_plan_temp(plan, phase->first, phase->count);
    for (uint32_t i = 0; i < part->nsteps; i++) {
        struct tf_step step = part->steps[i];
        if (step.peer >= 0)
            step.peer = phase->ranks[phase->starts ? phase->starts[step.peer] + phase->plus : step.peer];
        step.src = rename_ref(&names, step.src);
        step.dst = rename_ref(&names, step.dst);
        step.echo += step.echo ? before : 0;
        tf_plan_append(plan, step);
    }
}

void tf_algo_phase(struct tf_plan *plan, const struct tf_shape *shape, const struct tf_phase *phase)
{
    struct tf_shape inner = {.rank = phase->me,
                             .size = phase->size,
                             .root = phase->root,
                             .inplace = phase->inplace,
                             .commutes = shape->commutes,
                             .parameter = shape->parameter};
    struct tf_plan *part = plan->error ? NULL : tf_plan_create();

    if (!part) {
        plan->error = plan->error ? plan->error : MPI_ERR_NO_MEM;
        return;
    }
    phase->generate(part, &inner);
    plan->error = part->error;
    if (!plan->error)
        append(plan, part, phase);
    tf_plan_destroy(part);
}
