/* What is refused of partitioned operations (MPI-5.0 sections 4.2.1 and 4.2.2), in words, and that they go on as if
 * nothing had been asked; a buffer that is too small; memory that runs out.
 *
 * np: 1 2 5 9
 * only: treefold
 */
#include "partition.h"
#include "scarce.h"

static int right, left;

static void must_say(int code, int errclass, const char *words, const char *what)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length, got = MPI_SUCCESS;
    if (code != MPI_SUCCESS) {
        MPI_Error_string(code, text, &length);
        MPI_Error_class(code, &got);
    }
    CHECK_NOTED(strstr(text, words) != NULL, "%s: \"%s\" is not in: %.90s", what, words, text);
    CHECK_INT(got, errclass);
}
#define SAYS(call, errclass, words) must_say(call, errclass, words, #call)

static void arguments(void)
{
    const MPI_Comm w = MPI_COMM_WORLD;
    int buf[4] = {0};
    MPI_Request r = MPI_REQUEST_NULL;
    MPI_Datatype raw;
    CHECK_OK(MPI_Type_contiguous(2, MPI_INT, &raw));
    SAYS(MPI_Psend_init(buf, -1, 1, MPI_INT, 0, 0, w, MPI_INFO_NULL, &r), MPI_ERR_ARG, "partitions is -1");
    SAYS(MPI_Precv_init(buf, -2, 1, MPI_INT, 0, 0, w, MPI_INFO_NULL, &r), MPI_ERR_ARG, "partitions is -2");
    SAYS(MPI_Psend_init(buf, 2, -1, MPI_INT, 0, 0, w, MPI_INFO_NULL, &r), MPI_ERR_COUNT, "count is -1");
    SAYS(MPI_Precv_init(buf, 3, (MPI_Count)1 << 60, MPI_INT, 0, 0, w, MPI_INFO_NULL, &r), MPI_ERR_COUNT,
         "more than can be counted");
    SAYS(MPI_Psend_init(buf, 2, 1, MPI_DATATYPE_NULL, 0, 0, w, MPI_INFO_NULL, &r), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
    SAYS(MPI_Psend_init(buf, 2, 1, raw, 0, 0, w, MPI_INFO_NULL, &r), MPI_ERR_TYPE, "not committed");
    SAYS(MPI_Psend_init(buf, 2, 1, MPI_INT, check_size, 0, w, MPI_INFO_NULL, &r), MPI_ERR_RANK, "dest is");
    SAYS(MPI_Precv_init(buf, 2, 1, MPI_INT, MPI_ANY_SOURCE, 0, w, MPI_INFO_NULL, &r), MPI_ERR_RANK, "source is");
    SAYS(MPI_Precv_init(buf, 2, 1, MPI_INT, 0, MPI_ANY_TAG, w, MPI_INFO_NULL, &r), MPI_ERR_TAG, "tag is");
    SAYS(MPI_Psend_init(NULL, 2, 1, MPI_INT, 0, 0, w, MPI_INFO_NULL, &r), MPI_ERR_BUFFER, "buf is a null pointer");
    SAYS(MPI_Psend_init(buf, 2, 1, MPI_INT, 0, 0, MPI_COMM_NULL, MPI_INFO_NULL, &r), MPI_ERR_COMM, "MPI_COMM_NULL");
    SAYS(MPI_Psend_init(buf, 2, 1, MPI_INT, 0, 0, w, MPI_INFO_NULL, NULL), MPI_ERR_ARG, "request is a null pointer");
    CHECK(r == MPI_REQUEST_NULL);
    CHECK_OK(MPI_Type_free(&raw));
}

static void of_another_kind(void)
{
    int buf[2] = {0}, flag = -1;
    MPI_Request other, receive;
    CHECK_OK(MPI_Recv_init(buf, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &other));
    CHECK_OK(MPI_Precv_init(buf, 2, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &receive));
    SAYS(MPI_Pready(0, other), MPI_ERR_REQUEST, "not of a partitioned send (point-to-point)");
    SAYS(MPI_Pready(0, receive), MPI_ERR_REQUEST, "not of a partitioned send (partitioned receive)");
    SAYS(MPI_Pready_range(0, 1, MPI_REQUEST_NULL), MPI_ERR_REQUEST, "MPI_REQUEST_NULL");
    SAYS(MPI_Pready_list(1, buf, MPI_REQUEST_NULL), MPI_ERR_REQUEST, "MPI_REQUEST_NULL");
    SAYS(MPI_Parrived(other, 0, &flag), MPI_ERR_REQUEST, "not of a partitioned receive (point-to-point)");
    SAYS(MPI_Pready_list(-1, buf, receive), MPI_ERR_COUNT, "length is -1");
    SAYS(MPI_Pready_list(1, NULL, receive), MPI_ERR_ARG, "array_of_partitions is a null pointer");
    SAYS(MPI_Parrived(receive, 0, NULL), MPI_ERR_ARG, "flag is a null pointer");
    CHECK_INT(flag, -1);
    CHECK_OK(MPI_Parrived(MPI_REQUEST_NULL, 5, &flag));
    CHECK_INT(flag, 1);
    CHECK_OK(MPI_Parrived(receive, 1, &flag)); /* not started yet */
    CHECK_INT(flag, 1);
    SAYS(MPI_Parrived(receive, 2, &flag), MPI_ERR_ARG, "partition is 2; it must be between 0 and 1");
    MPI_Request stale = receive;
    CHECK_OK(MPI_Request_free(&receive));
    SAYS(MPI_Parrived(stale, 0, &flag), MPI_ERR_REQUEST, "stale");
    SAYS(MPI_Pready(0, stale), MPI_ERR_REQUEST, "stale");
    CHECK_OK(MPI_Request_free(&other));
}

/* What is wrong at each stage leaves the operation as it was. */
static void at_the_wrong_time(void)
{
    int out[3] = {check_value(check_rank, 0), check_value(check_rank, 1), check_value(check_rank, 2)}, in[3];
    const int list[3] = {1, 2, 0}, again[2] = {2, 2};
    MPI_Request r[2];
    CHECK_OK(MPI_Psend_init(out, 3, 1, MPI_INT, right, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]));
    CHECK_OK(MPI_Precv_init(in, 3, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]));
    for (int round = 0; round < 2; round++) {
        check_wipe(in, sizeof in);
        SAYS(MPI_Pready(0, r[0]), MPI_ERR_REQUEST, "not active");
        SAYS(MPI_Pready_list(3, list, r[0]), MPI_ERR_REQUEST, "not active");
        SAYS(MPI_Cancel(&r[0]), MPI_ERR_REQUEST, "not active");
        CHECK_OK(MPI_Start(&r[0]));
        SAYS(MPI_Start(&r[0]), MPI_ERR_REQUEST, "already active");
        SAYS(MPI_Pready(3, r[0]), MPI_ERR_ARG, "partition is 3; it must be between 0 and 2, the last of this request");
        SAYS(MPI_Pready(-1, r[0]), MPI_ERR_ARG, "partition is -1");
        SAYS(MPI_Pready_range(1, 3, r[0]), MPI_ERR_ARG, "partition is 3");
        CHECK_OK(MPI_Pready_range(1, 0, r[0])); /* none */
        CHECK_OK(MPI_Pready_list(0, NULL, r[0]));
        CHECK_OK(MPI_Pready(1, r[0]));
        SAYS(MPI_Pready(1, r[0]), MPI_ERR_ARG, "partition 1 has been marked as ready before");
        SAYS(MPI_Pready_range(0, 2, r[0]), MPI_ERR_ARG, "partition 1 has been marked as ready before");
        SAYS(MPI_Pready_list(2, again, r[0]), MPI_ERR_ARG, "partition 2 has been marked as ready before");
        SAYS(MPI_Request_free(&r[0]), MPI_ERR_REQUEST, "partitioned operation under way, which cannot be freed");
        SAYS(MPI_Cancel(&r[0]), MPI_ERR_REQUEST, "partitioned operation under way, which cannot be cancelled");
        CHECK_OK(MPI_Start(&r[1]));
        SAYS(MPI_Start(&r[1]), MPI_ERR_REQUEST, "already active");
        SAYS(MPI_Request_free(&r[1]), MPI_ERR_REQUEST, "partitioned operation under way, which cannot be freed");
        SAYS(MPI_Cancel(&r[1]), MPI_ERR_REQUEST, "partitioned operation under way, which cannot be cancelled");
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK_OK(MPI_Pready(0, r[0]));
        CHECK_OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
        for (int i = 0; i < 3; i++)
            CHECK_INT(in[i], check_value(left, i));
    }
    CHECK_OK(MPI_Request_free(&r[0]));
    CHECK_OK(MPI_Request_free(&r[1]));
    CHECK_OK(MPI_Psend_init(out, 2, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]));
    SAYS(MPI_Pready(0, r[0]), MPI_ERR_REQUEST, "not active");
    CHECK_OK(MPI_Start(&r[0]));
    CHECK_OK(MPI_Pready(0, r[0]));
    SAYS(MPI_Pready(0, r[0]), MPI_ERR_ARG, "partition 0 has been marked as ready before");
    CHECK_OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
    SAYS(MPI_Pready(1, r[0]), MPI_ERR_REQUEST, "not active");
    CHECK_OK(MPI_Request_free(&r[0]));
}

/* The receiver has less room than is sent: what fits is there, what follows the buffer is not touched, the sender and
 * the next round are none the worse. */
static void too_small(int sends, int each, int receives, int room)
{
    int total = sends * each, fits = receives * room, flag;
    int *out = check_alloc((size_t)total * sizeof *out, 0), *in = check_alloc((size_t)(fits + 1) * sizeof *in, 0);
    MPI_Request r[2];
    MPI_Status status;
    for (int i = 0; i < total; i++)
        out[i] = check_value(check_rank, i);
    CHECK_OK(MPI_Psend_init(out, sends, each, MPI_INT, right, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]));
    CHECK_OK(MPI_Precv_init(in, receives, room, MPI_INT, left, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]));
    for (int round = 0; round < 2; round++) {
        check_wipe(in, (size_t)(fits + 1) * sizeof *in);
        int behind = in[fits], wrong = 0;
        CHECK_OK(MPI_Startall(2, r));
        ready_all(sends, r[0]);
        int code = MPI_Wait(&r[1], &status);
        must_say(code, MPI_ERR_TRUNCATE, "which is longer than the receive buffer", "MPI_Wait");
        CHECK_OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
        for (int i = 0; i < fits; i++)
            wrong += in[i] != check_value(left, i);
        CHECK_INT(wrong, 0);
        CHECK_INT(in[fits], behind);
        CHECK_OK(MPI_Parrived(r[1], receives - 1, &flag));
        CHECK(flag);
    }
    CHECK_OK(MPI_Request_free(&r[0]));
    CHECK_OK(MPI_Request_free(&r[1]));
    free(out);
    free(in);
}

static int prepare(bool sends, int *buf, MPI_Request *request)
{
    return sends ? MPI_Psend_init(buf, 2, 1, MPI_INT, right, 3, MPI_COMM_WORLD, MPI_INFO_NULL, request)
                 : MPI_Precv_init(buf, 2, 1, MPI_INT, left, 3, MPI_COMM_WORLD, MPI_INFO_NULL, request);
}

/* Each allocation of an initialization fails in turn: there is no request, and nobody has heard of it. */
static void without_memory(void)
{
    int out[2] = {check_value(check_rank, 0), check_value(check_rank, 1)}, in[2];
    MPI_Request r[2];
    check_wipe(in, sizeof in);
    for (int i = 0; i < 2; i++) {
        bool hit = true;
        for (int k = 0; hit; k++) {
            r[i] = MPI_REQUEST_NULL;
            scarce_begin(k, false);
            int code = prepare(i == 0, i == 0 ? out : in, &r[i]);
            hit = scarce_end();
            CHECK_CLASS(code, hit ? MPI_ERR_NO_MEM : MPI_SUCCESS);
            CHECK((r[i] == MPI_REQUEST_NULL) == hit);
        }
    }
    CHECK_OK(MPI_Startall(2, r));
    ready_all(2, r[0]);
    CHECK_OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    CHECK_INT(in[0], check_value(left, 0));
    CHECK_INT(in[1], check_value(left, 1));
    CHECK_OK(MPI_Request_free(&r[0]));
    CHECK_OK(MPI_Request_free(&r[1]));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    right = (check_rank + 1) % check_size;
    left = (check_rank + check_size - 1) % check_size;
    arguments();
    of_another_kind();
    at_the_wrong_time();
    too_small(4, 10, 3, 13);
    too_small(3, 60000, 2, 70000);
    too_small(2, 50, 2, 0);
    without_memory();
    return check_end();
}
