/* quota.c - the limit that a container (docker --cpus=2) or a batch system sets by control groups: the least of the
 * process's group and those above it, of version 2 and of version 1.  A job that has fewer processors than its affinity
 * says must not spin as if it had them all.
 */
#include "base/quota.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct version {
    const char *controller, *folder; /* "": all groups are below the root */
    const char *quota, *period;      /* files, of microseconds; NULL: both are in one, "QUOTA PERIOD" or "max PERIOD" */
} versions[] = {{"", "", "cpu.max", NULL}, {"cpu", "/cpu", "cpu.cfs_quota_us", "cpu.cfs_period_us"}};
enum { VERSIONS = sizeof versions / sizeof versions[0] };

static int numbers_in(const char *folder, const char *name, long long *one, long long *other)
{
    char path[2 * PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return 0;
    FILE *f = fopen(path, "r");
    int n = f ? fscanf(f, "%lld %lld", one, other) : 0;
    if (f)
        fclose(f);
    return n;
}

static int quota_of(const struct version *version, const char *root, const char *group)
{
    char folder[2 * PATH_MAX];
    long long quota = 0, period = 0, nothing;
    snprintf(folder, sizeof folder, "%s%s%s", root, version->folder, group);
    int n = numbers_in(folder, version->quota, &quota, &period);
    if (n == 1 && version->period)
        n += numbers_in(folder, version->period, &period, &nothing);
    if (n < 2 || quota <= 0 || period <= 0 || quota / period >= INT_MAX)
        return INT_MAX;
    return (int)((quota + period - 1) / period);
}

static bool is_in_list(const char *word, const char *list)
{
    size_t length = strlen(word);
    while (strncmp(list, word, length) != 0 || (list[length] && list[length] != ',')) {
        list = strchr(list, ',');
        if (!list++)
            return false;
    }
    return true;
}

/* Of the line "NUMBER:CONTROLLERS:/path", where version 2 has no controllers; in a container the path may be "/", or
 * one of the host's, and then the container's own group is the root. */
static void find_group(const struct version *version, const char *own, char group[PATH_MAX])
{
    char line[PATH_MAX];
    group[0] = '\0';
    FILE *f = fopen(own, "r");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':'), *path = controllers ? strchr(++controllers, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        if (!*version->controller == !*controllers && is_in_list(version->controller, controllers))
            memmove(group, path, strlen(path) + 1);
    }
    if (f)
        fclose(f);
}

int tf_quota_of(const char *root, const char *own)
{
    char group[PATH_MAX], *end;
    int least = INT_MAX;
    for (int i = 0; i < VERSIONS; i++) {
        find_group(&versions[i], own, group);
        do {
            int quota = quota_of(&versions[i], root, group);
            least = quota < least ? quota : least;
            end = strrchr(group, '/');
            if (end)
                *end = '\0';
        } while (end);
    }
    return least;
}

int tf_quota(void)
{
    static int known;
    if (known == 0)
        known = tf_quota_of("/sys/fs/cgroup", "/proc/self/cgroup");
    return known;
}
