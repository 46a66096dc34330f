! removed.f90 - use mpi: the interfaces of what MPI-3.0 removed, by keyword.
!
! np: 1
! only: treefold
! with: check.f90
module handler
    implicit none
    integer :: calls = 0
contains
    subroutine on_error(comm, code)
        integer :: comm, code
        if (comm /= code) calls = calls + 1
    end subroutine
end module

program main
    use checks
    use handler
    implicit none
    integer :: numbers(4), places(2), type, next, lb, ub, extent, errhandler, found

    call check_start()
    call MPI_Address(location=numbers(1), address=places(1), ierror=ierror)
    call PMPI_Address(location=numbers(3), address=places(2), ierror=ierror)
    call check(places(2) - places(1) == 8, "a difference of addresses")
    call MPI_Type_hvector(count=2, blocklength=1, stride=8, oldtype=MPI_INTEGER, newtype=type, ierror=ierror)
    call MPI_Type_extent(datatype=type, extent=extent, ierror=ierror)
    call check(extent == 12, "hvector")
    call MPI_Type_struct(count=2, array_of_blocklengths=[1, 1], array_of_displacements=[0, 4], &
                         array_of_types=[type, MPI_UB], newtype=next, ierror=ierror)
    call MPI_Type_lb(datatype=next, displacement=lb, ierror=ierror)
    call MPI_Type_ub(datatype=next, displacement=ub, ierror=ierror)
    call check(lb == 0 .and. ub == 4, "struct")
    call MPI_Type_free(next, ierror)
    call PMPI_Type_hindexed(count=1, array_of_blocklengths=[2], array_of_displacements=[-4], oldtype=type, newtype=next, &
                            ierror=ierror)
    call PMPI_Type_lb(next, lb, ierror)
    call check(lb == -4, "hindexed")
    call MPI_Type_free(next, ierror)
    call MPI_Type_free(type, ierror)
    call MPI_Errhandler_create(function=on_error, errhandler=errhandler, ierror=ierror)
    call MPI_Errhandler_set(comm=MPI_COMM_SELF, errhandler=errhandler, ierror=ierror)
    call MPI_Errhandler_get(comm=MPI_COMM_SELF, errhandler=found, ierror=ierror)
    call MPI_Send(numbers, -1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, ierror)
    call check(found == errhandler .and. calls == 1, "error handlers")
    call MPI_Errhandler_free(found, ierror)
    call MPI_Errhandler_free(errhandler, ierror)
    call check_end()
end program
