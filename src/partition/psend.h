/* psend.h - the sending side of a partitioned operation: what is marked as ready goes as soon as the receiver has
 * granted it.
 */
#ifndef TF_PSEND_H
#define TF_PSEND_H

#include "msg/progress.h"
#include "msg/transfer.h"
#include "partition/marks.h"
#include "partition/partition.h"
#include "partition/precv.h"

struct tf_psend {
    struct tf_task task;
    bool listed; /* the task is among those of progress */
    struct tf_request *request;
    struct tf_partition whole;
    struct tf_peer *peer; /* NULL: it goes to nobody */
    int dest, tag;
    uint32_t receiver;       /* the handle of the receive's request, once it has granted */
    uint32_t round, granted; /* how often it was started, and the receive */
    struct tf_marks marks;
    int unsent; /* partitions that have not been handed over */
    int busy;   /* of the following */
    bool again; /* there was none for what is ready */
    struct tf_piece {
        struct tf_send send;
        struct tf_psend *psend;
        bool busy;
    } pieces[TF_PARTS_UNDER_WAY];
};

/* NULL: the request is of another kind. */
struct tf_psend *tf_psend_of(const struct tf_request *request);
void tf_psend_describe(const struct tf_psend *psend, char *words, size_t n);
/* Its receiver has died: an active one, which has an error, ends. */
void tf_psend_lose(struct tf_psend *psend);
void tf_psend_setup(void); /* GRANT has a handler */

#endif
