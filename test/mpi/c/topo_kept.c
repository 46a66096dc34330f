/* With the setting `reorder` off a process keeps its rank whatever a constructor of a topology may do: for programs
 * that ask for other ranks and go on with their old ones.
 *
 * np: 4 8
 * only: treefold
 */
#include "check.h"

static void see_kept(MPI_Comm comm, const char *what)
{
    int rank = -1;
    CHECK_OK(MPI_Comm_rank(comm, &rank));
    CHECK_NOTED(rank == check_rank, "%s: rank %d has become %d", what, check_rank, rank);
    CHECK_OK(MPI_Comm_free(&comm));
}

/* Each rank has its only neighbour on another node. */
int main(int argc, char **argv)
{
    setenv("TREEFOLD_NODE_SIZE", "2", 1);
    setenv("TREEFOLD_REORDER", "off", 1);
    check_start(&argc, &argv);
    int dims[2] = {2, check_size / 2}, ring[2] = {0, 0}, at = -1, far = (check_rank + check_size / 2) % check_size;
    int index[8], edges[8];
    MPI_Comm comm;
    for (int r = 0; r < check_size; r++) {
        index[r] = r + 1;
        edges[r] = (r + check_size / 2) % check_size;
    }
    CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, ring, 1, &comm));
    see_kept(comm, "MPI_Cart_create");
    CHECK_OK(MPI_Graph_create(MPI_COMM_WORLD, check_size, index, edges, 1, &comm));
    see_kept(comm, "MPI_Graph_create");
    CHECK_OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &far, MPI_UNWEIGHTED, 1, &far, MPI_UNWEIGHTED,
                                            MPI_INFO_NULL, 1, &comm));
    see_kept(comm, "MPI_Dist_graph_create_adjacent");
    CHECK_OK(MPI_Cart_map(MPI_COMM_WORLD, 2, dims, ring, &at));
    CHECK_INT(at, check_rank);
    CHECK_OK(MPI_Graph_map(MPI_COMM_WORLD, check_size, index, edges, &at));
    CHECK_INT(at, check_rank);
    return check_end();
}
