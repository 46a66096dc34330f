/* With a progress thread, what is under way ends although the process it depends on makes no MPI call.  The others tell
 * by a file that they have ended; the rank that "computes" looks for it and nothing else.
 *
 * np: 2 3
 * only: treefold
 */
#include <fcntl.h>
#include <unistd.h>

#include "check.h"

static char folder[] = "/tmp/treefold-progress-XXXXXX";

static void name_of(char *name, size_t n, const char *what, int rank)
{
    snprintf(name, n, "%s-%s-%d", folder, what, rank);
}

static void tell(const char *what)
{
    char name[100];
    name_of(name, sizeof name, what, check_rank);
    close(open(name, O_CREAT | O_WRONLY, 0600));
}

/* The computing rank is the last. */
static bool all_told(const char *what)
{
    char name[100];
    int there = 0;
    for (int turn = 0; turn < 50000 && there < check_size - 1; turn++) {
        usleep(1000);
        name_of(name, sizeof name, what, there);
        there += access(name, F_OK) == 0;
    }
    for (int r = 0; r < check_size - 1; r++) {
        name_of(name, sizeof name, what, r);
        unlink(name);
    }
    return there == check_size - 1;
}

static void leave_alone(const char *what, int count, MPI_Request *requests)
{
    if (check_rank == check_size - 1) {
        CHECK_NOTED(all_told(what), "%s", what);
        CHECK_OK(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
    } else {
        CHECK_OK(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
        tell(what);
    }
}

static void reduction(const char *what, int n, bool persistent)
{
    MPI_Request request;
    int wrong = 0, *in = check_alloc((size_t)n * sizeof *in, 0), *out = check_alloc((size_t)n * sizeof *out, 0);
    if (persistent)
        CHECK_OK(MPI_Allreduce_init(in, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < n; i++)
            in[i] = (check_rank + 1) * (i + turn);
        if (persistent)
            CHECK_OK(MPI_Start(&request));
        else
            CHECK_OK(MPI_Iallreduce(in, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
        leave_alone(what, 1, &request);
        for (int i = 0; i < n; i++)
            wrong += out[i] != check_size * (check_size + 1) / 2 * (i + turn);
    }
    if (persistent)
        CHECK_OK(MPI_Request_free(&request));
    CHECK_NOTED(wrong == 0, "%s: %d wrong", what, wrong);
    free(in);
    free(out);
}

static void message(int n)
{
    MPI_Request requests[2];
    int last = check_size - 1, wrong = 0, *data = check_alloc((size_t)n * sizeof *data, 0);
    if (check_rank == last)
        CHECK_OK(MPI_Irecv(data, n, MPI_INT, 0, 5, MPI_COMM_WORLD, &requests[0]));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; check_rank == 0 && i < n; i++)
        data[i] = check_value(0, i);
    if (check_rank == 0)
        CHECK_OK(MPI_Issend(data, n, MPI_INT, last, 5, MPI_COMM_WORLD, &requests[0]));
    leave_alone("message", check_rank == 0 || check_rank == last, requests);
    for (int i = 0; check_rank == last && i < n; i++)
        wrong += data[i] != check_value(0, i);
    CHECK_NOTED(wrong == 0, "%d wrong", wrong);
    free(data);
}

/* A function of the program is not called by a thread that the program did not make. */
static _Thread_local bool mine;
static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    CHECK(mine);
    CHECK(*type == MPI_INT);
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void operator_of_the_program(void)
{
    MPI_Op op;
    MPI_Request requests[2];
    int in[100], out[100], sums[100], wrong = 0;
    mine = true;
    CHECK_OK(MPI_Op_create(add, 1, &op));
    for (int i = 0; i < 100; i++)
        in[i] = check_rank + i;
    CHECK_OK(MPI_Iallreduce(in, out, 100, MPI_INT, op, MPI_COMM_WORLD, &requests[0]));
    CHECK_OK(MPI_Iallreduce(in, sums, 100, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]));
    usleep(20000);
    CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < 100; i++)
        wrong += out[i] != sums[i] || sums[i] != check_size * (check_size - 1) / 2 + check_size * i;
    CHECK_INT(wrong, 0);
    CHECK_OK(MPI_Op_free(&op));
}

/* The words of an error that the thread finds reach the call that reports it. */
static void error_in_words(void)
{
    char text[MPI_MAX_ERROR_STRING];
    int length, value[4] = {0}, code;
    MPI_Request request;
    MPI_Status status;
    CHECK_OK(MPI_Irecv(value, 1, MPI_INT, check_rank, 6, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Send(value, 4, MPI_INT, check_rank, 6, MPI_COMM_WORLD));
    usleep(20000);
    code = MPI_Wait(&request, &status);
    CHECK_CLASS(code, MPI_ERR_TRUNCATE);
    MPI_Error_string(code, text, &length);
    CHECK(strstr(text, "16 bytes") != NULL);
}

/* The target of passive epochs is in no call while they last. */
static void window(const char *what, int n)
{
    MPI_Win win;
    int last = check_size - 1, *base = NULL, *out = check_alloc((size_t)n * sizeof *out, 0), wrong = 0;
    int *in = check_alloc((size_t)n * sizeof *in, 0x22), one = 1;
    CHECK_OK(MPI_Win_create(check_rank == last ? base = check_alloc((size_t)n * check_size * sizeof *base, 0) : NULL,
                            check_rank == last ? n * check_size * (MPI_Aint)sizeof *base : 0, sizeof *base,
                            MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    if (check_rank < last) {
        for (int i = 0; i < n; i++)
            out[i] = check_value(check_rank, i);
        CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, last, 0, win));
        CHECK_OK(MPI_Put(out, n, MPI_INT, last, n * check_rank, n, MPI_INT, win));
        CHECK_OK(MPI_Win_flush(last, win));
        CHECK_OK(MPI_Get(in, n, MPI_INT, last, n * check_rank, n, MPI_INT, win));
        CHECK_OK(MPI_Win_unlock(last, win));
        CHECK_BYTES(in, out, (size_t)n * sizeof *in);
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, last, 0, win));
        CHECK_OK(MPI_Accumulate(&one, 1, MPI_INT, last, n * last, 1, MPI_INT, MPI_SUM, win));
        CHECK_OK(MPI_Win_unlock(last, win));
        tell(what);
    } else {
        CHECK_NOTED(all_told(what), "%s", what);
        CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, last, 0, win)); /* as who loads from a window's memory has to */
        for (int i = 0; i < n * last; i++)
            wrong += base[i] != check_value(i / n, i % n);
        CHECK_INT(wrong, 0);
        CHECK_INT(base[n * last], last);
        CHECK_OK(MPI_Win_unlock(last, win));
    }
    CHECK_OK(MPI_Win_free(&win));
    free(base);
    free(out);
    free(in);
}

/* The shared pointer of a file may be with its rank 0, here the one that computes. */
static void pointer(void)
{
    MPI_Comm reversed;
    MPI_File fh;
    char name[100];
    name_of(name, sizeof name, "file", 0);
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, 0, check_size - check_rank, &reversed));
    CHECK_OK(
        MPI_File_open(reversed, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &fh));
    if (check_rank < check_size - 1) {
        CHECK_OK(MPI_File_write_shared(fh, &check_rank, 1, MPI_INT, MPI_STATUS_IGNORE));
        tell("pointer");
    } else {
        MPI_Offset bytes = 0;
        CHECK_NOTED(all_told("pointer"), "pointer");
        CHECK_OK(MPI_File_get_position_shared(fh, &bytes));
        CHECK_INT(bytes, (check_size - 1) * (int)sizeof check_rank);
    }
    CHECK_OK(MPI_File_close(&fh));
    CHECK_OK(MPI_Comm_free(&reversed));
}

int main(int argc, char **argv)
{
    setenv("TREEFOLD_PROGRESS_THREAD", "on", 1);
    check_start(&argc, &argv);
    if (check_rank == 0)
        close(mkstemp(folder));
    CHECK_OK(MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD));
    reduction("short", 4, false);
    reduction("long", 300000, false);
    reduction("persistent", 5000, true);
    message(10);
    message(500000);
    window("few elements", 3);
    window("many elements", 100000);
    pointer();
    operator_of_the_program();
    error_in_words();
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (check_rank == 0)
        unlink(folder);
    return check_end();
}
