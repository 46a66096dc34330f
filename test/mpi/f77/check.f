! check.f - what the tests of mpif.h share: checks that count and tell, and an end that fails if one failed or none was
! made.
      subroutine check_start()
      implicit none
      include 'mpif.h'
      integer ierror, checks, failures, rank
      common /checks_made/ checks, failures, rank
      checks = 0
      failures = 0
      call mpi_init(ierror)
      call mpi_comm_rank(MPI_COMM_WORLD, rank, ierror)
      end

      subroutine check(holds, what)
      implicit none
      logical holds
      character*(*) what
      integer checks, failures, rank
      common /checks_made/ checks, failures, rank
      checks = checks + 1
      if (.not. holds) then
         failures = failures + 1
         if (failures .le. 10) print *, 'rank', rank, ': not so: ', what
      end if
      end

      subroutine check_int(got, want, what)
      implicit none
      integer got, want
      character*(*) what
      call check(got .eq. want, what)
      if (got .ne. want) print *, '   got', got, 'want', want
      end

      subroutine check_end()
      implicit none
      include 'mpif.h'
      integer ierror, checks, failures, rank, total(2)
      interface
         integer(c_int) function left(of, kept)
     &      bind(c, name='check_left_of_rank')
            use, intrinsic :: iso_c_binding, only: c_int
            integer(c_int), value :: of, kept
         end function
      end interface
      common /checks_made/ checks, failures, rank
      total(1) = checks
      total(2) = failures
      call mpi_allreduce(MPI_IN_PLACE, total, 2, MPI_INTEGER, MPI_SUM,
     &     MPI_COMM_WORLD, ierror)
      call mpi_finalize(ierror)
      if (total(2) .gt. 0 .or. total(1) .eq. 0) stop 1
      if (left(rank, 0) .gt. 0) stop 1
      end
