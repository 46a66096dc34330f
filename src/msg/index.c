/* index.c - see index.h.
 *
 * The entries of a key are a list through `next`, whose first one stands for the group: it is in the chain of its slot,
 * and its `prev` is the last of the list, so that one is appended without a walk.  No slot is removed from a chain but
 * with its group, and there are as many slots as entries, so chains are short however many entries a key has.
 */
#include "msg/index.h"

enum { AT_FIRST = 64 };

struct node {
    struct tf_key key;
    uint64_t order;
    void *entry;
    uint32_t next, prev; /* in the group; prev of the first: the last; next of a free one: another */
    uint32_t chain;      /* of the first: the first of the next group of the slot */
};

struct tf_index {
    struct node *nodes; /* from 1 on: 0 is none */
    uint32_t *slots;
    uint32_t capacity; /* of slots and, but for one, of nodes: a power of two */
    uint32_t used, free;
    unsigned shift;
    uint64_t added;
};

static uint64_t hash(struct tf_key key)
{
    uint64_t h = (key.a ^ key.b * 0xd6e8feb86659fd93u) * 0x9e3779b97f4a7c15u;
    return (h ^ h >> 32) * 0xd6e8feb86659fd93u;
}

/* Where the first of the key's group is named, or would be. */
static uint32_t *group_of(const struct tf_index *index, struct tf_key key)
{
    uint32_t *place = &index->slots[hash(key) >> index->shift];
    while (*place && (index->nodes[*place].key.a != key.a || index->nodes[*place].key.b != key.b))
        place = &index->nodes[*place].chain;
    return place;
}

struct tf_index *tf_index_create(void)
{
    struct tf_index *index = malloc(sizeof *index);
    if (!index)
        return NULL;
    *index = (struct tf_index){.capacity = AT_FIRST, .used = 1, .shift = 64 - 6};
    index->nodes = malloc(AT_FIRST * sizeof *index->nodes);
    index->slots = calloc(AT_FIRST, sizeof *index->slots);
    if (index->nodes && index->slots)
        return index;
    tf_index_free(index);
    return NULL;
}

void tf_index_free(struct tf_index *index)
{
    if (!index)
        return;
    free(index->nodes);
    free(index->slots);
    free(index);
}

static void regroup(struct tf_index *index, const uint32_t *slots, uint32_t nslots)
{
    for (uint32_t i = 0; i < nslots; i++)
        for (uint32_t first = slots[i], next; first; first = next) {
            uint32_t *slot = &index->slots[hash(index->nodes[first].key) >> index->shift];
            next = index->nodes[first].chain;
            index->nodes[first].chain = *slot;
            *slot = first;
        }
}

static bool grow(struct tf_index *index)
{
    size_t more = 2 * (size_t)index->capacity;
    struct node *nodes = more > UINT32_MAX / 2 ? NULL : realloc(index->nodes, more * sizeof *nodes);
    if (!nodes)
        return false;
    index->nodes = nodes;
    uint32_t *slots = index->slots, *wider = calloc(more, sizeof *wider);
    if (!wider)
        return false;
    index->slots = wider;
    index->shift--;
    regroup(index, slots, index->capacity);
    index->capacity = (uint32_t)more;
    free(slots);
    return true;
}

static uint32_t take_node(struct tf_index *index)
{
    uint32_t place = index->free;
    if (place)
        index->free = index->nodes[place].next;
    else if (index->used < index->capacity || grow(index))
        place = index->used++;
    return place;
}

uint32_t tf_index_add(struct tf_index *index, struct tf_key key, void *entry)
{
    uint32_t place = take_node(index);
    if (!place)
        return 0;
    struct node *nodes = index->nodes, *node = &nodes[place];
    uint32_t *group = group_of(index, key);
    *node = (struct node){key, index->added++, entry, 0, place, 0};
    if (*group) {
        struct node *first = &nodes[*group];
        node->prev = first->prev;
        nodes[first->prev].next = place;
        first->prev = place;
    } else {
        *group = place;
    }
    return place;
}

static void remove_first(struct node *nodes, uint32_t *group)
{
    const struct node *first = &nodes[*group];
    if (!first->next) {
        *group = first->chain;
        return;
    }
    nodes[first->next].prev = first->prev;
    nodes[first->next].chain = first->chain;
    *group = first->next;
}

void tf_index_replace(struct tf_index *index, uint32_t place, void *entry)
{
    index->nodes[place].entry = entry;
}

void tf_index_remove(struct tf_index *index, uint32_t place)
{
    struct node *nodes = index->nodes, *node = &nodes[place];
    uint32_t *group = group_of(index, node->key);
    if (*group == place) {
        remove_first(nodes, group);
    } else {
        nodes[node->prev].next = node->next;
        nodes[node->next ? node->next : *group].prev = node->prev;
    }
    node->next = index->free;
    index->free = place;
}

void *tf_index_first(const struct tf_index *index, struct tf_key key, uint64_t *order)
{
    uint32_t first = *group_of(index, key);
    if (!first)
        return NULL;
    *order = index->nodes[first].order;
    return index->nodes[first].entry;
}
