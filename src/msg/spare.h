/* spare.h - memory of messages that were kept, for the next ones.
 *
 * Blocks of some kilobytes that come and go at the end of the heap go back to the system each time, and each page of
 * the next one costs more than the copy into it; short ones cost their free().  So of those that are given back a few
 * are held, last in, first out.
 */
#ifndef TF_MSG_SPARE_H
#define TF_MSG_SPARE_H

#include "base/base.h"

/* As malloc(). */
void *tf_spare_take(size_t bytes);
/* It was taken with so many bytes. */
void tf_spare_give(void *block, size_t bytes);
/* None is held any more. */
void tf_spare_drop(void);

#endif
