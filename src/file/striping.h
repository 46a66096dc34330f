/* striping.h - how a file is spread over the devices of its file system, where that can be asked for and told.
 *
 * Stripes are asked for when a file is made, and never change.
 */
#ifndef TF_STRIPING_H
#define TF_STRIPING_H

#include "file/file.h"

struct tf_striping {
    int unstriped; /* of open(): a file that is made has no stripes yet, and takes those that are set */
    /* 0, or what errno says. */
    int (*set)(int fd, const struct tf_stripes *wanted);
    int (*get)(int fd, struct tf_stripes *found);
};

extern const struct tf_striping tf_striping_lustre; /* lustre.c */

#endif
