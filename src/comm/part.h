/* part.h - what the folders above keep with each communicator.
 *
 * Each has a member of struct tf_comm to itself, and tells what becomes of it: comm/ calls its functions and knows
 * nothing of what they do.
 */
#ifndef TF_PART_H
#define TF_PART_H

#include "comm/comm.h"

/* In the order in which a communicator gets them; it loses them in the opposite one. */
enum tf_part_owner {
    TF_PART_MATCH, /* msg/: comm->match */
    TF_PART_COLLS, /* coll/: comm->colls */
    TF_PART_TOPO,  /* topo/: comm->topo */
    TF_PART_PACT,  /* survive/: comm->pact */
    TF_PART_WIN,   /* rma/: the window whose hidden communicator it is, which has it and is not known here */
    TF_PARTS
};

/* Any of them may be NULL. */
struct tf_part {
    int (*create)(struct tf_comm *comm); /* an error, recorded: nothing of the part is there */
    void (*start)(struct tf_comm *comm); /* it has its context id: its messages are let in */
    void (*copy)(struct tf_comm *comm, const struct tf_comm *from); /* it is a duplicate of `from` */
    void (*hint)(struct tf_comm *comm);                             /* its hints have changed */
    void (*broken)(struct tf_comm *comm);  /* one of its processes has died, or it is revoked */
    int (*leave)(struct tf_comm *comm);    /* the user frees it; an error refuses that */
    void (*destroy)(struct tf_comm *comm); /* called whether or not the part is there */
};

/* From now on communicators have that part, which the caller keeps where it is.  May be called again. */
void tf_part_hang(enum tf_part_owner owner, const struct tf_part *part);

/* Of all parts. */
int tf_part_create(struct tf_comm *comm);
void tf_part_start(struct tf_comm *comm);
void tf_part_copy(struct tf_comm *comm, const struct tf_comm *from);
void tf_part_hint(struct tf_comm *comm);
void tf_part_broken(struct tf_comm *comm);
int tf_part_leave(struct tf_comm *comm);
void tf_part_destroy(struct tf_comm *comm);

#endif
