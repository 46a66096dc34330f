! par_blas1.f - the dot product of two vectors that are spread over the ranks; the result is at rank 0.
      subroutine par_blas1(m, a, b, c, comm)
      implicit none
      include 'mpif.h'
      integer m, comm, i, ierror
      real a(m), b(m), c, sum
      sum = 0.0
      do i = 1, m
         sum = sum + a(i) * b(i)
      end do
      call mpi_reduce(sum, c, 1, MPI_REAL, MPI_SUM, 0, comm, ierror)
      end

      program main
      implicit none
      include 'mpif.h'
      integer m, i, rank, size, ierror
      parameter (m = 25)
      real a(m), b(m), c
      call mpi_init(ierror)
      call mpi_comm_rank(MPI_COMM_WORLD, rank, ierror)
      call mpi_comm_size(MPI_COMM_WORLD, size, ierror)
      do i = 1, m
         a(i) = real(rank * m + i)
         b(i) = 2.0
      end do
      call par_blas1(m, a, b, c, MPI_COMM_WORLD)
      if (rank .eq. 0) print '(a,i4,a,f10.1)', 'dot product of ',
     &     size * m, ' elements: ', c
      call mpi_finalize(ierror)
      end
