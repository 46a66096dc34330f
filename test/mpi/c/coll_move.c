/* Bcast, gather, scatter, allgather, alltoall and barrier: every root, in place, counts from 0 to 50021, receivers
 * whose type differs from the senders'.
 *
 * np: 1 2 3 4 5 7 8
 */
#include "check.h"
#include <math.h>
#include <time.h>

static int *in, *out;

static void fill(int *p, int rank, long long first, int n)
{
    for (int i = 0; i < n; i++)
        p[i] = check_value(rank, first + i);
}

static void verify(const int *p, int rank, long long first, int n, const char *where)
{
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += p[i] != check_value(rank, first + i);
    CHECK_NOTED(wrong == 0, "%s: %d of %d from rank %d wrong", where, wrong, n, rank);
}

static void from_root(int n, int root)
{
    if (check_rank == root)
        fill(out, root, 0, n);
    else
        memset(out, 0, (size_t)n * sizeof *out);
    out[n] = -7;
    CHECK_OK(MPI_Bcast(out, n, MPI_INT, root, MPI_COMM_WORLD));
    verify(out, root, 0, n, "bcast");
    CHECK_INT(out[n], -7);

    if (check_rank == root)
        fill(in, root, 0, n * check_size);
    check_wipe(out, (size_t)n * sizeof *out);
    CHECK_OK(MPI_Scatter(in, n, MPI_INT, out, n, MPI_INT, root, MPI_COMM_WORLD));
    verify(out, root, (long long)n * check_rank, n, "scatter");
    CHECK_INT(out[n], -7);
    check_wipe(out, (size_t)n * sizeof *out);
    CHECK_OK(
        MPI_Scatter(in, n, MPI_INT, check_rank == root ? MPI_IN_PLACE : (void *)out, n, MPI_INT, root, MPI_COMM_WORLD));
    verify(check_rank == root ? in + n * check_rank : out, root, (long long)n * check_rank, n, "scatter in place");
}

static void to_root(int n, int root)
{
    fill(in, check_rank, 0, n);
    memset(out, 0, ((size_t)n * check_size + 1) * sizeof *out);
    CHECK_OK(MPI_Gather(in, n, MPI_INT, out, n, MPI_INT, root, MPI_COMM_WORLD));
    for (int r = 0; r < check_size && check_rank == root; r++)
        verify(out + (size_t)r * n, r, 0, n, "gather");
    CHECK_INT(out[(size_t)n * check_size], 0);
    if (check_rank == root) {
        memset(out, 0, ((size_t)n * check_size + 1) * sizeof *out);
        fill(out + (size_t)n * root, root, 0, n);
    }
    CHECK_OK(
        MPI_Gather(check_rank == root ? MPI_IN_PLACE : (void *)in, n, MPI_INT, out, n, MPI_INT, root, MPI_COMM_WORLD));
    for (int r = 0; r < check_size && check_rank == root; r++)
        verify(out + (size_t)r * n, r, 0, n, "gather in place");
}

static void to_everybody(int n)
{
    fill(in, check_rank, 0, n);
    memset(out, 0, (size_t)n * check_size * sizeof *out);
    CHECK_OK(MPI_Allgather(in, n, MPI_INT, out, n, MPI_INT, MPI_COMM_WORLD));
    for (int r = 0; r < check_size; r++)
        verify(out + (size_t)r * n, r, 0, n, "allgather");
    memset(out, 0, (size_t)n * check_size * sizeof *out);
    fill(out + (size_t)n * check_rank, check_rank, 0, n);
    CHECK_OK(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, n, MPI_INT, MPI_COMM_WORLD));
    for (int r = 0; r < check_size; r++)
        verify(out + (size_t)r * n, r, 0, n, "allgather in place");

    fill(in, check_rank, 0, n * check_size);
    memset(out, 0, (size_t)n * check_size * sizeof *out);
    CHECK_OK(MPI_Alltoall(in, n, MPI_INT, out, n, MPI_INT, MPI_COMM_WORLD));
    for (int r = 0; r < check_size; r++)
        verify(out + (size_t)r * n, r, (long long)n * check_rank, n, "alltoall");
    CHECK_OK(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, n, MPI_INT, MPI_COMM_WORLD));
    for (int r = 0; r < check_size; r++)
        verify(in + (size_t)r * n, r, (long long)n * check_rank, n, "alltoall in place");
}

/* Senders give every third int of an array, receivers take ints into every second place, or the other way round: the
 * signature is the same, the layout is not. */
static void differing_types(int n, int root)
{
    MPI_Datatype thirds, seconds;
    MPI_Datatype bare;
    CHECK_OK(MPI_Type_vector(n, 1, 3, MPI_INT, &bare));
    CHECK_OK(MPI_Type_create_resized(bare, 0, 3 * n * (int)sizeof(int), &thirds));
    CHECK_OK(MPI_Type_commit(&thirds));
    CHECK_OK(MPI_Type_free(&bare));
    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &seconds));
    CHECK_OK(MPI_Type_commit(&seconds));

    int wrong = 0;
    memset(in, 0x33, (size_t)n * 3 * check_size * sizeof *in);
    for (int i = 0; i < n * check_size; i++)
        in[3 * i] = check_value(check_rank, i);
    memset(out, 0x44, (size_t)n * 2 * check_size * sizeof *out);
    CHECK_OK(MPI_Gather(in, 1, thirds, out, n, seconds, root, MPI_COMM_WORLD));
    for (int i = 0; i < n * check_size && check_rank == root; i++)
        wrong += out[2 * i] != check_value(i / n, i % n) || out[2 * i + 1] != 0x44444444;
    CHECK_INT(wrong, 0);

    memset(out, 0x44, (size_t)n * 2 * check_size * sizeof *out);
    CHECK_OK(MPI_Alltoall(in, 1, thirds, out, n, seconds, MPI_COMM_WORLD));
    for (int i = 0; i < n * check_size; i++)
        wrong += out[2 * i] != check_value(i / n, (long long)n * check_rank + i % n) || out[2 * i + 1] != 0x44444444;
    CHECK_INT(wrong, 0);

    memset(out, 0x44, (size_t)n * 2 * check_size * sizeof *out);
    CHECK_OK(MPI_Allgather(in, 1, thirds, out, n, seconds, MPI_COMM_WORLD));
    for (int i = 0; i < n * check_size; i++)
        wrong += out[2 * i] != check_value(i / n, i % n) || out[2 * i + 1] != 0x44444444;
    CHECK_INT(wrong, 0);

    memset(out, 0x44, (size_t)n * 3 * sizeof *out);
    CHECK_OK(MPI_Scatter(in, 1, thirds, out, n, seconds, root, MPI_COMM_WORLD));
    for (int i = 0; i < n; i++)
        wrong += out[2 * i] != check_value(root, (long long)n * check_rank + i) || out[2 * i + 1] != 0x44444444;
    CHECK_INT(wrong, 0);

    int *buffer = check_rank == root ? in : out;
    CHECK_OK(check_rank == root ? MPI_Bcast(buffer, 1, thirds, root, MPI_COMM_WORLD)
                                : MPI_Bcast(buffer, n, seconds, root, MPI_COMM_WORLD));
    for (int i = 0; i < n && check_rank != root; i++)
        wrong += out[2 * i] != check_value(root, i) || out[2 * i + 1] != 0x44444444;
    CHECK_INT(wrong, 0);
    CHECK_OK(MPI_Type_free(&thirds));
    CHECK_OK(MPI_Type_free(&seconds));
}

static double now(void)
{
    struct timespec t; /* MPI_Wtime need not agree between ranks (section 9.6); all of them are on one machine */
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void barrier(int form)
{
    MPI_Request request = MPI_REQUEST_NULL;
    if (form == 0) {
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
        return;
    }
#if MPI_VERSION >= 4
    if (form == 2) {
        CHECK_OK(MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request));
        CHECK_OK(MPI_Start(&request));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Request_free(&request));
        return;
    }
#endif
    CHECK_OK(MPI_Ibarrier(MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* Nobody leaves a barrier before everybody has entered it. */
static void barriers(void)
{
    for (int k = 0; k < 150; k++) {
        double entered = 0, last = INFINITY;
        if (k / 3 % check_size == check_rank)
            for (volatile int spin = 0; spin < 20000; spin++)
                ;
        entered = now();
        barrier(k % 3);
        double left = now();
        CHECK_OK(MPI_Allreduce(&entered, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
        CHECK_NOTED(left >= last, "left the barrier %g s before the last entered it", last - left);
    }
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    const int counts[] = {0, 1, check_size - 1, 17, 255, 1025, 5000, 50021 / CHECK_SLOW};
    in = check_alloc((size_t)(50021 + 100) * 8 * sizeof *in, 0);
    out = check_alloc((size_t)(50021 + 100) * 8 * sizeof *out, 0);
    for (int i = 0; i < 8; i++) {
        for (int root = 0; root < check_size; root++)
            if (counts[i] < 5000 || root == check_size / 2) {
                from_root(counts[i], root);
                to_root(counts[i], root);
            }
        to_everybody(counts[i]);
    }
    for (int root = 0; root < check_size; root++) {
        differing_types(1, root);
        differing_types(500, root);
    }
    differing_types(10000, check_size - 1);
    barriers();
    free(in);
    free(out);
    return check_end();
}
