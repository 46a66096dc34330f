/* nest.h - where the packed bytes of a datatype lie in memory: a program of nested loops.
 *
 *     LEAF     a run of `size` bytes
 *     LOOP     the child n times, `stride` bytes apart
 *     BLOCKS   the child n times, at offsets[i]
 *     PIECES   n runs at offsets[i], of packed bytes [before[i], before[i + 1])
 *     LIST     children[i] at offsets[i], for packed bytes [before[i], before[i + 1])
 *
 *     vector(3, 2, 4, INT)           LOOP 3 x 16 bytes            xx..xx..xx
 *                                      LEAF 8
 *     struct of that and a CHAR      LIST
 *                                      LOOP 3 x 16 bytes at 0     xx..xx..xxc
 *                                        LEAF 8
 *                                      LEAF 1 at 40
 *
 * A node is the sequence of its bytes in the order of the type map, at offsets from wherever it is put.  It takes
 * memory in proportion to the description of the type, not to its counts, and refers to the nodes of the types that it
 * is made of.  Nodes do not change once they are there.  Offsets are modulo 2^64, as addresses are.
 */
#ifndef TF_NEST_H
#define TF_NEST_H

#include <stddef.h>
#include <stdint.h>

enum tf_node_kind { TF_NODE_LEAF, TF_NODE_LOOP, TF_NODE_BLOCKS, TF_NODE_PIECES, TF_NODE_LIST };

struct tf_node {
    enum tf_node_kind kind;
    size_t size; /* packed bytes, > 0 */
    size_t n;    /* 1 of a LEAF */
    size_t runs; /* of bytes, at most SIZE_MAX */
    ptrdiff_t stride;
    const struct tf_node *child;
    const ptrdiff_t *offsets;
    const size_t *before; /* n + 1 of them */
    const struct tf_node *const *children;
};

struct tf_nest_chunk; /* memory of nodes: build.c */

struct tf_nest {
    const struct tf_node *element; /* one element, put at its address + offset; NULL: no data, or not yet committed */
    ptrdiff_t offset;
    struct tf_node elements; /* elements in a row without end, put there too: n or size is SIZE_MAX */
    struct tf_nest_chunk *chunks;
};

/* The place, from the node's, of child i of a LOOP, BLOCKS or LIST, or of run i of PIECES. */
static inline ptrdiff_t tf_node_place(const struct tf_node *node, size_t i)
{
    return node->kind == TF_NODE_LOOP ? (ptrdiff_t)(i * (size_t)node->stride) : node->offsets[i];
}

/* Which run of PIECES, or child of a LIST, packed byte `position` belongs to. */
static inline size_t tf_node_find(const struct tf_node *node, size_t position)
{
    size_t low = 0, high = node->n;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (node->before[middle] <= position)
            low = middle;
        else
            high = middle;
    }
    return low;
}

#endif
