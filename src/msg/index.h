/* index.h - what waits in a long queue, found by its key: a hash of groups, each of the entries of one key in order.
 *
 *     slots   [ ]  [o]  [ ]  [o]
 *                   |         |
 *               key A: 1 4 7  key C: 3       entries, numbered in the order in which they were added
 *                   |
 *               key B: 2 5 6
 *
 * Adding, the first of a key, and removing any entry are O(1).  An entry is known by its place, a small number that
 * whoever added it keeps.  Nodes and slots are two pieces of memory that double: about 50 bytes an entry.
 */
#ifndef TF_INDEX_H
#define TF_INDEX_H

#include "base/base.h"

struct tf_key {
    uint64_t a, b;
};

struct tf_index;

/* NULL, 0: no memory, which is nobody's error: the queue is there without its index. */
struct tf_index *tf_index_create(void);
void tf_index_free(struct tf_index *index);                                    /* may be NULL */
uint32_t tf_index_add(struct tf_index *index, struct tf_key key, void *entry); /* its place, not 0 */
void tf_index_remove(struct tf_index *index, uint32_t place);
void tf_index_replace(struct tf_index *index, uint32_t place, void *entry); /* it, by one of the same key */
/* The entry of that key that was added first, or NULL.  Of entries of two keys the earlier has the lower *order. */
void *tf_index_first(const struct tf_index *index, struct tf_key key, uint64_t *order);

#endif
