/* peer.h - what msg/ keeps of each peer, behind what net/ keeps of it: how long a message may be that is not announced,
 * what waits to go there, and what came from there before its time.
 */
#ifndef TF_MSG_PEER_H
#define TF_MSG_PEER_H

#include "net/net.h"

struct tf_out;

/* Ready once the two have met (tf_net_meet). */
/* Shorter messages of collectives are not worth a second thought. */
enum { TF_MSG_BRIEF = 2 * 1024 };

struct tf_msg_peer {
    struct tf_peer base;
    uint32_t eager;    /* the longest message that may be sent without asking */
    uint32_t brief;    /* that, or TF_MSG_BRIEF if it is less */
    uint32_t unlooked; /* credit.c: bytes sent from where they lie since we have looked what it says */
    struct tf_out *first_out, **last_out; /* first in, first out */
    struct tf_out *streams;               /* long messages under way, served in turn */
    struct tf_msg_peer *next_busy;        /* those with anything of these */
    size_t kept;                          /* credit.c: bytes that it sent before their time */
    bool busy;
    bool echoing;       /* a stream waits for its echo; one at a time */
    bool sated, enough; /* credit.c: we told it to announce its messages; it told us */
    bool sharing;       /* share.c: one of its messages is being copied by both */
    uint32_t turn;      /* how many were so far */
    uint32_t offers;    /* send.c: our messages that it may read, and has not answered yet */
    uint32_t heard;     /* send.c: cells that had come from it when the last long message to it began or was through */
    uint32_t told;      /* gauge.c: cells that had gone to it when the last message of its was read */
};

/* All peers are such ones. */
static inline struct tf_msg_peer *tf_msg_peer(const struct tf_peer *peer)
{
    return TF_CONTAINER(peer, struct tf_msg_peer, base);
}

/* Before there are any. */
void tf_msg_peers_setup(void);

#endif
