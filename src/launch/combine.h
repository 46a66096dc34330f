/* combine.h - a reduction over the key-value space, for what has to be agreed upon before there is a network.
 *
 * Ranks form a tree of radix 16: in each round 15 of 16 put what they know, and the first of them looks it up and
 * merges it; in the end rank 0 puts what everybody gets.  For p processes a round for each factor of 16 (p = 4096:
 * three), in each a barrier and at most 15 look-ups a process and what is longer than a value; then a barrier and one
 * look-up.
 */
#ifndef TF_LAUNCH_COMBINE_H
#define TF_LAUNCH_COMBINE_H

#include "base/base.h"

/* Bytes from malloc, which their holder frees. */
struct tf_facts {
    void *bytes;
    size_t length;
};

struct tf_combine {
    const char *key; /* of at most 30 characters; no two reductions of a job have the same */
    /* Change `into`, which is of the ranks right below those of `from`. */
    int (*merge)(struct tf_facts *into, const struct tf_facts *from);
    int (*conclude)(struct tf_facts *facts); /* at rank 0: make what everybody gets of what is merged; or NULL */
};

/* Collective over the job.  `facts` are this rank's, and then the result, on success only. */
int tf_launch_combine(const struct tf_combine *how, struct tf_facts *facts);

#endif
