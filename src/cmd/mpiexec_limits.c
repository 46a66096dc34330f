/* mpiexec_limits.c - as many open files as the job needs, of which the ranks notice nothing.
 *
 * Three a rank stay open here (its output, its errors, PMI), and poll() takes no more than the limit allows either.
 */
#include "cmd/mpiexec.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

/* Opened later: for signals, the watcher, errors of exec (2), no input, a terminal's input (2), a rank's own ends (3),
 * the board, a file of /proc.
 */
enum { OWN_FILES = 12 };

static struct rlimit users; /* the limit that we were started with */

/* What the user has left open for the ranks counts too. */
static int count_open(void)
{
    int n = 0;
    DIR *dir = opendir("/proc/self/fd");
    if (!dir)
        return 3;
    for (struct dirent *entry; (entry = readdir(dir));)
        n += entry->d_name[0] != '.';
    closedir(dir);
    return n - 1;
}

bool tf_mpiexec_limits_raise(int size, char *why, size_t n)
{
    struct rlimit now;
    rlim_t need = (rlim_t)count_open() + OWN_FILES + 3 * (rlim_t)size;
    getrlimit(RLIMIT_NOFILE, &now);
    if (users.rlim_max == 0)
        users = now;
    if (users.rlim_max < need) {
        snprintf(
            why, n,
            "%d processes take %llu open files here, and the hard limit is %llu; have it raised (ulimit -n %llu, by "
            "root), or start fewer",
            size, (unsigned long long)need, (unsigned long long)users.rlim_max, (unsigned long long)need);
        return false;
    }
    if (now.rlim_cur < need)
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){users.rlim_max, users.rlim_max});
    return true;
}

void tf_mpiexec_limits_restore(void)
{
    setrlimit(RLIMIT_NOFILE, &users);
}
