/* fingerprint.h - what the ranks of a collective must agree on, in 32 bits that every message of it carries.
 *
 *     31       27 26      21 20                                   0
 *    +-----------+----------+--------------------------------------+
 *    | collective| operator | hash of size, type, root, algorithm  |
 *    +-----------+----------+--------------------------------------+
 *
 * Operator: handle - 31 if predefined, 0 none, 63 user's.
 * A rank that gets a message of another call of the same number says so instead of hanging or combining garbage.
 */
#ifndef TF_FINGERPRINT_H
#define TF_FINGERPRINT_H

#include "comm/comm.h"
#include "net/net.h"
#include "plan/collective.h"

/* What a rank does instead of a call; 31 is no collective. */
#define TF_FINGERPRINT_FINALIZE 0xf8000000u
#define TF_FINGERPRINT_COMM_FREE 0xf8000001u
#define TF_FINGERPRINT_GIVEN_UP 0xf8000002u
#define TF_FINGERPRINT_OTHER_SERIES 0xf8000003u

uint32_t tf_fingerprint_make(enum tf_coll coll, MPI_Op op, uint64_t size, uint64_t signature, int root);

int tf_fingerprint_mismatch(const struct tf_comm *comm, uint32_t mine, size_t expected, const struct tf_peer *peer,
                            uint32_t theirs, size_t came) TF_COLD;
/* MPI_SUCCESS, or an error that names both calls and both ranks. */
static inline int tf_fingerprint_check(const struct tf_comm *comm, uint32_t mine, size_t expected,
                                       const struct tf_peer *peer, uint32_t theirs, size_t came)
{
    return TF_LIKELY(mine == theirs && expected == came)
               ? MPI_SUCCESS
               : tf_fingerprint_mismatch(comm, mine, expected, peer, theirs, came);
}

#endif
