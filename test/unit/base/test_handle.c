/* test_handle.c - pools: handles that are found, go stale, run out, and are described. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/handle.h"

struct thing {
    struct tf_object obj;
    int value;
};

static struct tf_object *predefined[] = {NULL, &(struct tf_object){.handle = 0x131, .refs = 1}};
static struct tf_pool pool = {.what = "info object",
                              .kind = TF_KIND_INFO,
                              .size = sizeof(struct thing),
                              .predef_first = 0x130,
                              .predef_count = 2,
                              .predef = predefined};

static void found_until_given_back(void **state)
{
    enum { N = 3 * TF_POOL_CHUNK + 7 };
    static struct thing *things[N];
    static uint32_t handles[N];
    (void)state;
    for (int i = 0; i < N; i++) {
        things[i] = tf_pool_take(&pool);
        things[i]->value = i;
        handles[i] = things[i]->obj.handle;
        assert_true(handles[i] >= 1u << 27 && handles[i] <= INT32_MAX);
        assert_int_equal(things[i]->obj.refs, 1);
    }
    assert_int_equal(pool.live, N);
    for (int i = 0; i < N; i++) {
        assert_ptr_equal(tf_pool_find(&pool, handles[i]), things[i]);
        assert_int_equal(things[i]->value, i);
    }
    const char *what = NULL;
    assert_int_equal(tf_pools_live(&what), N);
    assert_string_equal(what, "info object");
    for (int i = 0; i < N; i++) {
        tf_pool_give(&pool, things[i]);
        assert_null(tf_pool_find(&pool, handles[i]));
    }
    assert_int_equal(pool.live, 0);
    assert_int_equal(tf_pools_live(NULL), 0);
}

static void reuse_is_zeroed_and_another_handle(void **state)
{
    uint32_t before[64];
    (void)state;
    for (int i = 0; i < 64; i++) {
        struct thing *t = tf_pool_take(&pool);
        assert_int_equal(t->value, 0);
        t->value = 1;
        before[i] = t->obj.handle;
        for (int j = 0; j < i; j++) {
            assert_int_not_equal(before[j], before[i]);
            assert_null(tf_pool_find(&pool, before[j]));
        }
        tf_pool_give(&pool, t);
    }
}

static void predefined_handles(void **state)
{
    (void)state;
    assert_null(tf_pool_find(&pool, 0x130));
    assert_ptr_equal(tf_pool_find(&pool, 0x131), predefined[1]);
    assert_null(tf_pool_find(&pool, 0x132));
    assert_null(tf_pool_find(&pool, 0x12f));
    assert_null(tf_pool_find(&pool, 0));
}

static void handles_run_out(void **state)
{
    static struct tf_pool small = {.what = "keyval", .kind = TF_KIND_KEYVAL, .size = sizeof(struct tf_object)};
    uint32_t n = 0;
    (void)state;
    while (tf_pool_take(&small))
        n++;
    assert_int_equal(n, 1 << 21);
    assert_non_null(strstr(tf_error_text(MPI_ERR_NO_MEM), "the most there can be"));
    uint32_t last = (uint32_t)TF_KIND_KEYVAL << 27 | (n - 1);
    struct tf_object *o = tf_pool_find(&small, last);
    assert_non_null(o);
    tf_pool_give(&small, o);
    assert_int_equal(((struct tf_object *)tf_pool_take(&small))->handle, last | 1u << 21);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t handle = (uint32_t)TF_KIND_KEYVAL << 27 | i;
        tf_pool_give(&small, tf_pool_find(&small, i == n - 1 ? handle | 1u << 21 : handle));
    }
    assert_int_equal(small.live, 0);
    for (uint32_t i = 0; i < n / TF_POOL_CHUNK; i++)
        free(small.chunks[i]);
    free(small.chunks);
    small.used = small.free_head = 0;
}

static void describes(uintptr_t handle, const char *words)
{
    const char *text = tf_handle_describe(&pool, handle);
    if (!strstr(text, words))
        fail_msg("0x%lx is described as \"%s\", without \"%s\"", (unsigned long)handle, text, words);
}

static void words(void **state)
{
    (void)state;
    struct thing *t = tf_pool_take(&pool);
    uint32_t stale = t->obj.handle;
    tf_pool_give(&pool, t);
    describes((uintptr_t)MPI_INFO_NULL, "MPI_INFO_NULL");
    describes(0, "not set");
    describes(stale, "stale");
    describes((uintptr_t)MPI_INT, "a datatype handle (0x209), not an info object");
    describes((uintptr_t)MPI_COMM_WORLD, "a communicator handle (0x101), not an info object");
    describes((uintptr_t)MPI_COMM_NULL, "MPI_COMM_NULL, not an info object");
    describes((uintptr_t)TF_KIND_OP << 27 | 5, "an operator handle");
    describes((uintptr_t)TF_KIND_INFO << 27 | 0x1ffff0, "never one");
    describes(0x135, "not a predefined handle");
    describes(0x7ffe12345678, "no handle");
    describes(0xfff, "no handle");
}

static void kinds(void **state)
{
    (void)state;
    assert_int_equal(tf_handle_kind((uintptr_t)MPI_COMM_WORLD), TF_KIND_COMM);
    assert_int_equal(tf_handle_kind((uintptr_t)MPI_DOUBLE), TF_KIND_TYPE);
    assert_int_equal(tf_handle_kind((uintptr_t)TF_KIND_OP << 27 | 5), TF_KIND_OP);
    assert_int_equal(tf_handle_kind((uintptr_t)MPI_WIN_NULL), TF_KIND_WIN);
    assert_int_equal(tf_handle_kind(0), TF_KIND_NONE);
    assert_int_equal(tf_handle_kind(0x7ffe12345678), TF_KIND_NONE);
    assert_int_equal(tf_handle_errclass(TF_KIND_MESSAGE), MPI_ERR_REQUEST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found_until_given_back),
        cmocka_unit_test(reuse_is_zeroed_and_another_handle),
        cmocka_unit_test(predefined_handles),
        cmocka_unit_test(handles_run_out),
        cmocka_unit_test(words),
        cmocka_unit_test(kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
