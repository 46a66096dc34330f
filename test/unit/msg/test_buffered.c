/* test_buffered.c - buffered sends: what the attached buffer admits, flushing and detaching (MPI-5.0 section 3.6). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "base/settings.h"
#include "fake_net.h"

enum { LONG = FAKE_CAPACITY };

static unsigned char data[LONG], room[4 * LONG], payload[LONG];

static int setup(void **state)
{
    tf_settings.single_copy = SIZE_MAX;
    for (int i = 0; i < LONG; i++)
        data[i] = (unsigned char)(i * 7);
    return fake_job_open(state);
}

static struct tf_type *byte(void)
{
    return tf_type_find(MPI_BYTE);
}

static int bsend(const struct tf_comm *comm, MPI_Count bytes)
{
    return tf_send(data, bytes, byte(), 1, 0, (struct tf_comm *)comm, TF_BUFFERED);
}

static void detach(struct tf_comm *comm, void *wanted, MPI_Count wanted_size)
{
    void *address = NULL;
    MPI_Count size = -1;
    assert_int_equal(tf_buffer_detach(comm, &address, &size), MPI_SUCCESS);
    assert_ptr_equal(address, wanted);
    assert_int_equal(size, wanted_size);
}

/* The peer lets the next long message come and takes all of it; others may be announced meanwhile. */
static void let_come(void)
{
    static uint32_t announced[16];
    static unsigned first, last;
    struct tf_header h;
    size_t got = 0;
    for (bool cleared = false; got < LONG; tf_msg_progress()) {
        while (fake_next(1, &h, payload)) {
            if (h.kind == TF_MSG_RTS) {
                announced[last++ % 16] = h.id;
                continue;
            }
            assert_int_equal(h.kind, TF_MSG_DATA);
            assert_memory_equal(payload, data + got, h.length);
            got += h.length;
        }
        if (!cleared) {
            assert_true(first < last);
            h = (struct tf_header){.kind = TF_MSG_CTS, .id = announced[first++ % 16], .receiver = 3};
            fake_send(1, h, NULL, 0);
        }
        cleared = true;
    }
}

static void without_a_buffer(void **state)
{
    MPI_Count size;
    void *address;
    MPI_Request request = MPI_REQUEST_NULL;
    (void)state;
    assert_int_equal(bsend(tf_comm_world, 1), MPI_ERR_BUFFER);
    assert_int_equal(tf_isend(data, 1, byte(), 1, 0, tf_comm_world, TF_BUFFERED, &request), MPI_ERR_BUFFER);
    assert_ptr_equal(request, MPI_REQUEST_NULL);
    assert_int_equal(tf_buffer_detach(NULL, &address, &size), MPI_ERR_BUFFER);
    assert_int_equal(tf_buffer_flush(NULL), MPI_SUCCESS);
    assert_int_equal(tf_send(data, 1, byte(), MPI_PROC_NULL, 0, tf_comm_world, TF_BUFFERED), MPI_SUCCESS);
}

static void attach_once(void **state)
{
    (void)state;
    assert_int_equal(tf_buffer_attach(NULL, room, sizeof room), MPI_SUCCESS);
    assert_int_equal(tf_buffer_attach(NULL, room, sizeof room), MPI_ERR_BUFFER);
    assert_int_equal(tf_buffer_attach(tf_comm_world, room, 10), MPI_SUCCESS); /* another place */
    detach(tf_comm_world, room, 10);
    detach(NULL, room, sizeof room);
}

/* A message takes its bytes and some more until it has been sent: no more than other libraries say. */
enum { OVERHEAD = 64 };

static void room_is_accounted_for(void **state)
{
    (void)state;
    const MPI_Count size = 2 * (LONG + OVERHEAD);
    tf_buffer_attach(NULL, room, size);
    assert_int_equal(bsend(tf_comm_world, LONG), MPI_SUCCESS);
    assert_int_equal(bsend(tf_comm_world, LONG + 1), MPI_ERR_BUFFER);
    assert_int_equal(bsend(tf_comm_world, LONG), MPI_SUCCESS);
    assert_int_equal(bsend(tf_comm_world, 0), MPI_ERR_BUFFER);
    let_come();
    assert_int_equal(bsend(tf_comm_world, LONG), MPI_SUCCESS);
    let_come();
    let_come();
    assert_int_equal(bsend(tf_comm_world, 16), MPI_SUCCESS);
    fake_next(1, &(struct tf_header){0}, payload);
    for (int i = 0; i < 100; i++) { /* short ones are on their way at once */
        assert_int_equal(bsend(tf_comm_world, 1000), MPI_SUCCESS);
        assert_true(fake_next(1, &(struct tf_header){0}, payload));
    }
    detach(NULL, room, size);
}

static void a_communicator_has_its_own(void **state)
{
    (void)state;
    tf_buffer_attach(NULL, room, 100 + OVERHEAD);
    tf_buffer_attach(tf_comm_world, room, LONG + OVERHEAD);
    assert_int_equal(bsend(tf_comm_world, LONG), MPI_SUCCESS);
    assert_int_equal(bsend(tf_comm_world, 1), MPI_ERR_BUFFER); /* no help from the process's */
    let_come();
    detach(tf_comm_world, room, LONG + OVERHEAD);
    assert_int_equal(bsend(tf_comm_world, 101), MPI_ERR_BUFFER);
    assert_int_equal(bsend(tf_comm_world, 100), MPI_SUCCESS);
    detach(NULL, room, 100 + OVERHEAD);
}

static void strictly_a_message_takes_what_the_standard_lets(void **state)
{
    (void)state;
    const MPI_Count size = 2 * LONG + MPI_BSEND_OVERHEAD + OVERHEAD;
    tf_settings.check = TF_CHECK_STRICT;
    tf_buffer_attach(NULL, room, size);
    assert_int_equal(bsend(tf_comm_world, LONG), MPI_SUCCESS);
    assert_int_equal(bsend(tf_comm_world, LONG), MPI_ERR_BUFFER);
    tf_settings.check = TF_CHECK_ON;
    assert_int_equal(bsend(tf_comm_world, LONG), MPI_SUCCESS);
    let_come();
    let_come();
    detach(NULL, room, size);
}

static void automatic(void **state)
{
    (void)state;
    tf_buffer_attach(NULL, MPI_BUFFER_AUTOMATIC, 0);
    for (int i = 0; i < 5; i++)
        assert_int_equal(bsend(tf_comm_world, LONG), MPI_SUCCESS);
    for (int i = 0; i < 5; i++)
        let_come();
    detach(NULL, MPI_BUFFER_AUTOMATIC, 0);
}

/* The buffer may be changed at once, and the communicator freed. */
static void the_message_is_a_copy(void **state)
{
    struct tf_header h;
    (void)state;
    struct tf_comm *comm = tf_comm_create_object(tf_comm_world->group, (uint64_t)9 << 32, tf_comm_world, 0);
    tf_buffer_attach(NULL, MPI_BUFFER_AUTOMATIC, 0);
    fake_clog(1);
    assert_int_equal(bsend(comm, 100), MPI_SUCCESS);
    unsigned char first = data[0];
    data[0]++;
    tf_comm_free(comm);
    fake_drain(1);
    tf_msg_progress();
    assert_true(fake_next(1, &h, payload));
    assert_true(h.context == (uint64_t)9 << 32);
    assert_int_equal(payload[0], first);
    detach(NULL, MPI_BUFFER_AUTOMATIC, 0);
}

/* MPI_Buffer_iflush returns at once: the program may have to receive before the buffer can empty. */
static void flushing_does_not_wait(void **state)
{
    MPI_Request requests[2];
    struct tf_object *told = NULL;
    int flag;
    (void)state;
    tf_buffer_attach(NULL, room, sizeof room);
    assert_int_equal(tf_buffer_iflush(NULL, NULL, &requests[0]), MPI_SUCCESS); /* nothing is there */
    assert_int_equal(tf_test(&requests[0], &flag, MPI_STATUS_IGNORE, &told), MPI_SUCCESS);
    assert_true(flag);
    bsend(tf_comm_world, LONG);
    assert_int_equal(tf_buffer_iflush(NULL, NULL, &requests[0]), MPI_SUCCESS);
    bsend(tf_comm_world, LONG);
    assert_int_equal(tf_buffer_iflush(NULL, NULL, &requests[1]), MPI_SUCCESS);
    tf_test(&requests[0], &flag, MPI_STATUS_IGNORE, &told);
    assert_false(flag);
    let_come();
    tf_test(&requests[1], &flag, MPI_STATUS_IGNORE, &told);
    assert_false(flag);
    /* What was buffered after the call is not waited for. */
    tf_test(&requests[0], &flag, MPI_STATUS_IGNORE, &told);
    assert_true(flag);
    let_come();
    tf_test(&requests[1], &flag, MPI_STATUS_IGNORE, &told);
    assert_true(flag);
    detach(NULL, room, sizeof room);
}

/* A communicator that is freed takes its buffer along: its successor, perhaps in the same memory, has none. */
static void a_freed_communicator_leaves_no_buffer(void **state)
{
    (void)state;
    for (int round = 0; round < 3; round++) {
        struct tf_comm *comm =
            tf_comm_create_object(tf_comm_world->group, (uint64_t)(9 + round) << 32, tf_comm_world, 0);
        assert_int_equal(bsend(comm, 10), MPI_ERR_BUFFER);
        assert_int_equal(tf_buffer_attach(comm, room, sizeof room), MPI_SUCCESS);
        assert_int_equal(bsend(comm, 10), MPI_SUCCESS);
        fake_next(1, &(struct tf_header){0}, payload);
        tf_comm_free(comm);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fake_job_close)
    const struct CMUnitTest tests[] = {
        TEST(without_a_buffer),
        TEST(attach_once),
        TEST(room_is_accounted_for),
        TEST(strictly_a_message_takes_what_the_standard_lets),
        TEST(a_communicator_has_its_own),
        TEST(automatic),
        TEST(the_message_is_a_copy),
        TEST(flushing_does_not_wait),
        TEST(a_freed_communicator_leaves_no_buffer),
    };
    alarm(20);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
