/* links.c - what the transport in use keeps of a process of another node, made when something goes there or comes from
 * there: a job may be large, and most of its processes never talk to each other.
 */
#include "net/remote/remote.h"

struct tf_remote_link *tf_remote_links;
static size_t link_bytes;
static void (*set_up_link)(void *link);

void tf_remote_links_open(size_t bytes, void (*set_up)(void *link))
{
    link_bytes = bytes;
    set_up_link = set_up;
}

void *tf_remote_link_make(struct tf_peer *peer)
{
    tf_net_meet(peer);
    struct tf_remote_link *link = calloc(1, link_bytes);
    if (!link)
        tf_fatal(1, "treefold[%d]: no memory for a connection with rank %d", tf_job.rank, peer->rank);
    *link = (struct tf_remote_link){.peer = peer, .next = tf_remote_links};
    tf_remote_links = link;
    peer->link = link;
    if (set_up_link)
        set_up_link(link);
    return link;
}

void tf_remote_links_close(void)
{
    while (tf_remote_links) {
        struct tf_remote_link *next = tf_remote_links->next;
        tf_remote_links->peer->link = NULL;
        free(tf_remote_links);
        tf_remote_links = next;
    }
}
