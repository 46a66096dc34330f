! Array sections as buffers: strided, of several dimensions, backwards, empty, scalar, assumed-size; blocking,
! nonblocking and persistent; in reductions and messages.  What is not part of the section stays as it is.
! np: 1 2 3 4
include "check.inc"

program sections
    use :: check
    implicit none
    integer :: i, right, left

    call begin()
    right = mod(me + 1, ranks)
    left = mod(me - 1 + ranks, ranks)
    call expect("sections are supported", MPI_SUBARRAYS_SUPPORTED)
    call expect("asynchronous protects", MPI_ASYNC_PROTECTS_NONBLOCKING)
    call reductions()
    call persistent_reduction()
    call messages()
    call persistent_messages()
    call untouched()
    call shapes()
    call collectives()
    call freed()
    call finish()
contains
    ! the sum over all ranks of rank * k
    integer function over(k)
        integer, intent(in) :: k
        over = k * ranks * (ranks - 1) / 2
    end function

    subroutine reductions()
        integer :: x(20), y(20), want(20)
        integer, asynchronous :: z(20)
        type(MPI_Request) :: request
        x = [(me * i, i = 1, 20)]
        want = -1
        want(20:2:-2) = [(over(i), i = 1, 20, 2)]
        y = -1
        call MPI_Allreduce(x(1:20:2), y(20:2:-2), 10, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        call expect("allreduce", y, want)
        y = -1
        call MPI_Allreduce(x(1:20:2), y(20:2:-2), 10_MPI_COUNT_KIND, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        call expect("allreduce with a large count", y, want)
        z = -1
        call MPI_Iallreduce(x(1:20:2), z(20:2:-2), 10, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call expect("iallreduce", z, want)
        y = -1
        y(20:2:-2) = x(1:20:2)
        call MPI_Allreduce(MPI_IN_PLACE, y(20:2:-2), 10, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        call expect("allreduce in place", y, want)
        y = -1
        want = -1
        if (me == ranks - 1) want(1:20:3) = [(over(i), i = 14, 20)]
        call MPI_Reduce(x(14:), y(1:20:3), 7, MPI_INTEGER, MPI_SUM, ranks - 1, MPI_COMM_WORLD)
        call expect("reduce", y, want)
        want = -1
        want(3:20:4) = [(me * (me + 1) / 2 * i, i = 2, 10, 2)]
        y = -1
        call MPI_Scan(x(2:10:2), y(3:20:4), 5, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        call expect("scan", y, want)
    end subroutine

    subroutine persistent_reduction()
        integer, asynchronous :: x(3, 4), y(3, 4)
        integer :: want(3, 4), turn
        type(MPI_Request) :: request
        y = -1
        call MPI_Allreduce_init(x(2:3, :), y(1:3:2, :), 8, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, request)
        do turn = 1, 3
            x = reshape([(me * i * turn, i = 1, 12)], [3, 4])
            call MPI_Start(request)
            call MPI_Wait(request, MPI_STATUS_IGNORE)
            want = -1
            want(1, :) = [(over((3 * i + 2) * turn), i = 0, 3)]
            want(3, :) = [(over((3 * i + 3) * turn), i = 0, 3)]
            call expect("allreduce_init", reshape(y, [12]), reshape(want, [12]))
        end do
        call MPI_Request_free(request)
    end subroutine

    subroutine messages()
        real(8), asynchronous :: x(4, 5, 3), y(4, 5, 3)
        real(8) :: want(4, 5, 3)
        type(MPI_Request) :: requests(2)
        type(MPI_Status) :: status
        integer :: n
        x = reshape([(100d0 * me + i, i = 1, 60)], [4, 5, 3])
        want = -1
        want(4:1:-3, 1:5:2, :) = 100 * (left - me) + x(1:2, 2:4, 3:1:-1)
        y = -1
        call MPI_Sendrecv(x(1:2, 2:4, 3:1:-1), 18, MPI_DOUBLE_PRECISION, right, 1, y(4:1:-3, 1:5:2, :), 18, &
            MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, status)
        call expect("sendrecv", reshape(y, [60]), reshape(want, [60]))
        call MPI_Get_count(status, MPI_DOUBLE_PRECISION, n)
        call expect("the count of sendrecv", n == 18)
        y = -1
        call MPI_Irecv(y(4:1:-3, 1:5:2, :), 18, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, requests(1))
        call MPI_Isend(x(1:2, 2:4, 3:1:-1), 18, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, requests(2))
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
        call expect("irecv", reshape(y, [60]), reshape(want, [60]))
        y = -1
        y(4:1:-3, 1:5:2, :) = x(1:2, 2:4, 3:1:-1)
        call MPI_Sendrecv_replace(y(4:1:-3, 1:5:2, :), 18, MPI_DOUBLE_PRECISION, right, 3, left, 3, MPI_COMM_WORLD, &
            MPI_STATUS_IGNORE)
        call expect("sendrecv_replace", reshape(y, [60]), reshape(want, [60]))
    end subroutine

    subroutine persistent_messages()
        integer, asynchronous :: x(12), y(12)
        integer :: want(12), turn
        type(MPI_Request) :: requests(2)
        logical :: flag
        y = -1
        call MPI_Recv_init(y(12:1:-3), 4, MPI_INTEGER, left, 4, MPI_COMM_WORLD, requests(1))
        call MPI_Send_init(x(1:12:3), 4, MPI_INTEGER, right, 4, MPI_COMM_WORLD, requests(2))
        do turn = 1, 3
            x = [(1000 * turn + 100 * me + i, i = 1, 12)]
            call MPI_Startall(2, requests)
            flag = .false.
            do while (.not. flag)
                call MPI_Testall(2, requests, flag, MPI_STATUSES_IGNORE)
            end do
            want = -1
            want(12:1:-3) = [(1000 * turn + 100 * left + i, i = 1, 12, 3)]
            call expect("persistent messages", y, want)
        end do
        call MPI_Request_free(requests(1))
        call MPI_Request_free(requests(2))
    end subroutine

    ! What the message does not reach is the program's, also while the operation is under way.
    subroutine untouched()
        integer, asynchronous :: y(20)
        integer :: want(20), x(5)
        type(MPI_Request) :: request
        logical :: flag
        y = -1
        call MPI_Irecv(y(1:20:2), 10, MPI_INTEGER, left, 5, MPI_COMM_WORLD, request)
        y(2:20:2) = 7
        y(11:19:2) = 8
        x = [(me + i, i = 1, 5)]
        call MPI_Send(x, 5, MPI_INTEGER, right, 5, MPI_COMM_WORLD)
        flag = .false.
        do while (.not. flag)
            call MPI_Request_get_status(request, flag, MPI_STATUS_IGNORE)
        end do
        want(1:9:2) = [(left + i, i = 1, 5)]
        want(2:20:2) = 7
        want(11:19:2) = 8
        call expect("a message shorter than the section", y, want)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call expect("the same after the wait", y, want)
    end subroutine

    subroutine shapes()
        integer :: x(10), y(10), one
        type :: pair
            integer :: key
            real(8) :: value
        end type
        type(pair), target :: pairs(4)
        type(MPI_Datatype) :: type
        x = [(me * i, i = 1, 10)]
        y = -1
        call assumed_size(x, y)
        call expect("assumed size", y, [(over(i), i = 1, 10)])
        one = me
        call MPI_Allreduce(MPI_IN_PLACE, one, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        call expect("a scalar", one == over(1))
        y = -1
        one = 4
        call MPI_Allreduce(x(one:3), y(7:one), 0, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        call expect("empty sections", y, [(-1, i = 1, 10)])
        call assumed_shape(x(1:10:3), y(2:8:2))
        call expect("assumed shape", y(2:8:2), [(over(i), i = 1, 10, 3)])
        ! elements of a derived type, backwards, as bytes of a contiguous type
        pairs = [(pair(me, i), i = 1, 4)]
        call MPI_Type_contiguous(storage_size(pairs) / 8, MPI_BYTE, type)
        call MPI_Type_commit(type)
        call MPI_Bcast(pairs(4:1:-2), 2, type, ranks - 1, MPI_COMM_WORLD)
        call MPI_Type_free(type)
        call expect("a derived type, backwards", pairs%key, [me, ranks - 1, me, ranks - 1])
    end subroutine

    subroutine assumed_size(x, y)
        integer, intent(in) :: x(2, *)
        integer, intent(out) :: y(*)
        call MPI_Allreduce(x, y, 10, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    end subroutine

    subroutine assumed_shape(x, y)
        integer, intent(in) :: x(:)
        integer, intent(inout) :: y(:)
        call MPI_Allreduce(x, y, size(x), MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    end subroutine

    subroutine collectives()
        integer :: x(0:2*ranks-1), want(0:2*ranks-1)
        integer, asynchronous :: y(0:2*ranks-1)
        type(MPI_Request) :: request
        y = -1
        want = -1
        want(0::2) = [(i * i, i = 0, ranks - 1)]
        call MPI_Allgather(me * me, 1, MPI_INTEGER, y(0::2), 1, MPI_INTEGER, MPI_COMM_WORLD)
        call expect("allgather", y, want)
        ! at the other ranks the receive buffer does not count and is the program's
        y = -1
        call MPI_Igather(me + 5, 1, MPI_INTEGER, y(1::2), 1, MPI_INTEGER, 0, MPI_COMM_WORLD, request)
        if (me /= 0) y = 3
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        want = 3
        if (me == 0) want = -1
        if (me == 0) want(1::2) = [(i + 5, i = 0, ranks - 1)]
        call expect("igather", y, want)
        x = [(100 * me + i, i = 0, 2 * ranks - 1)]
        y = -1
        want = -1
        want(2*ranks-1:0:-2) = [(100 * i + 2 * me, i = 0, ranks - 1)]
        call MPI_Alltoall(x(0::2), 1, MPI_INTEGER, y(2*ranks-1:0:-2), 1, MPI_INTEGER, MPI_COMM_WORLD)
        call expect("alltoall", y, want)
    end subroutine

    ! A receive that is given up still delivers.
    subroutine freed()
        integer, asynchronous :: y(9)
        type(MPI_Request) :: request
        y = -1
        call MPI_Irecv(y(1:9:4), 3, MPI_INTEGER, left, 6, MPI_COMM_WORLD, request)
        call MPI_Request_free(request)
        call expect("the request is null", request == MPI_REQUEST_NULL)
        call MPI_Send([me, me, me], 3, MPI_INTEGER, right, 6, MPI_COMM_WORLD)
        call MPI_Send(me, 1, MPI_INTEGER, right, 7, MPI_COMM_WORLD)
        i = -1
        call MPI_Recv(i, 1, MPI_INTEGER, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        call expect("the message after it", i == left)
        call expect("a freed receive", y, [left, -1, -1, -1, left, -1, -1, -1, left])
    end subroutine
end program
