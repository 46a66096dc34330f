! MPI_Op_create: the element-wise product of vectors of complex numbers, with an operator of the user's.
module operators
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    use :: mpi_f08
    implicit none
contains
    ! inoutvec(i) = invec(i) * inoutvec(i); MPI hands over as many elements at once as it likes.
    subroutine multiply(invec, inoutvec, len, datatype)
        type(c_ptr), value :: invec, inoutvec
        integer :: len
        type(MPI_Datatype) :: datatype
        double complex, pointer :: a(:), b(:)

        if (datatype /= MPI_DOUBLE_COMPLEX) return
        call c_f_pointer(invec, a, [len])
        call c_f_pointer(inoutvec, b, [len])
        b = a * b
    end subroutine
end module

program main
    use :: mpi_f08
    use :: operators, only: multiply
    implicit none
    double complex :: mine(5), product(5)
    type(MPI_Op) :: op
    integer :: rank, i

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)

    mine = [(cmplx(rank + 1, i, kind(1d0)), i = -2, 2)]
    call MPI_Op_create(multiply, .true., op)
    call MPI_Reduce(mine, product, 5, MPI_DOUBLE_COMPLEX, op, 0, MPI_COMM_WORLD)

    do i = -2, merge(2, -3, rank == 0)
        print '(sp, 2(a, i0), a, ss, i0, sp, i0, a)', '(1', i, 'i) (2', i, 'i) ... = ', &
            nint(real(product(i + 3))), nint(aimag(product(i + 3))), 'i'
    end do
    call MPI_Op_free(op)
    call MPI_Finalize()
end program
