/* fingerprint.h - what the ranks of a collective must agree on, in 32 bits that every message of it carries.
 *
 *     31       27 26      21 20                                   0
 *    +-----------+----------+--------------------------------------+
 *    | collective| operator | hash of size, type, root, algorithm  |
 *    +-----------+----------+--------------------------------------+
 *
 * Operator: handle - 31 if predefined, 0 none, 63 user's; 32 and more: the procedure that the library makes of this
 * collective (enum tf_caller).
 * A rank that gets a message of another call of the same number says so instead of hanging or combining garbage.
 */
#ifndef TF_FINGERPRINT_H
#define TF_FINGERPRINT_H

#include "msg/terms.h"

/* What a rank does instead of a call; 31 is no collective. */
#define TF_FINGERPRINT_FINALIZE 0xf8000000u
#define TF_FINGERPRINT_COMM_FREE 0xf8000001u
#define TF_FINGERPRINT_OTHER_SERIES 0xf8000002u
/* It gave the call up, or heard that another rank did, which is told on:
 *
 *     31    27 26 25    24 23                                        0
 *    +--------+--+--------+-------------------------------------------+
 *    |   31   | 1| reason | the first that did, rank of the joint comm |
 *    +--------+--+--------+-------------------------------------------+
 */
#define TF_FINGERPRINT_GIVEN_UP 0xfc000000u
enum tf_given_up { TF_GIVEN_UP_DISAGREES, TF_GIVEN_UP_NO_MEMORY, TF_GIVEN_UP_FAILED, TF_GIVEN_UP_BROKEN };
enum { TF_GIVEN_UP_REASON = 24 }; /* where it begins */
/* Of BROKEN the rank is that of one who has died, or: the communicator was revoked. */
enum { TF_FINGERPRINT_NOBODY = (1 << TF_GIVEN_UP_REASON) - 1 };

static inline bool tf_fingerprint_is_given_up(uint32_t fingerprint)
{
    return fingerprint >= TF_FINGERPRINT_GIVEN_UP;
}
static inline enum tf_given_up tf_fingerprint_reason(uint32_t given_up)
{
    return (enum tf_given_up)(given_up >> TF_GIVEN_UP_REASON & 3);
}
static inline int tf_fingerprint_culprit(uint32_t given_up)
{
    return (int)(given_up & ((1u << TF_GIVEN_UP_REASON) - 1));
}

/* What a rank says that gives a call up because of `err`, its own or found in a message of `theirs` where it calls
 * `mine`. */
uint32_t tf_fingerprint_give_up(int err, int rank, uint32_t mine, uint32_t theirs);

uint32_t tf_fingerprint_make(enum tf_coll coll, MPI_Op op, uint64_t size, uint64_t signature, int root);
/* The bits of a fingerprint that say in whose place the library calls the collective, which has no operator;
 * duplications of all kinds are one. */
static inline uint32_t tf_fingerprint_of_caller(enum tf_caller caller)
{
    if (TF_LIKELY(caller == TF_CALLER_USER))
        return 0;
    return (uint32_t)(32 + (caller == TF_CALLER_COMM_DUP_WITH_INFO ? TF_CALLER_COMM_DUP : caller)) << 21;
}

/* Whether the two name the same collective, operator and caller. */
bool tf_fingerprint_same_call(uint32_t a, uint32_t b);
/* All that it tells. */
struct tf_terms tf_fingerprint_terms(uint32_t fingerprint);
/* The six bits of an operator, and its name; NULL: none. */
unsigned tf_fingerprint_op_code(MPI_Op op);
bool tf_fingerprint_reduces(uint32_t fingerprint); /* the call has an operator */
const char *tf_fingerprint_op(unsigned code);
/* What the rank does instead of a call ("is in MPI_Finalize"), NULL: it calls a collective. */
const char *tf_fingerprint_instead(uint32_t fingerprint);

#endif
