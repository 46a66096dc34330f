/* MPI_THREAD_MULTIPLE: eight threads, each of which makes objects of its own and uses them, calls collectives of all
 * kinds on a communicator of its own, and exchanges messages of all sizes on one that all of them share.
 *
 * np: 1 2 3
 * flags: -pthread
 */
#include "check.h"
#include <pthread.h>

enum { THREADS = 8, TURNS = 12, MOST = 30000 };
static MPI_Comm comms[THREADS];

/* What one thread works with. */
struct scene {
    int id, turn, n, size, *in, *out;
    MPI_Comm comm;
};

static int item(const struct scene *scene, int rank, int i)
{
    return (rank + 1) * (scene->id + 3) + 7 * i + scene->turn;
}

static void fill(const struct scene *scene)
{
    for (int i = 0; i < scene->n; i++)
        scene->in[i] = item(scene, check_rank, i);
    memset(scene->out, 0xff, scene->n * scene->size * sizeof(int));
}

/* `blocks` blocks of n elements: block k has those of rank first + k. */
static void expect_blocks(const struct scene *scene, const char *what, int first, int blocks)
{
    int wrong = 0;
    for (int k = 0; k < blocks; k++)
        for (int i = 0; i < scene->n; i++)
            wrong += scene->out[k * scene->n + i] != item(scene, first + k, i);
    CHECK_NOTED(wrong == 0, "%s of thread %d, turn %d: %d wrong", what, scene->id, scene->turn, wrong);
}

/* The sum over the first `ranks` ranks. */
static void expect_sum(const struct scene *scene, const char *what, int ranks)
{
    int wrong = 0;
    for (int i = 0; i < scene->n; i++) {
        int sum = 0;
        for (int k = 0; k < ranks; k++)
            sum += item(scene, k, i);
        wrong += scene->out[i] != sum;
    }
    CHECK_NOTED(wrong == 0, "%s of thread %d, turn %d: %d wrong", what, scene->id, scene->turn, wrong);
}

static void add(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *len; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void moves(const struct scene *scene)
{
    int root = scene->turn % scene->size;
    fill(scene);
    CHECK_OK(MPI_Allgather(scene->in, scene->n, MPI_INT, scene->out, scene->n, MPI_INT, scene->comm));
    expect_blocks(scene, "allgather", 0, scene->size);
    fill(scene);
    CHECK_OK(MPI_Gather(scene->in, scene->n, MPI_INT, scene->out, scene->n, MPI_INT, root, scene->comm));
    if (check_rank == root)
        expect_blocks(scene, "gather", 0, scene->size);
    fill(scene);
    if (check_rank == root)
        memcpy(scene->out, scene->in, scene->n * sizeof(int));
    CHECK_OK(MPI_Bcast(scene->out, scene->n, MPI_INT, root, scene->comm));
    expect_blocks(scene, "bcast", root, 1);
    CHECK_OK(MPI_Barrier(scene->comm));
}

static void reductions(const struct scene *scene)
{
    MPI_Op op = MPI_OP_NULL;
    MPI_Request requests[2];
    CHECK_OK(MPI_Op_create(add, 1, &op));
    fill(scene);
    CHECK_OK(MPI_Allreduce(scene->in, scene->out, scene->n, MPI_INT, op, scene->comm));
    expect_sum(scene, "allreduce with a function", scene->size);
    CHECK_OK(MPI_Op_free(&op));
    fill(scene);
    CHECK_OK(MPI_Scan(scene->in, scene->out, scene->n, MPI_INT, MPI_SUM, scene->comm));
    expect_sum(scene, "scan", check_rank + 1);
    fill(scene);
    CHECK_OK(MPI_Iallreduce(scene->in, scene->out, scene->n, MPI_INT, MPI_SUM, scene->comm, &requests[0]));
    CHECK_OK(MPI_Ibarrier(scene->comm, &requests[1]));
    CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    expect_sum(scene, "iallreduce", scene->size);
    fill(scene);
    CHECK_OK(
        MPI_Allreduce_init(scene->in, scene->out, scene->n, MPI_INT, MPI_SUM, scene->comm, MPI_INFO_NULL, requests));
    CHECK_OK(MPI_Start(requests));
    CHECK_OK(MPI_Wait(requests, MPI_STATUS_IGNORE));
    expect_sum(scene, "persistent allreduce", scene->size);
    CHECK_OK(MPI_Request_free(requests));
}

/* The communicator is of all threads, the tag is the thread's. */
static void messages(const struct scene *scene)
{
    int right = (check_rank + 1) % scene->size, left = (check_rank + scene->size - 1) % scene->size;
    MPI_Datatype pairs = MPI_DATATYPE_NULL;
    CHECK_OK(MPI_Type_vector(scene->n / 2, 2, 4, MPI_INT, &pairs));
    CHECK_OK(MPI_Type_commit(&pairs));
    fill(scene);
    CHECK_OK(MPI_Sendrecv(scene->in, scene->n, MPI_INT, right, scene->id, scene->out, scene->n, MPI_INT, left,
                          scene->id, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    expect_blocks(scene, "sendrecv", left, 1);
    if (scene->size > 1 && scene->n % 2 == 0) { /* apart in twice the room */
        fill(scene);
        CHECK_OK(MPI_Sendrecv(scene->in, scene->n, MPI_INT, right, scene->id, scene->out, 1, pairs, left, scene->id,
                              MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        int wrong = 0;
        for (int i = 0; i < scene->n; i++)
            wrong += scene->out[i / 2 * 4 + i % 2] != item(scene, left, i);
        CHECK_NOTED(wrong == 0, "pairs of thread %d, turn %d: %d wrong", scene->id, scene->turn, wrong);
    }
    CHECK_OK(MPI_Type_free(&pairs));
}

static void *work(void *argument)
{
    struct scene scene = {.id = *(int *)argument};
    static const int lengths[] = {1, 100, 3000, MOST};
    scene.size = check_size;
    scene.in = check_alloc(MOST * sizeof(int), 0);
    scene.out = check_alloc((size_t)MOST * check_size * sizeof(int), 0);
    CHECK_OK(MPI_Comm_dup(comms[scene.id], &scene.comm));
    for (scene.turn = 0; scene.turn < TURNS; scene.turn++) {
        scene.n = lengths[(scene.turn + scene.id) % 4];
        moves(&scene);
        messages(&scene);
        reductions(&scene);
    }
    CHECK_OK(MPI_Comm_free(&scene.comm));
    free(scene.in);
    free(scene.out);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided = -1, ids[THREADS];
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Comm_rank(MPI_COMM_WORLD, &check_rank));
    CHECK_OK(MPI_Comm_size(MPI_COMM_WORLD, &check_size));
    for (int k = 0; k < THREADS; k++)
        CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[k]));
    for (int k = 0; k < THREADS; k++) {
        ids[k] = k;
        CHECK_INT(pthread_create(&threads[k], NULL, work, &ids[k]), 0);
    }
    for (int k = 0; k < THREADS; k++)
        CHECK_INT(pthread_join(threads[k], NULL), 0);
    for (int k = 0; k < THREADS; k++)
        CHECK_OK(MPI_Comm_free(&comms[k]));
    return check_end();
}
