/* neighbor_two_level.c - what goes from one domain (a node) to another crosses as one message.
 *
 *     domain 0            domain 1        edges 0->4 0->5 1->4 2->6:
 *     0 1 2 3             4 5 6 7
 *      \|/                                gathered by 1, the one that sends to domain 1
 *       1 ------------->  4               one message
 *                        /|\
 *                       4 5 6             spread by 4, the one that receives from domain 0
 *
 * Three rounds, of which one is between domains, with a message for each other domain instead of one an edge; the ranks
 * of a domain take turns at sending them.  Volume: between domains as by the direct algorithm, or less, since what a
 * rank gives all its destinations alike (an allgather) crosses once for each domain; within, all that crosses is moved
 * twice more.  Memory: what a rank passes on.  A single edge between two domains, and edges within one, go directly.
 *
 * Needs the lists of all ranks of its domain (shape->near), and how long their blocks are, hence it is for persistent
 * calls, which ask once.  Which edge is at which place of a message both sides find by sorting them: by the rank where
 * they begin, the one where they end, and the order of edges that have both in common.
 *
 * Collom, Li, Bienz, "Optimizing irregular communication with neighborhood collectives and locality-aware parallelism",
 * SC-W 2023.
 */
#include "algo/algo.h"
#include "algo/levels.h"
#include "algo/neighbor.h"

/* An edge between this domain and another one. */
struct crossing {
    int32_t domain;    /* the other one */
    int32_t from, to;  /* ranks */
    int32_t turn;      /* its place among those of both ranks */
    int32_t number;    /* as the rank of this domain counts: of what it sends, or of its sources */
    int32_t place;     /* in the message */
    bool first, alone; /* the first of those of one block; the only edge between the domains in this direction */
};

/* Those in one direction, sorted, so that those of another domain are together. */
struct crossings {
    struct crossing *edge;
    int32_t count;
};

struct view {
    struct tf_plan *plan;
    const struct tf_shape *shape;
    struct tf_levels levels;
    bool one_block; /* all destinations of a rank get the same */
    struct crossings out, in;
    int32_t domain; /* this one */
    int32_t blocks; /* that this rank passes on */
};

/* ---- which edges cross ---- */

static const struct tf_neighbors *list_of(const struct view *v, int member)
{
    return &v->shape->near[member];
}

static int32_t domain_of(const struct view *v, int32_t rank)
{
    return v->levels.of[rank];
}

static int in_message(const void *a, const void *b)
{
    const struct crossing *x = a, *y = b;
    const int32_t mine[] = {x->domain, x->from, x->to, x->turn}, other[] = {y->domain, y->from, y->to, y->turn};

    for (size_t i = 0; i < TF_ARRAY_LEN(mine); i++)
        if (mine[i] != other[i])
            return mine[i] < other[i] ? -1 : 1;
    return 0;
}

static void add_edges(struct view *v, struct crossings *all, int member, bool out)
{
    const struct tf_neighbors *n = list_of(v, member);
    int32_t me = v->levels.members[member], degree = out ? n->outdegree : n->indegree;

    for (int32_t turn = 0; turn < degree; turn++) {
        int32_t number = out ? turn : tf_algo_neighbor_slot(n, turn),
                other = out ? n->destinations[number] : n->sources[number];
        if (other >= 0 && domain_of(v, other) != v->domain)
            all->edge[all->count++] = (struct crossing){.domain = domain_of(v, other),
                                                        .from = out ? me : other,
                                                        .to = out ? other : me,
                                                        .turn = turn,
                                                        .number = number};
    }
}

/* Places in the messages, once the edges are sorted. */
static void number_places(const struct view *v, struct crossings *all)
{
    for (int32_t i = 0; i < all->count; i++) {
        struct crossing *e = &all->edge[i], *before = i > 0 && e[-1].domain == e->domain ? e - 1 : NULL;
        bool more = i + 1 < all->count && e[1].domain == e->domain;
        e->alone = !before && !more;
        e->first = !before || !v->one_block || before->from != e->from;
        e->place = before ? before->place + e->first : 0;
    }
}

static bool find_crossings(struct view *v, struct crossings *all, bool out)
{
    size_t most = 1;

    for (int i = 0; i < v->levels.nmembers; i++)
        most += (size_t)(out ? list_of(v, i)->outdegree : list_of(v, i)->indegree);
    all->edge = tf_alloc(most * sizeof *all->edge, "the edges between domains");
    if (!all->edge) {
        v->plan->error = MPI_ERR_NO_MEM;
        return false;
    }
    for (int i = 0; i < v->levels.nmembers; i++)
        add_edges(v, all, i, out);
    qsort(all->edge, (size_t)all->count, sizeof *all->edge, in_message);
    number_places(v, all);
    return true;
}

/* ---- who passes them on ---- */

/* The rank of domain `d` that talks to domain `other`: they take turns. */
static int32_t agent(const struct view *v, int32_t d, int32_t other)
{
    const struct tf_levels *l = &v->levels;
    return l->rank[l->first[d] + other % (l->first[d + 1] - l->first[d])];
}

/* Behind the edges of one other domain, which begin at i. */
static int32_t end_of(const struct crossings *all, int32_t i)
{
    int32_t end = i;
    while (end < all->count && all->edge[end].domain == all->edge[i].domain)
        end++;
    return end;
}

static bool is_mine(const struct view *v, const struct crossing *e)
{
    return !e->alone && agent(v, v->domain, e->domain) == v->shape->rank;
}

static int32_t count_mine(const struct view *v, const struct crossings *all)
{
    int32_t blocks = 0;

    for (int32_t i = 0; i < all->count; i++)
        blocks += all->edge[i].first && is_mine(v, &all->edge[i]);
    return blocks;
}

static void name_parcels(struct view *v, const struct crossings *all, bool received)
{
    for (int32_t i = 0; i < all->count; i++) {
        const struct crossing *e = &all->edge[i];
        if (e->first && is_mine(v, e))
            v->plan->parcels[v->blocks++] =
                (struct tf_parcel){received ? e->to : e->from, received, received || !v->one_block ? e->number : 0};
    }
}

/* What passes through this rank: what it gathers, then what it spreads. */
static bool open_parcels(struct view *v, int *out, int *in)
{
    int32_t gathered = count_mine(v, &v->out), spread = count_mine(v, &v->in);

    if (gathered + spread == 0)
        return true;
    if (!tf_plan_parcels(v->plan, gathered + spread))
        return false;
    name_parcels(v, &v->out, false);
    name_parcels(v, &v->in, true);
    *out = gathered ? tf_plan_temp(v->plan, 0, gathered) : -1;
    *in = spread ? tf_plan_temp(v->plan, gathered, spread) : -1;
    return true;
}

/* ---- the steps ---- */

static void give_to_agents(struct view *v)
{
    for (int32_t i = 0; i < v->out.count; i++) {
        const struct crossing *e = &v->out.edge[i];
        if (e->from == v->shape->rank && e->first && !e->alone && !is_mine(v, e))
            tf_plan_send(v->plan, agent(v, v->domain, e->domain), tf_algo_neighbor_sent(v->one_block, e->number));
    }
}

static bool goes_directly(const struct crossings *all, int32_t from, int32_t to)
{
    for (int32_t i = 0; i < all->count; i++)
        if (all->edge[i].from == from && all->edge[i].to == to)
            return all->edge[i].alone;
    return true; /* within the domain */
}

static void send_directly(struct view *v)
{
    const struct tf_neighbors *n = v->shape->neighbors;
    int32_t me = v->shape->rank;

    for (int32_t k = 0; k < n->outdegree; k++)
        if (n->destinations[k] >= 0 && n->destinations[k] != me && goes_directly(&v->out, me, n->destinations[k]))
            tf_plan_send(v->plan, n->destinations[k], tf_algo_neighbor_sent(v->one_block, k));
}

/* Of one domain after the other: the edges to it are received, and go on together. */
static void gather(struct view *v, int temp)
{
    int32_t at = 0;

    for (int32_t i = 0, end; i < v->out.count; i = end) {
        int32_t other = v->out.edge[i].domain, begin = at;
        end = end_of(&v->out, i);
        if (!is_mine(v, &v->out.edge[i]))
            continue;
        for (const struct crossing *e = &v->out.edge[i]; e < &v->out.edge[end]; e++) {
            if (!e->first)
                continue;
            struct tf_ref place = tf_blocks(temp, at++, 1);
            if (e->from == v->shape->rank)
                tf_plan_copy(v->plan, tf_algo_neighbor_sent(v->one_block, e->number), place);
            else
                tf_plan_recv(v->plan, e->from, place);
        }
        tf_plan_send(v->plan, agent(v, other, v->domain), tf_blocks(temp, begin, at - begin));
    }
}

static void spread(struct view *v, int temp)
{
    int32_t at = 0;

    for (int32_t i = 0, end; i < v->in.count; i = end) {
        int32_t other = v->in.edge[i].domain, blocks = 0;
        end = end_of(&v->in, i);
        if (!is_mine(v, &v->in.edge[i]))
            continue;
        blocks = v->in.edge[end - 1].place + 1;
        tf_plan_recv(v->plan, agent(v, other, v->domain), tf_blocks(temp, at, blocks));
        for (const struct crossing *e = &v->in.edge[i]; e < &v->in.edge[end]; e++) {
            struct tf_ref place = tf_blocks(temp, at + e->place, 1);
            if (e->to == v->shape->rank)
                tf_plan_copy(v->plan, place, tf_blocks(TF_OUTPUT, e->number, 1));
            else
                tf_plan_send(v->plan, e->to, place);
        }
        at += blocks;
    }
}

static void receive_directly(struct view *v)
{
    const struct tf_neighbors *n = v->shape->neighbors;
    int32_t me = v->shape->rank;

    for (int32_t j = 0; j < n->indegree; j++) {
        int32_t slot = tf_algo_neighbor_slot(n, j), source = n->sources[slot];
        if (source >= 0 && source != me && goes_directly(&v->in, source, me))
            tf_plan_recv(v->plan, source, tf_blocks(TF_OUTPUT, slot, 1));
    }
}

static void take_from_agents(struct view *v)
{
    for (int32_t i = 0; i < v->in.count; i++) {
        const struct crossing *e = &v->in.edge[i];
        if (e->to == v->shape->rank && !e->alone && !is_mine(v, e))
            tf_plan_recv(v->plan, agent(v, v->domain, e->domain), tf_blocks(TF_OUTPUT, e->number, 1));
    }
}

/* Messages between two ranks of the domain come in the order gathered, direct, spread, on both sides. */
static void exchange(struct view *v)
{
    int out = -1, in = -1;

    if (!find_crossings(v, &v->out, true) || !find_crossings(v, &v->in, false) || !open_parcels(v, &out, &in))
        return;
    give_to_agents(v);
    send_directly(v);
    tf_algo_neighbor_copy_own(v->plan, v->shape, v->one_block);
    gather(v, out);
    spread(v, in);
    receive_directly(v);
    take_from_agents(v);
}

static void generate(struct tf_plan *plan, const struct tf_shape *shape, bool one_block, tf_algo_generate *direct)
{
    struct view v = {.plan = plan, .shape = shape, .one_block = one_block};

    if (!shape->near) {
        direct(plan, shape);
        return;
    }
    if (!tf_algo_levels_open(plan, shape, false, &v.levels))
        return;
    v.domain = v.levels.mine;
    exchange(&v);
    free(v.out.edge);
    free(v.in.edge);
    tf_algo_levels_close(&v.levels);
}

void tf_algo_neighbor_allgather_two_level(struct tf_plan *plan, const struct tf_shape *shape)
{
    generate(plan, shape, true, tf_algo_neighbor_allgather_direct);
}

void tf_algo_neighbor_alltoall_two_level(struct tf_plan *plan, const struct tf_shape *shape)
{
    generate(plan, shape, false, tf_algo_neighbor_alltoall_direct);
}
