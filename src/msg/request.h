/* request.h - request objects: one struct for every kind of operation that a program can wait for.
 */
#ifndef TF_REQUEST_H
#define TF_REQUEST_H

#include "base/status.h"
#include "msg/msg.h"
#include "msg/transfer.h"

/* One end of a point-to-point operation, as the user described it. */
struct tf_end {
    void *buf;
    MPI_Count count;
    struct tf_type *type;
    int rank, tag;
};

struct tf_request;

/* What differs between kinds of requests. */
struct tf_request_kind {
    const char *name;
    bool collective;                            /* cannot be cancelled, nor given up while active */
    bool plan;                                  /* .coll: a run of a plan */
    bool point;                                 /* .point */
    bool partitioned;                           /* .partitioned; cannot be cancelled, nor given up while active */
    int (*start)(struct tf_request *request);   /* begin (persistent: once more) */
    int (*release)(struct tf_request *request); /* free what hangs on it; NULL: nothing */
    int (*query)(struct tf_request *request,
                 MPI_Status *status); /* generalized: fills the status; NULL: the fields below */
    int (*cancel)(struct tf_request *request, bool complete); /* NULL: cannot be cancelled, nothing happens */
    struct tf_object *(*on)(
        const struct tf_request *request); /* whose error handler is told; NULL: of the communicator */
};

/* What a language binding hangs on a request (MPIX_Request_attach_x); each function may be NULL. */
struct tf_request_watch {
    MPIX_Request_function_x *started;   /* before each start of a persistent operation */
    MPIX_Request_function_x *completed; /* when an operation has ended, before anybody can see that it has */
    MPIX_Destructor_function *destructor;
    void *context;
    struct tf_request_watch *next;
};

/* How many have ended so far, or have been raised: if none has since, an array need not be looked through again. */
extern uint64_t tf_request_ends;

struct tf_request {
    struct tf_object obj;
    const struct tf_request_kind *kind;
    struct tf_request_watch *watches;
    struct tf_comm *comm; /* holds a reference; NULL for generalized requests */
    bool persistent;
    bool abandoned; /* MPI_Request_free was called while active: goes away by itself */
    bool active;    /* started and not yet completed by a wait or test */
    bool complete;  /* of an active one: the operation has ended */
    bool cancelled;
    bool raised;          /* complete, as its wait or test is to tell of a failure, after which it goes on: lost.h */
    bool told;            /* what hangs on it knows that it has ended */
    uint64_t order;       /* of a complete one: its number among all that have ended, 0 if it had when it began */
    struct tf_peer *peer; /* from whom it will hear, if that is known: looked at first by a wait */
    int parts;            /* operations still under way: a sendrecv has two */
    int error, source, tag;
    char *words; /* of the error, for the call that reports it; NULL: none */
    MPI_Count bytes;
    union {
        struct {
            struct tf_end to, from;        /* hold references to their types; .type NULL: no such end */
            struct tf_unexpected *message; /* matched already (MPI_Imrecv), or NULL */
            enum tf_send_mode mode;
            bool asked;          /* MPI_Cancel was called */
            void *copy;          /* what isendrecv_replace sends */
            struct tf_send send; /* buffered: what was sent is another, this says which */
            struct tf_recv recv; /* both are as they are until the operation starts */
        } point;
        struct {
            void *run; /* struct tf_run, and after it what coll/ has added */
        } coll;
        struct {
            void *side; /* of partition/: struct tf_psend or tf_precv */
        } partitioned;
        struct {
            void *operation; /* what file/ keeps of it */
            uint32_t handle; /* of the file, which may be closed before the request is waited for */
        } file;
        struct {
            void *operation; /* what survive/ keeps of it */
        } survive;
        struct {
            MPI_Grequest_query_function *query;
            MPI_Grequest_free_function *free;
            MPI_Grequest_cancel_function *cancel;
            void *state;
        } general;
    };
};

/* A fresh request, inactive; a reference to comm is taken.  NULL: no memory. */
struct tf_request *tf_request_create(const struct tf_request_kind *kind, struct tf_comm *comm);
static inline MPI_Request tf_request_handle(const struct tf_request *request)
{
    return (MPI_Request)(uintptr_t)request->obj.handle;
}
/* The object whose error handler is to be told of its errors, or NULL. */
static inline struct tf_object *tf_request_on(const struct tf_request *request)
{
    if (request->kind->on)
        return request->kind->on(request);
    return request->comm && !request->comm->freed ? &request->comm->obj : NULL;
}
/* Start it: active, not complete, `parts` 1, an empty status; then kind->start. */
int tf_request_begin(struct tf_request *request);
/* It tells of that error and stays active; or goes on without telling. */
void tf_request_raise(struct tf_request *request, int err) TF_COLD;
void tf_request_lower(struct tf_request *request);
/* The operation (or one part of it) has ended. */
void tf_request_part_done(struct tf_request *request);
/* One that is complete is under way again, until one part is done. */
void tf_request_reopen(struct tf_request *request);
int tf_request_destroy(struct tf_request *request); /* the error of kind->release */
/* The live request of a handle that is not MPI_REQUEST_NULL, or NULL with MPI_ERR_REQUEST recorded. */
struct tf_request *tf_request_get(MPI_Request handle);
/* A request that is complete from the start (MPI_PROC_NULL and the like): handle in *request. */
int tf_request_finished(struct tf_comm *comm, MPI_Request *request);

/* point.c, for buffered.c and newcomm's internal messages */
void tf_point_fill_send(struct tf_send *send, const struct tf_end *to, struct tf_comm *comm, enum tf_send_mode mode,
                        uint32_t ticket);
/* The send ends without an answer: the owner is to find an error. */
void tf_point_lose(struct tf_send *send) TF_COLD;
/* A receive from anybody that waits, when somebody has died: a blocking one ends (true), a request is raised. */
bool tf_point_alarm(struct tf_recv *recv) TF_COLD;
void tf_point_calm(struct tf_recv *recv); /* that is known */
/* A request for a receive from->rank/tag; `message`, if not NULL, is what it receives (taken over). */
int tf_point_begin_recv(const struct tf_end *from, struct tf_unexpected *message, struct tf_comm *comm,
                        MPI_Request *handle);
/* `ticket` as in struct tf_send. */
int tf_buffered_send(const struct tf_end *to, struct tf_comm *comm, uint32_t ticket);
/* cancel.c */
uint32_t tf_cancel_ticket(void); /* of a send, by which it can be cancelled */
int tf_cancel_send(struct tf_request *request);
void tf_cancel_setup(void); /* CANCEL and CANCELLED have handlers */

#endif
