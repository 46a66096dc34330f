! maxloc.f - for each of 5 places the largest of all ranks' numbers, and whose it is: pairs of DOUBLE PRECISION.
      program main
      implicit none
      include 'mpif.h'
      integer n, i, rank, ierror
      parameter (n = 5)
      double precision in(2, n), out(2, n)
      call mpi_init(ierror)
      call mpi_comm_rank(MPI_COMM_WORLD, rank, ierror)
      do i = 1, n
         in(1, i) = dble(mod(7 * rank + 3 * i, 11))
         in(2, i) = dble(rank)
      end do
      call mpi_reduce(in, out, n, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, 0,
     &     MPI_COMM_WORLD, ierror)
      if (rank .eq. 0) then
         do i = 1, n
            print '(a,i2,a,f5.1,a,i2)', 'place', i, ':', out(1, i),
     &           ' of rank', int(out(2, i))
         end do
      end if
      call mpi_finalize(ierror)
      end
