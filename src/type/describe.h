/* describe.h - a datatype as bytes, for a process that does not have it: the constructors that made it.
 *
 *     node ...                                   each after those that it is made of; the last one is the type
 *     node = combiner, nargs, ntypes, args[nargs], types[ntypes]        64-bit numbers
 *     type = the handle of a predefined one, or -1 - (the number of a node)
 *
 * A type that occurs several times is one node.  What a subarray or the like is made of inside stands for it.
 */
#ifndef TF_DESCRIBE_H
#define TF_DESCRIBE_H

#include "type/type.h"

/* The description in fresh memory; NULL: none, recorded. */
void *tf_describe(struct tf_type *type, size_t *bytes);
/* A committed datatype, of which the caller has the only reference; NULL: no memory, or no description. */
struct tf_type *tf_describe_read(const void *description, size_t bytes);

/* The predefined datatype that all elements of a type are of (or the type, if it has elements of its own that operators
 * know); NULL: there are several. */
const struct tf_type *tf_describe_element(const struct tf_type *type);

#endif
