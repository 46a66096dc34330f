/* point.c - sends and receives: blocking, nonblocking, persistent, and the combined send-receive.
 */
#include "msg/await.h"
#include "msg/fetch.h"
#include "msg/lost.h"
#include "msg/match.h"
#include "msg/request.h"
#include "msg/transfer.h"

/* ---- from the user's description to a message ---- */

void tf_point_fill_send(struct tf_send *send, const struct tf_end *to, struct tf_comm *comm, enum tf_send_mode mode,
                        uint32_t ticket)
{
    send->peer = comm->peers[to->rank];
    send->header = (struct tf_header){.kind = TF_MSG_EAGER,
                                      .flags = mode == TF_SYNCHRONOUS ? TF_FLAG_SYNC : 0,
                                      .tag = to->tag,
                                      .context = comm->context,
                                      .source = (uint32_t)comm->rank,
                                      .ticket = ticket};
    send->ticket = ticket;
    send->type = to->type->dense ? NULL : to->type;
    send->buf = to->type->dense ? (const char *)to->buf + to->type->true_lb : to->buf;
    send->memory = tf_memory_of(to->buf);
    send->count = to->count;
    send->position = 0;
    send->total = send->available = (size_t)to->count * (size_t)to->type->size;
    send->unit = 1;
    send->echo = false;
}

static void fill_recv(struct tf_recv *recv, const struct tf_end *from, struct tf_comm *comm)
{
    recv->comm = comm;
    recv->source = from->rank;
    recv->tag = from->tag;
    recv->type = from->type->dense ? NULL : from->type;
    recv->buf = from->type->dense ? (char *)from->buf + from->type->true_lb : from->buf;
    recv->count = from->count;
    recv->position = 0;
    recv->capacity = (size_t)from->count * (size_t)from->type->size;
    recv->sink = NULL;
    recv->direct = recv->pull = recv->type == NULL && tf_memory_is_host(from->buf);
    recv->alters = false;
    recv->unit = 1;
    recv->met = NULL;
    recv->echo = false;
    recv->memory = tf_memory_of(from->buf);
    recv->link = NULL;
}

static MPI_Count received_bytes(const struct tf_recv *recv)
{
    return (MPI_Count)(recv->total < recv->capacity ? recv->total : recv->capacity);
}

/* ---- blocking: the message lives on the stack ---- */

struct blocking_send {
    struct tf_send send;
    bool done;
};
struct blocking_recv {
    struct tf_recv recv;
    bool done;
};

static void blocking_send_done(struct tf_send *send)
{
    TF_CONTAINER(send, struct blocking_send, send)->done = true;
}

static void blocking_recv_done(struct tf_recv *recv)
{
    TF_CONTAINER(recv, struct blocking_recv, recv)->done = true;
}

static void start_blocking_send(struct blocking_send *b, const struct tf_end *to, struct tf_comm *comm,
                                enum tf_send_mode mode)
{
    b->done = to->rank == MPI_PROC_NULL;
    if (b->done)
        return;
    tf_point_fill_send(&b->send, to, comm, mode, 0);
    b->send.done = blocking_send_done;
    tf_send_start(&b->send);
}

static void start_blocking_recv(struct blocking_recv *b, const struct tf_end *from, struct tf_comm *comm)
{
    b->done = from->rank == MPI_PROC_NULL;
    if (b->done)
        return;
    fill_recv(&b->recv, from, comm);
    b->recv.done = blocking_recv_done;
    tf_recv_post(&b->recv);
}

static int finish_blocking_recv(struct blocking_recv *b, const struct tf_end *from, struct tf_comm *comm,
                                MPI_Status *status, const char *call)
{
    if (from->rank == MPI_PROC_NULL) {
        tf_status_set_proc_null(status);
        return MPI_SUCCESS;
    }
    if (!b->done) {
        tf_await_begin(TF_AWAITS_RECV, &b->recv, call);
        tf_await_flag(&b->done, from->rank >= 0 ? comm->peers[from->rank] : NULL);
    }
    tf_status_set(status, b->recv.matched_source, b->recv.matched_tag, received_bytes(&b->recv), false);
    return b->recv.error;
}

/* Where it is done at once nobody has to look how: one that is lost waits at least for the next pass. */
static int finish_blocking_send(struct blocking_send *b, const char *call)
{
    if (b->done)
        return MPI_SUCCESS;
    tf_await_begin(TF_AWAITS_SEND, &b->send, call);
    tf_await_flag(&b->done, b->send.peer);
    return TF_LIKELY(!b->send.lost) ? MPI_SUCCESS : tf_lost_send(&b->send);
}

/* Whoever is to receive it may be sending to this process. */
static __attribute__((noinline)) int wait_for_receiver(struct blocking_send *b)
{
    if (tf_match_unexpected > 0)
        tf_fetch_all();
    tf_fetch_waiting++;
    int err = finish_blocking_send(b, "MPI_Send");
    tf_fetch_waiting--;
    return err;
}

static int send_end(const struct tf_end *to, struct tf_comm *comm, enum tf_send_mode mode)
{
    struct blocking_send b;
    if (mode == TF_BUFFERED)
        return tf_buffered_send(to, comm, 0);
    start_blocking_send(&b, to, comm, mode);
    return TF_LIKELY(b.done) ? MPI_SUCCESS : wait_for_receiver(&b);
}

int tf_send(const void *buf, MPI_Count count, struct tf_type *type, int dest, int tag, struct tf_comm *comm,
            enum tf_send_mode mode)
{
    return send_end(&(struct tf_end){(void *)buf, count, type, dest, tag}, comm, mode);
}

int tf_recv(void *buf, MPI_Count count, struct tf_type *type, int source, int tag, struct tf_comm *comm,
            MPI_Status *status)
{
    struct tf_end from = {buf, count, type, source, tag};
    struct blocking_recv b;
    start_blocking_recv(&b, &from, comm);
    return finish_blocking_recv(&b, &from, comm, status, "MPI_Recv");
}

/* It may have ended while the receive was waited for. */
static int finish_sendrecv(struct blocking_send *s, const struct tf_end *to)
{
    if (to->rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    int err = finish_blocking_send(s, "MPI_Sendrecv");
    return !err && s->send.lost ? tf_lost_send(&s->send) : err;
}

static int sendrecv(const struct tf_end *to, const struct tf_end *from, struct tf_comm *comm, MPI_Status *status)
{
    struct blocking_send s;
    struct blocking_recv r;
    start_blocking_recv(&r, from, comm);
    start_blocking_send(&s, to, comm, TF_STANDARD);
    bool shared = tf_library.locking; /* another thread may free it while the receive is waited for */
    if (TF_UNLIKELY(shared))
        tf_type_retain(to->type);
    int err = finish_blocking_recv(&r, from, comm, status, "MPI_Sendrecv");
    int send_err = finish_sendrecv(&s, to);
    if (TF_UNLIKELY(shared))
        tf_type_release(to->type);
    return err ? err : send_err;
}

int tf_sendrecv(const void *sendbuf, MPI_Count sendcount, struct tf_type *sendtype, int dest, int sendtag,
                void *recvbuf, MPI_Count recvcount, struct tf_type *recvtype, int source, int recvtag,
                struct tf_comm *comm, MPI_Status *status)
{
    return sendrecv(&(struct tf_end){(void *)sendbuf, sendcount, sendtype, dest, sendtag},
                    &(struct tf_end){recvbuf, recvcount, recvtype, source, recvtag}, comm, status);
}

static struct tf_type *byte_type(void)
{
    return tf_type_find(MPI_BYTE);
}

/* What is to be sent, packed: the receive will overwrite it. */
static int copy_of(const struct tf_end *end, int dest, int tag, struct tf_end *copy)
{
    size_t bytes = (size_t)end->count * (size_t)end->type->size;
    void *packed = tf_alloc(bytes ? bytes : 1, "a copy of the message to be replaced");
    if (!packed)
        return MPI_ERR_NO_MEM;
    tf_type_pack(end->type, end->buf, end->count, 0, packed, bytes);
    *copy = (struct tf_end){packed, (MPI_Count)bytes, byte_type(), dest, tag};
    return MPI_SUCCESS;
}

int tf_sendrecv_replace(void *buf, MPI_Count count, struct tf_type *type, int dest, int sendtag, int source,
                        int recvtag, struct tf_comm *comm, MPI_Status *status)
{
    struct tf_end from = {buf, count, type, source, recvtag}, to;
    int err = copy_of(&from, dest, sendtag, &to);
    if (err)
        return err;
    err = sendrecv(&to, &from, comm, status);
    free(to.buf);
    return err;
}

/* ---- requests ---- */

static void request_send_done(struct tf_send *send)
{
    tf_request_part_done(TF_CONTAINER(send, struct tf_request, point.send));
}

static void request_recv_done(struct tf_recv *recv)
{
    struct tf_request *request = TF_CONTAINER(recv, struct tf_request, point.recv);
    request->source = recv->matched_source;
    request->tag = recv->matched_tag;
    request->bytes = received_bytes(recv);
    request->error = recv->error;
    tf_request_part_done(request);
}

void tf_point_lose(struct tf_send *send)
{
    send->lost = true;
    if (send->done == request_send_done)
        TF_CONTAINER(send, struct tf_request, point.send)->error = tf_lost_send(send);
}

bool tf_point_alarm(struct tf_recv *recv)
{
    if (recv->done == blocking_recv_done) {
        tf_recv_withdraw(recv);
        recv->error = tf_lost_wild(recv->comm, MPIX_ERR_PROC_FAILED);
        recv->matched_source = MPI_ANY_SOURCE;
        recv->matched_tag = recv->tag;
        recv->total = 0;
        recv->done(recv);
        return true;
    }
    if (recv->done == request_recv_done) {
        struct tf_request *request = TF_CONTAINER(recv, struct tf_request, point.recv);
        tf_request_raise(request, tf_lost_wild(recv->comm, MPIX_ERR_PROC_FAILED_PENDING));
    }
    return false;
}

void tf_point_calm(struct tf_recv *recv)
{
    if (recv->done == request_recv_done)
        tf_request_lower(TF_CONTAINER(recv, struct tf_request, point.recv));
}

static int start_point(struct tf_request *request)
{
    const struct tf_end *to = &request->point.to, *from = &request->point.from;
    int err = MPI_SUCCESS;
    request->parts = 1 + (from->type != NULL) + (to->type != NULL); /* one for this function */
    if (from->type && TF_UNLIKELY(from->rank == MPI_PROC_NULL)) {
        request->source = MPI_PROC_NULL;
        tf_request_part_done(request);
    } else if (from->type) {
        fill_recv(&request->point.recv, from, request->comm);
        request->point.recv.done = request_recv_done;
        request->peer = from->rank >= 0 ? request->comm->peers[from->rank] : NULL;
        if (TF_UNLIKELY(request->point.message))
            tf_recv_take(&request->point.recv, request->point.message);
        else
            tf_recv_post(&request->point.recv);
    }
    if (to->type && TF_UNLIKELY(to->rank == MPI_PROC_NULL)) {
        tf_request_part_done(request);
    } else if (to->type) {
        uint32_t ticket = tf_cancel_ticket();
        request->point.asked = false;
        tf_point_fill_send(&request->point.send, to, request->comm, request->point.mode, ticket);
        if (TF_UNLIKELY(request->point.mode == TF_BUFFERED)) {
            err = tf_buffered_send(to, request->comm, ticket);
            tf_request_part_done(request);
        } else {
            request->point.send.done = request_send_done;
            tf_send_start(&request->point.send);
        }
    }
    tf_request_part_done(request);
    return err;
}

static int release_point(struct tf_request *request)
{
    if (request->point.to.type)
        tf_type_release(request->point.to.type);
    if (request->point.from.type)
        tf_type_release(request->point.from.type);
    if (TF_UNLIKELY(request->point.copy))
        free(request->point.copy);
    return MPI_SUCCESS;
}

static int cancel_point(struct tf_request *request, bool complete)
{
    const struct tf_end *to = &request->point.to, *from = &request->point.from;
    if (to->type && from->type) /* a sendrecv ends as if nothing had been asked */
        return MPI_SUCCESS;
    if (to->type)
        return to->rank == MPI_PROC_NULL ? MPI_SUCCESS : tf_cancel_send(request);
    if (complete || from->rank == MPI_PROC_NULL || !tf_recv_withdraw(&request->point.recv))
        return MPI_SUCCESS;
    request->cancelled = true;
    tf_request_part_done(request);
    return MPI_SUCCESS;
}

static const struct tf_request_kind point_kind = {
    .name = "point-to-point",
    .point = true,
    .start = start_point,
    .release = release_point,
    .cancel = cancel_point,
};

/* One whose message has left keeps what it takes to cancel it, and nothing else. */
static void has_left(struct tf_send *send)
{
    (void)send;
}

static int cancel_sent(struct tf_request *request, bool complete)
{
    (void)complete;
    return tf_cancel_send(request);
}

static const struct tf_request_kind sent_kind = {
    .name = "point-to-point",
    .point = true,
    .cancel = cancel_sent,
};

static void hold_ends(struct tf_request *request, const struct tf_end *to, const struct tf_end *from)
{
    if (to) {
        request->point.to = *to;
        tf_type_retain(to->type);
    }
    if (from) {
        request->point.from = *from;
        tf_type_retain(from->type);
    }
}

static int create_point(const struct tf_end *to, const struct tf_end *from, struct tf_comm *comm,
                        enum tf_send_mode mode, struct tf_request **request_p)
{
    struct tf_request *request = tf_request_create(&point_kind, comm);
    if (!request)
        return MPI_ERR_NO_MEM;
    hold_ends(request, to, from);
    request->point.mode = mode;
    *request_p = request;
    return MPI_SUCCESS;
}

static int begin(struct tf_request *request, MPI_Request *handle)
{
    int err = tf_request_begin(request);
    if (err)
        tf_request_destroy(request);
    else
        *handle = tf_request_handle(request);
    return err;
}

static int begin_point(const struct tf_end *to, const struct tf_end *from, struct tf_comm *comm, enum tf_send_mode mode,
                       MPI_Request *handle)
{
    struct tf_request *request;
    int err = create_point(to, from, comm, mode, &request);
    return err ? err : begin(request, handle);
}

static int prepare_point(const struct tf_end *to, const struct tf_end *from, struct tf_comm *comm,
                         enum tf_send_mode mode, MPI_Request *handle)
{
    struct tf_request *request;
    int err = create_point(to, from, comm, mode, &request);
    if (err)
        return err;
    request->persistent = true;
    *handle = tf_request_handle(request);
    return MPI_SUCCESS;
}

/* A send that need not wait for its receive; most have left when this returns. */
static int begin_send(const struct tf_end *to, struct tf_comm *comm, enum tf_send_mode mode, MPI_Request *handle)
{
    struct tf_request *request = tf_request_create(&sent_kind, comm);
    if (!request)
        return MPI_ERR_NO_MEM;
    struct tf_send *send = &request->point.send;
    tf_point_fill_send(send, to, comm, mode, tf_cancel_ticket());
    send->done = has_left;
    if (TF_UNLIKELY(!tf_send_at_once(send))) {
        request->kind = &point_kind;
        hold_ends(request, to, NULL);
        request->point.mode = mode;
        return begin(request, handle);
    }
    request->active = request->complete = true;
    request->source = MPI_ANY_SOURCE;
    request->tag = MPI_ANY_TAG;
    *handle = tf_request_handle(request);
    return MPI_SUCCESS;
}

int tf_isend(const void *buf, MPI_Count count, struct tf_type *type, int dest, int tag, struct tf_comm *comm,
             enum tf_send_mode mode, MPI_Request *request)
{
    struct tf_end to = {(void *)buf, count, type, dest, tag};
    if ((mode == TF_STANDARD || mode == TF_READY) && dest != MPI_PROC_NULL)
        return begin_send(&to, comm, mode, request);
    return begin_point(&to, NULL, comm, mode, request);
}

int tf_send_init(const void *buf, MPI_Count count, struct tf_type *type, int dest, int tag, struct tf_comm *comm,
                 enum tf_send_mode mode, MPI_Request *request)
{
    return prepare_point(&(struct tf_end){(void *)buf, count, type, dest, tag}, NULL, comm, mode, request);
}

int tf_irecv(void *buf, MPI_Count count, struct tf_type *type, int source, int tag, struct tf_comm *comm,
             MPI_Request *request)
{
    return begin_point(NULL, &(struct tf_end){buf, count, type, source, tag}, comm, TF_STANDARD, request);
}

int tf_point_begin_recv(const struct tf_end *from, struct tf_unexpected *message, struct tf_comm *comm,
                        MPI_Request *handle)
{
    struct tf_request *request;
    int err = create_point(NULL, from, comm, TF_STANDARD, &request);
    if (err)
        return err;
    request->point.message = message;
    tf_request_begin(request);
    *handle = tf_request_handle(request);
    return MPI_SUCCESS;
}

int tf_recv_init(void *buf, MPI_Count count, struct tf_type *type, int source, int tag, struct tf_comm *comm,
                 MPI_Request *request)
{
    return prepare_point(NULL, &(struct tf_end){buf, count, type, source, tag}, comm, TF_STANDARD, request);
}

int tf_isendrecv(const void *sendbuf, MPI_Count sendcount, struct tf_type *sendtype, int dest, int sendtag,
                 void *recvbuf, MPI_Count recvcount, struct tf_type *recvtype, int source, int recvtag,
                 struct tf_comm *comm, MPI_Request *request)
{
    return begin_point(&(struct tf_end){(void *)sendbuf, sendcount, sendtype, dest, sendtag},
                       &(struct tf_end){recvbuf, recvcount, recvtype, source, recvtag}, comm, TF_STANDARD, request);
}

int tf_isendrecv_replace(void *buf, MPI_Count count, struct tf_type *type, int dest, int sendtag, int source,
                         int recvtag, struct tf_comm *comm, MPI_Request *handle)
{
    struct tf_end from = {buf, count, type, source, recvtag}, to;
    struct tf_request *request;
    int err = copy_of(&from, dest, sendtag, &to);
    if (err)
        return err;
    err = create_point(&to, &from, comm, TF_STANDARD, &request);
    if (err) {
        free(to.buf);
        return err;
    }
    request->point.copy = to.buf;
    err = tf_request_begin(request);
    if (err)
        tf_request_destroy(request);
    else
        *handle = tf_request_handle(request);
    return err;
}
