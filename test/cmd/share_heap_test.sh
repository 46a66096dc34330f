#!/usr/bin/env bash
# test/cmd/share_heap_test.sh PREFIX - mpiexec -share-heap and the library that it preloads, beside other libraries that
# have a malloc, under other launchers, and in C++.  What malloc itself does there, test/mpi/c/heap_malloc.c looks at.
set -u
prefix=$(cd "${1:?usage: test/cmd/share_heap_test.sh PREFIX}" && pwd)
. "$(dirname "$0")/lib.sh"
mpiexec=$prefix/bin/mpiexec library=$prefix/lib/treefold/libtreefold_malloc.so
folder=$(cd "$(dirname "$0")/../mpi/c" && pwd)
unset "${!TREEFOLD_@}" LD_PRELOAD

if [ ! -e "$library" ]; then
    says 'a build without the library says so' "-share-heap needs $library" "$mpiexec" -share-heap -n 1 true
    finish
fi

cat >"$work/where.c" <<'END'
#include <mpi.h>
#include <stdlib.h>
#include "in_heap.h"
int main(int argc, char **argv)
{
    int rank;
    char *before = malloc(1 << 20), *small = malloc(1000);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *after = realloc(malloc(1000), 2 << 20), *back = realloc(malloc(1 << 20), 1000);
    memset(after, 1, 2 << 20);
    if (rank == 0)
        printf("%d%d%d%d\n", in_heap(before, 1 << 20), in_heap(small, 1000), in_heap(after, 2 << 20), in_heap(back, 1000));
    free(before), free(small), free(after), free(back);
    MPI_Finalize();
    return 0;
}
END

# A malloc that knows its own blocks, and ends the program when it is given others.
cat >"$work/own.c" <<'END'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);
struct head { uint64_t mark, bytes; char *block; uint64_t unused; };
static struct head *head_of(void *at)
{
    struct head *head = (struct head *)at - 1;
    if (head->mark != 0x6f776e6f776e6f77)
        abort();
    return head;
}
void *memalign(size_t alignment, size_t bytes)
{
    size_t room = alignment > sizeof(struct head) ? alignment : sizeof(struct head);
    char *block = __libc_memalign(room, bytes + room);
    if (!block)
        return NULL;
    *((struct head *)(block + room) - 1) = (struct head){0x6f776e6f776e6f77, bytes, block, 0};
    return block + room;
}
void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void **at, size_t alignment, size_t bytes)
{
    void *block = memalign(alignment, bytes);
    if (block)
        *at = block;
    return block ? 0 : 12;
}
void *malloc(size_t bytes) { return memalign(16, bytes); }
void free(void *at)
{
    if (at) {
        struct head *head = head_of(at);
        head->mark = 0;
        __libc_free(head->block);
    }
}
void *calloc(size_t n, size_t bytes)
{
    void *at = malloc(n * bytes);
    return at ? memset(at, 0, n * bytes) : NULL;
}
size_t malloc_usable_size(void *at) { return at ? head_of(at)->bytes : 0; }
void *realloc(void *old, size_t bytes)
{
    void *at = malloc(bytes);
    size_t had = malloc_usable_size(old);
    if (at && old)
        memcpy(at, old, had < bytes ? had : bytes);
    free(old);
    return at;
}
END
check 'the program builds' "$prefix/bin/mpicc" -I"$folder" "$work/where.c" -o "$work/where"
check 'the library with a malloc builds' cc -O1 -fno-builtin -fPIC -shared "$work/own.c" -o "$work/libown.so"
check 'a program that is linked with it builds' "$prefix/bin/mpicc" -I"$folder" "$work/where.c" -o "$work/where_own" \
    -L"$work" -Wl,--no-as-needed -lown -Wl,-rpath,"$work"

equal 'without it, nothing is in the heap' 0000 "$("$mpiexec" -n 2 "$work/where" 2>&1)"
equal 'with it, what is large' 1010 "$("$mpiexec" -share-heap -n 2 "$work/where" 2>&1)"
equal 'the setting says what is large' 0010 "$(TREEFOLD_SHARE_MALLOC=2M "$mpiexec" -share-heap -n 2 "$work/where" 2>&1)"
equal 'a malloc of a library has what is small' 1010 "$("$mpiexec" -share-heap -n 2 "$work/where_own" 2>&1)"
equal 'and of one that is preloaded' 1010 "$(LD_PRELOAD=$work/libown.so "$mpiexec" -share-heap -n 2 "$work/where" 2>&1)"
equal 'one that comes before keeps all' 0000 "$(LD_PRELOAD=$work/libown.so:$library "$work/where" 2>&1)"
equal 'preloaded without mpiexec' 1010 "$(LD_PRELOAD=$library "$work/where" 2>&1)"
equal 'through a shell' 1010 "$("$mpiexec" -share-heap -n 2 sh -c "'$work/where'" 2>&1)"

if command -v c++ >/dev/null; then
    cat >"$work/new.cc" <<'END'
#include <mpi.h>
#include <vector>
#include "in_heap.h"
int main(int argc, char **argv)
{
    std::vector<double> before(100000, 1);
    MPI_Init(&argc, &argv);
    double *after = new double[100000];
    std::vector<double> small(100, 1);
    printf("%d%d%d\n", in_heap(before.data(), 800000), in_heap(after, 800000), in_heap(small.data(), 800));
    delete[] after;
    before.resize(1000000, 2);
    MPI_Finalize();
    return before[99999] != 1 || before[999999] != 2;
}
END
    check 'a program in C++ builds' "$prefix/bin/mpicxx" -I"$folder" "$work/new.cc" -o "$work/new"
    equal 'new' 110 "$("$mpiexec" -share-heap -n 1 "$work/new" 2>&1)"
fi

finish
