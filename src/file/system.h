/* system.h - kinds of file systems, and what is different about each. */
#ifndef TF_SYSTEM_H
#define TF_SYSTEM_H

#include "file/striping.h"

struct tf_system {
    const char *name;                   /* which may also stand before a file's name: "nfs:/data/x" */
    uint32_t magic;                     /* as statfs() tells it; 0: any other */
    bool copies;                        /* hosts keep copies, which locks bring up to date */
    bool memory;                        /* files are memory, and nothing else */
    long long spare;                    /* files are written through memory where so many bytes are free; -1: never */
    const struct tf_striping *striping; /* NULL: nothing can be asked for or told */
};

/* What the system of an open file has for this user, in bytes. */
long long tf_system_free(int fd);
/* The one that stands before a file's name, or NULL; and the name without it. */
const struct tf_system *tf_system_named(const char *path);
const char *tf_system_strip(const char *path);
/* Of an open file; of the folder of one that is to be made. */
const struct tf_system *tf_system_of(int fd);
const struct tf_system *tf_system_around(const char *path);

#endif
