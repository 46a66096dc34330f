/* net.h - the transport interface: peers, and how a message leaves and arrives.
 *
 * A transport moves active messages: a header and a payload that a handler (handler.h) consumes on the other side. It
 * neither matches nor queues: where there is no room the sender is told so and tries again later.  All of them stand on
 * the ring (ring.h), whose functions are inline.  Where two processes share memory, one's ring to send is the other's
 * ring to receive.  Otherwise each peer has two rings in private memory, and the transport carries the cells between
 * them: `wake`, which such a peer always wants, sends what was committed, and `fill` takes what has come.
 *
 * Everything here is called with the big lock held, from any MPI call.
 */
#ifndef TF_NET_H
#define TF_NET_H

#include "machine/machine.h"
#include "net/handler.h"
#include "net/pause.h"
#include "net/ring.h"

struct iovec;
struct tf_peer;

/* A read of a peer's memory, or a write to it.  The caller fills it in and keeps it where it is until it is done. */
enum { TF_NET_KEY = 192 };
struct tf_net_access {
    uint64_t address; /* there */
    const void *key;  /* of expose() or open_region(), whole; NULL: none is needed */
    size_t key_length;
    void *here; /* is written to by a read, and read by a write */
    size_t bytes;
    /* From progress, after TF_NET_STARTED; false: it failed. */
    void (*done)(struct tf_net_access *access, bool good);
    void *transport; /* the transport's own */
};
enum tf_net_outcome {
    TF_NET_DONE,    /* all is where it goes; done() is not called */
    TF_NET_STARTED, /* done() will be called */
    TF_NET_BUSY,    /* not now: try again after progress; or the peer has died, and word of it will come */
    TF_NET_REFUSED, /* that is not allowed, or not all of it was there */
};

/* Rows of bytes of a peer and of this process: as many bytes on both sides, which need not be cut in the same places.
 */
struct tf_net_rows {
    const struct iovec *there, *here;
    size_t rows_there, rows_here; /* at most IOV_MAX */
    bool write;                   /* what lies here goes there */
};

/* How good a transport between nodes is where it is asked. */
enum tf_net_grade {
    TF_NET_UNUSABLE,
    TF_NET_SPARE, /* works, and has nothing that TCP alone has not */
    TF_NET_PLAIN, /* TCP */
    TF_NET_FABRIC /* drives a network that is faster than TCP */
};

struct tf_net {
    const char *name, *what;
    /* Without a job: what it would use here, in words; false: why it can be of no use, and what to try.  NULL: nothing
     * to say. */
    bool (*describe)(char *words, size_t n);
    /* Transports between nodes; quick to say where there is no fabric. */
    enum tf_net_grade (*grade)(void);
    /* Collective over the job: make the transport ready.  close() also follows an open() that failed or never was. */
    int (*open)(void);
    void (*close)(void);
    /* The two meet: set the peer's rings up. */
    int (*connect)(struct tf_peer *peer);
    /* They have said all to each other: its rings and what else there is for it go.  NULL: of such a peer there is
     * nothing, or it never comes to that. */
    void (*part)(struct tf_peer *peer);
    /* The peer may sleep and there is something for it to see now. */
    void (*wake)(struct tf_peer *peer);
    /* Rings in private memory: send from where they lie so many bytes, as messages of `chunk` bytes and a last one that
     * may be shorter, all with that header but for its length, behind what was committed.  Returns the bytes of those
     * messages that it has taken, which are the caller's again; 0: not now.  NULL: there is the ring only. */
    size_t (*send)(struct tf_peer *peer, const struct tf_header *header, const void *payload, size_t bytes,
                   uint32_t chunk);
    /* Rings in private memory: look whether something has come; the next cell, or NULL. */
    struct tf_cell *(*fill)(struct tf_peer *peer);
    /* The same: move everything that can move, and hand what has come to tf_net_arrive(). */
    bool (*progress)(void);
    /* Something that was committed leaves, or is done with, in passes of progress only.  NULL: nothing ever is. */
    bool (*unsent)(void);
    bool (*unsent_to)(struct tf_peer *peer); /* the same, to that one */
    /* The receiver's writes to a cell can be seen by the sender (TF_RING_HOLD). */
    bool shared;
    /* Memory that the peer may read by itself, for as long as until conceal(): fill in the key that its reads need (at
     * most TF_NET_KEY bytes); its length, 0: it cannot be read, or reading is not worth it.  NULL: no key is needed.
     * *hold goes to conceal(). */
    size_t (*expose)(struct tf_peer *peer, const void *at, size_t bytes, void *key, void **hold);
    void (*conceal)(struct tf_peer *peer, void *hold);
    /* Read that peer's memory.  NULL: it cannot be read. */
    enum tf_net_outcome (*read)(struct tf_peer *peer, struct tf_net_access *read);
    /* Whether that peer may be expected to read this process's memory.  NULL: it may, if there is read(). */
    bool (*is_read_by)(struct tf_peer *peer);
    /* What is exposed can be read once, and all of it at once, only.  NULL: in pieces. */
    bool (*reads_whole)(void);
    /* Whether the network reads and writes memory by itself, and that is worth more than messages: the next four. NULL:
     * it does not. */
    bool (*regions)(void);
    /* Memory that all peers may read and write by get() and put(), for as long as until close_region(): as expose(). */
    size_t (*open_region)(const void *at, size_t bytes, void *key, void **hold);
    void (*close_region)(void *hold);
    /* A put is done when whoever then looks sees it there. */
    enum tf_net_outcome (*get)(struct tf_peer *peer, struct tf_net_access *access);
    enum tf_net_outcome (*put)(struct tf_peer *peer, struct tf_net_access *access);
    /* Write so many bytes to that peer's memory, at once; false: that is not allowed, or it has died, and a part may
     * have been written.  NULL: it cannot be written. */
    bool (*write)(struct tf_peer *peer, uint64_t address, const void *from, size_t bytes);
    /* Read or write all of these at once: how many bytes, from the first on, were moved; 0: that is not allowed, or it
     * has died.  NULL: never. */
    size_t (*move)(struct tf_peer *peer, const struct tf_net_rows *rows);
    /* Where this process loads from and stores to that peer's memory, if all of it lies in the peer's heap
     * (heap/heap.h) and can be mapped here; NULL: it cannot.  It stays as long as there is a network. */
    void *(*map)(struct tf_peer *peer, uint64_t address, size_t bytes);
    /* The processors that process of the job may run on, as they were at the start.  NULL: what another node is made of
     * is not known here. */
    void (*processors)(int world_rank, struct tf_processors *set);
};
#define TF_NETMOD(name, where) extern const struct tf_net tf_net_##name;
#include "net/netmods.def"
#undef TF_NETMOD
extern const struct tf_net tf_net_dead; /* dead.c: what becomes of one whose process has died */

/* A process and the way to it.  Until the two meet it is all zeros, which take no memory (peers.h).  In the first cache
 * line is what every pass of progress looks at, in the next one what a message is sent by. */
struct tf_peer {
    const struct tf_net *net; /* NULL: they have not met */
    struct tf_peer *next_near;
    struct tf_ring_rx rx;
    _Atomic uint32_t *asleep; /* not 0 while the peer sleeps and wants net->wake */
    struct tf_ring_tx tx;
    int rank;   /* in its job */
    int pid;    /* shm */
    void *link; /* the transport's own; where a network takes leave (ofi) it may have one for a process of this node too
                 */
    void *sharer;       /* shared memory's own (shm/sharer.h) */
    bool failed, apart; /* failure.c */
    /* What does not pass the rings: from where it lay, out of the peer's memory, and into it by the network. */
    uint64_t bytes_sent, bytes_read, bytes_written;
    struct tf_peer *next_met;
};

/* The layer above keeps something of each peer too: from now on a peer is the beginning of so many bytes, and set_up(),
 * if not NULL, makes the rest ready when its rings are.  Before tf_net_open(). */
void tf_net_peers_hold(size_t bytes, void (*set_up)(struct tf_peer *peer));

/* Connect the processes of the job; collective, and nothing is left to do where that was done before.  Uses launch/. */
int tf_net_open(void);
/* Connect this process with itself; local. */
int tf_net_open_self(void);
/* Connect it with those that do the same, or that call tf_net_open().  Local where the launcher has memory, or shows
 * one process what another one has put; elsewhere all processes of the job have to come.  `all` of them do. */
int tf_net_join(bool all);
/* Whether that process can be sent something: one that has not come yet may make this one wait where others should be
 * heard. */
bool tf_net_has_come(int process);
/* Whether the launcher has to be asked where processes are that have come since. */
bool tf_net_asks(void);
/* Whether one of these was done for more than this process itself. */
bool tf_net_is_open(void);
void tf_net_close(void);
/* The processes of another job get the next numbers (process.h), *first and on; the transport's connect() will be
 * called for each one that is met.  A job that is known keeps its numbers. */
int tf_net_add_job(uint64_t job, int size, const struct tf_net *net, int *first);
/* The peer of that number, where it stays as long as there is a network.  Nothing may be sent to it or looked for from
 * it before tf_net_meet(). */
struct tf_peer *tf_net_peer(int process);
void tf_net_introduce(struct tf_peer *peer) TF_COLD;
static inline void tf_net_meet(struct tf_peer *peer)
{
    if (TF_UNLIKELY(!peer->net))
        tf_net_introduce(peer);
}
/* From now on that one goes by another transport, which has set its rings up. */
void tf_net_change(struct tf_peer *peer, const struct tf_net *net);
/* Who that is, for words: "rank 3", and for one of another job also which; valid until this thread's next call. */
const char *tf_net_name(const struct tf_peer *peer);
/* Those that this process has met. */
extern struct tf_peer *tf_net_met;
/* Those whose rings lie in memory that both see, which every pass of progress looks at. */
extern struct tf_peer *tf_net_near;
/* The node of a process of any job, from 0: processes of one node share memory. */
int tf_net_node(int process);
/* Processes of the job on this node, this one included. */
int tf_net_local_size(void);
/* Of a node: two ranks at most and more of them, with a processor each, and those that share processors. */
extern enum tf_net_company { TF_NET_TWO, TF_NET_MANY, TF_NET_SHARING } tf_net_company;
enum { TF_NET_COMPANIES = TF_NET_SHARING + 1 };

/* The processors that process of the job may run on; the same answer on all processes.  Of another job: none. */
void tf_net_processors(int process, struct tf_processors *set);

/* Said by a transport, in words: that peer cannot be reached, and nothing more comes from it or gets to it.  Where the
 * call returns the job goes on without one of the two.  What is said again, or after everybody has come to the end, is
 * of no importance. */
void tf_net_peer_failed(struct tf_peer *peer, const char *format, ...) TF_PRINTF(2, 3) TF_COLD;

/* From so many bytes on it pays to use net->send. */
enum { TF_NET_SEND_LEAST = 4096 };
/* The longest payload. */
static inline uint32_t tf_net_chunk(const struct tf_peer *peer)
{
    return tf_ring_chunk(&peer->tx);
}
/* The longest that one from the peer has. */
static inline uint32_t tf_net_chunk_from(const struct tf_peer *peer)
{
    return peer->rx.capacity / 4;
}
/* No fence between the cell and the look at `asleep`: the sleeper makes up for it (pause.c). */
static inline void tf_net_wake(struct tf_peer *peer)
{
    atomic_signal_fence(memory_order_seq_cst);
    if (TF_UNLIKELY(atomic_load_explicit(peer->asleep, memory_order_relaxed)))
        peer->net->wake(peer);
}
/* Room for a message of at most tf_net_chunk() payload bytes, or NULL; then commit it with its header.  Where there is
 * none the transport may make some. */
static inline void *tf_net_reserve(struct tf_peer *peer, uint32_t length)
{
    void *room = tf_ring_reserve(&peer->tx, length);
    if (TF_UNLIKELY(!room))
        tf_net_wake(peer);
    return room;
}
static inline void tf_net_commit(struct tf_peer *peer, const struct tf_header *header)
{
    tf_ring_commit(&peer->tx, header);
    tf_net_wake(peer);
}
static inline struct tf_cell *tf_net_peek(struct tf_peer *peer)
{
    struct tf_cell *cell = tf_ring_peek(&peer->rx);
    if (!cell && TF_UNLIKELY(peer->net->fill != NULL))
        cell = peer->net->fill(peer);
    return cell;
}
static inline void tf_net_release(struct tf_peer *peer, const struct tf_cell *cell)
{
    if (tf_ring_release(&peer->rx, cell))
        tf_net_wake(peer);
}

/* NULL for every transport but shared memory. */
static inline void *tf_net_map(struct tf_peer *peer, uint64_t address, size_t bytes)
{
    return peer->net->map ? peer->net->map(peer, address, bytes) : NULL;
}

/* Hand what that peer has sent (at most `limit` cells) to tf_net_arrive(); true if there was anything. */
bool tf_net_poll(struct tf_peer *peer, int limit);
/* The same for all peers. */
bool tf_net_poll_all(void);
/* Whether a message that was committed waits for passes of progress. */
bool tf_net_unsent(void);
/* From now on tf_net_poll_all() calls net->progress; or no longer. */
void tf_net_drive(const struct tf_net *net);
void tf_net_rest(const struct tf_net *net);

/* How often to look at what comes from that peer, for one message, before the processor is given up. */
static inline uint32_t tf_pause_spin_on(const struct tf_peer *peer)
{
    return peer->net->fill ? tf_pause_spin_own / TF_PAUSE_CALL : tf_pause_spin_own;
}

#endif
