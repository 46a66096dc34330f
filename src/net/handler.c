/* handler.c - the table of handlers. */
#include "net/handler.h"

#include "net/net.h"

static TF_COLD void refuse(struct tf_peer *peer, const struct tf_header *header, void *payload)
{
    (void)payload;
    tf_fatal(1,
             "treefold[%d]: a message of kind %d has come from rank %d of the job, which means nothing here; all "
             "processes of a job need the same version of Treefold",
             tf_job.rank, header->kind, peer->rank);
}

tf_net_handler *tf_net_handlers[TF_NET_KINDS] = {[0 ... TF_NET_KINDS - 1] = refuse};

void tf_net_handle(enum tf_message_kind kind, tf_net_handler *handler)
{
    tf_net_handlers[kind] = handler;
}

/* Few kinds are long enough. */
static tf_net_lander *landers[TF_NET_KINDS];

void tf_net_land(enum tf_message_kind kind, tf_net_lander *where)
{
    landers[kind] = where;
}

void *tf_net_landing(const struct tf_header *header)
{
    return landers[header->kind] ? landers[header->kind](header) : NULL;
}
