/* pmi1_psets.c - process sets that our mpiexec was told the names of: pairs in the job's key-value space,
 *
 *     pset-0=0-1,4-6:ocean
 *
 * the ranks, and behind the colon the name.  Other launchers that speak PMI-1 know of none.
 */
#include "launch/pmi1.h"
#include "launch/psets.h"

#include <stdio.h>

static bool take(char *text)
{
    char *name = strchr(text, ':'), *rest = NULL;
    if (!name)
        return false;
    *name++ = '\0';
    bool *has = tf_launch_psets_add(name);
    for (char *run = strtok_r(text, ",", &rest); run && has; run = strtok_r(NULL, ",", &rest)) {
        int low = 0, high = -1;
        sscanf(run, "%d-%d", &low, &high);
        for (int rank = low < 0 ? 0 : low; rank <= high && rank < tf_job.size; rank++)
            has[rank] = true;
    }
    return has;
}

void tf_pmi1_psets(void)
{
    char key[24], value[TF_PMI1_LINE];
    bool more = tf_pmi1_ours;
    for (int i = 0; more; i++) {
        snprintf(key, sizeof key, "pset-%d", i);
        more = tf_pmi1_get(0, key, value, sizeof value) == MPI_SUCCESS && take(value);
    }
}
