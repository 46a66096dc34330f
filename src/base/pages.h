/* pages.h - pages of memory that nobody has touched yet. */
#ifndef TF_PAGES_H
#define TF_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* The pages in which these bytes lie are mapped, to be written, by one call: of pages that are touched one by one each
 * is a fault, which costs from half a microsecond to ten (virtual machines that keep the tables of pages themselves).
 * False where the system cannot (before Linux 5.14), or has no memory or no space for them. */
bool tf_pages_map(void *at, size_t bytes);

#endif
