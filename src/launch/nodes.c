/* nodes.c - finding the nodes of the job: what each rank's node is called is combined to runs of ranks with one name,
 * of which rank 0 makes runs of nodes.
 */
#include "launch/nodes.h"

#include <stdio.h>
#include <sys/stat.h>

#include "base/settings.h"
#include "launch/combine.h"
#include "launch/launch.h"

/* So many adjacent ranks of a node; of name JOINED such as were there before. */
enum { JOINED };
struct run {
    uint64_t name;
    int64_t ranks;
};

/* Adjacent ranks in order: `ranks` of node `first`, as many of the next one, and so on. */
struct span {
    int32_t first, nodes, ranks;
};

struct tf_nodes tf_nodes = {.count = 1, .size = 1};

static uint64_t own_name(int node_size, uint64_t job)
{
    static const char *const namespaces[] = {"/proc/self/ns/pid", "/proc/self/ns/user", "/proc/self/ns/net"};
    char boot[40] = "", number[24];
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (f && fscanf(f, "%39s", boot) != 1)
        boot[0] = '\0';
    if (f)
        fclose(f);
    uint64_t h = tf_launch_hash(TF_LAUNCH_HASH, boot);
    for (size_t i = 0; i < TF_ARRAY_LEN(namespaces); i++) {
        struct stat ns = {0};
        stat(namespaces[i], &ns);
        snprintf(number, sizeof number, "/%llu", (unsigned long long)ns.st_ino);
        h = tf_launch_hash(h, number);
    }
    if (node_size > 0) {
        snprintf(number, sizeof number, "#%d", tf_job.rank / node_size);
        h = tf_launch_hash(h, number) ^ job;
    }
    return h == JOINED ? 1 : h;
}

/* ---- what is told ---- */

static int merge(struct tf_facts *into, const struct tf_facts *from)
{
    size_t n = into->length / sizeof(struct run), more = from->length / sizeof(struct run);
    if (more == 0 || from->length % sizeof(struct run))
        return tf_error(MPI_ERR_INTERN, "the names of nodes are %zu bytes long", from->length);
    struct run *runs = realloc(into->bytes, into->length + from->length);
    if (!runs)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate the names of %zu nodes", n + more);
    memcpy(runs + n, from->bytes, from->length);
    into->bytes = runs;
    if (runs[n - 1].name == runs[n].name) {
        runs[n - 1].ranks += runs[n].ranks;
        memmove(runs + n, runs + n + 1, (--more) * sizeof *runs);
    }
    into->length = (n + more) * sizeof *runs;
    return MPI_SUCCESS;
}

/* The number of a name: nodes are numbered as they come.  `table` has a power of two of places, more than names. */
struct place {
    uint64_t name;
    int32_t number; /* from 1; 0: free */
};

static int32_t number_of(struct place *table, size_t places, uint64_t name, int32_t *nodes)
{
    size_t at = name & (places - 1);
    while (table[at].number && table[at].name != name)
        at = (at + 1) & (places - 1);
    if (!table[at].number)
        table[at] = (struct place){.name = name, .number = ++*nodes};
    return table[at].number - 1;
}

static size_t write_spans(const struct run *runs, size_t n, struct place *table, size_t places, struct span *spans)
{
    int32_t nodes = 0;
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t node = number_of(table, places, runs[i].name, &nodes);
        struct span *last = used ? &spans[used - 1] : NULL;
        if (last && last->ranks == runs[i].ranks && last->first + last->nodes == node)
            last->nodes++;
        else
            spans[used++] = (struct span){.first = node, .nodes = 1, .ranks = (int32_t)runs[i].ranks};
    }
    return used;
}

/* No span of nodes: the number of the first is JOINED_NODE. */
enum { JOINED_NODE = -1 };

static int conclude_joined(struct tf_facts *facts)
{
    struct span *span = tf_alloc(sizeof *span, "the nodes of the job");
    if (!span)
        return MPI_ERR_NO_MEM;
    *span = (struct span){.first = JOINED_NODE};
    free(facts->bytes);
    *facts = (struct tf_facts){span, sizeof *span};
    return MPI_SUCCESS;
}

static int conclude(struct tf_facts *facts)
{
    const struct run *runs = facts->bytes;
    size_t n = facts->length / sizeof(struct run), places = 2;
    for (size_t i = 0; i < n; i++)
        if (runs[i].name == JOINED)
            return conclude_joined(facts);
    while (places < 2 * n)
        places *= 2;
    struct place *table = calloc(places, sizeof *table);
    struct span *spans = tf_alloc(n * sizeof *spans, "the nodes of the job");
    if (!table || !spans) {
        free(table);
        free(spans);
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate a table of %zu nodes", n);
    }
    facts->length = write_spans(runs, n, table, places, spans) * sizeof *spans;
    free(facts->bytes);
    facts->bytes = spans;
    free(table);
    return MPI_SUCCESS;
}

/* ---- what is learnt ---- */

/* Whether the spans tell the node of each rank; how many nodes there are. */
static bool count_nodes(const struct span *spans, size_t n)
{
    int64_t ranks = 0;
    tf_nodes.count = 0;
    for (size_t i = 0; i < n; i++) {
        const struct span *s = &spans[i];
        if (s->first < 0 || s->first > tf_nodes.count || s->nodes < 1 || s->ranks < 1 ||
            ranks + (int64_t)s->nodes * s->ranks > tf_job.size)
            return false;
        ranks += (int64_t)s->nodes * s->ranks;
        tf_nodes.count = s->first + s->nodes > tf_nodes.count ? s->first + s->nodes : tf_nodes.count;
    }
    return ranks == tf_job.size;
}

static void read_spans(const struct span *spans, size_t n)
{
    int rank = 0;
    for (size_t i = 0; i < n; i++)
        for (int32_t node = 0; node < spans[i].nodes; node++)
            for (int32_t r = 0; r < spans[i].ranks; r++)
                tf_nodes.of[rank++] = spans[i].first + node;
}

static int count_places(void)
{
    int32_t *ranks = calloc((size_t)tf_nodes.count, sizeof *ranks);
    if (!ranks)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate the sizes of %d nodes", tf_nodes.count);
    for (int r = 0; r < tf_job.size; r++)
        tf_nodes.place[r] = ranks[tf_nodes.of[r]]++;
    tf_nodes.size = ranks[tf_nodes.of[tf_job.rank]];
    for (tf_nodes.first = 0; tf_nodes.of[tf_nodes.first] != tf_nodes.of[tf_job.rank];)
        tf_nodes.first++;
    free(ranks);
    return MPI_SUCCESS;
}

static int make_tables(void)
{
    size_t bytes = (size_t)tf_job.size * sizeof(int32_t);
    tf_nodes.of = tf_alloc(bytes, "the nodes of the job");
    tf_nodes.place = tf_alloc(bytes, "the nodes of the job");
    return tf_nodes.of && tf_nodes.place ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static int learn(const struct tf_facts *facts)
{
    const struct span *spans = facts->bytes;
    size_t n = facts->length / sizeof *spans;
    if (n == 1 && spans->first == JOINED_NODE)
        return tf_launch_nodes_join();
    if (!count_nodes(spans, n))
        return tf_error(MPI_ERR_INTERN, "what rank 0 has published does not tell the nodes of %d ranks", tf_job.size);
    if (tf_nodes.count == 1)
        return MPI_SUCCESS;
    if (make_tables())
        return MPI_ERR_NO_MEM;
    read_spans(spans, n);
    return count_places();
}

static int stand_apart(void)
{
    tf_nodes = (struct tf_nodes){.count = tf_job.size, .size = 1, .first = tf_job.rank, .joined = true};
    if (make_tables())
        return MPI_ERR_NO_MEM;
    for (int r = 0; r < tf_job.size; r++) {
        tf_nodes.of[r] = r;
        tf_nodes.place[r] = 0;
    }
    return MPI_SUCCESS;
}

int tf_launch_nodes_join(void)
{
    tf_launch_nodes_close();
    if (!tf_launch_has_memory())
        return stand_apart();
    tf_nodes = (struct tf_nodes){.count = 1, .size = tf_job.size, .joined = true};
    return MPI_SUCCESS;
}

int tf_launch_nodes_open(int node_size)
{
    bool joined = tf_nodes.joined;
    static const struct tf_combine how = {.key = "treefold-nodes", .merge = merge, .conclude = conclude};
    struct tf_facts facts = {.length = sizeof(struct run)};
    tf_launch_nodes_close();
    tf_nodes = (struct tf_nodes){.count = 1, .size = tf_job.size};
    if (tf_job.size == 1)
        return MPI_SUCCESS;
    struct run *own = facts.bytes = tf_alloc(sizeof *own, "the name of a node");
    if (!own)
        return MPI_ERR_NO_MEM;
    *own = (struct run){.name = joined ? JOINED : own_name(node_size, 0), .ranks = 1};
    int err = tf_launch_combine(&how, &facts);
    if (!err)
        err = learn(&facts);
    if (err)
        tf_launch_nodes_close();
    free(facts.bytes);
    return err;
}

uint64_t tf_launch_nodes_name(void)
{
    return own_name((int)tf_settings.node_size, tf_job.id);
}

void tf_launch_nodes_close(void)
{
    free(tf_nodes.of);
    free(tf_nodes.place);
    tf_nodes = (struct tf_nodes){.count = 1, .size = 1};
}
