/* As errors_memory, for collectives on intercommunicators: memory that runs out on one rank, at each allocation of each
 * of them in turn.
 *
 * np: 2 3
 * only: treefold
 * timeout: 120
 */
#include "inter.h"
#include "modes.h"
#include "shortage.h"

enum { SHORT = 5, LONG = 20000 };

/* One side has rank 0, the other one all others. */
static struct inter sides;
static MPI_Comm comm; /* a duplicate of theirs, new for each call */
static uint32_t *in, *out, *want;

/* Element i of a rank of MPI_COMM_WORLD. */
static uint32_t value(int world, int i)
{
    return (uint32_t)check_value(world, i) % 1000;
}

static int other(int rank)
{
    return inter_world(&sides, !sides.low, rank);
}

static uint32_t sum_of_others(int i)
{
    uint32_t sum = 0;
    for (int r = 0; r < sides.others; r++)
        sum += value(other(r), i);
    return sum;
}

#define TYPE MPI_UINT32_T

static int make_barrier(int mode, int n)
{
    MPI_Request request = MPI_REQUEST_NULL;
    (void)n;
    int code = mode == BLOCKING      ? MPI_Barrier(comm)
               : mode == NONBLOCKING ? MPI_Ibarrier(comm, &request)
                                     : MPI_Barrier_init(comm, MPI_INFO_NULL, &request);
    return mode_end(mode, code, &request);
}
static void expect_nothing(int n)
{
    (void)n;
}

/* The root is rank 0 of the low side. */
static int make_bcast(int mode, int n)
{
    if (sides.low)
        memcpy(out, in, (size_t)n * sizeof *in);
    return CALL(mode, bcast, Bcast, out, n, TYPE, inter_root(&sides, true, 0), comm);
}
static void expect_bcast(int n)
{
    for (int i = 0; i < n; i++)
        want[i] = value(0, i);
}

static int make_gather(int mode, int n)
{
    return CALL(mode, gather, Gather, in, n, TYPE, out, n, TYPE, inter_root(&sides, true, 0), comm);
}
static void expect_gather(int n)
{
    for (int r = 0; sides.low && r < sides.others; r++)
        for (int i = 0; i < n; i++)
            want[r * n + i] = value(other(r), i);
}

static int make_scatter(int mode, int n)
{
    return CALL(mode, scatter, Scatter, in, n, TYPE, out, n, TYPE, inter_root(&sides, true, 0), comm);
}
static void expect_scatter(int n)
{
    for (int i = 0; !sides.low && i < n; i++)
        want[i] = value(0, sides.rank * n + i);
}

static int make_reduce(int mode, int n)
{
    return CALL(mode, reduce, Reduce, in, out, n, TYPE, MPI_SUM, inter_root(&sides, true, 0), comm);
}
static void expect_reduce(int n)
{
    for (int i = 0; sides.low && i < n; i++)
        want[i] = sum_of_others(i);
}

static int make_allgather(int mode, int n)
{
    return CALL(mode, allgather, Allgather, in, n, TYPE, out, n, TYPE, comm);
}
static void expect_allgather(int n)
{
    for (int r = 0; r < sides.others; r++)
        for (int i = 0; i < n; i++)
            want[r * n + i] = value(other(r), i);
}

static int make_alltoall(int mode, int n)
{
    return CALL(mode, alltoall, Alltoall, in, n, TYPE, out, n, TYPE, comm);
}
static void expect_alltoall(int n)
{
    for (int r = 0; r < sides.others; r++)
        for (int i = 0; i < n; i++)
            want[r * n + i] = value(other(r), sides.rank * n + i);
}

static int make_allreduce(int mode, int n)
{
    return CALL(mode, allreduce, Allreduce, in, out, n, TYPE, MPI_SUM, comm);
}
static void expect_allreduce(int n)
{
    for (int i = 0; i < n; i++)
        want[i] = sum_of_others(i);
}

/* Both groups contribute vectors of the same length. */
static int make_reduce_scatter_block(int mode, int n)
{
    return CALL(mode, reduce_scatter_block, Reduce_scatter_block, in, out, n * sides.others, TYPE, MPI_SUM, comm);
}
static void expect_reduce_scatter_block(int n)
{
    for (int i = 0; i < n * sides.others; i++)
        want[i] = sum_of_others(sides.rank * n * sides.others + i);
}

static const struct call {
    const char *name;
    int (*make)(int mode, int n);
    void (*expect)(int n);
} calls[] = {
    {"barrier", make_barrier, expect_nothing},
    {"bcast", make_bcast, expect_bcast},
    {"gather", make_gather, expect_gather},
    {"scatter", make_scatter, expect_scatter},
    {"reduce", make_reduce, expect_reduce},
    {"allgather", make_allgather, expect_allgather},
    {"alltoall", make_alltoall, expect_alltoall},
    {"allreduce", make_allreduce, expect_allreduce},
    {"reduce_scatter_block", make_reduce_scatter_block, expect_reduce_scatter_block},
};
enum { NCALLS = sizeof calls / sizeof *calls };

static bool fails_at(const struct call *call, int mode, int n, size_t room, int victim, int k, bool for_good)
{
    char what[110];
    snprintf(what, sizeof what, "%s %s between groups, %d elements, allocation %d of rank %d%s", mode_names[mode],
             call->name, n, k, victim, for_good ? " and all later ones" : "");
    if (getenv("ERRORS_MEMORY_TELLS") && check_rank == 0)
        puts(what);
    CHECK_OK(MPI_Comm_dup(sides.comm, &comm));
    memset(out, 0x5a, room);
    begin_shortage(victim, k, for_good);
    int code = call->make(mode, n);
    bool hit = end_shortage(victim);
    if (code != MPI_SUCCESS)
        must_tell(code, what);
    else
        CHECK_NOTED(memcmp(out, want, room) == 0, "wrong values, %s", what);
    CHECK_NOTED(hit || code == MPI_SUCCESS, "fails though nothing went wrong, %s", what);
    sums_to(comm, what);
    CHECK_OK(MPI_Comm_free(&comm));
    return hit;
}

static void sweep(const struct call *call, int mode, int n)
{
    size_t count = (size_t)n * (size_t)check_size * (size_t)check_size, room = count * sizeof *out;
    for (size_t i = 0; i < count; i++)
        in[i] = value(check_rank, (int)i);
    memset(want, 0x5a, room);
    call->expect(n);
    static int turn;
    turn++;
    for (int k = 0; fails_at(call, mode, n, room, turn % check_size, k, turn / check_size % 2); k++)
        ;
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    share_page();
    inter_open(&sides, 1, false);
    size_t most = (size_t)LONG * (size_t)check_size * (size_t)check_size * sizeof *in;
    in = check_alloc(most, 0);
    out = check_alloc(most, 0);
    want = check_alloc(most, 0);
    for (int c = 0; c < NCALLS; c++)
        for (int mode = BLOCKING; mode <= PERSISTENT; mode++)
            for (int n = SHORT; n <= LONG; n += LONG - SHORT)
                sweep(&calls[c], mode, n);
    free(in);
    free(out);
    free(want);
    inter_close(&sides);
    return check_end();
}
