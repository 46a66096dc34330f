/* A pool that grows and shrinks: workers are started from MPI_COMM_SELF, merged with, given work and let go, many times
 * over, without a descriptor, a process or much memory more than in the beginning.  With a first argument so many
 * times.
 *
 * np: - 1
 * timeout: 120
 * only: treefold
 */
#include "spawn.h"

/* Pages of address space, which is what peers and rings take. */
static long count_pages(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages;
}

static void once(int i)
{
    char *argv[] = {"worker", NULL};
    int n = 1 + i % 2, work = i, sum = -1;
    MPI_Comm inter, pool;
    CHECK_OK(MPI_Comm_spawn(spawn_self(), argv, n, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter, MPI_ERRCODES_IGNORE));
    CHECK_OK(MPI_Intercomm_merge(inter, 0, &pool));
    CHECK_OK(MPI_Bcast(&work, 1, MPI_INT, 0, pool));
    CHECK_OK(MPI_Reduce(&work, &sum, 1, MPI_INT, MPI_SUM, 0, pool));
    CHECK_INT(sum, (n + 1) * i);
    CHECK_OK(MPI_Comm_disconnect(&pool));
    CHECK_OK(MPI_Comm_disconnect(&inter));
}

static void worker(MPI_Comm parent)
{
    int work = -1;
    MPI_Comm pool;
    CHECK_OK(MPI_Intercomm_merge(parent, 1, &pool));
    CHECK_OK(MPI_Bcast(&work, 1, MPI_INT, 0, pool));
    CHECK_OK(MPI_Reduce(&work, NULL, 1, MPI_INT, MPI_SUM, 0, pool));
    CHECK_OK(MPI_Comm_disconnect(&pool));
    CHECK_OK(MPI_Comm_disconnect(&parent));
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    check_start(&argc, &argv);
    CHECK_OK(MPI_Comm_get_parent(&parent));
    if (parent != MPI_COMM_NULL) {
        worker(parent);
        return spawn_end();
    }
    int times = argc > 1 ? atoi(argv[1]) : 12, files = 0;
    long pages = 0;
    for (int i = 0; i < times; i++) {
        once(i);
        if (i == 3) {
            files = spawn_count_files();
            pages = count_pages();
        }
    }
    CHECK_INT(spawn_count_files(), files);
    CHECK_NOTED(count_pages() - pages < 600, "%ld pages were %ld", count_pages(), pages);
    return check_end();
}
