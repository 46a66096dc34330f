! One-sided communication from Fortran: windows of all flavors, epochs of all kinds, all operations, attributes, names,
! error handlers and callbacks.
!
! np: 1 2 3
#include "dialect.inc"

module callbacks
    USE_MPI
    implicit none
    INCLUDE_MPI
    integer :: deleted = 0, handled = 0
contains
    subroutine delete_it(win, keyval, value, extra, ierror)
        HANDLE(MPI_Win) :: win
        integer :: keyval, ierror
        integer(kind=MPI_ADDRESS_KIND) :: value, extra
        deleted = deleted + int(value + extra)
        ierror = MPI_SUCCESS
    end subroutine

    subroutine handle_it(win, code)
        HANDLE(MPI_Win) :: win
        integer :: code, class, ierror
        call MPI_Error_class(code, class, ierror)
        if (class == MPI_ERR_RMA_SYNC) handled = handled + 1
    end subroutine
end module

program windows
    USE_MPI
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    use :: check
    implicit none
    INCLUDE_MPI
    integer :: ierror, right, left

    call begin()
    right = mod(me + 1, ranks)
    left = mod(me + ranks - 1, ranks)
    call made_of_an_array()
    call with_requests()
    call allocated()
    call dynamic()
    call objects()
    call finish()
contains
    subroutine made_of_an_array()
        HANDLE(MPI_Win) :: win
        HANDLE(MPI_Group) :: group
        integer, PENDING :: memory(10), out(4), in(4), one, old, compare
        logical :: flag
        integer(kind=MPI_ADDRESS_KIND) :: bytes, disp
        memory = -1
        bytes = 40
        call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
        call expect("create", ierror, MPI_SUCCESS)
        out = [me, me + 10, me + 20, me + 30]
        disp = 3
        call MPI_Win_fence(MPI_MODE_NOPRECEDE, win, ierror)
        call MPI_Put(out, 4, MPI_INTEGER, right, disp, 4, MPI_INTEGER, win, ierror)
        call MPI_Win_fence(0, win, ierror)
        call expect("put", memory(4:7), [left, left + 10, left + 20, left + 30])
        call expect("around it", memory([1, 2, 3, 8, 9, 10]), [-1, -1, -1, -1, -1, -1])
        in = -1
        call MPI_Get(in, 4, MPI_INTEGER, right, disp, 4, MPI_INTEGER, win, ierror)
        call MPI_Win_fence(MPI_MODE_NOSUCCEED, win, ierror)
        call expect("get", in, out)
        call MPI_Win_get_group(win, group, ierror)
        call MPI_Win_post(group, 0, win, ierror)
        call MPI_Win_start(group, 0, win, ierror)
        call MPI_Accumulate(out, 4, MPI_INTEGER, right, disp, 4, MPI_INTEGER, MPI_SUM, win, ierror)
        call MPI_Win_complete(win, ierror)
        flag = .false.
        do while (.not. flag)
            call MPI_Win_test(win, flag, ierror)
        end do
        call expect("accumulate", memory(4:7), 2 * [left, left + 10, left + 20, left + 30])
        call MPI_Group_free(group, ierror)
        call MPI_Barrier(MPI_COMM_WORLD, ierror)
        call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, win, ierror)
        one = 5
        in = -1
        call MPI_Get_accumulate(out, 4, MPI_INTEGER, in, 4, MPI_INTEGER, right, disp, 4, MPI_INTEGER, MPI_REPLACE, win, ierror)
        call MPI_Win_flush(right, win, ierror)
        call expect("get_accumulate", in, 2 * out)
        call MPI_Fetch_and_op(one, old, MPI_INTEGER, right, disp, MPI_SUM, win, ierror)
        call MPI_Win_flush_local(right, win, ierror)
        call expect("fetch_and_op", old, me)
        compare = me + 5
        one = 1000
        call MPI_Compare_and_swap(one, compare, old, MPI_INTEGER, right, disp, win, ierror)
        call MPI_Win_unlock(right, win, ierror)
        call expect("compare_and_swap", old, me + 5)
        call MPI_Barrier(MPI_COMM_WORLD, ierror)
        call expect("after all", memory(4), 1000)
        call MPI_Win_free(win, ierror)
        call expect("no window", win == MPI_WIN_NULL)
    end subroutine

    subroutine with_requests()
        HANDLE(MPI_Win) :: win
        HANDLE(MPI_Request) :: request
        integer, PENDING :: memory(4), out(4), in(4)
        integer(kind=MPI_ADDRESS_KIND) :: bytes, disp
        memory = 0
        bytes = 16
        disp = 0
        out = me + [1, 2, 3, 4]
        call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
        call MPI_Win_lock_all(0, win, ierror)
        call MPI_Rput(out, 4, MPI_INTEGER, right, disp, 4, MPI_INTEGER, win, request, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        call MPI_Win_flush_all(win, ierror)
        call MPI_Raccumulate(out, 4, MPI_INTEGER, right, disp, 4, MPI_INTEGER, MPI_SUM, win, request, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        call MPI_Win_flush_local_all(win, ierror)
        in = -1
        call MPI_Rget_accumulate(out, 4, MPI_INTEGER, in, 4, MPI_INTEGER, right, disp, 4, MPI_INTEGER, MPI_NO_OP, win, &
            request, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        call expect("rget_accumulate", in, 2 * out)
        in = -1
        call MPI_Rget(in, 4, MPI_INTEGER, right, disp, 4, MPI_INTEGER, win, request, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        call expect("rget", in, 2 * out)
        call MPI_Win_sync(win, ierror)
        call MPI_Win_unlock_all(win, ierror)
        call MPI_Win_free(win, ierror)
    end subroutine

    subroutine allocated()
        HANDLE(MPI_Win) :: win
        HANDLE(MPI_Comm) :: node
        type(c_ptr) :: at
        integer, pointer :: memory(:)
        integer :: unit, nodes, mine
        integer(kind=MPI_ADDRESS_KIND) :: bytes, disp
        bytes = 40
        disp = 2
        call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, at, win, ierror)
        call c_f_pointer(at, memory, [10])
        memory = 0
        call MPI_Win_fence(0, win, ierror)
        call MPI_Put(me, 1, MPI_INTEGER, right, disp, 1, MPI_INTEGER, win, ierror)
        call MPI_Win_fence(0, win, ierror)
        call expect("allocate", memory(3), left)
        call MPI_Win_free(win, ierror)
        call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, node, ierror)
        call MPI_Comm_size(node, nodes, ierror)
        call MPI_Comm_rank(node, mine, ierror)
        call MPI_Win_allocate_shared(bytes, 4, MPI_INFO_NULL, node, at, win, ierror)
        call c_f_pointer(at, memory, [10])
        memory = 7 * mine
        call MPI_Win_fence(0, win, ierror)
        bytes = -1
        call MPI_Win_shared_query(win, mod(mine + 1, nodes), bytes, unit, at, ierror)
        call expect("shared_query", [int(bytes), unit], [40, 4])
        call c_f_pointer(at, memory, [10])
        call expect("shared memory", memory(10), 7 * mod(mine + 1, nodes))
        call MPI_Win_free(win, ierror)
        call MPI_Comm_free(node, ierror)
    end subroutine

    subroutine dynamic()
        HANDLE(MPI_Win) :: win
        integer, PENDING :: memory(5), out
        integer(kind=MPI_ADDRESS_KIND) :: mine, theirs, bytes
        memory = -1
        out = 100 + me
        bytes = 20
        call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
        call MPI_Win_attach(win, memory, bytes, ierror)
        call expect("attach", ierror, MPI_SUCCESS)
        call MPI_Get_address(memory(2), mine, ierror)
        call MPI_Sendrecv(mine, 1, MPI_AINT, left, 1, theirs, 1, MPI_AINT, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
        call MPI_Win_fence(0, win, ierror)
        call MPI_Put(out, 1, MPI_INTEGER, right, theirs, 1, MPI_INTEGER, win, ierror)
        call MPI_Win_fence(0, win, ierror)
        call expect("put", memory, [-1, 100 + left, -1, -1, -1])
        call MPI_Win_detach(win, memory, ierror)
        call expect("detach", ierror, MPI_SUCCESS)
        call MPI_Win_free(win, ierror)
    end subroutine

    subroutine objects()
        use :: callbacks
        HANDLE(MPI_Win) :: win
        HANDLE(MPI_Errhandler) :: handler
        HANDLE(MPI_Info) :: hints
        integer, PENDING :: memory(5)
        integer :: keyval, length
        logical :: flag
        character(len=MPI_MAX_OBJECT_NAME) :: name
        integer(kind=MPI_ADDRESS_KIND) :: value, address, bytes
        bytes = 20
        call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
        call MPI_Get_address(memory, address, ierror)
        call MPI_Win_get_attr(win, MPI_WIN_BASE, value, flag, ierror)
        call expect("MPI_WIN_BASE", flag .and. value == address)
        call MPI_Win_get_attr(win, MPI_WIN_SIZE, value, flag, ierror)
        call expect("MPI_WIN_SIZE", flag .and. value == 20)
        call MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, value, flag, ierror)
        call expect("MPI_WIN_DISP_UNIT", flag .and. value == 4)
        call MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, value, flag, ierror)
        call expect("MPI_WIN_CREATE_FLAVOR", flag .and. value == MPI_WIN_FLAVOR_CREATE)
        call MPI_Win_get_attr(win, MPI_WIN_MODEL, value, flag, ierror)
        call expect("MPI_WIN_MODEL", flag .and. value == MPI_WIN_UNIFIED)
        value = 1000
        call MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_it, keyval, value, ierror)
        value = 11
        call MPI_Win_set_attr(win, keyval, value, ierror)
        value = -1
        call MPI_Win_get_attr(win, keyval, value, flag, ierror)
        call expect("attribute", flag .and. value == 11)
        call MPI_Win_delete_attr(win, keyval, ierror)
        call MPI_Win_free_keyval(keyval, ierror)
        call expect("deleted", deleted, 1011)
        call MPI_Win_set_name(win, "halo", ierror)
        name = "?"
        call MPI_Win_get_name(win, name, length, ierror)
        call expect("name", name == "halo" .and. length == 4)
        call MPI_Win_get_info(win, hints, ierror)
        call MPI_Win_set_info(win, hints, ierror)
        call MPI_Info_free(hints, ierror)
        call MPI_Win_create_errhandler(handle_it, handler, ierror)
        call MPI_Win_set_errhandler(win, handler, ierror)
        call MPI_Win_complete(win, ierror)
        call MPI_Win_wait(win, ierror)
        call expect("handled", handled, 2)
        call MPI_Errhandler_free(handler, ierror)
        call MPI_Win_get_errhandler(win, handler, ierror)
        call MPI_Win_call_errhandler(win, MPI_ERR_RMA_SYNC, ierror)
        call expect("handled again", handled, 3)
        call MPI_Errhandler_free(handler, ierror)
        call MPI_Win_free(win, ierror)
    end subroutine
end program
