/* queue.c - events in order of time.  See queue.h. */
#include "plan/queue.h"

static bool append(struct tf_queue *queue, struct tf_queue_item item)
{
    uint64_t differs = item.key ^ queue->last;
    struct tf_queue_bucket *bucket = &queue->buckets[differs ? 64 - __builtin_clzll(differs) : 0];

    if (bucket->used == bucket->cap) {
        size_t more = bucket->cap ? 2 * bucket->cap : 16;
        struct tf_queue_item *bigger = realloc(bucket->items, more * sizeof *bigger);
        if (!bigger)
            return false;
        bucket->items = bigger;
        bucket->cap = more;
    }
    bucket->items[bucket->used++] = item;
    return true;
}

bool tf_queue_put(struct tf_queue *queue, double time, uint32_t id, int32_t rank)
{
    struct tf_queue_item item = {.id = id, .rank = rank};

    /* The bits of doubles that are not negative are ordered as they are. */
    memcpy(&item.key, &time, sizeof item.key);
    return append(queue, item);
}

/* Bring the earliest events into bucket 0. */
static int refill(struct tf_queue *queue)
{
    int b = 1;

    queue->buckets[0].head = queue->buckets[0].used = 0;
    while (b <= 64 && queue->buckets[b].used == 0)
        b++;
    if (b > 64)
        return 0;
    struct tf_queue_bucket *bucket = &queue->buckets[b];
    uint64_t least = bucket->items[0].key;
    for (size_t i = 1; i < bucket->used; i++)
        if (bucket->items[i].key < least)
            least = bucket->items[i].key;
    queue->last = least;
    for (size_t i = 0; i < bucket->used; i++)
        if (!append(queue, bucket->items[i]))
            return -1;
    bucket->used = 0;
    return 1;
}

int tf_queue_take(struct tf_queue *queue, double *time, uint32_t *id, int32_t *rank)
{
    struct tf_queue_bucket *now = &queue->buckets[0];

    if (now->head == now->used) {
        int filled = refill(queue);
        if (filled <= 0)
            return filled;
    }
    struct tf_queue_item item = now->items[now->head++];
    memcpy(time, &item.key, sizeof *time);
    *id = item.id;
    *rank = item.rank;
    return 1;
}

void tf_queue_free(struct tf_queue *queue)
{
    for (int b = 0; b <= 64; b++)
        free(queue->buckets[b].items);
    *queue = (struct tf_queue){0};
}
