/* Nonblocking collectives: all of them outstanding at once, completed in reverse or any order, mixed with
 * point-to-point messages, on several communicators.
 *
 * np: 1 2 3 4 5 7 8
 * wrong: openmpi (4.1: a communicator freed before its collectives end), mpich (4.0: Ialltoall of one process)
 */
#include "ordered.h"

enum { KINDS = 16, MOST = 3000 };

static MPI_Datatype matrix;
static MPI_Op product;
static int p, rank;

/* One call of each kind; buffers of a round are apart from those of other rounds. */
struct round {
    int n, root;
    int counts[64], displs[64], bytes[64];
    MPI_Datatype types[64];
    struct matrix *in, *all, *one, *scan, *exscan, *block, *blocks;
    int *values, *bcast, *gather, *gatherv, *scatter, *scatterv, *allgather, *allgatherv, *alltoall, *alltoallv,
        *alltoallw;
};

static struct round round_new(int n, int root)
{
    struct round o = {.n = n, .root = root};
    size_t ints = ((size_t)n * p + 1) * sizeof(int), matrices = ((size_t)n + 1) * sizeof(struct matrix);
    o.in = check_alloc(matrices * p, 0);
    matrix_fill(o.in, rank, 0, n * p);
    struct matrix **ms[] = {&o.all, &o.one, &o.scan, &o.exscan, &o.block, &o.blocks};
    for (int i = 0; i < 6; i++)
        *ms[i] = check_alloc(matrices, 0x55);
    int **is[] = {&o.values,    &o.bcast,      &o.gather,   &o.gatherv,   &o.scatter,  &o.scatterv,
                  &o.allgather, &o.allgatherv, &o.alltoall, &o.alltoallv, &o.alltoallw};
    for (int i = 0; i < 11; i++)
        *is[i] = check_alloc(ints, 0x55);
    for (int i = 0; i < n * p; i++)
        o.values[i] = check_value(rank, i);
    memcpy(o.bcast, o.values, n * sizeof(int));
    for (int r = 0; r < p; r++) {
        o.counts[r] = n;
        o.displs[r] = n * r;
        o.bytes[r] = n * r * (int)sizeof(int);
        o.types[r] = MPI_INT;
    }
    return o;
}

static void round_start(struct round *o, MPI_Comm comm, MPI_Request *q)
{
    int n = o->n, root = o->root;
    CHECK_OK(MPI_Iallreduce(o->in, o->all, n, matrix, product, comm, q++));
    CHECK_OK(MPI_Ireduce(o->in, o->one, n, matrix, product, root, comm, q++));
    CHECK_OK(MPI_Iscan(o->in, o->scan, n, matrix, product, comm, q++));
    CHECK_OK(MPI_Iexscan(o->in, o->exscan, n, matrix, product, comm, q++));
    CHECK_OK(MPI_Ireduce_scatter_block(o->in, o->block, n, matrix, product, comm, q++));
    CHECK_OK(MPI_Ireduce_scatter(o->in, o->blocks, o->counts, matrix, product, comm, q++));
    CHECK_OK(MPI_Ibcast(o->bcast, n, MPI_INT, root, comm, q++));
    CHECK_OK(MPI_Igather(o->values, n, MPI_INT, o->gather, n, MPI_INT, root, comm, q++));
    CHECK_OK(MPI_Igatherv(o->values, n, MPI_INT, o->gatherv, o->counts, o->displs, MPI_INT, root, comm, q++));
    CHECK_OK(MPI_Iscatter(o->values, n, MPI_INT, o->scatter, n, MPI_INT, root, comm, q++));
    CHECK_OK(MPI_Iscatterv(o->values, o->counts, o->displs, MPI_INT, o->scatterv, n, MPI_INT, root, comm, q++));
    CHECK_OK(MPI_Iallgather(o->values, n, MPI_INT, o->allgather, n, MPI_INT, comm, q++));
    CHECK_OK(MPI_Iallgatherv(o->values, n, MPI_INT, o->allgatherv, o->counts, o->displs, MPI_INT, comm, q++));
    CHECK_OK(MPI_Ialltoall(o->values, n, MPI_INT, o->alltoall, n, MPI_INT, comm, q++));
    CHECK_OK(MPI_Ialltoallv(o->values, o->counts, o->displs, MPI_INT, o->alltoallv, o->counts, o->displs, MPI_INT, comm,
                            q++));
    CHECK_OK(MPI_Ialltoallw(o->values, o->counts, o->bytes, o->types, o->alltoallw, o->counts, o->bytes, o->types, comm,
                            q++));
}

static void verify_ints(const int *got, int sender, int first, int n, const char *where)
{
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += got[i] != check_value(sender, first + i);
    CHECK_NOTED(wrong == 0, "%s: %d of %d ints wrong", where, wrong, n);
}

static void round_verify(struct round *o)
{
    int n = o->n, root = o->root;
    matrix_verify(o->all, p - 1, 0, n, "Iallreduce");
    if (rank == root)
        matrix_verify(o->one, p - 1, 0, n, "Ireduce");
    matrix_verify(o->scan, rank, 0, n, "Iscan");
    if (rank)
        matrix_verify(o->exscan, rank - 1, 0, n, "Iexscan");
    matrix_verify(o->block, p - 1, n * rank, n, "Ireduce_scatter_block");
    matrix_verify(o->blocks, p - 1, n * rank, n, "Ireduce_scatter");
    verify_ints(o->bcast, root, 0, n, "Ibcast");
    verify_ints(o->scatter, root, n * rank, n, "Iscatter");
    verify_ints(o->scatterv, root, n * rank, n, "Iscatterv");
    for (int r = 0; r < p; r++) {
        if (rank == root) {
            verify_ints(o->gather + n * r, r, 0, n, "Igather");
            verify_ints(o->gatherv + n * r, r, 0, n, "Igatherv");
        }
        verify_ints(o->allgather + n * r, r, 0, n, "Iallgather");
        verify_ints(o->allgatherv + n * r, r, 0, n, "Iallgatherv");
        verify_ints(o->alltoall + n * r, r, n * rank, n, "Ialltoall");
        verify_ints(o->alltoallv + n * r, r, n * rank, n, "Ialltoallv");
        verify_ints(o->alltoallw + n * r, r, n * rank, n, "Ialltoallw");
    }
}

static void round_free(struct round *o)
{
    void *all[] = {o->in,       o->all,       o->one,        o->scan,     o->exscan,    o->block,
                   o->blocks,   o->values,    o->bcast,      o->gather,   o->gatherv,   o->scatter,
                   o->scatterv, o->allgather, o->allgatherv, o->alltoall, o->alltoallv, o->alltoallw};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        free(all[i]);
}

static void reverse_order(int n)
{
    enum { ROUNDS = 3 };
    struct round rounds[ROUNDS];
    MPI_Request requests[ROUNDS * KINDS];
    for (int k = 0; k < ROUNDS; k++) {
        rounds[k] = round_new(n + k, (k * 2 + 1) % p);
        round_start(&rounds[k], MPI_COMM_WORLD, requests + k * KINDS);
    }
    for (int i = ROUNDS * KINDS - 1; i >= 0; i--) {
        CHECK_OK(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
        CHECK(requests[i] == MPI_REQUEST_NULL);
    }
    for (int k = 0; k < ROUNDS; k++) {
        round_verify(&rounds[k]);
        round_free(&rounds[k]);
    }
}

/* Two communicators whose collectives different ranks start in a different order, and messages between them. */
static void mixed(int n)
{
    MPI_Comm dup;
    MPI_Request requests[2 * KINDS + 2 + 1];
    struct round a = round_new(n, 0), b = round_new(n / 2 + 1, p - 1);
    int *out = check_alloc(40000 * sizeof *out, 0), *in = check_alloc(40000 * sizeof *in, 0);
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    for (int i = 0; i < 40000; i++)
        out[i] = check_value(rank, i);
    CHECK_OK(MPI_Irecv(in, 40000, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[2 * KINDS]));
    if (rank % 2) {
        round_start(&a, MPI_COMM_WORLD, requests);
        round_start(&b, dup, requests + KINDS);
    } else {
        round_start(&b, dup, requests + KINDS);
        round_start(&a, MPI_COMM_WORLD, requests);
    }
    CHECK_OK(MPI_Isend(out, 40000, MPI_INT, (rank + 1) % p, 3, MPI_COMM_WORLD, &requests[2 * KINDS + 1]));
    CHECK_OK(MPI_Ibarrier(dup, &requests[2 * KINDS + 2]));
    CHECK_OK(MPI_Comm_free(&dup)); /* lives on until its operations are done */
    for (int left = 2 * KINDS + 3; left > 0; left--) {
        int index = -1, flag = 0;
        while (!flag)
            CHECK_OK(MPI_Testany(2 * KINDS + 3, requests, &index, &flag, MPI_STATUS_IGNORE));
        CHECK(index >= 0 && index < 2 * KINDS + 3);
    }
    round_verify(&a);
    round_verify(&b);
    verify_ints(in, (rank + p - 1) % p, 0, 40000, "the message beside them");
    round_free(&a);
    round_free(&b);
    free(in);
    free(out);
}

static void in_place(int n)
{
    MPI_Request requests[4];
    struct matrix *m[4];
    for (int k = 0; k < 4; k++) {
        m[k] = check_alloc(((size_t)n * p + 1) * sizeof **m, 0);
        matrix_fill(m[k], rank, 0, n * p);
    }
    CHECK_OK(MPI_Iallreduce(MPI_IN_PLACE, m[0], n, matrix, product, MPI_COMM_WORLD, &requests[0]));
    CHECK_OK(MPI_Iscan(MPI_IN_PLACE, m[1], n, matrix, product, MPI_COMM_WORLD, &requests[1]));
    CHECK_OK(MPI_Ireduce_scatter_block(MPI_IN_PLACE, m[2], n, matrix, product, MPI_COMM_WORLD, &requests[2]));
    CHECK_OK(MPI_Ireduce(rank == p - 1 ? MPI_IN_PLACE : m[3], m[3], n, matrix, product, p - 1, MPI_COMM_WORLD,
                         &requests[3]));
    CHECK_OK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
    matrix_verify(m[0], p - 1, 0, n, "Iallreduce in place");
    matrix_verify(m[1], rank, 0, n, "Iscan in place");
    matrix_verify(m[2], p - 1, n * rank, n, "Ireduce_scatter_block in place");
    if (rank == p - 1)
        matrix_verify(m[3], p - 1, 0, n, "Ireduce in place");
    for (int k = 0; k < 4; k++)
        free(m[k]);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    p = check_size;
    rank = check_rank;
    matrix_setup(&matrix, &product);
    const int counts[] = {0, 1, 17, MOST};
    for (int i = 0; i < 4; i++) {
        reverse_order(counts[i]);
        mixed(counts[i]);
        in_place(counts[i]);
    }
    CHECK_OK(MPI_Op_free(&product));
    CHECK_OK(MPI_Type_free(&matrix));
    return check_end();
}
