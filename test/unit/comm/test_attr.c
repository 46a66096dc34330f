/* test_attr.c - keyvals and attributes: which callback is called, with what, and in what order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake.h"
#include "object/attr.h"
#include "object/error_class.h"
#include "type/type.h"

/* A diary of the callbacks: one letter each, the extra state's. */
static char diary[100];

static void note(const void *extra_state)
{
    strncat(diary, extra_state, 1);
}

static int put(struct tf_comm *comm, int keyval, void *value)
{
    return tf_attrs_set(&comm->attrs, TF_KIND_COMM, comm->obj.handle, keyval, value);
}

static int drop(struct tf_comm *comm, int keyval)
{
    return tf_attrs_delete(&comm->attrs, TF_KIND_COMM, comm->obj.handle, keyval);
}

static int copy_next(MPI_Comm comm, int keyval, void *extra_state, void *in, void *out, int *flag)
{
    (void)comm, (void)keyval;
    note(extra_state);
    *(void **)out = (char *)in + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int copy_not(MPI_Comm comm, int keyval, void *extra_state, void *in, void *out, int *flag)
{
    (void)comm, (void)keyval, (void)in, (void)out;
    note(extra_state);
    *flag = 0;
    return MPI_SUCCESS;
}

static int copy_fails(MPI_Comm comm, int keyval, void *extra_state, void *in, void *out, int *flag)
{
    (void)comm, (void)keyval, (void)in, (void)out, (void)flag;
    note(extra_state);
    return MPI_ERR_OTHER;
}

static int deleted(MPI_Comm comm, int keyval, void *value, void *extra_state)
{
    (void)comm, (void)keyval, (void)value;
    note(extra_state);
    return MPI_SUCCESS;
}

static int delete_fails(MPI_Comm comm, int keyval, void *value, void *extra_state)
{
    (void)comm, (void)keyval, (void)value;
    note(extra_state);
    return MPI_ERR_OTHER;
}

static int deletes_another(MPI_Comm comm, int keyval, void *value, void *extra_state)
{
    (void)keyval;
    note(extra_state);
    return drop(tf_comm_find(comm), *(int *)value);
}

static int key(MPI_Comm_copy_attr_function *copy_fn, MPI_Comm_delete_attr_function *delete_fn, const char *letter)
{
    int keyval;
    assert_int_equal(tf_comm_create_keyval(copy_fn, delete_fn, &keyval, (void *)letter), MPI_SUCCESS);
    return keyval;
}

static void forget(int keyval)
{
    assert_int_equal(tf_comm_free_keyval(&keyval), MPI_SUCCESS);
    assert_int_equal(keyval, MPI_KEYVAL_INVALID);
}

static void *value_of(struct tf_comm *comm, int keyval)
{
    void *value = NULL;
    int flag = -1;
    assert_int_equal(tf_comm_get_attr(comm, keyval, &value, &flag), MPI_SUCCESS);
    return flag ? value : (void *)-1;
}

static int start(void **state)
{
    (void)state;
    diary[0] = '\0';
    fake_rank(1, 3);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    fake_leave();
    return tf_keyval_pool.live == 0 && tf_comm_pool.live == 0 ? 0 : -1;
}

static void set_get_delete(void **state)
{
    int a = key(MPI_COMM_NULL_COPY_FN, deleted, "a"), b = key(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, "b");
    struct tf_comm *world = tf_comm_world;
    (void)state;
    assert_ptr_equal(value_of(world, a), (void *)-1);
    assert_int_equal(put(world, a, (void *)10), MPI_SUCCESS);
    assert_int_equal(put(world, b, (void *)20), MPI_SUCCESS);
    assert_ptr_equal(value_of(world, a), (void *)10);
    assert_int_equal(put(world, a, (void *)11), MPI_SUCCESS);
    assert_string_equal(diary, "a");
    assert_ptr_equal(value_of(world, a), (void *)11);
    assert_ptr_equal(value_of(world, b), (void *)20);
    assert_int_equal(drop(world, a), MPI_SUCCESS);
    assert_string_equal(diary, "aa");
    assert_int_equal(drop(world, a), MPI_ERR_KEYVAL);
    assert_int_equal(drop(world, b), MPI_SUCCESS);
    forget(a);
    forget(b);
}

static void last_set_first_deleted(void **state)
{
    int keys[5];
    static const char *const letters[] = {"a", "b", "c", "d", "e"};
    (void)state;
    for (int i = 0; i < 5; i++) {
        keys[i] = key(MPI_COMM_NULL_COPY_FN, deleted, letters[i]);
        put(tf_comm_self, keys[i], NULL);
    }
    put(tf_comm_self, keys[1], NULL); /* deletes b, which comes last then */
    assert_string_equal(diary, "b");
    assert_int_equal(tf_comm_teardown_self(), MPI_SUCCESS);
    assert_string_equal(diary, "bbedca");
    for (int i = 0; i < 5; i++)
        forget(keys[i]);
}

static void copies(void **state)
{
    int a = key(copy_next, deleted, "a"), b = key(MPI_COMM_DUP_FN, deleted, "b"), c = key(copy_not, deleted, "c");
    int d = key(MPI_COMM_NULL_COPY_FN, deleted, "d");
    struct tf_comm *world = tf_comm_world;
    struct tf_comm *copy = tf_comm_create_object(world->group, 99, world, 0);
    (void)state;
    put(world, c, (void *)30);
    put(world, a, (void *)10);
    put(world, b, (void *)20);
    put(world, d, (void *)40);
    assert_int_equal(tf_attrs_copy(world->attrs, 0x101, &copy->attrs, copy->obj.handle), MPI_SUCCESS);
    assert_string_equal(diary, "ca");
    assert_ptr_equal(value_of(copy, a), (void *)11);
    assert_ptr_equal(value_of(copy, b), (void *)20);
    assert_ptr_equal(value_of(copy, c), (void *)-1);
    assert_ptr_equal(value_of(copy, d), (void *)-1);
    diary[0] = '\0';
    assert_int_equal(tf_comm_free(copy), MPI_SUCCESS);
    assert_string_equal(diary, "ba");
    forget(a);
    forget(b);
    forget(c);
    forget(d);
    assert_int_equal(tf_keyval_pool.live, 4); /* MPI_COMM_WORLD's attributes keep them */
    assert_int_equal(tf_comm_teardown_self(), MPI_SUCCESS);
    assert_string_equal(diary, "badbac");
}

static void failures(void **state)
{
    int a = key(copy_next, deleted, "a"), b = key(copy_fails, deleted, "b"), c = key(copy_next, delete_fails, "c");
    struct tf_comm *world = tf_comm_world, *copy = tf_comm_create_object(world->group, 99, world, 0);
    (void)state;
    put(world, a, (void *)10);
    put(world, b, (void *)20);
    assert_int_equal(tf_attrs_copy(world->attrs, 0x101, &copy->attrs, copy->obj.handle), MPI_ERR_OTHER);
    assert_string_equal(diary, "aba");
    assert_null(copy->attrs);
    assert_non_null(strstr(tf_error_text(MPI_ERR_OTHER), "copy function"));

    put(copy, a, (void *)1);
    put(copy, c, (void *)2);
    assert_int_equal(tf_comm_free(copy), MPI_ERR_OTHER);
    assert_false(copy->freed);
    assert_ptr_equal(value_of(copy, c), (void *)2);
    assert_int_equal(drop(copy, c), MPI_ERR_OTHER);
    tf_attrs_discard(&copy->attrs);
    assert_int_equal(tf_comm_free(copy), MPI_SUCCESS);
    tf_attrs_discard(&world->attrs);
    forget(a);
    forget(b);
    forget(c);
}

static void callbacks_may_delete(void **state)
{
    int a = key(MPI_COMM_NULL_COPY_FN, deleted, "a"), b = key(MPI_COMM_NULL_COPY_FN, deletes_another, "b");
    (void)state;
    put(tf_comm_self, a, NULL);
    put(tf_comm_self, b, &a);
    assert_int_equal(tf_comm_teardown_self(), MPI_SUCCESS);
    assert_string_equal(diary, "ba");
    forget(a);
    forget(b);
}

static void wrong_keys(void **state)
{
    int a = key(MPI_COMM_NULL_COPY_FN, deleted, "a"), on_type, gone = a, flag;
    void *value;
    (void)state;
    assert_int_equal(tf_type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &on_type, NULL), 0);
    assert_int_equal(put(tf_comm_world, on_type, NULL), MPI_ERR_KEYVAL);
    assert_string_equal(tf_error_text(MPI_ERR_KEYVAL), "keyval is one for datatypes, not for communicators");
    assert_int_equal(tf_type_free_keyval(&a), MPI_ERR_KEYVAL);
    assert_int_equal(put(tf_comm_world, MPI_TAG_UB, NULL), MPI_ERR_KEYVAL);
    assert_int_equal(tf_comm_get_attr(tf_comm_world, MPI_WIN_BASE, &value, &flag), MPI_ERR_KEYVAL);
    assert_int_equal(tf_comm_get_attr(tf_comm_world, MPI_KEYVAL_INVALID, &value, &flag), MPI_ERR_KEYVAL);
    assert_int_equal(tf_comm_get_attr(tf_comm_world, -7, &value, &flag), MPI_ERR_KEYVAL);
    put(tf_comm_world, a, NULL);
    forget(a);
    assert_int_equal(put(tf_comm_self, gone, NULL), MPI_ERR_KEYVAL);
    assert_int_equal(tf_comm_free_keyval(&a), MPI_SUCCESS); /* once more, while an attribute has it */
    assert_int_equal(a, MPI_KEYVAL_INVALID);
    assert_int_equal(drop(tf_comm_world, gone), MPI_SUCCESS);
    assert_int_equal(drop(tf_comm_world, gone), MPI_ERR_KEYVAL);
    assert_non_null(strstr(tf_error_text(MPI_ERR_KEYVAL), "stale"));
    assert_int_equal(tf_type_free_keyval(&on_type), MPI_SUCCESS);
}

static void on_datatypes(void **state)
{
    struct tf_type type = {.obj.handle = 1u << 29}, copy = {.obj.handle = 1u << 29 | 1};
    void *value;
    int keyval, flag;
    (void)state;
    assert_int_equal(tf_type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &keyval, NULL), MPI_SUCCESS);
    assert_int_equal(tf_attrs_set(&type.attrs, TF_KIND_TYPE, type.obj.handle, keyval, (void *)5), MPI_SUCCESS);
    assert_int_equal(tf_attrs_copy(type.attrs, type.obj.handle, &copy.attrs, copy.obj.handle), MPI_SUCCESS);
    assert_int_equal(tf_attrs_delete(&type.attrs, TF_KIND_TYPE, type.obj.handle, keyval), MPI_SUCCESS);
    assert_int_equal(tf_type_get_attr(&type, keyval, &value, &flag), MPI_SUCCESS);
    assert_false(flag);
    assert_int_equal(tf_type_get_attr(&copy, keyval, &value, &flag), MPI_SUCCESS);
    assert_true(flag);
    assert_ptr_equal(value, (void *)5);
    assert_int_equal(tf_attrs_delete_all(&type.attrs, type.obj.handle), MPI_SUCCESS);
    assert_int_equal(tf_attrs_delete_all(&copy.attrs, copy.obj.handle), MPI_SUCCESS);
    assert_int_equal(tf_type_free_keyval(&keyval), MPI_SUCCESS);
}

static void predefined(void **state)
{
    int added;
    (void)state;
    assert_int_equal(*(int *)value_of(tf_comm_world, MPI_TAG_UB), 0x7fffffff);
    assert_int_equal(*(int *)value_of(tf_comm_world, MPI_HOST), MPI_PROC_NULL);
    assert_int_equal(*(int *)value_of(tf_comm_world, MPI_IO), MPI_ANY_SOURCE);
    assert_int_equal(*(int *)value_of(tf_comm_world, MPI_WTIME_IS_GLOBAL), 1);
    assert_int_equal(tf_add_error_class(&added), MPI_SUCCESS);
    assert_int_equal(*(int *)value_of(tf_comm_world, MPI_LASTUSEDCODE), added);
}

#define IN_A_JOB(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_JOB(set_get_delete),
        IN_A_JOB(last_set_first_deleted),
        IN_A_JOB(copies),
        IN_A_JOB(failures),
        IN_A_JOB(callbacks_may_delete),
        IN_A_JOB(wrong_keys),
        IN_A_JOB(on_datatypes),
        IN_A_JOB(predefined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
