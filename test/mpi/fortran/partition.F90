! Partitioned communication from Fortran: counts of the large kind, partitions from 0, LOGICAL flags.
!
! np: 1 2 3 5 9
#include "dialect.inc"

program partition
    USE_MPI
    use :: check
    implicit none
    INCLUDE_MPI
    integer, parameter :: n = 6
    integer, PENDING :: out(n), in(n)
    integer :: ierror, left, right, round, i, got, code
    integer(MPI_COUNT_KIND) :: one, three
    logical :: flag
    HANDLE(MPI_Request) :: requests(2)
    STATUS(status)

    call begin()
    right = mod(me + 1, ranks)
    left = mod(me + ranks - 1, ranks)
    one = 1
    three = 3
    call MPI_Psend_init(out, n, one, MPI_INTEGER, right, 4, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1), ierror)
    call expect("a send", ierror, MPI_SUCCESS)
    call MPI_Precv_init(in, n / 3, three, MPI_INTEGER, left, 4, MPI_COMM_WORLD, MPI_INFO_NULL, requests(2), ierror)
    call expect("a receive", ierror, MPI_SUCCESS)
    do round = 1, 3
        in = -1
        flag = .false.
        call MPI_Parrived(requests(2), 1, flag, ierror)
        call expect("inactive", flag)
        call MPI_Startall(2, requests, ierror)
        call MPI_Parrived(requests(2), 1, flag, ierror)
        call expect("nothing is ready", .not. flag)
        call MPI_Barrier(MPI_COMM_WORLD, ierror)
        out = [(100 * me + 10 * round + i, i = 1, n)]
        call MPI_Pready(n - 1, requests(1), ierror)
        call expect("the last one", ierror, MPI_SUCCESS)
        call MPI_Pready_list(2, [4, 3], requests(1), ierror)
        flag = .false.
        do while (.not. flag)
            call MPI_Parrived(requests(2), 1, flag, ierror)
        end do
        call expect("the second half", in(4:6), [(100 * left + 10 * round + i, i = 4, n)])
        call MPI_Barrier(MPI_COMM_WORLD, ierror)
        call MPI_Pready_range(0, 2, requests(1), ierror)
        call MPI_Wait(requests(2), status, ierror)
        call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierror)
        call expect("all", in, [(100 * left + 10 * round + i, i = 1, n)])
        call expect("from", SOURCE_OF(status), left)
        call expect("with the tag", TAG_OF(status), 4)
        call MPI_Get_count(status, MPI_INTEGER, got, ierror)
        call expect("how many", got, n)
    end do
    call MPI_Request_free(requests(1), ierror)
    call MPI_Request_free(requests(2), ierror)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
    call MPI_Precv_init(in, 1, three, MPI_INTEGER, left, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1), ierror)
    call MPI_Error_class(ierror, code, i)
    call expect("no wildcards", code, MPI_ERR_TAG)
#if DIALECT == 8
    call MPI_Psend_init(out(1:n:2), 1, three, MPI_INTEGER, right, 4, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1), ierror)
    call MPI_Error_class(ierror, code, i)
    call expect("a section with gaps", code, MPI_ERR_BUFFER)
    block
        character(len=MPI_MAX_ERROR_STRING) :: words
        call MPI_Error_string(ierror, words, i)
        call expect("whose", index(words, "MPI_Psend_init: buf is a section of an array with gaps") > 0)
    end block
    call MPI_Psend_init(out(2:4), 1, three, MPI_INTEGER, right, 4, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1), ierror)
    call expect("a section without", ierror, MPI_SUCCESS)
    call MPI_Request_free(requests(1), ierror)
#endif
    call finish()
end program
