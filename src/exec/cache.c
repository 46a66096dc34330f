/* cache.c - the plans a communicator has used, so that the second call of a shape builds nothing.
 */
#include "exec/exec.h"

/* Plans in no use are let go, the longest unused first, when there are more than this. */
enum { KEEP = 64 };

struct entry {
    struct entry *next;
    const struct tf_algo *algo;
    struct tf_shape shape;
    struct tf_plan *plan;
    int users;
};

struct tf_plan_cache {
    struct tf_comm *comm;
    struct entry *first; /* the latest used first */
    int count;
};

struct tf_plan_cache *tf_plan_cache_create(struct tf_comm *comm)
{
    struct tf_plan_cache *cache = tf_alloc(sizeof *cache, "a plan cache");
    if (cache)
        *cache = (struct tf_plan_cache){.comm = comm};
    return cache;
}

static void drop(struct entry **place)
{
    struct entry *e = *place;
    *place = e->next;
    tf_plan_destroy(e->plan);
    free(e);
}

void tf_plan_cache_destroy(struct tf_plan_cache *cache)
{
    while (cache->first)
        drop(&cache->first);
    free(cache);
}

static bool same_shape(const struct tf_shape *a, const struct tf_shape *b)
{
    return a->rank == b->rank && a->size == b->size && a->root == b->root && a->inplace == b->inplace &&
           a->commutes == b->commutes && a->parameter == b->parameter && a->first == b->first &&
           a->domain == b->domain && a->neighbors == b->neighbors && a->near == b->near;
}

static void make_room(struct tf_plan_cache *cache)
{
    struct entry **oldest = NULL;
    for (struct entry **p = &cache->first; *p; p = &(*p)->next)
        if (!(*p)->users)
            oldest = p;
    if (!oldest)
        return;
    drop(oldest);
    cache->count--;
}

uint64_t tf_plan_cache_built;

/* Where a plan is built, so that its runs need not ask. */
static void meet(const struct tf_comm *comm, const struct tf_plan *plan)
{
    for (uint32_t i = 0; i < plan->nsteps; i++)
        if (plan->steps[i].peer >= 0)
            tf_net_meet(comm->peers[plan->steps[i].peer]);
}

static struct entry *build(struct tf_plan_cache *cache, const struct tf_algo *algo, const struct tf_shape *shape)
{
    struct entry *e = tf_alloc(sizeof *e, "a plan");
    if (!e)
        return NULL;
    *e = (struct entry){.algo = algo, .shape = *shape, .plan = tf_plan_create()};
    if (!e->plan)
        goto free_entry;
    algo->generate(e->plan, shape);
    if (tf_plan_finish(e->plan))
        goto destroy_plan;
    meet(cache->comm, e->plan);
    if (cache->count >= KEEP)
        make_room(cache);
    e->next = cache->first;
    cache->first = e;
    cache->count++;
    tf_plan_cache_built++;
    return e;

destroy_plan:
    tf_plan_destroy(e->plan);
free_entry:
    free(e);
    return NULL;
}

const struct tf_plan *tf_plan_cache_get(struct tf_plan_cache *cache, const struct tf_algo *algo,
                                        const struct tf_shape *shape)
{
    for (struct entry **p = &cache->first; *p; p = &(*p)->next) {
        struct entry *e = *p;
        if (e->algo != algo || !same_shape(&e->shape, shape))
            continue;
        *p = e->next;
        e->next = cache->first;
        cache->first = e;
        e->users++;
        return e->plan;
    }
    struct entry *e = build(cache, algo, shape);
    if (!e)
        return NULL;
    e->users++;
    return e->plan;
}

static void change_users(struct tf_plan_cache *cache, const struct tf_plan *plan, int by)
{
    for (struct entry *e = cache->first; e; e = e->next)
        if (e->plan == plan)
            e->users += by;
}

void tf_plan_cache_hold(struct tf_plan_cache *cache, const struct tf_plan *plan)
{
    change_users(cache, plan, 1);
}

void tf_plan_cache_release(struct tf_plan_cache *cache, const struct tf_plan *plan)
{
    change_users(cache, plan, -1);
}
