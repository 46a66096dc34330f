/* packets.c - frames in packets: made of what is in a ring to send, put in order, and made into the cells of a ring to
 * receive, whose payloads stay in the packet until they are consumed.
 */
#include "net/failure.h"
#include "net/remote/remote.h"

#include "launch/nodes.h"

struct head {
    uint64_t token;
    uint32_t from, number, length;
    uint32_t unused[3];
};
_Static_assert(sizeof(struct head) == TF_PACKET_HEAD, "frames are aligned");

static unsigned strangers;

static uint64_t token_of(uint32_t from, uint32_t to)
{
    struct {
        char what[8];
        uint32_t from, to;
    } all = {"packet", from, to};
    return tf_key_prove(&all, sizeof all);
}

static void drop_all(struct tf_packets *from)
{
    while (from->first) {
        struct tf_packet *packet = from->first;
        from->first = packet->next;
        packet->release(packet);
    }
}

void tf_packets_close(void)
{
    if (strangers)
        tf_log(1, "has refused %u packets of strangers", strangers);
    strangers = 0;
    for (struct tf_remote_link *link = tf_remote_links; link; link = link->next)
        drop_all((struct tf_packets *)link);
}

void tf_packets_set_up(struct tf_packets *packets)
{
    uint32_t me = (uint32_t)tf_job.rank, other = (uint32_t)packets->base.peer->rank;
    packets->token_out = token_of(me, other);
    packets->token_in = token_of(other, me);
}

unsigned tf_packets_strangers(void)
{
    return strangers;
}

/* Before frames of that length; returns that of the packet. */
static uint32_t put_head(struct tf_packets *to, unsigned char *at, uint32_t length)
{
    struct head head = {.token = to->token_out,
                        .from = (uint32_t)tf_job.rank,
                        .number = to->number_out++,
                        .length = length + TF_PACKET_HEAD};
    memcpy(at, &head, sizeof head);
    to->used = true;
    return head.length;
}

uint32_t tf_packets_make(struct tf_packets *to, unsigned char *at, uint32_t room)
{
    uint32_t length = tf_frames_copy(&to->frames, to->base.peer, at + TF_PACKET_HEAD, room - TF_PACKET_HEAD);
    return length ? put_head(to, at, length) : 0;
}

uint32_t tf_packets_wrap(struct tf_packets *to, const struct tf_header *header, const void *payload, unsigned char *at)
{
    struct tf_header frame = *header;
    uint32_t length = tf_frames_length(header);
    frame.number = to->base.peer->tx.sent + 1;
    memcpy(at + TF_PACKET_HEAD, &frame, sizeof frame);
    memcpy(at + TF_PACKET_HEAD + TF_FRAME_ALIGN, payload, header->length);
    tf_frames_begun(&to->frames, to->base.peer, header, payload, length);
    return put_head(to, at, length);
}

struct tf_packets *tf_packets_from(uint32_t rank, uint64_t token)
{
    struct tf_peer *peer = rank < (uint32_t)tf_job.size ? tf_net_peer((int)rank) : NULL;
    if (!peer || (peer->net && !peer->net->fill) || tf_failure_is(peer)) /* of this node, or late */
        return NULL;
    if (!peer->link && token != token_of(rank, (uint32_t)tf_job.rank)) /* for a stranger nothing is made */
        return NULL;
    struct tf_packets *from = tf_packets_of(peer);
    return token == from->token_in ? from : NULL;
}

/* Whose it is, NULL: nobody's of this job.  What is in it was not looked at. */
static struct tf_packets *sender_of(const struct tf_packet *packet)
{
    struct head head;
    if (packet->length < sizeof head)
        return NULL;
    memcpy(&head, packet->bytes, sizeof head);
    return head.length == packet->length ? tf_packets_from(head.from, head.token) : NULL;
}

/* In order of numbers, which wrap; false: one with that number was there before. */
static bool insert(struct tf_packets *from, struct tf_packet *packet)
{
    struct tf_packet **at = &from->first;
    if ((int32_t)(packet->number - from->number_in) < 0)
        return false;
    while (*at && (int32_t)((*at)->number - packet->number) < 0)
        at = &(*at)->next;
    if (*at && (*at)->number == packet->number)
        return false;
    packet->next = *at;
    *at = packet;
    return true;
}

struct tf_packets *tf_packets_put(struct tf_packet *packet)
{
    struct tf_packets *from = sender_of(packet);
    if (from) {
        packet->number = ((const struct head *)(const void *)packet->bytes)->number;
        packet->parsed = TF_PACKET_HEAD;
        from->used = from->heard = true;
    }
    if (from && insert(from, packet))
        return from;
    strangers++;
    tf_log(1, "refuses a packet of %u bytes that is no message of this job (%u refused so far)", packet->length,
           strangers);
    return NULL;
}

/* No cell is left in the ring: packets of which all was parsed go back to the transport. */
static void release_taken(struct tf_packets *from)
{
    struct tf_packet *packet;
    while ((packet = from->first) && packet->parsed == packet->length) {
        from->first = packet->next;
        packet->release(packet);
    }
}

struct tf_cell *tf_packets_take(struct tf_packets *from)
{
    struct tf_peer *peer = from->base.peer;
    struct tf_cell *cell = tf_ring_peek(&peer->rx);
    if (cell)
        return cell;
    release_taken(from);
    struct tf_packet *packet = from->first;
    if (packet && packet->parsed == TF_PACKET_HEAD && packet->number == from->number_in)
        from->number_in++;
    else if (!packet || packet->parsed == TF_PACKET_HEAD)
        return NULL;
    uint32_t rest = packet->length - packet->parsed;
    uint32_t used = tf_frames_parse(&from->frames, peer, packet->bytes + packet->parsed, rest);
    if (used == 0)
        tf_net_peer_failed(peer, "a packet from rank %d on host %s ends in a message; the network is damaged",
                           peer->rank, tf_address_host(peer->rank));
    packet->parsed += used ? used : rest;
    return tf_ring_peek(&peer->rx);
}

bool tf_packets_hand_over(struct tf_packets *from)
{
    struct tf_ring_rx *rx = &from->base.peer->rx;
    struct tf_cell *cell;
    bool any = false;
    if (tf_failure_is(from->base.peer)) /* what comes late */
        return false;
    for (; (cell = tf_packets_take(from)); any = true) {
        tf_net_arrive(from->base.peer, &cell->header, tf_ring_payload(rx, cell));
        tf_ring_release(rx, cell);
    }
    return any;
}
