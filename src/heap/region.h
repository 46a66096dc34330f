/* region.h - the reservation that the heap divides up: addresses that become memory where they are written, and which
 * processes of the node can map.
 *
 *     base                       base + used                    base + bytes
 *     | blocks, taken and free  | addresses only                |              the memfd, whole
 */
#ifndef TF_REGION_H
#define TF_REGION_H

#include "base/base.h"

enum { TF_REGION_HUGE = 2 << 20 }; /* a huge page */

/* Beside as many of other processes of the node; false: limits or the system forbid it, *reason is why. */
bool tf_region_open(size_t sharers, const char **reason);
/* The child of a fork(): its own copy of what was in use. */
void tf_region_copy(void);
/* A heap's file, whole, at addresses of this process that begin at a huge page, and that neither a child nor a core
 * gets. Nothing of it may be touched yet.  NULL: errno says why. */
char *tf_region_map(int file, size_t bytes);
/* The first `end` bytes of what is mapped so may be read and written; *reach is how many may, 0 at first.  false: the
 * system cannot, errno says why. */
bool tf_region_reach(char *base, size_t *reach, size_t end);
/* The first `used` bytes of the process's own have blocks; false: these cannot be used, as above. */
bool tf_region_use(size_t used);
/* A block of that size begins there: huge pages, where the system gives them to who asks. */
void tf_region_advise(size_t offset, size_t bytes);
/* The memory of whole pages goes back to the system, and what is read there is 0 afterwards; false: it could not be. */
bool tf_region_release(size_t offset, size_t bytes);

#endif
