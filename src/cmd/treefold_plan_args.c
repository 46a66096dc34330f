/* treefold_plan_args.c - the command line of `treefold plan`. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>

#include "cmd/treefold.h"

static const char usage[] =
    "Usage: treefold plan COLLECTIVE --algo NAME --np P --count N [OPTION...]\n"
    "       treefold plan COLLECTIVE --np P --count N [OPTION...]     compares its algorithms\n"
    "       treefold plan                                             lists collectives and algorithms\n"
    "       treefold plan --machines                                  prints the machines that --network knows\n"
    "       treefold plan --memory --np P [OPTION...]                 memory that a process needs for others\n"
    "       treefold plan --grid AxB... --domains K                   edges between domains, before and after "
    "reordering\n"
    "\n"
    "Prints the plan of one call, proves it, and prices it under a LogGP model.\n"
    "\n"
    "The call\n"
    "  --np P, -n P          processes\n"
    "  --count N             elements: of the vector, or of each block where every process has its own; or bytes as a\n"
    "                        second word: 'treefold plan allreduce 64K -n 100'\n"
    "  --type BYTES          bytes an element (8)\n"
    "  --root R              (0)\n"
    "  --inplace             with MPI_IN_PLACE\n"
    "  --ordered             the operator does not commute\n"
    "  --whole               the operator takes whole vectors only, as a user's does\n"
    "  --first N             ranks of the first group of an intercommunicator, the others are the second\n"
    "  --radix K             the algorithm's parameter (radix, segments or window; its default)\n"
    "  --grid AxBx...        between neighbors: they are those in a grid of processes, of which --np is the number\n"
    "  --rings               whose dimensions are rings\n"
    "  --reorder             where ranks have the places that MPI_Cart_create may give them (those of their number)\n"
    "  --domains K           K adjacent ranks each are close to each other (all are)\n"
    "What to do\n"
    "  --rank R              print that rank's plan (all of up to 4 ranks, else rank 0)\n"
    "  --no-check            leave out the proof\n"
    "  --svg FILE            draw a timeline of up to 64 ranks\n"
    "The machine (defaults of the order of shared memory on one node)\n"
    "  --latency L           microseconds on the way (0.06)\n"
    "  --overhead O          microseconds of processor, for each send and each receive (0.02)\n"
    "  --gap G               microseconds between messages at one port (0.02)\n"
    "  --gap-per-byte G      nanoseconds a byte (0.04)\n"
    "  --reduce-per-byte R   nanoseconds a byte combined (0.03)\n"
    "  --copy-per-byte C     nanoseconds a byte copied (0.03)\n"
    "  --domain-latency, --domain-overhead, --domain-gap, --domain-gap-per-byte\n"
    "                        the same between ranks of a domain or node (as between others)\n"
    "  --chunk BYTES         longer messages are combined and passed on in such pieces (64K)\n"
    "The network\n"
    "  --network NAME        one of --machines, or of a file like it (FILE or FILE:NAME)\n"
    "  --topology T          crossbar, fat-tree, dragonfly or torus\n"
    "  --ranks-per-node K    adjacent ranks a node (1)\n"
    "  --nics N              ports of a node to the network, which its ranks share (1)\n"
    "  --hop-latency L       microseconds in a switch (0)\n"
    "  --link-gap-per-byte G nanoseconds a byte of a link between switches (as of a port)\n"
    "  --bus-per-byte B      nanoseconds a byte of a node's memory bus (0)\n"
    "  --levels N, --ports N, --taper T                           of a fat tree; ports to nodes by ports upwards (1)\n"
    "  --groups N, --routers N, --hosts N, --global N             of a dragonfly: routers a group, nodes and links to\n"
    "                                                             other groups a router\n"
    "  --dims AxBx...                                             of a torus\n"
    "\n"
    "Numbers of elements, processes and bytes may end in K, M or G (1024, 1024^2, 1024^3).\n";

enum option_id {
    ALGO = 1,
    NP,
    COUNT,
    TYPE,
    ROOT,
    INPLACE,
    ORDERED,
    WHOLE,
    FIRST,
    RADIX,
    GRID,
    RINGS,
    REORDER,
    DOMAINS,
    RANK,
    NO_CHECK,
    SVG,
    LATENCY,
    OVERHEAD,
    GAP,
    GAP_PER_BYTE,
    REDUCE_PER_BYTE,
    COPY_PER_BYTE,
    CHUNK,
    HELP,
    MACHINES,
    MEMORY,
    NETWORK,
    /* From here on, and LATENCY to CHUNK, a machine may say them too. */
    DOMAIN_LATENCY,
    DOMAIN_OVERHEAD,
    DOMAIN_GAP,
    DOMAIN_GAP_PER_BYTE,
    TOPOLOGY,
    RANKS_PER_NODE,
    NICS,
    HOP_LATENCY,
    LINK_GAP_PER_BYTE,
    BUS_PER_BYTE,
    LEVELS,
    PORTS,
    TAPER,
    GROUPS,
    ROUTERS,
    HOSTS,
    GLOBAL,
    DIMS,
    NOPTIONS
};

static const struct option options[] = {
    {"algo", required_argument, NULL, ALGO},
    {"np", required_argument, NULL, NP},
    {"count", required_argument, NULL, COUNT},
    {"type", required_argument, NULL, TYPE},
    {"root", required_argument, NULL, ROOT},
    {"inplace", no_argument, NULL, INPLACE},
    {"ordered", no_argument, NULL, ORDERED},
    {"whole", no_argument, NULL, WHOLE},
    {"first", required_argument, NULL, FIRST},
    {"radix", required_argument, NULL, RADIX},
    {"grid", required_argument, NULL, GRID},
    {"rings", no_argument, NULL, RINGS},
    {"reorder", no_argument, NULL, REORDER},
    {"domains", required_argument, NULL, DOMAINS},
    {"rank", required_argument, NULL, RANK},
    {"no-check", no_argument, NULL, NO_CHECK},
    {"svg", required_argument, NULL, SVG},
    {"latency", required_argument, NULL, LATENCY},
    {"overhead", required_argument, NULL, OVERHEAD},
    {"gap", required_argument, NULL, GAP},
    {"gap-per-byte", required_argument, NULL, GAP_PER_BYTE},
    {"reduce-per-byte", required_argument, NULL, REDUCE_PER_BYTE},
    {"copy-per-byte", required_argument, NULL, COPY_PER_BYTE},
    {"chunk", required_argument, NULL, CHUNK},
    {"domain-latency", required_argument, NULL, DOMAIN_LATENCY},
    {"domain-gap-per-byte", required_argument, NULL, DOMAIN_GAP_PER_BYTE},
    {"domain-overhead", required_argument, NULL, DOMAIN_OVERHEAD},
    {"domain-gap", required_argument, NULL, DOMAIN_GAP},
    {"machines", no_argument, NULL, MACHINES},
    {"memory", no_argument, NULL, MEMORY},
    {"network", required_argument, NULL, NETWORK},
    {"topology", required_argument, NULL, TOPOLOGY},
    {"ranks-per-node", required_argument, NULL, RANKS_PER_NODE},
    {"nics", required_argument, NULL, NICS},
    {"hop-latency", required_argument, NULL, HOP_LATENCY},
    {"link-gap-per-byte", required_argument, NULL, LINK_GAP_PER_BYTE},
    {"bus-per-byte", required_argument, NULL, BUS_PER_BYTE},
    {"levels", required_argument, NULL, LEVELS},
    {"ports", required_argument, NULL, PORTS},
    {"taper", required_argument, NULL, TAPER},
    {"groups", required_argument, NULL, GROUPS},
    {"routers", required_argument, NULL, ROUTERS},
    {"hosts", required_argument, NULL, HOSTS},
    {"global", required_argument, NULL, GLOBAL},
    {"dims", required_argument, NULL, DIMS},
    {"help", no_argument, NULL, HELP},
    {NULL, 0, NULL, 0},
};

void tf_cmd_plan_refuse(const char *format, ...)
{
    va_list args;

    fflush(stdout);
    fprintf(stderr, "treefold plan: ");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\n");
    exit(EXIT_FAILURE);
}

static int64_t whole_number(const char *option, const char *text, int64_t low, int64_t high)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    const char *units = "KMG", *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    int shift = unit ? 10 * (int)(unit - units + 1) : 0;

    if (end == text || end[unit != NULL] || errno || value < low || value > high >> shift)
        tf_cmd_plan_refuse("--%s is \"%s\"; it must be a whole number from %lld to %lld", option, text, (long long)low,
                           (long long)high);
    return (int64_t)value << shift;
}

static double amount(const char *option, const char *text, double unit)
{
    char *end;
    double value = strtod(text, &end);

    /* The upper end keeps times finite, whatever the counts. */
    if (end == text || *end || !(value >= 0 && value <= 1e12))
        tf_cmd_plan_refuse("--%s is \"%s\"; it must be a number from 0 to 1e12", option, text);
    return value * unit;
}

static void append(char *text, size_t capacity, const char *words, const char *between)
{
    size_t used = strlen(text);

    snprintf(text + used, capacity - used, "%s%s", used ? between : "", words);
}

/* What is known only when all of the command line is read. */
struct given {
    const char *algorithm, *network;
    bool option[NOPTIONS]; /* that it was said, on the command line or by the machine */
};

static enum tf_topology topology(const char *name)
{
    char known[128] = "";

    for (int t = 0; t < TF_NLEVELSLOGIES; t++) {
        if (strcmp(name, tf_network_topology(t)) == 0)
            return t;
        append(known, sizeof known, tf_network_topology(t), ", ");
    }
    tf_cmd_plan_refuse("--topology is \"%s\"; there are %s", name, known);
}

static void take_dims(struct tf_network *network, const char *text)
{
    const char *at = text;

    for (network->ndims = 0; *at && network->ndims < TF_TORUS_DIMS; network->ndims++) {
        char *end;
        long n = strtol(at, &end, 10);
        if (end == at || n < 1 || n > 1 << 20 || (*end && (*end != 'x' || !end[1])))
            break;
        network->dims[network->ndims] = (int32_t)n;
        at = *end ? end + 1 : end;
    }
    if (*at || network->ndims == 0)
        tf_cmd_plan_refuse("--dims is \"%s\"; it must be 1 to %d numbers as in 8x8x16", text, TF_TORUS_DIMS);
}

static void take_grid(struct tf_plan_request *q, const char *text)
{
    const char *at = text;
    int64_t size = 1;

    for (q->grid.ndims = 0; *at && q->grid.ndims < TF_PLAN_DIMS; q->grid.ndims++) {
        char *end;
        long long n = strtoll(at, &end, 10);
        if (end == at || n < 1 || n > (1 << 30) / size || (*end && (*end != 'x' || !end[1])))
            break;
        size *= n;
        q->grid_dims[q->grid.ndims] = (int)n;
        at = *end ? end + 1 : end;
    }
    if (*at || q->grid.ndims == 0)
        tf_cmd_plan_refuse("--grid is \"%s\"; it must be 1 to %d numbers as in 8x8x16, whose product is at most 1G",
                           text, TF_PLAN_DIMS);
    q->grid.dims = q->grid_dims;
    q->grid.periods = q->grid_periods;
}

static void take_network(struct tf_plan_request *q, int id, const char *name, const char *value)
{
    struct tf_price_model *m = &q->model;
    struct tf_network *n = &q->network;
    int32_t *const numbers[NOPTIONS] = {
        [RANKS_PER_NODE] = &q->ranks_per_node,
        [NICS] = &m->nics,
        [LEVELS] = &n->levels,
        [PORTS] = &n->ports,
        [GROUPS] = &n->groups,
        [ROUTERS] = &n->routers,
        [HOSTS] = &n->hosts,
        [GLOBAL] = &n->global,
    };

    if (numbers[id])
        *numbers[id] = (int32_t)whole_number(name, value, 1, 1 << 20);
    else if (id == TOPOLOGY)
        n->topology = topology(value);
    else if (id == DIMS)
        take_dims(n, value);
    else if (id == TAPER)
        n->taper = amount(name, value, 1);
    else if (id == HOP_LATENCY)
        m->hop_latency = amount(name, value, 1e-6);
    else if (id == LINK_GAP_PER_BYTE)
        m->link_gap_per_byte = amount(name, value, 1e-9);
    else if (id == BUS_PER_BYTE)
        m->bus_per_byte = amount(name, value, 1e-9);
}

static void take_option(struct tf_plan_request *q, struct given *given, int id, const char *name, const char *value)
{
    struct tf_price_model *m = &q->model;

    if (id > 0 && id < NOPTIONS)
        given->option[id] = true;
    switch (id) {
    case ALGO:
        given->algorithm = value;
        break;
    case NP:
        q->call.size = (int32_t)whole_number(name, value, 1, 1 << 30);
        break;
    case COUNT:
        q->count = whole_number(name, value, 0, INT64_MAX);
        break;
    case TYPE:
        q->unit = (size_t)whole_number(name, value, 1, INT32_MAX);
        break;
    case ROOT:
        q->call.root = (int32_t)whole_number(name, value, 0, INT32_MAX);
        break;
    case INPLACE:
        q->call.inplace = true;
        break;
    case ORDERED:
        q->call.commutes = false;
        break;
    case WHOLE:
        q->call.elementwise = false;
        break;
    case FIRST:
        q->call.first = (int32_t)whole_number(name, value, 1, INT32_MAX);
        break;
    case RADIX:
        q->parameter = (int32_t)whole_number(name, value, 1, INT32_MAX);
        break;
    case GRID:
        take_grid(q, value);
        break;
    case RINGS:
        for (int d = 0; d < TF_PLAN_DIMS; d++)
            q->grid_periods[d] = true;
        break;
    case REORDER:
        q->reorder = true;
        break;
    case DOMAINS:
        q->each = (int32_t)whole_number(name, value, 1, INT32_MAX);
        break;
    case RANK:
        q->rank = (int32_t)whole_number(name, value, 0, INT32_MAX);
        break;
    case NO_CHECK:
        q->check = false;
        break;
    case SVG:
        q->svg = value;
        break;
    case LATENCY:
        m->latency = amount(name, value, 1e-6);
        break;
    case OVERHEAD:
        m->overhead = amount(name, value, 1e-6);
        break;
    case GAP:
        m->gap = amount(name, value, 1e-6);
        break;
    case GAP_PER_BYTE:
        m->gap_per_byte = amount(name, value, 1e-9);
        break;
    case REDUCE_PER_BYTE:
        m->reduce_per_byte = amount(name, value, 1e-9);
        break;
    case COPY_PER_BYTE:
        m->copy_per_byte = amount(name, value, 1e-9);
        break;
    case CHUNK:
        m->chunk = (size_t)whole_number(name, value, 1, INT64_MAX);
        break;
    case DOMAIN_LATENCY:
        m->local_latency = amount(name, value, 1e-6);
        break;
    case DOMAIN_GAP_PER_BYTE:
        m->local_gap_per_byte = amount(name, value, 1e-9);
        break;
    case DOMAIN_OVERHEAD:
        m->local_overhead = amount(name, value, 1e-6);
        break;
    case DOMAIN_GAP:
        m->local_gap = amount(name, value, 1e-6);
        break;
    case NETWORK:
        if (!*value)
            tf_cmd_plan_refuse("--network is \"\"; it must be a machine's name, or a file of machines");
        given->network = value;
        break;
    case MACHINES:
        fputs(tf_cmd_machines, stdout);
        exit(EXIT_SUCCESS);
    case MEMORY:
        q->memory = true;
        break;
    case HELP:
        fputs(usage, stdout);
        exit(EXIT_SUCCESS);
    case '?': /* getopt_long() has said why */
        fprintf(stderr, "'treefold plan --help' tells more\n");
        exit(EXIT_FAILURE);
    default:
        take_network(q, id, name, value);
    }
}

static void find_collective(struct tf_plan_request *q, const char *name)
{
    char known[1024] = "";

    for (int coll = 0; coll < TF_NKINDS; coll++) {
        if (!tf_coll_exists(coll))
            continue;
        append(known, sizeof known, tf_coll_name(coll), ", ");
        if (strcmp(name, tf_coll_name(coll)) == 0) {
            q->call.coll = coll;
            return;
        }
    }
    tf_cmd_plan_refuse("there is no collective \"%s\"; there are %s", name, known);
}

static void find_algorithm(struct tf_plan_request *q, const char *name)
{
    char known[2048] = "";

    q->algo = tf_algo_find(q->call.coll, name);
    for (int i = 0; i < tf_algo_count; i++)
        if (tf_algos[i].coll == q->call.coll)
            append(known, sizeof known, tf_algos[i].name, ", ");
    if (!q->algo)
        tf_cmd_plan_refuse("%s has no algorithm \"%s\"; it has %s", tf_coll_name(q->call.coll), name, known);
    if (!tf_algo_fits(q->algo, q->call.size, q->call.commutes, q->call.elementwise))
        tf_cmd_plan_refuse("%s/%s needs %s; asked for are %d processes%s%s", tf_coll_name(q->call.coll), name,
                           tf_algo_needs(q->algo, known, sizeof known), q->call.size,
                           q->call.commutes ? "" : ", an operator that does not commute",
                           q->call.elementwise ? "" : ", an operator that takes whole vectors only");
}

static void check_groups(const struct tf_plan_request *q, const struct given *given)
{
    const char *name = tf_coll_name(q->call.coll);
    enum tf_coll base = tf_coll_base(q->call.coll);

    if (!tf_coll_is_inter(q->call.coll)) {
        if (q->call.first)
            tf_cmd_plan_refuse("--first: %s is not between two groups; inter_%s is", name, name);
        return;
    }
    if (q->call.first == 0)
        tf_cmd_plan_refuse("%s needs --first N, the number of ranks in the first of its two groups", name);
    if (q->call.first >= q->call.size)
        tf_cmd_plan_refuse("--first is %d; of %d processes that leaves none for the second group", q->call.first,
                           q->call.size);
    if (given->option[INPLACE])
        tf_cmd_plan_refuse("--inplace: %s does not take MPI_IN_PLACE", name);
    int32_t second = q->call.size - q->call.first;
    if ((base == TF_REDUCE_SCATTER || base == TF_REDUCE_SCATTER_BLOCK) &&
        (q->count % q->call.first || q->count % second))
        tf_cmd_plan_refuse("--count is %lld, for %s the whole vector; it must be a multiple of the sizes of both "
                           "groups, %d and %d",
                           (long long)q->count, name, q->call.first, second);
}

static void check_grid(const struct tf_plan_request *q, const struct given *given)
{
    bool neighbors = !q->grid_only && tf_coll_is_neighbor(q->call.coll);
    const char *name = tf_coll_name(q->call.coll);

    if (q->grid.ndims && tf_grid_size(&q->grid) != q->call.size)
        tf_cmd_plan_refuse("--np is %d, but the grid has %d places", q->call.size, tf_grid_size(&q->grid));
    if (!q->grid.ndims && (given->option[RINGS] || given->option[REORDER]))
        tf_cmd_plan_refuse("--%s goes with --grid", given->option[RINGS] ? "rings" : "reorder");
    if (q->grid_only)
        return;
    if (neighbors && !q->grid.ndims)
        tf_cmd_plan_refuse("%s goes by the neighbors of a topology; --grid says of which", name);
    if (neighbors && given->option[INPLACE])
        tf_cmd_plan_refuse("--inplace: %s does not take MPI_IN_PLACE", name);
    if (!neighbors && q->grid.ndims)
        tf_cmd_plan_refuse("--grid: %s does not go by neighbors", name);
}

static void check_call(const struct tf_plan_request *q, const struct given *given)
{
    const char *name = tf_coll_name(q->call.coll);
    bool barrier = tf_coll_base(q->call.coll) == TF_BARRIER;

    if (q->call.size == 0)
        tf_cmd_plan_refuse("%s needs --np P, the number of processes", name);
    if (!given->option[COUNT] && !barrier)
        tf_cmd_plan_refuse("%s needs --count N, the number of elements", name);
    if (given->option[COUNT] && barrier)
        tf_cmd_plan_refuse("a barrier has no data, and so no --count");
    if (q->count > INT64_MAX / 2 / q->call.size / (MPI_Count)q->unit)
        tf_cmd_plan_refuse("--count is %lld; %d processes times as many elements of %zu bytes are too many to add up",
                           (long long)q->count, q->call.size, q->unit);
    if (given->option[ROOT] && !tf_coll_is_rooted(q->call.coll))
        tf_cmd_plan_refuse("--root: %s has no root", name);
    if (q->call.root >= q->call.size)
        tf_cmd_plan_refuse("--root is %d; with %d processes it must be below %d", q->call.root, q->call.size,
                           q->call.size);
    if (q->rank >= q->call.size)
        tf_cmd_plan_refuse("--rank is %d; with %d processes it must be below %d", q->rank, q->call.size, q->call.size);
    check_groups(q, given);
    check_grid(q, given);
    if (given->option[INPLACE] && (barrier || q->call.coll == TF_BCAST))
        tf_cmd_plan_refuse("--inplace: %s does not take MPI_IN_PLACE", name);
    if (!given->algorithm && (q->svg || q->rank >= 0))
        tf_cmd_plan_refuse("%s goes with one algorithm; choose it with --algo", q->svg ? "--svg" : "--rank");
}

/* ---- the machine ---- */

struct machine {
    struct tf_plan_request *request;
    struct given *given;
};

static bool of_machine(int id)
{
    return (id >= LATENCY && id <= CHUNK) || id >= DOMAIN_LATENCY;
}

/* A line of a machine, which the command line goes before.  False: there is no such option, or not for a machine. */
static bool take_line(void *context, const char *key, const char *value)
{
    struct machine *machine = context;

    for (const struct option *o = options; o->name; o++)
        if (strcmp(o->name, key) == 0 && of_machine(o->val)) {
            if (!machine->given->option[o->val])
                take_option(machine->request, machine->given, o->val, key, value);
            return true;
        }
    return false;
}

/* Between the ranks of a domain and in links it is as elsewhere, where nothing else is said. */
static void complete_model(struct tf_plan_request *q, const struct given *given)
{
    struct tf_price_model *m = &q->model;

    m->local_latency = given->option[DOMAIN_LATENCY] ? m->local_latency : m->latency;
    m->local_overhead = given->option[DOMAIN_OVERHEAD] ? m->local_overhead : m->overhead;
    m->local_gap = given->option[DOMAIN_GAP] ? m->local_gap : m->gap;
    m->local_gap_per_byte = given->option[DOMAIN_GAP_PER_BYTE] ? m->local_gap_per_byte : m->gap_per_byte;
    m->link_gap_per_byte = given->option[LINK_GAP_PER_BYTE] ? m->link_gap_per_byte : m->gap_per_byte;
}

static void check_machine(const struct tf_plan_request *q, const struct given *given)
{
    bool network = given->option[TOPOLOGY];

    for (const struct option *o = options; o->name; o++) {
        if (!given->option[o->val])
            continue;
        if (o->val > TOPOLOGY && !network && !q->memory)
            tf_cmd_plan_refuse("--%s goes with --network or --topology", o->name);
        if (o->val >= DOMAIN_LATENCY && o->val <= DOMAIN_GAP_PER_BYTE && !q->each && !network)
            tf_cmd_plan_refuse("--%s goes with --domains or a network", o->name);
    }
    if (q->each && network)
        tf_cmd_plan_refuse(
            "--domains: in a network the domains are its nodes; --ranks-per-node says how large they are");
    if (given->option[NETWORK] && !network)
        tf_cmd_plan_refuse("--network %s says no topology", given->network);
    int32_t nodes = (q->call.size - 1) / q->ranks_per_node + 1;
    int error = network && q->call.size > 0 ? tf_network_check(&q->network, nodes) : MPI_SUCCESS;
    if (error)
        tf_cmd_plan_refuse("%s", tf_error_text(error));
}

static void take_machine(struct tf_plan_request *q, struct given *given)
{
    struct machine machine = {q, given};

    if (given->network)
        tf_cmd_plan_machine(given->network, take_line, &machine);
    complete_model(q, given);
    check_machine(q, given);
    if (given->option[TOPOLOGY])
        q->model.network = &q->network;
}

/* ---- all of it ---- */

/* The words that are no options: the collective and, it may be, how many bytes. */
static void take_words(struct tf_plan_request *q, struct given *given, char **words, int n)
{
    if (n == 0)
        tf_cmd_plan_refuse("which collective? 'treefold plan' lists them");
    if (n > 1 && !isdigit((unsigned char)words[1][0]))
        tf_cmd_plan_refuse("one collective at a time; there are \"%s\" and \"%s\"", words[0], words[1]);
    if (n > 2)
        tf_cmd_plan_refuse("after the collective and its bytes there is \"%s\"", words[2]);
    find_collective(q, words[0]);
    if (n == 1)
        return;
    if (given->option[COUNT])
        tf_cmd_plan_refuse("--count and \"%s\" both say how long the data are", words[1]);
    int64_t bytes = whole_number("BYTES", words[1], 0, INT64_MAX);
    if (bytes % (int64_t)q->unit)
        tf_cmd_plan_refuse("%lld bytes are no multiple of an element's, %zu; --type says how long that is",
                           (long long)bytes, q->unit);
    q->count = bytes / (int64_t)q->unit;
    given->option[COUNT] = true;
}

void tf_cmd_plan_parse(int argc, char **argv, struct tf_plan_request *request)
{
    static char name[] = "treefold plan";
    struct given given = {0};
    int id, index = 0;

    *request = (struct tf_plan_request){
        .call = {.commutes = true, .elementwise = true},
        .unit = 8,
        .rank = -1,
        .check = true,
        .ranks_per_node = 1,
        .network = {.taper = 1},
        .model = {.latency = 0.06e-6,
                  .overhead = 0.02e-6,
                  .gap = 0.02e-6,
                  .gap_per_byte = 0.04e-9,
                  .reduce_per_byte = 0.03e-9,
                  .copy_per_byte = 0.03e-9,
                  .chunk = 64 << 10,
                  .nics = 1},
    };
    argv[0] = name;
    while ((id = getopt_long(argc, argv, "n:", options, &index)) != -1) {
        if (id == 'n')
            take_option(request, &given, NP, "np", optarg);
        else
            take_option(request, &given, id, options[index].name, optarg);
    }
    request->list = argc == 1;
    if (request->list)
        return;
    if (request->grid.ndims && request->call.size == 0)
        request->call.size = (int32_t)tf_grid_size(&request->grid);
    request->grid_only = request->grid.ndims && argc == optind && !request->memory;
    if (!request->memory && !request->grid_only)
        take_words(request, &given, argv + optind, argc - optind);
    else if (request->call.size == 0)
        tf_cmd_plan_refuse("--memory needs --np P, the number of processes");
    take_machine(request, &given);
    if (request->memory)
        return;
    if (request->grid_only) {
        check_grid(request, &given);
        if (!request->each && request->ranks_per_node == 1)
            tf_cmd_plan_refuse("--grid without a collective needs --domains K, the ranks of a domain");
        return;
    }
    check_call(request, &given);
    if (given.algorithm)
        find_algorithm(request, given.algorithm);
}
