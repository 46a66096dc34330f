/* test_beside.c - memory of two processes of different jobs: what waits to be sent goes over as it lies, who sleeps
 * says so, what cannot be opened is refused, and nothing is left.  This process plays both.
 */
#include "net/beside/beside.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include <unistd.h>

#include "base/settings.h"
#include "launch/nodes.h"
#include "net/remote/remote.h"

enum { CAPACITY = 64 * 1024 };

static struct tf_peer here, there; /* as the one side sees the other */
static int hung_up;

static void hang_up(void *line)
{
    assert_ptr_equal(line, &hung_up);
    hung_up++;
}

static int meet(void **state)
{
    (void)state;
    here = there = (struct tf_peer){.net = &tf_net_tcp};
    assert_int_equal(tf_remote_rings_make(&here, CAPACITY), MPI_SUCCESS);
    assert_int_equal(tf_remote_rings_make(&there, CAPACITY), MPI_SUCCESS);
    hung_up = 0;
    return 0;
}

static int count_files(void)
{
    int n = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

static int count_maps(void)
{
    int n = 0;
    char line[500];
    FILE *file = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, file))
        n += strstr(line, "memfd:treefold-beside") != NULL;
    fclose(file);
    return n;
}

static void share(void)
{
    struct tf_beside_offer offer;
    struct tf_beside_pair *mine = tf_beside_make(&here, getpid(), &offer);
    assert_non_null(mine);
    struct tf_beside_pair *theirs = tf_beside_open(&there, getpid(), &offer);
    assert_non_null(theirs);
    assert_int_equal(count_maps(), 2);
    tf_beside_begin(theirs, &there, hang_up, &hung_up);
    tf_beside_begin(mine, &here, hang_up, &hung_up);
    assert_ptr_equal(here.net, &tf_net_beside);
    assert_ptr_equal(there.net, &tf_net_beside);
}

static void part(void)
{
    here.net->part(&here);
    there.net->part(&there);
    assert_int_equal(hung_up, 2);
    assert_int_equal(count_maps(), 0);
    tf_net_near = NULL;
    tf_remote_rings_close();
}

/* ---- messages ---- */

static uint32_t length_of(uint32_t k)
{
    return k % 5 == 4 ? 100 + 37 * k : 8 * (k % 9);
}

static bool send_one(struct tf_peer *to, uint32_t k)
{
    unsigned char *room = tf_ring_reserve(&to->tx, length_of(k));
    if (room) {
        memset(room, (int)k, length_of(k));
        tf_ring_commit(&to->tx, &(struct tf_header){.kind = 1, .length = length_of(k), .id = k});
    }
    return room != NULL;
}

static void receive_one(struct tf_peer *from, uint32_t k)
{
    struct tf_cell *cell = tf_net_peek(from);
    assert_non_null(cell);
    assert_int_equal(cell->header.id, k);
    assert_int_equal(cell->header.length, length_of(k));
    const unsigned char *data = tf_ring_payload(&from->rx, cell);
    for (uint32_t i = 0; i < length_of(k); i++)
        assert_int_equal(data[i], k & 255);
    tf_net_release(from, cell);
}

/* Of both, as much as there is room for, some, and nothing; and then more. */
static void what_waits_goes_over(void **state)
{
    (void)state;
    for (uint32_t before = 0; before <= 200; before += before < 3 ? 1 : 40) {
        uint32_t sent = 0, back = 0;
        meet(NULL);
        while (sent < before && send_one(&here, sent))
            sent++;
        while (back < before / 2 && send_one(&there, back))
            back++;
        assert_true(before < 160 || sent < before); /* some time it is full */
        share();
        for (uint32_t k = 0; k < sent; k++)
            receive_one(&there, k);
        for (uint32_t k = 0; k < back; k++)
            receive_one(&here, k);
        for (uint32_t k = 0; k < 300; k++) {
            assert_true(send_one(&here, sent + k));
            receive_one(&there, sent + k);
        }
        assert_null(tf_net_peek(&here));
        assert_null(tf_net_peek(&there));
        part();
    }
}

static void who_sleeps_says_so(void **state)
{
    (void)state;
    meet(NULL);
    share();
    assert_int_equal(*here.asleep, 0);
    tf_pause_announce(TF_ASLEEP);
    assert_int_equal(*here.asleep, TF_ASLEEP);
    assert_int_equal(*there.asleep, TF_ASLEEP);
    assert_true(send_one(&here, 0));
    tf_net_wake(&here);
    assert_int_equal(*here.asleep, 0);
    assert_int_equal(*there.asleep, TF_ASLEEP);
    tf_pause_announce(0);
    assert_int_equal(*there.asleep, 0);
    part();
}

/* Nobody rings at a file of one that has gone: its number may be another file's by then. */
static void who_parts_is_not_woken(void **state)
{
    (void)state;
    meet(NULL);
    share();
    tf_pause_announce(TF_ASLEEP_ON_FILE + 1000);
    here.net->part(&here);
    assert_int_equal(*there.asleep, 0);
    there.net->part(&there);
    tf_net_near = NULL;
    tf_remote_rings_close();
}

/* As long as there are more processes than processors this one looks for a shorter time. */
static void looks_are_short_in_a_crowd(void **state)
{
    (void)state;
    tf_pause_setup();
    uint32_t alone = tf_pause_spin;
    tf_nodes.size = 1 << 20;
    meet(NULL);
    share();
    assert_true(tf_pause_spin < alone / 10);
    part();
    assert_int_equal(tf_pause_spin, alone);
    tf_nodes.size = 1;
}

/* ---- refusals ---- */

static void what_is_not_understood_is_refused(void **state)
{
    struct tf_beside_offer offer, wrong;
    int files = count_files();
    (void)state;
    meet(NULL);
    struct tf_beside_pair *pair = tf_beside_make(&here, getpid(), &offer);
    assert_non_null(pair);
    wrong = offer;
    wrong.file = -1;
    assert_null(tf_beside_open(&there, getpid(), &wrong));
    wrong = offer;
    wrong.layout++;
    assert_null(tf_beside_open(&there, getpid(), &wrong));
    wrong = offer;
    wrong.bytes += 4096;
    assert_null(tf_beside_open(&there, getpid(), &wrong));
    wrong = offer;
    wrong.inode++;
    assert_null(tf_beside_open(&there, getpid(), &wrong));
    wrong = offer;
    wrong.file = 0;
    assert_null(tf_beside_open(&there, getpid(), &wrong));
    tf_beside_drop(pair);
    assert_null(tf_beside_open(&there, getpid(), &offer)); /* it is closed */
    assert_int_equal(count_files(), files);
    assert_int_equal(count_maps(), 0);
    tf_remote_rings_close();
}

/* No process has that number. */
static void who_cannot_be_looked_into_is_offered_nothing(void **state)
{
    struct tf_beside_offer offer;
    int files = count_files();
    (void)state;
    meet(NULL);
    assert_null(tf_beside_make(&here, 0x7ffffff0, &offer));
    assert_int_equal(offer.file, -1);
    assert_int_equal(count_files(), files);
    tf_remote_rings_close();
}

static void some_settings_share_nothing(void **state)
{
    (void)state;
    tf_settings.shm_backing = "memfd";
    tf_settings.net = "auto";
    assert_true(tf_beside_ready());
    tf_settings.net = "tcp";
    assert_false(tf_beside_ready());
    tf_settings.net = "auto";
    tf_settings.shm_backing = "file";
    assert_false(tf_beside_ready());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_waits_goes_over),
        cmocka_unit_test(who_sleeps_says_so),
        cmocka_unit_test(who_parts_is_not_woken),
        cmocka_unit_test(looks_are_short_in_a_crowd),
        cmocka_unit_test(what_is_not_understood_is_refused),
        cmocka_unit_test(who_cannot_be_looked_into_is_offered_nothing),
        cmocka_unit_test(some_settings_share_nothing),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
