/* mpiexec_names.c - the names of services that programs have published (MPI-5.0 section 11.9.4), for all processes that
 * this mpiexec has started.
 */
#include "cmd/mpiexec.h"

#include <stdlib.h>
#include <string.h>

static struct mpiexec_pair *services;

static struct mpiexec_pair **find(const char *service)
{
    struct mpiexec_pair **at = &services;
    while (*at && strcmp((*at)->key, service))
        at = &(*at)->next;
    return at;
}

const char *tf_mpiexec_names_find(const char *service)
{
    const struct mpiexec_pair *pair = *find(service);
    return pair ? pair->value : NULL;
}

bool tf_mpiexec_names_add(const char *service, const char *port)
{
    struct mpiexec_pair **at = find(service), *pair;
    if (*at || !(pair = calloc(1, sizeof *pair)))
        return false;
    *pair = (struct mpiexec_pair){.key = strdup(service), .value = strdup(port)};
    if (!pair->key || !pair->value) {
        free(pair->key);
        free(pair->value);
        free(pair);
        return false;
    }
    *at = pair;
    return true;
}

bool tf_mpiexec_names_drop(const char *service)
{
    struct mpiexec_pair **at = find(service), *pair = *at;
    if (!pair)
        return false;
    *at = pair->next;
    free(pair->key);
    free(pair->value);
    free(pair);
    return true;
}
