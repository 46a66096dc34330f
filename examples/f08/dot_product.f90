! MPI_Reduce: the dot product of two vectors that are spread over the ranks (PAR_BLAS1 of the MPI standard's example).
program main
    use :: mpi_f08
    implicit none
    integer(8), parameter :: n = 100000 ! length of the whole vectors: a(i) = i, b(i) = n - i, for i from 0
    double precision, allocatable :: a(:), b(:)
    integer :: rank, size
    integer(8) :: i, first, last

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)

    first = n * rank / size
    last = n * (rank + 1) / size
    a = [(dble(i), i = first, last - 1)]
    b = [(dble(n - i), i = first, last - 1)]
    call par_blas1(a, b)
    call MPI_Finalize()
contains
    subroutine par_blas1(a, b)
        double precision, intent(in) :: a(:), b(:)
        double precision :: part, dot

        part = dot_product(a, b)
        call MPI_Reduce(part, dot, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)

        if (rank == 0) then
            print '(a, i0)', 'a . b = ', nint(dot, 8)
            print '(a, i0)', 'exact = ', (n - 1) * n * (n + 1) / 6
        end if
    end subroutine
end program
