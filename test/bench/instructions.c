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

int main(int argc, char **argv)
{
    int rank;
    double in = 1, out = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *what = argc > 2 ? argv[1] : "allreduce";
    int calls = argc > 2 ? atoi(argv[2]) : 1;
    int sends = strcmp(what, "send") == 0 || strcmp(what, "isend") == 0;
    for (int i = 0; i < calls; i++) {
        if (strcmp(what, "allreduce") == 0)
            MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        else if (strcmp(what, "barrier") == 0)
            MPI_Barrier(MPI_COMM_WORLD);
        else if (strcmp(what, "bcast") == 0)
            MPI_Bcast(&in, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
        else if (strncmp(what, "commit_", 7) == 0)
            commit(strcmp(what, "commit_few") == 0 ? 4 : 1 << 20);
        else if (strncmp(what, "reduce_", 7) == 0)
            MPI_Reduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, strcmp(what, "reduce_leaf") == 0, MPI_COMM_WORLD);
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
