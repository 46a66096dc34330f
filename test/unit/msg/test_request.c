/* test_request.c - the life of a request: completed, abandoned, persistent, cancelled, generalized; and what the wait
 * and test families say of arrays of them (MPI-5.0 section 3.7).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "fake_net.h"

static int value = 5, got[8];

static struct tf_type *int_type(void)
{
    return tf_type_find(MPI_INT);
}

static MPI_Request receive(int tag, int *to)
{
    MPI_Request request;
    assert_int_equal(tf_irecv(to, 1, int_type(), 1, tag, tf_comm_world, &request), MPI_SUCCESS);
    return request;
}

static void arrive(int tag, int count)
{
    int values[2] = {value, value};
    fake_eager(1, tf_comm_world, tag, values, (size_t)count * sizeof(int));
    tf_msg_progress();
}

static void a_completed_request_is_gone(void **state)
{
    struct tf_object *comm = NULL;
    MPI_Request request = receive(0, got), copy = request;
    MPI_Status status;
    int flag;
    (void)state;
    tf_test(&request, &flag, &status, &comm);
    assert_false(flag);
    tf_request_get_status(request, &flag, &status);
    assert_false(flag);
    arrive(0, 1);
    tf_request_get_status(request, &flag, &status);
    assert_true(flag);
    assert_int_equal(status.MPI_SOURCE, 1);
    tf_test(&request, &flag, &status, &comm);
    assert_true(flag);
    assert_ptr_equal(request, MPI_REQUEST_NULL);
    assert_int_equal(tf_wait(&copy, &status, &comm), MPI_ERR_REQUEST);
    assert_non_null(strstr(tf_error_text(MPI_ERR_REQUEST), "stale"));
}

static void nothing_to_wait_for(void **state)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status = {.MPI_SOURCE = 1, .MPI_TAG = 1};
    struct tf_object *comm = NULL;
    int flag = 0, index = 0, count = 0, indices[2];
    (void)state;
    assert_int_equal(tf_wait(&requests[0], &status, &comm), MPI_SUCCESS);
    assert_int_equal(status.MPI_SOURCE, MPI_ANY_SOURCE);
    assert_int_equal(status.MPI_TAG, MPI_ANY_TAG);
    assert_int_equal(tf_status_bytes(&status), 0);
    tf_testall(2, requests, &flag, MPI_STATUSES_IGNORE, &comm);
    assert_true(flag);
    tf_waitany(2, requests, &index, &status, &comm);
    assert_int_equal(index, MPI_UNDEFINED);
    flag = 0;
    tf_testany(0, NULL, &index, &flag, &status, &comm);
    assert_true(flag);
    assert_int_equal(index, MPI_UNDEFINED);
    tf_waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE, &comm);
    assert_int_equal(count, MPI_UNDEFINED);
}

/* Receives of tags 0..3; those of 1 and 3 have come, the latter longer than its buffer. */
static void make_four(MPI_Request *requests)
{
    for (int i = 0; i < 4; i++)
        requests[i] = receive(i, &got[i]);
    arrive(1, 1);
    arrive(3, 2);
}

static void finish_others(MPI_Request *requests)
{
    struct tf_object *comm = NULL;
    arrive(0, 1);
    arrive(2, 1);
    for (int i = 0; i < 4; i++)
        assert_int_equal(tf_wait(&requests[i], MPI_STATUS_IGNORE, &comm), MPI_SUCCESS);
}

static void some(void **state)
{
    MPI_Request requests[4];
    MPI_Status statuses[4];
    struct tf_object *comm = NULL;
    int count, indices[4];
    (void)state;
    make_four(requests);
    tf_request_get_status_some(4, requests, &count, indices, MPI_STATUSES_IGNORE);
    assert_int_equal(count, 2);
    assert_int_equal(tf_waitsome(4, requests, &count, indices, statuses, &comm), MPI_ERR_IN_STATUS);
    assert_ptr_equal(comm, tf_comm_world);
    assert_int_equal(count, 2);
    assert_int_equal(indices[0], 1);
    assert_int_equal(statuses[0].MPI_ERROR, MPI_SUCCESS);
    assert_int_equal(statuses[0].MPI_TAG, 1);
    assert_int_equal(indices[1], 3);
    assert_int_equal(statuses[1].MPI_ERROR, MPI_ERR_TRUNCATE);
    assert_int_equal(statuses[1].MPI_TAG, 3);
    assert_int_equal(tf_testsome(4, requests, &count, indices, statuses, &comm), MPI_SUCCESS);
    assert_int_equal(count, 0);
    finish_others(requests);
}

static void any(void **state)
{
    MPI_Request requests[4];
    MPI_Status status;
    struct tf_object *comm = NULL;
    int index, flag;
    (void)state;
    make_four(requests);
    assert_int_equal(tf_waitany(4, requests, &index, &status, &comm), MPI_SUCCESS);
    assert_int_equal(index, 1);
    assert_ptr_equal(requests[1], MPI_REQUEST_NULL);
    assert_int_equal(tf_testany(4, requests, &index, &flag, &status, &comm), MPI_ERR_TRUNCATE);
    assert_int_equal(index, 3);
    assert_int_equal(tf_testany(4, requests, &index, &flag, &status, &comm), MPI_SUCCESS);
    assert_false(flag);
    assert_int_equal(index, MPI_UNDEFINED);
    finish_others(requests);
}

static void all(void **state)
{
    MPI_Request requests[4];
    MPI_Status statuses[4];
    struct tf_object *comm = NULL;
    int flag;
    (void)state;
    make_four(requests);
    assert_int_equal(tf_testall(4, requests, &flag, statuses, &comm), MPI_SUCCESS);
    assert_false(flag);
    for (int i = 0; i < 4; i++)
        assert_ptr_not_equal(requests[i], MPI_REQUEST_NULL);
    arrive(0, 1);
    arrive(2, 1);
    assert_int_equal(tf_waitall(4, requests, statuses, &comm), MPI_ERR_IN_STATUS);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(statuses[i].MPI_ERROR, i == 3 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
        assert_int_equal(statuses[i].MPI_TAG, i);
        assert_ptr_equal(requests[i], MPI_REQUEST_NULL);
    }
}

/* Section 3.2.5: MPI_ERROR is updated if and only if the call returns MPI_ERR_IN_STATUS. */
static void the_error_field_is_left_alone(void **state)
{
    enum { UNTOUCHED = 4711 };
    MPI_Request requests[2];
    MPI_Status statuses[2] = {{.MPI_ERROR = UNTOUCHED}, {.MPI_ERROR = UNTOUCHED}};
    struct tf_object *comm = NULL;
    int count, indices[2];
    (void)state;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 2; i++) {
            requests[i] = receive(i, &got[i]);
            arrive(i, 1);
        }
        if (round == 0) {
            assert_int_equal(tf_waitall(2, requests, statuses, &comm), MPI_SUCCESS);
        } else if (round == 1) {
            assert_int_equal(tf_waitsome(2, requests, &count, indices, statuses, &comm), MPI_SUCCESS);
        } else {
            for (int i = 0; i < 2; i++)
                assert_int_equal(tf_wait(&requests[i], &statuses[i], &comm), MPI_SUCCESS);
        }
        for (int i = 0; i < 2; i++)
            assert_int_equal(statuses[i].MPI_ERROR, UNTOUCHED);
    }
}

static void long_arrays(void **state)
{
    enum { N = 300 };
    static MPI_Request requests[N];
    static int values[N];
    struct tf_object *comm = NULL;
    (void)state;
    for (int i = 0; i < N; i++)
        requests[i] = i % 3 ? receive(i, &values[i]) : MPI_REQUEST_NULL;
    for (int i = N - 1; i >= 0; i--)
        if (i % 3)
            arrive(i, 1);
    assert_int_equal(tf_waitall(N, requests, MPI_STATUSES_IGNORE, &comm), MPI_SUCCESS);
    requests[200] = (MPI_Request)(uintptr_t)12345;
    assert_int_equal(tf_waitall(N, requests, MPI_STATUSES_IGNORE, &comm), MPI_ERR_REQUEST);
    assert_non_null(strstr(tf_error_text(MPI_ERR_REQUEST), "request 200"));
}

static void abandoned_requests_go_by_themselves(void **state)
{
    static char text[FAKE_CAPACITY];
    struct tf_object *comm = NULL;
    struct tf_header h;
    MPI_Request request = receive(0, got);
    uint32_t live = tf_request_pool.live;
    (void)state;
    got[0] = 0;
    assert_int_equal(tf_request_free(&request, &comm), MPI_SUCCESS);
    assert_ptr_equal(request, MPI_REQUEST_NULL);
    assert_int_equal(tf_request_pool.live, live);
    arrive(0, 1);
    assert_int_equal(got[0], value);
    assert_int_equal(tf_request_pool.live, live - 1);
    /* A long send goes on too. */
    tf_isend(text, sizeof text, tf_type_find(MPI_BYTE), 1, 0, tf_comm_world, TF_STANDARD, &request);
    tf_request_free(&request, &comm);
    assert_true(fake_next(1, &h, text));
    fake_send(1, (struct tf_header){.kind = TF_MSG_ACK, .id = h.id}, NULL, 0);
    tf_msg_progress();
    assert_int_equal(tf_request_pool.live, live - 1);
    /* One that is complete goes at once. */
    request = receive(0, got);
    arrive(0, 1);
    tf_request_free(&request, &comm);
    assert_int_equal(tf_request_pool.live, live - 1);
}

static void a_freed_communicator_lives_on_for_its_requests(void **state)
{
    struct tf_comm *comm = tf_comm_create_object(tf_comm_world->group, (uint64_t)9 << 32, tf_comm_world, 0);
    struct tf_comm copy = {.context = comm->context};
    struct tf_object *told = NULL;
    MPI_Request request;
    (void)state;
    tf_irecv(got, 1, int_type(), 1, 0, comm, &request);
    assert_int_equal(tf_comm_free(comm), MPI_SUCCESS);
    fake_eager(1, &copy, 0, (int[]){1, 2}, 8);
    tf_msg_progress();
    assert_int_equal(tf_wait(&request, MPI_STATUS_IGNORE, &told), MPI_ERR_TRUNCATE);
    assert_null(told); /* its error handler is gone with it */
}

static void persistent_requests(void **state)
{
    struct tf_object *comm = NULL;
    MPI_Request request;
    MPI_Status status;
    int flag;
    (void)state;
    tf_recv_init(got, 1, int_type(), MPI_ANY_SOURCE, MPI_ANY_TAG, tf_comm_world, &request);
    MPI_Request handle = request;
    assert_int_equal(tf_wait(&request, &status, &comm), MPI_SUCCESS); /* inactive: at once */
    assert_int_equal(status.MPI_SOURCE, MPI_ANY_SOURCE);
    assert_int_equal(tf_cancel(&request, &comm), MPI_ERR_REQUEST);
    for (int round = 0; round < 3; round++) {
        assert_int_equal(tf_start(&request, &comm), MPI_SUCCESS);
        assert_int_equal(tf_start(&request, &comm), MPI_ERR_REQUEST);
        tf_test(&request, &flag, &status, &comm);
        assert_false(flag);
        arrive(round, round == 1 ? 2 : 1); /* an error of one round is not the next one's */
        assert_int_equal(tf_wait(&request, &status, &comm), round == 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
        assert_int_equal(status.MPI_TAG, round);
        assert_ptr_equal(request, handle);
    }
    /* Cancelled, and used again. */
    tf_start(&request, &comm);
    tf_cancel(&request, &comm);
    tf_wait(&request, &status, &comm);
    assert_int_equal(status.MPI_internal[2], 1);
    tf_start(&request, &comm);
    arrive(9, 1);
    tf_wait(&request, &status, &comm);
    assert_int_equal(status.MPI_internal[2], 0);
    /* Freed while active: it goes at the end of that. */
    tf_start(&request, &comm);
    tf_request_free(&request, &comm);
    assert_int_equal(tf_request_pool.live, 1);
    arrive(9, 1);
    assert_int_equal(tf_request_pool.live, 0);
    request = receive(0, got);
    assert_int_equal(tf_start(&request, &comm), MPI_ERR_REQUEST);
    arrive(0, 1);
    tf_wait(&request, &status, &comm);
}

static void cancel_comes_too_late(void **state)
{
    struct tf_object *comm = NULL;
    MPI_Request request = receive(0, got);
    MPI_Status status;
    struct tf_header h;
    (void)state;
    arrive(0, 1);
    tf_cancel(&request, &comm);
    tf_wait(&request, &status, &comm);
    assert_int_equal(status.MPI_internal[2], 0);
    /* Matched, and its data under way. */
    request = receive(0, got);
    fake_rts(1, tf_comm_world, 0, 50, (struct tf_rts){4, 0, {0}});
    tf_msg_progress();
    tf_cancel(&request, &comm);
    assert_true(fake_next(1, &h, NULL));
    fake_send(1, (struct tf_header){.kind = TF_MSG_DATA, .id = (uint32_t)h.receiver}, &value, 4);
    tf_wait(&request, &status, &comm);
    assert_int_equal(status.MPI_internal[2], 0);
    assert_int_equal(tf_status_bytes(&status), 4);
    assert_int_equal(got[0], value);
}

static void nobody(void **state)
{
    struct tf_object *comm = NULL;
    MPI_Request request;
    MPI_Status status;
    MPI_Message message;
    (void)state;
    tf_irecv(got, 1, int_type(), MPI_PROC_NULL, 3, tf_comm_world, &request);
    tf_wait(&request, &status, &comm);
    assert_int_equal(status.MPI_SOURCE, MPI_PROC_NULL);
    assert_int_equal(status.MPI_TAG, MPI_ANY_TAG);
    assert_int_equal(tf_status_bytes(&status), 0);
    tf_isendrecv(got, 1, int_type(), MPI_PROC_NULL, 0, got + 1, 1, int_type(), MPI_PROC_NULL, 0, tf_comm_world,
                 &request);
    assert_int_equal(tf_wait(&request, &status, &comm), MPI_SUCCESS);
    assert_int_equal(status.MPI_SOURCE, MPI_PROC_NULL);
    tf_mprobe(MPI_PROC_NULL, 0, tf_comm_world, &message, &status);
    assert_ptr_equal(message, MPI_MESSAGE_NO_PROC);
    assert_int_equal(tf_mrecv(got, 1, int_type(), &message, &status, &comm), MPI_SUCCESS);
    assert_ptr_equal(message, MPI_MESSAGE_NULL);
    assert_int_equal(status.MPI_SOURCE, MPI_PROC_NULL);
}

static void both_parts_of_a_sendrecv_end_it(void **state)
{
    struct tf_object *comm = NULL;
    MPI_Request request;
    MPI_Status status;
    struct tf_header h;
    int there, flag;
    (void)state;
    got[0] = 1;
    tf_isendrecv_replace(got, 1, int_type(), 2, 0, 1, 0, tf_comm_world, &request);
    assert_true(fake_next(2, &h, &there));
    assert_int_equal(there, 1);
    tf_test(&request, &flag, &status, &comm);
    assert_false(flag);
    arrive(0, 1);
    tf_wait(&request, &status, &comm);
    assert_int_equal(got[0], value);
    assert_int_equal(status.MPI_SOURCE, 1);
}

/* ---- generalized ---- */

static struct {
    int queries, frees, cancels, told_complete;
} calls;

static int query(void *state, MPI_Status *status)
{
    calls.queries++;
    status->MPI_SOURCE = 77;
    tf_status_set_bytes(status, 12);
    return state ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int free_state(void *state)
{
    (void)state;
    calls.frees++;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state;
    calls.cancels++;
    calls.told_complete = complete;
    return MPI_SUCCESS;
}

static void generalized_requests(void **state)
{
    struct tf_object *comm = NULL;
    MPI_Request request, copy;
    MPI_Status status;
    int flag;
    (void)state;
    memset(&calls, 0, sizeof calls);
    tf_grequest_start(query, free_state, cancel, NULL, &request);
    tf_test(&request, &flag, &status, &comm);
    assert_false(flag);
    tf_cancel(&request, &comm);
    assert_int_equal(calls.cancels, 1);
    assert_false(calls.told_complete);
    assert_int_equal(tf_grequest_complete(request), MPI_SUCCESS);
    assert_int_equal(tf_grequest_complete(request), MPI_ERR_REQUEST);
    tf_request_get_status(request, &flag, &status);
    assert_true(flag);
    assert_int_equal(calls.frees, 0);
    assert_int_equal(tf_wait(&request, &status, &comm), MPI_SUCCESS);
    assert_int_equal(calls.queries, 2);
    assert_int_equal(calls.frees, 1);
    assert_int_equal(status.MPI_SOURCE, 77);
    assert_int_equal(tf_status_bytes(&status), 12);
    /* The error of the query function is the wait's; without a status it is still called (section 13.2). */
    tf_grequest_start(query, free_state, cancel, &calls, &request);
    tf_grequest_complete(request);
    assert_int_equal(tf_wait(&request, MPI_STATUS_IGNORE, &comm), MPI_ERR_OTHER);
    assert_int_equal(calls.queries, 3);
    assert_int_equal(calls.frees, 2);
    /* Freed first: the state goes when the operation ends. */
    tf_grequest_start(query, free_state, cancel, NULL, &request);
    copy = request;
    tf_request_free(&request, &comm);
    assert_int_equal(calls.frees, 2);
    assert_int_equal(tf_grequest_complete(copy), MPI_SUCCESS);
    assert_int_equal(calls.frees, 3);
    request = receive(0, got);
    assert_int_equal(tf_grequest_complete(request), MPI_ERR_REQUEST);
    arrive(0, 1);
    tf_wait(&request, &status, &comm);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_job_open, fake_job_close)
    const struct CMUnitTest tests[] = {
        TEST(a_completed_request_is_gone),
        TEST(nothing_to_wait_for),
        TEST(some),
        TEST(any),
        TEST(all),
        TEST(the_error_field_is_left_alone),
        TEST(long_arrays),
        TEST(abandoned_requests_go_by_themselves),
        TEST(a_freed_communicator_lives_on_for_its_requests),
        TEST(persistent_requests),
        TEST(cancel_comes_too_late),
        TEST(nobody),
        TEST(both_parts_of_a_sendrecv_end_it),
        TEST(generalized_requests),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
