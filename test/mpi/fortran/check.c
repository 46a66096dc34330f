/* check.c - linked with every test in Fortran: what of check.h they need. */
#include "../c/check.h"

/* Called after MPI_Finalize, as check_end() does in C: how many objects are left, which is told, but for those that the
 * library keeps.  The tool interface has no Fortran. */
int check_left_of_rank(int rank, int kept)
{
    check_rank = rank;
    check_kept = (unsigned)kept;
    return (int)check_left();
}
