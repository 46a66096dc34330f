/* pset.h - the process sets of the job, as this process sees them (env/session.h tells which there are). */
#ifndef TF_PSET_H
#define TF_PSET_H

#include "launch/launch.h"

struct tf_pset {
    const char *name;
    bool (*holds)(int process);
    const struct tf_launch_pset *named; /* by who has started the job; NULL: `holds` counts */
};

static inline bool tf_pset_holds(const struct tf_pset *set, int process)
{
    return set->named ? set->named->has[process] : set->holds(process);
}

/* The i-th of those that are known; the one that may come later is the last, as a set keeps its number. */
bool tf_pset_at(int i, struct tf_pset *set);
/* Any of the job's: the other side of an intercommunicator is a set that this process is not in. */
bool tf_pset_find(const char *name, struct tf_pset *set);

#endif
