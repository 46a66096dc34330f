/* party.c - who aggregates, and in which memory. */
#include "file/party.h"

#include "heap/heap.h"
#include "net/net.h"

enum {
    PER_NODE = 2, /* one writes while the other one gets its data */
    RANGE_ALIGNMENT = 4096
};

/* Ranks of the same node before this one. */
static int place_in_node(const struct tf_comm *comm, int rank)
{
    int place = 0, node = tf_net_node(comm->group->processes[rank]);
    for (int r = 0; r < rank; r++)
        place += tf_net_node(comm->group->processes[r]) == node;
    return place;
}

/* First one rank of each node, then a second one of each, and so on: `most` or, if that is 0, PER_NODE of each. */
static int choose(int size, const int *places, int most, int *ranks)
{
    int n = 0;
    for (int turn = 0; n < size && (most ? n < most : turn < PER_NODE); turn++)
        for (int r = 0; r < size && (!most || n < most); r++)
            if (places[r] == turn)
                ranks[n++] = r;
    return n;
}

static int find_aggregators(const struct tf_file *file, struct tf_party *party)
{
    int size = file->comm->size, most = file->hints.cb_nodes;
    int *ranks = tf_alloc(2 * (size_t)size * sizeof *ranks, "the aggregators of a file"), *places = ranks + size;
    if (!ranks)
        return MPI_ERR_NO_MEM;
    party->near = !file->comm->group->mixed;
    for (int r = 0; r < size; r++) {
        places[r] = place_in_node(file->comm, r);
        party->near &= places[r] == r;
    }
    party->naggregators = choose(size, places, most < size ? most : size, ranks);
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
    file->party->aggregators = NULL;
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
