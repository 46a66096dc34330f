/* fingerprint.c - a call in 32 bits, and what they tell.
 */
#include "msg/fingerprint.h"

#include "op/op.h"

enum { FIRST_OP = 31, FIRST_CALLER = 32, USER_OP = 63, HASH_BITS = 21, CODE_BITS = 6, COLL_SHIFT = 27 };
enum { NO_COLLECTIVE = 31 };

unsigned tf_fingerprint_op_code(MPI_Op op)
{
    return op == MPI_OP_NULL ? 0 : (uintptr_t)op < 64 ? (unsigned)(uintptr_t)op - FIRST_OP : USER_OP;
}

uint32_t tf_fingerprint_make(enum tf_coll coll, MPI_Op op, uint64_t size, uint64_t signature, int root)
{
    uint64_t hash = (size * 0x9e3779b97f4a7c15u ^ signature) * 0x9e3779b97f4a7c15u + (uint64_t)(uint32_t)root;
    hash *= 0xd6e8feb86659fd93u;
    return (uint32_t)coll << COLL_SHIFT | tf_fingerprint_op_code(op) << HASH_BITS |
           (uint32_t)(hash >> (64 - HASH_BITS));
}

static unsigned code_of(uint32_t fingerprint)
{
    return fingerprint >> HASH_BITS & ((1 << CODE_BITS) - 1);
}

bool tf_fingerprint_reduces(uint32_t fingerprint)
{
    return code_of(fingerprint) != 0;
}

bool tf_fingerprint_same_call(uint32_t a, uint32_t b)
{
    return a >> HASH_BITS == b >> HASH_BITS;
}

struct tf_terms tf_fingerprint_terms(uint32_t fingerprint)
{
    unsigned code = code_of(fingerprint);
    bool calls = code >= FIRST_CALLER && code != USER_OP;
    return (struct tf_terms){.fingerprint = fingerprint,
                             .coll = fingerprint >> COLL_SHIFT,
                             .op = calls ? 0 : code,
                             .caller = calls ? code - FIRST_CALLER : TF_CALLER_USER};
}

const char *tf_fingerprint_op(unsigned code)
{
    if (code == USER_OP)
        return "a user-defined operator";
    const struct tf_op *op = code ? tf_op_find((MPI_Op)(uintptr_t)(code + FIRST_OP)) : NULL;
    return op ? op->name : NULL;
}

const char *tf_fingerprint_instead(uint32_t fingerprint)
{
    static const char *const others[] = {"is in MPI_Finalize", "calls MPI_Comm_free",
                                         "calls a collective of the other kind, persistent or not"};
    static const char *const reasons[] = {
        [TF_GIVEN_UP_DISAGREES] = "has given this call up, since it disagrees with another rank",
        [TF_GIVEN_UP_NO_MEMORY] = "ran out of memory in this call",
        [TF_GIVEN_UP_FAILED] = "failed in this call",
        [TF_GIVEN_UP_BROKEN] = "has left this call, since a process has died or it was revoked"};
    if (tf_fingerprint_is_given_up(fingerprint))
        return reasons[tf_fingerprint_reason(fingerprint)];
    return fingerprint >> COLL_SHIFT == NO_COLLECTIVE ? others[fingerprint & 3] : NULL;
}

uint32_t tf_fingerprint_give_up(int err, int rank, uint32_t mine, uint32_t theirs)
{
    enum tf_given_up reason = TF_GIVEN_UP_FAILED;
    if (tf_fingerprint_is_given_up(theirs))
        return theirs;
    if (err == MPIX_ERR_PROC_FAILED || err == MPIX_ERR_REVOKED)
        reason = TF_GIVEN_UP_BROKEN;
    else if (err == MPI_ERR_NO_MEM)
        reason = TF_GIVEN_UP_NO_MEMORY;
    else if (mine != theirs || err == MPI_ERR_TRUNCATE)
        reason = TF_GIVEN_UP_DISAGREES;
    return TF_FINGERPRINT_GIVEN_UP | (uint32_t)reason << TF_GIVEN_UP_REASON | (uint32_t)rank;
}
