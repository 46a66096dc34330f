/* test_comm.c - communicators as objects, played by one process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "comm/group.h"
#include "fake.h"
#include "net/process.h"
#include "object/errhandler.h"
#include "object/info.h"
#include "object/name.h"

static int all_empty(void **state)
{
    const char *what = NULL;
    (void)state;
    fake_leave();
    if (tf_comm_pool.live || tf_group_pool.live || tf_info_pool.live || tf_errhandler_pool.live)
        what = "a pool";
    if (fake_matches || fake_colls)
        what = "a layer above";
    if (what)
        print_error("%s still holds something\n", what);
    return what ? -1 : 0;
}

static int as_rank_2_of_5(void **state)
{
    (void)state;
    fake_rank(2, 5);
    return 0;
}

static void processes(void **state)
{
    struct tf_process mine = tf_process_of(tf_job.rank), other = mine, beyond = mine, before = mine;
    (void)state;
    other.job++;
    beyond.rank = tf_job.size;
    before.rank--;
    assert_int_equal(tf_process_number(&mine), tf_job.rank);
    assert_int_equal(tf_process_number(&other), MPI_UNDEFINED);
    assert_int_equal(tf_process_number(&beyond), MPI_UNDEFINED);
    assert_int_equal(tf_process_compare(&mine, &mine), 0);
    assert_true(tf_process_compare(&before, &mine) < 0 && tf_process_compare(&mine, &before) > 0);
    assert_true(tf_process_compare(&mine, &other) < 0 && tf_process_compare(&other, &before) > 0);
}

static void predefined(void **state)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length, rank, size, flag;
    MPI_Group group;
    (void)state;
    assert_ptr_equal(tf_comm_find(MPI_COMM_WORLD), tf_comm_world);
    assert_ptr_equal(tf_comm_find(MPI_COMM_SELF), tf_comm_self);
    assert_null(tf_comm_find(MPI_COMM_NULL));
    assert_int_equal(tf_comm_world->context, 1);
    assert_int_equal(tf_comm_self->context, 3ull << 30 | 2);
    tf_comm_rank(tf_comm_world, &rank);
    tf_comm_size(tf_comm_world, &size);
    assert_int_equal(rank, 2);
    assert_int_equal(size, 5);
    tf_comm_rank(tf_comm_self, &rank);
    tf_comm_size(tf_comm_self, &size);
    assert_int_equal(rank, 0);
    assert_int_equal(size, 1);
    tf_name_get(tf_comm_self->name, name, &length);
    assert_string_equal(name, "MPI_COMM_SELF");
    assert_int_equal(length, 13);
    assert_int_equal(tf_comm_free(tf_comm_world), MPI_ERR_COMM);
    assert_string_equal(tf_error_text(MPI_ERR_COMM), "MPI_COMM_WORLD cannot be freed");
    tf_comm_test_inter(tf_comm_world, &flag);
    assert_false(flag);
    assert_int_equal(tf_comm_remote_size(tf_comm_world, &size), MPI_ERR_COMM);
    assert_int_equal(tf_comm_remote_group(tf_comm_world, &group), MPI_ERR_COMM);
}

static struct tf_comm *over(int n, const int *ranks, uint64_t context)
{
    int *world = malloc((size_t)n * sizeof *world);
    memcpy(world, ranks, (size_t)n * sizeof *world);
    struct tf_group *group = tf_group_create_object(n, world);
    struct tf_comm *comm = tf_comm_create_object(group, context, tf_comm_world, 0);
    tf_group_release(group);
    assert_non_null(comm);
    return comm;
}

static void compare(void **state)
{
    struct tf_comm *same = over(5, (int[]){0, 1, 2, 3, 4}, 100), *turned = over(5, (int[]){4, 3, 2, 1, 0}, 101);
    struct tf_comm *part = over(2, (int[]){2, 4}, 102);
    int result;
    (void)state;
    tf_comm_compare(tf_comm_world, tf_comm_world, &result);
    assert_int_equal(result, MPI_IDENT);
    tf_comm_compare(tf_comm_world, same, &result);
    assert_int_equal(result, MPI_CONGRUENT);
    tf_comm_compare(same, turned, &result);
    assert_int_equal(result, MPI_SIMILAR);
    tf_comm_compare(same, part, &result);
    assert_int_equal(result, MPI_UNEQUAL);
    assert_int_equal(part->rank, 0);
    assert_int_equal(part->size, 2);
    tf_comm_free(same);
    tf_comm_free(turned);
    tf_comm_free(part);
}

static void lives_until_its_last_operation_ends(void **state)
{
    struct tf_comm *comm = over(2, (int[]){0, 2}, 100);
    MPI_Comm handle = (MPI_Comm)(uintptr_t)comm->obj.handle;
    int matches = fake_matches;
    (void)state;
    assert_ptr_equal(tf_comm_find(handle), comm);
    tf_comm_retain(comm);
    assert_int_equal(tf_comm_free(comm), MPI_SUCCESS);
    assert_null(tf_comm_find(handle));
    assert_true(comm->freed);
    assert_int_equal(fake_matches, matches);
    assert_non_null(strstr(tf_handle_describe(&tf_comm_pool, (uintptr_t)handle), "stale"));
    tf_comm_release(comm);
    assert_int_equal(fake_matches, matches - 1);
}

static void names_and_groups(void **state)
{
    struct tf_comm *comm = over(3, (int[]){4, 2, 0}, 100);
    static char longer[3 * MPI_MAX_OBJECT_NAME];
    char name[MPI_MAX_OBJECT_NAME];
    int length, size;
    MPI_Group group;
    (void)state;
    tf_name_get(comm->name, name, &length);
    assert_int_equal(length, 0);
    assert_non_null(strstr(tf_comm_describe(comm), "of 3 processes"));
    memset(longer, 'x', sizeof longer - 1);
    tf_name_set(comm->name, longer);
    tf_name_get(comm->name, name, &length);
    assert_int_equal(length, MPI_MAX_OBJECT_NAME - 1);
    tf_name_set(comm->name, "rows");
    assert_string_equal(tf_comm_describe(comm), "rows");
    tf_comm_group(comm, &group);
    tf_comm_free(comm);
    tf_group_size(tf_group_find(group), &size);
    assert_int_equal(size, 3);
    tf_group_free(tf_group_find(group));
}

static void hints(void **state)
{
    struct tf_comm *comm = over(1, (int[]){2}, 100);
    MPI_Info given, used;
    int n;
    (void)state;
    tf_info_create(&given);
    tf_info_set(tf_info_find(given), "mpi_assert_no_any_tag", "true");
    tf_info_set(tf_info_find(given), "of_another_library", "1");
    assert_int_equal(tf_comm_set_info(comm, tf_info_find(given)), MPI_SUCCESS);
    assert_int_equal(tf_comm_set_info(comm, NULL), MPI_SUCCESS);
    assert_int_equal(tf_info_dup(comm->info, &used), MPI_SUCCESS);
    tf_info_get_nkeys(tf_info_find(used), &n);
    assert_int_equal(n, 1);
    assert_string_equal(tf_info_value(tf_info_find(used), "mpi_assert_no_any_tag"), "true");
    tf_info_free(tf_info_find(used));
    tf_info_free(tf_info_find(given));
    tf_comm_free(comm);
}

/* ---- error handlers ---- */

static int handled;
static MPI_Comm handled_comm;
static char handled_procedure[40];

static void handler(MPI_Comm *comm, int *code, ...)
{
    va_list args;
    va_start(args, code);
    strncpy(handled_procedure, va_arg(args, const char *), sizeof handled_procedure - 1);
    va_end(args);
    handled = *code;
    handled_comm = *comm;
}

static void error_handlers(void **state)
{
    struct tf_comm *comm = over(1, (int[]){2}, 100);
    MPI_Errhandler mine, got;
    (void)state;
    assert_int_equal(tf_errhandler_share(comm->errhandler, &got), MPI_SUCCESS);
    assert_ptr_equal(got, MPI_ERRORS_ARE_FATAL);
    assert_int_equal(tf_errhandler_free(tf_errhandler_find(got)), MPI_SUCCESS);
    tf_errhandler_attach(&comm->errhandler, TF_KIND_COMM, tf_errhandler_find(MPI_ERRORS_RETURN));
    assert_int_equal(tf_error_raise(tf_comm_site(comm), "MPI_Send", MPI_ERR_TAG), MPI_ERR_TAG);

    assert_int_equal(tf_comm_create_errhandler(handler, &mine), MPI_SUCCESS);
    tf_errhandler_attach(&comm->errhandler, TF_KIND_COMM, tf_errhandler_find(mine));
    tf_errhandler_attach(&tf_comm_self->errhandler, TF_KIND_COMM, tf_errhandler_find(mine));
    assert_int_equal(tf_errhandler_free(tf_errhandler_find(mine)), MPI_SUCCESS);
    assert_null(tf_errhandler_find(mine));
    assert_int_equal(tf_error_raise(tf_comm_site(comm), "MPI_Send", MPI_ERR_TAG), MPI_ERR_TAG);
    assert_int_equal(handled, MPI_ERR_TAG);
    assert_ptr_equal(handled_comm, (MPI_Comm)(uintptr_t)comm->obj.handle);
    assert_string_equal(handled_procedure, "MPI_Send");
    assert_int_equal(tf_error_raise(tf_comm_site(NULL), "MPI_Info_set", MPI_ERR_INFO), MPI_ERR_INFO);
    assert_ptr_equal(handled_comm, MPI_COMM_SELF);
    assert_int_equal(tf_error_call(tf_comm_site(comm), "MPI_Comm_call_errhandler", MPI_ERR_OTHER), MPI_SUCCESS);
    assert_int_equal(handled, MPI_ERR_OTHER);

    assert_int_equal(tf_errhandler_share(comm->errhandler, &got), MPI_SUCCESS);
    assert_ptr_equal(got, mine);
    assert_non_null(tf_errhandler_find(got));
    tf_comm_free(comm);
    tf_errhandler_attach(&tf_comm_self->errhandler, TF_KIND_COMM, tf_errhandler_find(MPI_ERRORS_RETURN));
    assert_int_equal(tf_errhandler_free(tf_errhandler_find(got)), MPI_SUCCESS);
    assert_int_equal(tf_errhandler_pool.live, 0);
}

static void for_another_kind_of_object(void)
{
}

static void an_error_handler_is_for_one_kind_of_object(void **state)
{
    MPI_Errhandler other;
    (void)state;
    tf_errhandler_create(TF_KIND_TYPE, for_another_kind_of_object, NULL, NULL, NULL, &other);
    struct tf_errhandler *before = tf_comm_world->errhandler;
    assert_int_equal(tf_errhandler_attach(&tf_comm_world->errhandler, TF_KIND_COMM, tf_errhandler_find(other)),
                     MPI_ERR_ERRHANDLER);
    assert_ptr_equal(tf_comm_world->errhandler, before);
    assert_int_equal(tf_errhandler_free(tf_errhandler_find(other)), MPI_SUCCESS);
}

#define IN_A_JOB(test) cmocka_unit_test_setup_teardown(test, as_rank_2_of_5, all_empty)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_JOB(predefined),       IN_A_JOB(processes),
        IN_A_JOB(compare),          IN_A_JOB(lives_until_its_last_operation_ends),
        IN_A_JOB(names_and_groups), IN_A_JOB(hints),
        IN_A_JOB(error_handlers),   IN_A_JOB(an_error_handler_is_for_one_kind_of_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
