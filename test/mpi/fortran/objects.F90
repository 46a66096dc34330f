! Requests and statuses, attributes, error handlers and generalized requests with functions of the program, cached and
! compared handles, datatypes by precision.
!
! np: 1 2 3 4
! wrong: mpich (4.0: indices from 0 in mpi_f08, MPI_UNDEFINED plus 1 in the others)
#include "dialect.inc"

module functions
    USE_MPI
    implicit none
    INCLUDE_MPI
    private
    public :: copy, delete, on_error, query, release, cancel, copies, deletions, errors, last_error, freed, cancelled, &
        last_comm, count_query, count_free, count_cancel
    integer :: copies = 0, deletions = 0, errors = 0, last_error = 0, freed = 0, cancelled = 0
    HANDLE(MPI_Comm) :: last_comm
contains
    subroutine copy(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
        HANDLE(MPI_Comm) :: oldcomm
        integer :: comm_keyval, ierror
        integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
        logical :: flag
        copies = copies + 1
        last_comm = oldcomm
        attribute_val_out = attribute_val_in + extra_state
        flag = comm_keyval /= MPI_KEYVAL_INVALID
        ierror = MPI_SUCCESS
    end subroutine

    subroutine delete(comm, comm_keyval, attribute_val, extra_state, ierror)
        HANDLE(MPI_Comm) :: comm
        integer :: comm_keyval, ierror
        integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
        if (comm_keyval /= MPI_KEYVAL_INVALID .and. attribute_val /= extra_state) deletions = deletions + 1
        last_comm = comm
        ierror = MPI_SUCCESS
    end subroutine

    subroutine on_error(comm, error_code)
        HANDLE(MPI_Comm) :: comm
        integer :: error_code
        errors = errors + 1
        last_comm = comm
        last_error = error_code
    end subroutine

    subroutine query(extra_state, status, ierror)
        integer(kind=MPI_ADDRESS_KIND) :: extra_state
        STATUS(status)
        integer :: ierror
        call MPI_Status_set_elements(status, MPI_INTEGER, int(extra_state), ierror)
        call MPI_Status_set_cancelled(status, cancelled > 0, ierror)
        SOURCE_OF(status) = 5
        TAG_OF(status) = 6
    end subroutine

    subroutine release(extra_state, ierror)
        integer(kind=MPI_ADDRESS_KIND) :: extra_state
        integer :: ierror
        freed = freed + int(extra_state)
        ierror = MPI_SUCCESS
    end subroutine

    subroutine cancel(extra_state, complete, ierror)
        integer(kind=MPI_ADDRESS_KIND) :: extra_state
        logical :: complete
        integer :: ierror
        if (.not. complete) cancelled = cancelled + int(extra_state)
        ierror = MPI_SUCCESS
    end subroutine

    ! Those of a program that counts in the variable that it gave to MPI_Grequest_start.
    subroutine count_query(extra_state, status, ierror)
        integer(kind=MPI_ADDRESS_KIND) :: extra_state
        STATUS(status)
        integer :: ierror
        extra_state = extra_state + 1
        call MPI_Status_set_elements(status, MPI_INTEGER, 0, ierror)
        call MPI_Status_set_cancelled(status, .false., ierror)
    end subroutine

    subroutine count_free(extra_state, ierror)
        integer(kind=MPI_ADDRESS_KIND) :: extra_state
        integer :: ierror
        extra_state = extra_state + 100
        ierror = MPI_SUCCESS
    end subroutine

    subroutine count_cancel(extra_state, complete, ierror)
        integer(kind=MPI_ADDRESS_KIND) :: extra_state
        logical :: complete
        integer :: ierror
        if (.not. complete) extra_state = extra_state + 10
        ierror = MPI_SUCCESS
    end subroutine
end module

program objects
    USE_MPI
    use, intrinsic :: iso_c_binding, only: c_ptr
    use :: check
    use :: functions
    implicit none
    INCLUDE_MPI
    integer :: ierror, left, right

    call begin()
    right = mod(me + 1, ranks)
    left = mod(me + ranks - 1, ranks)
    call requests()
    call persistent()
    call probes()
    call attributes()
    call attributes_of_types()
    call error_handlers()
    call generalized()
    call shared_state()
    call precision()
    call finish()
contains
    ! Twelve messages around the ring, completed in every way.
    subroutine requests()
        integer, parameter :: n = 6
        integer, PENDING :: got(n), given(n)
        integer :: way, i, k, index, outcount, done, indices(2 * n), seen(2 * n), number
        HANDLE(MPI_Request) :: list(2 * n)
        STATUS(status)
        STATUSES(many, 2 * n)
        logical :: flag
        do way = 1, 7
            got = -1
            seen = 0
            do i = 1, n
                call MPI_Irecv(got(i), 1, MPI_INTEGER, left, i, MPI_COMM_WORLD, list(i), ierror)
            end do
            do i = 1, n
                given(i) = 1000 * way + 10 * me + i
                call MPI_Isend(given(i), 1, MPI_INTEGER, right, i, MPI_COMM_WORLD, list(n + i), ierror)
            end do
            flag = .false.
            done = 0
            do while (done < 2 * n)
                select case (way)
                case (1)
                    call MPI_Waitall(2 * n, list, many, ierror)
                    indices = [(k, k = 1, 2 * n)]
                    outcount = 2 * n
                case (2)
                    call MPI_Testall(2 * n, list, flag, many, ierror)
                    indices = [(k, k = 1, 2 * n)]
                    outcount = merge(2 * n, 0, flag)
                case (3)
                    call MPI_Waitsome(2 * n, list, outcount, indices, many, ierror)
                case (4)
                    call MPI_Testsome(2 * n, list, outcount, indices, many, ierror)
                case (5)
                    call MPI_Waitany(2 * n, list, index, status, ierror)
                    indices(1) = index
                    NTH(many, 1) = status
                    outcount = 1
                case (6)
                    call MPI_Testany(2 * n, list, index, flag, status, ierror)
                    if (.not. flag) call expect("no index", index, MPI_UNDEFINED)
                    indices(1) = index
                    NTH(many, 1) = status
                    outcount = merge(1, 0, flag)
                case (7)
                    call MPI_Waitall(2 * n, list, MPI_STATUSES_IGNORE, ierror)
                    seen = 1
                    outcount = 0
                    done = 2 * n
                end select
                do k = 1, outcount
                    seen(indices(k)) = seen(indices(k)) + 1
                    if (indices(k) > n) cycle
                    status = NTH(many, k)
                    call expect("a status", [SOURCE_OF(status), TAG_OF(status)], [left, indices(k)])
                    call MPI_Get_count(status, MPI_INTEGER, number, ierror)
                    call expect("a count", number, 1)
                end do
                done = done + outcount
            end do
            call expect("each once", seen, [(1, i = 1, 2 * n)])
            call expect("received", got, [(1000 * way + 10 * left + i, i = 1, n)])
            call expect("null afterwards", all([(list(i) == MPI_REQUEST_NULL, i = 1, 2 * n)]))
        end do
        call MPI_Waitany(2 * n, list, index, MPI_STATUS_IGNORE, ierror)
        call expect("waitany of nothing", index, MPI_UNDEFINED)
        call MPI_Waitsome(2 * n, list, outcount, indices, MPI_STATUSES_IGNORE, ierror)
        call expect("waitsome of nothing", outcount, MPI_UNDEFINED)
        call MPI_Irecv(got, 1, MPI_INTEGER, left, 99, MPI_COMM_WORLD, list(1), ierror)
        call MPI_Cancel(list(1), ierror)
        call MPI_Wait(list(1), status, ierror)
        call MPI_Test_cancelled(status, flag, ierror)
        call expect("cancelled", flag)
    end subroutine

    ! Each send mode prepared, and started three times.
    subroutine persistent()
        integer, PENDING :: got(4), given
        character, PENDING :: room(4000)
#if DIALECT == 8
        type(c_ptr) :: address
#endif
        HANDLE(MPI_Request) :: list(8)
        integer :: i, turn
        call MPI_Buffer_attach(room, size(room), ierror)
        do i = 1, 4
            call MPI_Recv_init(got(i), 1, MPI_INTEGER, left, i, MPI_COMM_WORLD, list(i), ierror)
        end do
        call MPI_Send_init(given, 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD, list(5), ierror)
        call MPI_Bsend_init(given, 1, MPI_INTEGER, right, 2, MPI_COMM_WORLD, list(6), ierror)
        call MPI_Ssend_init(given, 1, MPI_INTEGER, right, 3, MPI_COMM_WORLD, list(7), ierror)
        call MPI_Rsend_init(given, 1, MPI_INTEGER, right, 4, MPI_COMM_WORLD, list(8), ierror)
        do turn = 1, 3
            got = -1
            given = 100 * turn + me
            call MPI_Startall(4, list, ierror)
            call MPI_Barrier(MPI_COMM_WORLD, ierror)
            call MPI_Startall(4, list(5:8), ierror)
            call MPI_Waitall(8, list, MPI_STATUSES_IGNORE, ierror)
            call expect("persistent", got, [(100 * turn + left, i = 1, 4)])
        end do
        do i = 1, 8
            call MPI_Request_free(list(i), ierror)
        end do
        call expect("freed", list(1) == MPI_REQUEST_NULL)
#if DIALECT == 8
        call MPI_Buffer_detach(address, i, ierror)
#else
        call MPI_Buffer_detach(room, i, ierror)
#endif
        call expect("detached", i, size(room))
    end subroutine

    subroutine probes()
        integer, PENDING :: given(3)
        integer :: got(3), number
        HANDLE(MPI_Message) :: message
        HANDLE(MPI_Request) :: request
        STATUS(status)
        logical :: flag
        given = [me, 2 * me, 7]
        call MPI_Isend(given, 3, MPI_INTEGER, right, 9, MPI_COMM_WORLD, request, ierror)
        call MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierror)
        call MPI_Get_count(status, MPI_INTEGER, number, ierror)
        call expect("probe", [SOURCE_OF(status), TAG_OF(status), number], [left, 9, 3])
        call MPI_Iprobe(left, 10, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, ierror)
        call expect("iprobe of what is not there", .not. flag)
        call MPI_Mprobe(left, 9, MPI_COMM_WORLD, message, status, ierror)
        call MPI_Mrecv(got, 3, MPI_INTEGER, message, status, ierror)
        call expect("mrecv", got, [left, 2 * left, 7])
        call expect("no message is left", message == MPI_MESSAGE_NULL)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        got = -1
        call MPI_Sendrecv(me, 1, MPI_INTEGER, right, 1, got, 3, MPI_INTEGER, left, 1, MPI_COMM_WORLD, status, ierror)
        call expect("sendrecv", got, [left, -1, -1])
        call MPI_Sendrecv_replace(got, 1, MPI_INTEGER, left, 2, right, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
        call expect("and back", got(1), me)
    end subroutine

    subroutine attributes()
        HANDLE(MPI_Comm) :: comm, dup
        integer :: key, dup_key, null_key
        integer(kind=MPI_ADDRESS_KIND), parameter :: far = 2_MPI_ADDRESS_KIND**40
        integer(kind=MPI_ADDRESS_KIND) :: value
        logical :: flag
        call MPI_Comm_create_keyval(copy, delete, key, 1000_MPI_ADDRESS_KIND, ierror)
        call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, dup_key, 0_MPI_ADDRESS_KIND, ierror)
        call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, null_key, 0_MPI_ADDRESS_KIND, ierror)
        call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
        call MPI_Comm_get_attr(comm, key, value, flag, ierror)
        call expect("no attribute", .not. flag)
        call MPI_Comm_set_attr(comm, key, -5 - far, ierror)
        call MPI_Comm_set_attr(comm, dup_key, far + 1, ierror)
        call MPI_Comm_set_attr(comm, null_key, far, ierror)
        call MPI_Comm_get_attr(comm, key, value, flag, ierror)
        call expect("an attribute", flag .and. value == -5 - far)
        call MPI_Comm_dup(comm, dup, ierror)
        call expect("copied from", last_comm == comm)
        call MPI_Comm_get_attr(dup, key, value, flag, ierror)
        call expect("a copied attribute", flag .and. value == 995 - far)
        call MPI_Comm_get_attr(dup, dup_key, value, flag, ierror)
        call expect("one copied as it is", flag .and. value == far + 1)
        call MPI_Comm_get_attr(dup, null_key, value, flag, ierror)
        call expect("one that is not copied", .not. flag)
        call MPI_Comm_delete_attr(dup, key, ierror)
        call expect("deleted of", last_comm == dup)
        call MPI_Comm_free(dup, ierror)
        call MPI_Comm_set_attr(comm, key, 3_MPI_ADDRESS_KIND, ierror)
        call MPI_Comm_free(comm, ierror)
        call expect("copies and deletions", [copies, deletions], [1, 3])
        call MPI_Comm_free_keyval(key, ierror)
        call MPI_Comm_free_keyval(dup_key, ierror)
        call MPI_Comm_free_keyval(null_key, ierror)
        call expect("no key", key, MPI_KEYVAL_INVALID)
        call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierror)
        call expect("MPI_TAG_UB", flag .and. value >= 32767)
    end subroutine

    subroutine attributes_of_types()
        HANDLE(MPI_Datatype) :: one, other
        integer :: key
        integer(kind=MPI_ADDRESS_KIND) :: value
        logical :: flag
        call MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND, ierror)
        call MPI_Type_contiguous(3, MPI_REAL, one, ierror)
        call MPI_Type_set_attr(one, key, 77_MPI_ADDRESS_KIND, ierror)
        call MPI_Type_dup(one, other, ierror)
        call MPI_Type_get_attr(other, key, value, flag, ierror)
        call expect("an attribute of a copied type", flag .and. value == 77)
        call MPI_Type_delete_attr(other, key, ierror)
        call MPI_Type_get_attr(other, key, value, flag, ierror)
        call expect("which is gone", .not. flag)
        call MPI_Type_free(one, ierror)
        call MPI_Type_free(other, ierror)
        call MPI_Type_free_keyval(key, ierror)
    end subroutine

    subroutine error_handlers()
        HANDLE(MPI_Comm) :: comm
        HANDLE(MPI_Errhandler) :: handler, found
        integer :: class, code, length, code_class
        character(len=MPI_MAX_ERROR_STRING) :: text
        call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
        call MPI_Comm_create_errhandler(on_error, handler, ierror)
        call MPI_Comm_set_errhandler(comm, handler, ierror)
        call MPI_Comm_get_errhandler(comm, found, ierror)
        call expect("get_errhandler", found == handler)
        call MPI_Errhandler_free(found, ierror)
        call MPI_Errhandler_free(handler, ierror)
        call expect("no handler", handler == MPI_ERRHANDLER_NULL)
        call MPI_Send(me, -1, MPI_INTEGER, right, 0, comm, code)
        call MPI_Error_class(code, class, ierror)
        call expect("an error", [class, errors, last_error], [MPI_ERR_COUNT, 1, code])
        call expect("its communicator", last_comm == comm)
        call MPI_Error_string(code, text, length, ierror)
        call expect("its words", length > 0 .and. text(length + 1:) == " ")
        call MPI_Comm_call_errhandler(comm, MPI_ERR_TAG, ierror)
        call expect("called", [errors, last_error], [2, MPI_ERR_TAG])
        call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN, ierror)
        call MPI_Send(me, 1, MPI_INTEGER, ranks, 0, comm, code)
        call MPI_Error_class(code, class, ierror)
        call expect("returned", [class, errors], [MPI_ERR_RANK, 2])
        call MPI_Add_error_class(class, ierror)
        call MPI_Add_error_code(class, code, ierror)
        call MPI_Add_error_string(code, "it rains   ", ierror)
        call MPI_Error_string(code, text, length, ierror)
        call MPI_Error_class(code, code_class, ierror)
        call expect("added words", text == "it rains" .and. length == 8 .and. code_class == class)
        call MPI_Comm_free(comm, ierror)
    end subroutine

    subroutine generalized()
        HANDLE(MPI_Request) :: request
        STATUS(status)
        integer :: number
        logical :: flag
        call MPI_Grequest_start(query, release, cancel, 3_MPI_ADDRESS_KIND, request, ierror)
        call MPI_Test(request, flag, status, ierror)
        call expect("not yet", .not. flag)
        call MPI_Cancel(request, ierror)
        call expect("cancel was called", cancelled, 3)
        call MPI_Grequest_complete(request, ierror)
        call MPI_Wait(request, status, ierror)
        call MPI_Get_elements(status, MPI_INTEGER, number, ierror)
        call expect("its status", [SOURCE_OF(status), TAG_OF(status), number, freed], [5, 6, 3, 3])
        call MPI_Test_cancelled(status, flag, ierror)
        call expect("says cancelled", flag)
    end subroutine

    ! The functions get the variable of the caller.
    subroutine shared_state()
        HANDLE(MPI_Request) :: request
        STATUS(status)
        integer(kind=MPI_ADDRESS_KIND), target :: state
        state = 1000
        call MPI_Grequest_start(count_query, count_free, count_cancel, state, request, ierror)
        call MPI_Cancel(request, ierror)
        call expect("cancel_fn changes extra_state", int(state), 1010)
        state = state + 5000
        call MPI_Grequest_complete(request, ierror)
        call MPI_Wait(request, status, ierror)
        call expect("query_fn and free_fn change what the caller has set", int(state), 6111)
    end subroutine

    ! Numbers of a precision, whatever kind that is.
    subroutine precision()
        integer, parameter :: r = selected_real_kind(12, 200), k = selected_int_kind(15)
        real(r) :: x, sum_x
        complex(r) :: z, sum_z
        integer(k) :: i, sum_i
        HANDLE(MPI_Datatype) :: of_x, of_z, of_i, matched
        integer :: bytes
        x = me + 0.5_r
        z = cmplx(me, -2 * me, r)
        i = me * 10_k**12
        call MPI_Type_create_f90_real(12, 200, of_x, ierror)
        call MPI_Type_create_f90_complex(12, 200, of_z, ierror)
        call MPI_Type_create_f90_integer(15, of_i, ierror)
        call MPI_Allreduce(x, sum_x, 1, of_x, MPI_SUM, MPI_COMM_WORLD, ierror)
        call MPI_Allreduce(z, sum_z, 1, of_z, MPI_SUM, MPI_COMM_WORLD, ierror)
        call MPI_Allreduce(i, sum_i, 1, of_i, MPI_SUM, MPI_COMM_WORLD, ierror)
        bytes = ranks * (ranks - 1) / 2
        call expect("by precision", sum_x == bytes + ranks / 2.0_r .and. sum_z == cmplx(bytes, -2 * bytes, r) .and. &
            sum_i == bytes * 10_k**12)
        call MPI_Type_size(of_z, bytes, ierror)
        call expect("its size", bytes, storage_size(z) / 8)
        call MPI_Type_match_size(MPI_TYPECLASS_REAL, storage_size(x) / 8, matched, ierror)
        call MPI_Type_size(matched, bytes, ierror)
        call expect("a matching type", bytes, storage_size(x) / 8)
    end subroutine
end program
