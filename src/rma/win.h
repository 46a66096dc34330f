/* win.h - windows: the memory that each process of a group lets the others reach (MPI-5.0 chapter 12).
 *
 * A window has a hidden communicator of its own, over the same group, for the collectives of its synchronization, and
 * for each process a struct tf_target: where its memory lies, what this process has under way to it, and what it has
 * heard from it.
 */
#ifndef TF_WIN_H
#define TF_WIN_H

#include "coll/meet.h"
#include "comm/comm.h"
#include "msg/progress.h"
#include "net/net.h"
#include "type/type.h"

struct tf_answer;
struct tf_copies;
struct tf_flags;
struct tf_stream;
struct tf_win_op;

/* memory.h */
struct tf_segment {
    char *at;
    size_t bytes;
    enum { TF_SEGMENT_NONE, TF_SEGMENT_VIEW, TF_SEGMENT_BLOCK, TF_SEGMENT_MAPPED } kind; /* of whose heap; mapping */
};

/* What a process tells the others of its memory when the window is made. */
struct tf_win_fact {
    uint64_t base, size, unit;
    uint32_t number;  /* of the window there: its handle */
    uint32_t in_heap; /* all of it lies in that process's heap: neighbors can map it */
};

enum { TF_FENCE_MOST = 16 }; /* processes that look at each other's counts: others make a tree of messages */
enum { TF_WIN_TYPES = 16 };  /* derived datatypes that a target knows at a time */

/* The type descriptions that one side has given the other, by slots (describe.h). */
struct tf_win_types {
    struct tf_type *types[TF_WIN_TYPES]; /* references */
    int next;                            /* the slot that is used again next */
    void *description;                   /* of the one that is being heard of */
};

/* One process of the window, as this one sees it. */
struct tf_target {
    struct tf_win *win;
    void *here;                /* where this process has it and others may have it too, or NULL */
    uint64_t reach, units;     /* what quick.h goes by: the size if it is here, else 0, in bytes and whole units */
    uint64_t base, size, unit; /* of its memory, there */
    bool granted;              /* its lock; see lock.c's below */
    bool started;              /* by MPI_Win_start: it is in the group of the epoch that is open */
    bool stored;               /* directly, and not by an instruction that comes before all later loads */
    bool direct;               /* operations are loads and stores: this process's own memory, or `here` */
    bool loads;                /* the program can have its address from here */
    bool in_heap;              /* it lies in the heap of a neighbor, or of this process */
    struct tf_share *share;    /* share.h: its locks, or NULL: it has to be asked */
    struct tf_peer *peer;
    int rank; /* in the window */
    uint32_t number;

    /* What goes there: operations in the order in which they were called, see op.c. */
    struct tf_win_op *first, **last;
    uint32_t queued; /* of them */
    uint32_t held;   /* bytes that the network has not been told of yet: piece.c */
    struct tf_target *next_busy;
    bool busy;
    bool dirty;               /* it was sent what no answer will say to be done */
    bool lost;                /* lost.c: its process has died */
    bool asked_key;           /* region.h: for the key of its memory, if that is of use */
    uint32_t collected;       /* for the system to copy, and not copied yet */
    struct tf_copies *copies; /* copy.c: these, or NULL */
    size_t asked;             /* bytes that it was asked for and that have not come */
    uint32_t answers;         /* operations of which something has not come */
    uint32_t marked, acknowledged;
    uint32_t refused;                  /* operations that it could not do, which the next synchronization tells */
    char *words;                       /* of the first of these, or NULL */
    struct tf_win_types *told, *heard; /* NULL: none */
    struct tf_stream *stream;          /* serve.c: the latest of which it sends bare bytes, or NULL */
    struct tf_region_key *key;         /* region.h: of its memory; NULL: it has not come, or there is none */

    /* Its lock that this process holds: lock.c. */
    int lock;                /* 0: none, MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE */
    bool by_all;             /* by MPI_Win_lock_all */
    bool unchecked;          /* MPI_MODE_NOCHECK: nobody was asked */
    bool wanted;             /* it was asked for; `granted` is above, with what quick.h goes by */
    _Atomic uint32_t *reads; /* share.h: this process's word of it, or NULL: it has to be asked */

    /* active.c */
    uint32_t posts, completes;      /* heard by messages, less those used */
    struct tf_flags *hears, *tells; /* share.h: more are heard there; NULL: they go by messages */
};

enum tf_win_want { TF_WANT_SHARED, TF_WANT_EXCLUSIVE, TF_WANT_FURTHER /* shared, by one who has others */ };

/* A process of another node that waits for this process's lock. */
struct tf_win_waiter {
    struct tf_win_waiter *next;
    int rank;
    enum tf_win_want want;
    uint32_t ticket;
};

struct tf_win {
    struct tf_object obj;
    struct tf_comm *comm; /* hidden */
    struct tf_group *group;
    int flavor, model, unit_int; /* these as attributes have them */
    MPI_Aint size;
    void *base;
    struct tf_target *targets; /* [comm->size] */
    struct tf_target *busy;    /* those that something waits to go to */
    int nlost;                 /* targets whose processes have died */
    struct tf_task pushes;     /* them: op.c */
    bool working;              /* that task is under way */

    /* Epochs, epoch.c. */
    struct tf_share *share; /* this process's */
    bool near;              /* all processes are of this node and share memory */
    bool served;            /* others reach this process's memory by messages */
    uint32_t others_turn;   /* a mask: how often a call that ends at once lets messages in (lock.c) */
    bool fences_by_memory;  /* fence.c */
    struct tf_meet meet;
    bool sent;   /* operations have gone by messages, or are collected, since it was known that all are done */
    bool fenced; /* since a fence, and */
    bool used;   /* operations were called in it */
    struct tf_group *started; /* by MPI_Win_start, or NULL; a reference */
    struct tf_group *posted;  /* by MPI_Win_post, or NULL */
    bool unposted;            /* with MPI_MODE_NOCHECK */
    bool all;                 /* MPI_Win_lock_all */
    int locks;                /* targets locked one by one */
    bool no_locks;            /* a hint */

    /* Who waits for the lock of this process's memory, and cannot look by itself: lock.c. */
    struct tf_win_waiter *first_waiter, **last_waiter;
    struct tf_task looks;  /* for them */
    bool watching;         /* that task is under way */
    bool *holds_exclusive; /* [comm->size] what those of other nodes hold */

    struct tf_attach *attached; /* dynamic.c */
    size_t attachments, attach_room;

    void *own_memory;          /* what MPI_Win_allocate has of the heap, or NULL */
    struct tf_segment segment; /* of the node, or of this process alone */
    struct tf_region *region;  /* region.h; NULL: nobody has asked */

    struct tf_answer *answers; /* answer.c: for which there was no room yet */

    struct tf_win_watch *watches; /* watch.h */

    struct tf_errhandler *errhandler;
    struct tf_attrs *attrs;
    struct tf_info *info;
    char name[MPI_MAX_OBJECT_NAME];
};

/* ---- what the bindings call; arguments in MPI's order, handles as objects ---- */

int tf_win_create(void *base, MPI_Aint size, MPI_Aint unit, const struct tf_info *info, struct tf_comm *comm,
                  MPI_Win *win);
int tf_win_allocate(MPI_Aint size, MPI_Aint unit, const struct tf_info *info, struct tf_comm *comm, void *baseptr,
                    MPI_Win *win);
int tf_win_allocate_shared(MPI_Aint size, MPI_Aint unit, const struct tf_info *info, struct tf_comm *comm,
                           void *baseptr, MPI_Win *win);
int tf_win_create_dynamic(const struct tf_info *info, struct tf_comm *comm, MPI_Win *win);
int tf_win_free(struct tf_win *win);
int tf_win_attach(struct tf_win *win, void *base, MPI_Aint size);
int tf_win_detach(struct tf_win *win, const void *base);
int tf_win_shared_query(struct tf_win *win, int rank, MPI_Aint *size, MPI_Count *unit, void *baseptr);
int tf_win_get_group(struct tf_win *win, MPI_Group *group);
int tf_win_get_attr(struct tf_win *win, int keyval, void *value, int *flag);
int tf_win_set_info(struct tf_win *win, const struct tf_info *info); /* info may be NULL */
int tf_win_get_info(const struct tf_win *win, MPI_Info *info_used);

int tf_win_fence(int assertion, struct tf_win *win);
int tf_win_start(struct tf_group *group, int assertion, struct tf_win *win);
int tf_win_complete(struct tf_win *win);
int tf_win_post(struct tf_group *group, int assertion, struct tf_win *win);
int tf_win_wait(struct tf_win *win);
int tf_win_test(struct tf_win *win, int *flag);
int tf_win_lock(int lock_type, int rank, int assertion, struct tf_win *win);
int tf_win_unlock(int rank, struct tf_win *win);
int tf_win_lock_all(int assertion, struct tf_win *win);
int tf_win_unlock_all(struct tf_win *win);
int tf_win_flush(int rank, struct tf_win *win);
int tf_win_flush_all(struct tf_win *win);
int tf_win_flush_local(int rank, struct tf_win *win);
int tf_win_flush_local_all(struct tf_win *win);
int tf_win_sync(struct tf_win *win);
/* Have completed(context) and then destructor(context), each of which may be NULL, called when the operations on that
 * target that were called so far are complete here: by the call that sees to it.  They must not call MPI. */
int tf_win_attach_x(struct tf_win *win, int rank, MPIX_Request_function_x *completed,
                    MPIX_Destructor_function *destructor, void *context);

/* ---- within the folder ---- */

void tf_win_setup(void); /* messages of windows have a handler */
int tf_win_default_info(struct tf_win *win);
/* "0x50000001" or its name, for messages; valid until this thread's next call. */
const char *tf_win_describe(const struct tf_win *win);
/* What of MPI_Win_start, post, lock or lock_all is open there, in words; NULL: nothing is. */
const char *tf_win_epoch(const struct tf_win *win);
/* MPI_ERR_RANK unless it is a rank of the window or MPI_PROC_NULL. */
int tf_win_check_rank(const struct tf_win *win, const char *name, int rank);
/* MPI_ERR_BASE unless the program may have so many bytes there. */
int tf_win_check_base(const void *base, MPI_Aint size);
/* The error, in words, of a window of which a process has died. */
int tf_win_lost(const struct tf_win *win) TF_COLD;
/* That process does not have its window of that number any more. */
void tf_win_gone(const struct tf_peer *peer, uint32_t number) TF_COLD;
void tf_win_lost_setup(void);
/* Nothing of it is left. */
void tf_win_clear(struct tf_win *win);
/* The window of that number here, if it has such a rank; or NULL. */
struct tf_win *tf_win_numbered(uint32_t number, uint32_t rank);
/* The same, whose target `source` the peer is.  Where there is none the job ends, or, if it goes
 * on when processes die, or windows here were broken: NULL. */
struct tf_win *tf_win_of_message(uint32_t number, uint32_t source, const struct tf_peer *peer);

#endif
