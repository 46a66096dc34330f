/* other.c - see other.h. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "base/other.h"

#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

/* By its own name: ours is called libmpi.so, too, by a link. */
static int look(struct dl_phdr_info *library, size_t size, void *name)
{
    (void)size;
    char path[PATH_MAX];
    const char *slash = realpath(library->dlpi_name, path) ? strrchr(path, '/') : NULL;
    if (!slash || !tf_other_is(slash + 1))
        return 0;
    snprintf(name, TF_OTHER_NAME, "%s", slash + 1);
    return 1;
}

bool tf_other_loaded(char name[TF_OTHER_NAME])
{
    return dl_iterate_phdr(look, name) == 1;
}
