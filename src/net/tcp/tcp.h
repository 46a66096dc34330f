/* tcp.h - the pieces of the TCP transport.
 *
 *     tcp.c      the transport: its links, its epoll set, opening and closing
 *     link.c     a connection that is up: cells out, cells in
 *     hello.c    from a connection to one that is up: who connects, who accepts, proofs of belonging to the job
 *     watch.c    peers that vanish
 *
 * On the wire a connection that is up carries frames (net/remote/).
 */
#ifndef TF_TCP_H
#define TF_TCP_H

#include "net/beside/beside.h"
#include "net/remote/remote.h"

enum {
    TF_TCP_CAPACITY = 512 * 1024, /* of a ring; a chunk is a quarter */
};

enum tf_tcp_state {
    TF_TCP_IDLE,    /* not connected, and nobody tries */
    TF_TCP_TRYING,  /* this side connects */
    TF_TCP_TRIED,   /* this side was told that the other one connects */
    TF_TCP_UP,      /* both have proved who they are */
    TF_TCP_BESIDE,  /* the same, and they share memory: nothing comes but the end */
    TF_TCP_CLOSING, /* all is sent, and it was told so */
    TF_TCP_ENDED,   /* by the other side */
};

/* What the epoll set knows begins with one of these. */
enum tf_tcp_kind { TF_TCP_LINK, TF_TCP_CALL, TF_TCP_LISTENER, TF_TCP_BELL, TF_TCP_GUEST };

/* watch.c: how long something has been under way without an answer. */
struct tf_tcp_silence {
    bool waits;     /* at the last look */
    uint64_t acked; /* bytes that the other host had confirmed by then */
    int64_t looked, lasts;
};

struct tf_tcp_link {
    struct tf_remote_link base;
    enum tf_tcp_kind kind;
    enum tf_tcp_state state;
    int fd;
    struct tf_tcp_link *next_up; /* those that are or were up */
    bool blocked;                /* the socket took no more: wait until it does */
    struct tf_frames frames;
    uint32_t begin, end; /* of the bytes in the data area of rx that are not cells yet */
    uint32_t landed;     /* of the payload, filled up, of the message there, which goes to where it is wanted */
    int64_t ended;       /* when, or since when it waits for the other side to connect */
    struct tf_tcp_silence silence;
    char host[64];
};

static inline struct tf_tcp_link *tf_tcp_next(const struct tf_tcp_link *link)
{
    return (struct tf_tcp_link *)link->base.next;
}

/* tcp.c */
extern struct tf_tcp_link *tf_tcp_links, *tf_tcp_up; /* all that there are, by base.next; those that are or were up */
extern int tf_tcp_listener;
extern bool tf_tcp_between; /* it carries messages between the nodes of this job */
struct tf_tcp_link *tf_tcp_link_make(struct tf_peer *peer) TF_COLD;
static inline struct tf_tcp_link *tf_tcp_link_of(struct tf_peer *peer)
{
    return TF_LIKELY(peer->link != NULL) ? peer->link : tf_tcp_link_make(peer);
}
/* Ready for processes of other jobs, whatever carries messages within this one; says where it listens. */
int tf_tcp_open_others(char address[TF_ADDRESS_FACT]);
/* Whether that file, of whoever waits in MPI, can be read (or written) wakes this process; or no longer. */
bool tf_tcp_mind(int fd, bool writing);
void tf_tcp_unmind(int fd);
/* Watch for these events; `known`: other ones were watched for. */
bool tf_tcp_wait_for(int fd, uint32_t events, void *object, bool known);
void tf_tcp_close(int fd);
/* They have proved who they are; `pair`, if not NULL: the memory that they share. */
void tf_tcp_link_up(struct tf_tcp_link *link, int fd, struct tf_beside_pair *pair);
const char *tf_tcp_host(struct tf_tcp_link *link); /* its name */

/* link.c */
void tf_tcp_flush(struct tf_tcp_link *link);
size_t tf_tcp_send(struct tf_tcp_link *link, const struct tf_header *header, const char *payload, size_t bytes,
                   uint32_t chunk);
struct tf_cell *tf_tcp_take(struct tf_tcp_link *link);  /* the next cell, NULL if none has come */
struct tf_cell *tf_tcp_parse(struct tf_tcp_link *link); /* the same, without asking the socket */
bool tf_tcp_unsent(const struct tf_tcp_link *link);
/* The connection broke, for `reason` (errno, 0: the other side closed it). */
void tf_tcp_broken(struct tf_tcp_link *link, int reason);

/* hello.c */
struct tf_tcp_call; /* a connection that is not up yet */
void tf_tcp_connect(struct tf_tcp_link *link);
void tf_tcp_accept(void);
void tf_tcp_call_step(struct tf_tcp_call *call);
void tf_tcp_calls_sweep(void); /* nobody refers to calls that are over any more */
void tf_tcp_calls_expire(int64_t now);
void tf_tcp_calls_forget(const struct tf_tcp_link *link); /* it does not connect any more */
void tf_tcp_calls_close(void);
unsigned tf_tcp_strangers(void); /* connections refused so far */

/* watch.c */
/* Asked time and again of one connection. */
bool tf_tcp_is_silent(struct tf_tcp_silence *silence, int fd, int64_t now);
void tf_tcp_watch_socket(int fd);
void tf_tcp_watch(int64_t now); /* ends the job if a peer has vanished */

#endif
