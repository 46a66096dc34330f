/* test_nest.c - what a nest of loops is when memory runs out while it is made, at each allocation in turn; and a few
 * runs of each length, one behind the other, in a loop.
 */
#include "types.h"

#include <string.h>

#include "../../mpi/c/scarce.h"
#include "type/cursor.h"

enum { MANY = 3000 };

/* Runs of several lengths, of one, loops and runs, loops of one kind, of several. */
static struct tf_type *make(int which)
{
    static MPI_Count lengths[MANY], places[MANY];
    static MPI_Datatype types[MANY];
    struct tf_type *loop = vector(20, 1, 2, find(MPI_INT)), *two = vector(50, 1, 3, find(MPI_CHAR)), *type;
    struct tf_counts at = {places, true}, n = {lengths, true};
    for (int i = 0; i < MANY; i++) {
        lengths[i] = which == 2 ? 1 : 1 + i * 7 % 5 + (which == 0 ? i % 3 * 40 : 0);
        places[i] = 10000 * (MPI_Count)i + i * i % 13;
        types[i] = i % 3 == 0 ? MPI_INT : handle_of(i % 3 == 1 ? loop : two);
    }
    switch (which) {
    case 0:
    case 1:
        type = MAKE(tf_type_create_hindexed, MANY, n, at, find(MPI_INT), &made_, true);
        break;
    case 2:
    case 3:
        type = MAKE(tf_type_create_hindexed, MANY, n, at, loop, &made_, true);
        break;
    default:
        type = MAKE(tf_type_create_struct, MANY, n, at, types, &made_, true);
    }
    release(loop), release(two);
    return type;
}

/* The same bytes at the same places. */
static void check_same(const struct tf_type *a, const struct tf_type *b)
{
    struct tf_cursor c, d;
    ptrdiff_t x, y;
    tf_cursor_open(&c, a, 2);
    tf_cursor_open(&d, b, 2);
    for (size_t n = 1; n > 0;) {
        n = tf_cursor_next(&c, SIZE_MAX, &x);
        assert_int_equal(tf_cursor_next(&d, SIZE_MAX, &y), n);
        assert_true(n == 0 || x == y);
    }
    assert_int_equal(c.position, 2 * a->size);
}

static void test_shortage(void **state)
{
    (void)state;
    for (int which = 0; which < 5; which++) {
        struct tf_type *type = make(which), *other = commit(make(which));
        int err = MPI_ERR_NO_MEM, k = 0;
        for (; err; k++) {
            scarce_begin(k, k % 2);
            err = tf_type_commit(type);
            assert_int_equal(scarce_end(), err != MPI_SUCCESS);
            assert_int_equal(type->committed, !err);
            if (err)
                CHECK_ERROR(MPI_ERR_NO_MEM, "cannot allocate", err);
        }
        assert_true(k > 2);
        check_same(type, other);
        release(type), release(other);
    }
}

static void test_kinds(void **state)
{
    (void)state;
    static const enum tf_node_kind kinds[] = {TF_NODE_PIECES, TF_NODE_BLOCKS, TF_NODE_BLOCKS, TF_NODE_LIST,
                                              TF_NODE_LIST};
    for (int which = 0; which < 5; which++) {
        struct tf_type *type = commit(make(which));
        assert_int_equal(type->nest.element->kind, kinds[which]);
        release(type);
    }
}

/* 50 times a run of each length up to 40, one of each other length, and one of three bytes that ends the element. */
static void test_short_runs(void **state)
{
    (void)state;
    enum { MOST = 40, TIMES = 50, EXTENT = 2 * MOST + 10 };
    for (int a = 1; a <= MOST; a++) {
        for (int b = 1; b <= MOST; b++) {
            struct tf_type *one = MAKE(tf_type_create_hindexed, 3, INTS(a, b, 3), LARGE(MOST + 2, 0, EXTENT - 3),
                                       find(MPI_CHAR), &made_, true);
            struct tf_type *type = commit(contiguous(TIMES, one));
            unsigned char memory[TIMES * EXTENT], back[sizeof memory] = {0}, wanted[sizeof memory] = {0};
            unsigned char stream[TIMES * (2 * MOST + 3)], *at = stream;
            for (size_t i = 0; i < sizeof memory; i++)
                memory[i] = (unsigned char)(1 + i * 2654435761u % 255);
            tf_type_pack(type, memory, 1, 0, stream, type->size);
            tf_type_unpack(type, back, 1, 0, stream, type->size);
            for (size_t i = 0; i < TIMES; i++) {
                size_t first = i * type->extent / TIMES;
                const size_t places[] = {MOST + 2, 0, EXTENT - 3}, lengths[] = {(size_t)a, (size_t)b, 3};
                for (int k = 0; k < 3; at += lengths[k], k++) {
                    assert_memory_equal(at, memory + first + places[k], lengths[k]);
                    memcpy(wanted + first + places[k], at, lengths[k]);
                }
            }
            assert_memory_equal(back, wanted, sizeof back);
            release(one), release(type);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_shortage, pool_is_empty),
        cmocka_unit_test_teardown(test_kinds, pool_is_empty),
        cmocka_unit_test_teardown(test_short_runs, pool_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
