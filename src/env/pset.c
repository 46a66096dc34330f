/* pset.c - process sets, and the groups of their processes (MPI-5.0 section 11.3.2). */
#include "env/session.h"

#include <stdio.h>
#include <strings.h>

#include "base/settings.h"
#include "comm/group.h"
#include "launch/launch.h"
#include "net/net.h"
#include "object/info.h"

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

struct pset {
    const char *name;
    bool (*holds)(int process);
    const struct tf_launch_pset *named; /* by who has started the job; NULL: `holds` counts */
};

static bool holds(const struct pset *set, int process)
{
    return set->named ? set->named->has[process] : set->holds(process);
}

/* Before the network is open it is known of the launcher's machine alone, if that has memory for all. */
static bool knows_node(void)
{
    return tf_job.size == 1 || tf_net_is_open() || (tf_launch_has_memory() && tf_settings.node_size == 0);
}

/* The i-th of those that are known; the one that may come later is the last, as a set keeps its number. */
static bool at(int i, struct pset *set)
{
    static const struct pset always[] = {{"mpi://WORLD", holds_all, NULL}, {"mpi://SELF", holds_self, NULL}};
    enum { ALWAYS = TF_ARRAY_LEN(always) };
    if (i < ALWAYS) {
        *set = always[i];
        return true;
    }
    const struct tf_launch_pset *named = tf_launch_pset(i - ALWAYS);
    if (named) {
        *set = (struct pset){named->name, NULL, named};
        return true;
    }
    bool follows = i == ALWAYS || tf_launch_pset(i - ALWAYS - 1);
    *set = (struct pset){"mpix://NODE", holds_node, NULL};
    return follows && knows_node();
}

/* Any of the job's: the other side of an intercommunicator is a set that this process is not in. */
static bool find(const char *name, struct pset *set)
{
    for (int i = 0; at(i, set); i++)
        if (strcasecmp(set->name, name) == 0)
            return true;
    return false;
}

/* The n-th of those that this process is in, which are the ones that are listed. */
static bool nth(int n, struct pset *set)
{
    for (int i = 0; at(i, set); i++)
        if (holds(set, tf_job.rank) && n-- == 0)
            return true;
    return false;
}

static int count(void)
{
    struct pset set;
    int n = 0;
    while (nth(n, &set))
        n++;
    return n;
}

static int unknown(const char *name)
{
    return tf_error(MPI_ERR_ARG,
                    "there is no process set \"%s\"; MPI_Session_get_nth_pset tells the names of those "
                    "that this process is in",
                    name);
}

int tf_session_get_num_psets(int *n)
{
    *n = count();
    return MPI_SUCCESS;
}

int tf_session_get_nth_pset(int n, int *length, char *name)
{
    struct pset set;
    if (n < 0 || !nth(n, &set))
        return tf_error(MPI_ERR_ARG, "n is %d; it must be between 0 and %d, as there are %d process sets", n,
                        count() - 1, count());
    if (*length < 0)
        return tf_error(MPI_ERR_ARG, "pset_len is %d; it must be at least 0", *length);
    if (*length > 0 && !name)
        return tf_error(MPI_ERR_ARG, "pset_name is NULL, which it may be only if pset_len is 0; that is %d", *length);
    if (*length > 0)
        snprintf(name, (size_t)*length, "%s", set.name);
    *length = (int)strlen(set.name) + 1;
    return MPI_SUCCESS;
}

static int size_of(const struct pset *set)
{
    int n = 0;
    for (int process = 0; process < tf_job.size; process++)
        n += holds(set, process);
    return n;
}

int tf_session_get_pset_info(const char *name, MPI_Info *info)
{
    struct pset set;
    char size[16];
    MPI_Info made;
    if (!find(name, &set))
        return unknown(name);
    int err = tf_info_create(&made);
    if (err)
        return err;
    snprintf(size, sizeof size, "%d", size_of(&set));
    err = tf_info_set(tf_info_find(made), "mpi_size", size);
    if (err)
        tf_info_free(tf_info_find(made));
    else
        *info = made;
    return err;
}

int tf_group_from_session_pset(struct tf_session *session, const char *name, MPI_Group *group)
{
    struct pset set;
    int n = 0;
    if (!find(name, &set)) {
        *group = MPI_GROUP_NULL; /* the standard wants it */
        return unknown(name);
    }
    int *processes = tf_alloc((size_t)size_of(&set) * sizeof *processes, "the processes of a process set");
    if (!processes)
        return MPI_ERR_NO_MEM;
    for (int process = 0; process < tf_job.size; process++)
        if (holds(&set, process))
            processes[n++] = process;
    struct tf_group *made = tf_group_create_object(n, processes);
    if (!made)
        return MPI_ERR_NO_MEM;
    made->session = session;
    *group = tf_group_share(made);
    tf_group_release(made);
    return MPI_SUCCESS;
}
