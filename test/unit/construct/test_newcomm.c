/* test_newcomm.c - constructors of communicators: one process plays all ranks, and what they find must agree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../comm/fake.h"
#include "comm/group.h"
#include "construct/construct.h"
#include "object/attr.h"
#include "object/info.h"

enum { P = 13 };

static int all_empty(void **state)
{
    (void)state;
    fake_allgather = NULL;
    fake_sends = 0;
    return tf_comm_pool.live || tf_group_pool.live || tf_info_pool.live || tf_keyval_pool.live || fake_matches ||
                   fake_colls
               ? -1
               : 0;
}

static void drop(MPI_Comm handle)
{
    assert_int_equal(tf_comm_free(tf_comm_find(handle)), MPI_SUCCESS);
    assert_null(tf_comm_find(handle));
}

/* ---- split ---- */

static int choices[P][2];

static const void *choice_of(int rank)
{
    return choices[rank];
}

/* The place of `rank` among those of its color: by key, then by rank. */
static int place(int rank, int *size)
{
    int before = 0;
    *size = 0;
    for (int r = 0; r < P; r++) {
        if (choices[r][0] != choices[rank][0])
            continue;
        ++*size;
        before += choices[r][1] < choices[rank][1] || (choices[r][1] == choices[rank][1] && r < rank);
    }
    return before;
}

static void split(void **state)
{
    static const int keys[P] = {5, -1, 5, 0, 7, 7, 2147483647, -2147483647 - 1, 3, 3, 3, 0, 1};
    uint64_t context = 0;
    (void)state;
    fake_allgather = choice_of;
    for (int r = 0; r < P; r++) {
        choices[r][0] = r == 4 ? MPI_UNDEFINED : r % 3 * 10;
        choices[r][1] = keys[r];
    }
    for (int r = 0; r < P; r++) {
        MPI_Comm handle = MPI_COMM_WORLD;
        int size;
        fake_rank(r, P);
        assert_int_equal(tf_comm_split(tf_comm_world, choices[r][0], choices[r][1], &handle), MPI_SUCCESS);
        if (r == 4) {
            assert_ptr_equal(handle, MPI_COMM_NULL);
        } else {
            struct tf_comm *comm = tf_comm_find(handle);
            assert_non_null(comm);
            assert_int_equal(comm->rank, place(r, &size));
            assert_int_equal(comm->size, size);
            assert_int_equal(comm->group->processes[comm->rank], r);
            assert_true(comm->context > tf_comm_context(1, 2) && comm->context < tf_comm_context(2, 0));
            assert_true(r == 0 || comm->context == context);
            context = comm->context;
            drop(handle);
        }
        fake_leave();
    }
}

static void wrong_split(void **state)
{
    MPI_Comm handle;
    (void)state;
    fake_rank(0, 1);
    assert_int_equal(tf_comm_split(tf_comm_world, -1, 0, &handle), MPI_ERR_ARG);
    assert_int_equal(tf_comm_split_type(tf_comm_world, 220, 0, NULL, &handle), MPI_ERR_ARG);
    fake_leave();
}

static void split_by_type(void **state)
{
    MPI_Comm handle;
    MPI_Info info;
    (void)state;
    fake_rank(0, 1);
    assert_int_equal(tf_comm_split_type(tf_comm_world, MPI_COMM_TYPE_SHARED, 0, NULL, &handle), MPI_SUCCESS);
    drop(handle);
    assert_int_equal(tf_comm_split_type(tf_comm_world, MPI_UNDEFINED, 0, NULL, &handle), MPI_SUCCESS);
    assert_ptr_equal(handle, MPI_COMM_NULL);
    assert_int_equal(tf_comm_split_type(tf_comm_world, MPI_COMM_TYPE_HW_GUIDED, 0, NULL, &handle), MPI_SUCCESS);
    assert_ptr_equal(handle, MPI_COMM_NULL);
    tf_info_create(&info);
    tf_info_set(tf_info_find(info), "mpi_hw_resource_type", "mpi_shared_memory");
    assert_int_equal(tf_comm_split_type(tf_comm_world, MPI_COMM_TYPE_HW_GUIDED, 0, tf_info_find(info), &handle),
                     MPI_SUCCESS);
    drop(handle);
    tf_info_free(tf_info_find(info));
    fake_leave();
}

/* ---- dup ---- */

static int copy_fails(MPI_Comm comm, int keyval, void *extra_state, void *in, void *out, int *flag)
{
    (void)comm, (void)keyval, (void)extra_state, (void)in, (void)out, (void)flag;
    return MPI_ERR_OTHER;
}

static int nhints(MPI_Comm handle)
{
    MPI_Info used;
    int n;
    assert_int_equal(tf_info_dup(tf_comm_find(handle)->info, &used), MPI_SUCCESS);
    tf_info_get_nkeys(tf_info_find(used), &n);
    tf_info_free(tf_info_find(used));
    return n;
}

static void dup_copies_attributes_not_hints(void **state)
{
    MPI_Comm one, two;
    MPI_Info info;
    int keyval, flag, result;
    void *value;
    (void)state;
    fake_rank(0, 1);
    tf_comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    tf_attrs_set(&tf_comm_world->attrs, TF_KIND_COMM, tf_comm_world->obj.handle, keyval, (void *)7);
    tf_info_create(&info);
    tf_info_set(tf_info_find(info), "treefold_hint", "1");
    tf_comm_set_info(tf_comm_world, tf_info_find(info));
    assert_int_equal(tf_comm_dup(tf_comm_world, &one), MPI_SUCCESS);
    tf_comm_compare(tf_comm_world, tf_comm_find(one), &result);
    assert_int_equal(result, MPI_CONGRUENT);
    tf_comm_get_attr(tf_comm_find(one), keyval, &value, &flag);
    assert_true(flag && value == (void *)7);
    assert_int_equal(nhints(one), 0);
    assert_int_equal(tf_comm_dup_with_info(tf_comm_world, tf_info_find(info), &two), MPI_SUCCESS);
    assert_int_equal(nhints(two), 1);
    assert_true(tf_comm_find(one)->context != tf_comm_find(two)->context);
    tf_info_free(tf_info_find(info));
    drop(one);
    drop(two);
    tf_comm_free_keyval(&keyval);
    fake_leave();
}

static void dup_agrees_on_a_context(void **state)
{
    uint64_t context = 0;
    (void)state;
    for (int r = 0; r < 3; r++) {
        MPI_Comm handle;
        fake_rank(r, 3);
        assert_int_equal(tf_comm_dup(tf_comm_world, &handle), MPI_SUCCESS);
        assert_true(r == 0 || tf_comm_find(handle)->context == context);
        context = tf_comm_find(handle)->context;
        drop(handle);
        fake_leave();
    }
}

static void dup_fails_with_its_callback(void **state)
{
    MPI_Comm handle = MPI_COMM_SELF;
    MPI_Request request = MPI_REQUEST_NULL;
    int keyval;
    (void)state;
    fake_rank(0, 1);
    tf_comm_create_keyval(copy_fails, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    tf_attrs_set(&tf_comm_world->attrs, TF_KIND_COMM, tf_comm_world->obj.handle, keyval, NULL);
    assert_int_equal(tf_comm_dup(tf_comm_world, &handle), MPI_ERR_OTHER);
    assert_ptr_equal(handle, MPI_COMM_SELF); /* the binding makes it null */
    assert_int_equal(tf_comm_pool.live, 0);
    handle = MPI_COMM_SELF;
    assert_int_equal(tf_comm_idup(tf_comm_world, &handle, &request), MPI_ERR_OTHER);
    assert_ptr_equal(handle, MPI_COMM_SELF);
    assert_ptr_equal(request, MPI_REQUEST_NULL);
    assert_int_equal(tf_comm_pool.live, 0);
    tf_attrs_discard(&tf_comm_world->attrs);
    tf_comm_free_keyval(&keyval);
    fake_leave();
}

static void idup_is_usable_when_complete(void **state)
{
    MPI_Comm handle;
    MPI_Request request;
    (void)state;
    fake_rank(0, 1);
    assert_int_equal(tf_comm_idup(tf_comm_world, &handle, &request), MPI_SUCCESS);
    assert_null(tf_comm_find(handle));
    assert_int_equal(fake_complete(), MPI_SUCCESS);
    assert_non_null(tf_comm_find(handle));
    assert_true(tf_comm_find(handle)->context > 2);
    drop(handle);
    fake_leave();
}

/* ---- create ---- */

static MPI_Group every_third(void)
{
    MPI_Group group;
    assert_int_equal(tf_group_range_incl(tf_comm_world->group, 1, (int[][3]){{P - 1, 0, -3}}, &group), MPI_SUCCESS);
    return group;
}

static void create(void **state)
{
    (void)state;
    for (int r = 0; r < P; r++) {
        MPI_Comm handle;
        fake_rank(r, P);
        MPI_Group group = every_third();
        assert_int_equal(tf_comm_create(tf_comm_world, tf_group_find(group), &handle), MPI_SUCCESS);
        tf_group_free(tf_group_find(group));
        if (r % 3 == (P - 1) % 3) {
            assert_int_equal(tf_comm_find(handle)->rank, (P - 1 - r) / 3);
            drop(handle);
        } else {
            assert_ptr_equal(handle, MPI_COMM_NULL);
        }
        fake_leave();
    }
}

static void create_group(void **state)
{
    uint64_t context = 0;
    (void)state;
    for (int i = 0; i < 5; i++) {
        MPI_Comm handle;
        fake_rank(P - 1 - 3 * i, P);
        MPI_Group group = every_third();
        assert_int_equal(tf_comm_create_group(tf_comm_world, tf_group_find(group), 0x7fffffff, &handle), MPI_SUCCESS);
        tf_group_free(tf_group_find(group));
        struct tf_comm *comm = tf_comm_find(handle);
        assert_int_equal(comm->rank, i);
        assert_true(comm->context > tf_comm_context(P, 2) && comm->context < tf_comm_context(P + 1, 0) &&
                    (i == 0 || comm->context == context));
        context = comm->context;
        drop(handle);
        fake_leave();
    }
    assert_int_equal(fake_sends, 8); /* four up, four down */
}

static void create_beyond_the_parent(void **state)
{
    MPI_Comm handle;
    (void)state;
    fake_rank(1, 3);
    assert_int_equal(tf_comm_create(tf_comm_self, tf_comm_world->group, &handle), MPI_ERR_GROUP);
    assert_int_equal(tf_comm_create_group(tf_comm_self, tf_comm_world->group, 0, &handle), MPI_ERR_GROUP);
    assert_int_equal(tf_comm_create(tf_comm_world, &tf_group_empty, &handle), MPI_SUCCESS);
    assert_ptr_equal(handle, MPI_COMM_NULL);
    fake_leave();
}

#define AND_EMPTY(test) cmocka_unit_test_setup_teardown(test, NULL, all_empty)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AND_EMPTY(split),
        AND_EMPTY(wrong_split),
        AND_EMPTY(split_by_type),
        AND_EMPTY(dup_copies_attributes_not_hints),
        AND_EMPTY(dup_agrees_on_a_context),
        AND_EMPTY(dup_fails_with_its_callback),
        AND_EMPTY(idup_is_usable_when_complete),
        AND_EMPTY(create),
        AND_EMPTY(create_group),
        AND_EMPTY(create_beyond_the_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
