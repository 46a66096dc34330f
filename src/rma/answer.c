/* answer.c - see answer.h. */
#include "rma/answer.h"

#include "msg/transfer.h"
#include "rma/wire.h"

struct tf_answer {
    struct tf_out out;
    struct tf_win *win; /* NULL: it is gone */
    struct tf_answer *next, **link;
    struct tf_header header;
    struct tf_apply at; /* what has not gone */
    bool kept;          /* it is not on the stack, and holds a reference to its datatype */
};

static void end(struct tf_answer *answer)
{
    if (!answer->kept)
        return;
    if (answer->win) {
        *answer->link = answer->next;
        if (answer->next)
            answer->next->link = answer->link;
    }
    tf_type_release((struct tf_type *)answer->at.type);
    free(answer);
}

/* The next bytes: how many have gone, 0 if there is no room now.  A network may send them from where they lie. */
static size_t push_some(struct tf_peer *peer, struct tf_answer *answer)
{
    struct tf_apply part = answer->at;
    uint32_t chunk = tf_net_chunk(peer);
    if (peer->net->send && part.type->dense && part.length >= TF_NET_SEND_LEAST) {
        const char *from = (const char *)part.at + part.type->true_lb + part.position;
        size_t taken = peer->net->send(peer, &answer->header, from, part.length, chunk);
        peer->bytes_sent += taken;
        return taken;
    }
    part.length = part.length < chunk ? part.length : chunk;
    void *room = tf_net_reserve(peer, (uint32_t)part.length);
    if (!room)
        return 0;
    tf_apply_get(&part, room);
    answer->header.length = (uint32_t)part.length;
    tf_net_commit(peer, &answer->header);
    return part.length;
}

static bool push(struct tf_peer *peer, struct tf_out *out)
{
    struct tf_answer *answer = TF_CONTAINER(out, struct tf_answer, out);
    for (size_t gone = 1; answer->win && answer->at.length > 0; answer->at.position += gone, answer->at.length -= gone)
        if ((gone = push_some(peer, answer)) == 0)
            return false;
    end(answer);
    return true;
}

static struct tf_answer *keep(const struct tf_answer *answer)
{
    struct tf_answer *kept = malloc(sizeof *kept);
    if (!kept)
        tf_fatal(1, "treefold[%d]: no memory for an answer of a window", tf_job.rank);
    *kept = *answer;
    kept->kept = true;
    tf_type_retain((struct tf_type *)kept->at.type);
    kept->link = &kept->win->answers;
    kept->next = *kept->link;
    if (kept->next)
        kept->next->link = &kept->next;
    return *kept->link = kept;
}

void tf_answer_get(struct tf_target *target, uint32_t asker, const struct tf_apply *at)
{
    struct tf_peer *peer = target->peer;
    struct tf_header header = {.kind = TF_MSG_RMA, .tag = TF_VERB_DATA, .id = target->number};
    header.source = asker;
    struct tf_answer answer = {.out = {.push = push}, .win = target->win, .header = header, .at = *at};
    if (tf_msg_peer(peer)->first_out || !push(peer, &answer.out))
        tf_out_queue(peer, &keep(&answer)->out);
}

void tf_answer_leave(struct tf_win *win)
{
    for (struct tf_answer *answer = win->answers; answer; answer = answer->next)
        answer->win = NULL;
    win->answers = NULL;
}
