/* remote.h - what the transports between nodes have in common.
 *
 *     links.c    what a transport keeps of each process of another node
 *     rings.c    two rings in private memory for each process of another node that is met
 *     frames.c   the cells of a ring as a row of bytes, and back
 *     packets.c  frames in packets, for networks that carry messages and not streams
 *     key.c      the job's key, and what is proved by it
 *     address.c  where a process can be reached by TCP/IP
 *     beacon.c   hosts that vanish, where the network does not tell
 *     doze.c     sleeping until a file or a process of the same node has something
 */
#ifndef TF_REMOTE_H
#define TF_REMOTE_H

#include "net/net.h"

#include <sys/socket.h>
#include <sys/uio.h>

/* ---- links.c ---- */

/* What the transport's own structure for a peer, peer->link, begins with. */
struct tf_remote_link {
    struct tf_peer *peer;
    struct tf_remote_link *next;
};
extern struct tf_remote_link *tf_remote_links; /* all that there are */
/* From now on they have so many bytes, zeroed, and are set up so, if at all. */
void tf_remote_links_open(size_t bytes, void (*set_up)(void *link));
void tf_remote_links_close(void);
void *tf_remote_link_make(struct tf_peer *peer) TF_COLD;
static inline void *tf_remote_link(struct tf_peer *peer)
{
    return TF_LIKELY(peer->link != NULL) ? peer->link : tf_remote_link_make(peer);
}

/* ---- rings.c ---- */

/* The two rings of that peer, which is to be flushed after every commit, of that capacity (a power of two, at least
 * 4096; a chunk is a quarter).  They are address space: what is used becomes memory.  That to send is shut until the
 * transport opens it (tf_ring_open), when what is sent leaves at once: a blocking call that was the first to send there
 * would else be over before its message has left, and nothing moves while its caller computes. */
int tf_remote_rings_make(struct tf_peer *peer, uint32_t capacity);
void tf_remote_rings_drop(const struct tf_peer *peer); /* those of that one */
void tf_remote_rings_close(void);                      /* all, when the network is closed */

/* ---- frames.c ----
 *
 * A frame is a header of 32 bytes as it is, then the payload, filled up to a multiple of 32 bytes.  Numbers are
 * little-endian.  So a short message is its cell, 64 bytes of memory as they are.
 */
enum { TF_FRAME_ALIGN = 32 };

struct tf_frames {
    uint32_t flushed, written; /* cells of the ring to send that have gone; bytes of the next one that have gone */
    uint32_t parsed;           /* cells made for the ring to receive */
};

static inline bool tf_frames_unsent(const struct tf_frames *frames, const struct tf_peer *peer)
{
    return frames->flushed != peer->tx.sent;
}
/* Where the unsent bytes lie: as many of the n parts as are needed, at least 3; returns how many.  `row` is for copies
 * of short ones and is used until these have gone. */
enum { TF_FRAME_ROW = 40 * 1024 };
int tf_frames_gather(const struct tf_frames *frames, const struct tf_peer *peer, struct iovec *part, int n,
                     char row[TF_FRAME_ROW]);
/* So many bytes of them have gone; the cells of which all have are free. */
void tf_frames_sent(struct tf_frames *frames, struct tf_peer *peer, size_t bytes);
/* A message whose payload lies elsewhere, to go when nothing else is unsent: three parts, which are the header, the
 * payload and what it is filled up with.  header->number is the caller's to fill in. */
enum { TF_FRAME_PARTS = 3 };
void tf_frames_outline(const struct tf_header *header, const void *payload, struct iovec part[TF_FRAME_PARTS]);
/* Of these so many bytes have gone; what is left of the payload is copied. */
void tf_frames_begun(struct tf_frames *frames, struct tf_peer *peer, const struct tf_header *header,
                     const void *payload, size_t bytes);
/* The same as gather and sent at once: as many whole frames as fit are copied, and their cells are free.  Not after a
 * gather of which a frame was left unfinished. */
uint32_t tf_frames_copy(struct tf_frames *frames, struct tf_peer *peer, unsigned char *to, uint32_t room);
/* Cells of the whole frames in the n bytes `at` (aligned to 32), as many as there is place for; their payloads stay
 * where they are.  Returns the bytes used. */
uint32_t tf_frames_parse(struct tf_frames *frames, struct tf_peer *peer, const unsigned char *at, uint32_t n);
/* The cell of the next frame, whose payload lies there and not in the ring. */
void tf_frames_landed(struct tf_frames *frames, struct tf_peer *peer, const struct tf_header *header, void *at);
/* The length of the frame that begins there. */
uint32_t tf_frames_length(const void *frame);

/* ---- packets.c ----
 *
 *     token 8 | from 4 | number 4 | length 4 | 12 unused | frames
 *
 * The token depends on the two ranks and the job's key: a packet without the right one changes nothing and is counted.
 * Packets of one sender may overtake each other; the number puts them in order.
 */
enum { TF_PACKET_HEAD = 32 };

/* One that has come.  The transport owns it and its bytes, and gets it back by release() when all is consumed. */
struct tf_packet {
    struct tf_packet *next;
    const unsigned char *bytes; /* aligned to 32, the head first */
    uint32_t length;
    void (*release)(struct tf_packet *packet);
    uint32_t number, parsed; /* packets.c: bytes that were made into cells */
};

/* What the link of a transport that uses packets begins with. */
struct tf_packets {
    struct tf_remote_link base;
    struct tf_frames frames;
    uint64_t token_out, token_in;
    uint32_t number_out, number_in; /* of the next */
    struct tf_packet *first;        /* those that have come, by number */
    bool used, heard;               /* something was sent or has come; has come since beacon.c last looked */
    bool greeted, open; /* a first packet that says nothing was sent; it has left, and so does what follows */
    int64_t last;       /* when, roughly */
};
/* A packet has left; the first one opens the ring. */
static inline void tf_packets_left(struct tf_packets *to)
{
    if (TF_LIKELY(to->open))
        return;
    to->open = true;
    tf_ring_open(&to->base.peer->tx);
}
static inline struct tf_packets *tf_packets_of(struct tf_peer *peer)
{
    return tf_remote_link(peer);
}
void tf_packets_set_up(struct tf_packets *packets); /* after the key is known */
void tf_packets_close(void);                        /* what has come is released; the links stay */
/* Fill a packet of at most `room` bytes (at least a chunk and 128) with what is unsent; its length, 0: nothing is. */
uint32_t tf_packets_make(struct tf_packets *to, unsigned char *at, uint32_t room);
/* Fill a packet with a message whose payload, at most a chunk, lies elsewhere; nothing else may be unsent.  Its length.
 */
uint32_t tf_packets_wrap(struct tf_packets *to, const struct tf_header *header, const void *payload, unsigned char *at);
/* Who sends that token and says that it is of that rank; NULL: a stranger, or a process of this node. */
struct tf_packets *tf_packets_from(uint32_t rank, uint64_t token);
/* A packet has come; returns whose, NULL: it is a stranger's, and the caller keeps it. */
struct tf_packets *tf_packets_put(struct tf_packet *packet);
/* The next cell from that peer, NULL if none has come.  Cells taken before are released. */
struct tf_cell *tf_packets_take(struct tf_packets *from);
/* Everything that has come from that peer goes to tf_net_arrive(); true if there was anything. */
bool tf_packets_hand_over(struct tf_packets *from);
unsigned tf_packets_strangers(void); /* refused so far */

/* ---- key.c ---- */

enum { TF_KEY_BYTES = 16, TF_KEY_TEXT = 2 * TF_KEY_BYTES + 1 };
/* The job's: */
int tf_key_agree(void); /* rank 0: make and publish one; before a barrier */
int tf_key_learn(void); /* the others; after it */
/* That of this process, which it publishes with its address: who has it was told by the launcher. */
int tf_key_make_own(void);
const unsigned char *tf_key_own(void);
void tf_key_write(const unsigned char key[TF_KEY_BYTES], char text[TF_KEY_TEXT]);
bool tf_key_read(const char *text, unsigned char key[TF_KEY_BYTES]);
bool tf_key_random(void *to, size_t n);
/* A hash that nobody can make who has not got the key: the job's, or that one. */
uint64_t tf_key_prove(const void *message, size_t n);
uint64_t tf_key_hash(const unsigned char key[TF_KEY_BYTES], const void *message, size_t n);

/* ---- address.c ---- */

enum { TF_ADDRESSES = 6 /* most that a process publishes */ };

struct tf_address {
    int port, n;
    struct sockaddr_storage at[TF_ADDRESSES];
    char host[64];
    unsigned char key[TF_KEY_BYTES]; /* by which who connects there proves that it may */
};

/* Listen for connections, and say where: PORT,HOST,ADDRESS,ADDRESS...  Where no interface is up it is of this host
 * alone. */
enum { TF_ADDRESS_FACT = 256 };
int tf_address_open(int *fd, char fact[TF_ADDRESS_FACT]);
/* By that name a process publishes where it is. */
enum { TF_ADDRESS_NAME = 40 };
void tf_address_name(int rank, char name[TF_ADDRESS_NAME]);
/* The same for other hosts, and publish it in the job; before a barrier. */
int tf_address_listen(int *fd, char fact[TF_ADDRESS_FACT]);
int tf_address_get(int rank, struct tf_address *address);
/* What a fact says; false: it says nothing that makes sense. */
bool tf_address_read(const char *fact, struct tf_address *address);
/* Of a process of any job. */
int tf_address_of(const struct tf_peer *peer, struct tf_address *address);
socklen_t tf_address_length(const struct sockaddr_storage *address);
void tf_address_show(const struct sockaddr_storage *address, char *text, size_t n);
bool tf_address_describe(char *words, size_t n); /* those of this process; false: why there are none */
const char *tf_address_host(int rank);           /* the name of its host; valid until the next call */
const char *tf_address_host_of(const struct tf_peer *peer);

/* ---- beacon.c ----
 *
 * Every process listens on a port; the system of its host answers a connection there whether the process runs,
 * computes or is stopped.  Who waits and has heard nothing from a node for half of peer_timeout knocks there, and ends
 * the job with an error that names the host where no answer comes in the rest of that time.
 */
int tf_beacon_open(void); /* before a barrier */
void tf_beacon_close(void);
void tf_beacon_look(void); /* from progress, as often as one likes */

/* ---- doze.c ---- */

/* From now on this process, when it sleeps, does so until `fd` can be read or a process of its node wakes it; -1: there
 * is none, and it sleeps a millisecond at a time.  `arm`, if not NULL, is asked before each sleep, with the lock
 * held: false where something has come already. */
int tf_doze_open(int fd, bool (*arm)(void));
void tf_doze_close(void);
/* It is to wake when that file can be read too; false: nobody dozes here. */
bool tf_doze_mind(int fd);

#endif
