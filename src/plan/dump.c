/* dump.c - plans for the eyes of a person.  See dump.h. */
#include "plan/dump.h"

const char *tf_plan_buffer_name(int buffer)
{
    static const char *const names[TF_NBUFFERS] = {"INPUT", "OUTPUT", "TEMP0", "TEMP1",
                                                   "TEMP2", "TEMP3",  "TEMP4", "TEMP5"};

    return buffer >= 0 && buffer < TF_NBUFFERS ? names[buffer] : "no buffer";
}

static const char *describe_ref(struct tf_ref ref, char text[64])
{
    const char *name = tf_plan_buffer_name(ref.buffer);

    if (ref.count == 0)
        snprintf(text, 64, "signal");
    else if (ref.count == 1)
        snprintf(text, 64, "%s[%d]", name, ref.first);
    else
        snprintf(text, 64, "%s[%d-%d]", name, ref.first, ref.first + ref.count - 1);
    return text;
}

const char *tf_plan_describe_step(const struct tf_step *step, char *text, size_t capacity)
{
    char src_text[64], dst_text[64];
    const char *src = describe_ref(step->src, src_text), *dst = describe_ref(step->dst, dst_text);

    switch (step->kind) {
    case TF_SEND:
        snprintf(text, capacity, "send %s to rank %d (message %d)", src, step->peer, step->tag);
        break;
    case TF_RECV:
        snprintf(text, capacity, "recv %s from rank %d (message %d)", dst, step->peer, step->tag);
        break;
    case TF_RECV_REDUCE:
        snprintf(text, capacity,
                 step->side == TF_LEFT ? "recv_reduce from rank %d (message %d): %s = incoming op %s"
                                       : "recv_reduce from rank %d (message %d): %s = %s op incoming",
                 step->peer, step->tag, dst, src);
        break;
    case TF_REDUCE_LOCAL:
        snprintf(text, capacity, "reduce_local %s = %s op %s", dst, step->side == TF_LEFT ? src : dst,
                 step->side == TF_LEFT ? dst : src);
        break;
    case TF_COPY:
        snprintf(text, capacity, "copy %s = %s", dst, src);
        break;
    case TF_COMBINE:
        snprintf(text, capacity, "combine %s = all of %s", dst, src);
        break;
    default:
        snprintf(text, capacity, "a step of the unknown kind %d", step->kind);
    }
    return text;
}

void tf_plan_dump(const struct tf_plan *plan, FILE *stream)
{
    fprintf(stream, "%d block%s, %u steps%s\n", plan->nblocks, plan->nblocks == 1 ? "" : "s", plan->nsteps,
            plan->alias ? ", INPUT and OUTPUT overlap" : "");
    for (int i = 0; i < plan->ntemps; i++)
        fprintf(stream, "TEMP%d: %d block%s %s block %d\n", i, plan->temps[i].nblocks,
                plan->temps[i].nblocks == 1 ? "" : "s", plan->temps[i].alike ? "like" : "from", plan->temps[i].first);
    for (uint32_t i = 0; i < plan->nsteps; i++) {
        const struct tf_step *step = &plan->steps[i];
        char text[256];
        fprintf(stream, "%4u  %s", i, tf_plan_describe_step(step, text, sizeof text));
        for (uint32_t d = step->first_dep; d < step->first_dep + step->ndeps; d++)
            fprintf(stream, "%s%u%s", d == step->first_dep ? "   after " : ", ", plan->deps[d].step,
                    plan->deps[d].streamed ? "~" : "");
        fprintf(stream, "\n");
    }
}
