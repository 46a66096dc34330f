/* np: 2 4 8
 * only: treefold
 *
 * Performance variables count what the test does: messages, queues and their peaks, plans, the time waited, the
 * algorithm that was chosen; sessions and handles, and what is refused.
 */
#include "tool.h"
#include <unistd.h>

static MPI_T_pvar_session session;

static int pvar(const char *name, int class)
{
    int index = -1;
    CHECK_CODE(MPI_T_pvar_get_index(name, class, &index), MPI_SUCCESS);
    return index;
}

static MPI_T_pvar_handle handle_of(const char *name, int class, void *object)
{
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    int count = -1;
    CHECK_CODE(MPI_T_pvar_handle_alloc(session, pvar(name, class), object, &handle, &count), MPI_SUCCESS);
    CHECK_INT(count, 1);
    return handle;
}

static unsigned long long number(MPI_T_pvar_handle handle)
{
    unsigned long long value = 0xe5e5e5e5;
    CHECK_CODE(MPI_T_pvar_read(session, handle, &value), MPI_SUCCESS);
    return value;
}

static void every_variable(void)
{
    int num = 0, states = 0;
    CHECK_CODE(MPI_T_pvar_get_num(&num), MPI_SUCCESS);
    CHECK(num > 30);
    for (int i = 0; i < num; i++) {
        char name[100], desc[300];
        int n = sizeof name, d = sizeof desc, verbosity, class = -1, bind = -1, readonly = -1, continuous = -1;
        int atomic = -1, found = -1;
        MPI_Datatype type;
        MPI_T_enum enumtype;
        CHECK_CODE(MPI_T_pvar_get_info(i, name, &n, &verbosity, &class, &type, &enumtype, desc, &d, &bind, &readonly,
                                       &continuous, &atomic),
                   MPI_SUCCESS);
        CHECK_CODE(MPI_T_pvar_get_index(name, class, &found), MPI_SUCCESS);
        CHECK_INT(found, i);
        CHECK_CODE(MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_GENERIC, &found), MPI_T_ERR_INVALID_NAME);
        bool state = class == MPI_T_PVAR_CLASS_STATE, level = class == MPI_T_PVAR_CLASS_LEVEL;
        states += state;
        CHECK_INT(bind, state ? MPI_T_BIND_MPI_COMM : MPI_T_BIND_NO_OBJECT);
        CHECK(type == (state ? MPI_INT : class == MPI_T_PVAR_CLASS_TIMER ? MPI_DOUBLE : MPI_UNSIGNED_LONG_LONG));
        CHECK((enumtype != MPI_T_ENUM_NULL) == state);
        CHECK_INT(readonly, state || level);
        CHECK_INT(continuous, state || level);
        CHECK(strlen(desc) > 10);
    }
    CHECK(states >= 17);
    CHECK_CODE(MPI_T_pvar_get_info(num, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
               MPI_T_ERR_INVALID_INDEX);
    CHECK_CODE(MPI_T_pvar_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
               MPI_SUCCESS);
}

/* Rank 1 sends so many messages of so many bytes, which come before rank 0 receives them. */
static void exchange(int messages, int bytes, MPI_T_pvar_handle level)
{
    char *data = check_alloc((size_t)bytes, 3);
    for (int i = 0; i < messages && tool_rank == 1; i++)
        CHECK_OK(MPI_Send(data, bytes, MPI_BYTE, 0, 5, tool_pair));
    CHECK_OK(MPI_Barrier(tool_pair));
    if (tool_rank == 0) {
        int flag = 0;
        MPI_Status status;
        for (int i = 0; i < 1000 && !(flag && number(level) == (unsigned long long)messages); i++)
            CHECK_OK(MPI_Iprobe(1, 5, tool_pair, &flag, &status));
        CHECK_INT(number(level), messages);
        for (int i = 0; i < messages; i++) {
            check_wipe(data, (size_t)bytes);
            CHECK_OK(MPI_Recv(data, bytes, MPI_BYTE, 1, 5, tool_pair, &status));
            CHECK_INT(data[bytes - 1], 3);
        }
        CHECK_INT(number(level), 0);
    }
    CHECK_OK(MPI_Barrier(tool_pair)); /* those of the next time come later */
    free(data);
}

/* That of the transport between the two. */
static MPI_T_pvar_handle transport(const char *name, int class)
{
    char text[100];
    snprintf(text, sizeof text, "treefold_%s_%s", name, cvar_int("treefold_node_size") == 1 ? "tcp" : "shm");
    return handle_of(text, class, NULL);
}

static void messages_and_queues(void)
{
    MPI_T_pvar_handle got = transport("messages_received", MPI_T_PVAR_CLASS_COUNTER);
    MPI_T_pvar_handle gave = transport("messages_sent", MPI_T_PVAR_CLASS_COUNTER);
    MPI_T_pvar_handle bytes_in = transport("bytes_received", MPI_T_PVAR_CLASS_AGGREGATE);
    MPI_T_pvar_handle bytes_out = transport("bytes_sent", MPI_T_PVAR_CLASS_AGGREGATE);
    MPI_T_pvar_handle level = handle_of("treefold_unexpected_queue", MPI_T_PVAR_CLASS_LEVEL, NULL);
    MPI_T_pvar_handle peak = handle_of("treefold_unexpected_queue_peak", MPI_T_PVAR_CLASS_HIGHWATERMARK, NULL);
    CHECK_OK(MPI_Barrier(tool_pair));
    exchange(3, 100, level);
    CHECK_INT(number(got), 0); /* nothing was started */
    CHECK_INT(number(peak), 0);
    CHECK_CODE(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    exchange(10, 1000, level);
    CHECK_CODE(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    if (tool_rank == 0) {
        CHECK(number(got) >= 11 && number(got) < 100);
        CHECK(number(bytes_in) >= 10000 && number(bytes_in) < 10500);
        CHECK_INT(number(peak), 10);
    } else {
        CHECK(number(gave) >= 11 && number(gave) < 100);
        CHECK(number(bytes_out) >= 10000 && number(bytes_out) < 10500);
        CHECK_INT(number(peak), 0);
    }
    unsigned long long before = number(got), seven = 7, value = 0;
    exchange(4, 200, level);
    CHECK_INT(number(got), before); /* stopped */
    CHECK_CODE(MPI_T_pvar_write(session, got, &seven), MPI_SUCCESS);
    CHECK_INT(number(got), 7);
    CHECK_CODE(MPI_T_pvar_readreset(session, got, &value), MPI_SUCCESS);
    CHECK_INT(value, 7);
    CHECK_INT(number(got), 0);
    CHECK_CODE(MPI_T_pvar_start(session, peak), MPI_SUCCESS);
    CHECK_CODE(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    exchange(6, 8, level);
    CHECK_INT(number(peak), tool_rank == 0 ? 6 : 0);
    CHECK_CODE(MPI_T_pvar_handle_free(session, &peak), MPI_SUCCESS);
    CHECK(peak == MPI_T_PVAR_HANDLE_NULL);
    exchange(6, 8, level); /* nobody listens any more */
}

static void posted(void)
{
    MPI_T_pvar_handle level = handle_of("treefold_posted_queue", MPI_T_PVAR_CLASS_LEVEL, NULL);
    MPI_T_pvar_handle peak = handle_of("treefold_posted_queue_peak", MPI_T_PVAR_CLASS_HIGHWATERMARK, NULL);
    MPI_Request requests[5];
    int values[5] = {-1, -1, -1, -1, -1};
    CHECK_CODE(MPI_T_pvar_start(session, peak), MPI_SUCCESS);
    for (int i = 0; i < 5; i++)
        CHECK_OK(MPI_Irecv(&values[i], 1, MPI_INT, 1 - tool_rank, 50 + i, tool_pair, &requests[i]));
    CHECK_INT(number(level), 5);
    CHECK_INT(number(peak), 5);
    CHECK_OK(MPI_Barrier(tool_pair));
    for (int i = 0; i < 5; i++)
        CHECK_OK(MPI_Send(&i, 1, MPI_INT, 1 - tool_rank, 50 + i, tool_pair));
    CHECK_OK(MPI_Waitall(5, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < 5; i++)
        CHECK_INT(values[i], i);
    CHECK_INT(number(level), 0);
    CHECK(number(peak) >= 5);
}

/* The name of the algorithm that was chosen last. */
static void algorithm(MPI_T_pvar_handle handle, char *name, int capacity)
{
    int value = -1, num = 0, index = pvar("treefold_algorithm_allreduce", MPI_T_PVAR_CLASS_STATE);
    MPI_T_enum enumtype;
    CHECK_CODE(MPI_T_pvar_get_info(index, NULL, NULL, NULL, NULL, NULL, &enumtype, NULL, NULL, NULL, NULL, NULL, NULL),
               MPI_SUCCESS);
    CHECK_CODE(MPI_T_pvar_read(session, handle, &value), MPI_SUCCESS);
    CHECK_CODE(MPI_T_enum_get_info(enumtype, &num, NULL, NULL), MPI_SUCCESS);
    CHECK(num > 5);
    strcpy(name, "?");
    for (int i = 0; i < num; i++) {
        int its = -1, length = capacity;
        char text[100];
        CHECK_CODE(MPI_T_enum_get_item(enumtype, i, &its, text, &length), MPI_SUCCESS);
        if (its == value)
            strcpy(name, text);
    }
}

static void collectives(void)
{
    MPI_T_pvar_handle begun = handle_of("treefold_collectives", MPI_T_PVAR_CLASS_COUNTER, NULL);
    MPI_T_pvar_handle built = handle_of("treefold_plans_built", MPI_T_PVAR_CLASS_COUNTER, NULL);
    MPI_T_pvar_handle reused = handle_of("treefold_plans_reused", MPI_T_PVAR_CLASS_COUNTER, NULL);
    MPI_Comm comm;
    char name[100], rules[5000] = "allreduce=linear";
    int one = 1, sum, count;
    CHECK_OK(MPI_Comm_dup(tool_pair, &comm));
    MPI_T_pvar_handle chosen = handle_of("treefold_algorithm_allreduce", MPI_T_PVAR_CLASS_STATE, &comm);
    algorithm(chosen, name, sizeof name);
    CHECK_STRING(name, "none");
    CHECK_CODE(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    MPI_T_cvar_handle algorithms = cvar_handle("treefold_algorithm", &count);
    for (int i = 0; i < 2; i++) {
        CHECK_CODE(MPI_T_cvar_write(algorithms, rules), MPI_SUCCESS);
        for (int k = 0; k < 10; k++) {
            sum = -1;
            CHECK_OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
            CHECK_INT(sum, 2);
        }
        algorithm(chosen, name, sizeof name);
        CHECK_STRING(name, i ? "recursive_doubling" : "linear");
        strcpy(rules, "allreduce=recursive_doubling");
    }
    CHECK_INT(number(begun), 20);
    CHECK_INT(number(built), 2);
    CHECK_INT(number(reused), 18);
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_CODE(MPI_T_pvar_read(session, chosen, &sum), MPI_T_ERR_INVALID_HANDLE);
    CHECK(number(begun) >= 20); /* those of communicators that are gone */
    check_wipe(rules, sizeof rules);
    rules[0] = '\0';
    CHECK_CODE(MPI_T_cvar_write(algorithms, rules), MPI_SUCCESS);
    CHECK_CODE(MPI_T_cvar_handle_free(&algorithms), MPI_SUCCESS);
}

/* Rank 0 waits for rank 1, which comes late. */
static void time_waited(void)
{
    MPI_T_pvar_handle timer = handle_of("treefold_time_waited", MPI_T_PVAR_CLASS_TIMER, NULL);
    double waited = -1, start, value = 1;
    CHECK_OK(MPI_Barrier(tool_pair));
    CHECK_CODE(MPI_T_pvar_start(session, timer), MPI_SUCCESS);
    start = MPI_Wtime();
    if (tool_rank == 1)
        usleep(50000);
    CHECK_OK(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, tool_pair));
    CHECK_DOUBLE(value, 2);
    if (tool_rank == 1)
        usleep(20000);
    CHECK_OK(MPI_Sendrecv(&value, 1, MPI_DOUBLE, 1 - tool_rank, 9, &waited, 1, MPI_DOUBLE, 1 - tool_rank, 9, tool_pair,
                          MPI_STATUS_IGNORE));
    CHECK_DOUBLE(waited, 2);
    double passed = MPI_Wtime() - start;
    CHECK_CODE(MPI_T_pvar_stop(session, timer), MPI_SUCCESS);
    CHECK_CODE(MPI_T_pvar_read(session, timer, &waited), MPI_SUCCESS);
    CHECK_NOTED(waited >= 0 && waited <= passed, "%g of %g seconds", waited, passed);
    if (tool_rank == 0)
        CHECK_NOTED(waited > 0, "%g seconds", waited);
    value = -1;
    CHECK_CODE(MPI_T_pvar_write(session, timer, &value), MPI_T_ERR_INVALID);
    value = 2.5;
    CHECK_CODE(MPI_T_pvar_write(session, timer, &value), MPI_SUCCESS);
    CHECK_CODE(MPI_T_pvar_read(session, timer, &waited), MPI_SUCCESS);
    CHECK_DOUBLE(waited, 2.5);
}

static void refused(void)
{
    MPI_T_pvar_session other, none = MPI_T_PVAR_SESSION_NULL;
    MPI_T_pvar_handle level = handle_of("treefold_posted_queue", MPI_T_PVAR_CLASS_LEVEL, NULL), handle;
    MPI_Comm comm = MPI_COMM_NULL;
    unsigned long long value = 0;
    int count, num;
    CHECK_CODE(MPI_T_pvar_start(session, level), MPI_T_ERR_PVAR_NO_STARTSTOP);
    CHECK_CODE(MPI_T_pvar_stop(session, level), MPI_T_ERR_PVAR_NO_STARTSTOP);
    CHECK_CODE(MPI_T_pvar_write(session, level, &value), MPI_T_ERR_PVAR_NO_WRITE);
    CHECK_CODE(MPI_T_pvar_reset(session, level), MPI_T_ERR_PVAR_NO_WRITE);
    CHECK_CODE(MPI_T_pvar_readreset(session, level, &value), MPI_T_ERR_PVAR_NO_ATOMIC);
    CHECK_CODE(MPI_T_pvar_read(session, MPI_T_PVAR_ALL_HANDLES, &value), MPI_T_ERR_INVALID_HANDLE);
    CHECK_CODE(MPI_T_pvar_read(none, level, &value), MPI_T_ERR_INVALID_SESSION);
    CHECK_CODE(MPI_T_pvar_start(none, MPI_T_PVAR_ALL_HANDLES), MPI_T_ERR_INVALID_SESSION);
    CHECK_CODE(MPI_T_pvar_session_free(&none), MPI_T_ERR_INVALID_SESSION);
    CHECK_CODE(MPI_T_pvar_session_create(&other), MPI_SUCCESS);
    CHECK_CODE(MPI_T_pvar_read(other, level, &value), MPI_T_ERR_INVALID_HANDLE);
    CHECK_CODE(MPI_T_pvar_handle_free(other, &level), MPI_T_ERR_INVALID_HANDLE);
    CHECK_CODE(MPI_T_pvar_get_num(&num), MPI_SUCCESS);
    CHECK_CODE(MPI_T_pvar_handle_alloc(other, num, NULL, &handle, &count), MPI_T_ERR_INVALID_INDEX);
    int state = pvar("treefold_algorithm_bcast", MPI_T_PVAR_CLASS_STATE);
    CHECK_CODE(MPI_T_pvar_handle_alloc(other, state, NULL, &handle, &count), MPI_T_ERR_INVALID);
    CHECK_CODE(MPI_T_pvar_handle_alloc(other, state, &comm, &handle, &count), MPI_T_ERR_INVALID);
    CHECK_CODE(MPI_T_pvar_handle_alloc(none, 0, NULL, &handle, &count), MPI_T_ERR_INVALID_SESSION);
    CHECK_CODE(MPI_T_pvar_handle_alloc(other, 0, NULL, &handle, &count), MPI_SUCCESS);
    CHECK_CODE(MPI_T_pvar_session_free(&other), MPI_SUCCESS); /* its handles go with it */
    CHECK(other == MPI_T_PVAR_SESSION_NULL);
    CHECK_CODE(MPI_T_pvar_handle_free(session, &handle), MPI_T_ERR_INVALID_HANDLE);
}

int main(int argc, char **argv)
{
    int provided, n = -7;
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    CHECK_CODE(MPI_T_pvar_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_CODE(MPI_T_pvar_session_create(&session), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_CODE(MPI_T_pvar_start(session, handle), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_CODE(MPI_T_pvar_read(session, handle, &n), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_INT(n, -7);
    CHECK_CODE(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    CHECK_CODE(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
    every_variable();
    handle = handle_of("treefold_collectives", MPI_T_PVAR_CLASS_COUNTER, NULL);
    CHECK_CODE(MPI_T_pvar_start(session, handle), MPI_SUCCESS);
    CHECK_INT(number(handle), 0);
    tool_start(&argc, &argv);
    messages_and_queues();
    posted();
    collectives();
    time_waited();
    refused();
    int failed = tool_end();
    long long before = check_failures;
    CHECK(number(handle) > 20); /* what was counted stays */
    CHECK_CODE(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
    CHECK_CODE(MPI_T_finalize(), MPI_SUCCESS);
    return failed || check_failures != before;
}
