! MPI_MAXLOC: every rank has 30 numbers; for each of the 30 places, the largest value of all ranks and who has it.
! A pair of Fortran is two numbers of the same type.
program main
    use :: mpi_f08
    implicit none
    integer, parameter :: n = 30
    double precision :: mine(2, 0:n-1), best(2, 0:n-1)
    integer :: rank, i

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)

    do i = 0, n - 1
        mine(1, i) = mod(rank * 7 + i * 5, 23) + i / 100d0
        mine(2, i) = rank
    end do

    call MPI_Reduce(mine, best, n, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, 0, MPI_COMM_WORLD)

    if (rank == 0) print '(2("place ", i2, ": ", f5.2, " on rank ", i0, "    "), "place ", i2, ": ", f5.2, " on rank ", i0)', &
        (i, best(1, i), nint(best(2, i)), i = 0, n - 1)
    call MPI_Finalize()
end program
