/* Ranks that disagree without a message of the other call ever coming to a rank that waits: each is told, none hangs,
 * and the world goes on working.  Each case has a communicator of its own.
 *
 * np: 2 3 5
 * only: treefold
 * timeout: 60
 */
#include <unistd.h>

#include "check.h"

static int in[4000], out[4000];
static MPI_Comm comm;

static void must_fail(int code, const char *words, const char *what)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (code != MPI_SUCCESS)
        MPI_Error_string(code, text, &length);
    CHECK_NOTED(code != MPI_SUCCESS && strstr(text, words), "%s: %.150s", what, code ? text : "success");
}

/* Where something is left over MPI_Comm_free says so, once. */
static int finish(void)
{
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    int code = MPI_Comm_free(&comm);
    if (code)
        CHECK_OK(MPI_Comm_free(&comm));
    return code;
}

static void fresh(void)
{
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
}

/* Ranks 0 and 1 disagree; further ranks agree with one of them and must not hang either. */
static void roots_of_a_reduction(int count, bool nonblocking)
{
    int root = check_rank % 2, code;
    MPI_Request request;
    fresh();
    if (nonblocking) {
        CHECK_OK(MPI_Ireduce(in, out, count, MPI_INT, MPI_SUM, root, comm, &request));
        code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        code = MPI_Reduce(in, out, count, MPI_INT, MPI_SUM, root, comm);
    }
    if (check_rank < 2)
        must_fail(code, "disagree", "roots of a reduction");
    finish();
}

static void tested(void)
{
    MPI_Request request;
    int flag = 0, code = MPI_SUCCESS;
    fresh();
    if (check_rank == 0)
        CHECK_OK(MPI_Ireduce(in, out, 3, MPI_INT, MPI_SUM, 0, comm, &request));
    else
        CHECK_OK(MPI_Igather(in, 3, MPI_INT, out, 3, MPI_INT, check_rank, comm, &request));
    while (!flag && !code)
        code = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    must_fail(code, "disagree", "tested");
    finish();
}

/* Two roots: nobody waits, and a later call finds out; the last one, where all that the barrier needed had come before.
 */
static void two_roots(int count)
{
    int code = MPI_SUCCESS;
    fresh();
    if (check_rank < 2) {
        CHECK_OK(MPI_Bcast(in, count, MPI_INT, check_rank, comm));
        code = MPI_Barrier(comm);
    } else {
        MPI_Bcast(in, count, MPI_INT, 0, comm);
        MPI_Barrier(comm);
    }
    int late = finish();
    if (check_rank < 2)
        must_fail(code ? code : late, "MPI_Bcast", "two roots");
}

/* The same, found out by MPI_Comm_free. */
static void freed(void)
{
    fresh();
    if (check_rank == 0)
        CHECK_OK(MPI_Bcast(in, 1, MPI_INT, 0, comm));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (check_rank == 1)
        CHECK_OK(MPI_Bcast(in, 1, MPI_INT, 1, comm));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    int code = MPI_Comm_free(&comm);
    if (check_rank == 1)
        must_fail(code, "MPI_Bcast", "freed");
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
    CHECK(comm == MPI_COMM_NULL);
}

static void persistent_or_not(void)
{
    MPI_Request request;
    int code;
    fresh();
    if (check_rank == 0) {
        CHECK_OK(MPI_Allreduce_init(in, out, 3, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request));
        CHECK_OK(MPI_Start(&request));
        code = MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK_OK(MPI_Request_free(&request));
    } else {
        code = MPI_Allreduce(in, out, 3, MPI_INT, MPI_SUM, comm);
    }
    must_fail(code, "disagree", "persistent or not");
    finish();
}

/* Rank 0 alone and the others: each group waits for the other's message of another call. */
static void between_groups(void)
{
    MPI_Comm half;
    int side = check_rank > 0, root = MPI_PROC_NULL, code;
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, side, 0, &half));
    CHECK_OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 3, &comm));
    CHECK_OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    if (check_rank < 2)
        root = MPI_ROOT; /* both wait to gather */
    code = MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, root, comm);
    if (check_rank < 2)
        must_fail(code, "disagree", "between groups");
    finish();
    CHECK_OK(MPI_Comm_free(&half));
}

/* Long messages that were announced, or are passed on while they come, end too: MPI_Finalize would notice. */
static void long_messages(void)
{
    int n = 500000, code, *big = check_alloc((size_t)n * sizeof *big, 1),
        *sum = check_alloc((size_t)n * sizeof *sum, 0);
    fresh();
    if (check_rank == check_size - 1)
        code = MPI_Allreduce(big, sum, n, MPI_INT, MPI_MAX, comm);
    else
        code = MPI_Allreduce(big, sum, n, MPI_INT, MPI_SUM, comm);
    must_fail(code, "", "long messages");
    free(big);
    free(sum);
    finish();
}

int main(int argc, char **argv)
{
    setenv("TREEFOLD_MISMATCH_AFTER", "150", 0);
    check_start(&argc, &argv);
    roots_of_a_reduction(1, false);
    roots_of_a_reduction(4000, false);
    roots_of_a_reduction(1, true);
    if (check_size == 2)
        tested();
    two_roots(1);
    freed();
    persistent_or_not();
    between_groups();
    long_messages();
    return check_end();
}
