! MPI_Reduce_scatter: votes are added up, and every rank gets the totals of its own candidates, some more than others.
program main
    use :: mpi_f08
    implicit none
    integer, parameter :: width = 1000
    integer :: rank, size, r, c
    integer, allocatable :: counts(:), votes(:), totals(:)
    character(len=width) :: line
    character(len=width), allocatable :: lines(:)

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)

    allocate (counts(size), votes(0:size*(size+1)/2-1), totals(rank + 1))
    counts(:) = [(r, r = 1, size)]
    votes(:) = [(100 * c + 10 * (rank + 1), c = 0, ubound(votes, 1))]

    call MPI_Reduce_scatter(votes, totals, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)

    ! one rank after the other prints what it got: rank 0 collects the lines
    write (line, '("rank ", i0, " owns:", *(" candidate ", i0, " with ", i0, :, ","))') rank, &
        (rank * (rank + 1) / 2 + c, totals(c + 1), c = 0, rank)
    allocate (lines(size))
    call MPI_Gather(line, width, MPI_CHARACTER, lines, width, MPI_CHARACTER, 0, MPI_COMM_WORLD)
    if (rank == 0) print '(a)', (trim(lines(r)), r = 1, size)
    call MPI_Finalize()
end program
