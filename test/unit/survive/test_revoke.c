/* test_revoke.c - a communicator of which this process hears that it is revoked before the word itself has come.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "../msg/fake_net.h"
#include "comm/group.h"
#include "msg/fingerprint.h"
#include "msg/lost.h"
#include "survive/revoke.h"

static int job_open(void **state)
{
    tf_revoke_setup();
    return fake_job_open(state);
}

/* This process takes it as that, and tells all others, as whoever hears the word does. */
static void expect_revoked(const struct tf_comm *comm)
{
    struct tf_header h;
    tf_msg_progress();
    assert_int_equal(comm->match->broken, MPIX_ERR_REVOKED);
    for (int r = 1; r < FAKE_RANKS; r++) {
        assert_true(fake_next(r, &h, NULL));
        assert_int_equal(h.kind, TF_MSG_REVOKE);
        assert_int_equal(h.context, comm->context);
        assert_int_equal(h.tag, comm->remote != NULL);
        assert_false(fake_next(r, &h, NULL));
    }
}

/* Rank 1 had heard it before it had the communicator. */
static void a_message_is_refused(void **state)
{
    struct tf_comm *comm = tf_comm_create_object(tf_comm_world->group, (uint64_t)1 << 32 | 77, tf_comm_world, 0);
    struct tf_object *where = NULL;
    struct tf_header h;
    MPI_Request request;
    int value = 5;
    (void)state;
    assert_int_equal(tf_isend(&value, 1, tf_type_find(MPI_INT), 1, 3, comm, TF_SYNCHRONOUS, &request), MPI_SUCCESS);
    assert_true(fake_next(1, &h, NULL));
    fake_send(1, (struct tf_header){.kind = TF_MSG_REFUSED, .id = h.id}, NULL, 0);
    assert_int_equal(tf_wait(&request, MPI_STATUS_IGNORE, &where), MPIX_ERR_REVOKED);
    expect_revoked(comm);
    tf_comm_release(comm);
}

static void a_collective_is_told_of_it(void **state)
{
    struct tf_comm *comm = tf_comm_create_object(tf_comm_world->group, (uint64_t)1 << 32 | 88, tf_comm_world, 0);
    (void)state;
    assert_int_equal(tf_lost_told(comm, TF_FINGERPRINT_NOBODY), MPIX_ERR_REVOKED);
    expect_revoked(comm);
    tf_comm_release(comm);
}

/* Its collectives are those of a hidden one; that, too, is over. */
static void a_collective_of_two_groups_is_told_of_it(void **state)
{
    MPI_Group near, far;
    (void)state;
    assert_int_equal(tf_group_incl(tf_comm_world->group, 3, (int[]){0, 1, 2}, &near), MPI_SUCCESS);
    assert_int_equal(tf_group_incl(tf_comm_world->group, 3, (int[]){3, 4, 5}, &far), MPI_SUCCESS);
    struct tf_comm *comm =
        tf_comm_create_inter(tf_group_find(near), tf_group_find(far), true, (uint64_t)1 << 32 | 98, tf_comm_world);
    assert_int_equal(tf_lost_told(comm->joint, TF_FINGERPRINT_NOBODY), MPIX_ERR_REVOKED);
    expect_revoked(comm);
    assert_int_equal(comm->joint->match->broken, MPIX_ERR_REVOKED);
    tf_comm_release(comm);
    tf_group_free(tf_group_find(near));
    tf_group_free(tf_group_find(far));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, job_open, fake_job_close)
    const struct CMUnitTest tests[] = {
        TEST(a_message_is_refused),
        TEST(a_collective_is_told_of_it),
        TEST(a_collective_of_two_groups_is_told_of_it),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
