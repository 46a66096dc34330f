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
    "\n"
    "Prints the plan of one call, proves it, and prices it under a LogGP model.\n"
    "\n"
    "The call\n"
    "  --np P                processes\n"
    "  --count N             elements: of the vector, or of each block where every process has its own\n"
    "  --type BYTES          bytes an element (8)\n"
    "  --root R              (0)\n"
    "  --inplace             with MPI_IN_PLACE\n"
    "  --ordered             the operator does not commute\n"
    "  --whole               the operator takes whole vectors only, as a user's does\n"
    "  --first N             ranks of the first group of an intercommunicator, the others are the second\n"
    "  --radix K             the algorithm's parameter (radix, segments or window; its default)\n"
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
    "  --domain-latency L    the same between ranks of a domain, where there are --domains (as between others)\n"
    "  --domain-gap-per-byte G\n"
    "  --chunk BYTES         longer messages are combined and passed on in such pieces (64K)\n"
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
    DOMAIN_LATENCY,
    DOMAIN_GAP_PER_BYTE,
    HELP
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

/* What is known only when all of the command line is read. */
struct given {
    const char *collective, *algorithm;
    bool root, inplace, count, domain_latency, domain_gap_per_byte;
};

static void take_option(struct tf_plan_request *q, struct given *given, int id, const char *name)
{
    struct tf_price_model *m = &q->model;

    switch (id) {
    case ALGO:
        given->algorithm = optarg;
        break;
    case NP:
        q->call.size = (int32_t)whole_number(name, optarg, 1, 1 << 30);
        break;
    case COUNT:
        q->count = whole_number(name, optarg, 0, INT64_MAX);
        given->count = true;
        break;
    case TYPE:
        q->unit = (size_t)whole_number(name, optarg, 1, INT32_MAX);
        break;
    case ROOT:
        q->call.root = (int32_t)whole_number(name, optarg, 0, INT32_MAX);
        given->root = true;
        break;
    case INPLACE:
        given->inplace = q->call.inplace = true;
        break;
    case ORDERED:
        q->call.commutes = false;
        break;
    case WHOLE:
        q->call.elementwise = false;
        break;
    case FIRST:
        q->call.first = (int32_t)whole_number(name, optarg, 1, INT32_MAX);
        break;
    case RADIX:
        q->radix = (int32_t)whole_number(name, optarg, 1, INT32_MAX);
        break;
    case DOMAINS:
        q->each = (int32_t)whole_number(name, optarg, 1, INT32_MAX);
        break;
    case RANK:
        q->rank = (int32_t)whole_number(name, optarg, 0, INT32_MAX);
        break;
    case NO_CHECK:
        q->check = false;
        break;
    case SVG:
        q->svg = optarg;
        break;
    case LATENCY:
        m->latency = amount(name, optarg, 1e-6);
        break;
    case OVERHEAD:
        m->overhead = amount(name, optarg, 1e-6);
        break;
    case GAP:
        m->gap = amount(name, optarg, 1e-6);
        break;
    case GAP_PER_BYTE:
        m->gap_per_byte = amount(name, optarg, 1e-9);
        break;
    case REDUCE_PER_BYTE:
        m->reduce_per_byte = amount(name, optarg, 1e-9);
        break;
    case COPY_PER_BYTE:
        m->copy_per_byte = amount(name, optarg, 1e-9);
        break;
    case CHUNK:
        m->chunk = (size_t)whole_number(name, optarg, 1, INT64_MAX);
        break;
    case DOMAIN_LATENCY:
        m->local_latency = amount(name, optarg, 1e-6);
        given->domain_latency = true;
        break;
    case DOMAIN_GAP_PER_BYTE:
        m->local_gap_per_byte = amount(name, optarg, 1e-9);
        given->domain_gap_per_byte = true;
        break;
    case HELP:
        fputs(usage, stdout);
        exit(EXIT_SUCCESS);
    default: /* getopt_long() has said why */
        fprintf(stderr, "'treefold plan --help' tells more\n");
        exit(EXIT_FAILURE);
    }
}

static void append(char *text, size_t capacity, const char *words, const char *between)
{
    size_t used = strlen(text);

    snprintf(text + used, capacity - used, "%s%s", used ? between : "", words);
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
    for (int i = 0; i < tf_nalgos; i++)
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
    if (given->inplace)
        tf_cmd_plan_refuse("--inplace: %s does not take MPI_IN_PLACE", name);
    int32_t second = q->call.size - q->call.first;
    if ((base == TF_REDUCE_SCATTER || base == TF_REDUCE_SCATTER_BLOCK) &&
        (q->count % q->call.first || q->count % second))
        tf_cmd_plan_refuse("--count is %lld, for %s the whole vector; it must be a multiple of the sizes of both "
                           "groups, %d and %d",
                           (long long)q->count, name, q->call.first, second);
}

static void check_call(const struct tf_plan_request *q, const struct given *given)
{
    const char *name = tf_coll_name(q->call.coll);
    bool barrier = tf_coll_base(q->call.coll) == TF_BARRIER;

    if (q->call.size == 0)
        tf_cmd_plan_refuse("%s needs --np P, the number of processes", name);
    if (!given->count && !barrier)
        tf_cmd_plan_refuse("%s needs --count N, the number of elements", name);
    if (given->count && barrier)
        tf_cmd_plan_refuse("a barrier has no data, and so no --count");
    if (q->count > INT64_MAX / 2 / q->call.size / (MPI_Count)q->unit)
        tf_cmd_plan_refuse("--count is %lld; %d processes times as many elements of %zu bytes are too many to add up",
                           (long long)q->count, q->call.size, q->unit);
    if (given->root && !tf_coll_is_rooted(q->call.coll))
        tf_cmd_plan_refuse("--root: %s has no root", name);
    if (q->call.root >= q->call.size)
        tf_cmd_plan_refuse("--root is %d; with %d processes it must be below %d", q->call.root, q->call.size,
                           q->call.size);
    if (q->rank >= q->call.size)
        tf_cmd_plan_refuse("--rank is %d; with %d processes it must be below %d", q->rank, q->call.size, q->call.size);
    check_groups(q, given);
    if (given->inplace && (barrier || q->call.coll == TF_BCAST))
        tf_cmd_plan_refuse("--inplace: %s does not take MPI_IN_PLACE", name);
    if ((given->domain_latency || given->domain_gap_per_byte) && !q->each)
        tf_cmd_plan_refuse("--domain-%s goes with --domains", given->domain_latency ? "latency" : "gap-per-byte");
    if (!given->algorithm && (q->svg || q->rank >= 0))
        tf_cmd_plan_refuse("%s goes with one algorithm; choose it with --algo", q->svg ? "--svg" : "--rank");
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
        .model = {.latency = 0.06e-6,
                  .overhead = 0.02e-6,
                  .gap = 0.02e-6,
                  .gap_per_byte = 0.04e-9,
                  .reduce_per_byte = 0.03e-9,
                  .copy_per_byte = 0.03e-9,
                  .chunk = 64 << 10},
    };
    argv[0] = name;
    while ((id = getopt_long(argc, argv, "", options, &index)) != -1)
        take_option(request, &given, id, options[index].name);
    request->list = argc == 1;
    if (request->list)
        return;
    if (optind == argc)
        tf_cmd_plan_refuse("which collective? 'treefold plan' lists them");
    if (optind + 1 < argc)
        tf_cmd_plan_refuse("one collective at a time; there are \"%s\" and \"%s\"", argv[optind], argv[optind + 1]);
    if (!given.domain_latency)
        request->model.local_latency = request->model.latency;
    if (!given.domain_gap_per_byte)
        request->model.local_gap_per_byte = request->model.gap_per_byte;
    find_collective(request, argv[optind]);
    check_call(request, &given);
    if (given.algorithm)
        find_algorithm(request, given.algorithm);
}
