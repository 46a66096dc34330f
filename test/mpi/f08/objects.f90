! Communicators, groups, infos, names, attributes, error handlers, clocks and constants.
! np: 1 2 4
include "check.inc"

module callbacks
    use :: mpi_f08
    implicit none
    integer :: copies = 0, deletions = 0, errors = 0, last_error = 0
contains
    subroutine copy(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
        type(MPI_Comm) :: oldcomm
        integer :: comm_keyval, ierror
        integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
        logical :: flag
        copies = copies + 1
        attribute_val_out = attribute_val_in + extra_state
        flag = .true.
        ierror = MPI_SUCCESS
    end subroutine

    subroutine delete(comm, comm_keyval, attribute_val, extra_state, ierror)
        type(MPI_Comm) :: comm
        integer :: comm_keyval, ierror
        integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
        deletions = deletions + 1
        ierror = MPI_SUCCESS
    end subroutine

    subroutine copy_type(oldtype, type_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
        type(MPI_Datatype) :: oldtype
        integer :: type_keyval, ierror
        integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
        logical :: flag
        attribute_val_out = 0
        flag = attribute_val_in > extra_state
        if (flag) attribute_val_out = attribute_val_in * 2
        ierror = MPI_SUCCESS
    end subroutine

    subroutine on_error(comm, error_code)
        type(MPI_Comm) :: comm
        integer :: error_code
        errors = errors + 1
        last_error = error_code
    end subroutine
end module

program objects
    use :: check
    use :: callbacks
    use, intrinsic :: iso_c_binding, only: c_f_pointer, c_loc
    implicit none
    integer :: i

    call begin()
    call communicators()
    call attributes()
    call error_handlers()
    call infos()
    call environment()
    call finish()
contains
    subroutine communicators()
        type(MPI_Comm) :: half, dup
        type(MPI_Group) :: group, part
        integer :: rank, size, result, length, ranges(3, 1), there(1), error
        character(len=MPI_MAX_OBJECT_NAME) :: name
        call MPI_Comm_split(MPI_COMM_WORLD, mod(me, 2), -me, half)
        call MPI_Comm_rank(half, rank)
        call MPI_Comm_size(half, size)
        call expect("split", [size, rank], [(ranks + 1 - mod(me, 2)) / 2, (ranks - 1 - me) / 2])
        call MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, result)
        call expect("compare", result == MPI_IDENT)
        call MPI_Comm_dup(half, dup)
        call expect("handles differ", dup /= half .and. .not. dup == half .and. dup /= MPI_COMM_NULL)
        call MPI_Comm_set_name(dup, "the other half   ")
        call MPI_Comm_get_name(dup, name, length)
        call expect("a name", name == "the other half" .and. length == 14)
        call MPI_Comm_free(dup)
        call expect("free", dup == MPI_COMM_NULL)
        call MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN)
        dup = MPI_COMM_WORLD
        call MPI_Cart_create(half, 1, [ranks + 1], [.false.], .false., dup, error)
        call expect("a grid that is too large", error /= MPI_SUCCESS .and. dup == MPI_COMM_NULL)
        call MPI_Comm_free(half)
        call MPI_Comm_group(MPI_COMM_WORLD, group)
        ranges(:, 1) = [0, ranks - 1, 2]
        call MPI_Group_range_incl(group, 1, ranges, part)
        call MPI_Group_size(part, size)
        call expect("range_incl", size == (ranks + 1) / 2)
        call MPI_Group_translate_ranks(part, 1, [size - 1], group, there)
        call expect("translate_ranks", there, [2 * (size - 1)])
        call MPI_Group_free(part)
        call MPI_Group_free(group)
    end subroutine

    subroutine attributes()
        type(MPI_Comm) :: dup
        type(MPI_Datatype) :: type, other
        integer :: key, null_key, dup_key, copied, ierror
        integer(kind=MPI_ADDRESS_KIND) :: value
        logical :: flag
        call MPI_DUP_FN(MPI_COMM_SELF%MPI_VAL, 0, 0, 7, copied, flag, ierror)
        call expect("MPI_DUP_FN", flag .and. copied == 7)
        call MPI_NULL_COPY_FN(MPI_COMM_SELF%MPI_VAL, 0, 0, 7, copied, flag, ierror)
        call expect("MPI_NULL_COPY_FN", .not. flag)
        ierror = -1
        call MPI_NULL_DELETE_FN(MPI_COMM_SELF%MPI_VAL, 0, 7, 0, ierror)
        call expect("MPI_NULL_DELETE_FN", ierror == MPI_SUCCESS)
        call MPI_Comm_create_keyval(copy, delete, key, 1000_MPI_ADDRESS_KIND)
        call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, null_key, 0_MPI_ADDRESS_KIND)
        call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, dup_key, 0_MPI_ADDRESS_KIND)
        call MPI_Comm_dup(MPI_COMM_SELF, dup)
        call MPI_Comm_get_attr(dup, key, value, flag)
        call expect("no attribute", .not. flag)
        call MPI_Comm_set_attr(dup, key, -5_MPI_ADDRESS_KIND)
        call MPI_Comm_set_attr(dup, null_key, 6_MPI_ADDRESS_KIND)
        call MPI_Comm_set_attr(dup, dup_key, 2_MPI_ADDRESS_KIND**40)
        call MPI_Comm_get_attr(dup, key, value, flag)
        call expect("an attribute", flag .and. value == -5)
        call twice(dup, key, null_key, dup_key)
        call MPI_Comm_delete_attr(dup, key)
        call expect("calls", [copies, deletions], [1, 2])
        call MPI_Comm_free(dup)
        call MPI_Comm_free_keyval(key)
        call MPI_Comm_free_keyval(null_key)
        call MPI_Comm_free_keyval(dup_key)
        call expect("a freed key", key == MPI_KEYVAL_INVALID)
        call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag)
        call expect("MPI_TAG_UB", flag .and. value >= 32767)
        call MPI_Type_create_keyval(copy_type, MPI_TYPE_NULL_DELETE_FN, key, 10_MPI_ADDRESS_KIND)
        call MPI_Type_dup(MPI_INTEGER, type)
        call MPI_Type_set_attr(type, key, 21_MPI_ADDRESS_KIND)
        call MPI_Type_dup(type, other)
        call MPI_Type_get_attr(other, key, value, flag)
        call expect("a copied attribute of a type", flag .and. value == 42)
        call MPI_Type_free(type)
        call MPI_Type_free(other)
        call MPI_Type_free_keyval(key)
    end subroutine

    subroutine twice(comm, key, null_key, dup_key)
        type(MPI_Comm), intent(in) :: comm
        integer, intent(in) :: key, null_key, dup_key
        type(MPI_Comm) :: dup
        integer(kind=MPI_ADDRESS_KIND) :: value
        logical :: flag
        call MPI_Comm_dup(comm, dup)
        call MPI_Comm_get_attr(dup, key, value, flag)
        call expect("a copied attribute", flag .and. value == 995)
        call MPI_Comm_get_attr(dup, null_key, value, flag)
        call expect("one that is not copied", .not. flag)
        call MPI_Comm_get_attr(dup, dup_key, value, flag)
        call expect("one that is copied as it is", flag .and. value == 2_MPI_ADDRESS_KIND**40)
        call MPI_Comm_free(dup)
    end subroutine

    subroutine error_handlers()
        type(MPI_Comm) :: comm
        type(MPI_Errhandler) :: handler, found
        integer :: ierror, class, length, new_class, new_code, y(4)
        integer, target :: x(4)
        integer, pointer :: vast(:)
        character(len=MPI_MAX_ERROR_STRING) :: text
        type(MPI_Request) :: request
        call MPI_Comm_dup(MPI_COMM_SELF, comm)
        call MPI_Comm_create_errhandler(on_error, handler)
        call MPI_Comm_set_errhandler(comm, handler)
        call MPI_Comm_get_errhandler(comm, found)
        call expect("get_errhandler", found == handler)
        call MPI_Errhandler_free(found)
        call MPI_Errhandler_free(handler)
        call expect("a freed handler", handler == MPI_ERRHANDLER_NULL)
        x = me
        call MPI_Allreduce(x, y, -1, MPI_INTEGER, MPI_SUM, comm, ierror)
        call MPI_Error_class(ierror, class)
        call expect("an error", class == MPI_ERR_COUNT .and. errors == 1 .and. last_error == ierror)
        call MPI_Error_string(ierror, text, length)
        call expect("its words", length > 0 .and. text(length+1:) == "" .and. text(length:length) /= " ")
        call MPI_Iallreduce(x(1:4:2), y(1:4:2), -1, MPI_INTEGER, MPI_SUM, comm, request, ierror)
        call expect("an error with sections", ierror /= MPI_SUCCESS .and. errors == 2)
        ! No memory can hold a copy of this one, which nobody touches.
        call c_f_pointer(c_loc(x), vast, [2_MPI_COUNT_KIND**48])
        call MPI_Send(vast(::2), 0, MPI_INTEGER, MPI_PROC_NULL, 0, comm, ierror)
        call MPI_Error_class(ierror, class)
        call expect("a section that is too large", class == MPI_ERR_NO_MEM .and. errors == 3 .and. last_error == ierror)
        call MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER)
        call expect("called", errors == 4 .and. last_error == MPI_ERR_OTHER)
        call MPI_Add_error_class(new_class)
        call MPI_Add_error_code(new_class, new_code)
        call MPI_Add_error_string(new_code, "it rains")
        call MPI_Error_string(new_code, text, length)
        call expect("added words", text == "it rains" .and. length == 8)
        call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN)
        call MPI_Comm_free(comm)
    end subroutine

    subroutine infos()
        type(MPI_Info) :: info, dup
        character(len=20) :: value
        character(len=3) :: short
        character(len=MPI_MAX_INFO_KEY) :: key
        integer :: n
        logical :: flag
        call MPI_Info_create(info)
        call MPI_Info_set(info, "  colour ", "  deep blue  ")
        call MPI_Info_set(info, "size", "7")
        n = len(value)
        call MPI_Info_get_string(info, "colour", n, value, flag)
        call expect("get_string", flag .and. value == "deep blue" .and. n == 9)
        n = len(short)
        call MPI_Info_get_string(info, "colour", n, short, flag)
        call expect("a short get_string", flag .and. short == "dee" .and. n == 9)
        call MPI_Info_get(info, "size", len(value), value, flag)
        call expect("get", flag .and. value == "7")
        call MPI_Info_get(info, "weight", len(value), value, flag)
        call expect("get of what is not there", .not. flag)
        call MPI_Info_get_valuelen(info, "colour", n, flag)
        call expect("get_valuelen", flag .and. n == 9)
        call MPI_Info_get_nkeys(info, n)
        call expect("get_nkeys", n == 2)
        call MPI_Info_get_nthkey(info, 1, key)
        call expect("get_nthkey", key == "size" .or. key == "colour")
        call MPI_Info_dup(info, dup)
        call MPI_Info_delete(info, "size")
        call MPI_Info_get_nkeys(dup, n)
        call expect("dup", n == 2)
        call MPI_Info_free(info)
        call MPI_Info_free(dup)
        call expect("free", info == MPI_INFO_NULL)
    end subroutine

    subroutine environment()
        use, intrinsic :: iso_c_binding
        integer :: version, subversion, length, provided, size
        character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: text
        character(len=MPI_MAX_PROCESSOR_NAME) :: name
        double precision :: began
        logical :: flag
        type(c_ptr) :: memory
        integer(kind=MPI_ADDRESS_KIND) :: place
        integer, pointer :: numbers(:)
        integer, asynchronous :: room(1000)
        call MPI_Get_version(version, subversion)
        call expect("version", [version, subversion], [MPI_VERSION, MPI_SUBVERSION])
        call MPI_Get_library_version(text, length)
        call expect("library version", length > 0 .and. text(length+1:) == "")
        call MPI_Get_processor_name(name, length)
        call expect("processor name", length > 0 .and. name(length+1:) == "")
        began = MPI_Wtime()
        call expect("clock", MPI_Wtime() >= began .and. MPI_Wtick() > 0)
        call MPI_Initialized(flag)
        call expect("initialized", flag)
        call MPI_Finalized(flag)
        call expect("finalized", .not. flag)
        call MPI_Query_thread(provided)
        call expect("thread level", provided >= MPI_THREAD_SINGLE)
        call MPI_Alloc_mem(400_MPI_ADDRESS_KIND, MPI_INFO_NULL, memory)
        call c_f_pointer(memory, numbers, [100])
        numbers = me
        call expect("memory", sum(numbers) == 100 * me)
        call MPI_Free_mem(numbers)
        call MPI_Sizeof(1d0, size)
        call expect("sizeof DOUBLE PRECISION", size == 8)
        call MPI_Sizeof(room(1:10:2), size)
        call expect("sizeof INTEGER", size == 4)
        call MPI_Buffer_attach(room, 4000)
        call MPI_Bsend(me, 1, MPI_INTEGER, me, 1, MPI_COMM_WORLD)
        i = -1
        call MPI_Recv(i, 1, MPI_INTEGER, me, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        call expect("a buffered message", i == me)
        call MPI_Buffer_detach(memory, size)
        call MPI_Get_address(room, place)
        call expect("detach", size == 4000 .and. transfer(memory, place) == place)
        call expect("addresses", MPI_Aint_add(5_MPI_ADDRESS_KIND, 3_MPI_ADDRESS_KIND) == 8)
        call MPI_Pcontrol(1)
    end subroutine
end program
