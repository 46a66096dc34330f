! various.f - mpif.h: strings, info objects, error handlers, generalized requests, groups, datatypes of all makes.
!
! np: 1 2 3
! with: check.f
      subroutine on_error(comm, code)
      implicit none
      integer comm, code, calls, last_comm, last_code
      common /handled/ calls, last_comm, last_code
      calls = calls + 1
      last_comm = comm
      last_code = code
      end

      subroutine query(extra, status, ierror)
      implicit none
      include 'mpif.h'
      integer (kind=MPI_ADDRESS_KIND) extra
      integer status(MPI_STATUS_SIZE), ierror
      call mpi_status_set_elements(status, MPI_INTEGER, int(extra),
     &     ierror)
      call mpi_status_set_cancelled(status, .false., ierror)
      status(MPI_SOURCE) = MPI_UNDEFINED
      status(MPI_TAG) = 12
      ierror = MPI_SUCCESS
      end

      subroutine release(extra, ierror)
      implicit none
      include 'mpif.h'
      integer (kind=MPI_ADDRESS_KIND) extra
      integer ierror, freed
      common /general/ freed
      freed = freed + int(extra)
      ierror = MPI_SUCCESS
      end

      subroutine cancel(extra, complete, ierror)
      implicit none
      include 'mpif.h'
      integer (kind=MPI_ADDRESS_KIND) extra
      logical complete
      integer ierror
      ierror = MPI_SUCCESS
      end

      program main
      implicit none
      include 'mpif.h'
      integer rank, size, ierror, length, calls, last_comm, last_code
      integer handler, comm, request, freed, count, info, info2, nkeys
      integer status(MPI_STATUS_SIZE), group, world, ranges(3, 1), i
      integer newgroup, type, ranks(2), other(2), integers(2), types(2)
      integer combiner, ni, na, nd, buflen, again, newcomm
      integer (kind=MPI_ADDRESS_KIND) lb, extent, a1, a2, bytes, memory
! Where a sanitizer looks for what is in use.
      save memory
      integer (kind=MPI_ADDRESS_KIND) addresses(2)
      integer lengths(2), values(4), out(4), class
      character*20 name, key, value
      character*3 short
      character*(MPI_MAX_ERROR_STRING) text
      character*(MPI_MAX_LIBRARY_VERSION_STRING) version
      logical flag
      external on_error, query, release, cancel
      common /handled/ calls, last_comm, last_code
      common /general/ freed
! What is reached through MPI_BOTTOM has to be where the compiler expects changes.
      common /bottom/ values
      call check_start()
      call mpi_comm_rank(MPI_COMM_WORLD, rank, ierror)
      call mpi_comm_size(MPI_COMM_WORLD, size, ierror)

! Strings: what is given ends at its last letter, what is got is padded or cut.
      call mpi_comm_dup(MPI_COMM_WORLD, comm, ierror)
      call mpi_comm_set_name(comm, 'of two words   ', ierror)
      call mpi_comm_get_name(comm, name, length, ierror)
      call check(name .eq. 'of two words', 'name')
      call check_int(length, 12, 'length of a name')
      call mpi_comm_get_name(comm, short, length, ierror)
      call check(short .eq. 'of ', 'cut')
      call mpi_error_string(MPI_ERR_ROOT, text, length, ierror)
      call check(text(length + 1:) .eq. ' ' .and. length .gt. 0, 'text')
      call mpi_get_library_version(version, length, ierror)
      call check(length .gt. 3 .and. version(length:length) .ne. ' ',
     &     'version')

      call mpi_info_create(info, ierror)
      call mpi_info_set(info, ' a key ', '  a value ', ierror)
      call mpi_info_set(info, 'b', 'bb', ierror)
      call mpi_info_get(info, 'a key', 20, value, flag, ierror)
      call check(flag .and. value .eq. 'a value', 'info_get')
      call mpi_info_get(info, 'none', 20, value, flag, ierror)
      call check(.not. flag .and. value .eq. 'a value', 'no such key')
      call mpi_info_get_valuelen(info, 'a key', length, flag, ierror)
      call check(flag .and. length .eq. 7, 'valuelen')
      buflen = 20
      value = '?'
      call mpi_info_get_string(info, 'a key', buflen, value, flag,
     &     ierror)
      call check(flag .and. value .eq. 'a value', 'get_string')
      call check_int(buflen, 7, 'length of get_string')
      buflen = 3
      call mpi_info_get_string(info, 'a key', buflen, value, flag,
     &     ierror)
      call check(flag .and. value .eq. 'a v', 'cut get_string')
      call check_int(buflen, 7, 'length of cut get_string')
      call mpi_info_get_nkeys(info, nkeys, ierror)
      call check_int(nkeys, 2, 'nkeys')
      call mpi_info_get_nthkey(info, 1, key, ierror)
      call check(key .eq. 'b', 'nthkey')
      call mpi_info_dup(info, info2, ierror)
      call mpi_info_delete(info2, 'b ', ierror)
      call mpi_info_get_nkeys(info2, nkeys, ierror)
      call check_int(nkeys, 1, 'delete')
      call mpi_info_free(info, ierror)
      call mpi_info_free(info2, ierror)
      call check_int(info, MPI_INFO_NULL, 'info_free')

! Error handlers.
      calls = 0
      call mpi_comm_create_errhandler(on_error, handler, ierror)
      call mpi_comm_set_errhandler(comm, handler, ierror)
      call mpi_errhandler_free(handler, ierror)
      call check_int(handler, MPI_ERRHANDLER_NULL, 'errhandler_free')
      call mpi_send(i, -1, MPI_INTEGER, 0, 0, comm, ierror)
      call check_int(calls, 1, 'the handler was called')
      call check_int(last_comm, comm, 'with the communicator')
      call mpi_error_class(ierror, class, ierror)
      call check_int(class, MPI_ERR_COUNT, 'class')
      call mpi_comm_call_errhandler(comm, MPI_ERR_TAG, ierror)
      call check_int(last_code, MPI_ERR_TAG, 'call_errhandler')
      call mpi_comm_set_errhandler(comm, MPI_ERRORS_RETURN, ierror)
      call mpi_send(i, 1, MPI_INTEGER, size, 0, comm, ierror)
      call check(ierror .ne. MPI_SUCCESS, 'errors_return')
      newcomm = MPI_COMM_WORLD
      call mpi_comm_split(comm, -5, 0, newcomm, ierror)
      call check(ierror .ne. MPI_SUCCESS, 'split')
      call check_int(newcomm, MPI_COMM_NULL, 'split that fails')
      call mpi_comm_free(comm, ierror)
      call check_int(comm, MPI_COMM_NULL, 'comm_free')

! Generalized requests.
      freed = 0
      call mpi_grequest_start(query, release, cancel, 5_8, request,
     &     ierror)
      call mpi_test(request, flag, status, ierror)
      call check(.not. flag, 'not yet')
      call mpi_grequest_complete(request, ierror)
      call mpi_wait(request, status, ierror)
      call mpi_get_count(status, MPI_INTEGER, count, ierror)
      call check_int(count, 5, 'elements of a generalized request')
      call check_int(status(MPI_TAG), 12, 'its tag')
      call check_int(freed, 5, 'freed')

! Groups.
      call mpi_comm_group(MPI_COMM_WORLD, world, ierror)
      ranges(1, 1) = size - 1
      ranges(2, 1) = 0
      ranges(3, 1) = -1
      call mpi_group_range_incl(world, 1, ranges, group, ierror)
      call mpi_group_rank(group, i, ierror)
      call check_int(i, size - 1 - rank, 'range_incl')
      ranks(1) = 0
      call mpi_group_translate_ranks(world, 1, ranks, group, other,
     &     ierror)
      call check_int(other(1), size - 1, 'translate')
      call mpi_group_union(world, group, newgroup, ierror)
      call mpi_group_compare(world, newgroup, i, ierror)
      call check_int(i, MPI_IDENT, 'union')
      call mpi_group_free(newgroup, ierror)
      call mpi_group_free(group, ierror)
      call mpi_group_free(world, ierror)

! Datatypes.
      call mpi_get_address(values(1), a1, ierror)
      call mpi_get_address(values(3), a2, ierror)
      call check(mpi_aint_diff(a2, a1) .eq. 8, 'aint_diff')
      call check(mpi_aint_add(a1, 8_8) .eq. a2, 'aint_add')
      lengths(1) = 1
      lengths(2) = 1
      addresses(1) = a1
      addresses(2) = a2
      types(1) = MPI_INTEGER
      types(2) = MPI_INTEGER
      call mpi_type_create_struct(2, lengths, addresses, types, type,
     &     ierror)
      call mpi_type_commit(type, ierror)
      do i = 1, 4
         values(i) = i
         out(i) = 0
      end do
      call mpi_sendrecv(MPI_BOTTOM, 1, type, rank, 1, out, 2,
     &     MPI_INTEGER, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE,
     &     ierror)
      call check(out(1) .eq. 1 .and. out(2) .eq. 3, 'MPI_BOTTOM')
      call mpi_type_get_envelope(type, ni, na, nd, combiner, ierror)
      call check(ni .eq. 3 .and. na .eq. 2 .and. nd .eq. 2, 'envelope')
      types(1) = -1
      call mpi_type_get_contents(type, 3, 2, 2, out, addresses, types,
     &     ierror)
      call check(addresses(2) .eq. a2 .and. types(1) .eq. MPI_INTEGER,
     &     'contents')
      call mpi_type_free(type, ierror)
      call mpi_type_create_resized(MPI_INTEGER, -4_8, 12_8, type,
     &     ierror)
      call mpi_type_get_extent(type, lb, extent, ierror)
      call check(lb .eq. -4 .and. extent .eq. 12, 'extent')
      call mpi_type_free(type, ierror)

      call mpi_type_create_f90_real(10, MPI_UNDEFINED, type, ierror)
      call mpi_type_size(type, i, ierror)
      call check_int(i, 8, 'f90_real')
      call mpi_type_create_f90_real(10, MPI_UNDEFINED, again, ierror)
      call check_int(again, type, 'the same handle')
      call mpi_type_get_envelope(type, ni, na, nd, combiner, ierror)
      call check(ni .eq. 2 .and. na .eq. 0 .and. nd .eq. 0 .and.
     &     combiner .eq. MPI_COMBINER_F90_REAL, 'envelope of f90_real')
      call mpi_type_get_contents(type, 2, 0, 0, integers, addresses,
     &     types, ierror)
      call check(integers(1) .eq. 10 .and. integers(2) .eq.
     &     MPI_UNDEFINED, 'contents of f90_real')
      call mpi_type_create_f90_complex(6, 30, type, ierror)
      call mpi_type_size(type, i, ierror)
      call check_int(i, 8, 'f90_complex')
      call mpi_type_create_f90_integer(12, type, ierror)
      call mpi_type_size(type, i, ierror)
      call check_int(i, 8, 'f90_integer')
      call mpi_allreduce(int(rank, 8), bytes, 1, type, MPI_SUM,
     &     MPI_COMM_WORLD, ierror)
      call check_int(int(bytes), size * (size - 1) / 2, 'sum of it')
      call mpi_type_match_size(MPI_TYPECLASS_REAL, 8, type, ierror)
      call check_int(type, MPI_REAL8, 'match_size')
      bytes = 100
      call mpi_alloc_mem(bytes, MPI_INFO_NULL, memory, ierror)
      call check(memory .ne. 0, 'alloc_mem')
      call check(mpi_wtime() .ge. 0d0 .and. mpi_wtick() .gt. 0d0,
     &     'wtime')
      call check_end()
      end
