/* precv.h - the receiving side of a partitioned operation: where the parts go to, and what has come.
 *
 * What has come is counted in units: bytes, or, where nothing but empty partitions is sent, the product of the two
 * numbers of partitions, so that each partition is some part of the whole.
 */
#ifndef TF_PRECV_H
#define TF_PRECV_H

#include <stdatomic.h>

#include "msg/transfer.h"
#include "partition/partition.h"
#include "partition/rendezvous.h"

/* Long messages of one operation that are under way: the sender has no more of them at a time. */
enum { TF_PARTS_UNDER_WAY = 8 };

struct tf_precv {
    struct tf_request *request;
    struct tf_partition whole;
    int source, tag;
    struct tf_place *place; /* of the rendezvous; NULL: it is from nobody */
    struct tf_precv *next;  /* there */
    struct tf_offer *offer; /* of the send that it is bound to, or NULL */
    bool wanted;            /* started, and not bound yet */
    size_t units, left;     /* of the whole message; of these, not here yet */
    size_t stride;          /* units in one partition of this side */
    size_t scale;           /* in one of the sender's */
    int busy;               /* of the following */
    struct tf_part {
        struct tf_recv recv;
        struct tf_precv *precv;
        size_t at; /* in the packed stream */
        bool busy;
    } parts[TF_PARTS_UNDER_WAY];
    _Atomic size_t missing[]; /* units of each partition that are not here; read by any thread */
};

/* NULL: the request is of another kind. */
struct tf_precv *tf_precv_of(const struct tf_request *request);
/* It has been bound to an offer: the sender is told that it may begin. */
void tf_precv_meet(struct tf_precv *precv);
void tf_precv_part(struct tf_precv *precv); /* it is bound no longer, and nothing has come */
void tf_precv_describe(const struct tf_precv *precv, char *words, size_t n);
/* Its sender has died: an active one, which has an error, ends. */
void tf_precv_lose(struct tf_precv *precv);
void tf_precv_setup(void); /* PART and PART_RTS have handlers */

#endif
