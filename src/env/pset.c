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

/* Before the network is open all processes are on the launcher's machine, if it has memory for them. */
static bool holds_node(int process)
{
    return tf_net_node(process) == tf_net_node(tf_job.rank);
}

static const struct pset {
    const char *name;
    bool (*holds)(int process);
} psets[] = {{"mpi://WORLD", holds_all}, {"mpi://SELF", holds_self}, {"mpix://NODE", holds_node}};

/* Those that are known now; of the last one: who is on this node. */
static int count(void)
{
    bool known = tf_job.size == 1 || tf_net_is_open() || (tf_launch_has_memory() && tf_settings.node_size == 0);
    return (int)TF_ARRAY_LEN(psets) - !known;
}

static const struct pset *find(const char *name)
{
    for (int i = 0; i < count(); i++)
        if (strcasecmp(psets[i].name, name) == 0)
            return &psets[i];
    return NULL;
}

static int unknown(const char *name)
{
    return tf_error(MPI_ERR_ARG, "there is no process set \"%s\"; MPI_Session_get_nth_pset tells the names", name);
}

int tf_session_get_num_psets(int *n)
{
    *n = count();
    return MPI_SUCCESS;
}

int tf_session_get_nth_pset(int n, int *length, char *name)
{
    if (n < 0 || n >= count())
        return tf_error(MPI_ERR_ARG, "n is %d; it must be between 0 and %d, as there are %d process sets", n,
                        count() - 1, count());
    if (*length < 0)
        return tf_error(MPI_ERR_ARG, "pset_len is %d; it must be at least 0", *length);
    if (*length > 0 && !name)
        return tf_error(MPI_ERR_ARG, "pset_name is NULL, which it may be only if pset_len is 0; that is %d", *length);
    if (*length > 0)
        snprintf(name, (size_t)*length, "%s", psets[n].name);
    *length = (int)strlen(psets[n].name) + 1;
    return MPI_SUCCESS;
}

static int size_of(const struct pset *set)
{
    int n = 0;
    for (int process = 0; process < tf_job.size; process++)
        n += set->holds(process);
    return n;
}

int tf_session_get_pset_info(const char *name, MPI_Info *info)
{
    const struct pset *set = find(name);
    char size[16];
    MPI_Info made;
    if (!set)
        return unknown(name);
    int err = tf_info_create(&made);
    if (err)
        return err;
    snprintf(size, sizeof size, "%d", size_of(set));
    err = tf_info_set(tf_info_find(made), "mpi_size", size);
    if (err)
        tf_info_free(tf_info_find(made));
    else
        *info = made;
    return err;
}

int tf_group_from_session_pset(struct tf_session *session, const char *name, MPI_Group *group)
{
    const struct pset *set = find(name);
    int n = 0;
    if (!set) {
        *group = MPI_GROUP_NULL; /* the standard wants it */
        return unknown(name);
    }
    int *processes = tf_alloc((size_t)size_of(set) * sizeof *processes, "the processes of a process set");
    if (!processes)
        return MPI_ERR_NO_MEM;
    for (int process = 0; process < tf_job.size; process++)
        if (set->holds(process))
            processes[n++] = process;
    struct tf_group *made = tf_group_create_object(n, processes);
    if (!made)
        return MPI_ERR_NO_MEM;
    made->session = session;
    *group = tf_group_share(made);
    tf_group_release(made);
    return MPI_SUCCESS;
}
