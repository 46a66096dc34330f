! An operator whose function takes an INTEGER length gets more than 2^31 elements in pieces, in order and without a gap;
! one with a large count gets them at once.
!
! np: 1
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
        call note(invec, inoutvec, int(len, c_int64_t), datatype)
        call c_f_pointer(invec, a, [len])
        call c_f_pointer(inoutvec, b, [len])
        b = a + b
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

    ! In memory, if there is enough of it.
    subroutine elements()
        integer(c_int8_t), allocatable :: x(:), y(:)
        type(MPI_Op) :: op
        integer(MPI_COUNT_KIND) :: i
        logical :: right
        interface
            integer(c_int) function slow() bind(c, name="check_slow")
                import c_int
            end function
        end interface
        if (slow() > 1) then
            print '(a)', "skipped: 2^31 elements take half a minute with a sanitizer"
            return
        else if (available() < 6) then
            print '(a)', "skipped: 6 GiB of memory are not free"
            return
        end if
        allocate (x(n), y(n))
        do i = 1, n
            x(i) = int(iand(i, 63_MPI_COUNT_KIND), c_int8_t)
        end do
        y = 5
        calls = 0
        total = 0
        call MPI_Op_create(add, .true., op)
        call MPI_Reduce_local(x, y, n, MPI_INTEGER1, op)
        call expect("two pieces in order", calls == 2 .and. total == n .and. in_order)
        call expect("of this datatype", given == MPI_INTEGER1)
        right = .true.
        do i = 1, n
            right = right .and. y(i) == 5 + iand(i, 63_MPI_COUNT_KIND)
        end do
        call expect("every sum", right)
        call MPI_Op_free(op)
    end subroutine

    ! GiB
    integer function available()
        character(len=80) :: line
        integer(c_int64_t) :: kib
        integer :: unit, status
        available = 0
        open (newunit=unit, file="/proc/meminfo", action="read", iostat=status)
        do while (status == 0)
            read (unit, '(a)', iostat=status) line
            if (status /= 0 .or. line(:13) /= "MemAvailable:") cycle
            read (line(14:), *) kib
            available = int(kib / 2**20)
        end do
        close (unit)
    end function
end program
