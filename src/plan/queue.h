/* queue.h - events in order of time: a radix heap, for times that never go back.
 *
 * Events stand in 65 buckets by the highest bit in which their time, as the bits of a double, differs from the time
 * taken last.  Putting is an append; taking empties the lowest bucket into those below it now and then, so an event
 * moves a few times and memory is gone through in order.  Events of the same time come out in the order they went in.
 * Ahuja, Mehlhorn, Orlin, Tarjan, "Faster algorithms for the shortest path problem", J. ACM 37(2), 1990.
 */
#ifndef TF_QUEUE_H
#define TF_QUEUE_H

#include "base/base.h"

struct tf_queue_item {
    uint64_t key;
    uint32_t id;
    int32_t rank;
};

struct tf_queue { /* zeroed by whoever owns it */
    uint64_t last;
    struct tf_queue_bucket {
        struct tf_queue_item *items;
        size_t head, used, cap;
    } buckets[65];
};

/* `time` is 0 or more and not before the time taken last.  False: no memory. */
bool tf_queue_put(struct tf_queue *queue, double time, uint32_t id, int32_t rank);
/* The earliest event.  1: there is one; 0: the queue is empty; -1: no memory. */
int tf_queue_take(struct tf_queue *queue, double *time, uint32_t *id, int32_t *rank);
void tf_queue_free(struct tf_queue *queue);

#endif
