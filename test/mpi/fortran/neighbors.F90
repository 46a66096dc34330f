! Neighborhood collectives from Fortran: in a ring, which may be of one process or of two, and in a graph where sources
! and destinations are not as many.
!
! np: 1 2 3 4 6 9
#include "dialect.inc"

program neighbors
    USE_MPI
    use :: check
    implicit none
    INCLUDE_MPI
    integer :: ierror

    call begin()
    call in_a_ring()
    call in_a_graph()
    call finish()
contains
    ! What is sent down comes from above.
    integer function below()
        below = mod(me + ranks - 1, ranks)
    end function
    integer function above()
        above = mod(me + 1, ranks)
    end function

    subroutine in_a_ring()
        HANDLE(MPI_Comm) :: ring
        HANDLE(MPI_Request) :: request
        integer, PENDING :: out(4), in(4), counts(2), displs(2)
        integer :: way
        call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., ring, ierror)
        counts = [2, 2]
        displs = [2, 0]
        do way = 1, 3
            out = [10 * me, 10 * me + 1, 10 * me + 2, 10 * me + 3]
            in = -1
            select case (way)
            case (1)
                call MPI_Neighbor_allgather(out, 2, MPI_INTEGER, in, 2, MPI_INTEGER, ring, ierror)
            case (2)
                call MPI_Ineighbor_allgather(out, 2, MPI_INTEGER, in, 2, MPI_INTEGER, ring, request, ierror)
            case (3)
                call MPI_Neighbor_allgather_init(out, 2, MPI_INTEGER, in, 2, MPI_INTEGER, ring, MPI_INFO_NULL, request, ierror)
            end select
            call complete(way, request)
            call expect("allgather", in, [10 * below(), 10 * below() + 1, 10 * above(), 10 * above() + 1])
            in = -1
            select case (way)
            case (1)
                call MPI_Neighbor_allgatherv(out, 2, MPI_INTEGER, in, counts, displs, MPI_INTEGER, ring, ierror)
            case (2)
                call MPI_Ineighbor_allgatherv(out, 2, MPI_INTEGER, in, counts, displs, MPI_INTEGER, ring, request, ierror)
            case (3)
                call MPI_Neighbor_allgatherv_init(out, 2, MPI_INTEGER, in, counts, displs, MPI_INTEGER, ring, MPI_INFO_NULL, &
                    request, ierror)
            end select
            call complete(way, request)
            call expect("allgatherv", in, [10 * above(), 10 * above() + 1, 10 * below(), 10 * below() + 1])
            in = -1
            select case (way)
            case (1)
                call MPI_Neighbor_alltoall(out, 2, MPI_INTEGER, in, 2, MPI_INTEGER, ring, ierror)
            case (2)
                call MPI_Ineighbor_alltoall(out, 2, MPI_INTEGER, in, 2, MPI_INTEGER, ring, request, ierror)
            case (3)
                call MPI_Neighbor_alltoall_init(out, 2, MPI_INTEGER, in, 2, MPI_INTEGER, ring, MPI_INFO_NULL, request, ierror)
            end select
            call complete(way, request)
            call expect("alltoall", in, [10 * below() + 2, 10 * below() + 3, 10 * above(), 10 * above() + 1])
            in = -1
            select case (way)
            case (1)
                call MPI_Neighbor_alltoallv(out, counts, displs, MPI_INTEGER, in, counts, displs, MPI_INTEGER, ring, ierror)
            case (2)
                call MPI_Ineighbor_alltoallv(out, counts, displs, MPI_INTEGER, in, counts, displs, MPI_INTEGER, ring, request, &
                    ierror)
            case (3)
                call MPI_Neighbor_alltoallv_init(out, counts, displs, MPI_INTEGER, in, counts, displs, MPI_INTEGER, ring, &
                    MPI_INFO_NULL, request, ierror)
            end select
            call complete(way, request)
            call expect("alltoallv", in, [10 * above() + 2, 10 * above() + 3, 10 * below(), 10 * below() + 1])
        end do
        call MPI_Comm_free(ring, ierror)
    end subroutine

    ! A persistent one is started here.
    subroutine complete(way, request)
        integer, intent(in) :: way
        HANDLE(MPI_Request) :: request
        if (way == 3) call MPI_Start(request, ierror)
        if (way > 1) call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        if (way == 3) call MPI_Request_free(request, ierror)
    end subroutine

    ! Two edges from everybody to rank 0, and one back: types and displacements of each block.
    subroutine in_a_graph()
        HANDLE(MPI_Comm) :: graph
        HANDLE(MPI_Request) :: request
        HANDLE(MPI_Datatype) :: to(ranks + 2), from(2 * ranks + 1)
        integer, PENDING :: counts(2 * ranks + 1), out(ranks + 2), in(2 * ranks + 1)
        integer(MPI_ADDRESS_KIND), PENDING :: displs(2 * ranks + 1)
        integer :: destinations(ranks + 2), i, nin, nout, way
        logical :: weighted
        destinations(1:2) = 0
        destinations(3:) = [(i, i = 0, ranks - 1)]
        call MPI_Dist_graph_create(MPI_COMM_WORLD, 1, [me], [merge(ranks + 2, 2, me == 0)], destinations, MPI_UNWEIGHTED, &
            MPI_INFO_NULL, .false., graph, ierror)
        call MPI_Dist_graph_neighbors_count(graph, nin, nout, weighted, ierror)
        call expect("degrees", [nin, nout], [merge(2 * ranks + 1, 1, me == 0), merge(ranks + 2, 2, me == 0)])
        counts = 1
        displs = [(4 * i, i = 0, 2 * ranks)]
        to = MPI_INTEGER
        from = MPI_INTEGER
        out = [(100 * me + i, i = 1, ranks + 2)]
        do way = 1, 3
            in = -1
            select case (way)
            case (1)
                call MPI_Neighbor_alltoallw(out, counts, displs, to, in, counts, displs, from, graph, ierror)
            case (2)
                call MPI_Ineighbor_alltoallw(out, counts, displs, to, in, counts, displs, from, graph, request, ierror)
            case (3)
                call MPI_Neighbor_alltoallw_init(out, counts, displs, to, in, counts, displs, from, graph, MPI_INFO_NULL, &
                    request, ierror)
            end select
            call complete(way, request)
            call expect("the rest is as it was", in(nin + 1:), [(-1, i = nin, 2 * ranks)])
            if (me > 0) then
                call expect("from rank 0", in(1), me + 3)
            else
                call expect("from all", sum(in(1:nin)), ranks * (ranks - 1) * 100 + 3 * ranks + 3)
            end if
        end do
        call MPI_Comm_free(graph, ierror)
    end subroutine
end program
