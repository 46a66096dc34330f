/* party.c - who aggregates, and in which memory. */
#include "file/party.h"

#include "file/rounds.h"
#include "heap/heap.h"
#include "launch/nodes.h"
#include "net/net.h"

enum {
    PER_NODE = 2, /* one writes while the other one gets its data */
    RANGE_ALIGNMENT = 4096
};

struct member {
    int node, rank;
};

static int compare(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* How many ranks of the same node are before each rank; whether all are of one. */
static bool find_places(const struct tf_comm *comm, struct member *members, int *places)
{
    for (int r = 0; r < comm->size; r++)
        members[r] = (struct member){tf_net_node(comm->group->processes[r]), r};
    qsort(members, (size_t)comm->size, sizeof *members, compare);
    for (int i = 0, first = 0; i < comm->size; i++) {
        first = members[i].node == members[first].node ? first : i;
        places[members[i].rank] = i - first;
    }
    return members[0].node == members[comm->size - 1].node;
}

/* First one rank of each node, then a second one of each, and so on: at most so many of each, and in all. */
static int choose(int size, const int *places, int per_node, int most, int *ranks)
{
    int n = 0;
    for (int turn = 0; n < most && turn < per_node; turn++)
        for (int r = 0; r < size && n < most; r++)
            if (places[r] == turn)
                ranks[n++] = r;
    return n;
}

/* The node has no others, and all may run on the same processors, of which there are several: else they are bound, or
 * spread already. */
static bool are_movable(const struct tf_comm *comm)
{
    struct tf_processors first, other;
    tf_net_processors(comm->group->processes[0], &first);
    int n = tf_processors_count(&first);
    for (int r = 1; r < comm->size && n > 1; r++) {
        tf_net_processors(comm->group->processes[r], &other);
        n = memcmp(&first, &other, sizeof first) == 0 ? n : 0;
    }
    return n > 1 && comm->size == tf_nodes.size;
}

static int find_aggregators(const struct tf_file *file, struct tf_party *party)
{
    const struct tf_stripes *stripes = &file->hints.stripes;
    int size = file->comm->size, wanted = file->hints.cb_nodes, most = wanted && wanted < size ? wanted : size;
    int per_node = file->hints.per_node ? file->hints.per_node : wanted ? size : PER_NODE;
    int *ranks = tf_alloc(4 * (size_t)size * sizeof *ranks, "the aggregators of a file"), *places = ranks + size;
    if (!ranks)
        return MPI_ERR_NO_MEM;
    bool together = find_places(file->comm, (struct member *)(places + size), places);
    party->near = together && !file->comm->group->mixed;
    party->movable = party->near && are_movable(file->comm);
    party->naggregators = choose(size, places, per_node, most, ranks);
    if (!wanted)
        party->naggregators = tf_rounds_fit(party->naggregators, stripes->factor, file->hints.sharers);
    party->aggregators = ranks;
    return MPI_SUCCESS;
}

int tf_party_find(struct tf_file *file)
{
    if (!file->party)
        file->party = calloc(1, sizeof *file->party);
    if (!file->party)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate what a file keeps of its collective accesses");
    return file->party->aggregators ? MPI_SUCCESS : find_aggregators(file, file->party);
}

static void drop_larger(struct tf_party *party, size_t most)
{
    for (int i = 0; i < TF_PARTY_BUFFERS; i++)
        if (party->idle[i].memory && party->idle[i].bytes > most) {
            tf_heap_free(party->idle[i].memory);
            party->idle[i].memory = NULL;
        }
}

void tf_party_forget(struct tf_file *file)
{
    MPI_Count buffer = file->hints.cb_buffer_size;
    if (!file->party)
        return;
    free(file->party->aggregators);
    free(file->party->zeros);
    file->party->aggregators = NULL;
    file->party->zeros = NULL;
    drop_larger(file->party, buffer > 0 ? (size_t)buffer / TF_PARTY_BUFFERS : SIZE_MAX);
}

void tf_party_leave(struct tf_file *file)
{
    tf_party_forget(file);
    if (file->party)
        drop_larger(file->party, 0);
    free(file->party);
    file->party = NULL;
}

char *tf_party_take(struct tf_party *party, size_t *bytes)
{
    for (int i = 0; i < TF_PARTY_BUFFERS; i++)
        if (party->idle[i].memory && party->idle[i].bytes >= *bytes) {
            char *memory = party->idle[i].memory;
            *bytes = party->idle[i].bytes;
            party->idle[i].memory = NULL;
            return memory;
        }
    return tf_heap_alloc(*bytes, RANGE_ALIGNMENT, "a range of a file that ranks exchange");
}

void tf_party_give(struct tf_party *party, char *memory, size_t bytes)
{
    int place = 0;
    for (int i = 0; i < TF_PARTY_BUFFERS; i++)
        place = party->idle[i].memory ? place : i;
    tf_heap_free(party->idle[place].memory);
    party->idle[place].memory = memory;
    party->idle[place].bytes = bytes;
}

void *tf_party_take_zeros(struct tf_party *party, size_t bytes)
{
    void *memory = party->zeros;
    if (!memory || party->nzeros != bytes)
        return calloc(1, bytes);
    party->zeros = NULL;
    return memory;
}

void tf_party_give_zeros(struct tf_party *party, void *memory, size_t bytes)
{
    free(party->zeros);
    party->zeros = memory;
    party->nzeros = bytes;
}
