! logicals.h - a subroutine of reduce_types.F90, for NAME and TYPE_OF.
    subroutine NAME(datatype, label)
        HANDLE(MPI_Datatype), intent(in) :: datatype
        character(len=*), intent(in) :: label
        TYPE_OF :: x(n), y(n), whole(n), upto(n)
        integer :: i, k, r, ierror
        do k = 8, 10
            do i = 1, n
                x(i) = value_of(me, i) > 0
                whole(i) = value_of(0, i) > 0
                if (me == 0) upto(i) = whole(i)
                do r = 1, ranks - 1
                    y(i) = value_of(r, i) > 0
                    select case (names(k))
                    case ("land"); whole(i) = whole(i) .and. y(i)
                    case ("lor"); whole(i) = whole(i) .or. y(i)
                    case ("lxor"); whole(i) = whole(i) .neqv. y(i)
                    end select
                    if (r == me) upto(i) = whole(i)
                end do
            end do
            y = .false.
            call MPI_Allreduce(x, y, n, datatype, ops(k), MPI_COMM_WORLD, ierror)
            call expect(label // ", " // names(k), logical(all(y .eqv. whole)))
            y = .false.
            call MPI_Scan(x, y, n, datatype, ops(k), MPI_COMM_WORLD, ierror)
            call expect(label // ", scan, " // names(k), logical(all(y .eqv. upto)))
        end do
    end subroutine
#undef NAME
#undef TYPE_OF
