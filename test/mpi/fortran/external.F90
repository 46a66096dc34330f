! external32 and MPI_F_sync_reg: logicals, complex numbers, integers that one rank packs and all unpack.
!
! np: 1 2 5
! only: treefold
#include "dialect.inc"

program external
    use, intrinsic :: iso_fortran_env, only: int8
    use check
    USE_MPI
    implicit none
    INCLUDE_MPI
    integer(kind=MPI_ADDRESS_KIND) :: position, bytes, total
    integer :: numbers(3), ierror
    logical :: truths(4)
    complex :: z(2)
    integer(int8) :: stream(100)
    integer(int8), parameter :: first(8) = int([0, 0, 0, 7, -1, -1, -1, -2], int8)

    call begin()
    stream = 0
    total = 0
    call MPI_Pack_external_size('external32', 3, MPI_INTEGER, bytes, ierror)
    call expect('size of integers', int(bytes), 12)
    total = total + bytes
    call MPI_Pack_external_size('external32  ', 4, MPI_LOGICAL, bytes, ierror)
    call expect('size of logicals', int(bytes), 16)
    total = total + bytes
    call MPI_Pack_external_size('external32', 2, MPI_COMPLEX, bytes, ierror)
    call expect('size of complex numbers', int(bytes), 16)
    total = total + bytes

    position = 0
    if (me == 0) then
        numbers = [7, -2, 99]
        truths = [.true., .false., .false., .true.]
        z = [(1.0, -2.0), (0.25, 3.0)]
        call MPI_Pack_external('external32', numbers, 3, MPI_INTEGER, stream, total, position, ierror)
        call expect('position behind integers', int(position), 12)
        call MPI_Pack_external('external32', truths, 4, MPI_LOGICAL, stream, total, position, ierror)
        call MPI_Pack_external('external32', z, 2, MPI_COMPLEX, stream, total, position, ierror)
        call expect('position at the end', int(position), int(total))
    end if
    call MPI_Bcast(stream, 100, MPI_BYTE, 0, MPI_COMM_WORLD, ierror)
    call expect('bytes', int(stream(1:8)), int(first))

    numbers = 0
    truths = .false.
    z = 0
    position = 0
    call MPI_Unpack_external('external32', stream, total, position, numbers, 3, MPI_INTEGER, ierror)
    call MPI_F_sync_reg(numbers)
    call MPI_Unpack_external('external32', stream, total, position, truths, 4, MPI_LOGICAL, ierror)
    call MPI_Unpack_external('external32', stream, total, position, z, 2, MPI_COMPLEX, ierror)
    call MPI_F_sync_reg(z)
    call expect('position behind all', int(position), int(total))
    call expect('integers', numbers, [7, -2, 99])
    call expect('logicals', truths(1) .and. .not. truths(2) .and. .not. truths(3) .and. truths(4))
    call expect('complex numbers', all(z == [(1.0, -2.0), (0.25, 3.0)]))
    call finish()
end program
