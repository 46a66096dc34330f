! dialect.h - what makes one source a program for mpif.h, for `use mpi` and for mpi_f08: DIALECT is 77, 90 or 8.
!
! A scope that uses MPI says USE_MPI among its use statements and INCLUDE_MPI after `implicit none`.  HANDLE(MPI_Comm)
! is the type of a communicator, STATUS(s) declares a status and STATUSES(s, n) an array, whose fields SOURCE_OF(s) and
! so on name; PENDING is an attribute of what operations use after the call.  The module `check` counts what is wrong and tells.
#if DIALECT == 77
#define USE_MPI use, intrinsic :: iso_fortran_env, only: int64
#define INCLUDE_MPI include 'mpif.h'
#elif DIALECT == 90
#define USE_MPI use :: mpi
#define INCLUDE_MPI
#else
#define USE_MPI use :: mpi_f08
#define INCLUDE_MPI
#endif

#if DIALECT == 8
#define HANDLE(kind) type(kind)
#define STATUS(s) type(MPI_Status) :: s
#define STATUSES(s, n) type(MPI_Status) :: s(n)
#define SOURCE_OF(s) s%MPI_SOURCE
#define TAG_OF(s) s%MPI_TAG
#define NTH(s, i) s(i)
#define PENDING asynchronous
#else
#define HANDLE(kind) integer
#define STATUS(s) integer :: s(MPI_STATUS_SIZE)
#define STATUSES(s, n) integer :: s(MPI_STATUS_SIZE, n)
#define SOURCE_OF(s) s(MPI_SOURCE)
#define TAG_OF(s) s(MPI_TAG)
#define NTH(s, i) s(:, i)
#define PENDING target
#endif

module check
    USE_MPI
    implicit none
    INCLUDE_MPI
    private
    public :: begin, finish, expect, me, ranks
    integer :: wrong = 0, checks = 0, me = -1, ranks = 0

    ! All elements equal; the first one that is not is reported.
    interface expect
        procedure :: expect_true, expect_integer, expect_integers
    end interface
contains
    subroutine begin()
        integer :: ierror
        call MPI_Init(ierror)
        call MPI_Comm_rank(MPI_COMM_WORLD, me, ierror)
        call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    end subroutine

    subroutine finish()
        integer :: mine(2), total(2), ierror
        mine = [wrong, checks]
        call MPI_Allreduce(mine, total, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
        call MPI_Finalize(ierror)
        if (total(1) > 0 .or. total(2) == 0) error stop 1
    end subroutine

    subroutine expect_true(what, condition)
        character(len=*), intent(in) :: what
        logical, intent(in) :: condition
        checks = checks + 1
        if (condition) return
        wrong = wrong + 1
        if (wrong <= 20) print '(a,i0,2a)', 'rank ', me, ': not so: ', what
    end subroutine

    subroutine expect_integer(what, found, wanted)
        character(len=*), intent(in) :: what
        integer, intent(in) :: found, wanted
        call expect_integers(what, [found], [wanted])
    end subroutine

    subroutine expect_integers(what, found, wanted)
        character(len=*), intent(in) :: what
        integer, intent(in) :: found(:), wanted(:)
        integer :: i
        checks = checks + 1
        if (size(found) /= size(wanted)) call expect_true(what // ": as many", .false.)
        do i = 1, min(size(found), size(wanted))
            if (found(i) == wanted(i)) cycle
            wrong = wrong + 1
            if (wrong <= 20) print '(a,i0,3a,i0,a,i0,a,i0)', 'rank ', me, ': ', what, ': element ', i, ' is ', &
                found(i), ', not ', wanted(i)
            return
        end do
    end subroutine
end module
