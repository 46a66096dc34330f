/* MPIX_Request_attach_x: functions are told when an operation starts again, has ended and is gone; before a wait, a
 * test or a status can tell; also of several on one request, of a freed one, and of one that has ended already.
 *
 * np: 1 2 4
 * only: treefold
 */
#include "check.h"

struct events {
    int started, completed, destroyed;
    const int *watched; /* what it holds when the operation ends goes into `seen` */
    int seen;
};

static void started(void *context)
{
    ((struct events *)context)->started++;
}

static void completed(void *context)
{
    struct events *events = context;
    events->completed++;
    events->seen = *events->watched;
}

static void destroyed(void *context)
{
    ((struct events *)context)->destroyed++;
}

#define EXPECT_EVENTS(e, start, end, gone) expect_events(__LINE__, e, start, end, gone)
static void expect_events(int line, const struct events *e, int start, int end, int gone)
{
    check_int(e->started, start, __FILE__, line, "started");
    check_int(e->completed, end, __FILE__, line, "completed");
    check_int(e->destroyed, gone, __FILE__, line, "destroyed");
}

static void receive(void)
{
    int right = (check_rank + 1) % check_size, left = (check_rank - 1 + check_size) % check_size, value = -1, flag = 0;
    struct events one = {.watched = &value}, two = {.watched = &value};
    MPI_Request request;

    CHECK_OK(MPI_Irecv(&value, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &request));
    MPIX_Request_attach_x(request, started, completed, destroyed, &one);
    MPIX_Request_attach_x(request, NULL, completed, NULL, &two);
    EXPECT_EVENTS(&one, 0, 0, 0);
    CHECK_OK(MPI_Send(&check_rank, 1, MPI_INT, right, 1, MPI_COMM_WORLD));
    while (!flag)
        CHECK_OK(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
    EXPECT_EVENTS(&one, 0, 1, 0);
    EXPECT_EVENTS(&two, 0, 1, 0);
    CHECK_INT(one.seen, left);
    CHECK_INT(two.seen, left);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    EXPECT_EVENTS(&one, 0, 1, 1);
}

static void reduction(void)
{
    int sum = -1, want = check_size * (check_size - 1) / 2;
    struct events e = {.watched = &sum};
    MPI_Request request;

    CHECK_OK(MPI_Iallreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
    MPIX_Request_attach_x(request, started, completed, destroyed, &e);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    EXPECT_EVENTS(&e, 0, 1, 1);
    CHECK_INT(e.seen, want);
}

static void persistent(void)
{
    int sum = -1;
    struct events e = {.watched = &sum};
    MPI_Request request;

    CHECK_OK(MPI_Allreduce_init(&check_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    MPIX_Request_attach_x(request, started, completed, destroyed, &e);
    EXPECT_EVENTS(&e, 0, 0, 0);
    for (int turn = 1; turn <= 3; turn++) {
        sum = -1;
        CHECK_OK(MPI_Start(&request));
        CHECK_INT(e.started, turn);
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_INT(sum, check_size * (check_size - 1) / 2);
        EXPECT_EVENTS(&e, turn, turn, 0);
    }
    CHECK_OK(MPI_Request_free(&request));
    EXPECT_EVENTS(&e, 3, 3, 1);
}

static void given_up(void)
{
    int value = -1, left = (check_rank - 1 + check_size) % check_size, right = (check_rank + 1) % check_size, last = -1;
    struct events e = {.watched = &value};
    MPI_Request request;

    CHECK_OK(MPI_Irecv(&value, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &request));
    MPIX_Request_attach_x(request, started, completed, destroyed, &e);
    CHECK_OK(MPI_Request_free(&request));
    CHECK_OK(MPI_Send(&check_rank, 1, MPI_INT, right, 2, MPI_COMM_WORLD));
    CHECK_OK(MPI_Send(&check_rank, 1, MPI_INT, right, 3, MPI_COMM_WORLD));
    CHECK_OK(MPI_Recv(&last, 1, MPI_INT, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_INT(value, left);
    CHECK_INT(last, left);
    EXPECT_EVENTS(&e, 0, 1, 1);
}

static void cancelled(void)
{
    int value = -1;
    struct events e = {.watched = &value};
    MPI_Request request;

    CHECK_OK(MPI_Irecv(&value, 1, MPI_INT, check_rank, 99, MPI_COMM_WORLD, &request));
    MPIX_Request_attach_x(request, started, completed, destroyed, &e);
    CHECK_OK(MPI_Cancel(&request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    EXPECT_EVENTS(&e, 0, 1, 1);
}

static void ended_already(void)
{
    int value = 5;
    struct events e = {.watched = &value};
    MPI_Request request;

    CHECK_OK(MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request));
    MPIX_Request_attach_x(request, started, completed, destroyed, &e);
    EXPECT_EVENTS(&e, 0, 1, 0);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    EXPECT_EVENTS(&e, 0, 1, 1);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    int err = MPIX_Request_attach_x(MPI_REQUEST_NULL, started, completed, destroyed, &e), class;
    MPI_Error_class(err, &class);
    CHECK_INT(class, MPI_ERR_REQUEST);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    receive();
    reduction();
    persistent();
    given_up();
    cancelled();
    ended_already();
    return check_end();
}
