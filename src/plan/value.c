/* value.c - interned expressions over the ranks' contributions.  See value.h. */
#include "plan/value.h"

#include <stdio.h>

static bool resize(struct tf_values *v, uint32_t capacity)
{
    void *values = realloc(v->values, capacity * sizeof *v->values);
    if (values)
        v->values = values;
    void *sets = realloc(v->sets, (size_t)capacity * v->words * sizeof *v->sets);
    if (sets)
        v->sets = sets;
    uint32_t *table = calloc(2 * (size_t)capacity, sizeof *table);
    if (!values || !sets || !table) {
        free(table);
        v->failed = true;
        return false;
    }
    free(v->table);
    v->table = table;
    v->capacity = capacity;
    return true;
}

bool tf_values_create(struct tf_values *values, int32_t size)
{
    *values = (struct tf_values){.size = size, .words = (size + 63) / 64, .used = 1};
    return resize(values, 1024);
}

void tf_values_destroy(struct tf_values *values)
{
    free(values->values);
    free(values->sets);
    free(values->table);
}

static uint32_t *slot(struct tf_values *v, const struct tf_value *key)
{
    uint64_t hash = ((uint64_t)key->left << 32 | key->right) * 0x9e3779b97f4a7c15u;

    hash ^= ((uint64_t)(uint32_t)key->block << 32 | (uint32_t)key->lowest) * 0xc2b2ae3d27d4eb4fu;
    hash ^= hash >> 29;
    for (uint32_t i = hash & (2 * v->capacity - 1);; i = (i + 1) & (2 * v->capacity - 1)) {
        const struct tf_value *other = &v->values[v->table[i]];
        if (!v->table[i] || (other->left == key->left && other->right == key->right && other->block == key->block &&
                             other->lowest == key->lowest))
            return &v->table[i];
    }
}

/* The number of a value; *fresh says whether it is new, so that its set is to be filled in. */
static uint32_t intern(struct tf_values *v, const struct tf_value *key, bool *fresh)
{
    *fresh = false;
    if (v->used == v->capacity) {
        if (!resize(v, 2 * v->capacity))
            return 0;
        for (uint32_t i = 1; i < v->used; i++)
            *slot(v, &v->values[i]) = i;
    }
    uint32_t *number = slot(v, key);
    if (*number)
        return *number;
    *fresh = true;
    v->values[v->used] = *key;
    return *number = v->used++;
}

static uint64_t *set_of(const struct tf_values *v, uint32_t value)
{
    return v->sets + (size_t)value * v->words;
}

uint32_t tf_value_contribution(struct tf_values *values, int32_t rank, int32_t block)
{
    struct tf_value key = {.block = block, .lowest = rank, .count = 1, .ordered = true};
    bool fresh;
    uint32_t number = intern(values, &key, &fresh);

    if (fresh) {
        memset(set_of(values, number), 0, values->words * sizeof(uint64_t));
        set_of(values, number)[rank / 64] |= (uint64_t)1 << rank % 64;
    }
    return number;
}

uint32_t tf_value_combine(struct tf_values *values, uint32_t left, uint32_t right)
{
    const struct tf_value *l = &values->values[left], *r = &values->values[right];
    struct tf_value key = {
        .left = left,
        .right = right,
        .block = l->block,
        .lowest = l->lowest < r->lowest ? l->lowest : r->lowest,
        .count = l->count + r->count,
        .ordered = l->ordered && r->ordered && l->lowest + l->count == r->lowest,
    };
    bool fresh;
    uint32_t number = intern(values, &key, &fresh);

    if (fresh)
        for (int32_t w = 0; w < values->words; w++)
            set_of(values, number)[w] = set_of(values, left)[w] | set_of(values, right)[w];
    return number;
}

uint32_t tf_value_recut(struct tf_values *values, uint32_t value, int32_t block)
{
    struct tf_value v = values->values[value];

    if (!v.left)
        return tf_value_contribution(values, v.lowest, block);
    uint32_t left = tf_value_recut(values, v.left, block), right = tf_value_recut(values, v.right, block);
    return tf_value_combine(values, left, right);
}

int32_t tf_value_common(const struct tf_values *values, uint32_t a, uint32_t b)
{
    for (int32_t w = 0; w < values->words; w++) {
        uint64_t both = set_of(values, a)[w] & set_of(values, b)[w];
        if (both)
            return 64 * w + __builtin_ctzll(both);
    }
    return -1;
}

bool tf_value_contains(const struct tf_values *values, uint32_t value, int32_t rank)
{
    return set_of(values, value)[rank / 64] >> rank % 64 & 1;
}

/* A list of runs of ranks while it is written. */
struct list {
    char *text;
    size_t capacity, used;
    int32_t first, last; /* the run that is open; first is -1 before the list begins */
    int32_t runs;
};

static void put_run(struct list *list)
{
    if (list->first < 0 || list->used + 1 >= list->capacity)
        return;
    char *end = list->text + list->used;
    size_t room = list->capacity - list->used;
    const char *comma = list->runs++ ? "," : "";
    int length = list->first == list->last ? snprintf(end, room, "%s%d", comma, list->first)
                                           : snprintf(end, room, "%s%d-%d", comma, list->first, list->last);
    list->used += (size_t)length < room ? (size_t)length : room - 1;
}

static void put_ranks(const struct tf_values *v, uint32_t value, struct list *list)
{
    const struct tf_value *x = &v->values[value];

    if (!x->ordered) {
        put_ranks(v, x->left, list);
        put_ranks(v, x->right, list);
        return;
    }
    if (list->first >= 0 && list->last + 1 == x->lowest) {
        list->last = x->lowest + x->count - 1;
        return;
    }
    put_run(list);
    list->first = x->lowest;
    list->last = x->lowest + x->count - 1;
}

const char *tf_value_describe(const struct tf_values *values, uint32_t value, char *text, size_t capacity)
{
    if (!value) {
        snprintf(text, capacity, "nothing");
        return text;
    }
    bool one = values->values[value].count == 1;
    struct list list = {text, capacity, (size_t)snprintf(text, capacity, one ? "rank " : "ranks "), -1, -1, 0};

    put_ranks(values, value, &list);
    put_run(&list);
    return text;
}
