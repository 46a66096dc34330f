! Requests and statuses: indices count from 1, statuses tell source, tag and count, what is ignored is not written;
! probes, generalized requests, cancelling.
! np: 2 4
include "check.inc"

module operation
    use :: mpi_f08
    implicit none
    integer :: freed = 0, cancelled = 0
contains
    subroutine query(extra_state, status, ierror)
        integer(kind=MPI_ADDRESS_KIND) :: extra_state
        type(MPI_Status) :: status
        integer :: ierror
        call MPI_Status_set_elements(status, MPI_INTEGER, int(extra_state), ierror)
        call MPI_Status_set_cancelled(status, cancelled > 0)
        status%MPI_SOURCE = 5
        status%MPI_TAG = 6
        ierror = MPI_SUCCESS
    end subroutine

    subroutine release(extra_state, ierror)
        integer(kind=MPI_ADDRESS_KIND) :: extra_state
        integer :: ierror
        freed = freed + int(extra_state)
        ierror = MPI_SUCCESS
    end subroutine

    subroutine cancel(extra_state, complete, ierror)
        integer(kind=MPI_ADDRESS_KIND) :: extra_state
        logical :: complete
        integer :: ierror
        if (.not. complete) cancelled = cancelled + int(extra_state)
        ierror = MPI_SUCCESS
    end subroutine
end module

program requests
    use :: check
    use :: operation
    implicit none
    integer :: i, peer

    call begin()
    peer = ieor(me, 1)
    call statuses()
    call several()
    call probes()
    call generalized()
    call cancelled_receive()
    call conversions()
    call finish()
contains
    subroutine statuses()
        integer :: x(5), n, guard(2)
        integer(kind=MPI_COUNT_KIND) :: m
        type(MPI_Status) :: status
        logical :: flag
        x = 0
        guard = 77
        call MPI_Sendrecv([1, 2, 3], 3, MPI_INTEGER, peer, 40 + me, x, 5, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, &
            MPI_COMM_WORLD, status)
        call expect("the message", x, [1, 2, 3, 0, 0])
        call expect("its status", [status%MPI_SOURCE, status%MPI_TAG], [peer, 40 + peer])
        call MPI_Get_count(status, MPI_INTEGER, n)
        call expect("its count", n == 3)
        call MPI_Get_count(status, MPI_INTEGER, m)
        call expect("its large count", m == 3)
        call MPI_Get_elements(status, MPI_INTEGER, m)
        call expect("its elements", m == 3)
        call MPI_Get_count(status, MPI_DOUBLE_PRECISION, n)
        call expect("no whole number", n == MPI_UNDEFINED)
        call MPI_Test_cancelled(status, flag)
        call expect("not cancelled", .not. flag)
        call MPI_Sendrecv(me, 1, MPI_INTEGER, peer, 1, n, 1, MPI_INTEGER, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        call expect("without a status", n == peer)
        call expect("nothing else was written", guard, [77, 77])
    end subroutine

    subroutine several()
        integer, asynchronous :: x(4)
        integer :: index, order(4), n, done, indices(4)
        type(MPI_Request) :: requests(4)
        type(MPI_Status) :: list(4), one
        logical :: flag
        x = -1
        do i = 1, 4
            call MPI_Irecv(x(i), 1, MPI_INTEGER, peer, i, MPI_COMM_WORLD, requests(i))
        end do
        call MPI_Testany(4, requests, index, flag, one)
        if (.not. flag) call expect("no index", index == MPI_UNDEFINED)
        call MPI_Barrier(MPI_COMM_WORLD)
        call MPI_Send(30, 1, MPI_INTEGER, peer, 3, MPI_COMM_WORLD)
        call MPI_Waitany(4, requests, index, one)
        call expect("waitany", [index, one%MPI_TAG, x(3)], [3, 3, 30])
        call expect("null afterwards", requests(3) == MPI_REQUEST_NULL .and. requests(2) /= MPI_REQUEST_NULL)
        call MPI_Barrier(MPI_COMM_WORLD)
        call MPI_Send(10, 1, MPI_INTEGER, peer, 1, MPI_COMM_WORLD)
        call MPI_Send(40, 1, MPI_INTEGER, peer, 4, MPI_COMM_WORLD)
        done = 0
        order = 0
        do while (done < 2)
            call MPI_Waitsome(4, requests, n, indices, list)
            do i = 1, n
                order(indices(i)) = order(indices(i)) + 1
                call expect("the status of waitsome", list(i)%MPI_TAG == indices(i))
            end do
            done = done + n
        end do
        call expect("waitsome", order, [1, 0, 0, 1])
        call MPI_Barrier(MPI_COMM_WORLD)
        call MPI_Send(20, 1, MPI_INTEGER, peer, 2, MPI_COMM_WORLD)
        call MPI_Waitall(4, requests, list)
        call expect("waitall", [x, list(2)%MPI_TAG, list(1)%MPI_TAG], [10, 20, 30, 40, 2, MPI_ANY_TAG])
        call MPI_Waitany(4, requests, index, MPI_STATUS_IGNORE)
        call expect("waitany of nothing", index == MPI_UNDEFINED)
        call MPI_Testsome(4, requests, n, indices, MPI_STATUSES_IGNORE)
        call expect("testsome of nothing", n == MPI_UNDEFINED)
    end subroutine

    subroutine probes()
        type(MPI_Status) :: status
        type(MPI_Message) :: message
        integer :: x(3), n
        logical :: flag
        call MPI_Send([4, 5, 6] + me, 3, MPI_INTEGER, peer, 9, MPI_COMM_WORLD)
        call MPI_Probe(peer, MPI_ANY_TAG, MPI_COMM_WORLD, status)
        call MPI_Get_count(status, MPI_INTEGER, n)
        call expect("probe", [status%MPI_TAG, n], [9, 3])
        call MPI_Iprobe(peer, 10, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE)
        call expect("iprobe", .not. flag)
        call MPI_Mprobe(peer, 9, MPI_COMM_WORLD, message, status)
        call MPI_Mrecv(x, 3, MPI_INTEGER, message, MPI_STATUS_IGNORE)
        call expect("mrecv", x, [4, 5, 6] + peer)
        call expect("the message is null", message == MPI_MESSAGE_NULL)
    end subroutine

    subroutine generalized()
        type(MPI_Request) :: request
        type(MPI_Status) :: status
        integer :: n
        logical :: flag
        call MPI_Grequest_start(query, release, cancel, 3_MPI_ADDRESS_KIND, request)
        call MPI_Test(request, flag, status)
        call expect("not yet", .not. flag)
        call MPI_Cancel(request)
        call expect("cancel was called", cancelled == 3)
        call MPI_Grequest_complete(request)
        call MPI_Wait(request, status)
        call MPI_Get_elements(status, MPI_INTEGER, n)
        call expect("a generalized status", [status%MPI_SOURCE, status%MPI_TAG, n, freed], [5, 6, 3, 3])
        call MPI_Test_cancelled(status, flag)
        call expect("says cancelled", flag)
    end subroutine

    subroutine cancelled_receive()
        integer, asynchronous :: x(6)
        type(MPI_Request) :: request
        type(MPI_Status) :: status
        logical :: flag
        x = 3
        call MPI_Irecv(x(1:6:2), 3, MPI_INTEGER, peer, 99, MPI_COMM_WORLD, request)
        call MPI_Cancel(request)
        call MPI_Wait(request, status)
        call MPI_Test_cancelled(status, flag)
        call expect("a cancelled receive", flag)
        call expect("its buffer", x, [3, 3, 3, 3, 3, 3])
    end subroutine

    subroutine conversions()
        type(MPI_Status) :: status, again
        integer :: f(MPI_STATUS_SIZE)
        status%MPI_SOURCE = 1
        status%MPI_TAG = 2
        status%MPI_ERROR = 3
        call MPI_Status_f082f(status, f)
        call expect("f082f", [f(MPI_SOURCE), f(MPI_TAG), f(MPI_ERROR)], [1, 2, 3])
        call MPI_Status_f2f08(f, again)
        call expect("f2f08", [again%MPI_SOURCE, again%MPI_TAG, again%MPI_ERROR], [1, 2, 3])
    end subroutine
end program
