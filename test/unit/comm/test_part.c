/* test_part.c - what the folders above keep with a communicator is told what becomes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "comm/part.h"
#include "fake.h"
#include "object/info.h"

/* One letter for each thing that the parts were told: capitals are those of the second one. */
static char told[32];
static bool refuse, lack;

static void tell(char letter)
{
    told[strlen(told)] = letter;
}

static int create(struct tf_comm *comm)
{
    (void)comm;
    tell('c');
    return MPI_SUCCESS;
}

static int create_second(struct tf_comm *comm)
{
    (void)comm;
    tell('C');
    return lack ? tf_error(MPI_ERR_NO_MEM, "there is none") : MPI_SUCCESS;
}

static void start(struct tf_comm *comm)
{
    assert_true(comm->context != 0);
    tell('s');
}

static void copy(struct tf_comm *comm, const struct tf_comm *from)
{
    assert_ptr_not_equal(comm, from);
    tell('d');
}

static void hint(struct tf_comm *comm)
{
    (void)comm;
    tell('h');
}

static int leave(struct tf_comm *comm)
{
    (void)comm;
    tell('l');
    return refuse ? tf_error(MPI_ERR_OTHER, "not now") : MPI_SUCCESS;
}

static void destroy(struct tf_comm *comm)
{
    (void)comm;
    tell('e');
}

static void destroy_second(struct tf_comm *comm)
{
    (void)comm;
    tell('E');
}

static const struct tf_part first = {create, start, copy, hint, NULL, leave, destroy};
static const struct tf_part second = {.create = create_second, .destroy = destroy_second}, none;

static int hang(void **state)
{
    (void)state;
    fake_rank(0, 2);
    tf_part_hang(TF_PART_COLLS, &first);
    tf_part_hang(TF_PART_TOPO, &second);
    memset(told, 0, sizeof told);
    refuse = lack = false;
    return 0;
}

static int unhang(void **state)
{
    (void)state;
    tf_part_hang(TF_PART_COLLS, &none);
    tf_part_hang(TF_PART_TOPO, &none);
    fake_colls = 0; /* those of the predefined communicators are not told of their end */
    fake_leave();
    return tf_comm_pool.live || fake_matches ? -1 : 0;
}

static void in_order_and_in_the_opposite_one(void **state)
{
    (void)state;
    struct tf_comm *comm = tf_comm_create_object(tf_comm_world->group, 77, tf_comm_world, 0);
    assert_non_null(comm);
    assert_string_equal(told, "cCs");
    tf_part_copy(comm, tf_comm_world);
    assert_int_equal(tf_comm_set_info(comm, NULL), MPI_SUCCESS); /* no hint has changed */
    assert_string_equal(told, "cCsd");
    struct tf_info info = {.nkeys = 0};
    assert_int_equal(tf_comm_set_info(comm, &info), MPI_SUCCESS);
    assert_string_equal(told, "cCsdh");
    assert_int_equal(tf_comm_free(comm), MPI_SUCCESS);
    assert_string_equal(told, "cCsdhlEe");
}

static void one_may_refuse_that_it_is_freed(void **state)
{
    (void)state;
    struct tf_comm *comm = tf_comm_create_object(tf_comm_world->group, 77, tf_comm_world, 0);
    refuse = true;
    assert_int_equal(tf_comm_free(comm), MPI_ERR_OTHER);
    assert_string_equal(told, "cCsl");
    refuse = false;
    assert_int_equal(tf_comm_free(comm), MPI_SUCCESS);
    assert_string_equal(told, "cCsllEe");
}

static void one_that_cannot_be_is_taken_down_with_the_others(void **state)
{
    (void)state;
    lack = true;
    assert_null(tf_comm_create_object(tf_comm_world->group, 77, tf_comm_world, 0));
    assert_string_equal(told, "cCEe");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(in_order_and_in_the_opposite_one, hang, unhang),
        cmocka_unit_test_setup_teardown(one_may_refuse_that_it_is_freed, hang, unhang),
        cmocka_unit_test_setup_teardown(one_that_cannot_be_is_taken_down_with_the_others, hang, unhang),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
