/* quota.c - the limit that a container (docker --cpus=2) or a batch system sets by control groups, version 2: the least
 * of cpu.max of the group and those above it.  A job that has fewer processors than its affinity says must not spin as
 * if it had them all.
 */
#include "net/shm/quota.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* cpu.max is "QUOTA PERIOD" in microseconds, or "max PERIOD". */
static int quota_of(const char *group)
{
    char path[PATH_MAX + 32];
    long long quota, period;
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", group);
    FILE *f = fopen(path, "r");
    if (!f)
        return INT_MAX;
    int n = fscanf(f, "%lld %lld", &quota, &period);
    fclose(f);
    if (n != 2 || quota <= 0 || period <= 0 || quota / period >= INT_MAX)
        return INT_MAX;
    return (int)((quota + period - 1) / period);
}

/* The line "0::/path" of version 2; in a container the path is "/", the container's own group. */
static void own_group(char *group, int size)
{
    char line[PATH_MAX];
    group[0] = '\0';
    FILE *f = fopen("/proc/self/cgroup", "r");
    if (!f)
        return;
    while (fgets(line, sizeof line, f))
        if (strncmp(line, "0::/", 4) == 0) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(group, (size_t)size, "%s", line + 3);
        }
    fclose(f);
}

int tf_shm_quota(void)
{
    char group[PATH_MAX];
    own_group(group, sizeof group);
    int least = quota_of("");
    for (char *end; (end = strrchr(group, '/')); *end = '\0') {
        int quota = quota_of(group);
        if (quota < least)
            least = quota;
    }
    return least;
}
