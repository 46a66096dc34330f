/* test_fetch.c - announced messages without a receive are read by who waits for long, or is about to sleep.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_net.h"
#include "msg/fetch.h"

enum { BYTES = 1500, ID = 21 };
static unsigned char data[BYTES], buffer[BYTES], payload[FAKE_CAPACITY];

static int setup(void **state)
{
    for (int i = 0; i < BYTES; i++)
        data[i] = (unsigned char)(i * 31);
    int err = fake_job_open(state);
    fake_reading = TF_NET_DONE;
    return err;
}

/* A wait that has lasted so long. */
static bool fetches(int64_t lasted, bool announced)
{
    static int64_t clock = TF_SECOND;
    struct tf_header h;
    struct tf_pause pause = {.since = clock += TF_SECOND, .announced = announced};
    fake_rts(1, tf_comm_world, 4, ID, (struct tf_rts){BYTES, (uintptr_t)data, {0}});
    tf_msg_progress();
    assert_int_equal(tf_match_unexpected, 1);
    tf_pause_now = pause.since + lasted;
    int before = fake_reads;
    tf_fetch_late(&pause);
    bool reads = fake_reads > before;
    if (reads) {
        assert_true(fake_next(1, &h, payload));
        assert_int_equal(h.kind, TF_MSG_ACK);
        assert_int_equal(h.flags, TF_FLAG_KEPT);
        assert_int_equal(h.id, ID);
    }
    assert_int_equal(tf_match_unexpected, 1);
    memset(buffer, 0, sizeof buffer);
    assert_int_equal(tf_recv(buffer, BYTES, fake_byte(), 1, 4, tf_comm_world, MPI_STATUS_IGNORE), MPI_SUCCESS);
    assert_memory_equal(buffer, data, BYTES);
    while (fake_next(1, &h, payload))
        assert_int_equal(h.kind, TF_MSG_ACK);
    return reads;
}

static void after_long_or_before_sleep(void **state)
{
    (void)state;
    assert_false(fetches(100 * TF_MICROSECOND, false));
    assert_true(fetches(1, true));
    for (int i = 0; i < 100; i++) /* the program counts on it */
        assert_true(fetches(50 * TF_MICROSECOND, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(after_long_or_before_sleep, setup, fake_job_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
