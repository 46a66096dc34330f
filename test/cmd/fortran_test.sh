#!/usr/bin/env bash
# test/cmd/fortran_test.sh PREFIX - Fortran in the installation in PREFIX: mpifort and its other names, pkg-config, CMake;
# constants that are addresses, however a program is linked; what libmpifort_abi needs, and does without.
set -u
prefix=$(cd "${1:?usage: fortran_test.sh PREFIX}" && pwd)
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
bin=$prefix/bin
if [ ! -x "$bin/mpifort" ]; then
    skip "Fortran" "it was built without a Fortran compiler"
    finish
fi
compiler=$("$bin/mpifort" -show x.o | cut -d' ' -f1)
link="-L$prefix/lib -Wl,-rpath,$prefix/lib -Wl,--enable-new-dtags -lmpifort_abi -lmpi_abi"

# runs COMMAND...: what it prints on 2 processes.
runs()
{
    timeout -k 5 60 "$bin/mpiexec" -n 2 "$@" 2>&1 </dev/null
}

# Each constant that is an address where only it is right.
cat >addresses.f90 <<'END'
subroutine addresses(failures)
    implicit none
    include 'mpif.h'
    integer :: failures, rank, size, ierror, a, b(2), requests(2), group, newgroup
    call mpi_comm_rank(MPI_COMM_WORLD, rank, ierror)
    call mpi_comm_size(MPI_COMM_WORLD, size, ierror)
    a = rank + 1
    call mpi_allreduce(MPI_IN_PLACE, a, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    if (a /= size*(size + 1)/2) failures = failures + 1
    call mpi_sendrecv(rank, 1, MPI_INTEGER, rank, 1, a, 1, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call mpi_irecv(b(1), 1, MPI_INTEGER, rank, 2, MPI_COMM_WORLD, requests(1), ierror)
    call mpi_isend(rank, 1, MPI_INTEGER, rank, 2, MPI_COMM_WORLD, requests(2), ierror)
    call mpi_waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
    if (a /= rank .or. b(1) /= rank) failures = failures + 1
    call mpi_bcast(MPI_BOTTOM, 0, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    call mpi_comm_group(MPI_COMM_WORLD, group, ierror)
    call mpi_group_free(group, ierror)
    newgroup = group
    if (newgroup /= MPI_GROUP_NULL) failures = failures + 1
end subroutine
END
cat >main.f90 <<'END'
program main
    use mpi
    implicit none
    integer :: failures, ierror, rank, a(2)
    failures = 0
    call MPI_Init(ierror)
    call addresses(failures)
    a = 1
    call MPI_Allreduce(MPI_IN_PLACE, a, 2, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    if (any(a /= 1)) failures = failures + 1
    if (failures > 0) print *, failures, "failures"
    if (rank == 0) print '(a)', "done"
    call MPI_Finalize(ierror)
end program
END
cat >functions.f90 <<'END'
program functions
    use mpi_f08
    implicit none
    integer :: key, rank, total, failures
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    type(MPI_Comm) :: copy
    failures = 0
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, 42_MPI_ADDRESS_KIND)
    call MPI_Comm_dup(MPI_COMM_WORLD, copy)
    call MPI_Comm_get_attr(copy, key, value, flag)
    if (.not. flag .or. value /= 42) failures = failures + 1
    call MPI_Register_datarep("plain", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, extents, 0_MPI_ADDRESS_KIND)
    call writes("plain")
    total = 1
    call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, copy)
    if (total /= 2) failures = failures + 1
    call MPI_Comm_free(copy)
    if (failures > 0) print *, failures, "failures"
    if (rank == 0) print '(a)', "done"
    call MPI_Finalize()
contains
    subroutine extents(datatype, extent, extra_state, ierror)
        type(MPI_Datatype) :: datatype
        integer(MPI_ADDRESS_KIND) :: extent, extra_state
        integer :: ierror
        extent = 4
        ierror = MPI_SUCCESS
    end subroutine
    subroutine writes(representation)
        character(*), intent(in) :: representation
        type(MPI_File) :: file
        integer :: data
        data = 7
        call MPI_File_open(MPI_COMM_SELF, "functions.data" // char(48 + rank), &
                           MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file)
        call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, representation, MPI_INFO_NULL)
        call MPI_File_write_at(file, 0_MPI_OFFSET_KIND, data, 1, MPI_INTEGER, MPI_STATUS_IGNORE)
        data = 0
        call MPI_File_read_at(file, 0_MPI_OFFSET_KIND, data, 1, MPI_INTEGER, MPI_STATUS_IGNORE)
        if (data /= 7) failures = failures + 1
        call MPI_File_close(file)
    end subroutine
end program
END
cat >names.c <<'END'
#include <mpi.h>
#include <stdio.h>
void mpi_comm_rank(MPI_Fint *, MPI_Fint *, MPI_Fint *), mpi_comm_rank_(MPI_Fint *, MPI_Fint *, MPI_Fint *),
    mpi_comm_rank__(MPI_Fint *, MPI_Fint *, MPI_Fint *), MPI_COMM_RANK(MPI_Fint *, MPI_Fint *, MPI_Fint *),
    PMPI_COMM_RANK(MPI_Fint *, MPI_Fint *, MPI_Fint *), pmpi_comm_rank__(MPI_Fint *, MPI_Fint *, MPI_Fint *);
int main(int argc, char **argv)
{
    void (*all[])(MPI_Fint *, MPI_Fint *, MPI_Fint *) = {mpi_comm_rank,  mpi_comm_rank_, mpi_comm_rank__,
                                                         MPI_COMM_RANK, PMPI_COMM_RANK, pmpi_comm_rank__};
    MPI_Fint world = MPI_Comm_c2f(MPI_COMM_WORLD), rank, ierror;
    int mine;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &mine);
    for (int i = 0; i < 6; i++) {
        all[i](&world, &rank, &ierror);
        if (rank != mine || ierror != MPI_SUCCESS)
            printf("name %d\n", i);
    }
    if (mine == 0)
        puts("done");
    MPI_Finalize();
    return 0;
}
END
cat >main.c <<'END'
#include <mpi.h>
#include <stdio.h>
void addresses_(MPI_Fint *failures);
int main(int argc, char **argv)
{
    MPI_Fint failures = 0;
    int rank;
    MPI_Init(&argc, &argv);
    addresses_(&failures);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (failures > 0)
        printf("%d failures\n", failures);
    if (rank == 0)
        puts("done");
    MPI_Finalize();
    return 0;
}
END
for name in mpifort mpif77 mpif90; do
    equal "$name -show of a link" "$compiler x.o -o x -I$prefix/include $link" "$("$bin/$name" -show x.o -o x)"
done
equal "mpifort -showme:libs" "mpifort_abi mpi_abi" "$("$bin/mpifort" -showme:libs)"
case $("$bin/mpifort" --version) in
*'GNU Fortran'*) names='-fno-underscoring -fsecond-underscore' ;; # old makefiles have these
*) names= ;;
esac
for flags in '' -no-pie '-fPIE -pie' '-O0 -fcommon' '-O2 -flto' $names ${names:+"${names%% *} -no-pie" "${names##* } -no-pie"}; do
    # The flags are words.
    check "mpifort $flags" "$bin/mpifort" $flags main.f90 addresses.f90 -o linked
    equal "addresses, linked with '$flags'" "done" "$(runs ./linked)"
done
for flags in '' $names; do
    [ -f "$prefix/lib/libmpifort_abi.a" ] || break
    check "a static program $flags" "$compiler" $flags -static -I"$prefix/include" main.f90 addresses.f90 -o static \
        -L"$prefix/lib" -lmpifort -lmpi # the names that makefiles know
    equal "addresses in a static program $flags" "done" "$(runs ./static)"
done
for flags in $names; do
    check "mpi_f08 and functions as arguments with $flags" "$bin/mpifort" $flags functions.f90 -o functions
    equal "functions as arguments with $flags" "done" "$(runs ./functions)"
    check "the same $flags -no-pie" "$bin/mpifort" $flags -no-pie functions.f90 -o functions
    equal "functions as arguments with $flags -no-pie" "done" "$(runs ./functions)"
done
# Libraries in C call procedures of Fortran by any of the names that compilers make.
check "the four names in C" "$bin/mpicc" names.c -o names -lmpifort_abi
equal "the four names in C" "done" "$(runs ./names)"
check "a shared library in Fortran" "$bin/mpifort" -shared -fPIC addresses.f90 -o libaddresses.so
for flags in '' -no-pie; do
    check "a program in Fortran that uses it $flags" "$bin/mpifort" $flags main.f90 -o shared -L. -laddresses \
        -Wl,-rpath,"$work"
    equal "addresses in the program and the library $flags" "done" "$(runs ./shared)"
    check "a program in C that uses it $flags" "$bin/mpicc" $flags main.c -o shared_c -L. -laddresses \
        -Wl,-rpath,"$work" -lmpifort_abi
    equal "addresses in the library of a C program $flags" "done" "$(runs ./shared_c)"
done

# mpif.h in fixed form, within 72 columns, and in free form; no flag that lets arguments differ is needed, and no warning
# is due to it.  An array may stand for an INTEGER, as in old programs.
cat >form.f <<'END'
      subroutine form(n)
      implicit none
      include 'mpif.h'
      integer n, ierror, types(2)
      real x
      double precision y
      call mpi_bcast(n, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
      types = MPI_REAL
      call mpi_bcast(x, 1, types, 0, MPI_COMM_WORLD, ierror)
      call mpi_bcast(y, 1, MPI_REAL8, 0, MPI_COMM_WORLD, ierror)
      end
END
cp form.f form.f90
sed -i 's/^ *//' form.f90
cat >lengths.f <<'END'
      program lengths
      implicit none
      include 'mpif.h'
      integer r, total, e, w, s(MPI_STATUS_SIZE)
      double precision x(2)
      real y(4)
      w = MPI_COMM_WORLD
      call mpi_init(e)
      call mpi_comm_rank(w, r, e)
      x = r + 1
      call mpi_sendrecv(x,16,MPI_BYTE,r,1,y,16,MPI_BYTE,r,1,w,s,e)
      if (s(MPI_SOURCE) .ne. r .or. s(MPI_TAG) .ne. 1) print *, 'status'
      x = 0
      call mpi_sendrecv(y,4,MPI_REAL,r,2,x,4,MPI_REAL,r,2,w,s,e)
      call mpi_allreduce(int(x(2)),total,1,MPI_INTEGER,MPI_SUM,w,e)
      if (r .eq. 0) print *, 'sum', total
      call mpi_finalize(e)
      end
END
case $("$bin/mpifort" --version) in
*'GNU Fortran'*) pedantic='-std=f2008 -Wall -pedantic -Werror' ;;
*) pedantic= ;;
esac
for source in form.f form.f90; do
    check "mpif.h in $source" "$bin/mpifort" $pedantic -c "$source" -o form.o
done
# Whatever the length of a line: old programs are compiled with longer ones, to whose end a line's text goes then.
for flags in -ffixed-line-length-{72,80,132,none} -ffree-form '-ffree-form -ffree-line-length-none' -std=legacy \
    '-std=legacy -ffixed-line-length-none'; do
    [ -n "$pedantic" ] || break
    check "mpif.h with $flags" "$bin/mpifort" $flags -Wall -Werror lengths.f -o lengths
    equal "and its program, $flags" " sum 3" "$(runs ./lengths | tr -s ' ')"
done

# INTEGERs of 8 bytes do not fit, which the compiler says in mpif.h's words; with the module, their kind can be said.
cat >kinds.f90 <<'END'
program kinds
    use mpi
    implicit none
    integer(MPI_INTEGER_KIND) :: rank, total, ierror
    integer :: large
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    rank = rank + 1_MPI_INTEGER_KIND
    call MPI_Allreduce(MPI_IN_PLACE, rank, 1_MPI_INTEGER_KIND, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    large = 5000000000
    call MPI_Allreduce(MPI_IN_PLACE, large, 1_MPI_INTEGER_KIND, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, total, ierror)
    if (total == 0) print '(i0, 1x, i0)', rank, large
    call MPI_Finalize(ierror)
end program
END
if [ -n "$pedantic" ]; then
    for source in form.f form.f90; do
        "$bin/mpifort" -fdefault-integer-8 -c "$source" -o form.o >form.log 2>&1
        equal "mpif.h with INTEGERs of 8 bytes, $source" mpi_integer_must_have_4_bytes \
            "$(grep -io 'mpi_integer_must_have_4_bytes' form.log | tr A-Z a-z | head -n 1)"
    done
    check "the module with INTEGERs of 8 bytes" "$bin/mpifort" -fdefault-integer-8 kinds.f90 -o kinds
    equal "and its program" "3 10000000000" "$(runs ./kinds)"
fi

# A tool for profiling in Fortran, as old ones are: it defines procedures of which mpif.h has interfaces.
cat >interpose.f <<'END'
      subroutine mpi_bcast(buf, n, type, root, comm, ierror)
      implicit none
      include 'mpif.h'
      integer buf(*), n, type, root, comm, ierror, rank
      call pmpi_comm_rank(comm, rank, ierror)
      if (rank .eq. root) print '(a)', 'seen'
      call pmpi_bcast(buf, n, type, root, comm, ierror)
      end
END
check "a tool in Fortran that defines MPI_BCAST" "$bin/mpifort" -mpif-external -c interpose.f -o interpose.o
cat >declared.f <<'END'
      program declared
      implicit none
      include 'mpif.h'
      external mpi_init, mpi_allreduce, mpi_finalize
      integer one, sum, ierror
      call mpi_init(ierror)
      one = 1
      call mpi_allreduce(one, sum, 1, MPI_INTEGER, MPI_SUM,
     +  MPI_COMM_WORLD, ierror)
      print '(a,i2)', 'sum', sum
      call mpi_finalize(ierror)
      end
END
check "a program that declares procedures EXTERNAL" "$bin/mpifort" -mpif-external declared.f -o declared
equal "and its answer" "sum 1" "$(timeout -k 5 60 ./declared 2>&1)"
# A call with an argument too many, which is not reached, among calls with buffers of several types.
cat >mismatch.f90 <<'END'
program mismatch
    implicit none
    include 'mpif.h'
    integer :: one, sum, request, ierror
    double precision :: a(2), b(2)
    call MPI_INIT(ierror)
    one = 1
    a = 2
    if (one == 2) call MPI_ALLREDUCE(one, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, ierror)
    call MPI_ALLREDUCE(one, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call MPI_ALLREDUCE(a, b, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
    print '(a,i2,2f4.1)', 'sums', sum, b
    call MPI_FINALIZE(ierror)
end program
END
check "calls that do not match, where they may" "$bin/mpifort" -fallow-argument-mismatch -w mismatch.f90 -o mismatch
equal "and their answers" "sums 1 2.0 2.0" "$(timeout -k 5 60 ./mismatch 2>&1)"
# mpif.h has no MPI_SIZEOF, which needs to know the type: no program is made that gets some number.
cat >size.f <<'END'
      include 'mpif.h'
      double precision x
      integer size, ierror
      call mpi_sizeof(x, size, ierror)
      end
END
equal "MPI_SIZEOF with mpif.h is not there" "undefined reference to \`mpi_sizeof_'" \
    "$("$bin/mpifort" size.f -o size 2>&1 | grep -o -m 1 'undefined reference to .*')"
cat >interposed.f90 <<'END'
program interposed
    use mpi
    implicit none
    integer :: n, rank, ierror
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    n = merge(7, 0, rank == 0)
    call MPI_Bcast(n, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    if (n /= 7) print *, "n is", n
    call MPI_Finalize(ierror)
end program
END
check "its program" "$bin/mpifort" interposed.f90 interpose.o -o interposed
equal "it sees what the program calls" "seen" "$(runs ./interposed)"

equal "mpif.h has no line beyond column 72" "" "$(cut -c73- "$prefix/include/mpif.h" | tr -d '\n')"
equal "no line of mpif.h goes on" "" "$(grep -v '^!' "$prefix/include/mpif.h" | grep '&\|^     [^ ]\|^ \{0,4\}[^ ]')"

# What the library stands on: procedures of mpi.h, by their MPI_ names, and the compiler's and C's libraries.
undefined=$(nm -D --undefined-only "$prefix/lib/libmpifort_abi.so" | awk '{ print $2 }' | grep -i '^P\?MPIX\?_\|^tf_')
equal "it uses procedures of mpi.h only" "" "$(for name in $undefined; do
    grep -q "\b$name(" "$prefix/include/mpi.h" || echo "$name"
done)"

# A profiling tool written in C sees the calls of Fortran programs.
cat >tool.c <<'END'
#include <mpi.h>
#include <stdio.h>
static int calls;
int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    calls++;
    return PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm);
}
int MPI_Finalize(void)
{
    fprintf(stderr, "%d calls\n", calls);
    return PMPI_Finalize();
}
END
check "a profiling tool" "$bin/mpicc" -shared -fPIC tool.c -o tool.so
check "a program for it" "$bin/mpifort" main.f90 addresses.f90 -o profiled
equal "it sees the calls of Fortran" "2 calls" "$(LD_PRELOAD=$work/tool.so ./profiled 2>&1 | grep calls)"

# Another library of the same ABI, which lacks the extensions: ours, with other names for them.
cat >operators.f90 <<'END'
module functions
contains
    subroutine larger(in, inout, length, datatype)
        integer :: length, datatype, in(length), inout(length)
        inout = max(in, inout)
    end subroutine
    subroutine handler(comm, code)
        integer :: comm, code
        print '(a)', "handled"
    end subroutine
end module
program main
    use mpi
    use functions
    implicit none
    integer :: op, rank, largest, ierror, i, errhandler, keyval, dup
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    do i = 1, 200
        call MPI_Op_create(larger, .true., op, ierror)
        call MPI_Allreduce(rank, largest, 1, MPI_INTEGER, op, MPI_COMM_WORLD, ierror)
        if (largest /= 1) print *, "largest is", largest
        call MPI_Op_free(op, ierror)
    end do
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, keyval, 0_MPI_ADDRESS_KIND, ierror)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, 5_MPI_ADDRESS_KIND, ierror)
    call MPI_Comm_dup(MPI_COMM_WORLD, dup, ierror)
    call MPI_Comm_get_attr(dup, keyval, value, flag, ierror)
    if (.not. flag .or. value /= 5) print *, "attribute is", value
    call MPI_Comm_create_errhandler(handler, errhandler, ierror)
    call MPI_Comm_set_errhandler(dup, errhandler, ierror)
    if (rank == 0) call MPI_Comm_call_errhandler(dup, MPI_ERR_OTHER, ierror)
    call MPI_Finalize(ierror)
end program
END
check "operators and handlers of functions" "$bin/mpifort" operators.f90 -o operators
equal "with the extensions" "handled" "$(runs ./operators)"
mkdir other
sed 's/MPIX_\(Op_create\|Comm_create\|Type_create\|Request_attach\)/MPIY_\1/g' "$prefix/lib/libmpi_abi.so.1" \
    >other/libmpi_abi.so.1
equal "without the extensions" "handled" "$(LD_LIBRARY_PATH=$work/other runs ./operators)"

# Sections in blocking calls and contiguous buffers are right over any library; a nonblocking operation on a section is
# refused where nothing would tell its end.
# What modules pass on of others, and where c_ptr comes from.
cat >passed_on.f90 <<'END'
module passes_on
    use, intrinsic :: iso_c_binding
    use :: mpi_f08
    implicit none
    type(c_ptr) :: memory
end module
subroutine both_ways
    use :: mpi_f08
    use, intrinsic :: iso_c_binding
    use :: passes_on
    implicit none
    type(c_ptr) :: p
    p = memory
end subroutine
subroutine from_mpi
    use :: mpi_f08
    implicit none
    type(c_ptr) :: p
    real, pointer :: x(:)
    integer(c_int) :: ierror
    call MPI_Alloc_mem(4_MPI_ADDRESS_KIND, MPI_INFO_NULL, p, ierror)
    p = c_null_ptr
end subroutine
subroutine procedures
    use :: mpi_f08
    use, intrinsic :: iso_c_binding
    implicit none
    integer, target :: x
    integer, pointer :: y
    type(c_ptr) :: p
    p = c_loc(x)
    call c_f_pointer(p, y)
    call c_f_pointer(c_loc(x), y)
end subroutine
END
check "modules that pass mpi_f08 and iso_c_binding on" "$bin/mpifort" -c passed_on.f90

cat >sections.f90 <<'END'
program sections
    use :: mpi_f08
    implicit none
    integer :: x(4), ierror, size
    integer, asynchronous :: y(4)
    type(MPI_Request) :: request
    call MPI_Init()
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    x = [1, 2, 3, 4]
    y = 0
    call MPI_Allreduce(x(1:4:2), y(4:1:-2), 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    if (any(y /= [0, 3, 0, 1] * size)) print *, "blocking", y
    call MPI_Iallreduce(x, y, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    if (any(y /= x * size)) print *, "nonblocking", y
    call MPI_Iallreduce(x(1:4:2), y(1:4:2), 2, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, request, ierror)
    if (ierror == MPI_SUCCESS) call MPI_Wait(request, MPI_STATUS_IGNORE)
    if (any(y /= merge([1, 2 * size, 3, 4 * size], x * size, ierror == MPI_SUCCESS))) print *, "section", y
    call MPI_Barrier(MPI_COMM_WORLD)
    if (ierror == MPI_SUCCESS) print '(a)', "taken"
    if (ierror == MPI_ERR_UNSUPPORTED_OPERATION) print '(a)', "refused"
    call MPI_Finalize()
end program
END
check "sections with mpi_f08" "$bin/mpifort" sections.f90 -o sections
equal "with the extensions they are taken" "taken taken" "$(echo $(runs ./sections))"
equal "without them they are refused" "refused refused" "$(echo $(LD_LIBRARY_PATH=$work/other runs ./sections))"

if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    check "a program builds with pkg-config's flags" "$compiler" main.f90 addresses.f90 \
        $(pkg-config --cflags --libs mpi-fort) -o pc.out
    equal "and runs" "done" "$(runs ./pc.out)"
else
    skip "pkg-config" "it is missing"
fi
if command -v cmake >/dev/null; then
    mkdir project
    cp main.f90 addresses.f90 project
    cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(addresses Fortran)
find_package(MPI REQUIRED COMPONENTS Fortran)
message(STATUS "found mpif.h ${MPI_Fortran_HAVE_F77_HEADER}, mpi ${MPI_Fortran_HAVE_F90_MODULE}, "
    "mpi_f08 ${MPI_Fortran_HAVE_F08_MODULE}")
add_executable(addresses main.f90 addresses.f90)
target_link_libraries(addresses MPI::MPI_Fortran)
END
    check "find_package(MPI COMPONENTS Fortran)" env PATH="$bin:$PATH" cmake -S project -B project/build
    cmake -S project -B project/build >cmake.log 2>&1
    equal "CMake finds mpif.h and the modules" "-- found mpif.h TRUE, mpi TRUE, mpi_f08 TRUE" "$(grep 'found mpif' cmake.log)"
    check "CMake builds" cmake --build project/build
    equal "CMake's program" "done" "$(runs project/build/addresses)"
else
    skip "CMake" "it is missing"
fi
finish
