/* What the functions of a generalized request return comes out of the call that called them: of every wait and test, of
 * MPI_Request_free and of the inquiries (MPI-5.0 section 13.2).  Also the status of nothing.
 *
 * np: 1
 * only: treefold
 */
#include "check.h"

enum { QUERY_FAILS = 1, FREE_FAILS = 2 };

static int query_code, free_code; /* error codes of the program */
static int freed;

static int query(void *state, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = 42;
    return *(int *)state & QUERY_FAILS ? query_code : MPI_SUCCESS;
}

static int release(void *state)
{
    freed++;
    return *(int *)state & FREE_FAILS ? free_code : MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

/* One that has ended. */
static MPI_Request start(int *fails)
{
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_OK(MPI_Grequest_start(query, release, cancel, fails, &request));
    CHECK_OK(MPI_Grequest_complete(request));
    return request;
}

/* Completes the second of three requests, the others null.  What it returned, or the error in the status of those that
 * return MPI_ERR_IN_STATUS. */
static int complete(int call, MPI_Request *request)
{
    MPI_Request all[3] = {MPI_REQUEST_NULL, *request, MPI_REQUEST_NULL};
    MPI_Status status, statuses[3];
    int flag = 1, index = 1, indices[3] = {1}, count = 1, code = MPI_SUCCESS, in_status = 1;
    for (int i = 0; i < 3; i++)
        statuses[i].MPI_ERROR = -77;
    switch (call) {
    case 0:
        return MPI_Wait(request, &status);
    case 1:
        return MPI_Test(request, &flag, &status);
    case 2:
        code = MPI_Waitany(3, all, &index, &status);
        break;
    case 3:
        code = MPI_Testany(3, all, &index, &flag, &status);
        break;
    case 4:
        code = MPI_Waitall(3, all, statuses);
        break;
    case 5:
        code = MPI_Testall(3, all, &flag, statuses);
        break;
    case 6:
        code = MPI_Waitsome(3, all, &count, indices, statuses);
        in_status = 0;
        break;
    default:
        code = MPI_Testsome(3, all, &count, indices, statuses);
        in_status = 0;
    }
    CHECK(flag && index == 1 && count == 1 && indices[0] == 1);
    *request = all[1];
    if (call < 4 || code == MPI_SUCCESS)
        return code;
    CHECK_INT(code, MPI_ERR_IN_STATUS);
    return statuses[in_status].MPI_ERROR;
}

static void completions(void)
{
    static const char *const names[] = {"Wait",    "Test",    "Waitany",  "Testany",
                                        "Waitall", "Testall", "Waitsome", "Testsome"};
    for (int call = 0; call < 8; call++)
        for (int fails = 0; fails < 4; fails++) {
            int want = fails & QUERY_FAILS ? query_code : fails & FREE_FAILS ? free_code : MPI_SUCCESS;
            MPI_Request request = start(&fails);
            freed = 0;
            int got = complete(call, &request);
            CHECK_NOTED(got == want, "MPI_%s, %d: code %d, not %d", names[call], fails, got, want);
            CHECK_NOTED(freed == 1 && request == MPI_REQUEST_NULL, "MPI_%s, %d: freed %d times", names[call], fails,
                        freed);
        }
}

static void inquiries(void)
{
    int fails = QUERY_FAILS, flag, index, count, indices[2];
    MPI_Status status, statuses[2];
    MPI_Request requests[2] = {MPI_REQUEST_NULL, start(&fails)};
    CHECK_INT(MPI_Request_get_status(requests[1], &flag, &status), query_code);
    CHECK_INT(MPI_Request_get_status_any(2, requests, &index, &flag, &status), query_code);
    CHECK_INT(index, 1);
    CHECK_INT(MPI_Request_get_status_all(2, requests, &flag, statuses), MPI_ERR_IN_STATUS);
    CHECK_INT(statuses[0].MPI_ERROR, MPI_SUCCESS);
    CHECK_INT(statuses[1].MPI_ERROR, query_code);
    CHECK_INT(MPI_Request_get_status_some(2, requests, &count, indices, statuses), MPI_ERR_IN_STATUS);
    CHECK_INT(statuses[0].MPI_ERROR, query_code);
    fails = FREE_FAILS;
    CHECK_INT(MPI_Request_free(&requests[1]), free_code);
    CHECK(requests[1] == MPI_REQUEST_NULL);
}

static void check_empty(const MPI_Status *status, const char *what)
{
    int count = -1, cancelled = -1;
    MPI_Get_count(status, MPI_INT, &count);
    MPI_Test_cancelled(status, &cancelled);
    CHECK_NOTED(status->MPI_SOURCE == MPI_ANY_SOURCE && status->MPI_TAG == MPI_ANY_TAG && count == 0 && !cancelled,
                "%s: source %d, tag %d", what, status->MPI_SOURCE, status->MPI_TAG);
    CHECK_NOTED(status->MPI_ERROR == MPI_SUCCESS, "%s: error %d", what, status->MPI_ERROR);
}

/* Neither null nor inactive requests. */
static void nothing(void)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[2];
    int flag, index, number;
    CHECK_OK(MPI_Recv_init(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[1]));
    for (int call = 0; call < 4; call++) {
        memset(statuses, 0x77, sizeof statuses);
        flag = 0;
        index = MPI_UNDEFINED;
        if (call == 0)
            CHECK_OK(MPI_Request_get_status(MPI_REQUEST_NULL, &flag, statuses));
        else if (call == 1)
            CHECK_OK(MPI_Request_get_status(requests[1], &flag, statuses));
        else if (call == 2)
            CHECK_OK(MPI_Request_get_status_any(2, requests, &index, &flag, statuses));
        else
            CHECK_OK(MPI_Request_get_status_all(2, requests, &flag, statuses));
        CHECK(flag && index == MPI_UNDEFINED);
        check_empty(&statuses[0], call < 2 ? "get_status" : call == 2 ? "get_status_any" : "get_status_all");
        if (call == 3)
            check_empty(&statuses[1], "get_status_all, inactive");
    }
    CHECK_OK(MPI_Request_free(&requests[1]));
}

/* A collective operation that has ended, and a persistent one that is not active, may be given up. */
static void collectives(void)
{
    MPI_Request request;
    int one = 1, sum = 0;
    CHECK_OK(MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, &request));
    CHECK_OK(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_INT(sum, 1);
    CHECK_OK(MPI_Barrier_init(MPI_COMM_SELF, MPI_INFO_NULL, &request));
    CHECK_OK(MPI_Start(&request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Start(&request));
    CHECK_OK(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    CHECK_OK(MPI_Add_error_code(MPI_ERR_OTHER, &query_code));
    CHECK_OK(MPI_Add_error_code(MPI_ERR_OTHER, &free_code));
    completions();
    inquiries();
    nothing();
    collectives();
    return check_end();
}
