/* mpiexec_bind.c - `-bind-to`: on which processors a rank may run.
 *
 * The objects to bind to, cores or NUMA nodes, are sets of processors, as the kernel tells them, less those that
 * mpiexec itself may not use.  Cores are given to the ranks in turn, one or several neighbours each, or are shared out
 * among them; NUMA nodes each get adjacent ranks.
 */
#include "cmd/mpiexec.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct object {
    cpu_set_t processors;
    int first, package; /* its first processor, and where that is */
} * objects;
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

static int package_of(int processor)
{
    char path[96];
    int package = 0;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/physical_package_id", processor);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%d", &package) != 1)
        package = 0;
    if (file)
        fclose(file);
    return package;
}

static void add(const cpu_set_t *set)
{
    int first = 0;
    for (int i = 0; i < count; i++)
        if (CPU_EQUAL(&objects[i].processors, set))
            return;
    while (first < CPU_SETSIZE && !CPU_ISSET(first, set))
        first++;
    if (first < CPU_SETSIZE)
        objects[count++] = (struct object){*set, first, package_of(first)};
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

/* Some systems number the processors of two packages in turn. */
static int compare(const void *a, const void *b)
{
    const struct object *x = a, *y = b;
    return x->package != y->package ? x->package - y->package : x->first - y->first;
}

/* What the environment of the ranks will have; NULL: nothing. */
static const char *variable(const struct mpiexec_options *options, const char *name)
{
    for (char *const *pair = options->genv; pair && *pair; pair += 2)
        if (!strcmp(pair[0], name))
            return pair[1];
    return options->bare ? NULL : getenv(name);
}

/* OpenMP binds the threads of a rank to processors that the rank may use, beginning with the first: ranks that may use
 * the same ones would all be on the first of them.  Where the user lists processors he has shared them out himself. */
static bool openmp_binds(const struct mpiexec_options *options)
{
    const char *binds = variable(options, "OMP_PROC_BIND");
    const char *places = variable(options, "OMP_PLACES");
    if (variable(options, "GOMP_CPU_AFFINITY") || (places && *places == '{'))
        return false;
    return binds ? strcasecmp(binds, "false") != 0 : places != NULL;
}

void tf_mpiexec_bind_prepare(struct mpiexec_options *options)
{
    bool unsaid = options->binding == MPIEXEC_BIND_UNSAID, by_openmp = unsaid && openmp_binds(options);
    if (by_openmp && options->nprocs > 1) {
        options->binding = MPIEXEC_BIND_CORE;
        options->cores = 0;
    }
    if (options->binding == MPIEXEC_BIND_UNSAID || options->binding == MPIEXEC_BIND_NONE)
        return;
    find_objects(options->binding);
    if (options->cores != 1 && count > 0)
        qsort(objects, (size_t)count, sizeof *objects, compare);
    if (count > 0 || by_openmp)
        return;
    fprintf(stderr, "mpiexec: -bind-to: the system does not tell its %s; use -bind-to none\n",
            options->binding == MPIEXEC_BIND_CORE ? "cores" : "NUMA nodes");
    exit(EXIT_FAILURE);
}

static void find_processors(const struct mpiexec_options *options, int rank, int size, cpu_set_t *set)
{
    bool numa = options->binding == MPIEXEC_BIND_NUMA, shares = !numa && options->cores == 0 && size <= count;
    long each = numa || options->cores == 0 ? 1 : options->cores;
    long from = numa || shares ? (long)rank * count / size : rank * each % count;
    long to = shares ? (rank + 1L) * count / size : from + (each < count ? each : count);
    CPU_ZERO(set);
    for (long i = from; i < to; i++)
        CPU_OR(set, set, &objects[i % count].processors);
}

bool tf_mpiexec_bind(const struct mpiexec_options *options, int rank, int size)
{
    cpu_set_t set;
    if (count == 0)
        return true;
    find_processors(options, rank, size, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

const char *tf_mpiexec_bound(const struct mpiexec_options *options, int rank, int size, char *list, size_t n)
{
    cpu_set_t set;
    size_t length = 0;
    if (count == 0)
        return NULL;
    find_processors(options, rank, size, &set);
    for (int i = 0; i < CPU_SETSIZE && length + 16 < n; i++) {
        int first = i;
        while (i < CPU_SETSIZE && CPU_ISSET(i, &set))
            i++;
        if (i > first)
            length +=
                (size_t)sprintf(list + length, i > first + 1 ? "%s%d-%d" : "%s%d", length ? "," : "", first, i - 1);
    }
    return list;
}
