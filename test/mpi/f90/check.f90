! check.f90 - what the tests of `use mpi` share: checks that count and tell, and an end that fails if one failed or none
! was made.
module checks
    use mpi
    implicit none
    integer :: rank, size, ierror
    integer, private :: made = 0, failed = 0
contains
    subroutine check_start()
        call MPI_Init(ierror)
        call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
        call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
    end subroutine

    subroutine check(holds, what)
        logical, intent(in) :: holds
        character(*), intent(in) :: what
        made = made + 1
        if (holds) return
        failed = failed + 1
        if (failed <= 10) print *, "rank", rank, ": not so: ", what
    end subroutine

    subroutine check_end()
        integer :: total(2)
        interface
            integer(c_int) function left(of, kept) bind(c, name="check_left_of_rank")
                use, intrinsic :: iso_c_binding, only: c_int
                integer(c_int), value :: of, kept
            end function
        end interface
        call MPI_Allreduce([made, failed], total, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
        call MPI_Finalize(ierror)
        if (total(2) > 0 .or. total(1) == 0) stop 1
        if (left(rank, 0) > 0) stop 1
    end subroutine
end module
