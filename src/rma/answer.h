/* answer.h - what gets are answered with. */
#ifndef TF_ANSWER_H
#define TF_ANSWER_H

#include "rma/apply.h"

/* Send that process, for that operation of it, the bytes of a window: as there is room for them.  They are taken from
 * memory when they go, which the origin waits for. */
void tf_answer_get(struct tf_target *target, uint32_t asker, const struct tf_apply *at);
/* The window goes: what has not gone, to processes that have died, never does. */
void tf_answer_leave(struct tf_win *win);

#endif
