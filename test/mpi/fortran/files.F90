! files.F90 - files in Fortran: open to close, a view, all ways of independent access, hints, an error handler, and a data
! representation of Fortran's functions.
!
! np: 1 2
#include "dialect.inc"

module parts
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer, c_loc
    USE_MPI
    implicit none
    INCLUDE_MPI
    private
    public :: note, told, extent_of, out_of_memory, into_memory, state
    integer :: told = 0
    integer, parameter :: state = 4711
contains
    subroutine note(file, code)
        HANDLE(MPI_File) :: file
        integer :: code
        if (code /= MPI_SUCCESS) told = told + 1
    end subroutine

    ! Integers with their sign changed.
    subroutine extent_of(datatype, extent, extra_state, ierror)
        HANDLE(MPI_Datatype) :: datatype
        integer(kind=MPI_ADDRESS_KIND) :: extent, extra_state
        integer :: ierror
        extent = 4
        ierror = MPI_SUCCESS
        if (extra_state /= state) ierror = MPI_ERR_OTHER
    end subroutine

#if DIALECT == 8
    subroutine negate(to, from, n)
        type(c_ptr), value :: to, from
        integer, intent(in) :: n
        integer, pointer :: a(:), b(:)
        call c_f_pointer(to, a, [n])
        call c_f_pointer(from, b, [n])
        a = -b
    end subroutine

    subroutine out_of_memory(userbuf, datatype, count, filebuf, position, extra_state, ierror)
        type(c_ptr), value :: userbuf, filebuf
        type(MPI_Datatype) :: datatype
        integer :: count, ierror
        integer(kind=MPI_OFFSET_KIND) :: position
        integer(kind=MPI_ADDRESS_KIND) :: extra_state
        call negate(filebuf, userbuf, count)
        ierror = merge(MPI_SUCCESS, MPI_ERR_OTHER, position == 0 .and. extra_state == state)
    end subroutine

    subroutine into_memory(userbuf, datatype, count, filebuf, position, extra_state, ierror)
        type(c_ptr), value :: userbuf, filebuf
        type(MPI_Datatype) :: datatype
        integer :: count, ierror
        integer(kind=MPI_OFFSET_KIND) :: position
        integer(kind=MPI_ADDRESS_KIND) :: extra_state
        call negate(userbuf, filebuf, count)
        ierror = merge(MPI_SUCCESS, MPI_ERR_OTHER, position == 0 .and. extra_state == state)
    end subroutine
#else
    subroutine out_of_memory(userbuf, datatype, count, filebuf, position, extra_state, ierror)
        integer :: datatype, count, ierror, userbuf(*), filebuf(*)
        integer(kind=MPI_OFFSET_KIND) :: position
        integer(kind=MPI_ADDRESS_KIND) :: extra_state
        filebuf(1:count) = -userbuf(1:count)
        ierror = merge(MPI_SUCCESS, MPI_ERR_OTHER, position == 0 .and. extra_state == state)
    end subroutine

    subroutine into_memory(userbuf, datatype, count, filebuf, position, extra_state, ierror)
        integer :: datatype, count, ierror, userbuf(*), filebuf(*)
        integer(kind=MPI_OFFSET_KIND) :: position
        integer(kind=MPI_ADDRESS_KIND) :: extra_state
        userbuf(1:count) = -filebuf(1:count)
        ierror = merge(MPI_SUCCESS, MPI_ERR_OTHER, position == 0 .and. extra_state == state)
    end subroutine
#endif
end module

program files
    use :: check
    use :: parts
    USE_MPI
    implicit none
    INCLUDE_MPI
    integer, parameter :: n = 6
    character(len=200) :: name, folder
    HANDLE(MPI_File) :: file
    integer :: ierror
    call begin()
    call get_environment_variable('TMPDIR', folder)
    if (folder == '') folder = '/tmp'
    if (me == 0) call name_it()
    call MPI_Bcast(name, len(name), MPI_CHARACTER, 0, MPI_COMM_WORLD, ierror)
    call life()
    call sequential()
    call access()
    call shared()
    call representation()
    if (me == 0) call MPI_File_delete(name, MPI_INFO_NULL, ierror)
    call expect('delete', ierror, MPI_SUCCESS)
    call finish()
contains
    subroutine name_it()
        integer :: clock
        call system_clock(clock)
        write (name, '(2a,i0,a,i0)') trim(folder), '/treefold-fortran-', clock, '-', DIALECT
    end subroutine

    subroutine open_it(amode)
        integer, intent(in) :: amode
        call MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, file, ierror)
        call expect('open', ierror, MPI_SUCCESS)
    end subroutine

    subroutine life()
        HANDLE(MPI_Errhandler) :: handler
        HANDLE(MPI_Info) :: info
        HANDLE(MPI_Group) :: group
        integer :: amode, members, code
        integer(kind=MPI_OFFSET_KIND) :: bytes
        logical :: flag
        call MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, file, ierror)
        code = ierror
        call MPI_Error_class(code, amode, ierror)
        call expect('what is not there', amode, MPI_ERR_NO_SUCH_FILE)
        call open_it(MPI_MODE_RDWR + MPI_MODE_CREATE)
        call expect('a handle', file /= MPI_FILE_NULL)
        call MPI_File_get_amode(file, amode, ierror)
        call expect('amode', amode, MPI_MODE_RDWR + MPI_MODE_CREATE)
        call MPI_File_get_group(file, group, ierror)
        call MPI_Group_size(group, members, ierror)
        call expect('group', members, ranks)
        call MPI_Group_free(group, ierror)
        bytes = 100
        call MPI_File_set_size(file, bytes, ierror)
        bytes = -1
        call MPI_File_get_size(file, bytes, ierror)
        call expect('size', bytes == 100)
        bytes = 200
        call MPI_File_preallocate(file, bytes, ierror)
        call MPI_File_get_size(file, bytes, ierror)
        call expect('reserved', bytes == 200)
        call MPI_File_set_atomicity(file, .true., ierror)
        flag = .false.
        call MPI_File_get_atomicity(file, flag, ierror)
        call expect('atomic', flag)
        call MPI_File_get_info(file, info, ierror)
        call MPI_File_set_info(file, info, ierror)
        call expect('hints', ierror, MPI_SUCCESS)
        call MPI_Info_free(info, ierror)
        call MPI_File_create_errhandler(note, handler, ierror)
        call MPI_File_set_errhandler(file, handler, ierror)
        call MPI_Errhandler_free(handler, ierror)
        bytes = -1
        call MPI_File_seek(file, bytes, MPI_SEEK_SET, ierror)
        call expect('told', told, 1)
        call MPI_File_close(file, ierror)
        call expect('closed', file == MPI_FILE_NULL)
    end subroutine

    ! The constant is an offset, as the argument is.
    subroutine sequential()
        integer :: code
        call open_it(MPI_MODE_WRONLY + MPI_MODE_SEQUENTIAL)
        call MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL, code)
        call expect('current displacement', code, MPI_SUCCESS)
        call expect('its kind', kind(MPI_DISPLACEMENT_CURRENT), MPI_OFFSET_KIND)
        call MPI_File_close(file, ierror)
    end subroutine

    ! Ranks take turns of one element.
    subroutine access()
        HANDLE(MPI_Datatype) :: filetype, e, f
        HANDLE(MPI_Request) :: request
        STATUS(status)
        character(len=MPI_MAX_DATAREP_STRING) :: datarep
        integer, PENDING :: values(n), found(n)
        integer(kind=MPI_OFFSET_KIND) :: place, disp
        integer(kind=MPI_ADDRESS_KIND) :: extent
        integer :: i, count
        call open_it(MPI_MODE_RDWR)
        call MPI_Type_create_subarray(1, [ranks], [1], [me], MPI_ORDER_FORTRAN, MPI_INTEGER, filetype, ierror)
        call MPI_Type_commit(filetype, ierror)
        disp = 8
        call MPI_File_set_view(file, disp, MPI_INTEGER, filetype, 'native  ', MPI_INFO_NULL, ierror)
        call expect('set_view', ierror, MPI_SUCCESS)
        disp = -1
        datarep = '?'
        call MPI_File_get_view(file, disp, e, f, datarep, ierror)
        call expect('get_view', disp == 8 .and. e == MPI_INTEGER .and. datarep == 'native')
        call MPI_Type_free(f, ierror)
        values = [(100 * me + i, i = 1, n)]
        place = 0
        call MPI_File_write_at(file, place, values, 2, MPI_INTEGER, status, ierror)
        place = 2
        call MPI_File_seek(file, place, MPI_SEEK_SET, ierror)
        call MPI_File_write(file, values(3), 1, MPI_INTEGER, status, ierror)
        call MPI_File_iwrite(file, values(4:5), 2, MPI_INTEGER, request, ierror)
        call MPI_Wait(request, status, ierror)
        call MPI_Get_count(status, MPI_INTEGER, count, ierror)
        call expect('count', count, 2)
        place = 5
        call MPI_File_iwrite_at(file, place, values(6), 1, MPI_INTEGER, request, ierror)
        call MPI_Wait(request, status, ierror)
        call MPI_File_get_position(file, place, ierror)
        call expect('position', place == 5)
        call MPI_File_get_byte_offset(file, place, disp, ierror)
        call expect('byte offset', disp == 8 + 4 * (5 * ranks + me))
        call MPI_File_get_type_extent(file, filetype, extent, ierror)
        call expect('extent', extent == 4 * ranks)
        call MPI_File_sync(file, ierror)
        found = 0
        place = 0
        call MPI_File_read_at(file, place, found, 2, MPI_INTEGER, status, ierror)
        place = 2
        call MPI_File_seek(file, place, MPI_SEEK_SET, ierror)
        call MPI_File_read(file, found(3), 1, MPI_INTEGER, status, ierror)
        call MPI_File_iread(file, found(4:5), 2, MPI_INTEGER, request, ierror)
        call MPI_Wait(request, status, ierror)
        place = 5
        call MPI_File_iread_at(file, place, found(6), 1, MPI_INTEGER, request, ierror)
        call MPI_Wait(request, status, ierror)
        call expect('read', found, values)
        call MPI_Type_free(filetype, ierror)
        call MPI_File_close(file, ierror)
    end subroutine

    subroutine shared()
        HANDLE(MPI_Request) :: request
        STATUS(status)
        integer, PENDING :: mine, found
        integer(kind=MPI_OFFSET_KIND) :: place
        integer :: count
        call open_it(MPI_MODE_RDWR)
        place = 0
        call MPI_File_set_size(file, place, ierror)
        call MPI_File_set_view(file, place, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL, ierror)
        mine = 7
        call MPI_File_write_shared(file, mine, 1, MPI_INTEGER, status, ierror)
        call MPI_File_iwrite_shared(file, mine, 1, MPI_INTEGER, request, ierror)
        call MPI_Wait(request, status, ierror)
        call MPI_Barrier(MPI_COMM_WORLD, ierror)
        call MPI_File_get_position_shared(file, place, ierror)
        call expect('shared position', place == 2 * ranks)
        call MPI_Barrier(MPI_COMM_WORLD, ierror)
        place = 0
        call MPI_File_seek_shared(file, place, MPI_SEEK_SET, ierror)
        found = 0
        call MPI_File_read_shared(file, found, 1, MPI_INTEGER, status, ierror)
        call expect('read_shared', found, 7)
        found = 0
        call MPI_File_iread_shared(file, found, 1, MPI_INTEGER, request, ierror)
        call MPI_Wait(request, status, ierror)
        call MPI_Get_count(status, MPI_INTEGER, count, ierror)
        call expect('iread_shared', [found, count], [7, 1])
        call MPI_File_close(file, ierror)
    end subroutine

    subroutine representation()
        integer :: values(n), found(n), i
        integer(kind=MPI_ADDRESS_KIND) :: extra
        integer(kind=MPI_OFFSET_KIND) :: place
        extra = state
        call MPI_Register_datarep('negative', into_memory, out_of_memory, extent_of, extra, ierror)
        call expect('register', ierror, MPI_SUCCESS)
        call MPI_Register_datarep('plain', MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, extent_of, extra, ierror)
        call expect('register without functions', ierror, MPI_SUCCESS)
        call open_it(MPI_MODE_RDWR)
        place = 4 * n * me
        call MPI_File_set_view(file, place, MPI_INTEGER, MPI_INTEGER, 'negative', MPI_INFO_NULL, ierror)
        values = [(10 * me + i, i = 1, n)]
        call MPI_File_write(file, values, n, MPI_INTEGER, MPI_STATUS_IGNORE, ierror)
        call expect('written', ierror, MPI_SUCCESS)
        found = 0
        place = 0
        call MPI_File_read_at(file, place, found, n, MPI_INTEGER, MPI_STATUS_IGNORE, ierror)
        call expect('converted twice', found, values)
        place = 4 * n * me
        call MPI_File_set_view(file, place, MPI_INTEGER, MPI_INTEGER, 'plain', MPI_INFO_NULL, ierror)
        found = 0
        call MPI_File_read(file, found, n, MPI_INTEGER, MPI_STATUS_IGNORE, ierror)
        call expect('not converted', found, -values)
        call MPI_File_close(file, ierror)
    end subroutine
end program
