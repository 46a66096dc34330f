/* terms.h - one rank's call, as far as the ranks of a collective must agree on it, and the words for two that do not.
 *
 * Every message carries the fingerprint alone (fingerprint.h); the terms are what the history keeps (history.h) and
 * what a rank tells that is asked (accord.h).
 */
#ifndef TF_TERMS_H
#define TF_TERMS_H

#include "comm/comm.h"
#include "plan/collective.h"

/* The procedures that the library makes of collectives: whoever calls one has not called that collective. */
enum tf_caller {
    TF_CALLER_USER, /* of the collective itself */
    TF_CALLER_COMM_DUP,
    TF_CALLER_COMM_DUP_WITH_INFO,
    TF_CALLER_COMM_SPLIT,
    TF_CALLER_COMM_SPLIT_TYPE,
    TF_CALLER_COMM_CREATE,
    TF_CALLER_INTERCOMM_CREATE,
    TF_CALLER_INTERCOMM_MERGE,
    TF_CALLER_COMM_DISCONNECT,
    TF_CALLER_COMM_ACCEPT,
    TF_CALLER_COMM_CONNECT,
    TF_CALLER_COMM_JOIN,
    TF_CALLER_COMM_SPAWN,
    TF_CALLER_COMM_SPAWN_MULTIPLE,
    TF_CALLER_PARENT,
    TF_CALLER_CART_CREATE,
    TF_CALLER_CART_SUB,
    TF_CALLER_GRAPH_CREATE,
    TF_CALLER_DIST_GRAPH_CREATE,
    TF_CALLER_DIST_GRAPH_CREATE_ADJACENT,
    TF_CALLER_FILE_OPEN,
    TF_CALLER_FILE, /* of all others on a file, which has a communicator of its own */
    TF_CALLER_FINALIZE,
    TF_CALLER_WIN_CREATE,
    TF_CALLER_WIN_CREATE_DYNAMIC,
    TF_CALLER_WIN_ALLOCATE,
    TF_CALLER_WIN_ALLOCATE_SHARED,
    TF_CALLER_WIN_FENCE,
    TF_CALLER_WIN_FREE,
};

enum tf_form {
    TF_FORM_UNKNOWN, /* the fingerprint, and what can be told from it, is all that is known */
    TF_FORM_BLOCKING,
    TF_FORM_NONBLOCKING,
    TF_FORM_PERSISTENT,
};

struct tf_terms {
    uint64_t bytes;     /* where the ranks must agree on them, else 0 */
    uint64_t signature; /* of their datatypes, where an operator combines them, else 0 */
    uint64_t count;     /* of the elements given; 0 where several counts are */
    uint32_t fingerprint;
    uint32_t algorithm; /* its row << 16 | its parameter */
    int32_t root;       /* 0 where there is none */
    unsigned type : 12; /* the datatype's handle, 0: not a predefined one */
    unsigned op : 6;    /* as in the fingerprint */
    unsigned coll : 5;
    unsigned caller : 5;
    unsigned form : 2;
};

/* What the rank does instead of a call ("is in MPI_Finalize"), NULL: it calls a collective. */
const char *tf_terms_instead(const struct tf_terms *terms);
/* "MPI_Ireduce with MPI_SUM" */
void tf_terms_name(const struct tf_terms *terms, char *words, size_t n);

/* Ranks `rank` and comm->rank have called that under one number, and the message from `rank`, if there was one, has
 * `came` bytes where `expected` were.  Returns an error that says who called what, and in what they differ. */
int tf_terms_disagree(const struct tf_comm *comm, const struct tf_terms *mine, size_t expected, int rank,
                      const struct tf_terms *theirs, size_t came) TF_COLD;

#endif
