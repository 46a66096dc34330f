! MPI_Reduce of a vector: c = a B, where the rows of the matrix B and the elements of a are spread over the ranks
! (PAR_BLAS2 of the MPI standard's example).
program main
    use :: mpi_f08
    implicit none
    integer, parameter :: m = 1200, n = 6 ! rows and columns of the whole matrix
    double precision, allocatable :: a(:), b(:, :)
    integer :: rank, size, first, last, i, j

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)

    first = m * rank / size
    last = m * (rank + 1) / size - 1
    allocate (a(first:last), b(first:last, 0:n-1))
    do i = first, last
        a(i) = 1 + mod(i, 4)
        b(i, :) = [(merge(10, mod(i + j, 3), i == j), j = 0, n - 1)]
    end do
    call par_blas2(a, b)
    call MPI_Finalize()
contains
    subroutine par_blas2(a, b)
        double precision, intent(in) :: a(:), b(:, :)
        double precision :: part(n), c(n)

        part = matmul(a, b)
        call MPI_Reduce(part, c, n, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)

        if (rank == 0) print '(a, 6(1x, i0))', 'c = a B =', nint(c)
    end subroutine
end program
