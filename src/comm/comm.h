/* comm.h - groups and communicators.
 *
 * Objects only; nothing here communicates.  Constructors of communicators are collectives: construct/.
 */
#ifndef TF_COMM_H
#define TF_COMM_H

#include "base/handle.h"

struct tf_peer;  /* net/net.h: one for each process that this one knows */
struct tf_match; /* msg/: posted and unexpected messages of a communicator */
struct tf_colls; /* coll/: its plans and the state of its collectives */
struct tf_pact;  /* survive/: what its survivors agree on */
struct tf_attrs; /* object/attr.h, and so on */
struct tf_errhandler;
struct tf_info;
struct tf_topo;    /* topo/: a grid or a graph of its processes */
struct tf_session; /* env/session.h */

struct tf_group {
    struct tf_object obj;
    int size, rank; /* rank of this process, MPI_UNDEFINED if not a member */
    int *processes; /* [size] their numbers, net/process.h */
    int held;       /* references that are handles of the user; at 0 the handle is stale (see tf_handle_retire) */
    bool mixed;     /* some are of other jobs */
    struct tf_session *session; /* that it comes from, to be compared only; NULL: the World Model */
};

/* What is promised of the bits of reductions: nothing; that they depend on the operands and the number of ranks alone;
 * and, for sums that have accumulators (op/binned.h), on the operands alone. */
enum tf_order { TF_ORDER_ANY, TF_ORDER_FIXED, TF_ORDER_EXACT };

/* What hints promise of the point-to-point messages of a communicator (MPI-5.0 section 7.4.4). */
enum tf_assertion {
    TF_ASSERTS_NO_ANY_SOURCE = 1, /* no receive or probe names MPI_ANY_SOURCE */
    TF_ASSERTS_NO_ANY_TAG = 2,    /* nor MPI_ANY_TAG */
    TF_ASSERTS_EXACT_LENGTH = 4,  /* messages are as long as their receive buffers */
    TF_ASSERTS_OVERTAKING = 8,    /* messages may be received in another order than they were sent in */
};

struct tf_comm {
    struct tf_object obj;
    int rank, size;             /* of this process, of the (local) group */
    uint64_t context;           /* of its messages, see tf_comm_context() */
    struct tf_peer **peers;     /* [npeers], of the remote group for an intercommunicator */
    int npeers;                 /* whom point-to-point ranks name: the remote group's size, or size */
    struct tf_group *group;     /* holds a reference */
    struct tf_group *remote;    /* NULL on an intracommunicator */
    struct tf_session *session; /* of its group */
    /* The communicator that carries its collectives: itself; of an intercommunicator one over both groups, hidden from
     * the user, in which every process gives the same group the lower ranks. */
    struct tf_comm *joint;
    uint64_t coll_seq;      /* collectives started; part of their messages' tag */
    struct tf_match *match; /* parts of the folders above: part.h */
    struct tf_colls *colls;
    struct tf_pact *pact;             /* NULL: they have never agreed on anything */
    struct tf_topo *topo;             /* holds a reference; NULL: it has no topology */
    struct tf_errhandler *errhandler; /* holds a reference */
    struct tf_attrs *attrs;
    struct tf_info *info; /* hints in force, or NULL */
    enum tf_order order;  /* the setting `reproducible`, or the hint treefold_reproducible */
    bool whole_operators; /* the setting, or the hint treefold_whole_operators */
    unsigned asserted;    /* enum tf_assertion, a bit each */
    char name[MPI_MAX_OBJECT_NAME];
    int acknowledged;            /* of the failures that matter to it (msg/lost.h), the program knows so many */
    bool freed;                  /* MPI_Comm_free was called; lives on until its last operation ends */
    const struct tf_comm *maker; /* of a window or file that is being made of it: revoked when that is; else NULL */
    bool hidden; /* of a file: it is revoked only where one of its processes has died, and then that is the error */
    bool parted; /* and before it MPI_Comm_disconnect, or it is the library's own: it connects nobody any more */
};

/* A context id that is never used again: no other communicator of a process that is in one of the leader's has it.  It
 * has 12 bits of the job, the leader's rank in it from 1 (0: MPI_COMM_WORLD) in 22, and a number of the leader's own in
 * 30. */
enum { TF_CONTEXT_NUMBERS = 1 << 30 };
static inline uint64_t tf_comm_context(int leader, uint32_t number)
{
    return tf_job.id >> 52 << 52 | (uint64_t)leader << 30 | number;
}

extern struct tf_comm *tf_comm_world, *tf_comm_self; /* NULL before MPI_Init */
extern struct tf_comm *tf_comm_parent; /* of MPI_Comm_get_parent; NULL: nobody has started this job, or it was freed */

/* A communicator over `group` (a reference is taken) with that context id, size/rank/peers/match set up, errhandler
 * inherited from `parent` (or MPI_ERRORS_ARE_FATAL), no name, no attributes.  `handle`: 0 for a fresh one, or a
 * predefined handle.  NULL: no memory. */
struct tf_comm *tf_comm_create_object(struct tf_group *group, uint64_t context, const struct tf_comm *parent,
                                      uintptr_t handle);
void tf_comm_retain(struct tf_comm *comm);
void tf_comm_release(struct tf_comm *comm); /* the last release frees parts, attributes, group */
/* An intercommunicator between `group`, of this process, and `remote`; `leads`: whether this process's group has the
 * lower ranks in the joint communicator.  Context ids come in pairs: the joint one has context + 1. */
struct tf_comm *tf_comm_create_inter(struct tf_group *group, struct tf_group *remote, bool leads, uint64_t context,
                                     const struct tf_comm *parent);
/* Whether this process's group has the lower ranks. */
static inline bool tf_comm_leads(const struct tf_comm *comm)
{
    return comm->joint->rank == comm->rank;
}
/* The same in two steps, of which only the first may fail: the processes agree in between on whether they all have come
 * so far, and on the context id.  Until it is started the communicator cannot be used, and its handle is stale. */
struct tf_comm *tf_comm_prepare(struct tf_group *group, struct tf_group *remote, bool leads,
                                const struct tf_comm *parent);
void tf_comm_start(struct tf_comm *comm, uint64_t context);
/* The first step in two: where the handle is wanted before the processes are known; it may be emptied and filled again.
 * NO_MEM leaves it empty. */
struct tf_comm *tf_comm_reserve(void);
int tf_comm_fill(struct tf_comm *comm, struct tf_group *group, struct tf_group *remote, bool leads,
                 const struct tf_comm *parent);
void tf_comm_empty(struct tf_comm *comm);
/* "MPI_COMM_WORLD" or its name, for messages; valid until this thread's next call. */
const char *tf_comm_describe(const struct tf_comm *comm);

/* One of the library's own, without a handle, over a group of the job that begins with it without agreeing on anything.
 */
enum tf_internal { TF_INTERNAL_LOBBY = 3, TF_INTERNAL_FINALIZE, TF_INTERNAL_END }; /* numbers of their contexts */
struct tf_comm *tf_comm_create_internal(struct tf_group *group, enum tf_internal which, const char *name);

/* MPI_COMM_WORLD and MPI_COMM_SELF.  Finalize first deletes the attributes of MPI_COMM_SELF, as MPI-5.0 section 11.2.4
 * has it, last set first, then those of MPI_COMM_WORLD, while MPI still works; the teardown needs nobody any more. */
int tf_comm_setup(void);
int tf_comm_teardown_self(void);
void tf_comm_teardown(void);

/* Communicators, MPI-5.0 sections 7.4.1, 7.4.3 and 7.6; the arguments in MPI's order. */
int tf_comm_size(const struct tf_comm *comm, int *size);
int tf_comm_rank(const struct tf_comm *comm, int *rank);
int tf_comm_compare(const struct tf_comm *comm1, const struct tf_comm *comm2, int *result);
int tf_comm_group(struct tf_comm *comm, MPI_Group *group);
int tf_comm_test_inter(const struct tf_comm *comm, int *flag);
int tf_comm_remote_size(const struct tf_comm *comm, int *size);
int tf_comm_remote_group(struct tf_comm *comm, MPI_Group *group);
int tf_comm_get_attr(const struct tf_comm *comm, int keyval, void *value, int *flag); /* the predefined ones too */
int tf_comm_set_info(struct tf_comm *comm, const struct tf_info *info);               /* info may be NULL: no hint */
int tf_comm_get_info(const struct tf_comm *comm, MPI_Info *info_used);
/* The user's MPI_Comm_free: the handle is stale at once, the object goes with its last operation.  The caller sets the
 * user's variable to MPI_COMM_NULL. */
int tf_comm_free(struct tf_comm *comm);
/* The same of one whose processes are no longer connected by it, as they have agreed. */
int tf_comm_part(struct tf_comm *comm);
/* Whether some of its processes are of other jobs. */
static inline bool tf_comm_mixed(const struct tf_comm *comm)
{
    return comm->joint->group->mixed;
}

/* A group of those processes, by their numbers; takes ownership of `processes` (malloc), also when it fails.  It is
 * held by the library: tf_group_share() makes it the user's. */
struct tf_group *tf_group_create_object(int size, int *processes);
void tf_group_retain(struct tf_group *group);
void tf_group_release(struct tf_group *group);

#endif
