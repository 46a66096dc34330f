/* shortage.h - memory that is short on one rank, and what must be so then and afterwards.
 *
 *     begin_shortage(victim, k, for_good);
 *     code = MPI_X(...)                          on all ranks
 *     hit = end_shortage(victim);                whether an allocation failed there
 *     if (code != MPI_SUCCESS) must_tell(code, what);
 */
#ifndef SHORTAGE_H
#define SHORTAGE_H

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "scarce.h"

static inline void must_tell(int code, const char *what)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length, class;
    MPI_Error_class(code, &class);
    MPI_Error_string(code, text, &length);
    CHECK_NOTED(class == MPI_ERR_NO_MEM && (strstr(text, "memory") || strstr(text, "allocate")), "class %d, %.60s, %s",
                class, text, what);
}

static inline void sums_to(MPI_Comm comm, const char *what)
{
    int one = 1, sum = 0, n = 0;
    MPI_Comm_test_inter(comm, &n);
    if (n)
        MPI_Comm_remote_size(comm, &n);
    else
        MPI_Comm_size(comm, &n);
    int code = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK_NOTED(code == MPI_SUCCESS && sum == n, "afterwards, %s: code %d, %d and not %d", what, code, sum, n);
}

/* A page that all ranks share: the rank that is short of memory must not get messages of the next call meanwhile, and
 * MPI cannot tell the others to wait. */
static volatile struct {
    int turn;
    bool hit;
} * page;

static inline void share_page(void)
{
    char name[64] = "/tmp/errors_memory.XXXXXX";
    int file = check_rank == 0 ? mkstemp(name) : -1;
    CHECK(check_rank > 0 || (file >= 0 && ftruncate(file, sizeof *page) == 0));
    CHECK_OK(MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD));
    if (check_rank > 0)
        file = open(name, O_RDWR);
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(page != MAP_FAILED);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    close(file);
    if (check_rank == 0)
        unlink(name);
}

/* Between these two memory is short on the victim.  The second says whether an allocation failed there; who waits long
 * for a victim that dawdles leaves it the processor. */
static inline void begin_shortage(int victim, int k, bool for_good)
{
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (check_rank == victim)
        scarce_begin(k, for_good);
}

static inline bool end_shortage(int victim)
{
    enum { SOON = 50 };
    static int turn;
    int flag;
    turn++;
    if (check_rank == victim) {
        page->hit = scarce_end();
        page->turn = turn;
    }
    for (int i = 0; page->turn != turn; i++) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        if (i > SOON)
            usleep(50);
    }
    return page->hit;
}

#endif
