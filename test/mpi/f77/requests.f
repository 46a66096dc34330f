! requests.f - mpif.h: completion of operations: indices from 1, LOGICAL flags, statuses, those that are ignored.
!
! np: 2 3 4
! with: check.f
      program main
      implicit none
      include 'mpif.h'
      integer rank, size, ierror, i, n, left, right, index, outcount
      parameter (n = 40)
      integer requests(2 * n), indices(2 * n), out(n), in(n), count
      integer statuses(MPI_STATUS_SIZE, 2 * n), done
      integer status(MPI_STATUS_SIZE), message, buffer(2)
      logical flag
      call check_start()
      call mpi_comm_rank(MPI_COMM_WORLD, rank, ierror)
      call mpi_comm_size(MPI_COMM_WORLD, size, ierror)
      right = mod(rank + 1, size)
      left = mod(rank + size - 1, size)

      call post()
      call mpi_waitall(2 * n, requests, statuses, ierror)
      do i = 1, n
         call check_int(in(i), 100 * left + i, 'received')
         call check_int(statuses(MPI_TAG, i), i, 'tag of a status')
         call check_int(statuses(MPI_SOURCE, i), left, 'source')
         call mpi_get_count(statuses(1, i), MPI_INTEGER, count, ierror)
         call check_int(count, 1, 'count')
         call check_int(requests(i), MPI_REQUEST_NULL, 'null')
      end do
      call post()
      call mpi_waitall(2 * n, requests, MPI_STATUSES_IGNORE, ierror)
      call check_int(in(n), 100 * left + n, 'ignored statuses')

! Each request once, and then none.
      call post()
      do i = 1, 2 * n
         call mpi_waitany(2 * n, requests, index, status, ierror)
         call check(index .ge. 1 .and. index .le. 2 * n, 'index')
         call check_int(requests(index), MPI_REQUEST_NULL, 'waitany')
         if (index .le. n) call check_int(status(MPI_TAG), index,
     &        'waitany tag')
      end do
      call mpi_waitany(2 * n, requests, index, MPI_STATUS_IGNORE,
     &     ierror)
      call check_int(index, MPI_UNDEFINED, 'no request is left')
      call mpi_testany(2 * n, requests, index, flag, MPI_STATUS_IGNORE,
     &     ierror)
      call check(flag .and. index .eq. MPI_UNDEFINED, 'testany')

      call post()
      done = 0
      do while (done .lt. 2 * n)
         if (mod(done, 2) .eq. 0) then
            call mpi_waitsome(2 * n, requests, outcount, indices,
     &           statuses, ierror)
         else
            call mpi_testsome(2 * n, requests, outcount, indices,
     &           statuses, ierror)
         end if
         do i = 1, outcount
            index = indices(i)
            call check(index .ge. 1 .and. index .le. 2 * n, 'indices')
            if (index .le. n) call check_int(statuses(MPI_TAG, i),
     &           index, 'waitsome tag')
         end do
         done = done + outcount
      end do
      call mpi_waitsome(2 * n, requests, outcount, indices,
     &     MPI_STATUSES_IGNORE, ierror)
      call check_int(outcount, MPI_UNDEFINED, 'waitsome of none')

      call post()
      flag = .false.
      do while (.not. flag)
         call mpi_testall(2 * n, requests, flag, MPI_STATUSES_IGNORE,
     &        ierror)
      end do
      do i = 1, n
         call check_int(in(i), 100 * left + i, 'testall')
      end do

! Matched probes, persistent requests, cancelling.
      call mpi_isend(rank, 1, MPI_INTEGER, right, 7, MPI_COMM_WORLD,
     &     requests(1), ierror)
      call mpi_mprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, message,
     &     status, ierror)
      call check_int(status(MPI_SOURCE), left, 'mprobe')
      call mpi_mrecv(buffer, 1, MPI_INTEGER, message, MPI_STATUS_IGNORE,
     &     ierror)
      call check_int(buffer(1), left, 'mrecv')
      call check_int(message, MPI_MESSAGE_NULL, 'message')
      call mpi_wait(requests(1), MPI_STATUS_IGNORE, ierror)
      call mpi_recv_init(buffer, 1, MPI_INTEGER, left, 8,
     &     MPI_COMM_WORLD, requests(1), ierror)
      call mpi_send_init(rank, 1, MPI_INTEGER, right, 8,
     &     MPI_COMM_WORLD, requests(2), ierror)
      do i = 1, 3
         buffer(1) = -1
         call mpi_startall(2, requests, ierror)
         call mpi_waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
         call check_int(buffer(1), left, 'persistent')
      end do
      call mpi_request_free(requests(1), ierror)
      call mpi_request_free(requests(2), ierror)
      call check_int(requests(2), MPI_REQUEST_NULL, 'request_free')
      call mpi_irecv(buffer, 1, MPI_INTEGER, left, 999, MPI_COMM_WORLD,
     &     requests(1), ierror)
      call mpi_cancel(requests(1), ierror)
      call mpi_wait(requests(1), status, ierror)
      call mpi_test_cancelled(status, flag, ierror)
      call check(flag, 'cancelled')
      call check_end()

      contains
      subroutine post()
      integer k
      do k = 1, n
         in(k) = -1
         out(k) = 100 * rank + k
         call mpi_irecv(in(k), 1, MPI_INTEGER, left, k, MPI_COMM_WORLD,
     &        requests(k), ierror)
      end do
      do k = 1, n
         call mpi_isend(out(k), 1, MPI_INTEGER, right, k,
     &        MPI_COMM_WORLD, requests(n + k), ierror)
      end do
      end subroutine
      end
