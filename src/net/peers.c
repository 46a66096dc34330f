/* peers.c - see peers.h. */
#include "net/peers.h"

#include <sys/mman.h>

#include "net/counts.h"
#include "net/process.h"

static size_t each = sizeof(struct tf_peer);
static void (*set_up_rest)(struct tf_peer *peer);

struct table {
    unsigned char *at;
    size_t bytes;
    const struct tf_net *net;
};
static struct table *tables; /* by job, as process.h counts them */
static int ntables;

void tf_net_peers_hold(size_t bytes, void (*set_up)(struct tf_peer *peer))
{
    each = (bytes + TF_CACHE_LINE - 1) & ~(size_t)(TF_CACHE_LINE - 1);
    set_up_rest = set_up;
}

static int map(struct table *table, int size)
{
    table->bytes = (size_t)size * each;
    void *at = mmap(NULL, table->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return tf_error(MPI_ERR_NO_MEM, "cannot reserve %zu bytes of addresses for the table of %d peers", table->bytes,
                        size);
    madvise(at, table->bytes, MADV_NOHUGEPAGE); /* few of them are met */
    table->at = at;
    return MPI_SUCCESS;
}

int tf_peers_add(int size, const struct tf_net *net)
{
    struct table *more = realloc(tables, (size_t)(ntables + 1) * sizeof *tables);
    if (!more)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate the table of %d peers", size);
    tables = more;
    tables[ntables] = (struct table){.net = net};
    int err = map(&tables[ntables], size);
    ntables += !err;
    return err;
}

void tf_peers_close(void)
{
    for (; ntables > 0; ntables--)
        munmap(tables[ntables - 1].at, tables[ntables - 1].bytes);
    free(tables);
    tables = NULL;
}

struct tf_peer *tf_net_peer(int process)
{
    int rank, job = tf_process_job(process, &rank);
    return (struct tf_peer *)(tables[job].at + (size_t)rank * each);
}

void tf_peers_drop(int job)
{
    munmap(tables[job].at, tables[job].bytes);
    memmove(&tables[job], &tables[job + 1], (size_t)(--ntables - job) * sizeof *tables);
}

int tf_peers_find(const struct tf_peer *peer, int *rank)
{
    int job = 0;
    while (job < ntables && (uintptr_t)peer - (uintptr_t)tables[job].at >= tables[job].bytes)
        job++;
    if (job == ntables)
        return MPI_UNDEFINED;
    *rank = (int)(((uintptr_t)peer - (uintptr_t)tables[job].at) / each);
    return job;
}

const struct tf_net *tf_peers_net(int job)
{
    return tables[job].net;
}

static void unlink_peer(struct tf_peer *peer)
{
    struct tf_peer **at = &tf_net_met;
    while (*at && *at != peer)
        at = &(*at)->next_met;
    if (*at)
        *at = peer->next_met;
    at = &tf_net_near;
    while (*at && *at != peer)
        at = &(*at)->next_near;
    if (*at)
        *at = peer->next_near;
}

void tf_peers_part(struct tf_peer *peer)
{
    if (peer->net != &tf_net_dead)
        tf_net_count_keep_of(peer);
    if (peer->net->part)
        peer->net->part(peer);
    unlink_peer(peer);
    memset(peer, 0, each);
}

void tf_peers_set_up(struct tf_peer *peer)
{
    if (set_up_rest)
        set_up_rest(peer);
}
