! user_operator.f - an operator of the program: it multiplies complex numbers, element by element.
      subroutine multiply(in, inout, length, datatype)
      implicit none
      integer length, datatype, i
      double complex in(length), inout(length)
      do i = 1, length
         inout(i) = in(i) * inout(i)
      end do
      end

      program main
      implicit none
      include 'mpif.h'
      integer n, i, rank, op, ierror
      parameter (n = 3)
      double complex a(n), product(n)
      external multiply
      call mpi_init(ierror)
      call mpi_comm_rank(MPI_COMM_WORLD, rank, ierror)
      do i = 1, n
         a(i) = dcmplx(dble(i), dble(rank))
      end do
      call mpi_op_create(multiply, .true., op, ierror)
      call mpi_reduce(a, product, n, MPI_DOUBLE_COMPLEX, op, 0,
     &     MPI_COMM_WORLD, ierror)
      call mpi_op_free(op, ierror)
      if (rank .eq. 0) print '(a,f7.1,a,f7.1,a)', ('(', dble(product(i))
     &     , ',', dimag(product(i)), ')', i = 1, n)
      call mpi_finalize(ierror)
      end
