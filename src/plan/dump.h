/* dump.h - plans for the eyes of a person. */
#ifndef TF_DUMP_H
#define TF_DUMP_H

#include <stdio.h>

#include "plan/plan.h"

/* "send OUTPUT[0-3] to rank 2 (message 0)"; returns `text`. */
const char *tf_plan_describe_step(const struct tf_step *step, char *text, size_t capacity);
const char *tf_plan_buffer_name(int buffer); /* "INPUT" */
/* One line a step:
 *     3  recv_reduce from rank 2 (message 0): OUTPUT[0-3] = OUTPUT[0-3] op incoming   after 1, 2
 * where "after 2~" marks a dependency that is streamed. */
void tf_plan_dump(const struct tf_plan *plan, FILE *stream);

#endif
