! reduce.f - mpif.h: reductions of Fortran's types, in place and not, with predefined operators and pairs.
!
! np: 1 2 3 4 8
! with: check.f
      program main
      implicit none
      include 'mpif.h'
      integer rank, size, ierror, i, root, n
      parameter (n = 17)
      integer a(n), b(n), sums(n), block(0:63), counts(0:63)
      double precision x(n), y(n), pair(2), best(2)
      real rpair(2), rbest(2)
      complex z, product, want
      logical yes, all_yes, any_yes, xor
      logical(1) yes1, all1
      logical(8) yes8, any8
      call check_start()
      call mpi_comm_rank(MPI_COMM_WORLD, rank, ierror)
      call mpi_comm_size(MPI_COMM_WORLD, size, ierror)

      do i = 1, n
         a(i) = rank * i
         x(i) = dble(rank + i)
         sums(i) = i * (size * (size - 1) / 2)
      end do
      do root = 0, size - 1
         b = -1
         call mpi_reduce(a, b, n, MPI_INTEGER, MPI_SUM, root,
     &        MPI_COMM_WORLD, ierror)
         call check(ierror .eq. MPI_SUCCESS, 'reduce')
         if (rank .eq. root) call check(all(b .eq. sums), 'sum')
         if (rank .ne. root) call check(all(b .eq. -1), 'untouched')
         b = a
         if (rank .eq. root) then
            call mpi_reduce(MPI_IN_PLACE, b, n, MPI_INTEGER, MPI_SUM,
     &           root, MPI_COMM_WORLD, ierror)
            call check(all(b .eq. sums), 'in place')
         else
            call mpi_reduce(b, 0, n, MPI_INTEGER, MPI_SUM, root,
     &           MPI_COMM_WORLD, ierror)
         end if
      end do

      call mpi_allreduce(x, y, n, MPI_DOUBLE_PRECISION, MPI_MAX,
     &     MPI_COMM_WORLD, ierror)
      do i = 1, n
         call check(y(i) .eq. dble(size - 1 + i), 'max')
      end do
      y = x
      call mpi_allreduce(MPI_IN_PLACE, y, n, MPI_DOUBLE_PRECISION,
     &     MPI_MIN, MPI_COMM_WORLD, ierror)
      do i = 1, n
         call check(y(i) .eq. dble(i), 'min in place')
      end do

! The value nearest to the end, and the rank that has it; ties go to the lowest index.
      pair(1) = dble(mod(rank, 3))
      pair(2) = dble(rank)
      call mpi_allreduce(pair, best, 1, MPI_2DOUBLE_PRECISION,
     &     MPI_MAXLOC, MPI_COMM_WORLD, ierror)
      call check(best(1) .eq. dble(min(size - 1, 2)), 'maxloc value')
      call check(best(2) .eq. dble(min(size - 1, 2)), 'maxloc rank')
      rpair(1) = real(mod(rank, 3))
      rpair(2) = real(rank)
      call mpi_allreduce(rpair, rbest, 1, MPI_2REAL, MPI_MINLOC,
     &     MPI_COMM_WORLD, ierror)
      call check(rbest(1) .eq. 0. .and. rbest(2) .eq. 0., 'minloc')

      z = cmplx(1., real(rank))
      want = (1., 0.)
      do i = 0, size - 1
         want = want * cmplx(1., real(i))
      end do
      call mpi_allreduce(z, product, 1, MPI_COMPLEX, MPI_PROD,
     &     MPI_COMM_WORLD, ierror)
      call check(abs(product - want) .le. 1e-5 * abs(want), 'product')

      yes = rank .ne. 1
      all_yes = size .ge. 2
      call mpi_allreduce(yes, all_yes, 1, MPI_LOGICAL, MPI_LAND,
     &     MPI_COMM_WORLD, ierror)
      call check(all_yes .eqv. size .lt. 2, 'and')
      any_yes = size .lt. 2
      call mpi_allreduce(.not. yes, any_yes, 1, MPI_LOGICAL, MPI_LOR,
     &     MPI_COMM_WORLD, ierror)
      call check(any_yes .eqv. size .ge. 2, 'or')
      xor = size .gt. 1 .and. mod(size, 2) .eq. 1
      call mpi_allreduce(yes, xor, 1, MPI_LOGICAL, MPI_LXOR,
     &     MPI_COMM_WORLD, ierror)
      call check(xor .eqv. (size .le. 1 .or. mod(size, 2) .eq. 0),
     &     'xor')
      yes1 = rank .ne. 1
      all1 = size .ge. 2
      call mpi_allreduce(yes1, all1, 1, MPI_LOGICAL1, MPI_LAND,
     &     MPI_COMM_WORLD, ierror)
      call check(logical(all1) .eqv. size .lt. 2, 'and of LOGICAL(1)')
      yes8 = rank .eq. 1
      any8 = size .lt. 2
      call mpi_allreduce(yes8, any8, 1, MPI_LOGICAL8, MPI_LOR,
     &     MPI_COMM_WORLD, ierror)
      call check(logical(any8) .eqv. size .ge. 2,
     &     'or of LOGICAL(8)')

      do i = 0, size - 1
         block(i) = rank + i
         counts(i) = 1
      end do
      call mpi_reduce_scatter(block, b, counts, MPI_INTEGER, MPI_SUM,
     &     MPI_COMM_WORLD, ierror)
      call check_int(b(1), size * (size - 1) / 2 + size * rank,
     &     'reduce_scatter')
      call mpi_reduce_scatter_block(MPI_IN_PLACE, block, 1, MPI_INTEGER,
     &     MPI_SUM, MPI_COMM_WORLD, ierror)
      call check_int(block(0), size * (size - 1) / 2 + size * rank,
     &     'reduce_scatter_block')

      call mpi_scan(rank, i, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD,
     &     ierror)
      call check_int(i, rank * (rank + 1) / 2, 'scan')
      i = -7
      call mpi_exscan(rank, i, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD,
     &     ierror)
      if (rank .eq. 0) call check_int(i, -7, 'exscan of rank 0')
      if (rank .gt. 0) call check_int(i, rank * (rank - 1) / 2,
     &     'exscan')
      call check_end()
      end
