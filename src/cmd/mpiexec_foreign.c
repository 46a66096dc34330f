/* mpiexec_foreign.c - options of other launchers, which users have in their scripts.
 *
 * What one of them asks for may be what happens anyway, may have another name here, or may be left out without harm,
 * which is said in a line.  An option without which something else would be run, such as one that sends output to
 * files, is not here and ends mpiexec.
 */
#include "cmd/mpiexec.h"

#include <stdio.h>
#include <string.h>

/* A list of names begins and ends with a space, and has one between. */
static const struct foreign {
    const char *names;
    int values; /* that follow it */
    enum { SAME, LEFT_OUT, OTHER_NAME } meaning;
    const char *own; /* OTHER_NAME: the option here */
    const char *value;
} options[] = {
    /* Open MPI, PRRTE */
    {" oversubscribe allow-run-as-root use-hwthread-cpus get-stack-traces disable-recovery noprefix no-app-prefix ", 0,
     SAME, NULL, NULL},
    {" q quiet disable-hostname-propagation leave-session-attached ", 0, SAME, NULL, NULL},
    {" mca omca gomca gmca prtemca gprtemca pmixmca gpmixmca ", 2, LEFT_OUT, NULL, NULL},
    {" am tune rank-by prefix display cpus-per-proc cpus-per-rank cpu-set cpu-list rankfile rf personality ", 1,
     LEFT_OUT, NULL, NULL},
    {" report-bindings display-map display-allocation nooversubscribe bynode byslot bycore ", 0, LEFT_OUT, NULL, NULL},
    {" display-devel-map timestamp-output bysocket byboard bynuma nolocal show-progress ", 0, LEFT_OUT, NULL, NULL},
    {" default-hostfile ", 1, OTHER_NAME, "-hostfile", NULL},
    {" c ", 1, OTHER_NAME, "-n", NULL},
    {" tag-output ", 0, OTHER_NAME, "-prepend-rank", NULL},
    {" bind-to-none ", 0, OTHER_NAME, "-bind-to", "none"},
    {" bind-to-core ", 0, OTHER_NAME, "-bind-to", "core"},
    {" bind-to-socket ", 0, OTHER_NAME, "-bind-to", "socket"},
    {" pernode ", 0, OTHER_NAME, "-npernode", "1"},
    {" enable-recovery ", 0, OTHER_NAME, "-keep-going", NULL},
    /* Hydra */
    {" genvall envall ", 0, SAME, NULL, NULL},
    {" genvlist envlist ", 1, SAME, NULL, NULL},
    {" launcher launcher-exec bootstrap bootstrap-exec rmk iface demux order-nodes localhost ", 1, LEFT_OUT, NULL,
     NULL},
    {" membind topolib nameserver ", 1, LEFT_OUT, NULL, NULL},
    {" print-all-exitcodes print-rank-map skip-launch-node ordered-output prot ", 0, LEFT_OUT, NULL, NULL},
    {" binding ", 1, OTHER_NAME, "-bind-to", NULL},
    {" V info ", 0, OTHER_NAME, "-version", NULL},
    /* the standard's (MPI-5.0 section 11.5) */
    {" memory-alloc-kinds ", 1, SAME, NULL, NULL}, /* objects tell of all kinds */
    {" arch file ", 1, LEFT_OUT, NULL, NULL},
};

static const struct foreign *find(const char *name)
{
    char word[64];
    if (snprintf(word, sizeof word, " %s ", name) >= (int)sizeof word)
        return NULL;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (strstr(options[i].names, word))
            return &options[i];
    return NULL;
}

bool tf_mpiexec_foreign(const char *option, const char *name, char **next, struct mpiexec_foreign *found)
{
    const struct foreign *known = *name && !strchr(name, ' ') ? find(name) : NULL;
    if (!known)
        return false;
    *found = (struct mpiexec_foreign){.own = known->own, .value = known->value};
    if (known->meaning == OTHER_NAME)
        return true;
    for (int i = 0; i < known->values && next[i]; i++)
        found->values++;
    if (known->meaning == LEFT_OUT) {
        fprintf(stderr, "mpiexec: %s", option);
        for (int i = 0; i < found->values; i++)
            fprintf(stderr, " %s", next[i]);
        fprintf(stderr, " does nothing here, and is left out\n");
    }
    return true;
}
