/* cancel.c - taking back a message that was sent but not received (MPI-5.0 section 3.8.4).
 *
 *     still in the sender's queue:       it is taken out of it
 *     on its way, or at the receiver:    CANCEL ------>   is it among the messages without a receive?  It goes.
 *                                        <------ CANCELLED   whether it was there
 *
 * Messages between two processes do not overtake each other, so the receiver has the message when it hears CANCEL: it
 * is unexpected still, or it was received.  Each send that may be cancelled has a ticket, which the message carries.
 * The request is complete when the send and the answer are.
 */
#include "msg/match.h"
#include "msg/request.h"
#include "msg/transfer.h"

struct cancel {
    struct tf_request *request;
    uint32_t id;
};

uint32_t tf_cancel_ticket(void)
{
    static uint32_t ticket;
    if (++ticket == 0) /* which the sends have that nobody can cancel */
        ticket = 1;
    return ticket;
}

static void say(struct tf_peer *peer, const struct tf_header *header)
{
    if (!tf_out_say(peer, header, NULL))
        tf_fatal(1, "no memory to cancel a message");
}

static void end(struct cancel *cancel, bool cancelled)
{
    struct tf_request *request = cancel->request;
    tf_id_give(cancel->id);
    free(cancel);
    request->cancelled = cancelled;
    tf_request_part_done(request);
}

static const struct tf_peer *peer_of(const void *object)
{
    return ((const struct cancel *)object)->request->point.send.peer;
}

/* Nobody can say whether it was received. */
static void lose(void *object)
{
    end(object, false);
}

static const struct tf_id_kind cancels = {peer_of, lose};

static int ask(struct tf_request *request)
{
    const struct tf_send *send = &request->point.send;
    bool buffered = request->point.mode == TF_BUFFERED, by_id = !buffered && tf_send_is_short_synchronous(send);
    if (request->complete && !buffered && send->id) /* the receiver has answered it */
        return MPI_SUCCESS;
    struct cancel *cancel = tf_alloc(sizeof *cancel, "the cancellation of a message");
    if (!cancel)
        return MPI_ERR_NO_MEM;
    *cancel = (struct cancel){request, tf_id_take(cancel, &cancels)};
    if (request->complete)
        tf_request_reopen(request);
    else
        request->parts++;
    struct tf_header header = {.kind = TF_MSG_CANCEL,
                               .flags = by_id ? TF_FLAG_SYNC : 0,
                               .context = send->header.context,
                               .asker = cancel->id,
                               .ticket = send->ticket};
    if (by_id)
        header.id = send->id;
    say(send->peer, &header);
    return MPI_SUCCESS;
}

int tf_cancel_send(struct tf_request *request)
{
    const struct tf_send *send = &request->point.send;
    if (request->point.asked)
        return MPI_SUCCESS;
    struct tf_send *queued = tf_send_withdraw(send->peer, send->header.context, send->ticket);
    request->point.asked = true;
    if (!queued)
        return ask(request);
    request->cancelled = true;
    queued->done(queued);
    return MPI_SUCCESS;
}

static void hear_cancel(struct tf_peer *peer, const struct tf_header *cancel, void *payload)
{
    (void)payload;
    uint32_t id = 0;
    bool taken = tf_match_take_back(peer, cancel, &id);
    say(peer, &(struct tf_header){
                  .kind = TF_MSG_CANCELLED, .flags = taken ? TF_FLAG_TAKEN : 0, .sender = id, .id = cancel->asker});
}

static void hear_answer(struct tf_peer *peer, const struct tf_header *answer, void *payload)
{
    (void)peer, (void)payload;
    if (answer->sender) /* it waited for the receiver, who will not answer now */
        tf_send_end(tf_id_object(answer->sender));
    end(tf_id_object(answer->id), answer->flags & TF_FLAG_TAKEN);
}

void tf_cancel_setup(void)
{
    tf_net_handle(TF_MSG_CANCEL, hear_cancel);
    tf_net_handle(TF_MSG_CANCELLED, hear_answer);
}
