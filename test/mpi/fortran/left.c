/* left.c - linked with every test in Fortran, which calls it after MPI_Finalize, as check_end() does in C: how many
 * objects are left, which is told, but for those that the library keeps.  The tool interface has no Fortran.
 */
#include "../c/check.h"

int check_left_of_rank(int rank, int kept)
{
    check_rank = rank;
    check_kept = (unsigned)kept;
    return (int)check_left();
}
