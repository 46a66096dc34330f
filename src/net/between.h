/* between.h - which transport carries messages between nodes. */
#ifndef TF_BETWEEN_H
#define TF_BETWEEN_H

#include "net/net.h"

/* Collective over the job, of which not all processes are on one node. */
int tf_between_choose(const struct tf_net **chosen);

#endif
