! interfaces.f90 - use mpi: what only a module can have: keywords, MPI_Sizeof, TYPE(C_PTR), constants' kinds, PMPI names.
!
! np: 1 2
! with: check.f90
program main
    use checks
    use, intrinsic :: iso_c_binding
    implicit none
    integer :: bytes, i
    integer(1) :: i1
    integer :: status(MPI_STATUS_SIZE)
    type(MPI_Status) :: f08_status
    type(MPI_Comm) :: communicator
    type(MPI_Datatype) :: double_precision
    integer(8) :: i8(3, 3)
    real(16) :: r16
    complex(8) :: z8(2)
    logical(2) :: l2
    type(c_ptr) :: pointer
    integer(MPI_ADDRESS_KIND), save :: address
    integer(MPI_COUNT_KIND) :: many
    real, pointer :: array(:)
    real(8) :: number
    logical :: yes, no, known, flag
    character(16) :: value

    call check_start()
    call MPI_Sizeof(i1, bytes, ierror)
    call check(bytes == 1, "integer(1)")
    call MPI_Sizeof(i8, bytes, ierror)
    call check(bytes == 8, "a matrix of integer(8)")
    call MPI_Sizeof(1.0, bytes, ierror)
    call check(bytes == 4, "real")
    call MPI_Sizeof(1.0d0, bytes, ierror)
    call check(bytes == 8, "double precision")
    call MPI_Sizeof(r16, bytes, ierror)
    call check(bytes == 16, "real(16)")
    call MPI_Sizeof(z8, bytes, ierror)
    call check(bytes == 16, "complex(8)")
    call MPI_Sizeof(l2, bytes, ierror)
    call check(bytes == 2, "logical(2)")
    call PMPI_Sizeof(x=i, size=bytes, ierror=ierror)
    call check(bytes == 4, "integer")

    call MPI_Alloc_mem(40_MPI_ADDRESS_KIND, MPI_INFO_NULL, pointer, ierror)
    call check(c_associated(pointer), "alloc_mem of a C_PTR")
    call c_f_pointer(pointer, array, [10])
    array = 1.5
    call MPI_Allreduce(MPI_IN_PLACE, array, 10, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, ierror)
    call check(all(array == 1.5*size), "allreduce of it")
    call MPI_Get_address(array(1), address, ierror)
    call check(address == transfer(pointer, address), "its address")
    call MPI_Free_mem(array, ierror)
    call PMPI_Alloc_mem(40_MPI_ADDRESS_KIND, MPI_INFO_NULL, address, ierror)
    call check(address /= 0, "alloc_mem of an address")

    number = rank
    call MPI_Allreduce(sendbuf=MPI_IN_PLACE, recvbuf=number, count=1, datatype=MPI_DOUBLE_PRECISION, op=MPI_MAX, &
                       comm=MPI_COMM_WORLD, ierror=ierror)
    call check(number == size - 1, "a scalar, by keyword")

    call MPI_Type_size_x(MPI_DOUBLE_PRECISION, many, ierror)
    call check(many == 8, "a count")
    call PMPI_Comm_rank(MPI_COMM_WORLD, i, ierror)
    call check(i == rank, "PMPI")
    call check(PMPI_Wtime() >= 0, "PMPI_Wtime")
    call check(.not. MPI_SUBARRAYS_SUPPORTED, "MPI_SUBARRAYS_SUPPORTED")

    status = [(7 + i, i=0, MPI_STATUS_SIZE - 1)]
    call MPI_Status_f2f08(status, f08_status, ierror)
    call check(f08_status%MPI_SOURCE == status(MPI_SOURCE) .and. f08_status%MPI_TAG == status(MPI_TAG), "f2f08")
    f08_status%MPI_ERROR = -3
    call PMPI_Status_f082f(f08_status, status, ierror)
    call check(status(MPI_ERROR) == -3 .and. status(MPI_TAG) == f08_status%MPI_TAG, "f082f")

    communicator%MPI_VAL = MPI_COMM_WORLD
    double_precision = MPI_Datatype(MPI_DOUBLE_PRECISION)
    call check(communicator == MPI_Comm(MPI_COMM_WORLD) .and. communicator /= MPI_Comm(MPI_COMM_SELF), "handles of mpi_f08")
    call check(double_precision%MPI_VAL == MPI_DOUBLE_PRECISION, "a datatype of mpi_f08")

    call MPI_Abi_get_fortran_booleans(4, yes, no, known, ierror)
    call check(known .and. yes .and. .not. no, "booleans")
    call MPI_Abi_set_fortran_booleans(4, .true., .false., ierror)
    call check(ierror == MPI_SUCCESS, "the same booleans")
    call MPI_Abi_get_fortran_info(i, ierror)
    call MPI_Info_get(i, "mpi_integer_size", len(value), value, flag, ierror)
    call check(flag .and. value == "4", "mpi_integer_size")
    call MPI_Abi_set_fortran_info(i, ierror)
    call check(ierror == MPI_SUCCESS, "the same facts")
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierror)
    call MPI_Info_set(i, "mpi_integer_size", "8", ierror)
    call MPI_Abi_set_fortran_info(i, ierror)
    call check(ierror == MPI_ERR_ABI, "other facts are refused")
    call MPI_Info_free(i, ierror)
    call check_end()
end program
