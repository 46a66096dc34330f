! fortran_mpif.f - of test/bench/fortran: the calls with mpif.h.
      subroutine calls_mpif(n, x, y)
      implicit none
      include 'mpif.h'
      integer n, i, ierror
      double precision x, y
      do i = 1, n
         call mpi_allreduce(x, y, 1, MPI_DOUBLE_PRECISION, MPI_SUM,
     &        MPI_COMM_WORLD, ierror)
      end do
      end
