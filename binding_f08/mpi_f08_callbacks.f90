! mpi_f08_callbacks - the interfaces of functions that a program gives to MPI, and those that MPI has ready.
module mpi_f08_callbacks
    implicit none

    ! Operators
    abstract interface
        subroutine MPI_User_function(invec, inoutvec, len, datatype)
            use, intrinsic :: iso_c_binding, only: c_ptr
            use :: mpi_f08_types, only: MPI_Datatype
            implicit none
            type(c_ptr), value :: invec, inoutvec
            integer :: len
            type(MPI_Datatype) :: datatype
        end subroutine

        subroutine MPI_User_function_c(invec, inoutvec, len, datatype)
            use, intrinsic :: iso_c_binding, only: c_ptr
            use :: mpi_f08_types, only: MPI_Datatype, MPI_COUNT_KIND
            implicit none
            type(c_ptr), value :: invec, inoutvec
            integer(kind=MPI_COUNT_KIND) :: len
            type(MPI_Datatype) :: datatype
        end subroutine
    end interface

    ! Attributes
    abstract interface
        subroutine MPI_Comm_copy_attr_function(oldcomm, comm_keyval, extra_state, attribute_val_in, &
                attribute_val_out, flag, ierror)
            use :: mpi_f08_types, only: MPI_Comm, MPI_ADDRESS_KIND
            implicit none
            type(MPI_Comm) :: oldcomm
            integer :: comm_keyval, ierror
            integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
            logical :: flag
        end subroutine

        subroutine MPI_Comm_delete_attr_function(comm, comm_keyval, attribute_val, extra_state, ierror)
            use :: mpi_f08_types, only: MPI_Comm, MPI_ADDRESS_KIND
            implicit none
            type(MPI_Comm) :: comm
            integer :: comm_keyval, ierror
            integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
        end subroutine

        subroutine MPI_Type_copy_attr_function(oldtype, type_keyval, extra_state, attribute_val_in, &
                attribute_val_out, flag, ierror)
            use :: mpi_f08_types, only: MPI_Datatype, MPI_ADDRESS_KIND
            implicit none
            type(MPI_Datatype) :: oldtype
            integer :: type_keyval, ierror
            integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
            logical :: flag
        end subroutine

        subroutine MPI_Type_delete_attr_function(datatype, type_keyval, attribute_val, extra_state, ierror)
            use :: mpi_f08_types, only: MPI_Datatype, MPI_ADDRESS_KIND
            implicit none
            type(MPI_Datatype) :: datatype
            integer :: type_keyval, ierror
            integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
        end subroutine

        subroutine MPI_Win_copy_attr_function(oldwin, win_keyval, extra_state, attribute_val_in, &
                attribute_val_out, flag, ierror)
            use :: mpi_f08_types, only: MPI_Win, MPI_ADDRESS_KIND
            implicit none
            type(MPI_Win) :: oldwin
            integer :: win_keyval, ierror
            integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
            logical :: flag
        end subroutine

        subroutine MPI_Win_delete_attr_function(win, win_keyval, attribute_val, extra_state, ierror)
            use :: mpi_f08_types, only: MPI_Win, MPI_ADDRESS_KIND
            implicit none
            type(MPI_Win) :: win
            integer :: win_keyval, ierror
            integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
        end subroutine
    end interface

    ! Error handlers
    abstract interface
        subroutine MPI_Comm_errhandler_function(comm, error_code)
            use :: mpi_f08_types, only: MPI_Comm
            implicit none
            type(MPI_Comm) :: comm
            integer :: error_code
        end subroutine

        subroutine MPI_Win_errhandler_function(win, error_code)
            use :: mpi_f08_types, only: MPI_Win
            implicit none
            type(MPI_Win) :: win
            integer :: error_code
        end subroutine

        subroutine MPI_File_errhandler_function(file, error_code)
            use :: mpi_f08_types, only: MPI_File
            implicit none
            type(MPI_File) :: file
            integer :: error_code
        end subroutine

        subroutine MPI_Session_errhandler_function(session, error_code)
            use :: mpi_f08_types, only: MPI_Session
            implicit none
            type(MPI_Session) :: session
            integer :: error_code
        end subroutine
    end interface

    ! Generalized requests
    abstract interface
        subroutine MPI_Grequest_query_function(extra_state, status, ierror)
            use :: mpi_f08_types, only: MPI_Status, MPI_ADDRESS_KIND
            implicit none
            integer(kind=MPI_ADDRESS_KIND) :: extra_state
            type(MPI_Status) :: status
            integer :: ierror
        end subroutine

        subroutine MPI_Grequest_free_function(extra_state, ierror)
            use :: mpi_f08_types, only: MPI_ADDRESS_KIND
            implicit none
            integer(kind=MPI_ADDRESS_KIND) :: extra_state
            integer :: ierror
        end subroutine

        subroutine MPI_Grequest_cancel_function(extra_state, complete, ierror)
            use :: mpi_f08_types, only: MPI_ADDRESS_KIND
            implicit none
            integer(kind=MPI_ADDRESS_KIND) :: extra_state
            logical :: complete
            integer :: ierror
        end subroutine
    end interface

    procedure(MPI_Comm_copy_attr_function) :: MPI_COMM_NULL_COPY_FN, MPI_COMM_DUP_FN
    procedure(MPI_Comm_delete_attr_function) :: MPI_COMM_NULL_DELETE_FN
    procedure(MPI_Type_copy_attr_function) :: MPI_TYPE_NULL_COPY_FN, MPI_TYPE_DUP_FN
    procedure(MPI_Type_delete_attr_function) :: MPI_TYPE_NULL_DELETE_FN
    procedure(MPI_Win_copy_attr_function) :: MPI_WIN_NULL_COPY_FN, MPI_WIN_DUP_FN
    procedure(MPI_Win_delete_attr_function) :: MPI_WIN_NULL_DELETE_FN
end module
