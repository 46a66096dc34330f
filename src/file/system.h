/* system.h - kinds of file systems, and what is different about each. */
#ifndef TF_SYSTEM_H
#define TF_SYSTEM_H

#include "file/file.h"

struct tf_system {
    const char *name; /* which may also stand before a file's name: "nfs:/data/x" */
    uint32_t magic;   /* as statfs() tells it; 0: any other */
    bool copies;      /* hosts keep copies, which locks bring up to date */
};

/* Of an open file; `path` may say it. */
const struct tf_system *tf_system_of(const char *path, int fd);
/* The file's name without that. */
const char *tf_system_strip(const char *path);

#endif
