! Every reduction, with predefined operators on Fortran's types; in place and not; both kinds of counts; blocking,
! nonblocking and persistent.
! np: 1 2 3 4 8
include "check.inc"

program reduce_matrix
    use :: check
    implicit none
    integer, parameter :: n = 37
    integer :: i

    call begin()
    call integers()
    call types()
    call pairs()
    call scattered()
    call finish()
contains
    integer function value_of(r, i)
        integer, intent(in) :: r, i
        value_of = mod(17 * r + 31 * i, 101) - 50
    end function

    ! element by element over the ranks first to last
    function combined(name, first, last) result(y)
        character(len=*), intent(in) :: name
        integer, intent(in) :: first, last
        integer :: y(n), i, r
        do i = 1, n
            y(i) = value_of(first, i)
            do r = first + 1, last
                select case (name)
                case ("sum"); y(i) = y(i) + value_of(r, i)
                case ("max"); y(i) = max(y(i), value_of(r, i))
                case ("min"); y(i) = min(y(i), value_of(r, i))
                case ("bxor"); y(i) = ieor(y(i), value_of(r, i))
                end select
            end do
        end do
    end function

    subroutine integers()
        character(len=4), parameter :: names(4) = ["sum ", "max ", "min ", "bxor"]
        type(MPI_Op), parameter :: ops(4) = [MPI_SUM, MPI_MAX, MPI_MIN, MPI_BXOR]
        integer :: k
        do k = 1, 4
            call reductions(trim(names(k)), ops(k))
        end do
    end subroutine

    subroutine reductions(name, op)
        character(len=*), intent(in) :: name
        type(MPI_Op), intent(in) :: op
        integer, asynchronous :: x(n), y(n)
        integer :: want(n), root
        integer(kind=MPI_COUNT_KIND), parameter :: many = n
        type(MPI_Request) :: request
        type(MPI_Comm) :: comm
        comm = MPI_COMM_WORLD
        x = [(value_of(me, i), i = 1, n)]
        want = combined(name, 0, ranks - 1)
        y = 0
        call MPI_Allreduce(x, y, n, MPI_INTEGER, op, comm)
        call expect("allreduce " // name, y, want)
        y = x
        call MPI_Allreduce(MPI_IN_PLACE, y, many, MPI_INTEGER, op, comm)
        call expect("allreduce in place " // name, y, want)
        y = x
        call MPI_Iallreduce(MPI_IN_PLACE, y, n, MPI_INTEGER, op, comm, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call expect("iallreduce " // name, y, want)
        do root = 0, ranks - 1
            y = 0
            call MPI_Reduce(x, y, many, MPI_INTEGER, op, root, comm)
            if (me == root) call expect("reduce " // name, y, want)
            if (me /= root) call expect("reduce elsewhere " // name, y, [(0, i = 1, n)])
            y = x
            if (me == root) then
                call MPI_Reduce(MPI_IN_PLACE, y, n, MPI_INTEGER, op, root, comm)
                call expect("reduce in place " // name, y, want)
            else
                call MPI_Reduce(x, y, n, MPI_INTEGER, op, root, comm)
            end if
            y = 0
            call MPI_Ireduce(x, y, n, MPI_INTEGER, op, root, comm, request)
            call MPI_Wait(request, MPI_STATUS_IGNORE)
            if (me == root) call expect("ireduce " // name, y, want)
        end do
        call MPI_Reduce_init(x, y, n, MPI_INTEGER, op, 0, comm, MPI_INFO_NULL, request)
        y = 0
        call MPI_Start(request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        if (me == 0) call expect("reduce_init " // name, y, want)
        call MPI_Request_free(request)
        want = combined(name, 0, me)
        call MPI_Scan(x, y, n, MPI_INTEGER, op, comm)
        call expect("scan " // name, y, want)
        y = x
        call MPI_Iscan(MPI_IN_PLACE, y, many, MPI_INTEGER, op, comm, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call expect("iscan in place " // name, y, want)
        y = 5
        call MPI_Exscan(x, y, n, MPI_INTEGER, op, comm)
        if (me > 0) call expect("exscan " // name, y, combined(name, 0, me - 1))
    end subroutine

    subroutine types()
        integer(1) :: i1(3), j1(3)
        integer(2) :: i2(3), j2(3)
        integer(8) :: i8(3), j8(3)
        real(4) :: r4(3), s4(3)
        real(8) :: r8(3), s8(3)
        complex(4) :: c4(3), d4(3)
        complex(8) :: c8(3), d8(3)
        logical :: l(3), k(3)
        integer :: s
        s = ranks * (ranks + 1) / 2
        i1 = int([1, 2, 3] * (me + 1), 1)
        call MPI_Allreduce(i1, j1, 3, MPI_INTEGER1, MPI_SUM, MPI_COMM_WORLD)
        call expect("INTEGER1", int(j1), [1, 2, 3] * s)
        i2 = int([1, 2, 3] * (me + 1), 2)
        call MPI_Allreduce(i2, j2, 3, MPI_INTEGER2, MPI_SUM, MPI_COMM_WORLD)
        call expect("INTEGER2", int(j2), [1, 2, 3] * s)
        i8 = [1_8, 2_8, 2_8**40] * (me + 1)
        call MPI_Allreduce(i8, j8, 3, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
        call expect("INTEGER8", j8, [1_8, 2_8, 2_8**40] * s)
        r4 = [1, 2, 3] * (me + 1)
        call MPI_Allreduce(r4, s4, 3, MPI_REAL, MPI_SUM, MPI_COMM_WORLD)
        call expect("REAL", real(s4, 8), real([1, 2, 3] * s, 8))
        r8 = [1, 2, 3] * (me + 1) / 8d0
        call MPI_Allreduce(r8, s8, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
        call expect("DOUBLE PRECISION", s8, [1, 2, 3] * s / 8d0)
        r8 = [1d0, 2d0, -1d0]
        call MPI_Allreduce(r8, s8, 3, MPI_REAL8, MPI_PROD, MPI_COMM_WORLD)
        call expect("REAL8, product", s8, [1d0, 2d0, -1d0]**ranks)
        c4 = cmplx(1, -2) * (me + 1)
        call MPI_Allreduce(c4, d4, 3, MPI_COMPLEX, MPI_SUM, MPI_COMM_WORLD)
        call expect("COMPLEX", real([real(d4(3)), aimag(d4(3))], 8), real([s, -2 * s], 8))
        c8 = cmplx(0, 1, 8)
        call MPI_Allreduce(c8, d8, 3, MPI_DOUBLE_COMPLEX, MPI_PROD, MPI_COMM_WORLD)
        call expect("DOUBLE COMPLEX, product", [real(d8(2)), aimag(d8(2))], &
            [real(cmplx(0, 1, 8)**ranks, 8), aimag(cmplx(0, 1, 8)**ranks)])
        l = [.true., me == 0, .false.]
        call MPI_Allreduce(l, k, 3, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD)
        call expect("LOGICAL, and", all(k .eqv. [.true., ranks == 1, .false.]))
        k = .false.
        call MPI_Allreduce(l, k, 3, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD)
        call expect("LOGICAL, or", all(k .eqv. [.true., .true., .false.]))
        k = .false.
        call MPI_Allreduce(l, k, 3, MPI_LOGICAL, MPI_LXOR, MPI_COMM_WORLD)
        call expect("LOGICAL, exclusive or", all(k .eqv. [mod(ranks, 2) == 1, .true., .false.]))
    end subroutine

    subroutine pairs()
        real(8) :: a(2, 5), b(2, 5)
        real(4) :: c(2), d(2)
        integer :: e(2), f(2)
        a(1, :) = [(value_of(me, i), i = 1, 5)]
        a(2, :) = me
        call MPI_Allreduce(a, b, 5, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, MPI_COMM_WORLD)
        do i = 1, 5
            call expect("2DOUBLE_PRECISION", b(:, i), real([maxval(values(i)), maxloc(values(i), 1) - 1], 8))
        end do
        c = [value_of(me, 3), me]
        call MPI_Allreduce(c, d, 1, MPI_2REAL, MPI_MINLOC, MPI_COMM_WORLD)
        call expect("2REAL", real(d, 8), real([minval(values(3)), minloc(values(3), 1) - 1], 8))
        e = [value_of(me, 4), me]
        call MPI_Allreduce(e, f, 1, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_WORLD)
        call expect("2INTEGER", f, [maxval(values(4)), maxloc(values(4), 1) - 1])
    end subroutine

    function values(i) result(v)
        integer, intent(in) :: i
        integer :: v(ranks), r
        v = [(value_of(r, i), r = 0, ranks - 1)]
    end function

    subroutine scattered()
        integer, asynchronous :: x(n * ranks), y(n * ranks)
        integer :: counts(0:ranks-1), first, r
        type(MPI_Request) :: request
        x = [(me + i, i = 1, n * ranks)]
        y = 0
        call MPI_Reduce_scatter_block(x, y, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        call expect("reduce_scatter_block", y(:n), [(ranks * (n * me + i) + ranks * (ranks - 1) / 2, i = 1, n)])
        counts = [(mod(r, 3) + 1, r = 0, ranks - 1)]
        first = sum(counts(:me-1))
        y = 0
        call MPI_Reduce_scatter(x, y, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        call expect("reduce_scatter", y(:counts(me)), &
            [(ranks * (first + i) + ranks * (ranks - 1) / 2, i = 1, counts(me))])
        y = x
        call MPI_Ireduce_scatter(MPI_IN_PLACE, y, int(counts, MPI_COUNT_KIND), MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call expect("ireduce_scatter in place", y(:counts(me)), &
            [(ranks * (first + i) + ranks * (ranks - 1) / 2, i = 1, counts(me))])
    end subroutine
end program
