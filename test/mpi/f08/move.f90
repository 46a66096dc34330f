! Collectives that move data: gather, scatter, all to all, with types, counts for each rank, and in place.
! np: 1 2 3 4 5
include "check.inc"

program move
    use :: check
    implicit none
    type block
        sequence
        real(8) :: a(2)
        integer :: i, unused
    end type
    integer :: r

    call begin()
    call gathers()
    call scatters()
    call exchanges()
    call exchange_of_types()
    call types()
    call finish()
contains
    subroutine gathers()
        integer, asynchronous :: all(2 * ranks), mine(3)
        integer, asynchronous :: many(ranks * (ranks + 1)), counts(ranks), displs(ranks)
        type(MPI_Request) :: request
        integer :: root, i, k
        do root = 0, ranks - 1
            all = -1
            call MPI_Gather([me, 10 * me], 2, MPI_INTEGER, all, 2, MPI_INTEGER, root, MPI_COMM_WORLD)
            if (me == root) call expect("gather", all, [(r, 10 * r, r = 0, ranks - 1)])
            if (me /= root) call expect("gather elsewhere", all, [(-1, r = 1, 2 * ranks)])
            if (me == root) then
                all(2*me+1:2*me+2) = [me, 10 * me]
                call MPI_Gather(MPI_IN_PLACE, 0_MPI_COUNT_KIND, MPI_DATATYPE_NULL, all, 2_MPI_COUNT_KIND, MPI_INTEGER, &
                    root, MPI_COMM_WORLD)
                call expect("gather in place", all, [(r, 10 * r, r = 0, ranks - 1)])
            else
                call MPI_Gather([me, 10 * me], 2, MPI_INTEGER, all, 2, MPI_INTEGER, root, MPI_COMM_WORLD)
            end if
        end do
        ! rank r gives r + 1 numbers, with a gap of one between the ranks
        counts = [(r + 1, r = 0, ranks - 1)]
        displs = [(r * (r + 3) / 2, r = 0, ranks - 1)]
        many = -1
        call MPI_Gatherv([(100 * me + i, i = 1, me + 1)], me + 1, MPI_INTEGER, many, counts, displs, MPI_INTEGER, 0, &
            MPI_COMM_WORLD)
        do r = 0, merge(ranks - 1, -1, me == 0)
            k = displs(r + 1)
            call expect("gatherv", many(k+1:k+counts(r+1)), [(100 * r + i, i = 1, r + 1)])
            if (r > 0) call expect("the gap of gatherv", many(k) == -1)
        end do
        many = -1
        mine = me
        call MPI_Iallgatherv(mine, 1_MPI_COUNT_KIND, MPI_INTEGER, many, [(1_MPI_COUNT_KIND, r = 1, ranks)], &
            [(int(r, MPI_ADDRESS_KIND), r = ranks - 1, 0, -1)], MPI_INTEGER, MPI_COMM_WORLD, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call expect("iallgatherv with large counts", many(:ranks), [(r, r = ranks - 1, 0, -1)])
    end subroutine

    subroutine scatters()
        integer, asynchronous :: all(3 * ranks), mine(3)
        type(MPI_Request) :: request
        integer :: i
        all = -1
        if (me == 0) all = [(i, i = 1, 3 * ranks)]
        call MPI_Scatter(all, 3, MPI_INTEGER, mine, 3, MPI_INTEGER, 0, MPI_COMM_WORLD)
        call expect("scatter", mine, [(3 * me + i, i = 1, 3)])
        mine = -1
        call MPI_Scatterv(all, [(1, i = 1, ranks)], [(3 * (ranks - i), i = 1, ranks)], MPI_INTEGER, mine, 1, &
            MPI_INTEGER, 0, MPI_COMM_WORLD)
        call expect("scatterv", mine, [3 * (ranks - 1 - me) + 1, -1, -1])
        mine = -1
        call MPI_Scatter_init(all, 3, MPI_INTEGER, mine, 3, MPI_INTEGER, 0, MPI_COMM_WORLD, MPI_INFO_NULL, request)
        call MPI_Start(request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call expect("scatter_init", mine, [(3 * me + i, i = 1, 3)])
        call MPI_Request_free(request)
    end subroutine

    subroutine exchanges()
        integer :: x(ranks), y(ranks), counts(ranks), displs(ranks)
        x = [(100 * me + r, r = 0, ranks - 1)]
        call MPI_Alltoall(x, 1, MPI_INTEGER, y, 1, MPI_INTEGER, MPI_COMM_WORLD)
        call expect("alltoall", y, [(100 * r + me, r = 0, ranks - 1)])
        y = x
        call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, y, 1, MPI_INTEGER, MPI_COMM_WORLD)
        call expect("alltoall in place", y, [(100 * r + me, r = 0, ranks - 1)])
        counts = 1
        displs = [(ranks - 1 - r, r = 0, ranks - 1)]
        call MPI_Alltoallv(x, counts, displs, MPI_INTEGER, y, counts, displs, MPI_INTEGER, MPI_COMM_WORLD)
        call expect("alltoallv", y, [(100 * r + ranks - 1 - me, r = ranks - 1, 0, -1)])
    end subroutine

    ! Even ranks get an INTEGER from everybody, odd ones a pair of DOUBLE PRECISION.
    subroutine exchange_of_types()
        type(block), asynchronous :: x(ranks), y(ranks), z(ranks)
        type(MPI_Datatype), asynchronous :: to(ranks), from(ranks)
        integer, asynchronous :: counts_to(ranks), counts_from(ranks), displs_to(ranks), displs_from(ranks)
        type(MPI_Request) :: request
        integer :: bytes
        bytes = storage_size(x) / 8
        do r = 0, ranks - 1
            x(r + 1) = block([100d0 * me + r, 0.5d0], 1000 * me + r, 0)
            to(r + 1) = merge_type(mod(r, 2) == 0)
            counts_to(r + 1) = merge(1, 2, mod(r, 2) == 0)
            displs_to(r + 1) = r * bytes + merge(16, 0, mod(r, 2) == 0)
            displs_from(r + 1) = r * bytes + merge(16, 0, mod(me, 2) == 0)
        end do
        from = merge_type(mod(me, 2) == 0)
        counts_from = merge(1, 2, mod(me, 2) == 0)
        y = block(-1, -1, -1)
        call MPI_Alltoallw(x, counts_to, displs_to, to, y, counts_from, displs_from, from, MPI_COMM_WORLD)
        call check_blocks("alltoallw", y)
        z = block(-1, -1, -1)
        call MPI_Ialltoallw(x, counts_to, displs_to, to, z, counts_from, displs_from, from, MPI_COMM_WORLD, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call check_blocks("ialltoallw", z)
        z = x
        if (mod(me, 2) == 1) z%i = -1
        call MPI_Alltoallw(MPI_IN_PLACE, [0], [0], [MPI_DATATYPE_NULL], z, [(0, r = 1, ranks)], displs_from, from, &
            MPI_COMM_WORLD)
        call expect("alltoallw in place of nothing", z(1)%a, x(1)%a)
    end subroutine

    subroutine check_blocks(what, found)
        character(len=*), intent(in) :: what
        type(block), intent(in) :: found(:)
        do r = 0, ranks - 1
            if (mod(me, 2) == 0) then
                call expect(what, [found(r+1)%i], [1000 * r + me])
                call expect(what // ", the rest", found(r+1)%a, [-1d0, -1d0])
            else
                call expect(what, found(r+1)%a, [100d0 * r + me, 0.5d0])
                call expect(what // ", the rest", [found(r+1)%i], [-1])
            end if
        end do
    end subroutine

    type(MPI_Datatype) function merge_type(even)
        logical, intent(in) :: even
        merge_type = MPI_DOUBLE_PRECISION
        if (even) merge_type = MPI_INTEGER
    end function

    ! A structure whose places come from MPI_Get_address, a column by a vector, absolute addresses with MPI_BOTTOM.
    subroutine types()
        type :: item
            integer :: key
            real(8) :: value(2)
        end type
        type(item) :: a(3)
        integer(kind=MPI_ADDRESS_KIND) :: places(3), lb, extent
        type(MPI_Datatype) :: struct, resized, absolute, row
        integer :: m(3, 4), i, combiner, ints, addresses, datatypes
        integer :: numbers(5)
        integer(kind=MPI_ADDRESS_KIND) :: far(4)
        type(MPI_Datatype) :: parts(2)
        call MPI_Get_address(a(1)%key, places(1))
        call MPI_Get_address(a(1)%value, places(2))
        call MPI_Get_address(a(2), places(3))
        call MPI_Type_create_struct(2, [1, 2], places(:2) - places(1), [MPI_INTEGER, MPI_DOUBLE_PRECISION], struct)
        call MPI_Type_create_resized(struct, 0_MPI_ADDRESS_KIND, MPI_Aint_diff(places(3), places(1)), resized)
        call MPI_Type_commit(resized)
        call MPI_Type_get_extent(resized, lb, extent)
        call expect("the extent", extent == places(3) - places(1) .and. lb == 0)
        a = item(me, me * 0.25d0)
        call MPI_Bcast(a(2:3), 2, resized, ranks - 1, MPI_COMM_WORLD)
        call expect("a structure, keys", a%key, [me, ranks - 1, ranks - 1])
        call expect("a structure, values", a%value(2), [me, ranks - 1, ranks - 1] * 0.25d0)
        call MPI_Type_create_hindexed(1, [2], places(2:2), MPI_DOUBLE_PRECISION, absolute)
        call MPI_Type_commit(absolute)
        call MPI_Bcast(MPI_BOTTOM, 1, absolute, ranks - 1, MPI_COMM_WORLD)
        call expect("from the bottom", a(1)%value, [1d0, 1d0] * 0.25d0 * (ranks - 1))
        call MPI_Type_vector(4_MPI_COUNT_KIND, 1_MPI_COUNT_KIND, 3_MPI_COUNT_KIND, MPI_INTEGER, row)
        call MPI_Type_commit(row)
        m = me
        call MPI_Bcast(m(2, 1), 1, row, ranks - 1, MPI_COMM_WORLD)
        call expect("a row", reshape(m, [12]), [([me, ranks - 1, me], i = 1, 4)])
        call MPI_Type_get_envelope(struct, ints, addresses, datatypes, combiner)
        call expect("an envelope", [ints, addresses, datatypes, combiner], [3, 2, 2, MPI_COMBINER_STRUCT])
        call MPI_Type_get_contents(struct, ints, addresses, datatypes, numbers, far, parts)
        call expect("its numbers", numbers(:3), [2, 1, 2])
        call expect("its addresses", far(:2), places(:2) - places(1))
        call expect("its datatypes", parts(1) == MPI_INTEGER .and. parts(2) == MPI_DOUBLE_PRECISION)
        call MPI_Type_free(struct)
        call MPI_Type_free(resized)
        call MPI_Type_free(absolute)
        call MPI_Type_free(row)
    end subroutine
end program
