/* network.c - networks between nodes.  See network.h. */
#include "plan/network.h"

#include <stdio.h>

static const char *const names[TF_NLEVELSLOGIES] = {"crossbar", "fat-tree", "dragonfly", "torus"};

const char *tf_network_topology(enum tf_topology topology)
{
    return names[topology];
}

/* ---- fat tree: a subtree of level l is what hangs below the switches that its nodes reach by l ways up ---- */

static int32_t ways_up(const struct tf_network *n)
{
    int32_t up = (int32_t)(n->ports / (n->taper + 1) + 1e-9);
    return up < 1 ? 1 : up;
}

struct subtrees {        /* of one level */
    int64_t nodes, ways; /* in one; out of one */
    int64_t count;       /* those that the job touches */
};

static struct subtrees subtrees_of(const struct tf_network *n, int32_t nodes, int32_t level)
{
    struct subtrees s = {n->ports - ways_up(n), ways_up(n), 0};

    for (int32_t l = 1; l < level; l++) {
        s.nodes *= n->ports / 2;
        s.ways *= n->ports / 2;
    }
    s.count = (nodes + s.nodes - 1) / s.nodes;
    return s;
}

static int64_t tree_links(const struct tf_network *n, int32_t nodes, int32_t below)
{
    int64_t links = 0;

    for (int32_t level = 1; level < below; level++) {
        struct subtrees s = subtrees_of(n, nodes, level);
        links += 2 * s.count * s.ways;
    }
    return links;
}

static int64_t tree_room(const struct tf_network *n)
{
    return n->levels == 1 ? n->ports : subtrees_of(n, 0, n->levels - 1).nodes * n->ports;
}

static int32_t common_level(const struct tf_network *n, int32_t nodes, int32_t from, int32_t to)
{
    int32_t level = 1;

    while (level < n->levels) {
        int64_t size = subtrees_of(n, nodes, level).nodes;
        if (from / size == to / size)
            break;
        level++;
    }
    return level;
}

static int64_t tree_link(const struct tf_network *n, int32_t nodes, int32_t from, int32_t to, int32_t k)
{
    int32_t climbs = common_level(n, nodes, from, to) - 1;

    if (k >= 2 * climbs)
        return -1;
    bool up = k < climbs;
    int32_t level = up ? k + 1 : 2 * climbs - k;
    struct subtrees s = subtrees_of(n, nodes, level);
    int64_t subtree = (up ? from : to) / s.nodes;
    return tree_links(n, nodes, level) + ((up ? 0 : s.count) + subtree) * s.ways + to % s.ways;
}

static double tree_sharing(const struct tf_network *n, int32_t nodes, int32_t from, int32_t to)
{
    int32_t common = common_level(n, nodes, from, to);
    double most = 1, apart = to > from ? to - from : from - to;

    for (int32_t level = 1; level < common; level++) {
        struct subtrees s = subtrees_of(n, nodes, level);
        double leave = apart < (double)s.nodes ? apart : (double)s.nodes;
        most = leave / (double)s.ways > most ? leave / (double)s.ways : most;
    }
    return most;
}

/* ---- dragonfly ---- */

static int32_t group_of(const struct tf_network *n, int32_t router)
{
    return router / n->routers;
}

/* The links of a group to others go round: links j, j + groups - 1, ... to the group j + 1 further on. */
static int32_t links_between_groups(const struct tf_network *n)
{
    return (int32_t)((int64_t)n->routers * n->global / (n->groups - 1));
}

static int64_t local_link(const struct tf_network *n, int32_t from, int32_t to)
{
    return (int64_t)from * n->routers + to % n->routers;
}

static int64_t dragonfly_links(const struct tf_network *n)
{
    return (int64_t)n->groups * n->routers * (n->routers + n->global);
}

static int64_t dragonfly_link(const struct tf_network *n, int32_t from, int32_t to, int32_t k)
{
    int32_t a = from / n->hosts, b = to / n->hosts, here = group_of(n, a), there = group_of(n, b);

    if (here == there)
        return a == b || k > 0 ? -1 : local_link(n, a, b);
    int32_t further = (there - here - 1 + n->groups) % n->groups;
    int32_t parallel = b % links_between_groups(n) * (n->groups - 1);
    int64_t out = further + parallel, in = n->groups - 2 - further + parallel;
    int32_t leaves = here * n->routers + (int32_t)(out / n->global),
            enters = there * n->routers + (int32_t)(in / n->global);
    int64_t way[3];
    int32_t links = 0;
    if (a != leaves)
        way[links++] = local_link(n, a, leaves);
    way[links++] = (int64_t)n->groups * n->routers * n->routers + (int64_t)here * n->routers * n->global + out;
    if (enters != b)
        way[links++] = local_link(n, enters, b);
    return k < links ? way[k] : -1;
}

/* All nodes of a group send to one other group, or those of a router to one other router. */
static double dragonfly_sharing(const struct tf_network *n, int32_t nodes, int32_t from, int32_t to)
{
    int32_t a = from / n->hosts, b = to / n->hosts;
    int64_t group = (int64_t)n->routers * n->hosts;

    if (group_of(n, a) == group_of(n, b))
        return a == b ? 1 : nodes < n->hosts ? nodes : n->hosts;
    double across = (double)(nodes < group ? nodes : group) / links_between_groups(n);
    return across > 1 ? across : 1;
}

/* ---- torus ---- */

/* Steps from one place of a ring to another, ahead or, less than 0, back. */
static int32_t torus_steps(int32_t size, int32_t from, int32_t to)
{
    int32_t ahead = (to - from + size) % size;
    return ahead <= size / 2 ? ahead : ahead - size;
}

static int64_t torus_link(const struct tf_network *n, int32_t from, int32_t to, int32_t k)
{
    int64_t below = 1, at = from; /* nodes of a step in this dimension; with the dimensions before at their ends */

    for (int32_t d = 0; d < n->ndims; below *= n->dims[d++]) {
        int32_t size = n->dims[d], begin = (int32_t)(from / below % size), end = (int32_t)(to / below % size);
        int32_t steps = torus_steps(size, begin, end), length = steps < 0 ? -steps : steps;
        if (k < length) {
            int32_t place = (begin + (steps > 0 ? k : size - k)) % size;
            return ((at + (int64_t)(place - begin) * below) * n->ndims + d) * 2 + (steps < 0);
        }
        k -= length;
        at += (int64_t)(end - begin) * below;
    }
    return -1;
}

/* A link carries what begins up to as many places behind as the message goes on. */
static double torus_sharing(const struct tf_network *n, int32_t from, int32_t to)
{
    int64_t below = 1;
    int32_t most = 1;

    for (int32_t d = 0; d < n->ndims; below *= n->dims[d++]) {
        int32_t steps =
            torus_steps(n->dims[d], (int32_t)(from / below % n->dims[d]), (int32_t)(to / below % n->dims[d]));
        steps = steps < 0 ? -steps : steps;
        most = steps > most ? steps : most;
    }
    return most;
}

/* ---- any of them ---- */

int64_t tf_network_room(const struct tf_network *n)
{
    int64_t nodes = 1;

    switch (n->topology) {
    case TF_FAT_TREE:
        return tree_room(n);
    case TF_DRAGONFLY:
        return (int64_t)n->groups * n->routers * n->hosts;
    case TF_TORUS:
        for (int32_t d = 0; d < n->ndims; d++)
            nodes *= n->dims[d];
        return nodes;
    default:
        return INT32_MAX;
    }
}

static int check_numbers(const struct tf_network *n)
{
    if (n->topology == TF_FAT_TREE && (n->levels < 1 || n->ports < 2))
        return tf_error(MPI_ERR_ARG, "a fat tree has levels and ports; told are %d levels and %d ports", n->levels,
                        n->ports);
    if (n->topology == TF_FAT_TREE && n->levels > 1 && n->ports <= ways_up(n))
        return tf_error(MPI_ERR_ARG, "a fat tree with taper %g and %d ports has no ports for nodes", n->taper,
                        n->ports);
    if (n->topology == TF_DRAGONFLY && (n->groups < 1 || n->routers < 1 || n->hosts < 1))
        return tf_error(MPI_ERR_ARG,
                        "a dragonfly has groups, routers in each and hosts at each router; told are %d, %d and %d",
                        n->groups, n->routers, n->hosts);
    if (n->topology == TF_DRAGONFLY && (int64_t)n->routers * n->global < n->groups - 1)
        return tf_error(MPI_ERR_ARG,
                        "%d routers with %d global links each cannot link a group of a dragonfly to %d others",
                        n->routers, n->global, n->groups - 1);
    if (n->topology == TF_TORUS && n->ndims < 1)
        return tf_error(MPI_ERR_ARG, "a torus has dims, as 8x8x16");
    return MPI_SUCCESS;
}

int tf_network_check(const struct tf_network *n, int32_t nodes)
{
    int error = check_numbers(n);

    if (!error && nodes > tf_network_room(n))
        error = tf_error(MPI_ERR_ARG, "the %s has room for %lld nodes; the ranks take %d", names[n->topology],
                         (long long)tf_network_room(n), nodes);
    return error;
}

int64_t tf_network_links(const struct tf_network *n, int32_t nodes)
{
    return n->topology == TF_FAT_TREE    ? tree_links(n, nodes, n->levels)
           : n->topology == TF_DRAGONFLY ? dragonfly_links(n)
           : n->topology == TF_TORUS     ? tf_network_room(n) * n->ndims * 2
                                         : 0;
}

int64_t tf_network_link(const struct tf_network *n, int32_t nodes, int32_t from, int32_t to, int32_t k)
{
    return n->topology == TF_FAT_TREE    ? tree_link(n, nodes, from, to, k)
           : n->topology == TF_DRAGONFLY ? dragonfly_link(n, from, to, k)
           : n->topology == TF_TORUS     ? torus_link(n, from, to, k)
                                         : -1;
}

int32_t tf_network_hops(const struct tf_network *n, int32_t nodes, int32_t from, int32_t to)
{
    int32_t links = 0;

    while (tf_network_link(n, nodes, from, to, links) >= 0)
        links++;
    return links;
}

double tf_network_sharing(const struct tf_network *n, int32_t nodes, int32_t from, int32_t to)
{
    return n->topology == TF_FAT_TREE    ? tree_sharing(n, nodes, from, to)
           : n->topology == TF_DRAGONFLY ? dragonfly_sharing(n, nodes, from, to)
           : n->topology == TF_TORUS     ? torus_sharing(n, from, to)
                                         : 1;
}

static void name_tree(const struct tf_network *n, int32_t nodes, int64_t link, char *text, size_t size)
{
    int32_t level = 1;

    while (link >= tree_links(n, nodes, level + 1))
        level++;
    struct subtrees s = subtrees_of(n, nodes, level);
    link -= tree_links(n, nodes, level);
    snprintf(text, size, "link %lld of %lld %s subtree %lld of level %d", (long long)(link % s.ways), (long long)s.ways,
             link / s.ways < s.count ? "up from" : "down into", (long long)(link / s.ways % s.count), level);
}

static void name_dragonfly(const struct tf_network *n, int64_t link, char *text, size_t size)
{
    int64_t locals = (int64_t)n->groups * n->routers * n->routers, globals = (int64_t)n->routers * n->global;

    if (link < locals)
        snprintf(text, size, "the link from router %lld to router %lld of group %lld",
                 (long long)(link / n->routers % n->routers), (long long)(link % n->routers),
                 (long long)(link / n->routers / n->routers));
    else
        snprintf(text, size, "global link %lld of group %lld", (long long)((link - locals) % globals),
                 (long long)((link - locals) / globals));
}

const char *tf_network_name(const struct tf_network *n, int32_t nodes, int64_t link, char *text, size_t size)
{
    if (n->topology == TF_FAT_TREE)
        name_tree(n, nodes, link, text, size);
    else if (n->topology == TF_DRAGONFLY)
        name_dragonfly(n, link, text, size);
    else
        snprintf(text, size, "the link of node %lld %s in dimension %lld", (long long)(link / 2 / n->ndims),
                 link % 2 ? "back" : "ahead", (long long)(link / 2 % n->ndims));
    return text;
}
