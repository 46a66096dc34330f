/* event.h - types of events (MPI-5.0 section 15.3.8). */
#ifndef TF_TOOL_EVENT_H
#define TF_TOOL_EVENT_H

#include "base/listen.h"
#include "tool/tool.h"

int tf_event_count(void);
const char *tf_event_folder(int row);
const char *tf_event_name(int row);
/* "comm|source|tag": the names of its elements. */
const char *tf_event_elements(int row);

/* To whom it may concern. */
void tf_event_hear(enum tf_news news, const int64_t *elements);
/* What is registered for. */
unsigned tf_event_wants(void);

#endif
