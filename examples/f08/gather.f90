! MPI_Gather and MPI_Gatherv in three variants, each towards rank 0:
!
!   plain      every rank gives 100 numbers; they lie one behind the other
!   strided    the same, but rank r's block starts at r * 150: displacements leave gaps between the blocks
!   columns    rank r gives the last 100 - r numbers of row r of its own 150 x 100 matrix: an array section, which
!              needs no derived type
program main
    use :: mpi_f08
    implicit none
    integer, parameter :: n = 100, stride = 150
    integer :: rank, size, i, r

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    call plain()
    call strided()
    call columns()
    call MPI_Finalize()
contains
    subroutine plain()
        integer :: mine(n), all(n, 0:size-1)
        mine = [(rank * 1000 + i, i = 0, n - 1)]

        call MPI_Gather(mine, n, MPI_INTEGER, all, n, MPI_INTEGER, 0, MPI_COMM_WORLD)

        if (rank == 0) print '("plain: rank ", i0, " gave ", i0, " .. ", i0)', (r, all(1, r), all(n, r), r = 0, size - 1)
    end subroutine

    subroutine strided()
        integer :: mine(n), all(stride, 0:size-1), counts(0:size-1), places(0:size-1)
        mine = [(rank * 1000 + i, i = 0, n - 1)]
        all = 0
        counts = n
        places = [(r * stride, r = 0, size - 1)]

        call MPI_Gatherv(mine, n, MPI_INTEGER, all, counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD)

        if (rank == 0) print '("strided: block ", i0, " is ", i0, " .. ", i0, ", the gap behind it holds ", i0)', &
            (r, all(1, r), all(n, r), all(n + 1, r), r = 0, size - 1)
    end subroutine

    subroutine columns()
        integer :: matrix(0:stride-1, 0:n-1), all(n * size), counts(0:size-1), places(0:size-1)
        do i = 0, n - 1
            matrix(:, i) = [(10000 * rank + 100 * r + i, r = 0, stride - 1)]
        end do
        counts = [(n - r, r = 0, size - 1)]
        places = [(sum(counts(:r-1)), r = 0, size - 1)]

        call MPI_Gatherv(matrix(rank, rank:), n - rank, MPI_INTEGER, all, counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD)

        if (rank == 0) print '("columns: ", i0, " ints of column ", i0, " of rank ", i0, ": ", i0, " .. ", i0)', &
            (counts(r), r, r, all(places(r) + 1), all(places(r) + counts(r)), r = 0, size - 1)
    end subroutine
end program
