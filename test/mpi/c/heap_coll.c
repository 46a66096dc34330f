/* heap_coll.c - collectives on memory of MPI_Alloc_mem, on other memory, and where ranks and buffers differ in it.
 *
 * np: 1 2 3 4 5
 *
 * Results are right, and what is sent is not written to, not even by an operator of the program's, which has its second
 * operand written over.
 */
#include "heap.h"

static const int counts[] = {3000, 40000};

/* Eight bytes: a double, or a map x -> ax + b modulo 2^32. */
struct with {
    MPI_Op op;
    MPI_Datatype type;
    bool maps;
};

/* Compositions do not commute. */
static void compose(void *in, void *inout, int *len, MPI_Datatype *type)
{
    const uint32_t *a = in;
    uint32_t *b = inout;
    (void)type;
    for (int i = 0; i < 2 * *len; i += 2) {
        b[i + 1] += a[i + 1] * b[i];
        b[i] *= a[i];
    }
}

static void add(void *in, void *inout, int *len, MPI_Datatype *type)
{
    const double *a = in;
    double *b = inout;
    (void)type;
    for (int i = 0; i < *len; i++)
        b[i] += a[i];
}

/* What ranks first..last make of element i. */
static uint64_t combined(const struct with *with, int first, int last, int i)
{
    uint32_t map[2] = {1, 0};
    double sum = 0;
    uint64_t bits;
    for (int rank = first; rank <= last; rank++) {
        uint32_t b[2] = {(uint32_t)(2 * rank + 3), (uint32_t)(7 * rank + i)};
        map[1] = b[1] + map[1] * b[0];
        map[0] = b[0] * map[0];
        sum += rank + 1 + i % 1000;
    }
    memcpy(&bits, with->maps ? (void *)map : (void *)&sum, 8);
    return bits;
}

static int wrong(const struct with *with, const uint64_t *at, int from, int count, int first, int last)
{
    int n = 0;
    for (int i = 0; i < count; i++)
        n += at[i] != combined(with, first, last, from + i);
    return n;
}

/* The buffers of one call: each rank's in one or the other memory, as the bits of `kinds` and the rank say. */
static struct {
    int in_kind, out_kind;
    uint64_t *in, *out;
    int count; /* in */
} my;

static void start(const struct with *with, int kinds, int in, int out)
{
    my.in_kind = kinds < 4 ? kinds & 1 : check_rank & 1;
    my.out_kind = kinds < 4 ? kinds >> 1 : check_rank >> (kinds & 1) & 1;
    my.in = take(my.in_kind, 8 * (size_t)in);
    my.out = take(my.out_kind, 8 * (size_t)out);
    my.count = in;
    for (int i = 0; i < in; i++)
        my.in[i] = combined(with, check_rank, check_rank, i);
}

static void end(const struct with *with)
{
    CHECK_INT(wrong(with, my.in, 0, my.count, check_rank, check_rank), 0);
    give(my.in_kind, my.in);
    give(my.out_kind, my.out);
}

static void all(const struct with *with, int kinds, int n)
{
    int last = check_size - 1;
    start(with, kinds, n, n);
    CHECK_OK(MPI_Allreduce(my.in, my.out, n, with->type, with->op, MPI_COMM_WORLD));
    CHECK_INT(wrong(with, my.out, 0, n, 0, last), 0);
    memcpy(my.out, my.in, 8 * (size_t)n);
    CHECK_OK(MPI_Allreduce(MPI_IN_PLACE, my.out, n, with->type, with->op, MPI_COMM_WORLD));
    CHECK_INT(wrong(with, my.out, 0, n, 0, last), 0);
    check_wipe(my.out, 8 * (size_t)n);
    CHECK_OK(MPI_Scan(my.in, my.out, n, with->type, with->op, MPI_COMM_WORLD));
    CHECK_INT(wrong(with, my.out, 0, n, 0, check_rank), 0);
    end(with);
}

static void to_root(const struct with *with, int kinds, int n)
{
    int last = check_size - 1;
    MPI_Request request;
    for (int root = 0; root<check_size; root += check_size> 2 ? check_size - 1 : 1) {
        start(with, kinds, n, n);
        CHECK_OK(MPI_Reduce(my.in, my.out, n, with->type, with->op, root, MPI_COMM_WORLD));
        CHECK(check_rank != root || wrong(with, my.out, 0, n, 0, last) == 0);
        memcpy(my.out, my.in, 8 * (size_t)n);
        CHECK_OK(MPI_Ireduce(check_rank == root ? MPI_IN_PLACE : my.in, my.out, n, with->type, with->op, root,
                             MPI_COMM_WORLD, &request));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK(check_rank != root || wrong(with, my.out, 0, n, 0, last) == 0);
        end(with);
    }
}

static void scattered(const struct with *with, int kinds, int n)
{
    start(with, kinds, n * check_size, n);
    CHECK_OK(MPI_Reduce_scatter_block(my.in, my.out, n, with->type, with->op, MPI_COMM_WORLD));
    CHECK_INT(wrong(with, my.out, n * check_rank, n, 0, check_size - 1), 0);
    end(with);
}

static void moved(const struct with *with, int kinds, int n)
{
    start(with, kinds, n * check_size, n * check_size);
    CHECK_OK(MPI_Allgather(my.in, n, with->type, my.out, n, with->type, MPI_COMM_WORLD));
    for (int rank = 0; rank < check_size; rank++)
        CHECK_INT(wrong(with, my.out + n * rank, 0, n, rank, rank), 0);
    check_wipe(my.out, 8 * (size_t)n * (size_t)check_size);
    CHECK_OK(MPI_Gather(my.in, n, with->type, my.out, n, with->type, check_size - 1, MPI_COMM_WORLD));
    for (int rank = 0; rank < check_size; rank++)
        CHECK(check_rank < check_size - 1 || wrong(with, my.out + n * rank, 0, n, rank, rank) == 0);
    check_wipe(my.out, 8 * (size_t)n * (size_t)check_size);
    CHECK_OK(MPI_Alltoall(my.in, n, with->type, my.out, n, with->type, MPI_COMM_WORLD));
    for (int rank = 0; rank < check_size; rank++)
        CHECK_INT(wrong(with, my.out + n * rank, n * check_rank, n, rank, rank), 0);
    check_wipe(my.out, 8 * (size_t)n);
    CHECK_OK(MPI_Scatter(my.in, n, with->type, my.out, n, with->type, 0, MPI_COMM_WORLD));
    CHECK_INT(wrong(with, my.out, n * check_rank, n, 0, 0), 0);
    memcpy(my.out, my.in, 8 * (size_t)n);
    CHECK_OK(MPI_Bcast(my.out, n, with->type, check_size - 1, MPI_COMM_WORLD));
    CHECK_INT(wrong(with, my.out, 0, n, check_size - 1, check_size - 1), 0);
    end(with);
}

int main(int argc, char **argv)
{
    struct with with[3] = {{MPI_SUM, MPI_DOUBLE, false}, {.type = MPI_DOUBLE}, {.maps = true}};
    check_start(&argc, &argv);
    CHECK_OK(MPI_Op_create(add, 1, &with[1].op));
    CHECK_OK(MPI_Op_create(compose, 0, &with[2].op));
    CHECK_OK(MPI_Type_contiguous(2, MPI_UINT32_T, &with[2].type));
    CHECK_OK(MPI_Type_commit(&with[2].type));
    for (int w = 0; w < 3; w++)
        for (int kinds = 0; kinds < 6; kinds++)
            for (int c = 0; c < 2; c++) {
                all(&with[w], kinds, counts[c]);
                to_root(&with[w], kinds, counts[c]);
                scattered(&with[w], kinds, counts[c] / 2);
                if (w == 0)
                    moved(&with[w], kinds, counts[c] / 2);
            }
    CHECK_OK(MPI_Type_free(&with[2].type));
    CHECK_OK(MPI_Op_free(&with[1].op));
    CHECK_OK(MPI_Op_free(&with[2].op));
    return check_end();
}
