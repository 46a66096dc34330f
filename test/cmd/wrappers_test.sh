#!/usr/bin/env bash
# test/cmd/wrappers_test.sh PREFIX - mpicc, mpicxx, the pkg-config files and CMake's find_package(MPI), on the
# installation in PREFIX.
set -u
prefix=$(cd "${1:?usage: wrappers_test.sh PREFIX}" && pwd)
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
bin=$prefix/bin
include=-I$prefix/include
link="-L$prefix/lib -Wl,-rpath,$prefix/lib -Wl,--enable-new-dtags -lmpi_abi"

# The same program in C and C++.
cat >sum.c <<'END'
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int size, one = 1, sum = 0, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d of %d\n", sum, size);
    MPI_Finalize();
    return 0;
}
END
cp sum.c sum.cc

for wrapper in mpicc:gcc:TREEFOLD_CC:sum.c mpicxx:g++:TREEFOLD_CXX:sum.cc; do
    IFS=: read -r name compiler variable source <<<"$wrapper"
    mpi=$bin/$name
    [ "$name" = mpicc ] && language=c || language=c++
    if ! command -v "$compiler" >/dev/null; then
        skip "$name" "$compiler is missing"
        continue
    fi
    export "$variable=$compiler"
    equal "$name -show of a link" "$compiler $source -o x $include $link" "$("$mpi" -show "$source" -o x)"
    equal "$name -show of a compilation" "$compiler -c $source $include" "$("$mpi" -show -c "$source")"
    equal "$name -show before the arguments or behind them" "$("$mpi" -show x.o)" "$("$mpi" x.o -show)"
    equal "$name -compile-info" "$compiler $include" "$("$mpi" -compile-info)"
    equal "$name -link-info" "$compiler $include $link" "$("$mpi" -link-info)"
    for flag in -c -E -S -M --precompile '-x c-header' -xc++-header; do
        equal "$name $flag does not link" "" "$("$mpi" -show $flag "$source" | grep -o -e -lmpi_abi)"
    done
    check "$name -v without a file" "$mpi" -v
    check "$name --version" "$mpi" --version
    # PETSc's configure knows GNU's compilers by the first 20 lines, of which it reads no more.
    equal "$name --help begins with the compiler's" "$("$compiler" --help | head -n 20)" "$("$mpi" --help | head -n 20)"
    equal "$name --help has ours, too" "$("$mpi" -help)" "$("$mpi" --help | sed -n '/^usage: /,$p')"
    echo '#include <mpi.h>' >first.h
    check "$name compiles a header that is to be first" "$mpi" -x "$language-header" first.h -o first.h.gch
    check "$name takes an argument with spaces" "$mpi" '-DTEXT="two words"' -c "$source" -o spaces.o
    check "$name compiles and links" "$mpi" "$source" -o "$name.out"
    check "$name compiles" "$mpi" -Wall -Wextra -Werror -pedantic -c "$source" -o "$name.o"
    check "$name links" "$mpi" "$name.o" -o "$name.out"
    equal "$name's program runs alone" "1 of 1" "$(timeout -k 5 60 "./$name.out" 2>&1)"
    equal "$name's program runs on 3 processes" "3 of 3" "$(timeout -k 5 60 "$bin/mpiexec" -n 3 "./$name.out" 2>&1)"
    export "$variable=printf %s,"
    equal "$variable names the compiler" "-c,$source,$include," "$("$mpi" -c "$source")"
    unset "$variable"
    for other in MPICH OMPI; do
        equal "$name: the variable of $other names the compiler, too" "other" \
            "$(env "${variable/TREEFOLD/$other}=other" "$mpi" -showme:command)"
    done
    equal "$name -cc=" "other -c $source $include" "$("$mpi" -cc=other -c "$source" --showme)"
    equal "$name -showme" "$("$mpi" -show "$source")" "$("$mpi" -showme "$source")"
    check "$name -showme:version" "$mpi" -showme:version
done

# Whatever a program's flags are: C of any year, C++ without exceptions or types at run time.
for flags in '-std=c89 -pedantic' -std=c2x -flto -fshort-enums -fsanitize=undefined -static -static-pie; do
    case $flags in
    -static*) [ -f "$prefix/lib/libmpi_abi.a" ] || continue ;;
    esac
    check "a program in C with $flags" "$bin/mpicc" $flags sum.c -o flags.out
    equal "and its answer" "2 of 2" "$(timeout -k 5 60 "$bin/mpiexec" -n 2 ./flags.out 2>&1)"
done
if command -v "$("$bin/mpicxx" -showme:command)" >/dev/null; then
    for flags in -fno-exceptions '-fno-exceptions -fno-rtti' -std=c++98 '-std=c++20 -pedantic' \
        '-std=c++17 -Wold-style-cast -Wzero-as-null-pointer-constant'; do
        check "a program in C++ with $flags" "$bin/mpicxx" $flags -Wall -Wextra -Werror sum.cc -o flags.out
        equal "and its answer" "2 of 2" "$(timeout -k 5 60 "$bin/mpiexec" -n 2 ./flags.out 2>&1)"
    done
fi
for flag in -m32 -mx32; do
    "$("$bin/mpicc" -showme:command)" $flag -E -x c /dev/null >/dev/null 2>&1 || continue
    equal "$flag is told" "programs of 64 bits" \
        "$("$bin/mpicc" $flag -c sum.c -o flags.o 2>&1 | grep -o 'programs of 64 bits' | head -n 1)"
done

# What is deprecated or was removed compiles without a warning, unless one asks for it.
cat >old.c <<'END'
#include <mpi.h>
int old(MPI_Datatype type, MPI_Aint *extent);
int old(MPI_Datatype type, MPI_Aint *extent)
{
    int key, flag;
    void *value;
    MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &key, 0);
    MPI_Attr_get(MPI_COMM_SELF, key, &value, &flag);
    return MPI_Type_extent(type, extent);
}
END
check "old procedures, without a warning" "$bin/mpicc" -Wall -Wextra -Werror -pedantic -c old.c
equal "with -DTREEFOLD_WARN_DEPRECATED" "use MPI_Comm_create_keyval use MPI_Comm_get_attr use MPI_Type_get_extent" \
    "$(echo $("$bin/mpicc" -DTREEFOLD_WARN_DEPRECATED -c old.c 2>&1 | grep -o 'deprecated: use MPI_[A-Za-z_]*' | cut -d' ' -f2-))"

for names in mpirun:mpiexec mpic++:mpicxx mpiCC:mpicxx; do
    check "${names%:*} is ${names#*:}" cmp "$bin/${names%:*}" "$bin/${names#*:}"
done

# The library that a program finds is the one that LD_LIBRARY_PATH names, whatever the linker does by default.
mkdir other
cp "$prefix/lib/libmpi_abi.so.1" other
found()
{
    ldd "$1" | sed -n 's/.* => \(.*\/libmpi_abi[^ ]*\) .*/\1/p'
}

# lies_in NAME FOLDER PROGRAM: it loads one library of MPI, and from that folder.
lies_in()
{
    local loaded
    loaded=$(found "$3")
    equal "$1" "$(cd "$2" && pwd -P)" "$(cd "${loaded%/*}" && pwd -P)"
}

# has_runpath NAME FILE
has_runpath()
{
    equal "$1" "(RUNPATH)" "$(readelf -d "$2" | grep -o '(R[UN]*PATH)')"
}

check "a program of a linker with old tags" "$bin/mpicc" -Wl,--disable-new-dtags sum.c -o tags
has_runpath "it has RUNPATH" tags
lies_in "it finds the library" "$prefix/lib" ./tags
LD_LIBRARY_PATH=$work/other lies_in "and another one by LD_LIBRARY_PATH" other ./tags
for library in "$prefix"/lib/libmpifort_abi.so "$prefix"/lib/libpmpi_abi.so.0; do
    [ ! -e "$library" ] || has_runpath "${library##*/} has RUNPATH" "$library"
done

# Other libraries of the standard ABI record the name libmpi_abi.so.0 and have their PMPI_ names in libpmpi_abi.so.0: a
# copy of ours by that name, to link with.
mkdir zero
sed 's/libmpi_abi\.so\.1/libmpi_abi.so.0/g' "$prefix/lib/libmpi_abi.so.1" >zero/libmpi_abi.so
echo 'int PMPI_Barrier(void *comm); int unused(void) { return PMPI_Barrier(0); }' >use.c
check "a library of ours" "$bin/mpicc" -shared -fPIC use.c -o libuse.so
check "a program linked with libmpi_abi.so.0 and libpmpi_abi" gcc $include sum.c -Lzero -lmpi_abi -Wl,--no-as-needed \
    -L"$prefix/lib" -lpmpi_abi -L. -luse -Wl,-rpath,"$work" -Wl,--enable-new-dtags -o zero.out
equal "it records these names" "libmpi_abi.so.0 libpmpi_abi.so.0 libuse.so " \
    "$(readelf -d zero.out | sed -n 's/.*NEEDED.*\[\(lib.*\(abi\|use\).*\)\]/\1/p' | tr '\n' ' ')"
equal "and runs with ours, which is there once" "2 of 2" \
    "$(LD_LIBRARY_PATH=$prefix/lib timeout -k 5 60 "$bin/mpiexec" -n 2 ./zero.out 2>&1)"
equal "libpmpi_abi.so.0 needs ours" "libmpi_abi.so.1" \
    "$(readelf -d "$prefix/lib/libpmpi_abi.so.0" | sed -n 's/.*NEEDED.*\[\(lib.*mpi.*\)\]/\1/p')"

if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    flags_of()
    {
        pkg-config "$@" | xargs | sed 's|/lib/pkgconfig/\.\./\.\.||g'
    }
    for package in treefold mpi-c mpi-cxx mpi; do
        equal "pkg-config --cflags $package" "$include" "$(flags_of --cflags $package)"
        equal "pkg-config --libs $package" "$link" "$(flags_of --libs $package)"
    done
    check "a program builds with pkg-config's flags" "${CC:-gcc}" -Wl,--disable-new-dtags sum.c $(pkg-config --cflags --libs mpi-c) -o pc.out
    equal "and runs" "2 of 2" "$(timeout -k 5 60 "$bin/mpiexec" -n 2 ./pc.out 2>&1)"
    has_runpath "and has RUNPATH" pc.out
else
    skip "pkg-config" "it is missing"
fi

check "a program builds with -lmpi" "${CC:-gcc}" -I"$prefix/include" sum.c -L"$prefix/lib" -lmpi -Wl,-rpath,"$prefix/lib" -o l.out
equal "and runs" "2 of 2" "$(timeout -k 5 60 "$bin/mpiexec" -n 2 ./l.out 2>&1)"

if command -v cmake >/dev/null && command -v g++ >/dev/null; then
    mkdir project
    cp sum.c sum.cc project
    cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(sum C CXX)
find_package(MPI REQUIRED COMPONENTS C CXX)
message(STATUS "found MPI ${MPI_C_VERSION} ${MPI_CXX_VERSION}")
message(STATUS "library ${MPI_mpi_abi_LIBRARY}")
message(STATUS "starter ${MPIEXEC_EXECUTABLE}")
add_executable(c_sum sum.c)
target_link_libraries(c_sum MPI::MPI_C)
add_executable(cxx_sum sum.cc)
target_link_libraries(cxx_sum MPI::MPI_CXX)
END
    check "find_package(MPI) of CMake" env PATH="$bin:$PATH" cmake -S project -B project/build
    cmake -S project -B project/build >cmake.log 2>&1
    equal "CMake finds MPI 5.0" "-- found MPI 5.0 5.0" "$(grep 'found MPI' cmake.log)"
    equal "CMake finds our library" "-- library $prefix/lib/libmpi_abi.so" "$(grep -e '-- library' cmake.log)"
    equal "CMake finds our mpiexec" "-- starter $bin/mpiexec" "$(grep -e '-- starter' cmake.log)"
    check "CMake builds" cmake --build project/build
    equal "CMake's C program" "2 of 2" "$(timeout -k 5 60 "$bin/mpiexec" -n 2 project/build/c_sum 2>&1)"
    equal "CMake's C++ program" "2 of 2" "$(timeout -k 5 60 "$bin/mpiexec" -n 2 project/build/cxx_sum 2>&1)"
else
    skip "find_package(MPI) of CMake" "cmake or g++ is missing"
fi

# An installation that was copied, here into a folder whose name has a blank: everything is found around it.
moved="$work/mo ved"
mkdir "$moved"
cp -a "$prefix/bin" "$prefix/include" "$prefix/lib" "$prefix/libexec" "$moved"
moved_link="-L$moved/lib -Wl,-rpath,$moved/lib -Wl,--enable-new-dtags -lmpi_abi"
ln -s "$moved/bin/mpicc" elsewhere
for mpi in "$moved/bin/mpicc" ./elsewhere; do
    equal "what $(basename "$mpi") of a copy says" "${CC:-gcc} x.c -I$moved/include $moved_link" \
        "$(TREEFOLD_CC=${CC:-gcc} "$mpi" -show x.c)"
done
check "the copy's wrapper compiles and links" "$moved/bin/mpicc" sum.c -o moved.out
equal "its treefold info says where it is" "  prefix      $moved" "$("$moved/bin/treefold" info | grep '^  prefix')"
equal "its program runs" "2 of 2" "$(timeout -k 5 60 "$moved/bin/mpiexec" -n 2 ./moved.out 2>&1)"
check "with the copy's library" grep -q "mo ved/lib/libmpi_abi" <(ldd moved.out)
libraries=("$moved"/lib/lib*.so.?)
equal "its libraries look for each other where they are" "" \
    "$(readelf -d "${libraries[@]}" | sed -n 's/.*runpath: *//p' | grep -vF '[$ORIGIN]')"
equal "it has no files of libtool's, which name the place of the first one" "" "$(find "$moved" -name '*.la')"
if command -v pkg-config >/dev/null; then
    ln -s "$moved" moved # pkg-config does not quote what the linker is to be told
    "${CC:-gcc}" sum.c $(PKG_CONFIG_PATH="$work/moved/lib/pkgconfig" pkg-config --cflags --libs mpi-c) -o pc_moved.out
    check "with its pkg-config files its library is found" grep -q "$work/moved/lib/.*libmpi_abi" <(ldd pc_moved.out)
fi
[ ! -e "$prefix/lib/treefold/libtreefold_malloc.so" ] || equal "what it would preload has a blank" "-share-heap needs $moved/lib/treefold/libtreefold_malloc.so, whose path the loader takes for two" \
    "$("$moved/bin/mpiexec" -share-heap -n 1 true 2>&1 | grep -o -e '-share-heap needs .* for two')"
check "the copy's treefold tune" \
    grep -q "^# reduce" <(timeout -k 5 60 "$moved/bin/treefold" tune -n 2 --collectives reduce --max-bytes 8 --time 0.1 2>&1)

finish
