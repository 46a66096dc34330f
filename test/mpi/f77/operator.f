! operator.f - mpif.h: operators that are Fortran functions, more than a table would hold, in rank order.
!
! np: 1 2 3 4 8
! with: check.f operator_c.c
      subroutine affine(in, inout, length, datatype)
! Composition of x -> a*x + b modulo 1009, which does not commute: first in, then inout.
      implicit none
      include 'mpif.h'
      integer length, datatype, in(2, *), inout(2, *), i, calls, type
      common /user/ calls, type
      calls = calls + 1
      type = datatype
      do i = 1, length
         inout(2, i) = mod(inout(1, i) * in(2, i) + inout(2, i), 1009)
         inout(1, i) = mod(inout(1, i) * in(1, i), 1009)
      end do
      end

      subroutine longest(in, inout, length, datatype)
      implicit none
      integer length, datatype, i
      integer in(length), inout(length)
      do i = 1, length
         inout(i) = max(in(i), inout(i))
      end do
      end

      program main
      implicit none
      include 'mpif.h'
      integer rank, size, ierror, i, k, op, pair, calls, type, other
      integer a(2, 50), b(2, 50), want(2), ops(600), request
      integer status(MPI_STATUS_SIZE), largest
      logical commutes
      external affine, longest
      common /user/ calls, type
      call check_start()
      call mpi_comm_rank(MPI_COMM_WORLD, rank, ierror)
      call mpi_comm_size(MPI_COMM_WORLD, size, ierror)
      calls = 0
      call mpi_type_contiguous(2, MPI_INTEGER, pair, ierror)
      call mpi_type_commit(pair, ierror)
      call mpi_op_create(affine, .false., op, ierror)
      call mpi_op_commutative(op, commutes, ierror)
      call check(.not. commutes, 'does not commute')
      do i = 1, 50
         a(1, i) = 3 + rank
         a(2, i) = i + 2 * rank
      end do
      call mpi_allreduce(a, b, 50, pair, op, MPI_COMM_WORLD, ierror)
      call check(ierror .eq. MPI_SUCCESS, 'allreduce')
      if (calls .gt. 0) call check_int(type, pair, 'the very datatype')
      do i = 1, 50
         want(1) = 1
         want(2) = 0
         do k = 0, size - 1
            want(2) = mod((3 + k) * want(2) + i + 2 * k, 1009)
            want(1) = mod((3 + k) * want(1), 1009)
         end do
         call check(all(b(:, i) .eq. want), 'composition')
      end do

! The operator lives on until the operation that uses it has ended.
      b = -1
      call mpi_ireduce(a, b, 50, pair, op, 0, MPI_COMM_WORLD, request,
     &     ierror)
      call mpi_op_free(op, ierror)
      call check_int(op, MPI_OP_NULL, 'null')
      call mpi_wait(request, status, ierror)
      if (rank .eq. 0) call check(all(b(:, 50) .eq. want), 'ireduce')

      do i = 1, 600
         call mpi_op_create(longest, .true., ops(i), ierror)
         call check(ierror .eq. MPI_SUCCESS, 'many operators')
      end do
      do i = 1, 600, 299
         largest = -1
         call mpi_allreduce(rank, largest, 1, MPI_INTEGER, ops(i),
     &        MPI_COMM_WORLD, ierror)
         call check_int(largest, size - 1, 'largest')
      end do
      do i = 1, 600
         call mpi_op_free(ops(i), ierror)
      end do

! Made in Fortran, used in C, and the other way round.
      call mpi_op_create(longest, .true., op, ierror)
      call use_in_c(op, rank, largest)
      call check_int(largest, size - 1, 'of Fortran, in C')
      call mpi_op_free(op, ierror)
      call make_in_c(other)
      call mpi_allreduce(rank, largest, 1, MPI_INTEGER, other,
     &     MPI_COMM_WORLD, ierror)
      call check_int(largest, size * (size - 1) / 2, 'of C, in Fortran')
      call mpi_op_free(other, ierror)
      call mpi_type_free(pair, ierror)
      call check_end()
      end
