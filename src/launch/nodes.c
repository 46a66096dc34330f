/* nodes.c - finding the nodes of the job: every rank publishes what its node is called, rank 0 compares and publishes
 * the answer.
 *
 *     treefold-node-RANK    the name of the rank's node, 16 digits
 *     treefold-nodes        "1", or the number of nodes and of pieces, "4,2"
 *     treefold-nodes-PIECE  nodes of the ranks in order, "0*8,1*8,": 8 ranks of node 0, then 8 of node 1
 *
 * Two barriers, and p + 1 look-ups in all where there is one node.
 */
#include "launch/nodes.h"

#include <stdio.h>
#include <sys/stat.h>

#include "launch/launch.h"

enum { VALUE = 256, NAME = 20 };

struct tf_nodes tf_nodes = {.count = 1, .size = 1};

static uint64_t hash(uint64_t h, const char *text)
{
    for (; *text; text++) /* FNV-1a */
        h = (h ^ (unsigned char)*text) * 0x100000001b3;
    return h;
}

static void own_name(int node_size, char name[NAME])
{
    static const char *const namespaces[] = {"/proc/self/ns/pid", "/proc/self/ns/user", "/proc/self/ns/net"};
    char boot[40] = "", number[24];
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (f && fscanf(f, "%39s", boot) != 1)
        boot[0] = '\0';
    if (f)
        fclose(f);
    uint64_t h = hash(0xcbf29ce484222325, boot);
    for (size_t i = 0; i < TF_ARRAY_LEN(namespaces); i++) {
        struct stat ns = {0};
        stat(namespaces[i], &ns);
        snprintf(number, sizeof number, "/%llu", (unsigned long long)ns.st_ino);
        h = hash(h, number);
    }
    if (node_size > 0) {
        snprintf(number, sizeof number, "#%d", tf_world.rank / node_size);
        h = hash(h, number);
    }
    snprintf(name, NAME, "%016llx", (unsigned long long)h);
}

static int allocate(void)
{
    size_t bytes = (size_t)tf_world.size * sizeof(int32_t);
    tf_nodes.of = tf_alloc(bytes, "the nodes of the job");
    tf_nodes.place = tf_alloc(bytes, "the nodes of the job");
    return tf_nodes.of && tf_nodes.place ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* ---- rank 0 ---- */

static int name_of(int rank, char name[NAME])
{
    char key[40];
    snprintf(key, sizeof key, "treefold-node-%d", rank);
    return tf_launch_get(rank, key, name, NAME);
}

/* The node of each rank; equal names are found by looking through the nodes, the latest first. */
static int compare_names(void)
{
    char(*names)[NAME] = tf_alloc((size_t)tf_world.size * NAME, "the names of nodes");
    int err = names ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    tf_nodes.count = 0;
    for (int r = 0; r < tf_world.size && !err; r++) {
        int node = tf_nodes.count - 1;
        err = name_of(r, names[tf_nodes.count]);
        while (node >= 0 && strcmp(names[node], names[tf_nodes.count]) != 0)
            node--;
        tf_nodes.of[r] = node >= 0 ? node : tf_nodes.count++;
    }
    free(names);
    return err;
}

static int put_piece(int *pieces, char *piece)
{
    char key[40];
    snprintf(key, sizeof key, "treefold-nodes-%d", (*pieces)++);
    int err = tf_launch_put(key, piece);
    *piece = '\0';
    return err;
}

static int publish(void)
{
    char piece[VALUE] = "", run[40];
    int pieces = 0, err = MPI_SUCCESS;
    for (int r = 0, n; r < tf_world.size && !err; r += n) {
        for (n = 1; r + n < tf_world.size && tf_nodes.of[r + n] == tf_nodes.of[r]; n++)
            ;
        int length = snprintf(run, sizeof run, "%d*%d,", tf_nodes.of[r], n);
        if (strlen(piece) + (size_t)length >= sizeof piece)
            err = put_piece(&pieces, piece);
        strcat(piece, run);
    }
    if (!err && tf_nodes.count > 1)
        err = put_piece(&pieces, piece);
    snprintf(run, sizeof run, tf_nodes.count > 1 ? "%d,%d" : "%d", tf_nodes.count, pieces);
    return err ? err : tf_launch_put("treefold-nodes", run);
}

/* ---- the others ---- */

static int garbled(const char *value)
{
    return tf_error(MPI_ERR_OTHER, "rank 0 has published \"%s\", which does not tell the nodes of %d ranks", value,
                    tf_world.size);
}

static int take_piece(const char *piece, int *rank)
{
    int node, n, length;
    for (const char *at = piece; *at; at += length) {
        if (sscanf(at, "%d*%d,%n", &node, &n, &length) != 2 || node < 0 || node >= tf_nodes.count || n < 1 ||
            n > tf_world.size - *rank)
            return garbled(piece);
        while (n-- > 0)
            tf_nodes.of[(*rank)++] = node;
    }
    return MPI_SUCCESS;
}

static int learn(void)
{
    char value[VALUE], key[40];
    int pieces = 0, rank = 0, err = tf_launch_get(0, "treefold-nodes", value, sizeof value);
    if (err)
        return err;
    int n = sscanf(value, "%d,%d", &tf_nodes.count, &pieces);
    if (n < 1 || tf_nodes.count < 1 || tf_nodes.count > tf_world.size)
        return garbled(value);
    if (tf_nodes.count == 1)
        return MPI_SUCCESS;
    err = allocate();
    for (int i = 0; i < pieces && !err; i++) {
        snprintf(key, sizeof key, "treefold-nodes-%d", i);
        err = tf_launch_get(0, key, value, sizeof value);
        if (!err)
            err = take_piece(value, &rank);
    }
    return err || rank == tf_world.size ? err : garbled(value);
}

/* ---- both ---- */

static int count_places(void)
{
    int32_t *ranks = calloc((size_t)tf_nodes.count, sizeof *ranks);
    if (!ranks)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate the sizes of %d nodes", tf_nodes.count);
    for (int r = 0; r < tf_world.size; r++)
        tf_nodes.place[r] = ranks[tf_nodes.of[r]]++;
    tf_nodes.size = ranks[tf_nodes.of[tf_world.rank]];
    for (tf_nodes.first = 0; tf_nodes.of[tf_nodes.first] != tf_nodes.of[tf_world.rank];)
        tf_nodes.first++;
    free(ranks);
    return MPI_SUCCESS;
}

static int find(void)
{
    int err = tf_launch_barrier();
    if (!err && tf_world.rank == 0)
        err = allocate();
    if (!err && tf_world.rank == 0)
        err = compare_names();
    if (!err && tf_world.rank == 0)
        err = publish();
    if (!err)
        err = tf_launch_barrier();
    if (!err && tf_world.rank > 0)
        err = learn();
    return err;
}

int tf_launch_nodes_open(int node_size)
{
    char name[NAME], key[40];
    tf_nodes = (struct tf_nodes){.count = 1, .size = tf_world.size};
    if (tf_world.size == 1)
        return MPI_SUCCESS;
    own_name(node_size, name);
    snprintf(key, sizeof key, "treefold-node-%d", tf_world.rank);
    int err = tf_launch_put(key, name);
    if (!err)
        err = find();
    if (!err && tf_nodes.count > 1)
        err = count_places();
    if (err || tf_nodes.count == 1) {
        free(tf_nodes.of);
        free(tf_nodes.place);
        tf_nodes.of = tf_nodes.place = NULL;
    }
    return err;
}

void tf_launch_nodes_close(void)
{
    free(tf_nodes.of);
    free(tf_nodes.place);
    tf_nodes = (struct tf_nodes){.count = 1, .size = 1};
}
