/* test_binned.c - exact sums: the same bits in every order and grouping and at every level of vector instructions;
 * close to the true sum; right at the ends of the range.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "op/binned.h"
#include "op/op.h"

enum { MOST = 3000 };

static uint64_t seed = 88172645463325252u;

static uint64_t next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

/* A number with an exponent from low to high, of either sign. */
static double any_number(int low, int high)
{
    double x = 1 + (double)(next_random() >> 12) * 0x1p-52;
    int exponent = low + (int)(next_random() % (uint64_t)(high - low + 1));
    return ldexp(next_random() & 1 ? x : -x, exponent);
}

/* How the numbers of a set are drawn. */
static const struct kind {
    const char *name;
    int low, high;
    bool cancels; /* in pairs, but for a little */
} kinds[] = {
    {"alike", 0, 1, false},           {"some range", -30, 30, false},
    {"wide range", -300, 300, false}, {"whole range", -1074, 1023, false},
    {"cancelling", -40, 40, true},    {"subnormal", -1074, -1020, false},
    {"huge", 1000, 1023, false},      {"huge and cancelling", 990, 1023, true},
};

static void draw(double *x, size_t n, const struct kind *kind)
{
    for (size_t i = 0; i < n; i++) {
        x[i] = any_number(kind->low, kind->high);
        if (kind->cancels && i % 2)
            x[i] = -x[i - 1];
    }
    if (kind->cancels)
        x[0] += ldexp(1, kind->low);
}

static void shuffle(double *x, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = next_random() % i;
        double other = x[i - 1];
        x[i - 1] = x[j];
        x[j] = other;
    }
}

static struct tf_binned one_by_one(const double *x, size_t n)
{
    struct tf_binned sum = {0};
    for (size_t i = 0; i < n; i++)
        tf_binned_add(&sum, x[i]);
    return sum;
}

/* By a tree of random shape. */
static struct tf_binned by_tree(const double *x, size_t n)
{
    if (n <= 1)
        return one_by_one(x, n);
    size_t cut = 1 + next_random() % (n - 1);
    struct tf_binned left = by_tree(x, cut), right = by_tree(x + cut, n - cut), *first = &left, *second = &right;
    if (next_random() & 1)
        first = &right, second = &left;
    tf_binned_merge(first, second);
    return *first;
}

static const struct tf_binned_form doubles = {1, false};

static void any_order_gives_the_same_bytes(void **state)
{
    (void)state;
    static double x[MOST];
    for (size_t k = 0; k < TF_ARRAY_LEN(kinds); k++) {
        for (int turn = 0; turn < 40; turn++) {
            size_t n = 1 + next_random() % (turn < 20 ? 20 : MOST);
            draw(x, n, &kinds[k]);
            struct tf_binned wanted = one_by_one(x, n);
            for (int order = 0; order < 5; order++) {
                shuffle(x, n);
                struct tf_binned sum = one_by_one(x, n), tree = by_tree(x, n), all = {0};
                size_t cut = next_random() % (n + 1);
                tf_binned_add_all(&all, doubles, x, cut);
                tf_binned_add_all(&all, doubles, x + cut, n - cut);
                if (memcmp(&sum, &wanted, sizeof sum) || memcmp(&tree, &wanted, sizeof sum) ||
                    memcmp(&all, &wanted, sizeof sum))
                    fail_msg("%s: %zu numbers in another order give other bytes", kinds[k].name, n);
            }
        }
    }
}

static const char *const levels[] = {"sse2", "avx2", "avx512"};

static void vectors_give_the_bits_of_accumulators(void **state)
{
    (void)state;
    static double x[40][600], result[600];
    for (size_t level = 0; level < TF_ARRAY_LEN(levels); level++) {
        tf_op_setup(levels[level]);
        for (int turn = 0; turn < 300; turn++) {
            size_t n = 1 + next_random() % 600, vectors = 1 + next_random() % 20;
            const struct kind *kind = &kinds[(size_t)turn % TF_ARRAY_LEN(kinds)];
            for (size_t j = 0; j < vectors; j++)
                draw(x[j], n, kind);
            x[0][n / 2] = turn % 3 ? -0.0 : INFINITY;
            for (size_t j = 1; turn % 5 == 0 && j < vectors; j++)
                x[j][n / 2] = -0.0;
            tf_binned_combine(result, doubles, x, sizeof x[0], vectors, n);
            for (size_t i = 0; i < n; i++) {
                struct tf_binned sum = {0};
                for (size_t j = 0; j < vectors; j++)
                    tf_binned_add(&sum, x[j][i]);
                double wanted = tf_binned_value(&sum);
                if (memcmp(&wanted, &result[i], sizeof wanted))
                    fail_msg("%s, %s, %zu vectors: %a, not %a", levels[level], kind->name, vectors, result[i], wanted);
            }
        }
    }
    tf_op_setup("auto");
}

/* The true sum as a list of doubles that do not overlap, after Shewchuk, "Adaptive precision floating-point arithmetic
 * and fast robust geometric predicates", 1997; its last one is the sum rounded. */
static double true_sum(const double *x, size_t n)
{
    static double parts[MOST];
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        double rest = x[i];
        size_t kept = 0;
        for (size_t j = 0; j < count; j++) {
            double sum = rest + parts[j], virtual = sum - rest;
            double error = (rest - (sum - virtual)) + (parts[j] - virtual);
            if (error != 0)
                parts[kept++] = error;
            rest = sum;
        }
        parts[kept++] = rest;
        count = kept;
    }
    double sum = 0;
    for (size_t j = count; j-- > 0;)
        sum += parts[j]; /* from the largest: off by less than a unit of the last place */
    return sum;
}

static void sums_are_as_close_as_promised(void **state)
{
    (void)state;
    static double x[MOST];
    for (size_t k = 0; k < TF_ARRAY_LEN(kinds); k++) {
        for (int turn = 0; kinds[k].high < 1000 && turn < 60; turn++) {
            size_t n = 1 + next_random() % MOST;
            double most = 0;
            draw(x, n, &kinds[k]);
            shuffle(x, n);
            for (size_t i = 0; i < n; i++)
                most = fmax(most, fabs(x[i]));
            struct tf_binned sum = one_by_one(x, n);
            double value = tf_binned_value(&sum), wanted = true_sum(x, n);
            double ulp = nextafter(fabs(wanted), INFINITY) - fabs(wanted);
            double bound = 1.5 * ulp + ldexp((double)n, -80) * most;
            if (!(fabs(value - wanted) <= bound))
                fail_msg("%s, %zu numbers: %a, not %a; off by %g, more than %g", kinds[k].name, n, value, wanted,
                         value - wanted, bound);
        }
    }
}

static double sum_of(size_t n, const double *x)
{
    struct tf_binned sum = one_by_one(x, n);
    return tf_binned_value(&sum);
}

#define SUM(...) sum_of(sizeof(double[]){__VA_ARGS__} / sizeof(double), (double[]){__VA_ARGS__})

static void assert_bits(double value, double wanted)
{
    if (memcmp(&value, &wanted, sizeof value))
        fail_msg("%a, not %a", value, wanted);
}

static void special_numbers(void **state)
{
    (void)state;
    const double tiny = 0x1p-1074;
    assert_bits(sum_of(0, NULL), 0.0);
    assert_bits(SUM(-0.0), -0.0);
    assert_bits(SUM(-0.0, -0.0), -0.0);
    assert_bits(SUM(-0.0, 0.0), 0.0);
    assert_bits(SUM(1, -1), 0.0);
    assert_bits(SUM(-0.0, 1, -1), 0.0);
    assert_bits(SUM(INFINITY, 1), INFINITY);
    assert_bits(SUM(-DBL_MAX, -INFINITY), -INFINITY);
    assert_bits(SUM(INFINITY, -INFINITY), NAN);
    assert_bits(SUM(1, NAN, 2), NAN);
    assert_bits(SUM(-NAN, INFINITY), NAN);
    assert_bits(SUM(DBL_MAX, DBL_MAX), INFINITY);
    assert_bits(SUM(DBL_MAX, DBL_MAX, -DBL_MAX), DBL_MAX);
    assert_bits(SUM(-DBL_MAX, DBL_MAX, 1, -1, -DBL_MAX), -DBL_MAX);
    assert_bits(SUM(DBL_MAX, 0x1p969), DBL_MAX);
    assert_bits(SUM(DBL_MAX, 0x1p970), INFINITY);
    assert_bits(SUM(tiny), tiny);
    assert_bits(SUM(tiny, tiny, -tiny), tiny);
    assert_bits(SUM(DBL_MIN, -tiny), DBL_MIN - tiny);
    assert_bits(SUM(0x1p-1000, tiny, -0x1p-1000), tiny);
    assert_bits(SUM(1e300, 1, -1e300), 0.0); /* beyond the three bins */
    assert_bits(SUM(1e16, 1, -1e16), 1.0);
    assert_bits(SUM(0x1p70, 1, 0x1p17), 0x1p70 + 0x1p18); /* a tie, but for the 1 */
    assert_bits(SUM(0.1, 0.2, 0.3, -0.1, -0.2, -0.3), 0.0);
}

/* What would overflow 64 bits of a digit: as 2^30 numbers each. */
static void many_numbers(void **state)
{
    (void)state;
    struct tf_binned sum = {0};
    tf_binned_add(&sum, -0x1.fffffffffffffp44);
    for (int i = 0; i < 40; i++) {
        struct tf_binned twice = sum;
        tf_binned_merge(&twice, &sum);
        assert_bits(tf_binned_value(&twice), 2 * tf_binned_value(&sum));
        sum = twice;
    }
    assert_bits(tf_binned_value(&sum), -0x1.fffffffffffffp84);
    for (int i = 0; i < 6; i++) {
        struct tf_binned twice = sum;
        tf_binned_merge(&twice, &sum);
        sum = twice;
    }
    assert_true(isnan(tf_binned_value(&sum))); /* more numbers than there is room for */
}

static void floats_and_complex(void **state)
{
    (void)state;
    const float x[3][4] = {{1e10f, 1, -0.0f, FLT_MAX}, {1, 0x1p-60f, -0.0f, FLT_MAX}, {-1e10f, -1, -0.0f, -FLT_MAX}};
    const float wanted[4] = {1, 0x1p-60f, -0.0f, FLT_MAX};
    struct tf_binned sums[4], next[4];
    float result[4];
    tf_binned_from(sums, tf_binned_form(TF_COMPLEX_FLOAT), x[0], 2);
    for (int j = 1; j < 3; j++) {
        tf_binned_from(next, tf_binned_form(TF_FLOAT), x[j], 4);
        tf_binned_kernel(sums, sums, next, 4);
    }
    tf_binned_to(result, tf_binned_form(TF_FLOAT), sums, 4);
    assert_memory_equal(result, wanted, sizeof wanted);
    tf_binned_combine(result, tf_binned_form(TF_COMPLEX_FLOAT), x, sizeof x[0], 3, 2);
    assert_memory_equal(result, wanted, sizeof wanted);
    struct tf_binned both[2] = {{0}};
    tf_binned_add_all(both, tf_binned_form(TF_COMPLEX_FLOAT), x, 6);
    assert_bits(tf_binned_value(&both[0]), 1);
    assert_bits(tf_binned_value(&both[1]), (double)FLT_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order_gives_the_same_bytes),
        cmocka_unit_test(vectors_give_the_bits_of_accumulators),
        cmocka_unit_test(sums_are_as_close_as_promised),
        cmocka_unit_test(special_numbers),
        cmocka_unit_test(many_numbers),
        cmocka_unit_test(floats_and_complex),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
