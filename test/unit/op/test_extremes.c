/* test_extremes.c - MINLOC and MAXLOC on every pair, MIN and MAX on reals, at each level of SIMD instructions that this
 * processor has: every length to more than some vectors, starts at odd addresses, values and indices that are often
 * equal or special, and nothing but the data of an element written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <sys/mman.h>
#include <unistd.h>

#include "reference.h"

#define MAX_N 140
#define ROOM 64
#define ALL_BYTES (ROOM + MAX_N * 32 + 16 + ROOM)

static const MPI_Op operators[] = {
    [TF_OP_MIN] = MPI_MIN, [TF_OP_MAX] = MPI_MAX, [TF_OP_MINLOC] = MPI_MINLOC, [TF_OP_MAXLOC] = MPI_MAXLOC};

static tf_kernel *kernel_of(enum tf_op_index op, const struct reference_type *type)
{
    return tf_op_find(operators[op])->kernels[type->basic];
}

static unsigned next_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16;
}

/* Zeros of both signs, infinities, NaNs (quiet, signalling, with other bits), the least and the largest. */
static const uint32_t floats[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
                                  0xffc00001, 0x7fa00000, 0x00000001, 0x807fffff, 0x7f7fffff, 0x3f800001};
static const uint64_t doubles[] = {0,
                                   0x8000000000000000,
                                   0x3ff0000000000000,
                                   0xbff0000000000000,
                                   0x7ff0000000000000,
                                   0xfff0000000000000,
                                   0x7ff8000000000000,
                                   0xfff8000000000001,
                                   0x7ff4000000000000,
                                   0x0000000000000001,
                                   0x3ff0000000000001,
                                   0x3ff0000080000000,
                                   0x7fefffffffffffff};
static const int64_t integers[] = {0,         1,         -1,        2,         INT16_MIN,        INT16_MAX,
                                   INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX, (int64_t)1 << 32, -((int64_t)1 << 32)};
/* Sign and exponent, and the other bits. */
static const struct {
    uint16_t exponent;
    uint64_t bits;
} long_doubles[] = {
    {0, 0},
    {0x8000, 0},
    {0x3fff, (uint64_t)1 << 63},
    {0xbfff, (uint64_t)1 << 63},
    {0x3fff, (uint64_t)1 << 63 | 1},
    {0x3ffe, UINT64_MAX},
    {0x7fff, (uint64_t)1 << 63},
    {0xffff, (uint64_t)1 << 63},
    {0x7fff, (uint64_t)3 << 62},
    {0xffff, (uint64_t)3 << 62 | 5},
    {0x7fff, (uint64_t)5 << 61},
    {0, 1},
    {0x8000, 1},
    {1, (uint64_t)1 << 63},
    {0x8001, (uint64_t)1 << 63},
    {0x7ffe, UINT64_MAX},
    {0xfffe, UINT64_MAX},
};

/* A special value of that type; of `few` of them, so that it is often the same. */
static void put_special(enum tf_basic basic, unsigned few, unsigned *seed, void *to)
{
    unsigned i = next_random(seed) % few;
    switch (basic) {
    case TF_FLOAT:
        memcpy(to, &floats[i % TF_ARRAY_LEN(floats)], sizeof floats[0]);
        break;
    case TF_DOUBLE:
        memcpy(to, &doubles[i % TF_ARRAY_LEN(doubles)], sizeof doubles[0]);
        break;
    case TF_LONG_DOUBLE:
        i %= TF_ARRAY_LEN(long_doubles);
        memcpy(to, &long_doubles[i].bits, 8);
        memcpy((char *)to + 8, &long_doubles[i].exponent, 2);
        break;
    default:
        memcpy(to, &integers[i % TF_ARRAY_LEN(integers)], basic == TF_INT16 ? 2 : basic == TF_INT32 ? 4 : 8);
    }
}

static bool is_pair(const struct reference_type *type)
{
    return type->class == PAIR;
}

/* Padding is random.  Real indices are numbers: which of two comes first if one is a NaN nobody says. */
static void fill(const struct reference_type *type, unsigned char *vector, size_t n, unsigned *seed)
{
    static const double places[] = {0, -0.0, 1, -1, 7, -1e30, 1e30};
    unsigned few = next_random(seed) % 3 == 0 ? 3 : 20;
    for (size_t i = 0; i < n; i++) {
        unsigned char *pair = vector + i * type->size, *index = pair + type->index_offset;
        for (size_t k = 0; k < type->size; k++)
            pair[k] = (unsigned char)next_random(seed);
        put_special(is_pair(type) ? type->value : type->basic, few, seed, pair);
        if (!is_pair(type))
            continue;
        double place = places[next_random(seed) % TF_ARRAY_LEN(places)];
        float short_place = (float)place;
        if (type->index == TF_DOUBLE)
            memcpy(index, &place, sizeof place);
        else if (type->index == TF_FLOAT)
            memcpy(index, &short_place, sizeof short_place);
        else
            put_special(TF_INT32, 8, seed, index);
    }
}

enum aliasing { DISTINCT, DST_IS_A, DST_IS_B };

static void check_case(enum tf_op_index op, const struct reference_type *type, size_t n, size_t shift,
                       enum aliasing aliasing, unsigned seed)
{
    static unsigned char all[3][ALL_BYTES], before[ALL_BYTES];
    const size_t bytes = ROOM + n * type->size + 16 + ROOM;
    for (int v = 0; v < 3; v++) {
        for (size_t k = 0; k < bytes; k++)
            all[v][k] = (unsigned char)next_random(&seed);
    }
    unsigned char *a = all[0] + ROOM + shift, *b = all[1] + ROOM + (shift * 3) % 16;
    fill(type, a, n, &seed);
    fill(type, b, n, &seed);
    unsigned char *whole = all[aliasing == DST_IS_A ? 0 : aliasing == DST_IS_B ? 1 : 2];
    unsigned char *out = aliasing == DST_IS_A ? a : aliasing == DST_IS_B ? b : whole + ROOM + (shift * 5) % 16;
    memcpy(before, whole, bytes);
    unsigned char *expected = before + (out - whole);
    for (size_t i = 0; i < n; i++)
        reference_apply(op, type, expected + i * type->size, a + i * type->size, b + i * type->size);

    kernel_of(op, type)(out, a, b, n);

    for (size_t k = 0; k < bytes; k++) {
        if (whole[k] != before[k])
            fail_msg("operator %d on %s, n %zu, shift %zu, aliasing %d: byte %td of the vector is wrong", (int)op,
                     type->name, n, shift, (int)aliasing, whole + k - out);
    }
}

static void check_every_length(enum tf_op_index op, const struct reference_type *type)
{
    for (size_t n = 0; n <= (is_pair(type) ? 70 : MAX_N); n++) {
        for (size_t shift = 0; shift < 16; shift += 1 + n % 3) {
            for (enum aliasing aliasing = DISTINCT; aliasing <= DST_IS_B; aliasing++)
                check_case(op, type, n, shift, aliasing, (unsigned)(1000 * n + 10 * shift + aliasing));
        }
    }
}

static void for_each_type(void (*check)(enum tf_op_index op, const struct reference_type *type))
{
    for (size_t l = 0; l < reference_nlevels; l++) {
        if (!reference_use_level(reference_levels[l])) {
            print_message("level %s is not there\n", reference_levels[l]);
            continue;
        }
        for (size_t t = 0; t < reference_ntypes; t++) {
            enum tf_basic basic = reference_types[t].basic;
            if (is_pair(&reference_types[t])) {
                check(TF_OP_MINLOC, &reference_types[t]);
                check(TF_OP_MAXLOC, &reference_types[t]);
            } else if (basic == TF_FLOAT || basic == TF_DOUBLE || basic == TF_LONG_DOUBLE) {
                check(TF_OP_MIN, &reference_types[t]);
                check(TF_OP_MAX, &reference_types[t]);
            }
        }
    }
    tf_op_setup("auto");
}

static void every_type_of_every_length(void **state)
{
    (void)state;
    for_each_type(check_every_length);
}

/* Elements by vectors are those one by one, whatever their bytes mean: also indices that are NaNs. */
static void check_any_bytes(enum tf_op_index op, const struct reference_type *type)
{
    static unsigned char a[ALL_BYTES], b[ALL_BYTES], out[ALL_BYTES], single[ALL_BYTES];
    unsigned seed = 5;
    for (int round = 0; round < 200; round++) {
        for (size_t k = 0; k < ALL_BYTES; k++) {
            a[k] = (unsigned char)(next_random(&seed) % 4 == 0 ? next_random(&seed) : 0xff);
            b[k] = next_random(&seed) % 8 ? a[k] : (unsigned char)next_random(&seed);
        }
        for (size_t i = 0; i < MAX_N; i++)
            kernel_of(op, type)(single + i * type->size, a + i * type->size, b + i * type->size, 1);
        kernel_of(op, type)(out, a, b, MAX_N);
        assert_memory_equal(out, single, ALL_BYTES);
    }
}

static void vectors_are_elements_one_by_one(void **state)
{
    (void)state;
    for_each_type(check_any_bytes);
}

/* A vector whose last byte of data is the last byte that may be touched; give it back with unmap(). */
static unsigned char *vector_at_the_edge(size_t bytes, size_t page)
{
    unsigned char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    assert_int_equal(mprotect(memory + page, page, PROT_NONE), 0);
    return memory + page - bytes;
}

static void unmap(unsigned char *vector, size_t page)
{
    munmap((void *)((uintptr_t)vector / page * page), 2 * page);
}

static void check_edges(enum tf_op_index op, const struct reference_type *type)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), index_size = type->index == TF_DOUBLE ? 8 : 4;
    for (size_t n = 1; n <= 24; n++) {
        size_t bytes = is_pair(type) ? (n - 1) * type->size + type->index_offset + index_size : n * type->size;
        unsigned char *a = vector_at_the_edge(bytes, page), *b = vector_at_the_edge(bytes, page);
        unsigned char *dst = vector_at_the_edge(bytes, page);
        kernel_of(op, type)(dst, a, b, n);
        kernel_of(op, type)(b, a, b, n);
        unmap(a, page);
        unmap(b, page);
        unmap(dst, page);
    }
}

static void nothing_behind_the_last_element_is_touched(void **state)
{
    (void)state;
    for_each_type(check_edges);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_of_every_length),
        cmocka_unit_test(vectors_are_elements_one_by_one),
        cmocka_unit_test(nothing_behind_the_last_element_is_touched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
