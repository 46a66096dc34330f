/* mpiexec_foreign.c - options of other launchers, which users have in their scripts.
 *
 * What one of them asks for may be what happens anyway, may have another name here, or may be left out without harm,
 * which is said in a line.  An option without which something else would be run, such as one that sends output to
 * files, ends mpiexec, with what there is instead.
 */
#include "cmd/mpiexec.h"

#include <stdio.h>
#include <string.h>

/* A list of names begins and ends with a space, and has one between. */
static const struct foreign {
    const char *names;
    int values; /* that follow it */
    enum { SAME, LEFT_OUT, OTHER_NAME, REFUSED } meaning;
    const char *own; /* OTHER_NAME: the option here; REFUSED: why */
    const char *value;
} options[] = {
    /* Open MPI, PRRTE */
    {" oversubscribe allow-run-as-root use-hwthread-cpus get-stack-traces disable-recovery noprefix no-app-prefix ", 0,
     SAME, NULL, NULL},
    {" q quiet disable-hostname-propagation leave-session-attached novm do-not-resolve report-state-on-timeout ", 0,
     SAME, NULL, NULL},
    {" mca omca gomca gmca prtemca gprtemca pmixmca gpmixmca ", 2, LEFT_OUT, NULL, NULL},
    {" am tune rank-by prefix app-prefix display cpu-set cpu-list rankfile rf personality ", 1, LEFT_OUT, NULL, NULL},
    {" runtime-options slot-list max-vm-size report-uri report-events forward-signals spawn-timeout stream-buffering ",
     1, LEFT_OUT, NULL, NULL},
    {" launch-agent cartofile cf fwd-mpirun-port server-wait-time ompi-server dvm-uri hnp ", 1, LEFT_OUT, NULL, NULL},
    {" display-map display-allocation nooversubscribe bynode byslot bycore byhwthread byboard bynuma ", 0, LEFT_OUT,
     NULL, NULL},
    {" display-devel-map display-devel-allocation display-diffable-map display-topo timestamp-output bysocket nolocal ",
     0, LEFT_OUT, NULL, NULL},
    {" show-progress report-child-jobs-separately use-regexp debug-devel debug-daemons debug-daemons-file dvm ", 0,
     LEFT_OUT, NULL, NULL},
    {" default-hostfile ", 1, OTHER_NAME, "-hostfile", NULL},
    {" c ", 1, OTHER_NAME, "-n", NULL},
    {" tag-output tag-output-detailed tag-output-fullname ", 0, OTHER_NAME, "-prepend-rank", NULL},
    {" cpus-per-proc cpus-per-rank ", 1, OTHER_NAME, "-bind-to", NULL}, /* a number is one of cores */
    {" bind-to-none ", 0, OTHER_NAME, "-bind-to", "none"},
    {" bind-to-core ", 0, OTHER_NAME, "-bind-to", "core"},
    {" bind-to-socket ", 0, OTHER_NAME, "-bind-to", "socket"},
    {" pernode ", 0, OTHER_NAME, "-npernode", "1"},
    {" enable-recovery continuous ", 0, OTHER_NAME, "-keep-going", NULL},
    {" output-filename output-directory ", 1, REFUSED,
     "what each rank writes goes to files by -outfile-pattern and -errfile-pattern, with %r for its number", NULL},
    {" xml xml-file ", 0, REFUSED, "the output is as the processes write it", NULL},
    {" xterm ", 1, REFUSED, "the program may be xterm -e PROGRAM, for a window each", NULL},
    {" debug debugger tv gdb ddd ", 0, REFUSED, "the program may be a debugger, as xterm -e gdb PROGRAM", NULL},
    {" do-not-launch dry-run ", 0, REFUSED, "processes are started", NULL},
    {" preload-files ", 1, REFUSED, "nothing is copied; files are there on all hosts", NULL},
    {" preload-binary s ", 0, REFUSED, "nothing is copied; programs are there on all hosts", NULL},
    {" max-restarts ", 1, REFUSED, "no process is started again", NULL},
    {" set-cwd-to-session-dir index-argv-by-rank ", 0, REFUSED, "there is no such thing here", NULL},
    /* Hydra */
    {" genvall envall ", 0, SAME, NULL, NULL},
    {" genvlist envlist ", 1, SAME, NULL, NULL},
    {" launcher launcher-exec bootstrap bootstrap-exec rmk iface demux order-nodes localhost ", 1, LEFT_OUT, NULL,
     NULL},
    {" membind topolib nameserver gpus-per-proc gpu-subdevs-per-proc ", 1, LEFT_OUT, NULL, NULL},
    {" print-all-exitcodes print-rank-map skip-launch-node ordered-output prot profile pmi-port enable-x disable-x ", 0,
     LEFT_OUT, NULL, NULL},
    {" binding ", 1, OTHER_NAME, "-bind-to", NULL},
    {" rr ", 0, OTHER_NAME, "-ppn", "1"},
    {" V info ", 0, OTHER_NAME, "-version", NULL},
    /* srun */
    {" cpu-bind cpu_bind cpus-per-task ", 1, OTHER_NAME, "-bind-to", NULL},
    {" ntasks ", 1, OTHER_NAME, "-n", NULL},
    {" ntasks-per-node ", 1, OTHER_NAME, "-ppn", NULL},
    {" label ", 0, OTHER_NAME, "-prepend-rank", NULL},
    {" chdir ", 1, OTHER_NAME, "-wdir", NULL},
    {" mem-bind distribution hint mpi partition account ", 1, LEFT_OUT, NULL, NULL},
    {" exclusive overlap overcommit unbuffered ", 0, LEFT_OUT, NULL, NULL},
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
    *found = (struct mpiexec_foreign){0};
    if (known->meaning == REFUSED)
        found->no = known->own;
    if (known->meaning == OTHER_NAME) {
        found->own = known->own;
        found->value = known->value;
    }
    if (known->meaning == OTHER_NAME || known->meaning == REFUSED)
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
