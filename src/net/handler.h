/* handler.h - what becomes of a message that has come: each kind of message has a handler, which is of who sends that
 * kind.  A transport knows none of them.
 */
#ifndef TF_HANDLER_H
#define TF_HANDLER_H

#include "net/ring.h"

struct tf_peer;

/* What header->kind says; 0 is no kind. */
enum tf_message_kind {
    TF_MSG_NONE,
#define TF_KIND(name) TF_MSG_##name,
#include "net/kinds.def"
#undef TF_KIND
};

/* The payload is the transport's memory, valid during the call only; it may be written to. */
typedef void tf_net_handler(struct tf_peer *peer, const struct tf_header *header, void *payload);

/* One for each number that a header can hold. */
enum { TF_NET_KINDS = 256 };
extern tf_net_handler *tf_net_handlers[TF_NET_KINDS];

/* From now on that function gets the messages of that kind.  A kind without one ends the job, in words. */
void tf_net_handle(enum tf_message_kind kind, tf_net_handler *handler);

/* Where the payload of a message of which a part has come is wanted, all of it; NULL: the handler takes it from
 * wherever it lies.  Asked when everything that the peer sent before has been handled, and maybe again as more comes.
 * Who named a place gets the payload there; who named one and then does not any more must not look at the payload. */
typedef void *tf_net_lander(const struct tf_header *header);
void tf_net_land(enum tf_message_kind kind, tf_net_lander *where);
void *tf_net_landing(const struct tf_header *header);

/* A message has come from that peer. */
static inline void tf_net_arrive(struct tf_peer *peer, const struct tf_header *header, void *payload)
{
    tf_net_handlers[header->kind](peer, header, payload);
}

#endif
