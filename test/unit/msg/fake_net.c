/* fake_net.c - see fake_net.h. */
#include "fake_net.h"

#include <stdio.h>

static struct tf_peer peers[FAKE_RANKS];
static struct {
    struct tf_ring_tx tx;
    struct tf_ring_rx rx;
} others[FAKE_RANKS];
static struct tf_ring *rings[2 * FAKE_RANKS];

bool fake_readable;
int fake_reads;

/* ---- net/ ---- */

static void wake_nobody(struct tf_peer *peer)
{
    (void)peer;
}

static enum tf_net_reading read_memory(struct tf_peer *peer, struct tf_net_read *read)
{
    (void)peer;
    if (!fake_readable)
        return TF_NET_REFUSED;
    fake_reads++;
    memcpy(read->to, (const void *)(uintptr_t)read->address, read->bytes);
    return TF_NET_READ;
}

static const struct tf_net fake = {
    .name = "fake", .what = "a test", .wake = wake_nobody, .read = read_memory, .shared = true};

struct tf_peer *tf_net_peer(int world_rank)
{
    return &peers[world_rank];
}

int tf_net_node(int world_rank)
{
    (void)world_rank;
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

static struct tf_ring *ring_create(int i)
{
    rings[i] = aligned_alloc(TF_CACHE_LINE, tf_ring_bytes(FAKE_CAPACITY));
    memset(rings[i], 0, tf_ring_bytes(FAKE_CAPACITY));
    return rings[i];
}

int fake_job_open(void **state)
{
    static _Atomic uint32_t awake;
    (void)state;
    for (int r = 0; r < FAKE_RANKS; r++) {
        struct tf_ring *out = ring_create(2 * r), *in = r ? ring_create(2 * r + 1) : out; /* 0 is ourselves */
        peers[r] = (struct tf_peer){.rank = r, .net = &fake, .asleep = &awake, .eager = FAKE_CAPACITY / 4};
        peers[r].last_out = &peers[r].first_out;
        peers[r].tx = (struct tf_ring_tx){.ring = out, .capacity = FAKE_CAPACITY};
        peers[r].rx = (struct tf_ring_rx){.ring = in, .capacity = FAKE_CAPACITY};
        others[r].tx = (struct tf_ring_tx){.ring = in, .capacity = FAKE_CAPACITY};
        others[r].rx = (struct tf_ring_rx){.ring = out, .capacity = FAKE_CAPACITY};
    }
    fake_readable = false;
    fake_reads = 0;
    tf_world.rank = 0;
    tf_world.size = FAKE_RANKS;
    int err = tf_comm_setup();
    tf_world.initialized = true;
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
    tf_comm_teardown();
    for (int i = 0; i < 2 * FAKE_RANKS; i++) {
        free(rings[i]);
        rings[i] = NULL;
    }
    int left = count_live(&tf_request_pool) + count_live(&tf_message_pool) + count_live(&tf_comm_pool) +
               count_live(&tf_type_pool) + tf_id_any() + !tf_out_idle() + (tf_match_posted > 0);
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

void fake_rts(int rank, const struct tf_comm *comm, int tag, uint32_t id, struct tf_rts rts)
{
    fake_send(rank, header_of(TF_MSG_RTS, rank, comm, tag, id), &rts, sizeof rts);
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
    while (tf_ring_reserve(&peers[rank].tx, 0))
        tf_ring_commit(&peers[rank].tx, &(struct tf_header){.kind = 0});
}

void fake_drain(int rank)
{
    struct tf_header header;
    while (fake_peek(rank, &header) && header.kind == 0)
        fake_next(rank, &header, NULL);
}
