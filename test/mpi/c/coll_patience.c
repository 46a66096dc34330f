/* Ranks that come late, that have many operations under way, or that start persistent ones in another order, do not
 * disagree, however often they are asked.
 *
 * np: 2 4
 */
#include <unistd.h>

#include "check.h"

enum { MANY = 40 };

static void late_by_turns(void)
{
    for (int turn = 0; turn < 4; turn++) {
        int in = check_rank + turn, out = -1, root = turn % check_size;
        if (check_rank == turn % check_size)
            usleep(60000);
        CHECK_OK(MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        CHECK_INT(out, check_size * (check_size - 1) / 2 + check_size * turn);
        CHECK_OK(MPI_Bcast(&in, 1, MPI_INT, root, MPI_COMM_WORLD));
        CHECK_INT(in, root + turn);
        for (int i = 0; i < 30; i++) {
            out = -1;
            CHECK_OK(MPI_Reduce(&in, &out, 1, MPI_INT, i % 2 ? MPI_SUM : MPI_MAX, i % check_size, MPI_COMM_WORLD));
            if (check_rank == i % check_size)
                CHECK_INT(out, i % 2 ? check_size * in : in);
        }
    }
}

static void many_under_way(void)
{
    MPI_Request requests[MANY];
    int in[MANY], out[MANY][8];
    if (check_rank == 0)
        usleep(80000);
    for (int i = 0; i < MANY; i++) {
        in[i] = check_rank * (i + 1);
        if (i % 3 == 0)
            CHECK_OK(MPI_Iallgather(&in[i], 1, MPI_INT, out[i], 1, MPI_INT, MPI_COMM_WORLD, &requests[i]));
        else
            CHECK_OK(
                MPI_Iallreduce(&in[i], out[i], 1, MPI_INT, i % 2 ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD, &requests[i]));
        if (i == MANY / 2) {
            if (check_rank == 1)
                usleep(80000);
            for (int turn = 0; turn < 2; turn++) {
                int blocking = -1;
                CHECK_OK(MPI_Allreduce(&in[i], &blocking, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
                CHECK_INT(blocking, check_size * (check_size - 1) / 2 * (i + 1));
            }
        }
    }
    CHECK_OK(MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < MANY; i++) {
        int last = check_size - 1, sum = last * check_size / 2 * (i + 1);
        CHECK_INT(out[i][i % 3 ? 0 : last], i % 3 && i % 2 ? sum : last * (i + 1));
    }
}

static void persistent_in_another_order(void)
{
    MPI_Request a[4];
    int in[4], out[4];
    for (int i = 0; i < 4; i++)
        CHECK_OK(MPI_Allreduce_init(&in[i], &out[i], 1, MPI_INT, i % 2 ? MPI_MIN : MPI_SUM, MPI_COMM_WORLD,
                                    MPI_INFO_NULL, &a[i]));
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < 4; i++)
            in[i] = check_rank + i + turn;
        for (int i = 0; i < 4; i++) {
            CHECK_OK(MPI_Start(&a[check_rank % 2 ? 3 - i : i]));
            if (check_rank == turn % check_size)
                usleep(20000);
        }
        CHECK_OK(MPI_Waitall(4, a, MPI_STATUSES_IGNORE));
        for (int i = 0; i < 4; i++)
            CHECK_INT(out[i], i % 2 ? i + turn : check_size * (check_size - 1) / 2 + check_size * (i + turn));
    }
    for (int i = 0; i < 4; i++)
        CHECK_OK(MPI_Request_free(&a[i]));
}

/* An intercommunicator, between whose collectives communicators are made from it. */
static void between_groups(void)
{
    MPI_Comm half, inter, other;
    int side = check_rank % 2, in, out, sum = 0;
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, side, 0, &half));
    CHECK_OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 3, &inter));
    for (int turn = 0; turn < 4; turn++) {
        CHECK_OK(MPI_Comm_dup(inter, &other));
        for (int k = 0; k < 4; k++) {
            if (check_rank == (turn + k) % check_size)
                usleep(20000);
            in = check_rank + k;
            CHECK_OK(MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, inter));
            sum = 0;
            for (int r = 1 - side; r < check_size; r += 2)
                sum += r + k;
            CHECK_INT(out, sum);
            if (k == 2)
                CHECK_OK(MPI_Barrier(inter));
        }
        CHECK_OK(MPI_Comm_free(&other));
        CHECK_OK(MPI_Intercomm_merge(inter, side, &other));
        CHECK_OK(MPI_Comm_free(&other));
    }
    CHECK_OK(MPI_Comm_free(&inter));
    CHECK_OK(MPI_Comm_free(&half));
}

/* The rank that is asked has freed the communicator, or is in MPI_Finalize, before it looks. */
static void asked_when_gone(void)
{
    MPI_Comm comm;
    int value = check_rank;
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    if (check_rank == 0)
        usleep(80000);
    CHECK_OK(MPI_Bcast(&value, 1, MPI_INT, 0, comm));
    CHECK_INT(value, 0);
    CHECK_OK(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
    setenv("TREEFOLD_MISMATCH_AFTER", "1", 1);
    check_start(&argc, &argv);
    late_by_turns();
    many_under_way();
    persistent_in_another_order();
    between_groups();
    asked_when_gone();
    asked_when_gone();
    return check_end();
}
