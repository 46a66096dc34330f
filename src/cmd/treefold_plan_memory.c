/* treefold_plan_memory.c - `treefold plan --memory`: what a process holds for the others of its job, by the sizes of
 * the library's own structures; and what plans take.
 */
#include <stdio.h>

#include "cmd/treefold.h"
#include "msg/peer.h"
#include "net/tcp/tcp.h"

/* Of how many there is one: all ranks, those of the node, those of other nodes that it talks with. */
enum of { JOB, NODE, TALKS };

enum {
    PEER = (sizeof(struct tf_msg_peer) + TF_CACHE_LINE - 1) / TF_CACHE_LINE * TF_CACHE_LINE,
    PAGE = 4096, /* of the table, for one peer: in a large job no two of them are neighbours */
};

struct row {
    const char *what;
    size_t bytes;
    enum of of;
    bool space; /* of address space: pages exist once they are used */
};

static const struct row rows[] = {
    {"the node of each rank, and its place there", 2 * sizeof(int32_t), JOB, false},
    {"MPI_COMM_WORLD: peers and their numbers", sizeof(struct tf_peer *) + sizeof(int), JOB, false},
    {"a further communicator of all, the same", sizeof(struct tf_peer *) + sizeof(int), JOB, false},
    {"domains of a communicator, for two levels", 2 * sizeof(int32_t), JOB, false},
    {"the table of peers (struct tf_msg_peer)", PEER, JOB, true},
    {"of it, a rank of the node", PEER, NODE, false},
    {"of it, a rank that is met: its page", PAGE, TALKS, false},
    {"rings to and from a rank of the node, cells", 2 * sizeof(struct tf_ring), NODE, true},
    {"rings to and from a rank of another node", 2 * (sizeof(struct tf_ring) + TF_TCP_CAPACITY), TALKS, true},
    {"a connection in use (struct tf_tcp_link)", sizeof(struct tf_tcp_link), TALKS, false},
    {"its rings: cells both ways", 2 * sizeof(struct tf_ring), TALKS, false},
};

static double count_of(const struct tf_plan_request *q, enum of of, double talks)
{
    int32_t size = q->call.size, node = q->ranks_per_node < size ? q->ranks_per_node : size;

    return of == JOB ? size : of == NODE ? node - 1 : talks;
}

/* What a rank takes that is never talked with. */
static size_t least(void)
{
    size_t bytes = 0;
    for (size_t i = 0; i < TF_ARRAY_LEN(rows); i++)
        bytes += rows[i].of == JOB && !rows[i].space ? rows[i].bytes : 0;
    return bytes;
}

static void print_amount(double bytes)
{
    char text[32];
    printf("  %12s", tf_cmd_bytes_text(bytes, text));
}

void tf_cmd_plan_memory(const struct tf_plan_request *q)
{
    static const char *const names[] = {"rank", "rank of the node", "of log2 p ranks"};
    double talks = 0, held = 0, space = 0;

    for (int64_t reach = 1; reach < q->call.size && q->ranks_per_node < q->call.size; reach *= 2)
        talks++;
    printf("What one of %d processes holds for the others, %d on a node\n\n", q->call.size, q->ranks_per_node);
    printf("    %-46s  %8s  %-16s  %12s\n", "", "bytes", "for each", "all");
    for (size_t i = 0; i < TF_ARRAY_LEN(rows); i++) {
        double all = (double)rows[i].bytes * count_of(q, rows[i].of, talks);
        printf("    %-46s  %8zu  %-16s", rows[i].what, rows[i].bytes, names[rows[i].of]);
        print_amount(all);
        printf("%s\n", rows[i].space ? "  of address space" : "");
        *(rows[i].space ? &space : &held) += all;
    }
    printf("    %-46s  %8zu  %-16s", "of all this, a rank it never talks with", least(), names[JOB]);
    print_amount((double)least() * q->call.size);
    printf("\n    %-46s  %8s  %-16s", "memory", "", "");
    print_amount(held);
    printf("\n    %-46s  %8s  %-16s", "address space besides", "", "");
    print_amount(space);
    printf("\n");
}
