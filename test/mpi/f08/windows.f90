! Array sections in one-sided communication, which lasts until a later call: strided, backwards; with requests and without;
! and large counts.
! np: 1 2 3
include "check.inc"

program windows
    use :: check
    implicit none
    type(MPI_Win) :: win
    type(MPI_Request) :: request
    integer, asynchronous :: memory(30), out(40), in(40), want(40)
    integer :: right, left, i

    call begin()
    right = mod(me + 1, ranks)
    left = mod(me - 1 + ranks, ranks)
    memory = -1
    out = [(1000 * me + i, i = 1, 40)]
    call MPI_Win_create(memory, 120_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_fence(0, win)
    call MPI_Put(out(1:20:2), 10, MPI_INTEGER, right, 5_MPI_ADDRESS_KIND, 10, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call expect("put", memory(6:15), [(1000 * left + i, i = 1, 20, 2)])
    call expect("behind it", memory(16:30), [(-1, i = 16, 30)])
    in = -1
    want = -1
    want(40:22:-2) = out(1:20:2)
    call MPI_Get(in(40:22:-2), 10, MPI_INTEGER, right, 5_MPI_ADDRESS_KIND, 10, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call expect("get", in, want)
    call MPI_Accumulate(out(1:20:2), 10_MPI_COUNT_KIND, MPI_INTEGER, right, 5_MPI_ADDRESS_KIND, 10_MPI_COUNT_KIND, &
        MPI_INTEGER, MPI_SUM, win)
    call MPI_Win_fence(MPI_MODE_NOSUCCEED, win)
    call expect("accumulate", memory(6:15), 2 * [(1000 * left + i, i = 1, 20, 2)])
    call MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win)
    in = -1
    want = -1
    want(1:28:3) = 2 * out(1:20:2)
    call MPI_Get_accumulate(out(1:20:2), 10, MPI_INTEGER, in(1:28:3), 10, MPI_INTEGER, right, 5_MPI_ADDRESS_KIND, 10, &
        MPI_INTEGER, MPI_NO_OP, win)
    call MPI_Win_flush_local(right, win)
    call expect("get_accumulate", in, want)
    in = -1
    call MPI_Rget(in(1:28:3), 10, MPI_INTEGER, right, 5_MPI_ADDRESS_KIND, 10, MPI_INTEGER, win, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect("rget", in, want)
    call MPI_Put(out(1:20:2), 10, MPI_INTEGER, MPI_PROC_NULL, 5_MPI_ADDRESS_KIND, 10, MPI_INTEGER, win)
    call MPI_Win_unlock(right, win)
    call MPI_Win_free(win)
    call gaps()
    call finish()
contains
    ! Memory that others use, or later calls, is used where it lies.
    subroutine gaps()
        type(MPI_Win) :: other
        integer(MPI_ADDRESS_KIND), parameter :: bytes = 40
        integer :: ierror
        call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
        call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
        call MPI_Win_create(memory(1:20:2), bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, other, ierror)
        call refused(ierror, "MPI_Win_create: base is a section of an array with gaps")
        call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win)
        call MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN)
        call MPI_Win_attach(win, memory(20:1:-2), bytes, ierror)
        call refused(ierror, "MPI_Win_attach: base is a section")
        call MPI_Win_attach(win, memory(11:20), bytes, ierror)
        call expect("a section without gaps", ierror == MPI_SUCCESS)
        call MPI_Win_detach(win, memory(11:20), ierror)
        call expect("detached", ierror == MPI_SUCCESS)
        call MPI_Win_free(win)
        call MPI_Buffer_attach(out(1:40:2), 80, ierror)
        call refused(ierror, "MPI_Buffer_attach: buffer is a section")
        call MPI_Comm_attach_buffer(MPI_COMM_WORLD, out(1:40:2), 80, ierror)
        call refused(ierror, "MPI_Comm_attach_buffer: buffer is a section")
        call MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0, ierror)
        call expect("the library's own", ierror == MPI_SUCCESS)
    end subroutine

    subroutine refused(code, words)
        integer, intent(in) :: code
        character(len=*), intent(in) :: words
        character(len=MPI_MAX_ERROR_STRING) :: said
        integer :: class, length
        call MPI_Error_class(code, class)
        call MPI_Error_string(code, said, length)
        call expect(words, class == MPI_ERR_BUFFER .and. index(said, words) > 0)
    end subroutine
end program
