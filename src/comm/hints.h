/* hints.h - what the hints of a communicator mean to it. */
#ifndef TF_HINTS_H
#define TF_HINTS_H

#include "comm/comm.h"

/* Before there are any: as the settings say. */
void tf_hints_default(struct tf_comm *comm);

#endif
