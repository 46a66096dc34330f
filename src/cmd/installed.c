/* installed.c - see installed.h. */
#include "config.h"

#include "cmd/installed.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *tf_installed(const char *path, char *moved)
{
    static const char prefix[] = TF_PREFIX;
    char here[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);
    if (length <= 0 || strncmp(path, prefix, sizeof prefix - 1) != 0)
        return path;
    here[length] = '\0';
    for (int levels = 2; levels > 0; levels--) { /* bin/mpiexec */
        char *slash = strrchr(here, '/');
        if (!slash)
            return path;
        *slash = '\0';
    }
    length = snprintf(moved, PATH_MAX, "%s%s", here, path + sizeof prefix - 1);
    return length < PATH_MAX && access(moved, R_OK) == 0 ? moved : path;
}
