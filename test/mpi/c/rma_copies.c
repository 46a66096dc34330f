/* What the system copies between processes of a node, whose calls are this program's: how many there are, some that
 * copy a part, and some that are refused, after which all goes by messages.  Where no call is made the values are the
 * same.
 *
 * np: 2 3
 * only: treefold
 */
#define _GNU_SOURCE
#include "rma.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MANY = 1000, LONG = 300000, FEW = 64 };

static int reads, writes, most = -1;          /* bytes of a call that are copied; -1: all */
static int reads_left = -1, writes_left = -1; /* calls that are not refused; -1: all */

/* The first rows of them, `bytes` together. */
static unsigned long cut(struct iovec *cut, const struct iovec *rows, unsigned long n, size_t bytes)
{
    unsigned long i = 0;
    for (; i < n && bytes > 0; i++) {
        cut[i] = rows[i];
        if (cut[i].iov_len > bytes)
            cut[i].iov_len = bytes;
        bytes -= cut[i].iov_len;
    }
    return i;
}

static ssize_t copy(long call, int *left, pid_t pid, const struct iovec *here, unsigned long nhere,
                    const struct iovec *there, unsigned long nthere)
{
    static struct iovec some_here[1024], some_there[1024];
    if (*left == 0) {
        errno = EPERM;
        return -1;
    }
    *left -= *left > 0;
    if (most >= 0) {
        nhere = cut(some_here, here, nhere, (size_t)most);
        nthere = cut(some_there, there, nthere, (size_t)most);
        here = some_here;
        there = some_there;
    }
    return syscall(call, pid, here, nhere, there, nthere, 0);
}

ssize_t process_vm_readv(pid_t pid, const struct iovec *here, unsigned long nhere, const struct iovec *there,
                         unsigned long nthere, unsigned long flags)
{
    (void)flags;
    reads++;
    return copy(SYS_process_vm_readv, &reads_left, pid, here, nhere, there, nthere);
}

ssize_t process_vm_writev(pid_t pid, const struct iovec *here, unsigned long nhere, const struct iovec *there,
                          unsigned long nthere, unsigned long flags)
{
    (void)flags;
    writes++;
    return copy(SYS_process_vm_writev, &writes_left, pid, here, nhere, there, nthere);
}

static struct window w;
static enum flavor flavor;
static int right, left, round_number;

static int value_of(int rank, int i)
{
    return check_value(rank, i) + 100000 * round_number;
}

static void open_window(void)
{
    rma_open(&w, flavor, LONG * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, 0);
    right = (w.rank + 1) % w.size;
    left = (w.rank + w.size - 1) % w.size;
    round_number++;
    CHECK_OK(MPI_Win_lock_all(0, w.win));
}

static MPI_Aint cell(int i)
{
    return rma_disp(&w, right, (MPI_Aint)(i * (int)sizeof(int)));
}

/* Every other cell of the neighbor, one by one, and back; where it is `few` calls, at most so many. */
static void short_ones(int n, int calls)
{
    int *out = check_alloc((size_t)n * sizeof *out, 0), *in = check_alloc((size_t)n * sizeof *in, 0xe5);
    open_window();
    reads = writes = 0;
    for (int i = 0; i < n; i++) {
        out[i] = value_of(w.rank, i);
        CHECK_OK(MPI_Put(&out[i], 1, MPI_INT, right, cell(2 * i), 1, MPI_INT, w.win));
    }
    CHECK_OK(MPI_Win_flush(right, w.win));
    CHECK_NOTED(writes <= calls, "%d calls for %d puts", writes, n);
    CHECK_OK(MPI_Barrier(w.comm));
    CHECK_OK(MPI_Win_sync(w.win));
    for (int i = 0; i < n; i++)
        CHECK_NOTED(((volatile int *)w.base)[2 * i] == value_of(left, i), "%d puts, number %d", n, i);
    for (int i = 0; i < n; i++)
        CHECK_OK(MPI_Get(&in[i], 1, MPI_INT, right, cell(2 * i), 1, MPI_INT, w.win));
    CHECK_OK(MPI_Win_flush_local(right, w.win));
    CHECK_BYTES(in, out, (size_t)n * sizeof *in);
    CHECK_NOTED(reads <= calls, "%d calls for %d gets", reads, n);
    CHECK_OK(MPI_Win_unlock_all(w.win));
    rma_close(&w);
    free(out);
    free(in);
}

/* A long one among short ones, and requests, which end without a flush. */
static void all_lengths(int calls)
{
    int *out = check_alloc(LONG * sizeof *out, 0), *in = check_alloc(LONG * sizeof *in, 0xe5);
    MPI_Request requests[FEW];
    open_window();
    for (int i = 0; i < LONG; i++)
        out[i] = value_of(w.rank, i);
    for (int i = 0; i < FEW; i++)
        CHECK_OK(MPI_Put(&out[i], 1, MPI_INT, right, cell(i), 1, MPI_INT, w.win));
    CHECK_OK(MPI_Put(&out[FEW], LONG - 2 * FEW, MPI_INT, right, cell(FEW), LONG - 2 * FEW, MPI_INT, w.win));
    for (int i = 0; i < FEW; i++)
        CHECK_OK(MPI_Rput(&out[LONG - 1 - i], 1, MPI_INT, right, cell(LONG - 1 - i), 1, MPI_INT, w.win, &requests[i]));
    CHECK_OK(MPI_Waitall(FEW, requests, MPI_STATUSES_IGNORE));
    CHECK_OK(MPI_Win_flush_all(w.win));
    CHECK_OK(MPI_Barrier(w.comm));
    CHECK_OK(MPI_Win_sync(w.win));
    for (int i = 0; i < LONG; i++)
        CHECK_NOTED(((volatile int *)w.base)[i] == value_of(left, i), "cell %d", i);
    reads = 0;
    for (int i = 0; i < FEW; i++)
        CHECK_OK(MPI_Rget(&in[i], 1, MPI_INT, right, cell(i), 1, MPI_INT, w.win, &requests[i]));
    CHECK_OK(MPI_Waitall(FEW, requests, MPI_STATUSES_IGNORE));
    CHECK_BYTES(in, out, FEW * sizeof *in);
    CHECK_NOTED(reads <= calls, "%d calls for gets with requests", reads);
    for (int i = FEW; i < 2 * FEW; i++)
        CHECK_OK(MPI_Get(&in[i], 1, MPI_INT, right, cell(i), 1, MPI_INT, w.win));
    CHECK_OK(MPI_Get(&in[2 * FEW], LONG - 2 * FEW, MPI_INT, right, cell(2 * FEW), LONG - 2 * FEW, MPI_INT, w.win));
    CHECK_OK(MPI_Win_flush_local_all(w.win));
    CHECK_BYTES(in, out, LONG * sizeof *in);
    CHECK_OK(MPI_Win_unlock_all(w.win));
    rma_close(&w);
    free(out);
    free(in);
}

/* A window that is freed when all has been copied, and nothing has looked since; its place is used again at once. */
static void freed(int n)
{
    int out = 5, in = 0;
    open_window();
    CHECK_OK(MPI_Win_unlock_all(w.win));
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, w.win));
    for (int i = 0; i < n; i++)
        CHECK_OK(MPI_Put(&out, 1, MPI_INT, right, cell(i), 1, MPI_INT, w.win));
    CHECK_OK(MPI_Win_unlock(right, w.win));
    rma_close(&w);
    CHECK_OK(MPI_Sendrecv(&out, 1, MPI_INT, right, 1, &in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_INT(in, out);
}

/* In a new window, so that each time the first call finds out. */
static void with_calls(int pieces)
{
    most = pieces;
    short_ones(FEW, MANY);
    short_ones(MANY, MANY);
    all_lengths(MANY);
    most = -1;
}

static void all_of_a_flavor(enum flavor of, bool one_node)
{
    flavor = of;
    short_ones(1, 1);
    short_ones(FEW, 1);
    short_ones(MANY, MANY / 100);
    all_lengths(1);
    for (int n = 510; n <= 514; n++)
        freed(n / 2);
    with_calls(40);
    with_calls(6);
    CHECK_NOTED(reads > 0 || !one_node, "%s", flavor_words[of]);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    bool one_node = rma_one_node(MPI_COMM_WORLD);
    all_of_a_flavor(CREATE, one_node);
    all_of_a_flavor(DYNAMIC, one_node);
    /* Refused in the midst of it, and for good: this process tells the peer apart, not the window. */
    most = 100;
    reads_left = writes_left = 2;
    short_ones(FEW, 3); /* or none: the neighbor may have done them */
    all_lengths(3);
    most = -1;
    short_ones(MANY, 0);
    return check_end();
}
