/* mpiexec_bind.c - `-bind-to`: on which processors a rank may run.
 *
 * The objects to bind to, cores or NUMA nodes, are sets of processors, as the kernel tells them, less those that
 * mpiexec itself may not use.  Cores are given to the ranks in turn; NUMA nodes each get adjacent ranks.
 */
#include "cmd/mpiexec.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cpu_set_t *objects;
static int count;

/* The list "0-3,8" of a file, less what is not in `allowed`; false where there is no such file. */
static bool read_list(const char *path, const cpu_set_t *allowed, cpu_set_t *set)
{
    FILE *file = fopen(path, "r");
    int first, last;
    CPU_ZERO(set);
    if (!file)
        return false;
    while (fscanf(file, "%d", &first) == 1) {
        last = first;
        int c = fgetc(file);
        if (c == '-' && fscanf(file, "%d", &last) == 1)
            c = fgetc(file);
        for (int i = first; i <= last && i < CPU_SETSIZE; i++)
            if (CPU_ISSET(i, allowed))
                CPU_SET(i, set);
        if (c != ',')
            break;
    }
    fclose(file);
    return true;
}

static void add(const cpu_set_t *set)
{
    for (int i = 0; i < count; i++)
        if (CPU_EQUAL(&objects[i], set))
            return;
    if (CPU_COUNT(set) > 0)
        objects[count++] = *set;
}

/* Memory is numbered as processors are, and there is no more of it. */
static void find_objects(enum mpiexec_binding binding)
{
    cpu_set_t allowed, set;
    CPU_ZERO(&allowed);
    objects = calloc(CPU_SETSIZE, sizeof *objects);
    if (!objects || sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    for (int i = 0; i < CPU_SETSIZE; i++) {
        char path[96];
        if (binding == MPIEXEC_BIND_CORE && !CPU_ISSET(i, &allowed))
            continue;
        snprintf(path, sizeof path,
                 binding == MPIEXEC_BIND_CORE ? "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list"
                                              : "/sys/devices/system/node/node%d/cpulist",
                 i);
        if (read_list(path, &allowed, &set))
            add(&set);
    }
}

void tf_mpiexec_bind_prepare(enum mpiexec_binding binding)
{
    if (binding == MPIEXEC_BIND_NONE)
        return;
    find_objects(binding);
    if (count > 0)
        return;
    fprintf(stderr, "mpiexec: -bind-to: the system does not tell its %s; use -bind-to none\n",
            binding == MPIEXEC_BIND_CORE ? "cores" : "NUMA nodes");
    exit(EXIT_FAILURE);
}

bool tf_mpiexec_bind(enum mpiexec_binding binding, int rank, int size)
{
    if (count == 0)
        return true;
    int i = binding == MPIEXEC_BIND_CORE ? rank % count : (int)((long)rank * count / size);
    return sched_setaffinity(0, sizeof objects[i], &objects[i]) == 0;
}
