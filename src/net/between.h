/* between.h - which transport carries messages between nodes. */
#ifndef TF_BETWEEN_H
#define TF_BETWEEN_H

#include "net/net.h"

/* The transports between nodes become words of the setting `net`: before the settings are loaded. */
void tf_between_setup(void);
/* Collective over the job, of which not all processes are on one node. */
int tf_between_choose(const struct tf_net **chosen);

#endif
