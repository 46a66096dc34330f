/* What neighborhood collectives refuse, in all their forms; and ranks that call different ones.
 *
 * np: - 1 2 3 4 6 9
 */
#include "modes.h"

static const int one[4] = {1, 1, 1, 1}, zero[4], negative[4] = {1, -3, 1, 1};
static const MPI_Count one_c[4] = {1, 1, 1, 1}, negative_c[4] = {1, -3, 1, 1};
static const MPI_Aint apart[4] = {0, 4, 8, 12}, zero_c[4];
static const MPI_Datatype ints[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT},
                          wrong[4] = {MPI_INT, MPI_DATATYPE_NULL, MPI_INT, MPI_INT};
static int a[16], b[16];

/* All five on that communicator. */
static void refused(MPI_Comm comm, int errclass)
{
    for (int mode = 0; mode < MODES; mode++) {
        CHECK_CLASS(CALL(mode, neighbor_allgather, Neighbor_allgather, a, 1, MPI_INT, b, 1, MPI_INT, comm), errclass);
        CHECK_CLASS(CALL(mode, neighbor_alltoall, Neighbor_alltoall, a, 1, MPI_INT, b, 1, MPI_INT, comm), errclass);
        CHECK_CLASS(CALL_V(mode, neighbor_allgatherv, Neighbor_allgatherv, (a, 1, MPI_INT, b, one, zero, MPI_INT, comm),
                           (a, 1, MPI_INT, b, one_c, zero_c, MPI_INT, comm)),
                    errclass);
        CHECK_CLASS(CALL_V(mode, neighbor_alltoallv, Neighbor_alltoallv,
                           (a, one, zero, MPI_INT, b, one, zero, MPI_INT, comm),
                           (a, one_c, zero_c, MPI_INT, b, one_c, zero_c, MPI_INT, comm)),
                    errclass);
        CHECK_CLASS(CALL_V(mode, neighbor_alltoallw, Neighbor_alltoallw,
                           (a, one, apart, ints, b, one, apart, ints, comm),
                           (a, one_c, apart, ints, b, one_c, apart, ints, comm)),
                    errclass);
    }
}

static void no_topology(void)
{
    MPI_Comm graph, half, between;
    int index[] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, edges[1] = {1};
    refused(MPI_COMM_WORLD, MPI_ERR_TOPOLOGY);
    if (check_size < 2)
        return;
    CHECK_OK(MPI_Graph_create(MPI_COMM_WORLD, check_size, index, edges, 0, &graph)); /* an edge, and none back */
    refused(graph, MPI_ERR_TOPOLOGY);
    CHECK_OK(MPI_Comm_free(&graph));
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank % 2, 0, &half));
    CHECK_OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - check_rank % 2, 0, &between));
    refused(between, MPI_ERR_TOPOLOGY);
    CHECK_OK(MPI_Comm_free(&between));
    CHECK_OK(MPI_Comm_free(&half));
}

static void arguments(MPI_Comm ring)
{
    MPI_Request request;
    for (int mode = 0; mode < MODES; mode++) {
#define ALLTOALL(errclass, ...)                                                                                        \
    CHECK_CLASS(CALL(mode, neighbor_alltoall, Neighbor_alltoall, __VA_ARGS__), errclass);                              \
    CHECK_CLASS(CALL(mode, neighbor_allgather, Neighbor_allgather, __VA_ARGS__), errclass)
        ALLTOALL(MPI_ERR_BUFFER, MPI_IN_PLACE, 1, MPI_INT, b, 1, MPI_INT, ring);
        ALLTOALL(MPI_ERR_BUFFER, a, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, ring);
        ALLTOALL(MPI_ERR_BUFFER, NULL, 1, MPI_INT, b, 1, MPI_INT, ring);
        ALLTOALL(MPI_ERR_BUFFER, a, 1, MPI_INT, a, 1, MPI_INT, ring);
        ALLTOALL(MPI_ERR_COUNT, a, -1, MPI_INT, b, 1, MPI_INT, ring);
        ALLTOALL(MPI_ERR_COUNT, a, 1, MPI_INT, b, -1, MPI_INT, ring);
        ALLTOALL(MPI_ERR_TYPE, a, 1, MPI_DATATYPE_NULL, b, 1, MPI_INT, ring);
        ALLTOALL(MPI_ERR_TYPE, a, 1, MPI_INT, b, 1, MPI_DATATYPE_NULL, ring);
        ALLTOALL(MPI_ERR_COMM, a, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_NULL);
        CHECK_CLASS(CALL_V(mode, neighbor_alltoallv, Neighbor_alltoallv,
                           (a, negative, zero, MPI_INT, b, one, zero, MPI_INT, ring),
                           (a, negative_c, zero_c, MPI_INT, b, one_c, zero_c, MPI_INT, ring)),
                    MPI_ERR_COUNT);
        CHECK_CLASS(CALL_V(mode, neighbor_alltoallv, Neighbor_alltoallv,
                           (a, one, NULL, MPI_INT, b, one, zero, MPI_INT, ring),
                           (a, one_c, NULL, MPI_INT, b, one_c, zero_c, MPI_INT, ring)),
                    MPI_ERR_ARG);
        CHECK_CLASS(CALL_V(mode, neighbor_alltoallv, Neighbor_alltoallv,
                           (MPI_IN_PLACE, one, zero, MPI_INT, b, one, zero, MPI_INT, ring),
                           (MPI_IN_PLACE, one_c, zero_c, MPI_INT, b, one_c, zero_c, MPI_INT, ring)),
                    MPI_ERR_BUFFER);
        CHECK_CLASS(CALL_V(mode, neighbor_allgatherv, Neighbor_allgatherv,
                           (a, 1, MPI_INT, b, negative, zero, MPI_INT, ring),
                           (a, 1, MPI_INT, b, negative_c, zero_c, MPI_INT, ring)),
                    MPI_ERR_COUNT);
        CHECK_CLASS(CALL_V(mode, neighbor_alltoallw, Neighbor_alltoallw,
                           (a, one, apart, ints, b, one, apart, wrong, ring),
                           (a, one_c, apart, ints, b, one_c, apart, wrong, ring)),
                    MPI_ERR_TYPE);
        CHECK_CLASS(CALL_V(mode, neighbor_alltoallw, Neighbor_alltoallw,
                           (MPI_IN_PLACE, one, apart, ints, b, one, apart, ints, ring),
                           (MPI_IN_PLACE, one_c, apart, ints, b, one_c, apart, ints, ring)),
                    MPI_ERR_BUFFER);
    }
    CHECK_CLASS(MPI_Ineighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, ring, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Neighbor_alltoall_init(a, 1, MPI_INT, b, 1, MPI_INT, ring, (MPI_Info)5, &request), MPI_ERR_INFO);
}

/* Nothing counts where there are no neighbors: no buffer, no array. */
static void nobody(void)
{
    MPI_Comm alone;
    CHECK_OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED,
                                            MPI_INFO_NULL, 0, &alone));
    for (int mode = 0; mode < MODES; mode++) {
        CHECK_OK(CALL(mode, neighbor_allgather, Neighbor_allgather, NULL, 1, MPI_INT, NULL, 1, MPI_INT, alone));
        CHECK_OK(CALL(mode, neighbor_alltoall, Neighbor_alltoall, NULL, 1, MPI_INT, NULL, 1, MPI_INT, alone));
        CHECK_OK(CALL(mode, neighbor_alltoallv, Neighbor_alltoallv, NULL, NULL, NULL, MPI_INT, NULL, NULL, NULL,
                      MPI_INT, alone));
        CHECK_OK(
            CALL(mode, neighbor_alltoallw, Neighbor_alltoallw, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, alone));
    }
    CHECK_OK(MPI_Comm_free(&alone));
}

/* Neighbors that call different ones, or of which one sends more than the other expects. */
static void disagree(MPI_Comm ring)
{
    int code;
    if (check_size < 2)
        return;
    code = check_rank == 0 ? MPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, ring)
                           : MPI_Neighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, ring);
    if (check_rank < 2)
        CHECK_CLASS(code, MPI_ERR_OTHER);
}

static void lengths_differ(MPI_Comm ring)
{
    int code;
    if (check_size < 2)
        return;
    code = MPI_Neighbor_alltoall(a, 1, MPI_INT, b, check_rank == 0 ? 2 : 1, MPI_INT, ring);
    if (check_rank == 0)
        CHECK_CLASS(code, MPI_ERR_TRUNCATE);
}

int main(int argc, char **argv)
{
    MPI_Comm ring, other;
    int rings[2] = {1, 1};
    check_start(&argc, &argv);
    CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){1, check_size}, rings, 0, &ring));
    CHECK_OK(MPI_Comm_dup(ring, &other));
    no_topology();
    nobody();
    arguments(ring);
    disagree(ring);
    lengths_differ(other);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&other);
    MPI_Comm_free(&ring);
    return check_end();
}
