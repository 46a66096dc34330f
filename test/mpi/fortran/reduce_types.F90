! Every predefined operator on each of Fortran's types that the standard allows it for, and the pair types; allreduce
! and scan, against Fortran's own operators.
!
! np: 1 2 3 5
! only: treefold
#include "dialect.inc"

module numbers
    USE_MPI
    use :: check
    implicit none
    INCLUDE_MPI
    private
    public :: integers1, integers2, integers4, integers8, reals4, reals8, complexes4, complexes8, logicals1, logicals2, &
        logicals4, logicals8, bytes
    integer, parameter :: n = 19
    HANDLE(MPI_Op), parameter :: ops(10) = [MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_LAND, &
        MPI_LOR, MPI_LXOR]
    character(len=4), parameter :: names(10) = ["sum ", "prod", "max ", "min ", "band", "bor ", "bxor", "land", "lor ", "lxor"]
contains
    ! small, of both signs, never 0
    integer function value_of(r, i)
        integer, intent(in) :: r, i
        value_of = mod(5 * r + 3 * i, 7) - 3
        if (value_of <= 0) value_of = value_of - 1
    end function

#define TYPE_OF integer(1)
#define NAME integers1
#include "integers.inc"
#define TYPE_OF integer(2)
#define NAME integers2
#include "integers.inc"
#define TYPE_OF integer(4)
#define NAME integers4
#include "integers.inc"
#define TYPE_OF integer(8)
#define NAME integers8
#include "integers.inc"
#define TYPE_OF real(4)
#define NAME reals4
#include "reals.inc"
#define TYPE_OF real(8)
#define NAME reals8
#include "reals.inc"
#define TYPE_OF complex(4)
#define NAME complexes4
#include "complexes.inc"
#define TYPE_OF complex(8)
#define NAME complexes8
#include "complexes.inc"
#define TYPE_OF logical(1)
#define NAME logicals1
#include "logicals.inc"
#define TYPE_OF logical(2)
#define NAME logicals2
#include "logicals.inc"
#define TYPE_OF logical(4)
#define NAME logicals4
#include "logicals.inc"
#define TYPE_OF logical(8)
#define NAME logicals8
#include "logicals.inc"

    subroutine bytes()
        character(len=n) :: x, y
        integer :: i, r, want, ierror
        do i = 1, n
            x(i:i) = achar(mod(7 * me + 5 * i, 128))
        end do
        call MPI_Allreduce(x, y, n, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD, ierror)
        do i = 1, n
            want = 0
            do r = 0, ranks - 1
                want = ieor(want, mod(7 * r + 5 * i, 128))
            end do
            call expect("bytes", iachar(y(i:i)), want)
        end do
    end subroutine
end module

program reduce_types
    USE_MPI
    use :: check
    use :: numbers
    implicit none
    INCLUDE_MPI
    integer :: i

    call begin()
    call integers4(MPI_INTEGER, "INTEGER")
    call integers4(MPI_INTEGER4, "INTEGER4")
    call integers1(MPI_INTEGER1, "INTEGER1")
    call integers2(MPI_INTEGER2, "INTEGER2")
    call integers8(MPI_INTEGER8, "INTEGER8")
    call integers8(MPI_AINT, "AINT")
    call integers8(MPI_OFFSET, "OFFSET")
    call integers8(MPI_COUNT, "COUNT")
    call reals4(MPI_REAL, "REAL")
    call reals4(MPI_REAL4, "REAL4")
    call reals8(MPI_DOUBLE_PRECISION, "DOUBLE PRECISION")
    call reals8(MPI_REAL8, "REAL8")
    call complexes4(MPI_COMPLEX, "COMPLEX")
    call complexes4(MPI_COMPLEX8, "COMPLEX8")
    call complexes8(MPI_DOUBLE_COMPLEX, "DOUBLE COMPLEX")
    call complexes8(MPI_COMPLEX16, "COMPLEX16")
    call logicals4(MPI_LOGICAL, "LOGICAL")
    call logicals1(MPI_LOGICAL1, "LOGICAL1")
    call logicals2(MPI_LOGICAL2, "LOGICAL2")
    call logicals4(MPI_LOGICAL4, "LOGICAL4")
    call logicals8(MPI_LOGICAL8, "LOGICAL8")
    call bytes()
    call pairs()
    call finish()
contains
    ! The values of the ranks at place i: the extremes are at ranks of their own, some twice.
    function values(i) result(v)
        integer, intent(in) :: i
        integer :: v(ranks), r
        v = [(mod(5 * r + i, 4) - 2, r = 0, ranks - 1)]
    end function

    subroutine pairs()
        integer, parameter :: m = 6
        real(4) :: r4(2, m), s4(2, m)
        real(8) :: r8(2, m), s8(2, m)
        integer :: i4(2, m), j4(2, m), v(ranks), greatest(2, m), least(2, m), ierror
        do i = 1, m
            v = values(i)
            i4(:, i) = [v(me + 1), 100 + me]
            greatest(:, i) = [maxval(v), 99 + maxloc(v, 1)]
            least(:, i) = [minval(v), 99 + minloc(v, 1)]
        end do
        r4 = i4
        r8 = i4
        call MPI_Allreduce(r4, s4, m, MPI_2REAL, MPI_MAXLOC, MPI_COMM_WORLD, ierror)
        call expect("2REAL, maxloc", reshape(nint(s4), [2 * m]), reshape(greatest, [2 * m]))
        call MPI_Allreduce(r4, s4, m, MPI_2REAL, MPI_MINLOC, MPI_COMM_WORLD, ierror)
        call expect("2REAL, minloc", reshape(nint(s4), [2 * m]), reshape(least, [2 * m]))
        call MPI_Allreduce(r8, s8, m, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, MPI_COMM_WORLD, ierror)
        call expect("2DOUBLE_PRECISION, maxloc", reshape(nint(s8), [2 * m]), reshape(greatest, [2 * m]))
        call MPI_Allreduce(r8, s8, m, MPI_2DOUBLE_PRECISION, MPI_MINLOC, MPI_COMM_WORLD, ierror)
        call expect("2DOUBLE_PRECISION, minloc", reshape(nint(s8), [2 * m]), reshape(least, [2 * m]))
        call MPI_Allreduce(i4, j4, m, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_WORLD, ierror)
        call expect("2INTEGER, maxloc", reshape(j4, [2 * m]), reshape(greatest, [2 * m]))
        call MPI_Reduce(i4, j4, m, MPI_2INTEGER, MPI_MINLOC, ranks - 1, MPI_COMM_WORLD, ierror)
        if (me == ranks - 1) call expect("2INTEGER, minloc", reshape(j4, [2 * m]), reshape(least, [2 * m]))
    end subroutine
end program
