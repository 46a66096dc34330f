! Collective access to a file from Fortran: blocking, with a request, in two steps, in the order of ranks; whole arrays and,
! with mpi_f08, sections of them.
!
! np: 1 2 3
#include "dialect.inc"

program file_collective
    use check
    USE_MPI
    implicit none
    INCLUDE_MPI
    integer, parameter :: n = 500
    integer, PENDING :: mine(n), got(n)
    integer :: ierror, i, count
    character(len=200) :: name
    HANDLE(MPI_File) :: f
    HANDLE(MPI_Datatype) :: turn
    HANDLE(MPI_Request) :: request
    STATUS(s)
    integer(kind=MPI_OFFSET_KIND) :: disp, place
    integer(kind=MPI_ADDRESS_KIND) :: lb, extent

    call begin()
    call choose_name()
    lb = 0
    extent = 4 * ranks
    call MPI_Type_create_resized(MPI_INTEGER, lb, extent, turn, ierror)
    call MPI_Type_commit(turn, ierror)
    call MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR + MPI_MODE_CREATE + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &
                       f, ierror)
    call expect("open", ierror, MPI_SUCCESS)
    disp = 4 * me
    call MPI_File_set_view(f, disp, MPI_INTEGER, turn, "native", MPI_INFO_NULL, ierror)
    call expect("set_view", ierror, MPI_SUCCESS)
    mine = [(1000 * me + i, i = 1, n)]

    call MPI_File_write_all(f, mine, n, MPI_INTEGER, s, ierror)
    call ended("write_all")
    place = 0
    got = -1
    call MPI_File_read_at_all(f, place, got, n, MPI_INTEGER, s, ierror)
    call ended("read_at_all")
    call expect("what read_at_all gets", got, mine)

    place = n
    call MPI_File_iwrite_at_all(f, place, mine, n, MPI_INTEGER, request, ierror)
    call MPI_Wait(request, s, ierror)
    call ended("iwrite_at_all")
    got = -1
    call MPI_File_iread_all(f, got, n, MPI_INTEGER, request, ierror)
    call MPI_Wait(request, s, ierror)
    call ended("iread_all")
    call expect("what iread_all gets", got, mine)

    call MPI_File_write_all_begin(f, mine, n, MPI_INTEGER, ierror)
    call MPI_File_write_all_end(f, mine, s, ierror)
    call ended("write_all_end")
    got = -1
    call MPI_File_read_at_all_begin(f, place, got, n, MPI_INTEGER, ierror)
    call MPI_File_read_at_all_end(f, got, s, ierror)
    call ended("read_at_all_end")
    call expect("what read_at_all_end gets", got, mine)

    disp = 0
    call MPI_File_set_view(f, disp, MPI_INTEGER, MPI_INTEGER, "native", MPI_INFO_NULL, ierror)
    call MPI_File_write_ordered(f, mine, n, MPI_INTEGER, s, ierror)
    call ended("write_ordered")
    place = n * me
    got = -1
    call MPI_File_read_at_all(f, place, got, n, MPI_INTEGER, s, ierror)
    call ended("read_at_all of what was ordered")
    call expect("what write_ordered has written", got, mine)
    call MPI_File_write_ordered_begin(f, mine, n, MPI_INTEGER, ierror)
    call MPI_File_write_ordered_end(f, mine, s, ierror)
    call ended("write_ordered_end")
#if DIALECT == 8
    call sections()
#endif
    call MPI_File_close(f, ierror)
    call expect("close", ierror, MPI_SUCCESS)
    call MPI_Type_free(turn, ierror)
    call finish()
contains
    subroutine choose_name()
        character(len=100) :: folder
        integer :: clock
        call get_environment_variable("TMPDIR", folder)
        if (folder == "") folder = "/tmp"
        call system_clock(clock)
        write (name, '(a, "/treefold-fortran-", i0, "-", i0)') trim(folder), DIALECT, clock
        call MPI_Bcast(name, len(name), MPI_CHARACTER, 0, MPI_COMM_WORLD, ierror)
    end subroutine

    subroutine ended(what)
        character(len=*), intent(in) :: what
        call expect(what, ierror, MPI_SUCCESS)
        count = -1
        call MPI_Get_count(s, MPI_INTEGER, count, ierror)
        call expect("count of "//what, count, n)
    end subroutine

#if DIALECT == 8
    ! The rest of the array is left alone, also where a section is written back by the second of two calls.
    subroutine sections()
        integer, asynchronous :: wide(3, n)
        wide = -5
        wide(2, :) = mine + 7
        call MPI_File_write_at_all_begin(f, place, wide(2, :), n, MPI_INTEGER, ierror)
        call expect("write_at_all_begin of a section", ierror, MPI_SUCCESS)
        call MPI_File_write_at_all_end(f, wide(2, :), s, ierror)
        call ended("write_at_all_end of a section")
        wide = -6
        call MPI_File_read_at_all_begin(f, place, wide(3, :), n, MPI_INTEGER, ierror)
        call expect("read_at_all_begin of a section", ierror, MPI_SUCCESS)
        wide(1, 1) = 99
        call MPI_File_read_at_all_end(f, wide(3, :), s, ierror)
        call ended("read_at_all_end of a section")
        call expect("a section that was read", wide(3, :), mine + 7)
        call expect("what lies beside it", wide(1, 1), 99)
        call expect("what lies between", wide(2, :), [(-6, i = 1, n)])
        call MPI_File_iread_at_all(f, place, wide(1, :), n, MPI_INTEGER, request, ierror)
        call MPI_Wait(request, s, ierror)
        call ended("iread_at_all of a section")
        call expect("a section that a request has read", wide(1, :), mine + 7)
    end subroutine
#endif
end program
