! An operator whose function takes an INTEGER length gets more than 2^31 elements in pieces, in order and without a gap;
! one with a large count gets them at once.
!
! np: 1
! with: repeated.c
! timeout: 240
! flags: -O3
! only: treefold
include "check.inc"

module operators
    use, intrinsic :: iso_c_binding
    use :: mpi_f08
    implicit none
    integer(c_int64_t) :: calls = 0, total = 0
    logical :: in_order = .true.
    type(c_ptr) :: next_in, next_inout
    type(MPI_Datatype) :: given
contains
    subroutine add(invec, inoutvec, len, datatype)
        type(c_ptr), value :: invec, inoutvec
        integer :: len
        type(MPI_Datatype) :: datatype
        integer(c_int8_t), pointer :: a(:), b(:)
        integer(c_int64_t) :: i
        call note(invec, inoutvec, int(len, c_int64_t), datatype)
        call c_f_pointer(invec, a, [len])
        call c_f_pointer(inoutvec, b, [len])
        do i = 1, len ! not at once: pointers could overlap, so all sums would first go to a copy
            b(i) = iand(a(i) + b(i), 63_c_int8_t)
        end do
        next_in = c_loc(a(len))
        next_inout = c_loc(b(len))
    end subroutine

    ! Elements without an extent: nothing but the lengths counts.
    subroutine count_only(invec, inoutvec, len, datatype)
        type(c_ptr), value :: invec, inoutvec
        integer :: len
        type(MPI_Datatype) :: datatype
        calls = calls + 1
        total = total + len
        if (len <= 0 .or. .not. c_associated(invec) .or. .not. c_associated(inoutvec)) in_order = .false.
        given = datatype
    end subroutine

    subroutine count_only_c(invec, inoutvec, len, datatype)
        type(c_ptr), value :: invec, inoutvec
        integer(kind=MPI_COUNT_KIND) :: len
        type(MPI_Datatype) :: datatype
        calls = calls + 1
        total = total + len
        if (.not. c_associated(invec) .or. .not. c_associated(inoutvec)) in_order = .false.
        given = datatype
    end subroutine

    ! A later piece begins where the one before ended.
    subroutine note(invec, inoutvec, len, datatype)
        type(c_ptr), intent(in) :: invec, inoutvec
        integer(c_int64_t), intent(in) :: len
        type(MPI_Datatype), intent(in) :: datatype
        integer(c_intptr_t), parameter :: byte = 1
        if (calls > 0) in_order = in_order .and. transfer(invec, byte) == transfer(next_in, byte) + 1 &
            .and. transfer(inoutvec, byte) == transfer(next_inout, byte) + 1
        calls = calls + 1
        total = total + len
        given = datatype
    end subroutine
end module

program pieces
    use :: mpi_f08
    use, intrinsic :: iso_c_binding
    use :: check
    use :: operators
    implicit none
    integer(MPI_COUNT_KIND), parameter :: n = 2_MPI_COUNT_KIND**31 + 77

    call begin()
    call lengths()
    call elements()
    call finish()
contains
    subroutine lengths()
        type(MPI_Datatype) :: empty
        type(MPI_Op) :: op, op_c
        integer :: x(1), y(1)
        call MPI_Type_create_resized(MPI_INTEGER, 0_MPI_ADDRESS_KIND, 0_MPI_ADDRESS_KIND, empty)
        call MPI_Type_commit(empty)
        call MPI_Op_create(count_only, .true., op)
        call MPI_Op_create_c(count_only_c, .true., op_c)
        call MPI_Reduce_local(x, y, n, empty, op)
        call expect("the lengths of two pieces", calls == 2 .and. total == n .and. in_order)
        call expect("their datatype", given == empty)
        calls = 0
        total = 0
        call MPI_Reduce_local(x, y, n, empty, op_c)
        call expect("a large length", calls == 1 .and. total == n .and. in_order .and. given == empty)
        call MPI_Op_free(op)
        call MPI_Op_free(op_c)
        call MPI_Type_free(empty)
    end subroutine

    ! In memory that is the same over and over: each place of it is added to 131 or 132 times, and a time more or less
    ! shows, since what is added is odd.  Sums are those of the lowest 6 bits.
    subroutine elements()
        integer(c_int64_t), parameter :: period = 4001 * 4096
        integer(c_int8_t), pointer :: x(:), y(:)
        type(MPI_Op) :: op
        integer(MPI_COUNT_KIND) :: i, times
        logical :: right
        type(c_ptr) :: memory(2)
        interface
            type(c_ptr) function repeated(bytes, period) bind(c, name="repeated_vector")
                import c_ptr, c_int64_t
                integer(c_int64_t), value :: bytes, period
            end function
        end interface
        memory = [repeated(n, period), repeated(n, period)]
        call expect("2^31 addresses, twice", c_associated(memory(1)) .and. c_associated(memory(2)))
        if (.not. c_associated(memory(1)) .or. .not. c_associated(memory(2))) return
        call c_f_pointer(memory(1), x, [n])
        call c_f_pointer(memory(2), y, [n])
        do i = 1, period
            x(i) = int(2 * iand(i, 31_MPI_COUNT_KIND) + 1, c_int8_t)
            y(i) = 5
        end do
        calls = 0
        total = 0
        call MPI_Op_create(add, .true., op)
        call MPI_Reduce_local(x, y, n, MPI_INTEGER1, op)
        call expect("two pieces in order", calls == 2 .and. total == n .and. in_order)
        call expect("of this datatype", given == MPI_INTEGER1)
        right = .true.
        do i = 1, period
            times = (n - i) / period + 1
            right = right .and. iand(y(i) - 5 - times * x(i), 63_MPI_COUNT_KIND) == 0
        end do
        call expect("every sum", right)
        call MPI_Op_free(op)
    end subroutine
end program
