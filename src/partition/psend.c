/* psend.c - MPI_Psend_init, its start, MPI_Pready, and what goes.
 *
 * Short partitions that lie side by side and are ready go as one message, of at most what may be sent without asking;
 * a long one goes alone, so that the receiver learns of it as soon as it can.
 *
 * MPI_Pready marks without the big lock.  Whoever then finds the lock free sends; who does not leaves it to the holder,
 * whose next pass of progress sees the news (the task), and wakes one that is about to sleep.
 */
#include "partition/psend.h"

#include <stdio.h>

#include "base/memory.h"
#include "msg/await.h"
#include "msg/lost.h"
#include "partition/rendezvous.h"

/* ---- what goes ---- */

static void settle(struct tf_psend *psend)
{
    if (psend->unsent == 0 && psend->busy == 0)
        tf_request_part_done(psend->request);
}

static void piece_done(struct tf_send *send)
{
    struct tf_piece *piece = TF_CONTAINER(send, struct tf_piece, send);
    struct tf_psend *psend = piece->psend;
    piece->busy = false;
    psend->busy--;
    if (psend->again)
        atomic_store(&psend->marks.news, true);
    settle(psend);
}

static struct tf_piece *free_piece(struct tf_psend *psend)
{
    for (int i = 0; i < TF_PARTS_UNDER_WAY; i++)
        if (!psend->pieces[i].busy)
            return &psend->pieces[i];
    return NULL;
}

/* How many partitions a message may hold. */
static int most(const struct tf_psend *psend)
{
    size_t eager = tf_msg_peer(psend->peer)->eager, bytes = psend->whole.bytes;
    size_t n = bytes ? eager / bytes : (size_t)psend->whole.number;
    return n < 1 ? 1 : n < (size_t)psend->whole.number ? (int)n : psend->whole.number;
}

static void send_run(struct tf_psend *psend, struct tf_piece *piece, int first, int length)
{
    const struct tf_partition *whole = &psend->whole;
    size_t bytes = (size_t)length * whole->bytes;
    tf_marks_go(&psend->marks, first, length);
    psend->unsent -= length;
    psend->busy++;
    piece->busy = true;
    piece->psend = psend;
    piece->send = (struct tf_send){
        .peer = psend->peer,
        .header = {.kind = TF_MSG_PART, .tag = first, .receiver = psend->receiver, .parts = (uint32_t)length},
        .type = whole->type,
        .buf = whole->buf,
        .memory = tf_memory_of(whole->buf),
        .count = whole->count,
        .position = (size_t)first * whole->bytes,
        .total = bytes,
        .available = bytes,
        .unit = 1,
        .done = piece_done};
    tf_send_start_coll(&piece->send);
}

static bool is_granted(const struct tf_psend *psend)
{
    return psend->peer && (int32_t)(psend->granted - psend->round) >= 0;
}

/* All that is ready and may go; true if anything was. */
static bool push(struct tf_psend *psend)
{
    int first, length, n;
    bool moved = false;
    if (!is_granted(psend) || !tf_marks_heard(&psend->marks))
        return false;
    psend->again = false;
    n = most(psend);
    while (psend->unsent > 0 && (length = tf_marks_run(&psend->marks, n, &first)) > 0) {
        struct tf_piece *piece = free_piece(psend);
        psend->again = !piece;
        if (!piece)
            break;
        send_run(psend, piece, first, length);
        moved = true;
    }
    return moved;
}

static bool advance(struct tf_task *task, bool *moved)
{
    struct tf_psend *psend = TF_CONTAINER(task, struct tf_psend, task);
    const struct tf_request *request = psend->request;
    if (request->active && !request->complete)
        *moved |= push(psend);
    return !request->active || request->complete;
}

static void finished(struct tf_task *task)
{
    TF_CONTAINER(task, struct tf_psend, task)->listed = false;
}

static void hear_grant(struct tf_peer *peer, const struct tf_header *h, void *payload)
{
    (void)payload;
    struct tf_request *request = tf_pool_find(&tf_request_pool, h->id);
    struct tf_psend *psend = request ? tf_psend_of(request) : NULL;
    if (!psend || psend->peer != peer)
        return;
    psend->granted++;
    psend->receiver = (uint32_t)h->receiver;
    if (request->active && !request->complete)
        push(psend);
}

void tf_psend_lose(struct tf_psend *psend)
{
    psend->unsent = 0;
    settle(psend);
}

/* ---- its life ---- */

static bool say(const struct tf_psend *psend, enum tf_message_kind kind, const struct tf_offering *what)
{
    const struct tf_comm *comm = psend->request->comm;
    struct tf_header header = {.kind = (uint8_t)kind,
                               .length = what ? sizeof *what : 0,
                               .tag = psend->tag,
                               .context = comm->context,
                               .source = (uint32_t)comm->rank,
                               .id = psend->request->obj.handle};
    return tf_out_say(psend->peer, &header, what);
}

static int start(struct tf_request *request)
{
    struct tf_psend *psend = request->partitioned.side;
    psend->unsent = psend->whole.number;
    psend->round++;
    psend->again = false;
    request->peer = psend->peer;
    tf_marks_clear(&psend->marks);
    if (!psend->peer || psend->unsent == 0) {
        tf_request_part_done(request);
        return MPI_SUCCESS;
    }
    if (tf_failure_is(psend->peer)) {
        request->error = tf_lost_error(request->comm, psend->peer);
        tf_psend_lose(psend);
        return MPI_SUCCESS;
    }
    if (!psend->listed)
        tf_task_add(&psend->task);
    psend->listed = true;
    return MPI_SUCCESS;
}

/* Who was never started has not been received from. */
static int release(struct tf_request *request)
{
    struct tf_psend *psend = request->partitioned.side;
    if (psend->peer && psend->round == 0 && !say(psend, TF_MSG_WITHDRAW, NULL))
        tf_fatal(1, "no memory to withdraw a partitioned send");
    if (psend->listed)
        tf_task_remove(&psend->task);
    tf_marks_close(&psend->marks);
    tf_partition_close(&psend->whole);
    free(psend);
    return MPI_SUCCESS;
}

static const struct tf_request_kind kind = {
    .name = "partitioned send",
    .partitioned = true,
    .start = start,
    .release = release,
};

struct tf_psend *tf_psend_of(const struct tf_request *request)
{
    return request->kind == &kind ? request->partitioned.side : NULL;
}

static int create(const struct tf_partition *whole, int dest, int tag, struct tf_request *request)
{
    struct tf_offering what = {tf_partition_total(whole), (uint64_t)whole->number};
    struct tf_psend *psend = tf_alloc(sizeof *psend, "a partitioned send");
    if (!psend)
        return MPI_ERR_NO_MEM;
    *psend = (struct tf_psend){.task = {.advance = advance, .finished = finished},
                               .request = request,
                               .whole = *whole,
                               .dest = dest,
                               .tag = tag};
    if (!tf_marks_open(&psend->marks, whole->number))
        goto free;
    psend->peer = dest == MPI_PROC_NULL ? NULL : request->comm->peers[dest];
    if (psend->peer && !say(psend, TF_MSG_OFFER, &what)) {
        tf_error(MPI_ERR_NO_MEM, "no memory to announce a partitioned send");
        goto close;
    }
    request->partitioned.side = psend;
    return MPI_SUCCESS;
close:
    tf_marks_close(&psend->marks);
free:
    free(psend);
    return MPI_ERR_NO_MEM;
}

int tf_psend_init(const void *buf, int partitions, MPI_Count count, struct tf_type *type, int dest, int tag,
                  struct tf_comm *comm, MPI_Request *handle)
{
    struct tf_partition whole;
    int err = tf_partition_open(&whole, buf, partitions, count, type);
    if (err)
        return err;
    struct tf_request *request = tf_request_create(&kind, comm);
    err = request ? create(&whole, dest, tag, request) : MPI_ERR_NO_MEM;
    if (err)
        goto close;
    request->persistent = true;
    *handle = tf_request_handle(request);
    return MPI_SUCCESS;
close:
    if (request)
        tf_partition_forget(request);
    tf_partition_close(&whole);
    return err;
}

/* ---- MPI_Pready, by any thread ---- */

static TF_COLD int refuse_inactive(const struct tf_psend *psend)
{
    tf_lock_enter();
    bool active = psend->request->active;
    tf_lock_leave();
    return active ? MPI_SUCCESS
                  : tf_error(MPI_ERR_REQUEST,
                             "the partitioned send is not active; it must be started before a partition is marked as "
                             "ready");
}

static TF_COLD int refuse_twice(const struct tf_psend *psend, int partition)
{
    int err = refuse_inactive(psend);
    if (err)
        return err;
    return tf_error(MPI_ERR_ARG, "partition %d has been marked as ready before; each is once, after each start",
                    partition);
}

/* True if what is marked meanwhile may go too. */
static bool push_now(struct tf_psend *psend)
{
    if (psend->peer && !is_granted(psend))
        tf_await_poll(psend->peer, TF_RING_CELLS);
    push(psend);
    return is_granted(psend);
}

/* What is ready goes now, if nobody else is in MPI.  Who comes while this thread is in it leaves it the rest. */
static void flush(struct tf_psend *psend)
{
    if (!tf_library.locking) {
        push_now(psend);
        return;
    }
    bool more = true;
    while (more && atomic_load(&psend->marks.news) && tf_lock_try()) {
        more = push_now(psend);
        tf_lock_drop();
    }
    if (atomic_load(tf_pause_asleep))
        tf_pause_wake(tf_pause_asleep);
}

static int mark(struct tf_psend *psend, int low, int high)
{
    if (low > high)
        return MPI_SUCCESS;
    int err = tf_partition_check(&psend->whole, low);
    if (!err)
        err = tf_partition_check(&psend->whole, high);
    if (!err && !psend->peer)
        err = refuse_inactive(psend);
    if (err)
        return err;
    int twice = tf_marks_set(&psend->marks, low, high);
    return twice < 0 ? MPI_SUCCESS : refuse_twice(psend, twice);
}

static int find_send(MPI_Request handle, struct tf_object **on, struct tf_psend **psend_p)
{
    struct tf_request *request = tf_partition_find(handle);
    if (!request)
        return MPI_ERR_REQUEST;
    *psend_p = tf_psend_of(request);
    if (*psend_p)
        return MPI_SUCCESS;
    *on = tf_request_on(request);
    return tf_error(MPI_ERR_REQUEST, "request is not of a partitioned send (%s)", request->kind->name);
}

int tf_pready_range(int low, int high, MPI_Request handle, struct tf_object **on)
{
    struct tf_psend *psend;
    int err = find_send(handle, on, &psend);
    if (err)
        return err;
    err = mark(psend, low, high);
    if (err)
        *on = tf_request_on(psend->request);
    else
        flush(psend);
    return err;
}

int tf_pready(int partition, MPI_Request handle, struct tf_object **on)
{
    return tf_pready_range(partition, partition, handle, on);
}

int tf_pready_list(int length, const int *partitions, MPI_Request handle, struct tf_object **on)
{
    struct tf_psend *psend;
    int err = find_send(handle, on, &psend);
    if (err)
        return err;
    for (int i = 0; i < length && !err; i++)
        err = mark(psend, partitions[i], partitions[i]);
    if (err)
        *on = tf_request_on(psend->request);
    flush(psend);
    return err;
}

void tf_psend_describe(const struct tf_psend *psend, char *words, size_t n)
{
    const struct tf_request *request = psend->request;
    int first = 0;
    while (first < psend->whole.number && tf_marks_has(&psend->marks, first))
        first++;
    if (first < psend->whole.number)
        snprintf(words, n, "partition %d of %d to rank %d with tag %d on %s to be marked as ready", first,
                 psend->whole.number, psend->dest, psend->tag, tf_comm_describe(request->comm));
    else
        snprintf(words, n, "rank %d to receive a partitioned send with tag %d on %s", psend->dest, psend->tag,
                 tf_comm_describe(request->comm));
}

void tf_psend_setup(void)
{
    tf_net_handle(TF_MSG_GRANT, hear_grant);
}
