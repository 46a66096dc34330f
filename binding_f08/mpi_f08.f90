! mpi_f08 - MPI for Fortran 2008: all that a program sees, from the modules beside this one and those in gen/.
module mpi_f08
    use :: mpi_f08_types
    use :: mpi_f08_constants
    use :: mpi_f08_callbacks
    use :: mpi_f08_interfaces
    use :: pmpi_f08_interfaces
end module
