! Sessions from Fortran: before and beside the world, with process sets, infos, error handlers, buffers, groups and
! communicators of both kinds.
!
! np: - 1 2 3 5 9
! only: treefold
#include "dialect.inc"

module handlers
    USE_MPI
    implicit none
    INCLUDE_MPI
    private
    public :: note, called, code_seen
    integer :: called = 0, code_seen = -1
contains
    subroutine note(session, error_code)
        HANDLE(MPI_Session) :: session
        integer :: error_code, ierror
        called = called + 1
        call MPI_Error_class(error_code, code_seen, ierror)
        if (session == MPI_SESSION_NULL) called = called + 100
    end subroutine
end module

program sessions
    USE_MPI
    use :: check
    use :: handlers
    implicit none
    INCLUDE_MPI
    integer :: ierror
    HANDLE(MPI_Session) :: session

    call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session, ierror)
    call expect("begins", ierror, MPI_SUCCESS)
    call sets()
    call errors()
    call alone()
    call whole("before")
    call begin()
    call whole("beside")
    call groups()
    call MPI_Session_finalize(session, ierror)
    call expect("ends", ierror, MPI_SUCCESS)
    call expect("is gone", session == MPI_SESSION_NULL)
    kept = 2 ! the lobby, by which processes find each other, and its group
    call finish()
contains
    subroutine sets()
        character(len=MPI_MAX_PSET_NAME_LEN) :: name
        character(len=20) :: text
        integer :: n, length, room, members
        logical :: flag
        HANDLE(MPI_Info) :: info
        HANDLE(MPI_Group) :: group
        n = -1
        call MPI_Session_get_num_psets(session, MPI_INFO_NULL, n, ierror)
        call expect("sets", n >= 2)
        length = 0
        name = "as it was"
        call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, length, name, ierror)
        call expect("the length of a name", length, 11)
        call expect("which was not wanted", name == "as it was")
        call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 1, length, name, ierror)
        call expect("the name", name == "mpi://SELF")
        call expect("its length", length, 10)
        length = 5
        call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, length, name, ierror)
        call expect("cut", name == "mpi:/")
        length = len(name)
        call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, length, name, ierror)
        call expect("no such set", ierror /= MPI_SUCCESS)
        call MPI_Session_get_pset_info(session, "mpi://SELF  ", info, ierror)
        room = len(text)
        text = ""
        call MPI_Info_get_string(info, "mpi_size", room, text, flag, ierror)
        call expect("of one process", flag .and. text == "1")
        call MPI_Info_free(info, ierror)
        call MPI_Session_get_info(session, info, ierror)
        room = len(text)
        call MPI_Info_get_string(info, "thread_level", room, text, flag, ierror)
        call expect("threads", flag .and. text == "MPI_THREAD_MULTIPLE")
        call MPI_Info_free(info, ierror)
        call MPI_Group_from_session_pset(session, "mpi://WORLD ", group, ierror)
        members = -1
        call MPI_Group_size(group, members, ierror)
        call expect("the world", members >= 1)
        call MPI_Group_free(group, ierror)
        call MPI_Group_from_session_pset(session, "mpi://NOWHERE", group, ierror)
        call expect("nowhere", ierror /= MPI_SUCCESS .and. group == MPI_GROUP_NULL)
    end subroutine

    subroutine errors()
        HANDLE(MPI_Errhandler) :: handler, got
        HANDLE(MPI_Session) :: second
        HANDLE(MPI_Group) :: group
        call MPI_Session_create_errhandler(note, handler, ierror)
        call expect("a handler", ierror, MPI_SUCCESS)
        call MPI_Session_init(MPI_INFO_NULL, handler, second, ierror)
        call MPI_Group_from_session_pset(second, "mpi://NOWHERE", group, ierror)
        call expect("called once", called, 1)
        call expect("with the class", code_seen, MPI_ERR_ARG)
        call MPI_Session_call_errhandler(second, MPI_ERR_OTHER, ierror)
        call expect("called twice", called, 2)
        call expect("with that class", code_seen, MPI_ERR_OTHER)
        call MPI_Session_get_errhandler(second, got, ierror)
        call expect("the same", got == handler)
        call MPI_Errhandler_free(got, ierror)
        call MPI_Session_set_errhandler(second, MPI_ERRORS_RETURN, ierror)
        call MPI_Group_from_session_pset(second, "mpi://NOWHERE", group, ierror)
        call expect("no longer", called, 2)
        call MPI_Errhandler_free(handler, ierror)
        call MPI_Session_finalize(second, ierror)
    end subroutine

    subroutine alone()
        HANDLE(MPI_Group) :: group
        HANDLE(MPI_Comm) :: comm
        HANDLE(MPI_Request) :: request
        STATUS(status)
        integer :: room(1000), given, received, length
        call MPI_Group_from_session_pset(session, "mpi://SELF", group, ierror)
        call MPI_Comm_create_from_group(group, "alone", MPI_INFO_NULL, MPI_ERRORS_RETURN, comm, ierror)
        call expect("a communicator", ierror, MPI_SUCCESS)
        call MPI_Group_free(group, ierror)
        call MPI_Session_attach_buffer(session, room, 4000, ierror)
        given = 4711
        received = -1
        call MPI_Bsend(given, 1, MPI_INTEGER, 0, 3, comm, ierror)
        call expect("buffered", ierror, MPI_SUCCESS)
        call MPI_Session_iflush_buffer(session, request, ierror)
        call MPI_Recv(received, 1, MPI_INTEGER, 0, 3, comm, status, ierror)
        call expect("and received", received, 4711)
        call MPI_Wait(request, status, ierror)
        call MPI_Session_flush_buffer(session, ierror)
        length = -1
        call detach(length)
        call expect("detached", length, 4000)
        call MPI_Comm_free(comm, ierror)
    end subroutine

    subroutine detach(length)
#if DIALECT == 8
        use, intrinsic :: iso_c_binding, only: c_ptr
        type(c_ptr) :: address
#else
        integer(kind=MPI_ADDRESS_KIND) :: address
#endif
        integer, intent(inout) :: length
        call MPI_Session_detach_buffer(session, address, length, ierror)
    end subroutine

    subroutine whole(tag)
        character(len=*), intent(in) :: tag
        HANDLE(MPI_Group) :: group
        HANDLE(MPI_Comm) :: comm
        integer :: members, rank, total
        call MPI_Group_from_session_pset(session, "mpi://WORLD", group, ierror)
        call MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, comm, ierror)
        call expect(tag, ierror, MPI_SUCCESS)
        call MPI_Group_size(group, members, ierror)
        call MPI_Group_free(group, ierror)
        call MPI_Comm_rank(comm, rank, ierror)
        total = -1
        call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, comm, ierror)
        call expect("the ranks", total, members * (members - 1) / 2)
        call MPI_Comm_free(comm, ierror)
    end subroutine

    ! The first process against all others.
    subroutine groups()
        HANDLE(MPI_Group) :: all, low, high
        HANDLE(MPI_Comm) :: comm
        integer :: remote
        if (ranks < 2) return
        call MPI_Group_from_session_pset(session, "mpi://WORLD", all, ierror)
        call MPI_Group_incl(all, 1, [0], low, ierror)
        call MPI_Group_excl(all, 1, [0], high, ierror)
        if (me == 0) then
            call MPI_Intercomm_create_from_groups(low, 0, high, 0, "groups", MPI_INFO_NULL, MPI_ERRORS_RETURN, comm, ierror)
        else
            call MPI_Intercomm_create_from_groups(high, 0, low, 0, "groups", MPI_INFO_NULL, MPI_ERRORS_RETURN, comm, ierror)
        end if
        call expect("between groups", ierror, MPI_SUCCESS)
        remote = -1
        call MPI_Comm_remote_size(comm, remote, ierror)
        call expect("the others", remote, merge(ranks - 1, 1, me == 0))
        call MPI_Comm_free(comm, ierror)
        call MPI_Group_free(all, ierror)
        call MPI_Group_free(low, ierror)
        call MPI_Group_free(high, ierror)
    end subroutine
end program
