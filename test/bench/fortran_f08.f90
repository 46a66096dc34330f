! fortran_f08.f90 - of test/bench/fortran: the calls with mpi_f08, and the measurement of all three.
!
!     program                 in turns, many blocks of calls; prints the medians
!     program BINDING CALLS   only so many calls by 1 (C), 2 (mpif.h) or 3 (mpi_f08)
subroutine calls_f08(n, x, y)
    use :: mpi_f08
    implicit none
    integer, intent(in) :: n
    real(8) :: x, y
    integer :: i
    do i = 1, n
        call MPI_Allreduce(x, y, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    end do
end subroutine

program main
    use :: mpi_f08
    implicit none
    integer, parameter :: blocks = 301, calls = 2000
    character(len=8), parameter :: names(3) = ["C       ", "mpif.h  ", "mpi_f08 "]
    real(8) :: times(blocks, 3), median(3)
    character(len=20) :: word
    integer :: rank, turn, binding, wanted

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    if (command_argument_count() == 2) then
        call get_command_argument(1, word)
        read (word, *) binding
        call get_command_argument(2, word)
        read (word, *) wanted
        call run(binding, wanted)
    else
        do turn = 1, blocks
            do binding = 1, 3
                times(turn, binding) = timed(binding)
            end do
        end do
        do binding = 1, 3
            median(binding) = median_of(times(:, binding))
            if (rank == 0) print '(2x,a,f8.1,a,f7.3)', names(binding), median(binding), " ns, ratio to C", &
                median(binding) / median(1)
        end do
        call MPI_Bcast(median, 3, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
    end if
    call MPI_Finalize()
    if (command_argument_count() == 0 .and. any(median(2:) > 1.05 * median(1))) error stop 1
contains
    subroutine run(binding, n)
        integer, intent(in) :: binding, n
        real(8) :: x, y
        external :: calls_mpif, calls_f08
        interface
            subroutine calls_c(n, x, y) bind(C)
                integer, intent(in) :: n
                real(8) :: x, y
            end subroutine
        end interface
        x = 1
        if (binding == 1) call calls_c(n, x, y)
        if (binding == 2) call calls_mpif(n, x, y)
        if (binding == 3) call calls_f08(n, x, y)
    end subroutine

    ! nanoseconds a call
    real(8) function timed(binding)
        integer, intent(in) :: binding
        real(8) :: start
        call MPI_Barrier(MPI_COMM_WORLD)
        start = MPI_Wtime()
        call run(binding, calls)
        timed = (MPI_Wtime() - start) / calls * 1d9
    end function

    real(8) function median_of(list)
        real(8), intent(in) :: list(:)
        integer :: i
        do i = 1, size(list)
            median_of = list(i)
            if (count(list < median_of) <= size(list) / 2 .and. count(list <= median_of) > size(list) / 2) return
        end do
    end function
end program
