! reduce_scatter.f90 - votes are added up, and every rank gets the totals of its own candidates: rank r has r + 1.
program main
    use mpi
    implicit none
    integer :: rank, size, ierror, i
    integer, allocatable :: votes(:), totals(:), counts(:), lines(:)

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
    counts = [(i, i=1, size)]
    votes = [(mod(rank + 2*i, 5), i=1, sum(counts))]
    allocate (totals(rank + 1), lines(sum(counts)))
    call MPI_Reduce_scatter(votes, totals, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call MPI_Gatherv(totals, rank + 1, MPI_INTEGER, lines, counts, [(i*(i - 1)/2, i=1, size)], MPI_INTEGER, 0, &
                     MPI_COMM_WORLD, ierror)
    if (rank == 0) then
        do i = 1, size
            print '(a,i2,a,*(i4))', "rank", i - 1, ":", lines(i*(i - 1)/2 + 1:i*(i + 1)/2)
        end do
    end if
    call MPI_Finalize(ierror)
end program
