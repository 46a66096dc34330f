/* resource.c - what hardware the processes of a communicator share, for MPI_Comm_split_type (MPI-5.0 section 7.4.2) and
 * MPI_Get_hw_resource_info.
 *
 * A type of resource is named by a URI: "mpi_shared_memory", or "hwloc://" and hwloc's name of it.  A process has a
 * resource to itself or with others if all the processors it may run on belong to one instance of it.
 */
#include "construct/construct.h"

#include <stdio.h>

#include "net/others.h"
#include "net/pset.h"
#include "object/info.h"

static const char scheme[] = "hwloc://", memory[] = "mpi_shared_memory";

/* Its URI, in static memory. */
static const char *level_uri(enum tf_machine_level level)
{
    static char uri[TF_NLEVELS][32];
    snprintf(uri[level], sizeof uri[level], "%s%s", scheme, tf_machine_name(level));
    return uri[level];
}

enum { MOST_INSTANCES = 1 << 15 }; /* of a level on one node */

static int instance_of(int process, enum tf_machine_level level)
{
    struct tf_processors set;
    tf_net_processors(process, &set);
    return tf_machine_object(level, &set);
}

static int instance(const struct tf_comm *comm, int rank, enum tf_machine_level level)
{
    return instance_of(comm->group->processes[rank], level);
}

/* A color for those of this process's node; processes of several jobs have none but its name. */
static int color_of_node(const struct tf_comm *comm)
{
    return comm->group->mixed ? (int)(tf_others_own_node() & INT32_MAX) : tf_net_node(tf_job.rank);
}

/* MPI_UNDEFINED for a type that is not known, and where this process uses several instances. */
static int guided(const struct tf_comm *comm, const char *type)
{
    if (!type)
        return MPI_UNDEFINED;
    if (strcmp(type, memory) == 0)
        return color_of_node(comm);
    if (strncmp(type, scheme, sizeof scheme - 1) != 0)
        return MPI_UNDEFINED;
    for (int level = 0; level < TF_NLEVELS; level++) {
        int mine =
            strcmp(type + sizeof scheme - 1, tf_machine_name(level)) == 0 ? instance(comm, comm->rank, level) : -1;
        if (mine >= 0)
            return (int)((int64_t)color_of_node(comm) * MOST_INSTANCES % INT32_MAX + mine) & INT32_MAX;
    }
    return MPI_UNDEFINED;
}

/* A color for the set of that name that this process is in, told by the first of its processes: those of another job,
 * and perhaps of another node, have one of the same name. */
static int color_of_set(const char *name)
{
    struct tf_pset set;
    int first = 0;
    if (!tf_pset_find(name, &set) || !tf_pset_holds(&set, tf_job.rank))
        return MPI_UNDEFINED;
    while (!tf_pset_holds(&set, first))
        first++;
    return (int)((tf_launch_hash(tf_job.id, set.name) + (uint64_t)first) & INT32_MAX);
}

/* The node, or the outermost level of it, of which the processes use several instances: each new group is smaller than
 * the old one. */
static int unguided(const struct tf_comm *comm, const char **chosen)
{
    *chosen = memory;
    int node = tf_net_node(tf_job.rank);
    for (int r = 0; r < comm->size; r++)
        if (tf_net_node(comm->group->processes[r]) != node)
            return color_of_node(comm);
    for (int level = 0; level < TF_NLEVELS; level++) {
        int mine = instance(comm, comm->rank, level);
        *chosen = level_uri(level);
        for (int r = 0; r < comm->size; r++)
            if (instance(comm, r, level) != mine)
                return mine >= 0 ? mine : MPI_UNDEFINED;
    }
    return MPI_UNDEFINED;
}

int tf_resource_color(const struct tf_comm *comm, int split_type, const struct tf_info *info, int *color,
                      const char **chosen)
{
    const char *set = split_type == MPI_COMM_TYPE_RESOURCE_GUIDED ? tf_info_value(info, "mpi_pset_name") : NULL;
    *chosen = NULL;
    switch (split_type) {
    case MPI_COMM_TYPE_SHARED:
        *color = color_of_node(comm);
        break;
    case MPI_COMM_TYPE_HW_GUIDED:
    case MPI_COMM_TYPE_RESOURCE_GUIDED:
        *color = set ? color_of_set(set) : guided(comm, tf_info_value(info, "mpi_hw_resource_type"));
        break;
    case MPI_COMM_TYPE_HW_UNGUIDED:
        *color = unguided(comm, chosen);
        break;
    case MPI_UNDEFINED:
        *color = MPI_UNDEFINED;
        break;
    default:
        return tf_error(MPI_ERR_ARG, "split_type is %d, which is none of MPI_COMM_TYPE_... and not MPI_UNDEFINED",
                        split_type);
    }
    return MPI_SUCCESS;
}

int tf_get_hw_resource_info(MPI_Info *hw_info)
{
    int err = tf_net_open_self();
    if (!err)
        err = tf_info_create(hw_info);
    if (err)
        return err;
    struct tf_info *info = tf_info_find(*hw_info);
    err = tf_info_set(info, memory, "true");
    for (int level = 0; level < TF_NLEVELS && !err; level++) {
        err = tf_info_set(info, level_uri(level), instance_of(tf_job.rank, level) >= 0 ? "true" : "false");
    }
    if (err) {
        tf_info_free(info);
        *hw_info = MPI_INFO_NULL;
    }
    return err;
}
