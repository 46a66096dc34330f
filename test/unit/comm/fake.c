/* fake.c - see fake.h. */
#include "fake.h"

#include "coll/coll.h"
#include "comm/part.h"
#include "fake_others.h"
#include "msg/lost.h"
#include "msg/msg.h"
#include "net/net.h"

const void *(*fake_allgather)(int rank);
int fake_matches, fake_colls, fake_sends;

/* ---- net/, msg/ and coll/ behind a communicator ---- */

struct tf_peer *tf_net_peer(int process)
{
    static struct tf_peer peers[64];
    peers[process].rank = process;
    return &peers[process];
}

int tf_net_node(int process)
{
    (void)process;
    return 0;
}

bool tf_net_is_open(void)
{
    return true;
}

int tf_net_open_self(void)
{
    return MPI_SUCCESS;
}

int tf_net_local_size(void)
{
    return tf_job.size;
}

static int create_match(struct tf_comm *comm)
{
    fake_matches++;
    comm->match = (struct tf_match *)comm;
    return MPI_SUCCESS;
}

static void destroy_match(struct tf_comm *comm)
{
    fake_matches -= comm->match != NULL;
}

static int create_colls(struct tf_comm *comm)
{
    fake_colls++;
    comm->colls = (struct tf_colls *)comm;
    return MPI_SUCCESS;
}

static void destroy_colls(struct tf_comm *comm)
{
    fake_colls -= comm->colls != NULL;
}

static const struct tf_part match = {.create = create_match, .destroy = destroy_match};
static const struct tf_part colls = {.create = create_colls, .destroy = destroy_colls};

/* ---- ranks ---- */

void fake_rank(int rank, int size)
{
    tf_job.rank = rank;
    tf_job.size = size;
    tf_part_hang(TF_PART_MATCH, &match);
    tf_part_hang(TF_PART_COLLS, &colls);
    if (tf_comm_setup())
        abort();
    tf_library.users = 1;
}

void fake_leave(void)
{
    tf_comm_teardown();
    tf_library.users = 0;
}

/* ---- what they communicate: rank 0 is played first ---- */

int tf_coll_bcast_bytes(struct tf_comm *comm, enum tf_caller caller, void *buffer, size_t bytes, int root)
{
    static char kept[64];
    (void)caller;
    if (comm->rank == root)
        memcpy(kept, buffer, bytes);
    else
        memcpy(buffer, kept, bytes);
    return MPI_SUCCESS;
}

int tf_coll_allgather_bytes(struct tf_comm *comm, enum tf_caller caller, const void *mine, size_t bytes, void *all)
{
    /* Rank 0's whole contribution is kept; of the others the color and key suffice. */
    static char first[64];
    (void)caller;
    if (comm->rank == 0)
        memcpy(first, mine, bytes);
    memcpy(all, first, bytes);
    for (int r = 0; r < comm->size && fake_allgather; r++)
        memcpy((char *)all + (size_t)r * bytes, fake_allgather(r), 2 * sizeof(int));
    memcpy((char *)all + (size_t)comm->rank * bytes, mine, bytes);
    return MPI_SUCCESS;
}

static struct {
    int (*done)(void *context, int err);
    void *context;
} begun;

int tf_coll_max(struct tf_comm *comm, enum tf_caller caller, uint64_t mine, uint64_t *result)
{
    static uint64_t first;
    (void)caller;
    if (comm->rank == 0)
        first = mine;
    *result = mine > first ? mine : first;
    return MPI_SUCCESS;
}

int tf_coll_barrier(struct tf_comm *comm, enum tf_caller caller)
{
    (void)comm, (void)caller;
    return MPI_SUCCESS;
}

int tf_coll_give_up(struct tf_comm *comm, int err)
{
    (void)comm;
    return err;
}

int tf_coll_max_then(struct tf_comm *comm, enum tf_caller caller, uint64_t *word, int (*done)(void *context, int err),
                     void *context, MPI_Request *request)
{
    begun.done = done;
    begun.context = context;
    *request = (MPI_Request)(uintptr_t)1;
    return tf_coll_max(comm, caller, *word, word);
}

int fake_complete(void)
{
    return begun.done(begun.context, MPI_SUCCESS);
}

/* A mailbox for each receiver: the ranks of a tree are played from the root on, so that what goes up is not there yet.
 */
static struct {
    int source, tag;
    char bytes[64];
} mailbox[64];

int tf_send(const void *buf, MPI_Count count, struct tf_type *type, int dest, int tag, struct tf_comm *comm,
            enum tf_send_mode mode)
{
    (void)type, (void)mode;
    fake_sends++;
    mailbox[dest].source = comm->rank;
    mailbox[dest].tag = tag;
    memcpy(mailbox[dest].bytes, buf, (size_t)count);
    return MPI_SUCCESS;
}

int tf_recv(void *buf, MPI_Count count, struct tf_type *type, int source, int tag, struct tf_comm *comm,
            MPI_Status *status)
{
    (void)type, (void)status;
    if (mailbox[comm->rank].source != source || mailbox[comm->rank].tag != tag) {
        memset(buf, 0, (size_t)count);
        return MPI_SUCCESS;
    }
    memcpy(buf, mailbox[comm->rank].bytes, (size_t)count);
    return MPI_SUCCESS;
}

/* Nobody is bound to anything. */
void tf_net_processors(int world_rank, struct tf_processors *set)
{
    (void)world_rank;
    memset(set, 0xff, sizeof *set);
}

/* ---- nobody dies ---- */

int tf_failure_count;
const struct tf_net tf_net_dead;

const char *tf_failure_words(const struct tf_peer *peer)
{
    (void)peer;
    return "nobody";
}

int tf_lost_error(const struct tf_comm *comm, const struct tf_peer *peer)
{
    (void)comm, (void)peer;
    return MPIX_ERR_PROC_FAILED;
}

int tf_lost_count(const struct tf_comm *comm)
{
    (void)comm;
    return 0;
}

void tf_lost_acknowledge(struct tf_comm *comm, int n)
{
    (void)comm, (void)n;
}

void tf_lost_break(struct tf_match *match, int err)
{
    (void)match, (void)err;
}
