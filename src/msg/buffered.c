/* buffered.c - buffered sends (MPI-5.0 section 3.6).
 *
 * The user's buffer says how much may be outstanding; the copies themselves live in memory of their own, so the
 * buffer's alignment and fragmentation never matter.  A buffered send that would exceed what is free is MPI_ERR_BUFFER,
 * as the standard's model has it.  With MPI_BUFFER_AUTOMATIC there is no limit.
 */
#include "base/settings.h"
#include "msg/await.h"
#include "msg/progress.h"
#include "msg/request.h"
#include "msg/thread.h"
#include "msg/transfer.h"

struct pool {
    const void *owner; /* a communicator or a session; NULL: the process */
    struct pool *next;
    void *buffer;
    MPI_Count size, used;
    uint64_t begun; /* messages; of these, */
    int pending;    /* so many are under way */
    struct flush *flushes;
};
static struct pool *pools;

/* What a message takes beside its data, as nothing of it lies in the user's buffer: less than MPI_BSEND_OVERHEAD, for
 * programs that know another library's and have written a number down. */
enum { OVERHEAD = 64 };

/* An MPI_Buffer_iflush that is under way. */
struct flush {
    struct flush *next;
    struct tf_request *request;
    uint64_t before; /* it waits for the messages of lower numbers, */
    int left;        /* of which so many are under way */
};

struct copy {
    struct tf_send send;
    struct pool *pool;
    struct tf_comm *comm; /* holds a reference */
    uint64_t number;
    MPI_Count charged;
    _Alignas(16) unsigned char data[];
};

static struct pool **find_pool(const void *owner)
{
    struct pool **p = &pools;
    while (*p && (*p)->owner != owner)
        p = &(*p)->next;
    return p;
}

int tf_buffer_attach(void *owner, void *buffer, MPI_Count size)
{
    if (*find_pool(owner))
        return tf_error(MPI_ERR_BUFFER, "a buffer is attached already; detach it first");
    if (buffer == MPI_IN_PLACE)
        return tf_error(MPI_ERR_BUFFER, "buffer is MPI_IN_PLACE, which is not allowed for this argument here");
    if (!buffer && size > 0)
        return tf_error(MPI_ERR_BUFFER, "buffer is a null pointer, but size is %lld", (long long)size);
    struct pool *pool = tf_alloc(sizeof *pool, "the record of an attached buffer");
    if (!pool)
        return MPI_ERR_NO_MEM;
    *pool = (struct pool){.owner = owner, .next = pools, .buffer = buffer, .size = size};
    pools = pool;
    return MPI_SUCCESS;
}

static bool is_flushed(void *state, bool *moved)
{
    const struct pool *pool = state;
    (void)moved;
    return pool->pending == 0;
}

static void flush(struct pool *pool)
{
    if (pool->pending)
        tf_await(TF_AWAITS_BUFFERED, NULL, is_flushed, pool);
}

/* Nothing attached: detaching gives a null buffer of size 0 back, flushing is done at once. */
int tf_buffer_detach(void *owner, void *buffer_addr, MPI_Count *size)
{
    struct pool **place = find_pool(owner), *pool = *place;
    if (!pool)
        return tf_error(MPI_ERR_BUFFER, "no buffer is attached");
    flush(pool);
    memcpy(buffer_addr, &pool->buffer, sizeof pool->buffer);
    *size = pool->buffer == MPI_BUFFER_AUTOMATIC ? 0 : pool->size;
    *find_pool(owner) = pool->next;
    free(pool);
    return MPI_SUCCESS;
}

int tf_buffer_flush(void *owner)
{
    struct pool *pool = *find_pool(owner);
    if (pool)
        flush(pool);
    return MPI_SUCCESS;
}

static int start_flush(struct tf_request *request)
{
    (void)request;
    return MPI_SUCCESS;
}

int tf_buffer_iflush(void *owner, struct tf_comm *comm, MPI_Request *handle)
{
    static const struct tf_request_kind flush_kind = {.name = "buffer flush", .start = start_flush};
    struct pool *pool = *find_pool(owner);
    if (!pool || !pool->pending)
        return tf_request_finished(comm, handle);
    struct flush *f = tf_alloc(sizeof *f, "a flush of buffered messages");
    if (!f)
        return MPI_ERR_NO_MEM;
    *f = (struct flush){pool->flushes, tf_request_create(&flush_kind, comm), pool->begun, pool->pending};
    if (!f->request) {
        free(f);
        return MPI_ERR_NO_MEM;
    }
    pool->flushes = f;
    tf_request_begin(f->request);
    *handle = tf_request_handle(f->request);
    return MPI_SUCCESS;
}

static void tell_flushes(struct pool *pool, uint64_t sent)
{
    for (struct flush **place = &pool->flushes; *place;) {
        struct flush *f = *place;
        f->left -= sent < f->before;
        if (f->left > 0) {
            place = &f->next;
            continue;
        }
        *place = f->next;
        tf_request_part_done(f->request);
        free(f);
    }
}

void tf_buffered_forget(const void *owner)
{
    struct pool **place = find_pool(owner), *pool = *place;
    if (!pool)
        return;
    *place = pool->next;
    free(pool);
}

static void copy_done(struct tf_send *send)
{
    struct copy *copy = TF_CONTAINER(send, struct copy, send);
    copy->pool->used -= copy->charged;
    copy->pool->pending--;
    tell_flushes(copy->pool, copy->number);
    tf_comm_release(copy->comm);
    free(copy);
}

int tf_buffered_send(const struct tf_end *to, struct tf_comm *comm, uint32_t ticket)
{
    if (to->rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    struct pool *pool = *find_pool(comm);
    if (!pool && comm->session)
        pool = *find_pool(comm->session);
    if (!pool)
        pool = *find_pool(NULL);
    if (!pool)
        return tf_error(MPI_ERR_BUFFER, "no buffer is attached for buffered sends (MPI_Buffer_attach)");
    MPI_Count bytes = to->count * to->type->size, overhead = tf_strict() ? MPI_BSEND_OVERHEAD : OVERHEAD;
    MPI_Count charged = bytes + overhead;
    if (pool->buffer != MPI_BUFFER_AUTOMATIC && pool->used + charged > pool->size)
        tf_msg_progress(); /* completed sends give their room back */
    if (pool->buffer != MPI_BUFFER_AUTOMATIC && pool->used + charged > pool->size)
        return tf_error(MPI_ERR_BUFFER,
                        "the attached buffer of %lld bytes has %lld free; this message needs %lld (%lld of data and "
                        "%lld of MPI_BSEND_OVERHEAD)",
                        (long long)pool->size, (long long)(pool->size - pool->used), (long long)charged,
                        (long long)bytes, (long long)overhead);
    struct copy *copy = tf_alloc(sizeof *copy + (size_t)bytes, "the copy of a buffered message");
    if (!copy)
        return MPI_ERR_NO_MEM;
    tf_type_pack(to->type, to->buf, to->count, 0, copy->data, (size_t)bytes);
    struct tf_end packed = {copy->data, bytes, tf_type_find(MPI_BYTE), to->rank, to->tag};
    tf_point_fill_send(&copy->send, &packed, comm, TF_BUFFERED, ticket);
    copy->send.done = copy_done;
    copy->pool = pool;
    copy->comm = comm;
    copy->charged = charged;
    copy->number = pool->begun++;
    pool->used += charged;
    pool->pending++;
    tf_comm_retain(comm);
    tf_send_start(&copy->send);
    tf_msg_thread_wake();
    return MPI_SUCCESS;
}
