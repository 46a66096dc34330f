/* Arrays that are made and freed in each step have the pages of those before, where malloc would give them back to the
 * system (setting keep_freed).
 *
 * np: - 2
 * only: treefold
 */
#include "check.h"

#include <sys/resource.h>

enum { ARRAYS = 4, BYTES = 300 * 1024, STEPS = 50, PAGE = 4096 };

static long faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

/* Pages that were new in all steps but the first. */
static long new_pages(void)
{
    long before = 0;
    for (int step = 0; step < STEPS; step++) {
        volatile char *array[ARRAYS];
        for (int i = 0; i < ARRAYS; i++) {
            array[i] = malloc(BYTES);
            for (int k = 0; k < BYTES; k += PAGE)
                array[i][k] = 1;
        }
        for (int i = 0; i < ARRAYS; i++)
            free((void *)array[i]);
        before = step == 0 ? faults() : before;
    }
    return faults() - before;
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    if (CHECK_SLOW > 1) {
        if (check_rank == 0)
            printf("skipped: a sanitizer has a malloc of its own\n");
        return MPI_Finalize();
    }
    long pages = new_pages(), all = (STEPS - 1L) * ARRAYS * (BYTES / PAGE);
    CHECK_NOTED(pages < all / 10, "%ld new pages, of %ld that are used", pages, all);
    return check_end();
}
