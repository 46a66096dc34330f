/* instructions.c - the calls that test/bench/instructions counts: `instructions CASE CALLS`, on two ranks.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* A vector inside an hvector, of so many blocks each. */
static void commit(int blocks)
{
    MPI_Datatype inner, outer;
    MPI_Type_vector(blocks, 1, 2, MPI_DOUBLE, &inner);
    MPI_Type_create_hvector(blocks, 1, (MPI_Aint)blocks * 32, inner, &outer);
    MPI_Type_commit(&outer);
    MPI_Type_free(&outer);
    MPI_Type_free(&inner);
}

static int is(const char *what, const char *name)
{
    return strcmp(what, name) == 0;
}

/* Of a double to each, by MPI_DOUBLE; rank 1 is the root, or, where data is gathered, rank 0. */
static int move(const char *what)
{
    static double in[2], out[2];
    static const int one[2] = {1, 1}, at[2] = {0, 1};
    MPI_Request request;
    if (is(what, "scatter"))
        MPI_Scatter(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    else if (is(what, "scatterv"))
        MPI_Scatterv(in, one, at, MPI_DOUBLE, out, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    else if (is(what, "gather"))
        MPI_Gather(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    else if (is(what, "gatherv"))
        MPI_Gatherv(in, 1, MPI_DOUBLE, out, one, at, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    else if (is(what, "allgather"))
        MPI_Allgather(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    else if (is(what, "alltoall"))
        MPI_Alltoall(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    else if (is(what, "alltoallv"))
        MPI_Alltoallv(in, one, at, MPI_DOUBLE, out, one, at, MPI_DOUBLE, MPI_COMM_WORLD);
    else if (is(what, "ibcast")) {
        MPI_Ibcast(in, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (is(what, "iallreduce") || is(what, "wait")) {
        MPI_Iallreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else
        return 0;
    return 1;
}

/* Rank 0 reaches the memory of rank 1, all within one epoch. */
static int window(const char *what, int calls, int rank)
{
    static long one = 1, zero, old;
    long *memory;
    MPI_Win win;
    if (strncmp(what, "window_", 7) != 0)
        return 0;
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < calls && rank == 0; i++) {
        if (is(what, "window_fetch"))
            MPI_Fetch_and_op(&one, &old, MPI_LONG, 1, 0, MPI_SUM, win);
        else if (is(what, "window_swap"))
            MPI_Compare_and_swap(&one, &zero, &old, MPI_LONG, 1, 0, win);
        else
            MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
        MPI_Win_flush(1, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return 1;
}

int main(int argc, char **argv)
{
    int rank;
    double in = 1, out = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *what = argc > 2 ? argv[1] : "allreduce";
    int calls = argc > 2 ? atoi(argv[2]) : 1;
    int between = strncmp(what, "turn_", 5) == 0;
    what += between ? 5 : 0;
    int sends = strcmp(what, "send") == 0 || strcmp(what, "isend") == 0;
    if (window(what, calls, rank))
        calls = 0;
    for (int i = 0; i < calls; i++) {
        if (between)
            MPI_Barrier(MPI_COMM_WORLD);
        if (move(what))
            continue;
        if (strcmp(what, "allreduce") == 0)
            MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        else if (strcmp(what, "barrier") == 0)
            MPI_Barrier(MPI_COMM_WORLD);
        else if (strcmp(what, "bcast") == 0)
            MPI_Bcast(&in, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
        else if (strcmp(what, "roots") == 0)
            MPI_Bcast(&in, 1, MPI_DOUBLE, i % 2, MPI_COMM_WORLD);
        else if (strncmp(what, "commit_", 7) == 0)
            commit(strcmp(what, "commit_few") == 0 ? 4 : 1 << 20);
        else if (strncmp(what, "reduce_", 7) == 0)
            MPI_Reduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, strcmp(what, "reduce_leaf") == 0, MPI_COMM_WORLD);
        else if (strcmp(what, "local") == 0)
            MPI_Reduce_local(&in, &out, 1, MPI_DOUBLE, MPI_SUM);
        else if (rank == sends)
            MPI_Recv(&out, 1, MPI_DOUBLE, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else if (strcmp(what, "isend") == 0) {
            MPI_Request request;
            MPI_Isend(&in, 1, MPI_DOUBLE, !rank, 0, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else
            MPI_Send(&in, 1, MPI_DOUBLE, !rank, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
