/* contract.h - collective.h as functions: which buffers a rank has, what they hold before the call and must hold after.
 */
#ifndef TF_CONTRACT_H
#define TF_CONTRACT_H

#include "plan/collective.h"
#include "plan/plan.h"

/* One call of a collective, as all its ranks make it. */
struct tf_contract {
    enum tf_coll coll;
    int32_t size, root;
    bool inplace;          /* as the standard allows it: at the root alone for gather, scatter and reduce */
    bool commutes;         /* results may be combined in any order */
    bool elementwise;      /* the operator may be applied to parts of the vector */
    int32_t first;         /* ranks of an intercommunicator's first group; the root is numbered through both */
    const int32_t *domain; /* [size] as in tf_shape; NULL: one level */
    const struct tf_neighbors *neighbors;   /* [size] of a collective between neighbors, else NULL */
    const struct tf_neighbors *const *near; /* [size] as in tf_shape, or NULL */
};

/* The contributions of ranks first..last to block `block`, combined; last < first: nothing in particular before, what
 * was there before after the call. */
struct tf_content {
    int32_t first, last, block;
};

/* call->near, from its neighbors and its domains: memory that is the caller's to free.  NULL: there is none. */
void *tf_contract_set_near(struct tf_contract *call);
bool tf_contract_reduces(enum tf_coll coll);
/* What the generator of that rank is told. */
struct tf_shape tf_contract_shape(const struct tf_contract *call, int32_t rank, int32_t parameter);
/* Whether that rank passes MPI_IN_PLACE. */
bool tf_contract_inplace(const struct tf_contract *call, int32_t rank);
/* Blocks in TF_INPUT or TF_OUTPUT of that rank where the vector is cut into nblocks; 0: there is no such buffer. */
int32_t tf_contract_blocks(const struct tf_contract *call, int32_t rank, int buffer, int32_t nblocks);
bool tf_contract_writable(const struct tf_contract *call, int32_t rank, int buffer);
struct tf_content tf_contract_before(const struct tf_contract *call, int32_t rank, int buffer, int32_t block);
/* What TF_OUTPUT must hold at the end. */
struct tf_content tf_contract_after(const struct tf_contract *call, int32_t rank, int32_t block);
/* The lowest rank whose plan must cut the vector into as many blocks as that rank's, and whose result of an allreduce
 * must have the same bits. */
int32_t tf_contract_like(const struct tf_contract *call, int32_t rank);
/* Whether a message between these ranks goes from one cut of the vector to another, and so must be all of it. */
bool tf_contract_recuts(const struct tf_contract *call, int32_t from, int32_t to);
/* Whether several blocks of TF_INPUT and TF_OUTPUT may be named at once: not where the user gives displacements. */
bool tf_contract_contiguous(enum tf_coll coll);

/* Sizes, as numbers that are equal if the sizes are equal for every count the user may pass: of rank `rank`'s
 * contribution to (or for) block `block`, and of a block of a buffer; -1: a size that this rank cannot know. */
int32_t tf_contract_size_of_content(const struct tf_contract *call, int32_t rank, int32_t block);
int32_t tf_contract_size_of_block(const struct tf_contract *call, const struct tf_plan *plan, int32_t rank, int buffer,
                                  int32_t block);

#endif
