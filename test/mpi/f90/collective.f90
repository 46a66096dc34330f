! collective.f90 - use mpi: collectives on scalars, arrays and derived types, in all forms.
!
! np: 1 2 3 4 8
! with: check.f90
program main
    use checks
    implicit none
    integer, parameter :: n = 23
    integer :: i, j, k, request, op, type, pairs(2, n), sums(2, n), root
    integer :: status(MPI_STATUS_SIZE), info
    integer, allocatable :: counts(:), displs(:), all(:), types(:), mine(:)
    real :: matrix(3, 4), total(3, 4)
    real(8) :: value
    type :: particle
        sequence
        real(8) :: mass
        integer :: number, unused
    end type
    type(particle) :: p, heaviest
    interface
        subroutine heavier(in, inout, length, datatype)
            integer :: length, datatype
            real(8) :: in(2, length), inout(2, length)
        end subroutine
    end interface

    call check_start()
    allocate (counts(0:size - 1), displs(0:size - 1), types(0:size - 1))

    ! Buffers of any type and rank, without an interface of their own.
    matrix = reshape([(real(rank + i), i=1, 12)], [3, 4])
    call MPI_Allreduce(matrix, total, 12, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, ierror)
    call check(maxval(abs(total - reshape([(real(size*i) + size*(size - 1)/2., i=1, 12)], [3, 4]))) < 1e-3, "a matrix")
    do root = 0, size - 1
        value = merge(17.5d0 + root, 0d0, rank == root)
        call MPI_Bcast(value, 1, MPI_REAL8, root, MPI_COMM_WORLD, ierror)
        call check(value == 17.5d0 + root, "bcast")
    end do

    ! A derived type, and an operator of the program.
    call MPI_Op_create(heavier, .true., op, ierror)
    call MPI_Type_contiguous(2, MPI_DOUBLE_PRECISION, type, ierror)
    call MPI_Type_commit(type, ierror)
    p = particle(mod(rank*5, 7), rank, 0)
    call MPI_Allreduce(p, heaviest, 1, type, op, MPI_COMM_WORLD, ierror)
    call check(heaviest%mass == maxval([(mod(i*5, 7), i=0, size - 1)]), "the heaviest")
    call check(mod(heaviest%number*5, 7) == int(heaviest%mass), "and its number")
    call MPI_Op_free(op, ierror)
    call MPI_Type_free(type, ierror)

    ! Nonblocking and persistent forms.
    pairs(1, :) = [(rank*i, i=1, n)]
    pairs(2, :) = rank
    sums = -1
    call MPI_Iallreduce(pairs, sums, 2*n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, ierror)
    call MPI_Wait(request, status, ierror)
    call check(sums(1, n) == n*size*(size - 1)/2 .and. sums(2, 1) == size*(size - 1)/2, "iallreduce")
    call MPI_Info_create(info, ierror)
    call MPI_Allreduce_init(pairs, sums, 2*n, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, info, request, ierror)
    do k = 1, 3
        pairs(2, :) = rank + k
        call MPI_Start(request, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        call check(sums(2, n) == size - 1 + k, "allreduce_init")
    end do
    call MPI_Request_free(request, ierror)
    call MPI_Info_free(info, ierror)

    ! Blocks of different sizes: rank r has r + 1 numbers.
    counts = [(i + 1, i=0, size - 1)]
    displs = [(i*(i + 1)/2, i=0, size - 1)]
    allocate (all(size*(size + 1)/2), mine(size*(rank + 1)))
    mine = rank
    all = -1
    call MPI_Allgatherv(mine, rank + 1, MPI_INTEGER, all, counts, displs, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call check(all(size*(size + 1)/2) == size - 1 .and. all(1) == 0, "allgatherv")
    all = -1
    call MPI_Gatherv(mine, rank + 1, MPI_INTEGER, all, counts, displs, MPI_INTEGER, size - 1, MPI_COMM_WORLD, ierror)
    if (rank == size - 1) call check(count(all == size - 1) == size, "gatherv")
    mine = -1
    call MPI_Scatterv(all, counts, displs, MPI_INTEGER, mine, rank + 1, MPI_INTEGER, size - 1, MPI_COMM_WORLD, ierror)
    call check(count(mine == rank) >= rank + 1, "scatterv")

    ! A datatype for each process; in place the senders' arguments do not count.
    deallocate (all, mine)
    allocate (all(0:size - 1), mine(0:size - 1))
    types = MPI_INTEGER
    counts = 1
    displs = [(4*i, i=0, size - 1)]
    mine = [(100*rank + i, i=0, size - 1)]
    call MPI_Alltoallw(mine, counts, displs, types, all, counts, displs, types, MPI_COMM_WORLD, ierror)
    call check(maxval(abs(all - [(100*j + rank, j=0, size - 1)])) == 0, "alltoallw")
    call MPI_Alltoallw(MPI_IN_PLACE, [0], [0], [0], mine, counts, displs, types, MPI_COMM_WORLD, ierror)
    call check(maxval(abs(mine - all)) == 0, "alltoallw in place")
    call MPI_Ialltoallw(all, counts, displs, types, mine, counts, displs, types, MPI_COMM_WORLD, request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call check(maxval(abs(mine - [(100*rank + j, j=0, size - 1)])) == 0, "ialltoallw")
    deallocate (counts, displs, types, all, mine)
    call check_end()
end program

! Of two (mass, number) pairs the heavier one; the number is only moved.
subroutine heavier(in, inout, length, datatype)
    implicit none
    integer :: length, datatype, i
    real(8) :: in(2, length), inout(2, length)
    do i = 1, length
        if (in(1, i) > inout(1, i)) inout(:, i) = in(:, i)
    end do
end subroutine
