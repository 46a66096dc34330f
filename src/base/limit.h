/* limit.h - the process's limit on the size of files (ulimit -f).
 *
 * It counts for files that are shared memory too, and beyond it the system sends SIGXFSZ, which would end a program
 * that writes no file.
 */
#ifndef TF_LIMIT_H
#define TF_LIMIT_H

#include <stddef.h>

/* ftruncate() to a greater length, but beyond the limit it fails with EFBIG and there is no signal. */
int tf_limit_grow(int fd, size_t bytes);
/* The words for errno after that. */
const char *tf_limit_words(int error);

#endif
