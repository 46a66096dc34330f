! User-defined operators: both forms, commutative and not, of a derived type, many at a time; what the function is given.
! np: 1 2 3 4 7
include "check.inc"

module operators
    use, intrinsic :: iso_c_binding
    use :: mpi_f08
    implicit none
    type(MPI_Datatype) :: matrix, seen = MPI_DATATYPE_NULL
    integer(8) :: longest = 0
contains
    ! 2 by 2 matrices of integers modulo 997, from the left: does not commute
    subroutine multiply(invec, inoutvec, len, datatype)
        type(c_ptr), value :: invec, inoutvec
        integer :: len
        type(MPI_Datatype) :: datatype
        seen = datatype
        call product_of(invec, inoutvec, int(len, 8))
    end subroutine

    subroutine multiply_c(invec, inoutvec, len, datatype)
        type(c_ptr), value :: invec, inoutvec
        integer(kind=MPI_COUNT_KIND) :: len
        type(MPI_Datatype) :: datatype
        seen = datatype
        call product_of(invec, inoutvec, len)
    end subroutine

    subroutine product_of(invec, inoutvec, n)
        type(c_ptr), intent(in) :: invec, inoutvec
        integer(8), intent(in) :: n
        integer, pointer :: a(:, :, :), b(:, :, :)
        integer(8) :: i
        call c_f_pointer(invec, a, [2_8, 2_8, n])
        call c_f_pointer(inoutvec, b, [2_8, 2_8, n])
        longest = max(longest, n)
        do i = 1, n
            b(:, :, i) = mod(matmul(a(:, :, i), b(:, :, i)), 997)
        end do
    end subroutine

    subroutine add(invec, inoutvec, len, datatype)
        type(c_ptr), value :: invec, inoutvec
        integer :: len
        type(MPI_Datatype) :: datatype
        integer, pointer :: a(:), b(:)
        call c_f_pointer(invec, a, [len])
        call c_f_pointer(inoutvec, b, [len])
        if (datatype == MPI_INTEGER) b = a + b
    end subroutine
end module

program reduce_user
    use :: check
    use :: operators
    implicit none
    integer, parameter :: n = 50
    type(MPI_Op) :: op, op_c, many(200)
    logical :: commute
    integer :: i, mine, total
    procedure(MPI_User_function), pointer :: pointer_to

    call begin()
    call MPI_Type_contiguous(4, MPI_INTEGER, matrix)
    call MPI_Type_commit(matrix)
    call MPI_Op_create(multiply, .false., op)
    call MPI_Op_create_c(multiply_c, .false., op_c)
    call MPI_Op_commutative(op, commute)
    call expect("does not commute", .not. commute)
    call matrices(op, "matrices")
    call matrices(op_c, "matrices, the large form")
    call MPI_Op_free(op)
    call MPI_Op_free(op_c)
    call expect("a freed operator is null", op == MPI_OP_NULL)

    pointer_to => add
    do i = 1, size(many)
        call MPI_Op_create(pointer_to, .true., many(i))
    end do
    do i = 1, size(many)
        mine = me + i
        call MPI_Allreduce(mine, total, 1, MPI_INTEGER, many(i), MPI_COMM_WORLD)
        call expect("one operator of many", total == ranks * i + ranks * (ranks - 1) / 2)
    end do
    do i = 1, size(many)
        call MPI_Op_free(many(i))
    end do
    call MPI_Type_free(matrix)
    call finish()
contains
    ! the matrix that rank r has at place i
    function element(r, i) result(m)
        integer, intent(in) :: r, i
        integer :: m(2, 2)
        m = reshape([1 + r, i, mod(r * i, 7), 2], [2, 2])
    end function

    subroutine matrices(op, what)
        type(MPI_Op), intent(in) :: op
        character(len=*), intent(in) :: what
        integer, asynchronous :: x(2, 2, n), y(2, 2, n), half(2, 2, 2 * n)
        integer :: want(2, 2, n), prefix(2, 2, n), i, r
        type(MPI_Request) :: request
        do i = 1, n
            x(:, :, i) = element(me, i)
            want(:, :, i) = reshape([1, 0, 0, 1], [2, 2])
            do r = 0, ranks - 1
                want(:, :, i) = mod(matmul(want(:, :, i), element(r, i)), 997)
                if (r == me) prefix(:, :, i) = want(:, :, i)
            end do
            if (ranks == 1) then
                want(:, :, i) = element(0, i)
                prefix(:, :, i) = want(:, :, i)
            else if (me == 0) then
                prefix(:, :, i) = element(0, i)
            end if
        end do
        y = 0
        call MPI_Allreduce(x, y, n, matrix, op, MPI_COMM_WORLD)
        call expect(what, reshape(y, [4 * n]), reshape(want, [4 * n]))
        ! not every rank has to call it
        if (longest > 0) call expect("the datatype in the function", seen == matrix)
        if (longest > 0) call expect("the length in the function", longest == n)
        y = 0
        call MPI_Iallreduce(x, y, int(n, MPI_COUNT_KIND), matrix, op, MPI_COMM_WORLD, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call expect(what // ", nonblocking", reshape(y, [4 * n]), reshape(want, [4 * n]))
        call MPI_Scan(x, y, n, matrix, op, MPI_COMM_WORLD)
        call expect(what // ", scan", reshape(y, [4 * n]), reshape(prefix, [4 * n]))
        half = 0
        half(:, :, 2::2) = x
        call MPI_Allreduce(MPI_IN_PLACE, half(:, :, 2::2), n, matrix, op, MPI_COMM_WORLD)
        call expect(what // ", a section in place", reshape(half(:, :, 2::2), [4 * n]), reshape(want, [4 * n]))
        y = x
        call MPI_Reduce_local(x, y, n, matrix, op)
        do i = 1, n
            want(:, :, i) = mod(matmul(x(:, :, i), x(:, :, i)), 997)
        end do
        call expect(what // ", reduce_local", reshape(y, [4 * n]), reshape(want, [4 * n]))
    end subroutine
end program
