! Topologies from Fortran: grids with their arrays of LOGICAL, graphs, weights and the constants that stand for them.
!
! np: 1 2 3 4 6 9
#include "dialect.inc"

program topologies
    USE_MPI
    use :: check
    implicit none
    INCLUDE_MPI
    integer :: ierror

    call begin()
    call grids()
    call graphs()
    call given()
    call adjacent()
    call finish()
contains
    subroutine grids()
        HANDLE(MPI_Comm) :: grid, part
        integer :: dims(2), coords(3), sizes(3), n, rank, source, dest, kind
        logical :: periods(3)
        dims = 0
        call MPI_Dims_create(ranks, 2, dims, ierror)
        call expect("a grid of all", dims(1) * dims(2), ranks)
        call expect("in nonincreasing order", dims(1) >= dims(2))
        call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .false.], .false., grid, ierror)
        call MPI_Topo_test(grid, kind, ierror)
        call expect("what it is", kind, MPI_CART)
        call MPI_Cartdim_get(grid, n, ierror)
        call expect("dimensions", n, 2)
        sizes = -7
        periods = .true.
        call MPI_Cart_get(grid, 3, sizes, periods, coords, ierror)
        call expect("sizes", sizes, [dims, -7])
        call expect("periods", periods(1) .and. .not. periods(2) .and. periods(3))
        call expect("coords", coords(1:2), [me / dims(2), mod(me, dims(2))])
        call MPI_Cart_rank(grid, coords(1:2) + [5 * dims(1), 0], rank, ierror)
        call expect("the rank there", rank, me)
        call MPI_Cart_coords(grid, ranks - 1, 2, coords, ierror)
        call expect("the last one's", coords(1:2), dims - 1)
        call MPI_Cart_shift(grid, 0, 1, source, dest, ierror)
        call expect("above", dest, mod(me + dims(2), ranks))
        call expect("below", source, mod(me + ranks - dims(2), ranks))
        call MPI_Cart_shift(grid, 1, ranks, source, dest, ierror)
        call expect("outside", [source, dest], [MPI_PROC_NULL, MPI_PROC_NULL])
        call MPI_Cart_sub(grid, [.true., .false.], part, ierror)
        periods = .false.
        call MPI_Cart_get(part, 1, sizes, periods, coords, ierror)
        call expect("a column", sizes(1), dims(1))
        call expect("which is a ring", periods(1) .and. .not. periods(2))
        call MPI_Comm_free(part, ierror)
        call MPI_Cart_sub(grid, [.false., .false.], part, ierror)
        call MPI_Cartdim_get(part, n, ierror)
        call expect("nothing remains", n, 0)
        call MPI_Comm_free(part, ierror)
        call MPI_Cart_map(MPI_COMM_WORLD, 1, [ranks], [.false.], rank, ierror)
        call expect("its place", rank >= 0 .and. rank < ranks)
        call MPI_Comm_free(grid, ierror)
        call MPI_Cart_create(MPI_COMM_WORLD, 1, [1], [.true.], .true., grid, ierror)
        if (grid /= MPI_COMM_NULL) call MPI_Comm_free(grid, ierror)
    end subroutine

    ! Everybody's neighbour is the next one, and oneself.
    subroutine graphs()
        HANDLE(MPI_Comm) :: graph
        integer :: index(ranks), edges(2 * ranks), got_index(ranks), got_edges(2 * ranks), i, n, m, place
        index = [(2 * i, i = 1, ranks)]
        edges = [(mod(i, ranks), i - 1, i = 1, ranks)]
        call MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, .false., graph, ierror)
        call MPI_Topo_test(graph, n, ierror)
        call expect("what it is", n, MPI_GRAPH)
        call MPI_Graphdims_get(graph, n, m, ierror)
        call expect("nodes and edges", [n, m], [ranks, 2 * ranks])
        got_index = -1
        got_edges = -1
        call MPI_Graph_get(graph, ranks, 2 * ranks, got_index, got_edges, ierror)
        call expect("the index", got_index, index)
        call expect("the edges", got_edges, edges)
        call MPI_Graph_neighbors_count(graph, me, n, ierror)
        call expect("two neighbours", n, 2)
        got_edges = -1
        call MPI_Graph_neighbors(graph, me, 2, got_edges, ierror)
        call expect("which are", got_edges(1:2), [mod(me + 1, ranks), me])
        call MPI_Graph_map(MPI_COMM_WORLD, ranks, index, edges, place, ierror)
        call expect("its place", place >= 0 .and. place < ranks)
        call MPI_Comm_free(graph, ierror)
    end subroutine

    ! Each gives the edge of the next process to itself, with a weight.
    subroutine given()
        HANDLE(MPI_Comm) :: graph
        integer :: next, before, n, m, from(1), to(1), from_weight(1), to_weight(1), kind
        logical :: weighted
        next = mod(me + 1, ranks)
        before = mod(me + ranks - 1, ranks)
        call MPI_Dist_graph_create(MPI_COMM_WORLD, 1, [next], [1], [me], [me + 100], MPI_INFO_NULL, .false., graph, ierror)
        call MPI_Topo_test(graph, kind, ierror)
        call expect("what it is", kind, MPI_DIST_GRAPH)
        call MPI_Dist_graph_neighbors_count(graph, n, m, weighted, ierror)
        call expect("one each way", [n, m], [1, 1])
        call expect("with weights", weighted)
        from = -1
        to = -1
        call MPI_Dist_graph_neighbors(graph, 1, from, from_weight, 1, to, to_weight, ierror)
        call expect("from whom", [from, from_weight], [next, me + 100])
        call expect("to whom", [to, to_weight], [before, before + 100])
        call MPI_Comm_free(graph, ierror)
    end subroutine

    ! Rank 0 is the neighbour of all: the others have no edges out, or none in.
    subroutine adjacent()
        HANDLE(MPI_Comm) :: graph
        integer :: n, m, i, sources(ranks), weights(ranks), none(1)
        logical :: weighted
        sources = [(i - 1, i = 1, ranks)]
        weights = 7
        if (me == 0) then
            call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, ranks, sources, weights, 1, [0], [7], MPI_INFO_NULL, .false., &
                graph, ierror)
        else
            call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, none, MPI_WEIGHTS_EMPTY, 1, [0], [7], MPI_INFO_NULL, &
                .false., graph, ierror)
        end if
        call MPI_Dist_graph_neighbors_count(graph, n, m, weighted, ierror)
        call expect("degrees", [n, m], [merge(ranks, 0, me == 0), 1])
        call expect("weighted", weighted)
        sources = -1
        call MPI_Dist_graph_neighbors(graph, ranks, sources, MPI_UNWEIGHTED, 1, none, MPI_UNWEIGHTED, ierror)
        call expect("sources", sources, merge([(i - 1, i = 1, ranks)], -1, me == 0))
        call expect("destination", none(1), 0)
        call MPI_Comm_free(graph, ierror)
        call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [me], MPI_UNWEIGHTED, 1, [me], MPI_UNWEIGHTED, MPI_INFO_NULL, &
            .true., graph, ierror)
        call MPI_Dist_graph_neighbors_count(graph, n, m, weighted, ierror)
        call expect("without weights", n == 1 .and. m == 1 .and. .not. weighted)
        call MPI_Comm_free(graph, ierror)
    end subroutine
end program
