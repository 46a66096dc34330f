! attributes.f - mpif.h: attributes of address size and of INTEGER size, their callbacks, and what C sees of them
! (MPI-5.0 section 19.3.7).
!
! np: 1 2
! with: check.f attributes_c.c
      subroutine copy(comm, keyval, extra, in, out, flag, ierror)
      implicit none
      include 'mpif.h'
      integer comm, keyval, ierror
      integer (kind=MPI_ADDRESS_KIND) extra, in, out
      logical flag
      out = in + extra
      flag = in .ge. 0
      ierror = MPI_SUCCESS
      end

      subroutine remove(comm, keyval, value, extra, ierror)
      implicit none
      include 'mpif.h'
      integer comm, keyval, ierror, removed
      integer (kind=MPI_ADDRESS_KIND) value, extra, last
      common /removal/ last, removed
      removed = removed + 1
      last = value
      ierror = MPI_SUCCESS
      end

      subroutine copy10(comm, keyval, extra, in, out, flag, ierror)
      implicit none
      include 'mpif.h'
      integer comm, keyval, ierror, extra, in, out
      logical flag
      out = in * extra
      flag = .true.
      ierror = MPI_SUCCESS
      end

      subroutine remove10(comm, keyval, value, extra, ierror)
      implicit none
      include 'mpif.h'
      integer comm, keyval, ierror, value, extra, removed
      integer (kind=MPI_ADDRESS_KIND) last
      common /removal/ last, removed
      removed = removed + 1
      last = value
      ierror = MPI_SUCCESS
      end

      program main
      implicit none
      include 'mpif.h'
      integer ierror, keyval, dup, removed, number, type, key10, key_c
      integer seen
      integer (kind=MPI_ADDRESS_KIND) value, extra, last, huge
      parameter (huge = 2_8**40 + 3)
      logical flag
      external copy, remove, copy10, remove10
      common /removal/ last, removed
      call check_start()
      removed = 0

      extra = 10
      call mpi_comm_create_keyval(copy, remove, keyval, extra, ierror)
      value = -1
      call mpi_comm_get_attr(MPI_COMM_WORLD, keyval, value, flag,
     &     ierror)
      call check(.not. flag, 'nothing is set')
      call mpi_comm_set_attr(MPI_COMM_WORLD, keyval, huge, ierror)
      call mpi_comm_get_attr(MPI_COMM_WORLD, keyval, value, flag,
     &     ierror)
      call check(flag .and. value .eq. huge, 'set')
      call see_in_c(MPI_COMM_WORLD, keyval, value)
      call check(value .eq. huge, 'C gets the address of the number')
      call mpi_comm_dup(MPI_COMM_WORLD, dup, ierror)
      call mpi_comm_get_attr(dup, keyval, value, flag, ierror)
      call check(flag .and. value .eq. huge + 10, 'copied')
      call mpi_comm_set_attr(dup, keyval, 5_8, ierror)
      call check(removed .eq. 1 .and. last .eq. huge + 10, 'replaced')
      call mpi_comm_free(dup, ierror)
      call check(removed .eq. 2 .and. last .eq. 5, 'freed')
      call mpi_comm_delete_attr(MPI_COMM_WORLD, keyval, ierror)
      call check(removed .eq. 3 .and. last .eq. huge, 'deleted')
      call set_in_c(MPI_COMM_WORLD, keyval, 4242_8)
      call mpi_comm_get_attr(MPI_COMM_WORLD, keyval, value, flag,
     &     ierror)
      call check(value .eq. 4242, 'what C set is the address')
      call mpi_comm_delete_attr(MPI_COMM_WORLD, keyval, ierror)
      call mpi_comm_free_keyval(keyval, ierror)
      call check_int(keyval, MPI_KEYVAL_INVALID, 'free_keyval')

      call mpi_comm_create_keyval(MPI_COMM_DUP_FN,
     &     MPI_COMM_NULL_DELETE_FN, keyval, extra, ierror)
      call mpi_comm_set_attr(MPI_COMM_WORLD, keyval, -9_8, ierror)
      call mpi_comm_dup(MPI_COMM_WORLD, dup, ierror)
      call mpi_comm_get_attr(dup, keyval, value, flag, ierror)
      call check(flag .and. value .eq. -9, 'dup_fn')
      call mpi_comm_free(dup, ierror)
      call mpi_comm_delete_attr(MPI_COMM_WORLD, keyval, ierror)
      call mpi_comm_free_keyval(keyval, ierror)

      call mpi_keyval_create(copy10, remove10, key10, 3, ierror)
      call mpi_attr_put(MPI_COMM_WORLD, key10, -7, ierror)
      call mpi_attr_get(MPI_COMM_WORLD, key10, number, flag, ierror)
      call check(flag .and. number .eq. -7, 'attr_put')
      call mpi_comm_get_attr(MPI_COMM_WORLD, key10, value, flag, ierror)
      call check(value .eq. -7, 'an INTEGER is widened')
      call see_int_in_c(MPI_COMM_WORLD, key10, seen)
      call check_int(seen, -7, 'C gets the address of the INTEGER')
      call mpi_comm_dup(MPI_COMM_WORLD, dup, ierror)
      call mpi_attr_get(dup, key10, number, flag, ierror)
      call check(flag .and. number .eq. -21, 'copied INTEGER')
      call mpi_comm_free(dup, ierror)
      call check(last .eq. -21, 'deleted INTEGER')
      call mpi_attr_delete(MPI_COMM_WORLD, key10, ierror)
      call mpi_keyval_free(key10, ierror)

      call mpi_keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, key10, 3,
     &     ierror)
      call mpi_keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, seen,
     &     3, ierror)
      call mpi_attr_put(MPI_COMM_WORLD, key10, -8, ierror)
      call mpi_attr_put(MPI_COMM_WORLD, seen, -9, ierror)
      call mpi_comm_dup(MPI_COMM_WORLD, dup, ierror)
      call mpi_attr_get(dup, key10, number, flag, ierror)
      call check(flag .and. number .eq. -8, 'MPI_DUP_FN')
      call mpi_attr_get(dup, seen, number, flag, ierror)
      call check(.not. flag, 'MPI_NULL_COPY_FN')
      call mpi_comm_free(dup, ierror)
      call mpi_attr_delete(MPI_COMM_WORLD, key10, ierror)
      call mpi_attr_delete(MPI_COMM_WORLD, seen, ierror)
      call mpi_keyval_free(key10, ierror)
      call mpi_keyval_free(seen, ierror)

! A key made in C, with C's callbacks.
      call make_key_in_c(key_c)
      call mpi_comm_set_attr(MPI_COMM_WORLD, key_c, 77_8, ierror)
      call mpi_comm_dup(MPI_COMM_WORLD, dup, ierror)
      call mpi_comm_get_attr(dup, key_c, value, flag, ierror)
      call check(flag .and. value .eq. 77, 'through a key of C')
      call mpi_comm_free(dup, ierror)
      call mpi_comm_delete_attr(MPI_COMM_WORLD, key_c, ierror)
      call mpi_comm_free_keyval(key_c, ierror)

      call mpi_type_create_keyval(copy, remove, keyval, extra, ierror)
      call mpi_type_contiguous(3, MPI_REAL, type, ierror)
      call mpi_type_set_attr(type, keyval, 1_8, ierror)
      call mpi_type_dup(type, dup, ierror)
      call mpi_type_get_attr(dup, keyval, value, flag, ierror)
      call check(flag .and. value .eq. 11, 'of a datatype')
      call mpi_type_free(type, ierror)
      call mpi_type_free(dup, ierror)
      call check(last .eq. 11, 'deleted with the datatype')
      call mpi_type_free_keyval(keyval, ierror)

      call mpi_comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag,
     &     ierror)
      call check(flag .and. value .ge. 32767, 'MPI_TAG_UB')
      call mpi_attr_get(MPI_COMM_WORLD, MPI_TAG_UB, number, flag,
     &     ierror)
      call check(flag .and. number .ge. 32767, 'MPI_TAG_UB, INTEGER')
      call mpi_comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, value,
     &     flag, ierror)
      call check(flag .and. (value .eq. 0 .or. value .eq. 1), 'wtime')
      call check_end()
      end
