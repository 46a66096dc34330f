/* fingerprint.c - naming two calls that should have been one.
 */
#include "msg/fingerprint.h"

#include <stdio.h>

#include "op/op.h"

enum { FIRST_OP = 31, USER_OP = 63, HASH_BITS = 21 };

uint32_t tf_fingerprint_make(enum tf_coll coll, MPI_Op op, uint64_t size, uint64_t signature, int root)
{
    uint32_t code = op == MPI_OP_NULL ? 0 : (uintptr_t)op < 64 ? (uint32_t)(uintptr_t)op - FIRST_OP : USER_OP;
    uint64_t hash = (size * 0x9e3779b97f4a7c15u ^ signature) * 0x9e3779b97f4a7c15u + (uint64_t)(uint32_t)root;
    hash *= 0xd6e8feb86659fd93u;
    return (uint32_t)coll << 27 | code << HASH_BITS | (uint32_t)(hash >> (64 - HASH_BITS));
}

enum { NO_COLLECTIVE = 31 };

static void name(uint32_t fingerprint, char *words, size_t n)
{
    uint32_t coll = fingerprint >> 27, code = fingerprint >> HASH_BITS & 63;
    const char *op = NULL;
    if (code == USER_OP)
        op = "a user-defined operator";
    else if (code)
        op = tf_op_find((MPI_Op)(uintptr_t)(code + FIRST_OP))->name;
    snprintf(words, n, "%s%s%s", coll < TF_NCOLL ? tf_coll_name((enum tf_coll)coll) : "a collective",
             op ? " with " : "", op ? op : "");
}

/* "calls reduce with MPI_SUM" */
static void describe(uint32_t fingerprint, char *words, size_t n)
{
    static const char *const others[] = {"is in MPI_Finalize", "calls MPI_Comm_free",
                                         "has given this call up, since it disagrees with another rank",
                                         "calls a collective of the other kind, persistent or not"};
    if (fingerprint >> 27 == NO_COLLECTIVE) {
        snprintf(words, n, "%s", others[fingerprint % TF_ARRAY_LEN(others)]);
        return;
    }
    strcpy(words, "calls ");
    name(fingerprint, words + 6, n - 6);
}

static int rank_of(const struct tf_comm *comm, const struct tf_peer *peer)
{
    for (int r = 0; r < comm->npeers; r++)
        if (comm->peers[r] == peer)
            return r;
    return MPI_UNDEFINED;
}

int tf_fingerprint_mismatch(const struct tf_comm *comm, uint32_t mine, size_t expected, const struct tf_peer *peer,
                            uint32_t theirs, size_t came)
{
    char ours[80], other[80];
    describe(mine, ours, sizeof ours);
    describe(theirs, other, sizeof other);
    int rank = rank_of(comm, peer), class = MPI_ERR_OTHER;
    if (mine >> HASH_BITS != theirs >> HASH_BITS)
        return tf_error(mine >> 27 == theirs >> 27 ? MPI_ERR_OP : class,
                        "the ranks of %s disagree: rank %d %s, rank %d %s", tf_comm_describe(comm), comm->rank, ours,
                        rank, other);
    name(mine, ours, sizeof ours);
    if (expected != came)
        return tf_error(
            MPI_ERR_TRUNCATE,
            "the ranks of %s disagree in %s: rank %d expects %zu bytes from rank %d, which sends %zu; counts, "
            "datatypes or algorithms (TREEFOLD_RULES, TREEFOLD_ALGORITHM, info key treefold_algorithm) differ",
            tf_comm_describe(comm), ours, comm->rank, expected, rank, came);
    return tf_error(
        class,
        "the ranks of %s disagree in %s: ranks %d and %d give different counts, datatypes or roots, or choose "
        "different algorithms (TREEFOLD_RULES, TREEFOLD_ALGORITHM, info key treefold_algorithm)",
        tf_comm_describe(comm), ours, comm->rank, rank);
}
