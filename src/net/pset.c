/* pset.c - see pset.h. */
#include "net/pset.h"

#include <strings.h>

#include "base/settings.h"
#include "net/net.h"

static bool holds_all(int process)
{
    (void)process;
    return true;
}

static bool holds_self(int process)
{
    return process == tf_job.rank;
}

static bool holds_node(int process)
{
    return tf_net_node(process) == tf_net_node(tf_job.rank);
}

/* Before the network is open it is known of the launcher's machine alone, if that has memory for all. */
static bool knows_node(void)
{
    return tf_job.size == 1 || tf_net_is_open() || (tf_launch_has_memory() && tf_settings.node_size == 0);
}

bool tf_pset_at(int i, struct tf_pset *set)
{
    static const struct tf_pset always[] = {{"mpi://WORLD", holds_all, NULL}, {"mpi://SELF", holds_self, NULL}};
    enum { ALWAYS = TF_ARRAY_LEN(always) };
    if (i < ALWAYS) {
        *set = always[i];
        return true;
    }
    const struct tf_launch_pset *named = tf_launch_pset(i - ALWAYS);
    if (named) {
        *set = (struct tf_pset){named->name, NULL, named};
        return true;
    }
    bool follows = i == ALWAYS || tf_launch_pset(i - ALWAYS - 1);
    *set = (struct tf_pset){"mpix://NODE", holds_node, NULL};
    return follows && knows_node();
}

bool tf_pset_find(const char *name, struct tf_pset *set)
{
    for (int i = 0; tf_pset_at(i, set); i++)
        if (strcasecmp(set->name, name) == 0)
            return true;
    return false;
}
