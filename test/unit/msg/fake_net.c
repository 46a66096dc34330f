/* fake_net.c - see fake_net.h. */
#include "fake_net.h"
#include "../comm/fake_others.h"
#include "../net/empty_ring.h"

#include <stdio.h>

static struct tf_msg_peer peers[FAKE_RANKS];
static void (*set_up_rest)(struct tf_peer *peer);
struct tf_peer *tf_net_near;
enum tf_net_company tf_net_company;
static struct {
    struct tf_ring_tx tx;
    struct tf_ring_rx rx;
} others[FAKE_RANKS];
static struct tf_ring *rings[2 * FAKE_RANKS];

enum tf_net_outcome fake_reading;
bool fake_hides;
int fake_reads, fake_exposed;

enum { KEY = 40, PENDING = 256 };
static struct {
    struct tf_net_access *read;
    int rank;
} pending[PENDING];
static int npending;

/* ---- net/ ---- */

static void wake_nobody(struct tf_peer *peer)
{
    (void)peer;
}

static void copy(const struct tf_net_access *read)
{
    memcpy(read->here, (const void *)(uintptr_t)read->address, read->bytes);
}

static void make_key(int rank, unsigned char key[KEY])
{
    memset(key, 'a' + rank, KEY);
}

static enum tf_net_outcome read_memory(struct tf_peer *peer, struct tf_net_access *read)
{
    unsigned char key[KEY];
    make_key(peer->rank, key);
    if (peer->net->expose && (read->key_length != KEY || memcmp(read->key, key, KEY) != 0))
        return TF_NET_REFUSED;
    fake_reads += fake_reading == TF_NET_DONE || fake_reading == TF_NET_STARTED;
    if (fake_reading == TF_NET_DONE)
        copy(read);
    if (fake_reading == TF_NET_STARTED && npending == PENDING)
        tf_fatal(1, "too many reads under way");
    if (fake_reading == TF_NET_STARTED) {
        pending[npending].rank = peer->rank;
        pending[npending++].read = read;
    }
    return fake_reading;
}

static size_t expose(struct tf_peer *peer, const void *at, size_t bytes, void *key, void **hold)
{
    if (fake_hides)
        return 0;
    fake_exposed++;
    make_key(peer->rank, key);
    *hold = (char *)at + bytes;
    return KEY;
}

static void conceal(struct tf_peer *peer, void *hold)
{
    (void)peer;
    if (!hold)
        tf_fatal(1, "what is concealed was never exposed");
    fake_exposed--;
}

static bool progress(void)
{
    if (npending == 0)
        return false;
    fake_end_read(0, true);
    return true;
}

static const struct tf_net fake = {
    .name = "fake", .what = "a test", .wake = wake_nobody, .read = read_memory, .shared = true};
bool fake_writes_good;
int fake_writes;
void (*fake_before_write)(void);

static bool write_memory(struct tf_peer *peer, uint64_t address, const void *from, size_t bytes)
{
    (void)peer;
    fake_writes++;
    if (fake_before_write)
        fake_before_write();
    if (fake_writes_good)
        memcpy((void *)(uintptr_t)address, from, bytes);
    return fake_writes_good;
}

static const struct tf_net writable = {
    .name = "fake", .what = "a test", .wake = wake_nobody, .read = read_memory, .write = write_memory, .shared = true};

void fake_be_writable(void)
{
    fake_reading = TF_NET_DONE;
    fake_writes = 0;
    fake_before_write = NULL;
    for (int r = 1; r < FAKE_RANKS; r++)
        peers[r].base.net = &writable;
}

static const struct tf_net remote = {.name = "remote",
                                     .what = "a test",
                                     .wake = wake_nobody,
                                     .progress = progress,
                                     .expose = expose,
                                     .conceal = conceal,
                                     .read = read_memory};

void fake_be_remote(void)
{
    for (int r = 1; r < FAKE_RANKS; r++)
        peers[r].base.net = &remote;
}

void fake_be_driven(bool driven)
{
    if (driven)
        tf_net_drive(&remote);
    else
        tf_net_rest(&remote);
}

int fake_pending(void)
{
    return npending;
}

void fake_end_read(int i, bool good)
{
    struct tf_net_access *read = pending[i].read;
    npending--;
    memmove(&pending[i], &pending[i + 1], (size_t)(npending - i) * sizeof pending[0]);
    if (good)
        copy(read);
    read->done(read, good);
}

void tf_net_peers_hold(size_t bytes, void (*set_up)(struct tf_peer *peer))
{
    if (bytes != sizeof peers[0])
        tf_fatal(1, "a peer is another struct");
    set_up_rest = set_up;
}

struct tf_peer *tf_net_peer(int process)
{
    return &peers[process].base;
}

void tf_net_introduce(struct tf_peer *peer)
{
    tf_fatal(1, "rank %d is met already", peer->rank);
}

int tf_net_node(int process)
{
    (void)process;
    return 0;
}

int tf_net_local_size(void)
{
    return FAKE_RANKS;
}

void tf_net_processors(int world_rank, struct tf_processors *set)
{
    (void)world_rank;
    memset(set, 0xff, sizeof *set);
}

/* ---- the job ---- */

uint32_t fake_capacity = FAKE_CAPACITY;

static struct tf_ring *ring_create(int i)
{
    return rings[i] = empty_ring(fake_capacity);
}

int fake_job_open(void **state)
{
    static _Atomic uint32_t awake;
    (void)state;
    tf_msg_setup();
    for (int r = 0; r < FAKE_RANKS; r++) {
        struct tf_ring *out = ring_create(2 * r), *in = r ? ring_create(2 * r + 1) : out; /* 0 is ourselves */
        peers[r] = (struct tf_msg_peer){.base = {.rank = r, .net = &fake, .asleep = &awake}};
        peers[r].base.tx = (struct tf_ring_tx){.ring = out, .capacity = fake_capacity};
        peers[r].base.rx = (struct tf_ring_rx){.ring = in, .capacity = fake_capacity};
        set_up_rest(&peers[r].base);
        others[r].tx = (struct tf_ring_tx){.ring = in, .capacity = fake_capacity};
        others[r].rx = (struct tf_ring_rx){.ring = out, .capacity = fake_capacity};
    }
    tf_net_near = NULL;
    for (int r = FAKE_RANKS; r-- > 0; tf_net_near = &peers[r].base)
        peers[r].base.next_near = tf_net_near;
    fake_reading = TF_NET_REFUSED;
    fake_hides = false;
    fake_reads = fake_exposed = npending = 0;
    tf_job.rank = 0;
    tf_job.size = FAKE_RANKS;
    int err = tf_comm_setup();
    tf_library.users = 1;
    return err;
}

static int count_live(const struct tf_pool *pool)
{
    if (pool->live)
        fprintf(stderr, "%u objects are left in the pool of %ss\n", pool->live, pool->what);
    return pool->live > 0;
}

int fake_job_close(void **state)
{
    (void)state;
    fake_be_driven(false);
    tf_msg_progress(); /* what has just ended is put away */
    tf_comm_teardown();
    for (int i = 0; i < 2 * FAKE_RANKS; i++) {
        free(rings[i]);
        rings[i] = NULL;
    }
    fake_capacity = FAKE_CAPACITY;
    int left = count_live(&tf_request_pool) + count_live(&tf_message_pool) + count_live(&tf_comm_pool) +
               count_live(&tf_type_pool) + tf_msg_under_way() + fake_exposed + npending;
    return left ? -1 : 0;
}

/* ---- what the others do ---- */

void fake_send(int rank, struct tf_header header, const void *payload, size_t length)
{
    void *room = tf_ring_reserve(&others[rank].tx, (uint32_t)length);
    if (!room)
        tf_fatal(1, "the ring from rank %d is full", rank);
    if (length)
        memcpy(room, payload, length);
    header.length = (uint32_t)length;
    tf_ring_commit(&others[rank].tx, &header);
}

static struct tf_header header_of(int kind, int rank, const struct tf_comm *comm, int tag, uint32_t id)
{
    return (struct tf_header){
        .kind = (uint8_t)kind, .tag = tag, .context = comm->context, .source = (uint32_t)rank, .id = id};
}

void fake_eager(int rank, const struct tf_comm *comm, int tag, const void *payload, size_t length)
{
    fake_send(rank, header_of(TF_MSG_EAGER, rank, comm, tag, 0), payload, length);
}

void fake_announce(int rank, struct tf_header header, struct tf_rts rts)
{
    unsigned char payload[sizeof rts + KEY];
    bool keyed = peers[rank].base.net->expose && rts.address;
    memcpy(payload, &rts, sizeof rts);
    make_key(rank, payload + sizeof rts);
    fake_send(rank, header, payload, sizeof rts + (keyed ? KEY : 0));
}

void fake_rts(int rank, const struct tf_comm *comm, int tag, uint32_t id, struct tf_rts rts)
{
    fake_announce(rank, header_of(TF_MSG_RTS, rank, comm, tag, id), rts);
}

bool fake_next(int rank, struct tf_header *header, void *payload)
{
    struct tf_cell *cell = tf_ring_peek(&others[rank].rx);
    if (!cell)
        return false;
    *header = cell->header;
    if (payload)
        memcpy(payload, tf_ring_payload(&others[rank].rx, cell), cell->header.length);
    tf_ring_release(&others[rank].rx, cell);
    return true;
}

void *fake_peek(int rank, struct tf_header *header)
{
    struct tf_cell *cell = tf_ring_peek(&others[rank].rx);
    if (!cell)
        return NULL;
    *header = cell->header;
    return tf_ring_payload(&others[rank].rx, cell);
}

void fake_clog(int rank)
{
    while (tf_ring_reserve(&peers[rank].base.tx, 0))
        tf_ring_commit(&peers[rank].base.tx, &(struct tf_header){.kind = 0});
}

void fake_drain(int rank)
{
    struct tf_header header;
    while (fake_peek(rank, &header) && header.kind == 0)
        fake_next(rank, &header, NULL);
}

/* ---- what we do ---- */

struct tf_type *fake_byte(void)
{
    return tf_type_find(MPI_BYTE);
}

bool fake_done(MPI_Request *request)
{
    struct tf_object *comm = NULL;
    int flag;
    if (tf_test(request, &flag, MPI_STATUS_IGNORE, &comm) != MPI_SUCCESS) {
        fprintf(stderr, "MPI_Test fails\n");
        abort();
    }
    return flag;
}

/* ---- nobody dies ---- */

int tf_failure_count;
bool tf_failure_any;
const struct tf_net tf_net_dead;

int tf_failure_process(int i)
{
    return i;
}

const char *tf_failure_words(const struct tf_peer *peer)
{
    (void)peer;
    return "nobody";
}

void tf_failure_call(void (*soon)(void))
{
    (void)soon;
}

void tf_failure_tell(void (*hear)(struct tf_peer *peer))
{
    (void)hear;
}

void tf_failure_look(void)
{
}

void tf_failure_settle(void)
{
}
