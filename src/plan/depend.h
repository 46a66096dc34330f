/* depend.h - the dependencies between the steps of a plan, by runs of blocks.
 *
 * The graph of tf_plan_finish() before it is pruned, in time and memory that go with the steps and not with the blocks
 * they name nor with the ranks there are, which is what pricing a million plans needs.
 */
#ifndef TF_DEPEND_H
#define TF_DEPEND_H

#include "plan/plan.h"

/* Step `step` comes after the earlier step `on`; `streamed` as in struct tf_dep. */
struct tf_edge {
    uint32_t step, on;
    bool streamed;
};

/* Room to work in, zeroed by whoever owns it; used again for plan after plan. */
struct tf_depend {
    struct tf_edge *edges; /* of the latest plan, ascending by step; no two alike */
    uint32_t nedges, cap_edges;
    struct tf_depend_runs {
        /* Ascending by first block; the first run begins at 0, the last has no end.  The free room is where the latest
         * change was, behind so many runs, as the next one is near it as a rule. */
        struct tf_depend_run *at;
        uint32_t n, cap, gap;
    } runs[TF_NBUFFERS + 1]; /* the last stands for the memory that TF_INPUT and TF_OUTPUT share in an alias */
    struct tf_depend_reader *readers;
    uint32_t nreaders, cap_readers;
    int32_t *mark; /* per step: the latest step that has it as a dependency */
    uint32_t cap_mark;
    struct tf_depend_fence {
        int32_t *steps; /* receives that a send waits for */
        uint32_t n, cap;
        int32_t hub; /* an earlier send that waits for the first hub_covers of them, or -1 */
        uint32_t hub_covers;
    } arrivals, signals; /* all receives, which a signal sent waits for; signals received, which every send waits for */
    int error;
};

/* Find the edges of a plan whose steps are all emitted, finished or not.  MPI_SUCCESS or MPI_ERR_NO_MEM. */
int tf_depend_find(struct tf_depend *depend, const struct tf_plan *plan);
void tf_depend_free(struct tf_depend *depend);

#endif
