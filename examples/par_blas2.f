! par_blas2.f - a vector times a matrix, both spread by the vector's elements; the result is at rank 0.
      subroutine par_blas2(m, n, a, b, c, comm)
      implicit none
      include 'mpif.h'
      integer m, n, comm, i, j, ierror
      real a(m), b(m, n), c(n), sum(n)
      do j = 1, n
         sum(j) = 0.0
         do i = 1, m
            sum(j) = sum(j) + a(i) * b(i, j)
         end do
      end do
      call mpi_reduce(sum, c, n, MPI_REAL, MPI_SUM, 0, comm, ierror)
      end

      program main
      implicit none
      include 'mpif.h'
      integer m, n, i, j, rank, ierror
      parameter (m = 3, n = 4)
      real a(m), b(m, n), c(n)
      call mpi_init(ierror)
      call mpi_comm_rank(MPI_COMM_WORLD, rank, ierror)
      do i = 1, m
         a(i) = real(rank + 1)
         do j = 1, n
            b(i, j) = real(i + 10 * j)
         end do
      end do
      call par_blas2(m, n, a, b, c, MPI_COMM_WORLD)
      if (rank .eq. 0) print '(4f8.1)', c
      call mpi_finalize(ierror)
      end
