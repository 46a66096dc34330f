#!/usr/bin/env bash
# test/cmd/wrappers_test.sh PREFIX - mpicc, mpicxx, the pkg-config files and CMake's find_package(MPI), on the
# installation in PREFIX.
set -u
prefix=$(cd "${1:?usage: wrappers_test.sh PREFIX}" && pwd)
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
bin=$prefix/bin
include=-I$prefix/include
link="-L$prefix/lib -Wl,-rpath,$prefix/lib -lmpi_abi"

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
    for flag in -c -E -S -M; do
        equal "$name $flag does not link" "" "$("$mpi" -show $flag "$source" | grep -o -e -lmpi_abi)"
    done
    check "$name -v without a file" "$mpi" -v
    check "$name --version" "$mpi" --version
    check "$name takes an argument with spaces" "$mpi" '-DTEXT="two words"' -c "$source" -o spaces.o
    check "$name compiles and links" "$mpi" "$source" -o "$name.out"
    check "$name compiles" "$mpi" -Wall -Wextra -Werror -pedantic -c "$source" -o "$name.o"
    check "$name links" "$mpi" "$name.o" -o "$name.out"
    equal "$name's program runs alone" "1 of 1" "$(timeout -k 5 60 "./$name.out" 2>&1)"
    equal "$name's program runs on 3 processes" "3 of 3" "$(timeout -k 5 60 "$bin/mpiexec" -n 3 "./$name.out" 2>&1)"
    export "$variable=printf %s,"
    equal "$variable names the compiler" "-c,$source,$include," "$("$mpi" -c "$source")"
    unset "$variable"
done

check "mpirun is mpiexec" cmp "$bin/mpirun" "$bin/mpiexec"

if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    for package in treefold mpi-c; do
        equal "pkg-config --cflags $package" "$include" "$(pkg-config --cflags $package | xargs)"
        equal "pkg-config --libs $package" "$link" "$(pkg-config --libs $package | xargs)"
    done
    check "a program builds with pkg-config's flags" "${CC:-gcc}" sum.c $(pkg-config --cflags --libs mpi-c) -o pc.out
    equal "and runs" "2 of 2" "$(timeout -k 5 60 "$bin/mpiexec" -n 2 ./pc.out 2>&1)"
else
    skip "pkg-config" "it is missing"
fi

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

finish
