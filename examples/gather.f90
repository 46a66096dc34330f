! gather.f90 - every rank's number at rank 0, then columns of different sizes with a gap between them.
program main
    use mpi
    implicit none
    integer, parameter :: stride = 5
    integer :: rank, size, ierror, i
    integer, allocatable :: numbers(:), columns(:, :), mine(:), counts(:), displs(:)

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
    allocate (numbers(size), columns(stride, size), source=0)
    call MPI_Gather(10*rank, 1, MPI_INTEGER, numbers, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    if (rank == 0) print '(*(i5))', numbers

    counts = [(i, i=1, size)]
    displs = [(stride*(i - 1), i=1, size)]
    mine = [(100*rank + i, i=1, rank + 1)]
    call MPI_Gatherv(mine, rank + 1, MPI_INTEGER, columns, counts, displs, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    if (rank == 0) print '(5i5)', columns
    call MPI_Finalize(ierror)
end program
