! A profiling tool in Fortran replaces specific procedures of mpi_f08 and calls their PMPI forms: with a choice buffer,
! without one, with a large count.
! np: 1 2
include "check.inc"

module counted
    implicit none
    integer :: calls = 0
end module

subroutine MPI_Allreduce_f08ts(sendbuf, recvbuf, count, datatype, op, comm, ierror)
    use :: mpi_f08, only: MPI_Datatype, MPI_Op, MPI_Comm, PMPI_Allreduce
    use :: counted
    implicit none
    type(*), dimension(..), intent(in) :: sendbuf
    type(*), dimension(..) :: recvbuf
    integer, intent(in) :: count
    type(MPI_Datatype), intent(in) :: datatype
    type(MPI_Op), intent(in) :: op
    type(MPI_Comm), intent(in) :: comm
    integer, optional, intent(out) :: ierror
    calls = calls + 1
    call PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm, ierror)
end subroutine

subroutine MPI_Bcast_c_f08ts(buffer, count, datatype, root, comm, ierror)
    use :: mpi_f08, only: MPI_Datatype, MPI_Comm, MPI_COUNT_KIND, PMPI_Bcast
    use :: counted
    implicit none
    type(*), dimension(..) :: buffer
    integer(kind=MPI_COUNT_KIND), intent(in) :: count
    type(MPI_Datatype), intent(in) :: datatype
    integer, intent(in) :: root
    type(MPI_Comm), intent(in) :: comm
    integer, optional, intent(out) :: ierror
    calls = calls + 10
    call PMPI_Bcast(buffer, count, datatype, root, comm, ierror)
end subroutine

subroutine MPI_Comm_size_f08(comm, size, ierror)
    use :: mpi_f08, only: MPI_Comm, PMPI_Comm_size
    use :: counted
    implicit none
    type(MPI_Comm), intent(in) :: comm
    integer, intent(out) :: size
    integer, optional, intent(out) :: ierror
    calls = calls + 100
    call PMPI_Comm_size(comm, size, ierror)
end subroutine

program profile
    use :: check
    use :: counted
    implicit none
    integer :: x(6), y(6), size, ierror

    call begin()
    calls = 0
    x = me + 1
    y = 0
    call MPI_Allreduce(x(1:6:2), y(6:1:-2), 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call expect("a section passes the tool", y, [0, 1, 0, 1, 0, 1] * (ranks * (ranks + 1) / 2))
    call MPI_Allreduce(MPI_IN_PLACE, y, 6, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierror)
    call expect("in place passes the tool", y, [0, 1, 0, 1, 0, 1] * (ranks * (ranks + 1) / 2))
    call expect("ierror was set", ierror == MPI_SUCCESS)
    call MPI_Bcast(x, 6_MPI_COUNT_KIND, MPI_INTEGER, 0, MPI_COMM_WORLD)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    call expect("the results", [size, x(6)], [ranks, 1])
    call expect("the tool's count", calls == 112)
    call finish()
end program
