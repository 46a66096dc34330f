/* mpiexec_psets.c - process sets: the processes of the programs that were given one name by -pset.
 *
 * Each is a pair in the key-value space of its world (launch/pmi1_psets.c, which reads them).
 */
#include "cmd/mpiexec.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool tf_mpiexec_psets_good(const char *name)
{
    size_t length = strlen(name);
    for (const char *c = name; *c; c++)
        if (!isgraph((unsigned char)*c) || *c == ',')
            return false;
    return length > 0 && length < 256 && strncasecmp(name, "mpi://", 6) != 0 && strncasecmp(name, "mpix://", 7) != 0;
}

static bool is_in(const struct mpiexec_app *app, const char *name)
{
    return app->pset && strcasecmp(app->pset, name) == 0; /* as the library compares them */
}

/* The ranks, as "0-1,4-6". */
static bool describe(const struct mpiexec_world *world, const char *name, char *text, size_t capacity)
{
    size_t length = 0;
    for (int i = 0, low = 0, high; i < world->napps && length < capacity; low = high, i++) {
        high = low + world->apps[i].nprocs;
        if (!is_in(&world->apps[i], name))
            continue;
        while (i + 1 < world->napps && is_in(&world->apps[i + 1], name))
            high += world->apps[++i].nprocs;
        length += (size_t)snprintf(text + length, capacity - length, "%s%d-%d", length ? "," : "", low, high - 1);
    }
    return length < capacity;
}

static bool is_first_of_its_name(const struct mpiexec_world *world, int app)
{
    for (int i = 0; i < app; i++)
        if (is_in(&world->apps[i], world->apps[app].pset))
            return false;
    return true;
}

void tf_mpiexec_psets_put(struct mpiexec_world *world)
{
    char key[24], ranks[1000], value[sizeof ranks + 300];
    for (int i = 0, n = 0; i < world->napps; i++) {
        const char *name = world->apps[i].pset;
        if (!name || !is_first_of_its_name(world, i))
            continue;
        if (!describe(world, name, ranks, sizeof ranks))
            tf_mpiexec_give_up("the process set %s has too many parts", name);
        snprintf(key, sizeof key, "pset-%d", n++);
        snprintf(value, sizeof value, "%s:%s", ranks, name);
        if (!tf_mpiexec_pmi_put(world, key, value))
            tf_mpiexec_give_up("no memory for the process set %s", name);
    }
}
