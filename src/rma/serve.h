/* serve.h - the messages of windows: saying one, and the handler of all. */
#ifndef TF_SERVE_H
#define TF_SERVE_H

#include "rma/win.h"
#include "rma/wire.h"

void tf_serve_setup(void);
/* One without a payload. */
void tf_serve_say(struct tf_target *target, enum tf_verb verb, uint64_t context);

#endif
