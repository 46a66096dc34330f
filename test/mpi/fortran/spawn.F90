! MPI_Comm_spawn and MPI_Comm_spawn_multiple with Fortran's arrays of strings, their special constants, ports and names.
!
! np: 1 2
! only: treefold
#include "dialect.inc"

program spawn
    use check
    USE_MPI
    implicit none
    INCLUDE_MPI
    character(len=500) :: self
    HANDLE(MPI_Comm) :: parent
    integer :: ierror

    call begin()
    call get_command_argument(0, self)
    call MPI_Comm_get_parent(parent, ierror)
    if (parent == MPI_COMM_NULL) then
        call one_program()
        call several_programs()
        call ports()
    else
        call child()
    end if
    call finish()
contains
    ! Blanks on both sides do not count, one in the middle does; the first blank element is the end.
    subroutine one_program()
        character(len=12) :: argv(4)
        integer :: codes(2)
        HANDLE(MPI_Comm) :: inter
        argv = ['  two words ', 'three       ', '            ', 'not this one']
        codes = -1
        call MPI_Comm_spawn(self, argv, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, inter, codes, ierror)
        call expect('codes', codes, [MPI_SUCCESS, MPI_SUCCESS])
        call use_it(inter, 2, 2)
        call MPI_Comm_spawn(self, MPI_ARGV_NULL, 1, MPI_INFO_NULL, ranks - 1, MPI_COMM_WORLD, inter, &
                            MPI_ERRCODES_IGNORE, ierror)
        call use_it(inter, 1, 0)
    end subroutine

    ! The arguments of a program are a row.
    subroutine several_programs()
        character(len=500) :: commands(2)
        character(len=8) :: argvs(2, 3)
        HANDLE(MPI_Info) :: infos(2)
        HANDLE(MPI_Comm) :: inter
        integer :: codes(3)
        commands = self
        argvs(1, :) = ['a       ', 'b       ', '        ']
        argvs(2, :) = ['c       ', 'd       ', '        ']
        infos = MPI_INFO_NULL
        codes = -1
        call MPI_Comm_spawn_multiple(2, commands, argvs, [1, 2], infos, 0, MPI_COMM_WORLD, inter, codes, ierror)
        call expect('codes', codes, [MPI_SUCCESS, MPI_SUCCESS, MPI_SUCCESS])
        call use_it(inter, 3, 2)
        call MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, [1, 1], infos, 0, MPI_COMM_SELF, inter, &
                                     MPI_ERRCODES_IGNORE, ierror)
        call use_it(inter, 2, 0)
    end subroutine

    ! Each child says how many arguments it has got.
    subroutine use_it(inter, children, arguments)
        HANDLE(MPI_Comm) :: inter
        integer, intent(in) :: children, arguments
        integer :: n, told
        call MPI_Comm_remote_size(inter, n, ierror)
        call expect('children', n, children)
        call MPI_Allreduce(0, told, 1, MPI_INTEGER, MPI_SUM, inter, ierror)
        call expect('arguments', told, children * arguments)
        call MPI_Comm_disconnect(inter, ierror)
        call expect('disconnected', inter == MPI_COMM_NULL)
    end subroutine

    subroutine child()
        character(len=20) :: word
        integer :: told
        call get_command_argument(1, word)
        call expect('a parent', parent /= MPI_COMM_NULL)
        if (command_argument_count() > 0) call expect('an argument', any(word == ['two words', 'a        ', 'c        ']))
        call MPI_Allreduce(command_argument_count(), told, 1, MPI_INTEGER, MPI_SUM, parent, ierror)
        call MPI_Comm_disconnect(parent, ierror)
    end subroutine

    subroutine ports()
        character(len=MPI_MAX_PORT_NAME) :: port, found
        character(len=40) :: service
        write (service, '(a, i0)') 'spawn.F90 of ', me
        call MPI_Open_port(MPI_INFO_NULL, port, ierror)
        call MPI_Publish_name(service, MPI_INFO_NULL, port, ierror)
        call MPI_Lookup_name(service, MPI_INFO_NULL, found, ierror)
        call expect('the port', found == port .and. len_trim(port) > 0)
        call MPI_Unpublish_name(service, MPI_INFO_NULL, port, ierror)
        call MPI_Close_port(port, ierror)
    end subroutine
end program
