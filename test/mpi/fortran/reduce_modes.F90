! Every reduction, blocking, nonblocking and persistent, in place and not, of counts from 0 on, to every root: the
! product of 2 by 2 matrices, which does not commute, and predefined operators.
!
! np: 1 2 3 4 8
! wrong: mpich (4.0: in place at the root, an operator that does not commute)
#include "dialect.inc"

module operators
    USE_MPI
    use, intrinsic :: iso_c_binding
    implicit none
    INCLUDE_MPI
    integer, parameter :: modulus = 997
contains
#if DIALECT == 8
    subroutine multiply(invec, inoutvec, len, datatype)
        type(c_ptr), value :: invec, inoutvec
        integer :: len
        type(MPI_Datatype) :: datatype
        integer, pointer :: a(:, :, :), b(:, :, :)
        integer :: i
        call c_f_pointer(invec, a, [2, 2, len])
        call c_f_pointer(inoutvec, b, [2, 2, len])
#else
    subroutine multiply(a, b, len, datatype)
        integer :: len, datatype, i
        integer :: a(2, 2, len), b(2, 2, len)
#endif
        if (datatype == MPI_INTEGER) return
        do i = 1, len
            b(:, :, i) = mod(matmul(a(:, :, i), b(:, :, i)), modulus)
        end do
    end subroutine
end module

program reduce_modes
    USE_MPI
    use :: check
    use :: operators, only: multiply, modulus
    implicit none
    INCLUDE_MPI
    integer, parameter :: longest = 700, lengths(5) = [0, 1, 3, 17, longest]
    integer, parameter :: sum_of = 1, max_of = 2, product_of = 3
    character(len=12), parameter :: modes(3) = ["            ", " nonblocking", " persistent "]
    character(len=8), parameter :: names(3) = ["sums    ", "maxima  ", "products"]
    integer, PENDING, allocatable :: x(:), y(:)
    integer :: k, mode, i, kind, words, ierror
    logical :: in_place, commute
    HANDLE(MPI_Op) :: op, product
    HANDLE(MPI_Datatype) :: matrix, datatype

    call begin()
    allocate (x(4 * longest * ranks + 1), y(4 * longest * ranks + 1))
    call MPI_Type_contiguous(4, MPI_INTEGER, matrix, ierror)
    call MPI_Type_commit(matrix, ierror)
    call MPI_Op_create(multiply, .false., product, ierror)
    call MPI_Op_commutative(product, commute, ierror)
    call expect("matrices do not commute", .not. commute)
    do kind = 1, 3
        op = MPI_SUM
        if (kind == max_of) op = MPI_MAX
        if (kind == product_of) op = product
        datatype = MPI_INTEGER
        if (kind == product_of) datatype = matrix
        words = merge(4, 1, kind == product_of)
        do mode = 1, 3
            do k = 1, 2
                in_place = k == 2
                do i = 1, size(lengths)
                    call to_all(lengths(i))
                    call to_root(lengths(i))
                    call prefixes(lengths(i))
                    call scattered(lengths(i))
                end do
            end do
        end do
    end do
    call MPI_Op_free(product, ierror)
    call MPI_Type_free(matrix, ierror)
    deallocate (x, y)
    call finish()
contains
    ! word w, from 1, of what rank r contributes
    integer function value_of(r, w)
        integer, intent(in) :: r, w
        value_of = mod(17 * r + 31 * w, 101) + merge(0, -50, kind == product_of)
    end function

    ! words first + 1 to first + n of the combination of the ranks 0 to last
    function combined(last, first, n) result(y)
        integer, intent(in) :: last, first, n
        integer :: y(n), i, w, r
        do i = 1, n
            y(i) = value_of(0, first + i)
        end do
        do r = 1, last
            if (kind == product_of) then
                do i = 1, n, 4
                    y(i:i + 3) = reshape(mod(matmul(reshape(y(i:i + 3), [2, 2]), &
                        reshape([(value_of(r, first + w), w = i, i + 3)], [2, 2])), modulus), [4])
                end do
            else
                do i = 1, n
                    if (kind == sum_of) y(i) = y(i) + value_of(r, first + i)
                    if (kind == max_of) y(i) = max(y(i), value_of(r, first + i))
                end do
            end if
        end do
    end function

    ! The operand of n elements, in x or, in place, in y.
    subroutine prepare(n, place)
        integer, intent(in) :: n
        logical, intent(in) :: place
        integer :: w
        do w = 1, n * words
            x(w) = value_of(me, w)
        end do
        x(n * words + 1) = -12345
        y = -12345
        if (place) y(:n * words) = x(:n * words)
    end subroutine

    ! Run what was begun or prepared to its end.
    subroutine complete(request)
        HANDLE(MPI_Request), intent(inout) :: request
        STATUS(status)
        if (mode == 1) return
        if (mode == 3) call MPI_Start(request, ierror)
        call MPI_Wait(request, status, ierror)
        if (mode == 2) call expect("the request is null", request == MPI_REQUEST_NULL)
        if (mode == 3) call MPI_Request_free(request, ierror)
    end subroutine

    ! Elements first + 1 to first + n of the combination of the ranks 0 to last are in y, and no more.
    subroutine verify(what, last, first, n)
        character(len=*), intent(in) :: what
        integer, intent(in) :: last, first, n
        character(len=60) :: label
        label = what // " of " // trim(names(kind)) // trim(modes(mode)) // trim(merge(" in place", "         ", in_place))
        call expect(trim(label) // ", no error", ierror == MPI_SUCCESS)
        call expect(trim(label), y(:n * words), combined(last, first * words, n * words))
        call expect(trim(label) // ", one more", in_place .or. y(n * words + 1) == -12345)
    end subroutine

    subroutine to_all(n)
        integer, intent(in) :: n
        HANDLE(MPI_Request) :: request
        call prepare(n, in_place)
        select case (merge(10, 0, in_place) + mode)
        case (1)
            call MPI_Allreduce(x, y, n, datatype, op, MPI_COMM_WORLD, ierror)
        case (2)
            call MPI_Iallreduce(x, y, n, datatype, op, MPI_COMM_WORLD, request, ierror)
        case (3)
            call MPI_Allreduce_init(x, y, n, datatype, op, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
        case (11)
            call MPI_Allreduce(MPI_IN_PLACE, y, n, datatype, op, MPI_COMM_WORLD, ierror)
        case (12)
            call MPI_Iallreduce(MPI_IN_PLACE, y, n, datatype, op, MPI_COMM_WORLD, request, ierror)
        case (13)
            call MPI_Allreduce_init(MPI_IN_PLACE, y, n, datatype, op, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
        end select
        call complete(request)
        call verify("allreduce", ranks - 1, 0, n)
    end subroutine

    subroutine to_root(n)
        integer, intent(in) :: n
        HANDLE(MPI_Request) :: request
        integer :: root
        do root = 0, ranks - 1
            call prepare(n, in_place .and. me == root)
            select case (merge(10, 0, in_place .and. me == root) + mode)
            case (1)
                call MPI_Reduce(x, y, n, datatype, op, root, MPI_COMM_WORLD, ierror)
            case (2)
                call MPI_Ireduce(x, y, n, datatype, op, root, MPI_COMM_WORLD, request, ierror)
            case (3)
                call MPI_Reduce_init(x, y, n, datatype, op, root, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
            case (11)
                call MPI_Reduce(MPI_IN_PLACE, y, n, datatype, op, root, MPI_COMM_WORLD, ierror)
            case (12)
                call MPI_Ireduce(MPI_IN_PLACE, y, n, datatype, op, root, MPI_COMM_WORLD, request, ierror)
            case (13)
                call MPI_Reduce_init(MPI_IN_PLACE, y, n, datatype, op, root, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
            end select
            call complete(request)
            if (me == root) call verify("reduce", ranks - 1, 0, n)
            if (me /= root) call expect("reduce elsewhere", all(y == -12345))
        end do
    end subroutine

    subroutine prefixes(n)
        integer, intent(in) :: n
        HANDLE(MPI_Request) :: request
        call prepare(n, in_place)
        select case (merge(10, 0, in_place) + mode)
        case (1)
            call MPI_Scan(x, y, n, datatype, op, MPI_COMM_WORLD, ierror)
        case (2)
            call MPI_Iscan(x, y, n, datatype, op, MPI_COMM_WORLD, request, ierror)
        case (3)
            call MPI_Scan_init(x, y, n, datatype, op, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
        case (11)
            call MPI_Scan(MPI_IN_PLACE, y, n, datatype, op, MPI_COMM_WORLD, ierror)
        case (12)
            call MPI_Iscan(MPI_IN_PLACE, y, n, datatype, op, MPI_COMM_WORLD, request, ierror)
        case (13)
            call MPI_Scan_init(MPI_IN_PLACE, y, n, datatype, op, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
        end select
        call complete(request)
        call verify("scan", me, 0, n)
        call prepare(n, in_place)
        select case (merge(10, 0, in_place) + mode)
        case (1)
            call MPI_Exscan(x, y, n, datatype, op, MPI_COMM_WORLD, ierror)
        case (2)
            call MPI_Iexscan(x, y, n, datatype, op, MPI_COMM_WORLD, request, ierror)
        case (3)
            call MPI_Exscan_init(x, y, n, datatype, op, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
        case (11)
            call MPI_Exscan(MPI_IN_PLACE, y, n, datatype, op, MPI_COMM_WORLD, ierror)
        case (12)
            call MPI_Iexscan(MPI_IN_PLACE, y, n, datatype, op, MPI_COMM_WORLD, request, ierror)
        case (13)
            call MPI_Exscan_init(MPI_IN_PLACE, y, n, datatype, op, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
        end select
        call complete(request)
        if (me > 0) call verify("exscan", me - 1, 0, n)
    end subroutine

    ! Blocks of n elements, and then blocks of which some are empty.
    subroutine scattered(n)
        integer, intent(in) :: n
        HANDLE(MPI_Request) :: request
        integer, PENDING :: counts(0:ranks - 1)
        integer :: r
        call prepare(n * ranks, in_place)
        select case (merge(10, 0, in_place) + mode)
        case (1)
            call MPI_Reduce_scatter_block(x, y, n, datatype, op, MPI_COMM_WORLD, ierror)
        case (2)
            call MPI_Ireduce_scatter_block(x, y, n, datatype, op, MPI_COMM_WORLD, request, ierror)
        case (3)
            call MPI_Reduce_scatter_block_init(x, y, n, datatype, op, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
        case (11)
            call MPI_Reduce_scatter_block(MPI_IN_PLACE, y, n, datatype, op, MPI_COMM_WORLD, ierror)
        case (12)
            call MPI_Ireduce_scatter_block(MPI_IN_PLACE, y, n, datatype, op, MPI_COMM_WORLD, request, ierror)
        case (13)
            call MPI_Reduce_scatter_block_init(MPI_IN_PLACE, y, n, datatype, op, MPI_COMM_WORLD, MPI_INFO_NULL, request, &
                ierror)
        end select
        call complete(request)
        call verify("reduce_scatter_block", ranks - 1, n * me, n)

        counts = [(merge(0, max(n - r, 0), mod(r, 3) == 1), r = 0, ranks - 1)]
        call prepare(sum(counts), in_place)
        select case (merge(10, 0, in_place) + mode)
        case (1)
            call MPI_Reduce_scatter(x, y, counts, datatype, op, MPI_COMM_WORLD, ierror)
        case (2)
            call MPI_Ireduce_scatter(x, y, counts, datatype, op, MPI_COMM_WORLD, request, ierror)
        case (3)
            call MPI_Reduce_scatter_init(x, y, counts, datatype, op, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
        case (11)
            call MPI_Reduce_scatter(MPI_IN_PLACE, y, counts, datatype, op, MPI_COMM_WORLD, ierror)
        case (12)
            call MPI_Ireduce_scatter(MPI_IN_PLACE, y, counts, datatype, op, MPI_COMM_WORLD, request, ierror)
        case (13)
            call MPI_Reduce_scatter_init(MPI_IN_PLACE, y, counts, datatype, op, MPI_COMM_WORLD, MPI_INFO_NULL, request, &
                ierror)
        end select
        call complete(request)
        call verify("reduce_scatter", ranks - 1, sum(counts(:me - 1)), counts(me))
    end subroutine
end program
