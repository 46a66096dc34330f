/* MPI_THREAD_MULTIPLE: threads that read variables of their own sessions while others send and reduce, and callbacks of
 * events, which come one at a time.
 *
 * np: 1 2 3 6
 * only: treefold
 * flags: -pthread
 */
#include "tool.h"
#include <pthread.h>

enum { THREADS = 4, TURNS = 200 };
static MPI_Comm comms[THREADS];
static int begun, inside;

static void hear(MPI_T_event_instance instance, MPI_T_event_registration registration, MPI_T_cb_safety safety,
                 void *user_data)
{
    MPI_Count comm = -1;
    (void)registration, (void)safety, (void)user_data;
    CHECK_INT(inside++, 0);
    CHECK_CODE(MPI_T_event_read(instance, 0, &comm), MPI_SUCCESS);
    for (int i = 0; i < THREADS; i++)
        begun += comm == MPI_Comm_toint(comms[i]);
    inside--;
}

/* What the thread itself does is counted, and perhaps more. */
static void work_once(int id, MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    int sum = -1, one = 1, got = -1, right = (check_rank + 1) % check_size;
    int left = (check_rank + check_size - 1) % check_size;
    unsigned long long value = 0xe5e5e5e5;
    CHECK_CODE(MPI_T_pvar_reset(session, handle), MPI_SUCCESS);
    CHECK_CODE(MPI_T_pvar_start(session, handle), MPI_SUCCESS);
    CHECK_OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comms[id]));
    CHECK_INT(sum, check_size);
    CHECK_OK(MPI_Sendrecv(&id, 1, MPI_INT, right, id, &got, 1, MPI_INT, left, id, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_INT(got, id);
    CHECK_CODE(MPI_T_pvar_stop(session, handle), MPI_SUCCESS);
    CHECK_CODE(MPI_T_pvar_read(session, handle, &value), MPI_SUCCESS);
    CHECK(value >= 1 && value <= (unsigned long long)THREADS * TURNS);
}

static void *work(void *argument)
{
    int id = *(int *)argument, index = -1, count;
    CHECK_CODE(MPI_T_pvar_get_index("treefold_collectives", MPI_T_PVAR_CLASS_COUNTER, &index), MPI_SUCCESS);
    for (int k = 0; k < TURNS; k++) {
        MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
        MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
        CHECK_CODE(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
        CHECK_CODE(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count), MPI_SUCCESS);
        work_once(id, session, handle);
        CHECK_INT(cvar_int("treefold_verbose"), 0);
        CHECK_CODE(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided = -1, ids[THREADS], event = -1;
    pthread_t threads[THREADS];
    MPI_T_event_registration registration = NULL;
    CHECK_CODE(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
    CHECK_INT(provided, MPI_THREAD_MULTIPLE);
    CHECK_OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
    CHECK_INT(provided, MPI_THREAD_MULTIPLE);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Comm_rank(MPI_COMM_WORLD, &check_rank));
    CHECK_OK(MPI_Comm_size(MPI_COMM_WORLD, &check_size));
    for (int k = 0; k < THREADS; k++)
        CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[k]));
    CHECK_CODE(MPI_T_event_get_index("treefold_collective_begun", &event), MPI_SUCCESS);
    CHECK_CODE(MPI_T_event_handle_alloc(event, NULL, MPI_INFO_NULL, &registration), MPI_SUCCESS);
    CHECK_CODE(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_MPI_RESTRICTED, MPI_INFO_NULL, NULL, hear),
               MPI_SUCCESS);
    for (int k = 0; k < THREADS; k++) {
        ids[k] = k;
        CHECK_INT(pthread_create(&threads[k], NULL, work, &ids[k]), 0);
    }
    for (int k = 0; k < THREADS; k++)
        CHECK_INT(pthread_join(threads[k], NULL), 0);
    CHECK_INT(begun, THREADS * TURNS);
    CHECK_CODE(MPI_T_event_handle_free(registration, NULL, NULL), MPI_SUCCESS);
    for (int k = 0; k < THREADS; k++)
        CHECK_OK(MPI_Comm_free(&comms[k]));
    int failed = check_end();
    CHECK_CODE(MPI_T_finalize(), MPI_SUCCESS);
    return failed;
}
