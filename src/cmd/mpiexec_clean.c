/* mpiexec_clean.c - nothing of a job outlives it.
 *
 * Each rank leads a process group, which is signalled as a whole.  What has left its group is adopted by mpiexec (a
 * "subreaper") and ended last.  Should mpiexec itself be killed, the kernel kills the ranks (PR_SET_PDEATHSIG) and the
 * watcher, a small child that waits for the end of a pipe, kills what they have started.
 */
#include "cmd/mpiexec.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptors.h"

static pid_t watcher;

void tf_mpiexec_signal_all(int signal)
{
    for (int r = 0; r < mpiexec_job.size; r++)
        if (mpiexec_job.groups[r] > 0)
            kill(-mpiexec_job.groups[r], signal);
}

/* With the setting shm_backing=file a rank that was killed at a bad moment leaves a name behind. */
static void unlink_segments(void)
{
    char prefix[96], path[400];
    struct dirent *entry;
    DIR *dir = opendir("/dev/shm");
    if (!dir)
        return;
    int length = snprintf(prefix, sizeof prefix, "treefold-%s-", mpiexec_job.world->name);
    while ((entry = readdir(dir))) {
        if (strncmp(entry->d_name, prefix, (size_t)length))
            continue;
        snprintf(path, sizeof path, "/dev/shm/%s", entry->d_name);
        unlink(path);
    }
    closedir(dir);
}

static void watch(int pipe_end)
{
    char byte;
    setsid(); /* what is meant for mpiexec's process group is not for us */
    prctl(PR_SET_NAME, "treefold-watch");
    if (dup2(pipe_end, 0) < 0)
        _exit(1);
    tf_descriptors_close_from(1);
    while (read(0, &byte, 1) > 0)
        continue;
    mpiexec_job.size = mpiexec_job.most; /* there may be more than there were */
    tf_mpiexec_signal_all(SIGKILL);
    unlink_segments();
    _exit(0);
}

void tf_mpiexec_watch(void)
{
    int ends[2];
    size_t bytes = (size_t)mpiexec_job.most * sizeof *mpiexec_job.groups;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    mpiexec_job.groups = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (mpiexec_job.groups == MAP_FAILED || pipe2(ends, O_CLOEXEC) != 0) {
        perror("mpiexec: cannot set the job up");
        exit(EXIT_FAILURE);
    }
    watcher = fork();
    if (watcher < 0) {
        perror("mpiexec: cannot start a process that watches over the job");
        exit(EXIT_FAILURE);
    }
    if (watcher == 0) {
        close(ends[1]);
        watch(ends[0]);
    }
    close(ends[0]); /* ends[1] stays open until this process ends, however that happens */
}

/* Kill the children that are left except the watcher; whether there were any. */
static bool kill_children(void)
{
    char path[64];
    bool any = false;
    long pid;
    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    FILE *children = fopen(path, "re");
    if (!children)
        return false;
    while (fscanf(children, "%ld", &pid) == 1) {
        if (pid == watcher)
            continue;
        any = true;
        kill((pid_t)pid, SIGKILL);
    }
    fclose(children);
    return any;
}

void tf_mpiexec_clean(void)
{
    tf_mpiexec_signal_all(SIGKILL);
    /* Each one that ends may hand over children of its own; they end at once, so waiting is short. */
    while (kill_children() && waitpid(-1, NULL, 0) > 0)
        continue;
    if (watcher > 0) {
        kill(watcher, SIGKILL);
        waitpid(watcher, NULL, 0);
    }
    unlink_segments();
}
