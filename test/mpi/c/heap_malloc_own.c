/* heap_malloc_own.c - a program with a malloc of its own keeps it, and what that lacks is not from the shared heap.
 *
 * np: 1 2
 * option: -share-heap
 * needs: lib/treefold/libtreefold_malloc.so
 * only: treefold
 */
#include "check.h"
#include "in_heap.h"
#include "scarce.h"

enum { BYTES = 1 << 20 };

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    void *own = malloc(BYTES), *lacking = NULL, *of_mpi = NULL;
    CHECK_INT(posix_memalign(&lacking, 64, BYTES), 0);
    CHECK_OK(MPI_Alloc_mem(BYTES, MPI_INFO_NULL, &of_mpi));
    CHECK(!in_heap(own, BYTES));
    CHECK(!in_heap(lacking, BYTES));
    CHECK(in_heap(of_mpi, BYTES));
    memset(own, check_rank, BYTES);
    memset(lacking, 0, BYTES);
    CHECK_OK(MPI_Allreduce(own, lacking, BYTES, MPI_UNSIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD));
    int wrong = 0;
    for (int i = 0; i < BYTES; i++)
        wrong += ((unsigned char *)lacking)[i] != check_size * (check_size - 1) / 2;
    CHECK_INT(wrong, 0);
    free(own);
    free(lacking); /* by the program's */
    CHECK_OK(MPI_Free_mem(of_mpi));
    return check_end();
}
