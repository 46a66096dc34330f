/* test_construct.c - the constructors: the standard's examples, bounds, the nest of loops, errors, lives.
 */
#include "types.h"

#include "type/contents.h"
#include "type/cursor.h"

/* Type = {(double, 0), (char, 8)}, with extent 16: the example of MPI-5.0 section 5.1. */
static struct tf_type *double_char(void)
{
    MPI_Datatype types[] = {MPI_DOUBLE, MPI_CHAR};
    return structure(2, INTS(1, 1), LARGE(0, 8), types);
}

/* The offsets of the bytes of one element, in the order in which they are packed, as runs "offset+length". */
static void check_runs(struct tf_type *type, size_t n, const MPI_Count (*runs)[2])
{
    struct tf_cursor c;
    ptrdiff_t offset;
    size_t i = 0, length;
    tf_cursor_open(&c, commit(type), 1);
    while ((length = tf_cursor_next(&c, SIZE_MAX, &offset)) > 0) {
        assert_true(i < n);
        assert_int_equal(offset, runs[i][0]);
        assert_int_equal(length, runs[i++][1]);
    }
    assert_int_equal(i, n);
}

#define CHECK_RUNS(type, ...)                                                                                          \
    do {                                                                                                               \
        static const MPI_Count runs_[][2] = {__VA_ARGS__};                                                             \
        check_runs(type, TF_ARRAY_LEN(runs_), runs_);                                                                  \
    } while (0)

static void test_standard_examples(void **state)
{
    (void)state;
    struct tf_type *old = double_char(), *type;
    check_bounds(old, 0, 16, 0, 9, 9);

    /* contiguous(3): (double, 0), (char, 8), (double, 16), (char, 24), (double, 32), (char, 40) */
    type = contiguous(3, old);
    check_bounds(type, 0, 48, 0, 41, 27);
    CHECK_RUNS(type, {0, 9}, {16, 9}, {32, 9});
    release(type);

    /* vector(2, 3, 4): blocks at 0 and 64 */
    type = vector(2, 3, 4, old);
    check_bounds(type, 0, 112, 0, 105, 54);
    CHECK_RUNS(type, {0, 9}, {16, 9}, {32, 9}, {64, 9}, {80, 9}, {96, 9});
    release(type);

    /* vector(3, 1, -2): at 0, -32, -64 */
    type = vector(3, 1, -2, old);
    check_bounds(type, -64, 80, -64, 73, 27);
    CHECK_RUNS(type, {0, 9}, {-32, 9}, {-64, 9});
    release(type);

    /* indexed(2, B = (3, 1), D = (4, 0)): at 64, 80, 96 and 0 */
    type = MAKE(tf_type_indexed, 2, INTS(3, 1), INTS(4, 0), old, &made_, false);
    check_bounds(type, 0, 112, 0, 105, 36);
    CHECK_RUNS(type, {64, 9}, {80, 9}, {96, 9}, {0, 9});
    release(type);

    /* struct(3, B = (2, 1, 3), D = (0, 16, 26), T = (FLOAT, Type1, CHAR)) */
    MPI_Datatype types[] = {MPI_FLOAT, handle_of(old), MPI_CHAR};
    type = structure(3, INTS(2, 1, 3), LARGE(0, 16, 26), types);
    check_bounds(type, 0, 32, 0, 29, 20);
    CHECK_RUNS(type, {0, 8}, {16, 9}, {26, 3});
    release(type);
    release(old);
}

/* Section 5.1.7: type1 = resized(INT, -3, 9) has bounds -3 and 6, and contiguous(2, type1) has -3 and 15. */
static void test_sticky_bounds(void **state)
{
    (void)state;
    struct tf_type *one = resized(find(MPI_INT), -3, 9), *two = contiguous(2, one);
    check_bounds(one, -3, 9, 0, 4, 4);
    check_bounds(two, -3, 18, 0, 13, 8);
    CHECK_RUNS(two, {0, 4}, {9, 4});

    /* Bounds stick through a struct, whatever else is in it lies beyond them. */
    MPI_Datatype types[] = {handle_of(one), MPI_DOUBLE};
    struct tf_type *mixed = structure(2, INTS(1, 1), LARGE(0, 40), types);
    check_bounds(mixed, -3, 9, 0, 48, 12);

    /* Resizing again replaces them. */
    struct tf_type *again = resized(two, 4, 24);
    check_bounds(again, 4, 24, 0, 13, 8);
    struct tf_type *backwards = resized(find(MPI_INT), 0, -8), *three = contiguous(3, backwards);
    check_bounds(three, -16, 8, -16, 20, 12);
    CHECK_RUNS(three, {0, 4}, {-8, 4}, {-16, 4});

    /* A type without data keeps the bounds that were set. */
    struct tf_type *empty = contiguous(0, find(MPI_INT)), *marked = resized(empty, -8, 24);
    MPI_Datatype pair[] = {handle_of(marked), MPI_INT};
    struct tf_type *holder = structure(2, INTS(1, 1), LARGE(0, 0), pair);
    check_bounds(empty, 0, 0, 0, 0, 0);
    check_bounds(marked, -8, 24, 0, 0, 0);
    check_bounds(holder, -8, 24, 0, 4, 4);

    struct tf_type *all[] = {one, two, mixed, again, backwards, three, empty, marked, holder};
    for (size_t i = 0; i < TF_ARRAY_LEN(all); i++)
        release(all[i]);
}

/* MPI-1's markers: each sets the bound of its side, and sticks. */
static void test_markers(void **state)
{
    (void)state;
    MPI_Datatype both[] = {MPI_LB, MPI_INT, MPI_UB}, upper[] = {MPI_INT, MPI_UB},
                 lower[] = {MPI_LB, MPI_DOUBLE, MPI_CHAR};
    check_bounds(find(MPI_LB), 0, 0, 0, 0, 0);
    check_bounds(find(MPI_UB), 0, 0, 0, 0, 0);
    struct tf_type *one = structure(3, INTS(1, 1, 1), LARGE(-3, 0, 6), both);
    check_bounds(one, -3, 9, 0, 4, 4);
    assert_int_equal(one->signature, find(MPI_INT)->signature);
    struct tf_type *two = contiguous(2, one);
    check_bounds(two, -3, 18, 0, 13, 8);
    CHECK_RUNS(two, {0, 4}, {9, 4});

    /* A marked upper bound is not padded, and may lie within the data; an unmarked one is. */
    struct tf_type *within = structure(2, INTS(1, 1), LARGE(4, 6), upper), *row = vector(2, 2, 3, within);
    check_bounds(within, 4, 2, 4, 4, 4);
    check_bounds(row, 4, 10, 4, 12, 16); /* elements at 0, 2, 6 and 8: the last one's upper bound is 14 */
    struct tf_type *from = structure(3, INTS(1, 1, 1), LARGE(-3, 0, 8), lower), *three = contiguous(3, from);
    check_bounds(from, -3, 16, 0, 9, 9);
    check_bounds(three, -3, 48, 0, 41, 27);

    /* The outermost of several; one that no element stands for does not count. */
    MPI_Datatype many[] = {MPI_UB, MPI_INT, MPI_UB, MPI_LB, MPI_LB};
    struct tf_type *outer = structure(5, INTS(1, 1, 2, 1, 0), LARGE(20, 0, 10, -4, -100), many);
    check_bounds(outer, -4, 24, 0, 4, 4);

    /* Through another struct, where its data lies beyond; from MPI_Type_create_resized there is no way back in. */
    MPI_Datatype next[] = {handle_of(within), MPI_DOUBLE};
    struct tf_type *holder = structure(2, INTS(1, 1), LARGE(0, 16), next), *again = resized(holder, 0, 40);
    check_bounds(holder, 4, 2, 4, 20, 12);
    check_bounds(again, 0, 40, 4, 20, 12);

    struct tf_type *alone = structure(1, INTS(1), LARGE(16), (MPI_Datatype[]){MPI_UB}), *dup;
    check_bounds(alone, 0, 16, 0, 0, 0);
    dup = MAKE(tf_type_dup, alone, &made_);
    MPI_Datatype beside[] = {MPI_CHAR, handle_of(dup)};
    struct tf_type *cell = structure(2, INTS(1, 1), LARGE(0, 0), beside);
    check_bounds(cell, 0, 16, 0, 1, 1);
    assert_int_equal(tf_type_commit(find(MPI_UB)), MPI_SUCCESS);
    assert_false(find(MPI_UB)->committed);

    struct tf_type *all[] = {one, two, within, row, from, three, outer, holder, again, alone, dup, cell};
    for (size_t i = 0; i < TF_ARRAY_LEN(all); i++)
        release(all[i]);
}

static void test_struct_padding(void **state)
{
    (void)state;
    struct cell {
        char a;
        double b;
        short c;
    };
    MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT};
    struct tf_counts at = LARGE(offsetof(struct cell, a), offsetof(struct cell, b), offsetof(struct cell, c));
    struct tf_type *type = structure(3, INTS(1, 1, 1), at, types);
    check_bounds(type, 0, sizeof(struct cell), 0, 18, 11);
    release(type);

    /* Absolute addresses: the buffer is MPI_BOTTOM. */
    struct cell cell = {'x', 2.5, 7}, copy = {0};
    MPI_Count base = (MPI_Count)(uintptr_t)&cell;
    struct tf_counts absolute = LARGE(base, base + 8, base + 16);
    type = commit(structure(3, INTS(1, 1, 1), absolute, types));
    assert_int_equal(type->lb, base);
    char packed[11];
    tf_type_pack(type, MPI_BOTTOM, 1, 0, packed, 11);
    tf_type_unpack(type, (void *)((uintptr_t)&copy - base), 1, 0, packed, 11);
    assert_int_equal(copy.a, 'x');
    assert_true(copy.b == 2.5);
    assert_int_equal(copy.c, 7);
    release(type);
}

/* What a type becomes: one run where there is one, a loop where it repeats, however it was said. */
static void check_nest(struct tf_type *type, bool dense, enum tf_node_kind kind, size_t n, ptrdiff_t stride)
{
    commit(type);
    const struct tf_node *node = type->nest.element;
    assert_int_equal(type->dense, dense);
    assert_int_equal(node->kind, kind);
    assert_int_equal(node->n, n);
    assert_int_equal(node->stride, stride);
    assert_int_equal(node->size, type->size);
    release(type);
}

static void test_compactness(void **state)
{
    (void)state;
    const MPI_Count million = 1000000;
    struct tf_type *real = find(MPI_DOUBLE);
    check_nest(contiguous(million, real), true, TF_NODE_LEAF, 1, 0);
    check_nest(vector(million, 2, 2, real), true, TF_NODE_LEAF, 1, 0);
    check_nest(vector(million, 1, 3, real), false, TF_NODE_LOOP, million, 24);
    check_nest(hvector(million, 1, -8, real), false, TF_NODE_LOOP, million, -8);
    check_nest(MAKE(tf_type_indexed, 4, INTS(2, 2, 2, 2), INTS(0, 5, 10, 15), real, &made_, false), false, TF_NODE_LOOP,
               4, 40);
    check_nest(MAKE(tf_type_create_indexed_block, 3, 2, INTS(0, 2, 4), real, &made_, false), true, TF_NODE_LEAF, 1, 0);
    check_nest(MAKE(tf_type_create_indexed_block, 3, 1, INTS(0, 2, 5), real, &made_, false), false, TF_NODE_BLOCKS, 3,
               0);
    check_nest(MAKE(tf_type_indexed, 3, INTS(1, 2, 1), INTS(0, 2, 5), real, &made_, false), false, TF_NODE_BLOCKS, 4,
               0);
    check_nest(MAKE(tf_type_indexed, 3, INTS(1, 20, 1), INTS(0, 2, 25), real, &made_, false), false, TF_NODE_PIECES, 3,
               0);

    /* A matrix column resized to one element, ten thousand of them. */
    struct tf_type *column = vector(1000, 1, 1000, real), *next = resized(column, 0, 8), *row = contiguous(10000, next);
    release(column);
    release(next);
    check_nest(row, false, TF_NODE_LOOP, 10000, 8);

    struct tf_type *cell = double_char();
    check_nest(contiguous(million * million, cell), false, TF_NODE_LOOP, million * million, 16);
    release(cell);

    struct tf_type *plane =
        MAKE(tf_type_create_subarray, 3, INTS(9, 8, 7), INTS(9, 3, 7), INTS(0, 2, 0), MPI_ORDER_C, real, &made_, false);
    check_nest(plane, false, TF_NODE_LOOP, 9, 8 * 7 * 8);

    /* A box is two loops of a row. */
    struct tf_type *box =
        MAKE(tf_type_create_subarray, 3, INTS(9, 8, 7), INTS(3, 4, 5), INTS(1, 2, 1), MPI_ORDER_C, real, &made_, false);
    commit(box);
    assert_int_equal(box->nest.element->child->kind, TF_NODE_LOOP);
    assert_int_equal(box->nest.element->child->child->kind, TF_NODE_LEAF);
    check_nest(box, false, TF_NODE_LOOP, 3, 8 * 7 * 8);
}

/* A few runs within a list are runs of the list; a struct of others keeps them. */
static void test_lists(void **state)
{
    (void)state;
    struct tf_type *few = vector(3, 1, 2, find(MPI_INT)), *many = vector(20, 1, 2, find(MPI_INT));
    struct tf_type *both =
        structure(3, INTS(1, 2, 1), LARGE(0, 100, 400), (MPI_Datatype[]){handle_of(few), handle_of(many), MPI_INT});
    commit(both);
    const struct tf_node *node = both->nest.element;
    assert_int_equal(node->kind, TF_NODE_LIST);
    assert_int_equal(node->n, 5);
    assert_int_equal(node->runs, 3 + 40 + 1);
    assert_int_equal(node->children[3]->kind, TF_NODE_LOOP);
    assert_ptr_equal(node->children[3]->child, many->nest.element);
    release(few), release(many), release(both);
}

static void test_subarray(void **state)
{
    (void)state;
    struct tf_type *type =
        MAKE(tf_type_create_subarray, 2, INTS(4, 6), INTS(2, 3), INTS(1, 2), MPI_ORDER_C, find(MPI_INT), &made_, false);
    check_bounds(type, 0, 96, 32, 36, 24);
    CHECK_RUNS(type, {32, 12}, {56, 12});
    release(type);
    type = MAKE(tf_type_create_subarray, 2, INTS(4, 6), INTS(2, 3), INTS(1, 2), MPI_ORDER_FORTRAN, find(MPI_INT),
                &made_, false);
    check_bounds(type, 0, 96, 36, 40, 24);
    CHECK_RUNS(type, {36, 8}, {52, 8}, {68, 8});
    release(type);

    MPI_Datatype none;
    struct tf_type *i = find(MPI_INT);
    CHECK_ERROR(MPI_ERR_ARG, "ndims is 0",
                tf_type_create_subarray(0, INTS(4), INTS(2), INTS(1), MPI_ORDER_C, i, &none, false));
    CHECK_ERROR(MPI_ERR_ARG, "order is 3", tf_type_create_subarray(1, INTS(4), INTS(2), INTS(1), 3, i, &none, false));
    CHECK_ERROR(MPI_ERR_ARG, "array_of_subsizes[1] is 7; it must be between 1 and 6",
                tf_type_create_subarray(2, INTS(4, 6), INTS(2, 7), INTS(0, 0), MPI_ORDER_C, i, &none, false));
    CHECK_ERROR(MPI_ERR_ARG, "array_of_starts[0] is 3; it must be between 0 and 2",
                tf_type_create_subarray(2, INTS(4, 6), INTS(2, 6), INTS(3, 0), MPI_ORDER_C, i, &none, false));
}

/* Which element of the global array each element of a process's part is, by the definition of section 5.1.4. */
static bool owns(MPI_Count index, MPI_Count size, int distrib, int darg, int nprocs, int coord)
{
    if (distrib == MPI_DISTRIBUTE_NONE) { /* of one process, or as blocks */
        distrib = MPI_DISTRIBUTE_BLOCK;
        darg = MPI_DISTRIBUTE_DFLT_DARG;
    }
    MPI_Count block = darg;
    if (darg == MPI_DISTRIBUTE_DFLT_DARG)
        block = distrib == MPI_DISTRIBUTE_BLOCK ? (size + nprocs - 1) / nprocs : 1;
    return index / block % nprocs == coord;
}

static void check_darray(const int *gsizes, const int *distribs, const int *dargs, const int *psizes, int order)
{
    int size = psizes[0] * psizes[1];
    for (int rank = 0; rank < size; rank++) {
        struct tf_type *type = commit(MAKE(tf_type_create_darray, size, rank, 2, (struct tf_counts){gsizes, false},
                                           distribs, dargs, psizes, order, find(MPI_SHORT), &made_, false));
        int coord[2] = {rank / psizes[1], rank % psizes[1]}, slow = order == MPI_ORDER_C ? 0 : 1, fast = 1 - slow;
        short global[200], part[200];
        MPI_Count n = 0;
        for (int i = 0; i < gsizes[0] * gsizes[1]; i++)
            global[i] = (short)i;
        tf_type_pack(type, global, 1, 0, part, type->size);
        assert_int_equal(type->lb, 0);
        assert_int_equal(type->extent, 2 * gsizes[0] * gsizes[1]);
        for (int i = 0; i < gsizes[slow]; i++)
            for (int j = 0; j < gsizes[fast]; j++)
                if (owns(i, gsizes[slow], distribs[slow], dargs[slow], psizes[slow], coord[slow]) &&
                    owns(j, gsizes[fast], distribs[fast], dargs[fast], psizes[fast], coord[fast])) {
                    assert_true(n < type->size / 2);
                    assert_int_equal(part[n++], i * gsizes[fast] + j);
                }
        assert_int_equal(n, type->size / 2);
        release(type);
    }
}

static void test_darray(void **state)
{
    (void)state;
    static const int distribs[] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
    static const int dargs[] = {MPI_DISTRIBUTE_DFLT_DARG, 4};
    for (int variant = 0; variant < 2 * 3 * 3 * 2 * 2; variant++) {
        int v = variant, gsizes[] = {10, 11};
        int order = v % 2 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
        int d[] = {distribs[v / 2 % 3], distribs[v / 6 % 3]}, a[] = {dargs[v / 18 % 2], dargs[v / 36 % 2]};
        int p[] = {d[0] == MPI_DISTRIBUTE_NONE ? 1 : 3, d[1] == MPI_DISTRIBUTE_NONE ? 1 : 4};
        check_darray(gsizes, d, a, p, order);
    }
    for (int v = 0; v < 2; v++)
        check_darray((int[]){10, 11}, distribs, (int[]){dargs[v], dargs[v]}, (int[]){3, 3}, MPI_ORDER_C);
    MPI_Datatype none;
    int block[] = {MPI_DISTRIBUTE_BLOCK}, two[] = {2}, three[] = {3};
    CHECK_ERROR(MPI_ERR_ARG, "do not cover 10 indices",
                tf_type_create_darray(3, 0, 1, INTS(10), block, two, three, MPI_ORDER_C, find(MPI_INT), &none, false));
    int zero[] = {0}, nine[] = {9};
    CHECK_ERROR(MPI_ERR_ARG, "array_of_distribs[0] is 9",
                tf_type_create_darray(3, 0, 1, INTS(10), nine, two, three, MPI_ORDER_C, find(MPI_INT), &none, false));
    block[0] = MPI_DISTRIBUTE_CYCLIC;
    CHECK_ERROR(MPI_ERR_ARG, "array_of_dargs[0] is 0; it must be at least 1",
                tf_type_create_darray(3, 0, 1, INTS(10), block, zero, three, MPI_ORDER_C, find(MPI_INT), &none, false));
    CHECK_ERROR(MPI_ERR_ARG, "rank is 3; it must be between 0 and 2",
                tf_type_create_darray(3, 3, 1, INTS(10), block, two, three, MPI_ORDER_C, find(MPI_INT), &none, false));
    CHECK_ERROR(MPI_ERR_ARG, "size is 4, which is not the product",
                tf_type_create_darray(4, 0, 1, INTS(10), block, two, three, MPI_ORDER_C, find(MPI_INT), &none, false));
}

static void test_errors(void **state)
{
    (void)state;
    MPI_Datatype none = MPI_INT, types[] = {MPI_INT, MPI_DATATYPE_NULL};
    struct tf_type *real = find(MPI_DOUBLE), *stale = contiguous(2, real);
    CHECK_ERROR(MPI_ERR_TYPE, "array_of_types[1] is ",
                tf_type_create_struct(2, INTS(1, 1), LARGE(0, 8), types, &none, false));
    types[1] = handle_of(stale);
    release(stale);
    CHECK_ERROR(MPI_ERR_TYPE, "array_of_types[1] is ",
                tf_type_create_struct(2, INTS(1, 1), LARGE(0, 8), types, &none, false));
    CHECK_ERROR(MPI_ERR_ARG, "do not fit 64 bits", tf_type_contiguous(INT64_MAX / 4, real, &none, true));
    CHECK_ERROR(MPI_ERR_ARG, "do not fit 64 bits", tf_type_vector(3, 1, INT64_MAX / 4, real, &none, true));
    CHECK_ERROR(MPI_ERR_ARG, "do not fit 64 bits",
                tf_type_create_hindexed(2, LARGE(1, 1), LARGE(INT64_MIN, INT64_MAX - 8), real, &none, true));
    CHECK_ERROR(MPI_ERR_ARG, "do not fit 64 bits", tf_type_create_resized(real, INT64_MAX, 1, &none, true));
    CHECK_ERROR(MPI_ERR_COUNT, "cannot be kept",
                tf_type_create_indexed_block(INT64_MAX, 1, LARGE(0), real, &none, true));
    CHECK_ERROR(MPI_ERR_TYPE, "MPI_DOUBLE, which is predefined", tf_type_free(real));
    assert_ptr_equal(none, MPI_INT);
}

/* Two levels of repetition: their strides meet, or not. */
static void test_nested_vectors(void **state)
{
    (void)state;
    struct tf_type *inner = vector(3, 1, 2, find(MPI_INT)), *outer = hvector(2, 1, 100, inner);
    CHECK_RUNS(outer, {0, 4}, {8, 4}, {16, 4}, {100, 4}, {108, 4}, {116, 4});
    release(outer);
    outer = vector(2, 2, 3, inner);
    CHECK_RUNS(outer, {0, 4}, {8, 4}, {16, 8}, {28, 4}, {36, 4}, {60, 4}, {68, 4}, {76, 8}, {88, 4}, {96, 4});
    release(outer);
    outer = hvector(2, 2, 48, resized(inner, 0, 24));
    CHECK_RUNS(outer, {0, 4}, {8, 4}, {16, 4}, {24, 4}, {32, 4}, {40, 4}, {48, 4}, {56, 4}, {64, 4}, {72, 4}, {80, 4},
               {88, 4});
    assert_int_equal(outer->nest.element->n, 12);
    release(outer->contents->types[0]);
    release(outer);
    release(inner);
}

/* Loops within loops take no more memory than one, and the last byte is found as soon as the first. */
static void test_huge(void **state)
{
    (void)state;
    const MPI_Count many = (MPI_Count)1 << 20, bytes = 8 * many * many;
    struct tf_type *inner = vector(many, 1, 2, find(MPI_DOUBLE)), *outer = hvector(many, 1, many * 32, inner);
    struct tf_cursor c;
    ptrdiff_t offset;
    commit(outer);
    assert_int_equal(outer->size, bytes);
    assert_int_equal(outer->nest.element->runs, many * many);
    tf_cursor_open(&c, outer, 1);
    tf_cursor_seek(&c, bytes - 9);
    assert_int_equal(tf_cursor_next(&c, SIZE_MAX, &offset), 1);
    assert_int_equal(offset, (many - 1) * many * 32 + (many - 2) * 16 + 7);
    assert_int_equal(tf_cursor_next(&c, SIZE_MAX, &offset), 8);
    assert_int_equal(offset, (many - 1) * many * 32 + (many - 1) * 16);
    assert_int_equal(tf_cursor_next(&c, SIZE_MAX, &offset), 0);
    MPI_Status status;
    MPI_Count count;
    tf_status_set_bytes(&status, bytes - 24);
    tf_get_elements(&status, outer, &count);
    assert_int_equal(count, many * many - 3);
    assert_int_equal(tf_status_set_elements(&status, outer, many * many - 5), MPI_SUCCESS);
    assert_int_equal(tf_status_bytes(&status), bytes - 40);
    release(outer);
    release(inner);
    inner = hvector((MPI_Count)1 << 56, 1, 2, find(MPI_CHAR));
    outer = hvector(2, 1, 1, inner);
    commit(outer);
    assert_int_equal(outer->nest.element->runs, (size_t)1 << 57);
    release(inner);
    inner = contiguous(16, outer);
    commit(inner);
    release(inner);
    release(outer);
}

/* 2^60 bytes of 60 structs, each of two of the one before. */
static void test_doubling(void **state)
{
    (void)state;
    struct tf_type *type = resized(find(MPI_CHAR), 0, 3);
    struct tf_cursor c;
    ptrdiff_t offset;
    for (int i = 0; i < 59; i++) {
        MPI_Datatype old = handle_of(type);
        struct tf_type *next = structure(2, INTS(1, 1), LARGE(5, 0), (MPI_Datatype[]){old, old});
        release(type);
        type = next;
    }
    commit(type);
    assert_int_equal(type->size, (MPI_Count)1 << 59);
    tf_cursor_open(&c, type, 1);
    tf_cursor_seek(&c, ((size_t)1 << 59) - 1);
    assert_int_equal(tf_cursor_next(&c, SIZE_MAX, &offset), 1);
    assert_int_equal(offset, 0);
    tf_cursor_seek(&c, 0x2aaaaaaaaaaaaaa);
    assert_int_equal(tf_cursor_next(&c, 1, &offset), 1);
    assert_int_equal(offset, 5 * (59 - 29));
    release(type);
}

static void test_queries(void **state)
{
    (void)state;
    MPI_Count a, b;
    struct tf_type *type = resized(vector(2, 1, 3, find(MPI_INT)), -2, 40);
    tf_type_size(type, &a);
    assert_int_equal(a, 8);
    tf_type_get_extent(type, &a, &b);
    assert_int_equal(a, -2);
    assert_int_equal(b, 40);
    tf_type_get_true_extent(type, &a, &b);
    assert_int_equal(a, 0);
    assert_int_equal(b, 16);
    release(type->contents->types[0]);
    release(type);
}

/* A type lives while others use it; its handle is stale afterwards, and cannot be freed twice before. */
static void test_lives(void **state)
{
    (void)state;
    struct tf_type *old = vector(2, 1, 2, find(MPI_INT)), *type = contiguous(3, old);
    MPI_Datatype old_handle = handle_of(old);
    release(old);
    CHECK_ERROR(MPI_ERR_TYPE, "was freed already", tf_type_free(old));
    assert_int_equal(tf_type_pool.live, 2);
    tf_type_retain(type);
    release(type);
    commit(type);
    assert_int_equal(type->size, 24);
    tf_type_release(type);
    assert_int_equal(tf_type_pool.live, 0);
    assert_null(tf_type_find(old_handle));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_standard_examples, pool_is_empty),
        cmocka_unit_test_teardown(test_sticky_bounds, pool_is_empty),
        cmocka_unit_test_teardown(test_markers, pool_is_empty),
        cmocka_unit_test_teardown(test_struct_padding, pool_is_empty),
        cmocka_unit_test_teardown(test_compactness, pool_is_empty),
        cmocka_unit_test_teardown(test_nested_vectors, pool_is_empty),
        cmocka_unit_test_teardown(test_lists, pool_is_empty),
        cmocka_unit_test_teardown(test_huge, pool_is_empty),
        cmocka_unit_test_teardown(test_doubling, pool_is_empty),
        cmocka_unit_test_teardown(test_queries, pool_is_empty),
        cmocka_unit_test_teardown(test_subarray, pool_is_empty),
        cmocka_unit_test_teardown(test_darray, pool_is_empty),
        cmocka_unit_test_teardown(test_errors, pool_is_empty),
        cmocka_unit_test_teardown(test_lives, pool_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
