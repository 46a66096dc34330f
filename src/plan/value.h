/* value.h - what a block of a buffer holds, as the prover sees it: an expression over the ranks' contributions.
 *
 * A value is a contribution (rank, block) or a combination of two values, left and right.  Values are interned: the
 * same expression has the same number, so "all ranks get the same bits" is a comparison of numbers.  0 is "nothing".
 */
#ifndef TF_VALUE_H
#define TF_VALUE_H

#include "base/base.h"

struct tf_value {
    uint32_t left, right;  /* 0, 0: a contribution */
    int32_t block;         /* of the collective's vector */
    int32_t lowest, count; /* lowest rank, number of contributions */
    bool ordered;          /* the contributions are those of ranks lowest, lowest + 1, ... in that order */
};

struct tf_values {
    int32_t size;  /* ranks */
    int32_t words; /* of a set of ranks */
    uint32_t used, capacity;
    struct tf_value *values; /* [used], from 1 */
    uint64_t *sets;          /* [used * words] ranks that contribute */
    uint32_t *table;         /* [2 * capacity] hash table of value numbers */
    bool failed;             /* no memory */
};

bool tf_values_create(struct tf_values *values, int32_t size);
void tf_values_destroy(struct tf_values *values);

uint32_t tf_value_contribution(struct tf_values *values, int32_t rank, int32_t block);
/* `left` op `right`, of the same block and without a contribution in common. */
uint32_t tf_value_combine(struct tf_values *values, uint32_t left, uint32_t right);
/* The same combination of another block. */
uint32_t tf_value_recut(struct tf_values *values, uint32_t value, int32_t block);
/* The lowest rank that contributes to both, -1 if none does. */
int32_t tf_value_common(const struct tf_values *values, uint32_t a, uint32_t b);
bool tf_value_contains(const struct tf_values *values, uint32_t value, int32_t rank);
/* "rank 3", "ranks 0-1,3" in the order of combination; at most `capacity` bytes.  Returns `text`. */
const char *tf_value_describe(const struct tf_values *values, uint32_t value, char *text, size_t capacity);

#endif
