! Collectives that move data, blocking, nonblocking and persistent, in place and not: blocks of one size, of sizes of
! their own with gaps between them, datatypes with holes, a datatype for each process.
!
! np: 1 2 3 4 7
#include "dialect.inc"

program move
    USE_MPI
    use :: check
    implicit none
    INCLUDE_MPI
    integer, parameter :: hole = -7
    character(len=12), parameter :: modes(3) = ["            ", " nonblocking", " persistent "]
    integer, PENDING, allocatable :: x(:), y(:)
    integer, PENDING, allocatable :: counts(:), displs(:), back_counts(:), back_displs(:)
    integer :: mode, ierror, r, n
    HANDLE(MPI_Request) :: request
    HANDLE(MPI_Datatype) :: second
    HANDLE(MPI_Datatype), PENDING, allocatable :: types(:)

    call begin()
    allocate (x(20 * ranks * ranks), y(20 * ranks * ranks))
    allocate (counts(ranks), displs(ranks), back_counts(ranks), back_displs(ranks), types(ranks))
    ! every second integer
    call MPI_Type_vector(3, 1, 2, MPI_INTEGER, second, ierror)
    call MPI_Type_commit(second, ierror)
    do mode = 1, 3
        call to_one()
        call to_all()
        call uneven()
        call exchange()
        call in_place()
    end do
    call MPI_Type_free(second, ierror)
    deallocate (x, y, counts, displs, back_counts, back_displs, types)
    call finish()
contains
    ! word w of what rank r has for rank q
    integer function value_of(r, q, w)
        integer, intent(in) :: r, q, w
        value_of = 10000 * r + 100 * q + w
    end function

    subroutine complete()
        STATUS(status)
        call expect("no error", ierror == MPI_SUCCESS)
        if (mode == 1) return
        if (mode == 3) call MPI_Start(request, ierror)
        call MPI_Wait(request, status, ierror)
        if (mode == 3) call MPI_Request_free(request, ierror)
        call expect("the request is null", request == MPI_REQUEST_NULL)
    end subroutine

    subroutine verify(what, found, wanted)
        character(len=*), intent(in) :: what
        integer, intent(in) :: found(:), wanted(:)
        call expect(what // trim(modes(mode)), found, wanted)
    end subroutine

    ! Words of blocks of n that rank `from` has for everybody.
    function row(from, n) result(words)
        integer, intent(in) :: from, n
        integer :: words(n * ranks), q, w
        words = [((value_of(from, q, w), w = 1, n), q = 0, ranks - 1)]
    end function
    ! Words of blocks of n that everybody has for rank `to`.
    function column(to, n) result(words)
        integer, intent(in) :: to, n
        integer :: words(n * ranks), q, w
        words = [((value_of(q, to, w), w = 1, n), q = 0, ranks - 1)]
    end function
    ! The same blocks of three, spread over every second word.
    function spread_out(words) result(wide)
        integer, intent(in) :: words(:)
        integer :: wide(5), w
        wide = hole
        wide(1::2) = [(words(w), w = 1, 3)]
    end function

    subroutine to_one()
        integer :: root
        do root = 0, ranks - 1
            x = hole
            y = hole
            x(:3) = [(value_of(me, root, n), n = 1, 3)]
            select case (mode)
            case (1)
                call MPI_Gather(x, 3, MPI_INTEGER, y, 3, MPI_INTEGER, root, MPI_COMM_WORLD, ierror)
            case (2)
                call MPI_Igather(x, 3, MPI_INTEGER, y, 3, MPI_INTEGER, root, MPI_COMM_WORLD, request, ierror)
            case (3)
                call MPI_Gather_init(x, 3, MPI_INTEGER, y, 3, MPI_INTEGER, root, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
            end select
            call complete()
            if (me == root) call verify("gather", y(:3 * ranks + 1), [column(root, 3), hole])
            if (me /= root) call expect("gather elsewhere", all(y == hole))

            ! the root scatters what it got; one word of it lands in every second place
            x = hole
            select case (mode)
            case (1)
                call MPI_Scatter(y, 3, MPI_INTEGER, x, 1, second, root, MPI_COMM_WORLD, ierror)
            case (2)
                call MPI_Iscatter(y, 3, MPI_INTEGER, x, 1, second, root, MPI_COMM_WORLD, request, ierror)
            case (3)
                call MPI_Scatter_init(y, 3, MPI_INTEGER, x, 1, second, root, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
            end select
            call complete()
            call verify("scatter to a vector", x(:5), spread_out([(value_of(me, root, n), n = 1, 3)]))

            if (me == root) x(:4) = [(value_of(root, 0, n), n = 1, 4)]
            select case (mode)
            case (1)
                call MPI_Bcast(x, 4, MPI_INTEGER, root, MPI_COMM_WORLD, ierror)
            case (2)
                call MPI_Ibcast(x, 4, MPI_INTEGER, root, MPI_COMM_WORLD, request, ierror)
            case (3)
                call MPI_Bcast_init(x, 4, MPI_INTEGER, root, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
            end select
            call complete()
            call verify("bcast", x(:4), [(value_of(root, 0, n), n = 1, 4)])
        end do
    end subroutine

    subroutine to_all()
        x = hole
        y = hole
        x(:5) = spread_out([(value_of(me, 0, n), n = 1, 3)])
        select case (mode)
        case (1)
            call MPI_Allgather(x, 1, second, y, 3, MPI_INTEGER, MPI_COMM_WORLD, ierror)
        case (2)
            call MPI_Iallgather(x, 1, second, y, 3, MPI_INTEGER, MPI_COMM_WORLD, request, ierror)
        case (3)
            call MPI_Allgather_init(x, 1, second, y, 3, MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
        end select
        call complete()
        call verify("allgather of a vector", y(:3 * ranks + 1), [column(0, 3), hole])

        y = hole
        x(:2 * ranks) = row(me, 2)
        select case (mode)
        case (1)
            call MPI_Alltoall(x, 2, MPI_INTEGER, y, 2, MPI_INTEGER, MPI_COMM_WORLD, ierror)
        case (2)
            call MPI_Ialltoall(x, 2, MPI_INTEGER, y, 2, MPI_INTEGER, MPI_COMM_WORLD, request, ierror)
        case (3)
            call MPI_Alltoall_init(x, 2, MPI_INTEGER, y, 2, MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
        end select
        call complete()
        call verify("alltoall", y(:2 * ranks + 1), [column(me, 2), hole])

        select case (mode)
        case (1)
            call MPI_Barrier(MPI_COMM_WORLD, ierror)
        case (2)
            call MPI_Ibarrier(MPI_COMM_WORLD, request, ierror)
        case (3)
            call MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
        end select
        call complete()
    end subroutine

    ! Rank r has r + 1 words, and none if r is 1; a gap of one follows each block.
    subroutine uneven()
        integer :: wanted(ranks * (ranks + 3)), root, w
        counts = [(merge(0, r + 1, r == 1), r = 0, ranks - 1)]
        displs(1) = 0
        do r = 2, ranks
            displs(r) = displs(r - 1) + counts(r - 1) + 1
        end do
        n = displs(ranks) + counts(ranks)
        wanted = hole
        do r = 1, ranks
            wanted(displs(r) + 1:displs(r) + counts(r)) = [(value_of(r - 1, 0, w), w = 1, counts(r))]
        end do
        x = hole
        x(:counts(me + 1)) = [(value_of(me, 0, w), w = 1, counts(me + 1))]
        y = hole
        root = ranks / 2
        select case (mode)
        case (1)
            call MPI_Gatherv(x, counts(me + 1), MPI_INTEGER, y, counts, displs, MPI_INTEGER, root, MPI_COMM_WORLD, ierror)
        case (2)
            call MPI_Igatherv(x, counts(me + 1), MPI_INTEGER, y, counts, displs, MPI_INTEGER, root, MPI_COMM_WORLD, &
                request, ierror)
        case (3)
            call MPI_Gatherv_init(x, counts(me + 1), MPI_INTEGER, y, counts, displs, MPI_INTEGER, root, MPI_COMM_WORLD, &
                MPI_INFO_NULL, request, ierror)
        end select
        call complete()
        if (me == root) call verify("gatherv", y(:n), wanted(:n))

        x = hole
        select case (mode)
        case (1)
            call MPI_Scatterv(y, counts, displs, MPI_INTEGER, x, counts(me + 1), MPI_INTEGER, root, MPI_COMM_WORLD, ierror)
        case (2)
            call MPI_Iscatterv(y, counts, displs, MPI_INTEGER, x, counts(me + 1), MPI_INTEGER, root, MPI_COMM_WORLD, &
                request, ierror)
        case (3)
            call MPI_Scatterv_init(y, counts, displs, MPI_INTEGER, x, counts(me + 1), MPI_INTEGER, root, MPI_COMM_WORLD, &
                MPI_INFO_NULL, request, ierror)
        end select
        call complete()
        w = counts(me + 1)
        call verify("scatterv", x(:w + 1), [wanted(displs(me + 1) + 1:displs(me + 1) + w), hole])

        y = hole
        select case (mode)
        case (1)
            call MPI_Allgatherv(x, w, MPI_INTEGER, y, counts, displs, MPI_INTEGER, MPI_COMM_WORLD, ierror)
        case (2)
            call MPI_Iallgatherv(x, w, MPI_INTEGER, y, counts, displs, MPI_INTEGER, MPI_COMM_WORLD, request, ierror)
        case (3)
            call MPI_Allgatherv_init(x, w, MPI_INTEGER, y, counts, displs, MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, &
                request, ierror)
        end select
        call complete()
        call verify("allgatherv", y(:n), wanted(:n))
    end subroutine

    ! Rank r sends 1 + mod(r + q, 3) words to rank q; last block first.
    subroutine exchange()
        integer :: wanted(size(y)), w, first
        HANDLE(MPI_Datatype) :: kinds(0:1)
        kinds = [MPI_INTEGER, second]
        counts = [(1 + mod(me + r, 3), r = 0, ranks - 1)]
        back_counts = counts
        displs(ranks) = 0
        do r = ranks - 1, 1, -1
            displs(r) = displs(r + 1) + counts(r + 1)
        end do
        back_displs = [(4 * r, r = 0, ranks - 1)]
        wanted = hole
        x = hole
        do r = 0, ranks - 1
            x(displs(r + 1) + 1:displs(r + 1) + counts(r + 1)) = [(value_of(me, r, w), w = 1, counts(r + 1))]
            wanted(4 * r + 1:4 * r + counts(r + 1)) = [(value_of(r, me, w), w = 1, counts(r + 1))]
        end do
        y = hole
        select case (mode)
        case (1)
            call MPI_Alltoallv(x, counts, displs, MPI_INTEGER, y, back_counts, back_displs, MPI_INTEGER, MPI_COMM_WORLD, ierror)
        case (2)
            call MPI_Ialltoallv(x, counts, displs, MPI_INTEGER, y, back_counts, back_displs, MPI_INTEGER, MPI_COMM_WORLD, &
                request, ierror)
        case (3)
            call MPI_Alltoallv_init(x, counts, displs, MPI_INTEGER, y, back_counts, back_displs, MPI_INTEGER, &
                MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
        end select
        call complete()
        call verify("alltoallv", y, wanted)

        ! three words to everybody, from and to a vector where the ranks' sum is odd
        wanted = hole
        x = hole
        do r = 0, ranks - 1
            first = 5 * r + 1
            types(r + 1) = kinds(mod(me + r, 2))
            if (mod(me + r, 2) == 1) then
                x(first:first + 4) = spread_out([(value_of(me, r, w), w = 1, 3)])
                wanted(first:first + 4) = spread_out([(value_of(r, me, w), w = 1, 3)])
            else
                x(first:first + 2) = [(value_of(me, r, w), w = 1, 3)]
                wanted(first:first + 2) = [(value_of(r, me, w), w = 1, 3)]
            end if
        end do
        counts = [(merge(1, 3, mod(me + r, 2) == 1), r = 0, ranks - 1)]
        displs = [(5 * r * (storage_size(r) / 8), r = 0, ranks - 1)]
        y = hole
        select case (mode)
        case (1)
            call MPI_Alltoallw(x, counts, displs, types, y, counts, displs, types, MPI_COMM_WORLD, ierror)
        case (2)
            call MPI_Ialltoallw(x, counts, displs, types, y, counts, displs, types, MPI_COMM_WORLD, request, ierror)
        case (3)
            call MPI_Alltoallw_init(x, counts, displs, types, y, counts, displs, types, MPI_COMM_WORLD, MPI_INFO_NULL, &
                request, ierror)
        end select
        call complete()
        call verify("alltoallw", y, wanted)
    end subroutine

    subroutine in_place()
        integer :: w
        y = hole
        y(3 * me + 1:3 * me + 3) = [(value_of(me, 0, w), w = 1, 3)]
        select case (mode)
        case (1)
            call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, y, 3, MPI_INTEGER, MPI_COMM_WORLD, ierror)
        case (2)
            call MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, y, 3, MPI_INTEGER, MPI_COMM_WORLD, request, ierror)
        case (3)
            call MPI_Allgather_init(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, y, 3, MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, &
                request, ierror)
        end select
        call complete()
        call verify("allgather in place", y(:3 * ranks + 1), [column(0, 3), hole])

        y = hole
        y(:2 * ranks) = row(me, 2)
        select case (mode)
        case (1)
            call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, y, 2, MPI_INTEGER, MPI_COMM_WORLD, ierror)
        case (2)
            call MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, y, 2, MPI_INTEGER, MPI_COMM_WORLD, request, ierror)
        case (3)
            call MPI_Alltoall_init(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, y, 2, MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, &
                request, ierror)
        end select
        call complete()
        call verify("alltoall in place", y(:2 * ranks + 1), [column(me, 2), hole])

        ! the root of a gather has its own block in place, that of a scatter keeps it
        y = hole
        x(:2) = [(value_of(me, 1, w), w = 1, 2)]
        if (me == 0) then
            y(:2) = x(:2)
            call MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, y, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
            call verify("gather in place", y(:2 * ranks + 1), [column(1, 2), hole])
            call MPI_Scatter(y, 2, MPI_INTEGER, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD, ierror)
            call verify("scatter in place", y(:2), x(:2))
        else
            call MPI_Gather(x, 2, MPI_INTEGER, y, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
            call MPI_Scatter(y, 2, MPI_INTEGER, y(5), 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
            call verify("scatter from a root in place", y(5:6), x(:2))
        end if
    end subroutine
end program
