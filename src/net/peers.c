/* peers.c - see peers.h. */
#include "net/peers.h"

#include <sys/mman.h>

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

const struct tf_net *tf_peers_find(const struct tf_peer *peer, int *rank)
{
    const struct table *table = tables;
    while ((uintptr_t)peer - (uintptr_t)table->at >= table->bytes)
        table++;
    *rank = (int)(((uintptr_t)peer - (uintptr_t)table->at) / each);
    return table->net;
}

void tf_peers_set_up(struct tf_peer *peer)
{
    if (set_up_rest)
        set_up_rest(peer);
}
