/* Partitioned communication delivers: different numbers of partitions, counts and datatypes on the two sides, short and
 * long ones, with gaps, empty ones, several rounds, marked one by one, in ranges and in lists.
 *
 * np: 1 2 3 5 8
 */
#include "partition.h"

enum { ROUNDS = 3 };

static int right, left;

struct shape {
    int sends, receives; /* partitions */
    MPI_Count to, from;  /* elements in one */
};

static void fill(int *out, MPI_Count n, int round)
{
    for (MPI_Count i = 0; i < n; i++)
        out[i] = check_value(check_rank, i + round);
}

static void verify(const int *in, MPI_Count n, int round, const char *what)
{
    MPI_Count wrong = 0;
    for (MPI_Count i = 0; i < n; i++)
        wrong += in[i] != check_value(left, i + round);
    CHECK_NOTED(wrong == 0, "%s, round %d: %lld of %lld ints wrong", what, round, (long long)wrong, (long long)n);
}

static void mark(int form, int partitions, MPI_Request request)
{
    int *list = check_alloc((size_t)partitions * sizeof *list, 0);
    for (int i = 0; i < partitions; i++)
        list[i] = partitions - 1 - i;
    if (form == 0) {
        ready_all(partitions, request);
    } else if (form == 1) {
        CHECK_OK(MPI_Pready_range(0, partitions - 1, request));
    } else {
        CHECK_OK(MPI_Pready_list(partitions / 2, list, request));
        CHECK_OK(MPI_Pready_range(0, partitions - 1 - partitions / 2, request));
    }
    free(list);
}

/* Ints on both sides, around a ring; `sent` of them, of which `in` has room for `room`. */
static void ring(struct shape s)
{
    MPI_Count sent = s.sends * s.to, room = s.receives * s.from;
    int *out = check_alloc((size_t)sent * sizeof *out, 0), *in = check_alloc((size_t)room * sizeof *in, 0), got;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    char what[100];
    snprintf(what, sizeof what, "%d x %lld to %d x %lld", s.sends, (long long)s.to, s.receives, (long long)s.from);
    CHECK_OK(MPI_Psend_init(out, s.sends, s.to, MPI_INT, right, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
    CHECK_OK(MPI_Precv_init(in, s.receives, s.from, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
    for (int round = 0; round < ROUNDS; round++) {
        check_wipe(in, (size_t)room * sizeof *in);
        CHECK_OK(MPI_Startall(2, requests));
        fill(out, sent, round);
        mark(round, s.sends, requests[0]);
        CHECK_OK(MPI_Waitall(2, requests, statuses));
        CHECK(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
        verify(in, sent, round, what);
        CHECK_INT(statuses[1].MPI_SOURCE, left);
        CHECK_INT(statuses[1].MPI_TAG, 5);
        CHECK_OK(MPI_Get_count(&statuses[1], MPI_INT, &got));
        CHECK_INT(got, sent);
    }
    CHECK_OK(MPI_Request_free(&requests[0]));
    CHECK_OK(MPI_Request_free(&requests[1]));
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
    free(out);
    free(in);
}

/* Every second int of `out` to every third of `in`: the boundaries of partitions cut elements of the other side. */
static void with_gaps(int sends, int receives, int each)
{
    int total = sends * receives * each;
    int *out = check_alloc((size_t)total * 2 * sizeof *out, 0), *in = check_alloc((size_t)total * 3 * sizeof *in, 0);
    MPI_Datatype second, third, block;
    MPI_Request requests[2];
    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &second));
    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, 3 * sizeof(int), &third));
    CHECK_OK(MPI_Type_contiguous(each, third, &block));
    CHECK_OK(MPI_Type_commit(&second));
    CHECK_OK(MPI_Type_commit(&block));
    CHECK_OK(
        MPI_Psend_init(out, sends, receives * each, second, right, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
    CHECK_OK(MPI_Precv_init(in, receives, sends, block, left, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
    CHECK_OK(MPI_Type_free(&second));
    CHECK_OK(MPI_Type_free(&third));
    CHECK_OK(MPI_Type_free(&block));
    for (int round = 0; round < ROUNDS; round++) {
        int wrong = 0, touched = 0;
        memset(in, 0x11, (size_t)total * 3 * sizeof *in);
        for (int i = 0; i < total; i++)
            out[2 * i] = check_value(check_rank, i + round);
        CHECK_OK(MPI_Startall(2, requests));
        mark(round, sends, requests[0]);
        CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        for (int i = 0; i < total; i++) {
            wrong += in[3 * i] != check_value(left, i + round);
            touched += in[3 * i + 1] != 0x11111111 || in[3 * i + 2] != 0x11111111;
        }
        CHECK_INT(wrong, 0);
        CHECK_INT(touched, 0);
    }
    CHECK_OK(MPI_Request_free(&requests[0]));
    CHECK_OK(MPI_Request_free(&requests[1]));
    free(out);
    free(in);
}

/* Each partition of nothing comes when it is ready, and not before. */
static void nothing(MPI_Datatype type, MPI_Count count, int sends, int receives)
{
    MPI_Request requests[2];
    MPI_Status status;
    int flag, got;
    CHECK_OK(MPI_Psend_init(NULL, sends, count, type, right, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
    CHECK_OK(MPI_Precv_init(NULL, receives, count, type, left, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
    for (int round = 0; round < 2; round++) {
        CHECK_OK(MPI_Startall(2, requests));
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK_OK(MPI_Parrived(requests[1], 0, &flag));
        CHECK(!flag);
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK_OK(MPI_Pready_range(0, sends / 2 - 1, requests[0]));
        await_partition(requests[1], 0);
        CHECK_OK(MPI_Parrived(requests[1], receives - 1, &flag));
        CHECK(!flag);
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK_OK(MPI_Pready_range(sends / 2, sends - 1, requests[0]));
        await_partition(requests[1], receives - 1);
        CHECK_OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Wait(&requests[1], &status));
        CHECK_OK(MPI_Get_count(&status, MPI_BYTE, &got));
        CHECK_INT(got, 0);
    }
    CHECK_OK(MPI_Request_free(&requests[0]));
    CHECK_OK(MPI_Request_free(&requests[1]));
}

/* No partitions on a side: it has nothing to wait for but the other's, and a receive is too short for any bytes. */
static void none(int sends, int receives, MPI_Count count)
{
    int out[8] = {0}, in[8], flag = 0, code;
    MPI_Request requests[2];
    MPI_Status status;
    CHECK_OK(MPI_Psend_init(out, sends, count, MPI_INT, right, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
    CHECK_OK(MPI_Precv_init(in, receives, count, MPI_INT, left, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
    for (int round = 0; round < ROUNDS; round++) {
        CHECK_OK(MPI_Startall(2, requests));
        if (sends > 0 && receives == 0) {
            MPI_Barrier(MPI_COMM_WORLD);
            CHECK_OK(MPI_Request_get_status(requests[1], &flag, MPI_STATUS_IGNORE));
            CHECK(!flag);
            MPI_Barrier(MPI_COMM_WORLD);
        }
        CHECK_OK(MPI_Pready_range(0, sends - 1, requests[0]));
        if (receives > 0)
            await_partition(requests[1], receives - 1);
        CHECK_OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
        code = MPI_Wait(&requests[1], &status);
        CHECK_CLASS(code, sends > receives && count > 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    }
    CHECK_OK(MPI_Request_free(&requests[0]));
    CHECK_OK(MPI_Request_free(&requests[1]));
}

/* What is ready arrives while the rest is not; a partition of this side needs all that is in it. */
static void one_by_one(int sends, int receives, int each)
{
    int total = sends * receives * each, flag;
    int *out = check_alloc((size_t)total * sizeof *out, 0), *in = check_alloc((size_t)total * sizeof *in, 0);
    MPI_Request requests[2];
    CHECK_OK(
        MPI_Psend_init(out, sends, receives * each, MPI_INT, right, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
    CHECK_OK(MPI_Precv_init(in, receives, sends * each, MPI_INT, left, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
    for (int round = 0; round < 2; round++) {
        int here = 0;
        check_wipe(in, (size_t)total * sizeof *in);
        CHECK_OK(MPI_Startall(2, requests));
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < sends; i++) {
            for (int k = i * receives * each; k < (i + 1) * receives * each; k++)
                out[k] = check_value(check_rank, k + round);
            CHECK_OK(MPI_Pready(i, requests[0]));
            while ((here + 1) * sends <= (i + 1) * receives) {
                await_partition(requests[1], here);
                for (int k = here * sends * each; k < (here + 1) * sends * each; k++)
                    CHECK_NOTED(in[k] == check_value(left, k + round), "int %d of round %d", k, round);
                here++;
            }
            if (here < receives && i + 1 < sends) {
                CHECK_OK(MPI_Parrived(requests[1], receives - 1, &flag));
                CHECK(!flag);
            }
            MPI_Barrier(MPI_COMM_WORLD);
        }
        CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        CHECK_OK(MPI_Parrived(requests[1], 0, &flag)); /* inactive */
        CHECK(flag);
    }
    CHECK_OK(MPI_Request_free(&requests[0]));
    CHECK_OK(MPI_Request_free(&requests[1]));
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    MPI_Datatype empty;
    check_start(&argc, &argv);
    right = (check_rank + 1) % check_size;
    left = (check_rank + check_size - 1) % check_size;
    ring((struct shape){1, 1, 1, 1});
    ring((struct shape){33, 17, 17, 33});
    ring((struct shape){33, 17, 17 * 40, 33 * 40});
    ring((struct shape){4, 6, 60000, 40000});
    ring((struct shape){1, 5, 500000, 100000});
    ring((struct shape){200, 1, 3, 600});
    ring((struct shape){100, 100, 1, 1});
    ring((struct shape){20, 3, 5000, 40000}); /* more room than is needed */
    with_gaps(3, 2, 1);
    with_gaps(5, 7, 11);
    with_gaps(4, 3, 5000);
    CHECK_OK(MPI_Type_contiguous(0, MPI_INT, &empty));
    CHECK_OK(MPI_Type_commit(&empty));
    nothing(MPI_INT, 0, 4, 4);
    nothing(MPI_INT, 0, 6, 4);
    nothing(empty, 9, 2, 3);
    CHECK_OK(MPI_Type_free(&empty));
    none(0, 0, 5);
    none(0, 3, 2);
    none(4, 0, 0);
    none(4, 0, 2);
    one_by_one(3, 5, 1);
    one_by_one(5, 3, 2000);
    one_by_one(2, 2, 50000);
    return check_end();
}
