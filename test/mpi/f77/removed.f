! removed.f - mpif.h: what MPI-3.0 removed, with addresses and displacements that are INTEGERs.
!
! np: 1 2
! wrong: mpich (4.0: an extent that does not fit is 0) openmpi (4.1: buffers of several types do not compile)
! with: check.f
      subroutine on_error(comm, code)
      implicit none
      integer comm, code, calls, last_comm, last_code
      common /handled/ calls, last_comm, last_code
      calls = calls + 1
      last_comm = comm
      last_code = code
      end

      program main
      implicit none
      include 'mpif.h'
      integer rank, size, right, left, ierror, i, k, calls
      integer last_comm, last_code, handler, found, comm, type, two
      integer lb, ub, extent
      integer places(5), lengths(5), types(5), from, ni, na, nd
      integer combiner, integers(11), inside(5), bytes
      integer (kind=MPI_ADDRESS_KIND) addresses(5)
      integer numbers(3), numbers_got(3), matrix(4, 3), turned(3, 4)
      double precision x(2), x_got(2)
      character*1 letter, letter_got
      common /handled/ calls, last_comm, last_code
      common /record/ x, numbers, letter
      common /got/ x_got, numbers_got, letter_got
      external on_error
      call check_start()
      call mpi_comm_rank(MPI_COMM_WORLD, rank, ierror)
      call mpi_comm_size(MPI_COMM_WORLD, size, ierror)
      right = mod(rank + 1, size)
      left = mod(rank + size - 1, size)

! A common block as a record, found by addresses.
      call mpi_address(x, from, ierror)
      places(1) = 0
      places(2) = 0
      call mpi_address(numbers, places(3), ierror)
      call mpi_address(letter, places(4), ierror)
      places(3) = places(3) - from
      places(4) = places(4) - from
      places(5) = 64
      call check_int(places(3), 16, 'a difference of addresses')
      call check_int(places(4), 28, 'and of others')
      lengths(1) = 1
      lengths(2) = 2
      lengths(3) = 3
      lengths(4) = 1
      lengths(5) = 1
      types(1) = MPI_LB
      types(2) = MPI_DOUBLE_PRECISION
      types(3) = MPI_INTEGER
      types(4) = MPI_CHARACTER
      types(5) = MPI_UB
      call mpi_type_struct(5, lengths, places, types, type, ierror)
      call mpi_type_commit(type, ierror)
      call mpi_type_extent(type, extent, ierror)
      call mpi_type_lb(type, lb, ierror)
      call mpi_type_ub(type, ub, ierror)
      call check(lb .eq. 0 .and. ub .eq. 64 .and. extent .eq. 64,
     &     'bounds of a struct')
      x(1) = rank + 0.5d0
      x(2) = -1
      numbers(1) = 7
      numbers(2) = 8
      numbers(3) = rank
      letter = 'q'
      call mpi_sendrecv(x, 1, type, right, 1, x_got, 1, type, left, 1,
     &     MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
      call check(x_got(1) .eq. left + 0.5d0 .and. x_got(2) .eq. -1 .and.
     &     letter_got .eq. 'q' .and. numbers_got(1) .eq. 7, 'a record')
      call check_int(numbers_got(3), left, 'its number')
      call mpi_type_get_envelope(type, ni, na, nd, combiner, ierror)
      call check(ni .eq. 6 .and. na .eq. 5 .and. nd .eq. 5 .and.
     &     combiner .eq. MPI_COMBINER_STRUCT, 'envelope')
      call mpi_type_get_contents(type, 11, 5, 5, integers, addresses,
     &     inside, ierror)
      call check(inside(1) .eq. MPI_LB .and. inside(5) .eq. MPI_UB
     &     .and. addresses(5) .eq. 64, 'contents')
      call mpi_type_contiguous(2, type, two, ierror)
      call mpi_type_extent(two, extent, ierror)
      call check_int(extent, 128, 'two of them')
      call mpi_type_free(two, ierror)
      call mpi_type_free(type, ierror)

! A row of a matrix whose extent is an element.
      do i = 0, 3
         do k = 0, 2
            matrix(i + 1, k + 1) = 10 * i + k
         end do
      end do
      call mpi_type_hvector(3, 1, 16, MPI_INTEGER, types(1), ierror)
      lengths(1) = 1
      places(1) = 0
      types(2) = MPI_UB
      lengths(2) = 1
      places(2) = 4
      call mpi_type_struct(2, lengths, places, types, type, ierror)
      call mpi_type_commit(type, ierror)
      call mpi_sendrecv(matrix, 4, type, rank, 2, turned, 12,
     &     MPI_INTEGER, rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE,
     &     ierror)
      do i = 0, 3
         do k = 0, 2
            call check_int(turned(k + 1, i + 1), 10 * i + k, 'turned')
         end do
      end do
      call mpi_type_free(types(1), ierror)
      call mpi_type_free(type, ierror)

      places(1) = 40
      places(2) = -8
      lengths(2) = 3
      call mpi_type_hindexed(2, lengths, places, MPI_INTEGER, type,
     &     ierror)
      call mpi_type_lb(type, lb, ierror)
      call mpi_type_ub(type, ub, ierror)
      call mpi_type_size(type, bytes, ierror)
      call check(lb .eq. -8 .and. ub .eq. 44 .and. bytes .eq. 16,
     &     'hindexed')
      call mpi_type_free(type, ierror)

      addresses(1) = 2_8**40
      call mpi_type_create_resized(MPI_INTEGER, 0_8, addresses(1), type,
     &     ierror)
      call mpi_type_extent(type, extent, ierror)
      call check_int(extent, MPI_UNDEFINED, 'more than an INTEGER')
      call mpi_type_free(type, ierror)

! Error handlers.
      calls = 0
      call mpi_comm_dup(MPI_COMM_WORLD, comm, ierror)
      call mpi_errhandler_create(on_error, handler, ierror)
      call mpi_errhandler_set(comm, handler, ierror)
      call mpi_errhandler_get(comm, found, ierror)
      call check_int(found, handler, 'errhandler_get')
      call mpi_errhandler_free(found, ierror)
      call mpi_errhandler_free(handler, ierror)
      call mpi_send(i, -1, MPI_INTEGER, 0, 0, comm, ierror)
      call check(calls .eq. 1 .and. last_comm .eq. comm, 'was called')
      call mpi_comm_free(comm, ierror)
      call check_end()
      end
