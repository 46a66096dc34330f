! mpi_f08 - MPI for Fortran 2008: all that a program sees, from the modules beside this one and those in gen/.
! Some of iso_c_binding's too, as programs for MPICH and Open MPI count on.  Without its procedures, which gfortran 12 then
! does not take for one with those that a program finds there itself.
module mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_funptr, c_null_ptr, c_null_funptr, c_int, c_long, c_size_t, c_intptr_t, &
        c_int32_t, c_int64_t, c_float, c_double, c_bool, c_char, c_null_char
    use :: mpi_f08_types
    use :: mpi_f08_constants
    use :: mpi_f08_callbacks
    use :: mpi_f08_interfaces
    use :: pmpi_f08_interfaces
end module
