/* test_absent.c - what is known of communicators that are not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "msg/absent.h"
#include "msg/fingerprint.h"

static struct tf_peer peers[2];

static void what_was_given_up_is_known_afterwards(void **state)
{
    struct tf_history history = {.ncalls = 0};
    (void)state;
    tf_absent_setup();
    tf_absent_leave(6, &history, 0);
    assert_int_equal(tf_absent_gave_up(6, 0), 0);
    tf_history_give_up(&history, 3, TF_FINGERPRINT_GIVEN_UP | 1);
    tf_history_give_up(&history, 4, TF_FINGERPRINT_GIVEN_UP | 2);
    tf_absent_leave(8, &history, 7);
    assert_int_equal(tf_absent_gave_up(8, 3), TF_FINGERPRINT_GIVEN_UP | 1);
    assert_int_equal(tf_absent_gave_up(8, 4), TF_FINGERPRINT_GIVEN_UP | 2);
    assert_int_equal(tf_absent_gave_up(8, 5), 0);
    assert_int_equal(tf_absent_gave_up(8, 6), 0);
    assert_int_equal(tf_absent_gave_up(8, 7), TF_FINGERPRINT_GIVEN_UP | 2);
    assert_int_equal(tf_absent_gave_up(8, 9), TF_FINGERPRINT_GIVEN_UP | 2);
    assert_int_equal(tf_absent_gave_up(8, 9 | TF_SEQUENCE_PERSISTENT), 0);
    assert_int_equal(tf_absent_gave_up(6, 3), 0);
    for (uint64_t context = 10; context < 1000; context += 2) /* the circle goes round */
        tf_absent_leave(context, &history, 7);
    assert_int_equal(tf_absent_gave_up(8, 3), 0);
    assert_int_equal(tf_absent_gave_up(998, 4), TF_FINGERPRINT_GIVEN_UP | 2);
}

static void what_is_told_waits_for_its_communicator(void **state)
{
    struct tf_peer *peer = NULL;
    uint32_t sequence = 0;
    struct tf_terms terms, first = {.count = 1}, second = {.count = 2};
    (void)state;
    tf_absent_setup();
    tf_absent_keep(&peers[0], 12, 7, &first);
    tf_absent_keep(&peers[1], 14, 9, &second);
    assert_false(tf_absent_take(16, &peer, &sequence, &terms));
    assert_true(tf_absent_take(14, &peer, &sequence, &terms));
    assert_true(peer == &peers[1] && sequence == 9 && terms.count == 2);
    assert_false(tf_absent_take(14, &peer, &sequence, &terms));
    assert_true(tf_absent_take(12, &peer, &sequence, &terms));
    assert_true(peer == &peers[0] && sequence == 7 && terms.count == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_was_given_up_is_known_afterwards),
                                       cmocka_unit_test(what_is_told_waits_for_its_communicator)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
