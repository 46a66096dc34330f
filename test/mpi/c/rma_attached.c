/* Memory of dynamic windows that neighbors copy by themselves: more attachments than a process tells its neighbors of,
 * in any order, side by side, gone and there again; operations on what is not attached; and a target that makes no call
 * of MPI until it has what it waits for.
 *
 * np: 2 3
 * only: treefold
 */
#include "rma.h"

#include <time.h>

enum { PIECES = 60, BYTES = 4096, APART = 2 * BYTES };

static MPI_Win win;
static int rank, size, right, left;
static char *memory;
static MPI_Aint there; /* the memory of the neighbor to the right */

static char *piece(int i)
{
    return memory + (MPI_Aint)i * APART;
}

static void put_and_get(MPI_Aint from, int bytes, int seed)
{
    char *out = check_alloc((size_t)bytes, check_value(rank, seed)), *in = check_alloc((size_t)bytes, 0);
    CHECK_OK(MPI_Put(out, bytes, MPI_BYTE, right, MPI_Aint_add(there, from), bytes, MPI_BYTE, win));
    CHECK_OK(MPI_Win_flush(right, win));
    CHECK_OK(MPI_Get(in, bytes, MPI_BYTE, right, MPI_Aint_add(there, from), bytes, MPI_BYTE, win));
    CHECK_OK(MPI_Win_flush(right, win));
    CHECK_BYTES(in, out, (size_t)bytes);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_OK(MPI_Win_sync(win));
    CHECK_NOTED(memory[from] == (char)check_value(left, seed), "at %d", (int)from);
    CHECK_NOTED(memory[from + bytes - 1] == (char)check_value(left, seed), "at %d", (int)from);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    free(out);
    free(in);
}

/* Error words of that, which is not all attached. */
static void refused(MPI_Aint from, int bytes)
{
    char text[MPI_MAX_ERROR_STRING], *out = check_alloc((size_t)bytes, 0x77);
    int length, class;
    int err = MPI_Put(out, bytes, MPI_BYTE, right, MPI_Aint_add(there, from), bytes, MPI_BYTE, win);
    err = err ? err : MPI_Win_flush(right, win);
    CHECK_OK(MPI_Error_class(err, &class));
    CHECK_INT(class, MPI_ERR_RMA_RANGE);
    CHECK_OK(MPI_Error_string(err, text, &length));
    CHECK_NOTED(strstr(text, "are not attached"), "%.150s", text);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    free(out);
}

static void many(void)
{
    for (int i = 0; i < PIECES; i++)
        CHECK_OK(MPI_Win_attach(win, piece(i * 7 % PIECES), BYTES));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < PIECES; i++)
        put_and_get((MPI_Aint)i * APART, BYTES, i);
    refused(BYTES, 1);
    refused(MPI_Aint_diff(-8, there), 16); /* beyond the last address */
    refused(BYTES - 1, 2);
    refused((MPI_Aint)(PIECES - 1) * APART + BYTES - 8, 16);
    for (int i = 0; i < PIECES; i += 2)
        CHECK_OK(MPI_Win_detach(win, piece(i)));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < PIECES; i += 6) {
        refused((MPI_Aint)i * APART, BYTES);
        put_and_get((MPI_Aint)(i + 1) * APART, BYTES, i);
    }
    for (int i = 1; i < PIECES; i += 2)
        CHECK_OK(MPI_Win_detach(win, piece(i)));
}

static void side_by_side(void)
{
    CHECK_OK(MPI_Win_attach(win, memory + BYTES, BYTES));
    CHECK_OK(MPI_Win_attach(win, memory, BYTES));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    put_and_get(0, 2 * BYTES, 1);
    put_and_get(BYTES - 600, 1200, 2);
    CHECK_OK(MPI_Win_detach(win, memory));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    refused(BYTES - 600, 1200);
    put_and_get(BYTES, BYTES, 3);
    CHECK_OK(MPI_Win_attach(win, memory, BYTES));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    put_and_get(BYTES - 600, 1200, 4);
    CHECK_OK(MPI_Win_detach(win, memory + BYTES));
    CHECK_OK(MPI_Win_detach(win, memory));
}

/* For at most half a minute. */
static bool comes(volatile const char *at, char value)
{
    time_t begin = time(NULL);
    while (*at != value && time(NULL) - begin < 30)
        ;
    return *at == value;
}

/* In turn: each waits, without a call, for what the one before it puts. */
static void computing(void)
{
    char *out = check_alloc(BYTES, 9);
    memset(memory, 0, BYTES);
    CHECK_OK(MPI_Win_attach(win, memory, BYTES));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank > 0)
        CHECK(comes(memory + BYTES - 1, 9));
    CHECK_OK(MPI_Put(out, BYTES, MPI_BYTE, right, there, BYTES, MPI_BYTE, win));
    CHECK_OK(MPI_Win_flush(right, win));
    if (rank == 0)
        CHECK(comes(memory + BYTES - 1, 9));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_OK(MPI_Win_detach(win, memory));
    free(out);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    MPI_Aint mine;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    memory = check_alloc((size_t)PIECES * APART, 0);
    CHECK_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Get_address(memory, &mine));
    CHECK_OK(
        MPI_Sendrecv(&mine, 1, MPI_AINT, left, 1, &there, 1, MPI_AINT, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Win_lock_all(0, win));
    many();
    side_by_side();
    if (rma_one_node(MPI_COMM_WORLD))
        computing();
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Win_free(&win));
    free(memory);
    return check_end();
}
