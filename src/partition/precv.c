/* precv.c - MPI_Precv_init, its start, and what comes for it; MPI_Parrived.
 *
 * The partitions of the two sides need not agree: a message says which of the sender's it holds, which is a range of
 * bytes of the whole, and that is spread over those of this side.
 */
#include "partition/precv.h"

#include <stdio.h>

#include "base/memory.h"
#include "msg/await.h"
#include "msg/lost.h"
#include "msg/progress.h"

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- what has come ---- */

static TF_COLD int too_much(const struct tf_precv *precv)
{
    return tf_error(MPI_ERR_TRUNCATE,
                    "the partitioned send of rank %d with tag %d has %zu bytes in its %d partitions, which is longer "
                    "than the receive buffer of %zu bytes in %d partitions",
                    precv->request->source, precv->request->tag, precv->units, (int)precv->offer->what.partitions,
                    tf_partition_total(&precv->whole), precv->whole.number);
}

static bool is_too_much(const struct tf_precv *precv)
{
    return precv->offer->what.bytes > tf_partition_total(&precv->whole);
}

/* Complete when all is here and nothing of it needs an answer any more. */
static void settle(struct tf_precv *precv)
{
    struct tf_request *request = precv->request;
    if (precv->left > 0 || precv->busy > 0)
        return;
    if (!request->error && is_too_much(precv))
        request->error = too_much(precv);
    tf_msg_awaited--;
    tf_request_part_done(request);
}

static void count(struct tf_precv *precv, size_t at, size_t units)
{
    size_t end = at + units;
    precv->left -= units;
    for (size_t i = precv->stride ? at / precv->stride : SIZE_MAX; i < (size_t)precv->whole.number && at < end; i++) {
        size_t here = least(end, (i + 1) * precv->stride) - at;
        size_t missing = atomic_load_explicit(&precv->missing[i], memory_order_relaxed);
        atomic_store_explicit(&precv->missing[i], missing - here, memory_order_release);
        at += here;
    }
}

static void put(const struct tf_precv *precv, size_t at, const void *data, size_t length)
{
    const struct tf_partition *whole = &precv->whole;
    size_t total = tf_partition_total(whole);
    length = at < total ? least(length, total - at) : 0;
    if (length == 0)
        return;
    if (whole->type)
        tf_type_unpack(whole->type, whole->buf, whole->count, at, data, length);
    else if (whole->buf + at != data) /* it may have been read to its place */
        memcpy(whole->buf + at, data, length);
}

/* ---- messages ---- */

static struct tf_precv *find(const struct tf_peer *peer, const struct tf_header *h)
{
    struct tf_request *request = tf_pool_find(&tf_request_pool, h->receiver);
    struct tf_precv *precv = request ? tf_precv_of(request) : NULL;
    bool waits = precv && precv->offer && precv->offer->peer == peer && request->active && !request->complete;
    return waits ? precv : NULL;
}

static void hear_part(struct tf_peer *peer, const struct tf_header *h, void *payload)
{
    struct tf_precv *precv = find(peer, h);
    if (!precv)
        return;
    size_t at = (size_t)h->tag * precv->scale;
    put(precv, at, payload, h->length);
    count(precv, at, (size_t)h->parts * precv->scale);
    settle(precv);
}

static void part_take(struct tf_recv *recv, void *data, size_t length)
{
    struct tf_part *part = TF_CONTAINER(recv, struct tf_part, recv);
    put(part->precv, part->at + recv->received, data, length);
    count(part->precv, part->at + recv->received, length);
}

/* After a failure there is less than was announced. */
static void part_done(struct tf_recv *recv)
{
    struct tf_part *part = TF_CONTAINER(recv, struct tf_part, recv);
    struct tf_precv *precv = part->precv;
    if (TF_UNLIKELY(recv->error) && !precv->request->error)
        precv->request->error = recv->error;
    if (TF_UNLIKELY(recv->received < recv->total))
        count(precv, part->at + recv->received, recv->total - recv->received);
    part->busy = false;
    precv->busy--;
    settle(precv);
}

static struct tf_part *free_part(struct tf_precv *precv)
{
    for (int i = 0; i < TF_PARTS_UNDER_WAY; i++)
        if (!precv->parts[i].busy)
            return &precv->parts[i];
    return NULL;
}

static void hear_announced(struct tf_peer *peer, const struct tf_header *h, void *payload)
{
    struct tf_precv *precv = find(peer, h);
    struct tf_part *part = precv ? free_part(precv) : NULL;
    if (!part) {
        tf_recv_decline(peer, h);
        return;
    }
    const struct tf_partition *whole = &precv->whole;
    bool direct = !whole->type && tf_memory_is_host(whole->buf) && !is_too_much(precv);
    part->precv = precv;
    part->busy = true;
    precv->busy++;
    part->at = (size_t)h->tag * precv->scale;
    part->recv = (struct tf_recv){.comm = precv->request->comm,
                                  .direct = direct,
                                  .pull = direct,
                                  .unit = 1,
                                  .type = whole->type,
                                  .buf = whole->buf,
                                  .count = whole->count,
                                  .position = part->at,
                                  .capacity = (size_t)h->parts * precv->scale,
                                  .sink = part_take,
                                  .done = part_done,
                                  .memory = tf_memory_of(whole->buf)};
    tf_recv_announced(&part->recv, peer, h, payload);
}

/* ---- the rendezvous ---- */

/* What is to come is known, and so is when a partition is complete: one behind the end of what is sent is at once. */
static void expect(struct tf_precv *precv)
{
    const struct tf_offering *what = &precv->offer->what;
    bool empty = what->bytes == 0;
    precv->scale = !empty ? what->bytes / what->partitions : precv->whole.number ? (size_t)precv->whole.number : 1;
    precv->stride = empty ? what->partitions : precv->whole.bytes;
    precv->units = precv->left = precv->scale * what->partitions;
    precv->request->bytes = (MPI_Count)least(what->bytes, tf_partition_total(&precv->whole));
    for (size_t i = 0; i < (size_t)precv->whole.number; i++) {
        size_t at = i * precv->stride;
        size_t units = at < precv->units ? least(precv->stride, precv->units - at) : 0;
        atomic_store_explicit(&precv->missing[i], units, memory_order_relaxed);
    }
}

static bool grant(struct tf_precv *precv)
{
    struct tf_header header = {.kind = TF_MSG_GRANT, .receiver = precv->request->obj.handle, .id = precv->offer->id};
    precv->wanted = false;
    expect(precv);
    if (!tf_out_say(precv->offer->peer, &header, NULL))
        return false;
    settle(precv); /* there may be no partition to wait for */
    return true;
}

void tf_precv_meet(struct tf_precv *precv)
{
    if (!grant(precv))
        tf_fatal(1, "no memory to answer a partitioned send of rank %d of the job", precv->offer->peer->rank);
}

void tf_precv_lose(struct tf_precv *precv)
{
    precv->wanted = false;
    precv->left = 0;
    if (precv->busy > 0)
        return;
    tf_msg_awaited--;
    tf_request_part_done(precv->request);
}

void tf_precv_part(struct tf_precv *precv)
{
    const struct tf_request *request = precv->request;
    precv->offer = NULL;
    precv->wanted = request->active && !request->complete;
}

/* ---- its life ---- */

static void set_missing(struct tf_precv *precv, size_t units)
{
    for (int i = 0; i < precv->whole.number; i++)
        atomic_store_explicit(&precv->missing[i], units, memory_order_relaxed);
}

static int start(struct tf_request *request)
{
    struct tf_precv *precv = request->partitioned.side;
    request->source = precv->source;
    if (precv->source == MPI_PROC_NULL) {
        tf_request_part_done(request);
        return MPI_SUCCESS;
    }
    request->tag = precv->tag;
    request->peer = request->comm->peers[precv->source];
    set_missing(precv, 1);
    tf_msg_awaited++;
    if (tf_failure_is(request->peer)) {
        request->error = tf_lost_error(request->comm, request->peer);
        tf_precv_lose(precv);
        return MPI_SUCCESS;
    }
    if (!precv->offer && request->peer->net) /* what is withdrawn is not to be met */
        tf_await_poll(request->peer, TF_RING_CELLS);
    precv->wanted = !precv->offer;
    if (precv->wanted) {
        tf_rendezvous_want(precv);
        return MPI_SUCCESS;
    }
    if (grant(precv))
        return MPI_SUCCESS;
    tf_msg_awaited--;
    set_missing(precv, 0);
    return tf_error(MPI_ERR_NO_MEM, "no memory to start a partitioned receive");
}

static int release(struct tf_request *request)
{
    struct tf_precv *precv = request->partitioned.side;
    if (precv->place)
        tf_rendezvous_leave(precv);
    tf_partition_close(&precv->whole);
    free(precv);
    return MPI_SUCCESS;
}

static const struct tf_request_kind kind = {
    .name = "partitioned receive",
    .partitioned = true,
    .start = start,
    .release = release,
};

struct tf_precv *tf_precv_of(const struct tf_request *request)
{
    return request->kind == &kind ? request->partitioned.side : NULL;
}

/* Nothing of it is missing as long as it is not started. */
static int create(const struct tf_partition *whole, int source, int tag, struct tf_comm *comm,
                  struct tf_precv **precv_p)
{
    size_t bytes = sizeof(struct tf_precv) + (size_t)whole->number * sizeof(_Atomic size_t);
    struct tf_precv *precv = tf_alloc(bytes, "a partitioned receive");
    if (!precv)
        return MPI_ERR_NO_MEM;
    memset(precv, 0, bytes);
    precv->whole = *whole;
    precv->source = source;
    precv->tag = tag;
    if (source != MPI_PROC_NULL && !tf_rendezvous_enter(precv, comm->context)) {
        free(precv);
        return MPI_ERR_NO_MEM;
    }
    *precv_p = precv;
    return MPI_SUCCESS;
}

int tf_precv_init(void *buf, int partitions, MPI_Count count, struct tf_type *type, int source, int tag,
                  struct tf_comm *comm, MPI_Request *handle)
{
    struct tf_partition whole;
    struct tf_precv *precv;
    int err = tf_partition_open(&whole, buf, partitions, count, type);
    if (err)
        return err;
    struct tf_request *request = tf_request_create(&kind, comm);
    err = request ? create(&whole, source, tag, comm, &precv) : MPI_ERR_NO_MEM;
    if (err)
        goto close;
    precv->request = request;
    request->partitioned.side = precv;
    request->persistent = true;
    *handle = tf_request_handle(request);
    return MPI_SUCCESS;
close:
    if (request)
        tf_partition_forget(request);
    tf_partition_close(&whole);
    return err;
}

/* ---- MPI_Parrived ---- */

static int find_receive(MPI_Request handle, struct tf_object **on, struct tf_precv **precv_p)
{
    struct tf_request *request = tf_partition_find(handle);
    if (!request)
        return MPI_ERR_REQUEST;
    *precv_p = tf_precv_of(request);
    if (*precv_p)
        return MPI_SUCCESS;
    *on = tf_request_on(request);
    return tf_error(MPI_ERR_REQUEST, "request is not of a partitioned receive (%s)", request->kind->name);
}

static bool is_here(const struct tf_precv *precv, int partition)
{
    return atomic_load_explicit(&precv->missing[partition], memory_order_acquire) == 0;
}

int tf_parrived(MPI_Request handle, int partition, int *flag, struct tf_object **on)
{
    struct tf_precv *precv;
    if (handle == MPI_REQUEST_NULL) {
        *flag = true;
        return MPI_SUCCESS;
    }
    int err = find_receive(handle, on, &precv);
    if (err)
        return err;
    err = tf_partition_check(&precv->whole, partition);
    if (err) {
        *on = tf_request_on(precv->request);
        return err;
    }
    if (!is_here(precv, partition)) {
        tf_lock_enter();
        tf_msg_glance();
        /* Under the lock, as another thread may be ending the request. */
        const struct tf_request *request = precv->request;
        if (TF_UNLIKELY(!is_here(precv, partition) && request->complete && request->error))
            err = tf_error(request->error, "%s", request->words ? request->words : "it has failed");
        tf_lock_leave();
    }
    if (err) {
        *on = tf_request_on(precv->request);
        return err;
    }
    *flag = is_here(precv, partition);
    return MPI_SUCCESS;
}

void tf_precv_describe(const struct tf_precv *precv, char *words, size_t n)
{
    const struct tf_request *request = precv->request;
    int here = 0;
    for (int i = 0; i < precv->whole.number; i++)
        here += is_here(precv, i);
    snprintf(words, n, "a partitioned send of rank %d with tag %d on %s%s (%d of %d partitions are here)",
             precv->source, precv->tag, tf_comm_describe(request->comm), precv->offer ? "" : " to be initialized", here,
             precv->whole.number);
}

void tf_precv_setup(void)
{
    tf_net_handle(TF_MSG_PART, hear_part);
    tf_net_handle(TF_MSG_PART_RTS, hear_announced);
}
