/* np: 2 4 8
 * only: treefold
 *
 * Events come when something happens, once each, with what they say; callbacks, levels of safety, dropped events,
 * what may be called in a callback, and what is refused.
 */
#include "tool.h"

enum { MOST = 64, ELEMENTS = 6 };

static struct log {
    int count;
    MPI_Count elements[MOST][ELEMENTS], when[MOST];
} arrived, taken, begun, ended, disagreed;
static int dropped, freed;

static void hear(MPI_T_event_instance instance, MPI_T_event_registration registration, MPI_T_cb_safety safety,
                 void *user_data)
{
    struct log *log = user_data;
    MPI_Count value = -1;
    int source = -1, n;
    MPI_T_event_registration other;
    (void)registration;
    CHECK_INT(safety, MPI_T_CB_REQUIRE_MPI_RESTRICTED);
    if (log->count == MOST)
        return;
    check_wipe(log->elements[log->count], sizeof log->elements[0]);
    CHECK_CODE(MPI_T_event_copy(instance, log->elements[log->count]), MPI_SUCCESS);
    CHECK_CODE(MPI_T_event_read(instance, 0, &value), MPI_SUCCESS);
    CHECK_INT(value, log->elements[log->count][0]);
    CHECK_CODE(MPI_T_event_read(instance, ELEMENTS, &value), MPI_T_ERR_INVALID_INDEX);
    CHECK_CODE(MPI_T_event_get_timestamp(instance, &log->when[log->count]), MPI_SUCCESS);
    CHECK_CODE(MPI_T_event_get_source(instance, &source), MPI_SUCCESS);
    CHECK_INT(source, 0);
    CHECK_CODE(MPI_T_cvar_get_num(&n), MPI_T_ERR_NOT_ACCESSIBLE);
    CHECK_CODE(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &other), MPI_T_ERR_NOT_ACCESSIBLE);
    CHECK_CODE(MPI_T_finalize(), MPI_T_ERR_NOT_ACCESSIBLE);
    CHECK_CODE(MPI_T_event_copy((MPI_T_event_instance)(uintptr_t)12345678, &value), MPI_T_ERR_INVALID_HANDLE);
    log->count++;
}

static void hear_nothing(MPI_T_event_instance instance, MPI_T_event_registration registration, MPI_T_cb_safety safety,
                         void *user_data)
{
    (void)instance, (void)registration, (void)safety, (void)user_data;
    CHECK(!"a callback that is not strict enough");
}

static void drop(MPI_Count count, MPI_T_event_registration registration, int source, MPI_T_cb_safety safety,
                 void *user_data)
{
    (void)registration;
    CHECK_INT(source, 0);
    CHECK_INT(safety, MPI_T_CB_REQUIRE_MPI_RESTRICTED);
    CHECK(user_data == &dropped);
    dropped += (int)count;
}

static void is_free(MPI_T_event_registration registration, MPI_T_cb_safety safety, void *user_data)
{
    (void)registration;
    CHECK_INT(safety, MPI_T_CB_REQUIRE_NONE);
    *(int *)user_data += 1;
}

static int event(const char *name)
{
    int index = -1;
    CHECK_CODE(MPI_T_event_get_index(name, &index), MPI_SUCCESS);
    return index;
}

static MPI_T_event_registration listen_to(const char *name, MPI_T_cb_safety safety, MPI_T_event_cb_function *function,
                                          void *user_data)
{
    MPI_T_event_registration registration = NULL;
    CHECK_CODE(MPI_T_event_handle_alloc(event(name), NULL, MPI_INFO_NULL, &registration), MPI_SUCCESS);
    CHECK_CODE(MPI_T_event_register_callback(registration, safety, MPI_INFO_NULL, user_data, function), MPI_SUCCESS);
    return registration;
}

static void every_type(void)
{
    int num = 0, sources = 0, n;
    CHECK_CODE(MPI_T_event_get_num(&num), MPI_SUCCESS);
    CHECK(num >= 6);
    for (int i = 0; i < num; i++) {
        char name[100], desc[200];
        int nn = sizeof name, nd = sizeof desc, verbosity, bind = -1, elements = ELEMENTS, found = -1, items = -1;
        MPI_Datatype types[ELEMENTS];
        MPI_Aint displacements[ELEMENTS];
        MPI_T_enum enumtype;
        MPI_Info info = MPI_INFO_NULL;
        CHECK_CODE(MPI_T_event_get_info(i, name, &nn, &verbosity, types, displacements, &elements, &enumtype, &info,
                                        desc, &nd, &bind),
                   MPI_SUCCESS);
        CHECK_CODE(MPI_T_event_get_index(name, &found), MPI_SUCCESS);
        CHECK_INT(found, i);
        CHECK_INT(bind, MPI_T_BIND_NO_OBJECT);
        CHECK(elements >= 1 && elements <= ELEMENTS);
        for (int k = 0; k < elements; k++)
            CHECK(types[k] == MPI_COUNT && displacements[k] == (MPI_Aint)(k * sizeof(MPI_Count)));
        CHECK_CODE(MPI_T_enum_get_info(enumtype, &items, NULL, NULL), MPI_SUCCESS);
        CHECK_INT(items, elements);
        CHECK(info != MPI_INFO_NULL);
        CHECK_OK(MPI_Info_free(&info));
        n = 1; /* no more than there is room for */
        types[1] = MPI_DATATYPE_NULL;
        CHECK_CODE(MPI_T_event_get_info(i, NULL, NULL, NULL, types, NULL, &n, NULL, NULL, NULL, NULL, NULL),
                   MPI_SUCCESS);
        CHECK_INT(n, elements);
        CHECK(types[1] == MPI_DATATYPE_NULL);
    }
    CHECK_CODE(MPI_T_event_get_info(num, NULL, NULL, NULL, NULL, NULL, &n, NULL, NULL, NULL, NULL, NULL),
               MPI_T_ERR_INVALID_INDEX);
    CHECK_CODE(MPI_T_event_get_index("treefold_nothing", &n), MPI_T_ERR_INVALID_NAME);

    MPI_T_source_order order = 0;
    MPI_Count ticks = -1, most = -1, now = -1, later = -1;
    MPI_Info info = MPI_INFO_NULL;
    char name[20];
    n = sizeof name;
    CHECK_CODE(MPI_T_source_get_num(&sources), MPI_SUCCESS);
    CHECK_INT(sources, 1);
    CHECK_CODE(MPI_T_source_get_info(0, name, &n, NULL, NULL, &order, &ticks, &most, &info), MPI_SUCCESS);
    CHECK_STRING(name, "treefold");
    CHECK_INT(order, MPI_T_SOURCE_ORDERED);
    CHECK(ticks == 1000000000 && most > ticks);
    CHECK_OK(MPI_Info_free(&info));
    CHECK_CODE(MPI_T_source_get_info(1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), MPI_T_ERR_INVALID_INDEX);
    CHECK_CODE(MPI_T_source_get_timestamp(0, &now), MPI_SUCCESS);
    CHECK_CODE(MPI_T_source_get_timestamp(0, &later), MPI_SUCCESS);
    CHECK(now > 0 && later >= now);
    CHECK_CODE(MPI_T_source_get_timestamp(-1, &later), MPI_T_ERR_INVALID_INDEX);
}

static void collectives(void)
{
    double mine = 1, sum = -1;
    MPI_Request request;
    int allreduce = -1, barrier = -1;
    CHECK_CODE(MPI_T_pvar_get_index("treefold_algorithm_allreduce", MPI_T_PVAR_CLASS_STATE, &allreduce), MPI_SUCCESS);
    CHECK_CODE(MPI_T_pvar_get_index("treefold_algorithm_barrier", MPI_T_PVAR_CLASS_STATE, &barrier), MPI_SUCCESS);
    for (int i = 0; i < 3; i++) /* that will be repeated when somebody listens */
        CHECK_OK(MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, tool_pair));
    MPI_T_event_registration a = listen_to("treefold_collective_begun", MPI_T_CB_REQUIRE_MPI_RESTRICTED, hear, &begun);
    MPI_T_event_registration b = listen_to("treefold_collective_ended", MPI_T_CB_REQUIRE_THREAD_SAFE, hear, &ended);
    for (int i = 0; i < 3; i++) {
        sum = -1;
        CHECK_OK(MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, tool_pair));
        CHECK_DOUBLE(sum, 2);
    }
    CHECK_OK(MPI_Barrier(tool_pair));
    sum = -1;
    CHECK_OK(MPI_Iallreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, tool_pair, &request));
    CHECK_INT(begun.count, 5);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_DOUBLE(sum, 2);
    CHECK_CODE(MPI_T_event_handle_free(a, &freed, is_free), MPI_SUCCESS);
    CHECK_INT(freed, 1);
    CHECK_CODE(MPI_T_event_handle_free(b, NULL, NULL), MPI_SUCCESS);
    CHECK_OK(MPI_Barrier(tool_pair));
    CHECK_INT(begun.count, 5);
    CHECK_INT(ended.count, 5);
    for (int i = 0; i < 5; i++) {
        CHECK_INT(begun.elements[i][0], MPI_Comm_toint(tool_pair));
        CHECK_INT(begun.elements[i][1], i == 3 ? barrier : allreduce);
        CHECK(begun.elements[i][2] > 0);
        CHECK_INT(begun.elements[i][3], i == 3 ? 0 : 8);
        CHECK_BYTES(begun.elements[i], ended.elements[i], 5 * sizeof(MPI_Count));
        CHECK_INT(ended.elements[i][5], MPI_SUCCESS);
        CHECK(ended.when[i] >= begun.when[i]);
    }
}

static void messages(void)
{
    char data[40];
    MPI_Status status;
    MPI_T_event_registration a =
        listen_to("treefold_unexpected_arrived", MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, hear, &arrived);
    MPI_T_event_registration b = listen_to("treefold_unexpected_taken", MPI_T_CB_REQUIRE_MPI_RESTRICTED, hear, &taken);
    memset(data, 1, sizeof data);
    CHECK_OK(MPI_Barrier(tool_pair)); /* both listen */
    for (int i = 0; i < 4 && tool_rank == 1; i++)
        CHECK_OK(MPI_Send(data, 10 + i, MPI_BYTE, 0, 20 + i, tool_pair));
    CHECK_OK(MPI_Barrier(tool_pair));
    if (tool_rank == 0) {
        CHECK_OK(MPI_Probe(1, 23, tool_pair, &status));
        CHECK_INT(arrived.count, 4);
        CHECK_INT(taken.count, 0);
        for (int i = 4; i-- > 0;)
            CHECK_OK(MPI_Recv(data, sizeof data, MPI_BYTE, 1, 20 + i, tool_pair, &status));
    }
    int expected = tool_rank == 0 ? 4 : 0;
    CHECK_INT(arrived.count, expected);
    CHECK_INT(taken.count, expected);
    for (int i = 0; i < expected && i < arrived.count && i < taken.count; i++) {
        MPI_Count first[4] = {MPI_Comm_toint(tool_pair), 1, 20 + i, 10 + i};
        CHECK_BYTES(arrived.elements[i], first, sizeof first);
        CHECK_BYTES(taken.elements[3 - i], first, sizeof first);
    }
    CHECK_CODE(MPI_T_event_handle_free(a, &freed, is_free), MPI_SUCCESS);
    CHECK_CODE(MPI_T_event_handle_free(b, &freed, is_free), MPI_SUCCESS);
    CHECK_INT(freed, 3);
}

/* A callback that needs more safety than there is is not called. */
static void too_careless(void)
{
    MPI_T_event_registration a = listen_to("treefold_collective_begun", MPI_T_CB_REQUIRE_NONE, hear_nothing, &dropped);
    CHECK_CODE(MPI_T_event_set_dropped_handler(a, drop), MPI_SUCCESS);
    CHECK_OK(MPI_Barrier(tool_pair));
    CHECK_INT(dropped, 1);
    begun.count = 0;
    CHECK_CODE(MPI_T_event_register_callback(a, MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_INFO_NULL, &begun, hear),
               MPI_SUCCESS);
    CHECK_OK(MPI_Barrier(tool_pair));
    CHECK_INT(dropped, 1);
    CHECK_INT(begun.count, 1);
    CHECK_CODE(MPI_T_event_register_callback(a, MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_INFO_NULL, NULL, NULL), MPI_SUCCESS);
    CHECK_CODE(MPI_T_event_set_dropped_handler(a, NULL), MPI_SUCCESS);
    CHECK_OK(MPI_Barrier(tool_pair));
    CHECK_INT(dropped, 1);
    CHECK_INT(begun.count, 1);
    CHECK_CODE(MPI_T_event_handle_free(a, NULL, NULL), MPI_SUCCESS);
}

/* Each of the two says that it is the root. */
static void disagreement(void)
{
    int in = 1, out = -1;
    MPI_Comm comm;
    MPI_T_event_registration a =
        listen_to("treefold_ranks_disagree", MPI_T_CB_REQUIRE_MPI_RESTRICTED, hear, &disagreed);
    CHECK_OK(MPI_Comm_dup(tool_pair, &comm));
    CHECK_OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    CHECK_INT(disagreed.count, 0);
    CHECK(MPI_Reduce(&in, &out, 1, MPI_INT, MPI_SUM, tool_rank, comm) != MPI_SUCCESS);
    CHECK(disagreed.count >= 1);
    CHECK_INT(disagreed.elements[0][0], MPI_Comm_toint(comm));
    CHECK_INT(disagreed.elements[0][2], 1 - tool_rank);
    CHECK_CODE(MPI_T_event_handle_free(a, NULL, NULL), MPI_SUCCESS);
    CHECK_OK(MPI_Barrier(tool_pair));
    if (MPI_Comm_free(&comm)) /* says that something is left over */
        CHECK_OK(MPI_Comm_free(&comm));
}

static void refused(void)
{
    MPI_T_event_registration a = NULL;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Count value;
    int n;
    CHECK_CODE(MPI_T_event_handle_alloc(1000, NULL, MPI_INFO_NULL, &a), MPI_T_ERR_INVALID_INDEX);
    CHECK_CODE(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, NULL), MPI_T_ERR_INVALID);
    CHECK_CODE(MPI_T_event_handle_free(a, NULL, NULL), MPI_T_ERR_INVALID_HANDLE);
    CHECK_CODE(MPI_T_event_read(NULL, 0, &value), MPI_T_ERR_INVALID_HANDLE);
    CHECK_CODE(MPI_T_event_get_source(NULL, &n), MPI_T_ERR_INVALID_HANDLE);
    CHECK_CODE(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &a), MPI_SUCCESS);
    CHECK_CODE(MPI_T_event_register_callback(a, (MPI_T_cb_safety)1, MPI_INFO_NULL, NULL, hear), MPI_T_ERR_INVALID);
    CHECK_CODE(MPI_T_event_callback_get_info(a, MPI_T_CB_REQUIRE_NONE, &info), MPI_T_ERR_INVALID);
    CHECK_CODE(MPI_T_event_register_callback(a, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, hear_nothing), MPI_SUCCESS);
    CHECK_CODE(MPI_T_event_callback_set_info(a, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL), MPI_SUCCESS);
    CHECK_CODE(MPI_T_event_callback_get_info(a, MPI_T_CB_REQUIRE_NONE, &info), MPI_SUCCESS);
    CHECK_CODE(MPI_T_event_handle_set_info(a, info), MPI_SUCCESS);
    CHECK_OK(MPI_Info_free(&info));
    CHECK_CODE(MPI_T_event_handle_get_info(a, &info), MPI_SUCCESS);
    CHECK_OK(MPI_Info_get_nkeys(info, &n));
    CHECK_INT(n, 0);
    CHECK_OK(MPI_Info_free(&info));
    CHECK_CODE(MPI_T_event_handle_free(a, NULL, NULL), MPI_SUCCESS);
    CHECK_CODE(MPI_T_event_set_dropped_handler(a, drop), MPI_T_ERR_INVALID_HANDLE);
}

int main(int argc, char **argv)
{
    int provided, n = -7;
    MPI_Count now = -7;
    CHECK_CODE(MPI_T_event_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_CODE(MPI_T_source_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_CODE(MPI_T_source_get_timestamp(0, &now), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_INT(n, -7);
    CHECK_CODE(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    every_type();
    tool_start(&argc, &argv);
    refused();
    collectives();
    messages();
    too_careless();
    disagreement();
    int failed = tool_end();
    CHECK_CODE(MPI_T_finalize(), MPI_SUCCESS);
    return failed;
}
