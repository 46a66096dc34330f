! reals.h - a subroutine of reduce_types.F90, for NAME and TYPE_OF: quarters, whose sums and products are exact.
    subroutine NAME(datatype, label)
        HANDLE(MPI_Datatype), intent(in) :: datatype
        character(len=*), intent(in) :: label
        TYPE_OF :: x(n), y(n), whole(n), upto(n)
        integer :: i, k, r, ierror
        do k = 1, 4
            do i = 1, n
                x(i) = value_of(me, i) / 4.0
                whole(i) = value_of(0, i) / 4.0
                if (me == 0) upto(i) = whole(i)
                do r = 1, ranks - 1
                    y(i) = value_of(r, i) / 4.0
                    select case (names(k))
                    case ("sum"); whole(i) = whole(i) + y(i)
                    case ("prod"); whole(i) = whole(i) * y(i)
                    case ("max"); whole(i) = max(whole(i), y(i))
                    case ("min"); whole(i) = min(whole(i), y(i))
                    end select
                    if (r == me) upto(i) = whole(i)
                end do
            end do
            y = 0
            call MPI_Allreduce(x, y, n, datatype, ops(k), MPI_COMM_WORLD, ierror)
            call expect(label // ", " // names(k), all(y == whole))
            y = 0
            call MPI_Scan(x, y, n, datatype, ops(k), MPI_COMM_WORLD, ierror)
            call expect(label // ", scan, " // names(k), all(y == upto))
        end do
    end subroutine
#undef NAME
#undef TYPE_OF
