/* pset.c - process sets, and the groups of their processes (MPI-5.0 section 11.3.2). */
#include "env/session.h"

#include <stdio.h>

#include "comm/group.h"
#include "net/pset.h"
#include "object/info.h"

/* The n-th of those that this process is in, which are the ones that are listed. */
static bool nth(int n, struct tf_pset *set)
{
    for (int i = 0; tf_pset_at(i, set); i++)
        if (tf_pset_holds(set, tf_job.rank) && n-- == 0)
            return true;
    return false;
}

static int count(void)
{
    struct tf_pset set;
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
    struct tf_pset set;
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

static int size_of(const struct tf_pset *set)
{
    int n = 0;
    for (int process = 0; process < tf_job.size; process++)
        n += tf_pset_holds(set, process);
    return n;
}

int tf_session_get_pset_info(const char *name, MPI_Info *info)
{
    struct tf_pset set;
    char size[16];
    MPI_Info made;
    if (!tf_pset_find(name, &set))
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
    struct tf_pset set;
    int n = 0;
    if (!tf_pset_find(name, &set)) {
        *group = MPI_GROUP_NULL; /* the standard wants it */
        return unknown(name);
    }
    int *processes = tf_alloc((size_t)size_of(&set) * sizeof *processes, "the processes of a process set");
    if (!processes)
        return MPI_ERR_NO_MEM;
    for (int process = 0; process < tf_job.size; process++)
        if (tf_pset_holds(&set, process))
            processes[n++] = process;
    struct tf_group *made = tf_group_create_object(n, processes);
    if (!made)
        return MPI_ERR_NO_MEM;
    made->session = session;
    *group = tf_group_share(made);
    tf_group_release(made);
    return MPI_SUCCESS;
}
