! MPIX_Comm_revoke and the others from Fortran.
!
! np: 1 2 3
! only: treefold
#include "dialect.inc"

program survive
    USE_MPI
    use :: check
    implicit none
    INCLUDE_MPI
    integer :: ierror, n, place
    integer, PENDING :: bits
    logical :: revoked
    HANDLE(MPI_Comm) :: comm, shrunk
    HANDLE(MPI_Group) :: dead
    HANDLE(MPI_Request) :: request

    call begin()
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
    call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN, ierror)
    bits = 12 + mod(me, 4)
    call MPIX_Comm_agree(comm, bits, ierror)
    call expect("agrees", ierror, MPI_SUCCESS)
    call expect("bits of all", bits, 12)
    bits = 7
    call MPIX_Comm_iagree(comm, bits, request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call expect("the same bits", bits, 7)
    revoked = .true.
    call MPIX_Comm_is_revoked(comm, revoked, ierror)
    call expect("whole", .not. revoked)
    bits = 1
    call MPIX_Comm_agree(comm, bits, ierror)
    call MPIX_Comm_revoke(comm, ierror)
    call expect("revokes", ierror, MPI_SUCCESS)
    call MPIX_Comm_is_revoked(comm, revoked, ierror)
    call expect("revoked", revoked)
    call MPI_Barrier(comm, ierror)
    call expect("no barrier", ierror, MPIX_ERR_REVOKED)
    call MPIX_Comm_get_failed(comm, dead, ierror)
    call expect("nobody has died", dead == MPI_GROUP_EMPTY)
    n = -1
    call MPIX_Comm_ack_failed(comm, 3, n, ierror)
    call expect("nothing to acknowledge", n, 0)
    call MPIX_Comm_failure_ack(comm, ierror)
    call MPIX_Comm_failure_get_acked(comm, dead, ierror)
    call expect("nobody was acknowledged", dead == MPI_GROUP_EMPTY)
    call MPIX_Comm_shrink(comm, shrunk, ierror)
    call expect("shrinks", ierror, MPI_SUCCESS)
    call MPI_Comm_free(comm, ierror)
    call MPIX_Comm_ishrink(shrunk, comm, request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call MPI_Comm_size(comm, n, ierror)
    call expect("all of them", n, ranks)
    call MPI_Comm_rank(comm, place, ierror)
    call expect("in the same order", place, me)
    call MPI_Barrier(comm, ierror)
    call expect("meets", ierror, MPI_SUCCESS)
    call MPI_Comm_free(comm, ierror)
    call MPI_Comm_free(shrunk, ierror)
    call finish()
end program
