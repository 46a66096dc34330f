/* test_external32.c - external32 against known bytes: each predefined datatype, long double against the compiler's own
 * conversion, vectors of all lengths and alignments, structures, what does not fit.
 */
#include "../../numbers.h"
#include "types.h"

#include <wchar.h>

enum { MOST = 64 };

static MPI_Count size_of(MPI_Count count, struct tf_type *type)
{
    MPI_Count size = -1;
    assert_int_equal(tf_pack_external_size("external32", count, type, &size), MPI_SUCCESS);
    return size;
}

/* Packs at a position in the middle, and writes nothing beside. */
static void pack(const void *in, MPI_Count count, struct tf_type *type, unsigned char *out, MPI_Count size)
{
    unsigned char *room = malloc(size + 14);
    MPI_Count position = 7;
    memset(room, 0x5a, size + 14);
    assert_int_equal(tf_pack_external("external32", in, count, type, room, 7 + size, &position), MPI_SUCCESS);
    assert_int_equal(position, 7 + size);
    for (int i = 0; i < 7; i++) {
        assert_int_equal(room[i], 0x5a);
        assert_int_equal(room[7 + size + i], 0x5a);
    }
    memcpy(out, room + 7, size);
    free(room);
}

static void unpack(const unsigned char *in, MPI_Count size, void *out, MPI_Count count, struct tf_type *type)
{
    MPI_Count position = 0;
    assert_int_equal(tf_unpack_external("external32", in, size, &position, out, count, type), MPI_SUCCESS);
    assert_int_equal(position, size);
}

/* Every predefined datatype with a value and its bytes (MPI-5.0, tables of section 14.5.2). */
#define VALUE(T, ...) &(T){__VA_ARGS__}, sizeof(T)
#define BYTES(...)                                                                                                     \
    sizeof((unsigned char[]){__VA_ARGS__}), (const unsigned char[])                                                    \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define ZEROS6 0, 0, 0, 0, 0, 0
#define ZEROS12 ZEROS6, ZEROS6
#define WIDE(high, low) ((__int128)(high) << 64 | (low))
typedef struct {
    float re, im;
} complex_float;
typedef struct {
    double re, im;
} complex_double;
typedef struct {
    long double re, im;
} complex_long_double;
typedef struct {
    uint16_t re, im;
} complex_half;
typedef struct {
    quad re, im;
} complex_quad;
typedef struct {
    float value;
    int index;
} float_int;
typedef struct {
    double value;
    int index;
} double_int;
typedef struct {
    long value;
    int index;
} long_int;
typedef struct {
    int value, index;
} int_int;
typedef struct {
    short value;
    int index;
} short_int;
typedef struct {
    long double value;
    int index;
} long_double_int;

static const struct known {
    MPI_Datatype type;
    const void *value;
    size_t size;
    MPI_Count external;
    const unsigned char *bytes;
} known[] = {
    {MPI_PACKED, VALUE(unsigned char, 0xab), BYTES(0xab)},
    {MPI_BYTE, VALUE(unsigned char, 0xab), BYTES(0xab)},
    {MPI_CHAR, VALUE(char, 'x'), BYTES('x')},
    {MPI_UNSIGNED_CHAR, VALUE(unsigned char, 200), BYTES(200)},
    {MPI_SIGNED_CHAR, VALUE(signed char, -2), BYTES(0xfe)},
    {MPI_WCHAR, VALUE(wchar_t, 0x20ac), BYTES(0x20, 0xac)},
    {MPI_SHORT, VALUE(short, -2), BYTES(0xff, 0xfe)},
    {MPI_UNSIGNED_SHORT, VALUE(unsigned short, 0x1234), BYTES(0x12, 0x34)},
    {MPI_INT, VALUE(int, -30), BYTES(0xff, 0xff, 0xff, 0xe2)},
    {MPI_LONG, VALUE(long, -30), BYTES(0xff, 0xff, 0xff, 0xe2)},
    {MPI_UNSIGNED, VALUE(unsigned, 0x12345678), BYTES(0x12, 0x34, 0x56, 0x78)},
    {MPI_UNSIGNED_LONG, VALUE(unsigned long, 0xfedcba98), BYTES(0xfe, 0xdc, 0xba, 0x98)},
    {MPI_LONG_LONG_INT, VALUE(long long, -2), BYTES(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe)},
    {MPI_UNSIGNED_LONG_LONG, VALUE(unsigned long long, 0x0123456789abcdef),
     BYTES(0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef)},
    {MPI_FLOAT, VALUE(float, 1.5f), BYTES(0x3f, 0xc0, 0, 0)},
    {MPI_DOUBLE, VALUE(double, 16.25), BYTES(0x40, 0x30, 0x40, 0, 0, 0, 0, 0)},
    {MPI_LONG_DOUBLE, VALUE(long double, -1.5L), BYTES(0xbf, 0xff, 0x80, 0, ZEROS12)},
    {MPI_C_BOOL, VALUE(_Bool, 1), BYTES(1)},
    {MPI_INT8_T, VALUE(int8_t, -2), BYTES(0xfe)},
    {MPI_INT16_T, VALUE(int16_t, 0x1234), BYTES(0x12, 0x34)},
    {MPI_INT32_T, VALUE(int32_t, 0x12345678), BYTES(0x12, 0x34, 0x56, 0x78)},
    {MPI_INT64_T, VALUE(int64_t, 0x12345678), BYTES(0, 0, 0, 0, 0x12, 0x34, 0x56, 0x78)},
    {MPI_UINT8_T, VALUE(uint8_t, 0xfe), BYTES(0xfe)},
    {MPI_UINT16_T, VALUE(uint16_t, 0xfedc), BYTES(0xfe, 0xdc)},
    {MPI_UINT32_T, VALUE(uint32_t, 0xfedcba98), BYTES(0xfe, 0xdc, 0xba, 0x98)},
    {MPI_UINT64_T, VALUE(uint64_t, 0xfedcba9876543210), BYTES(0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10)},
    {MPI_AINT, VALUE(MPI_Aint, 0x1234567890), BYTES(0, 0, 0, 0x12, 0x34, 0x56, 0x78, 0x90)},
    {MPI_COUNT, VALUE(MPI_Count, -1), BYTES(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)},
    {MPI_OFFSET, VALUE(MPI_Offset, 1), BYTES(0, 0, 0, 0, 0, 0, 0, 1)},
    {MPI_C_COMPLEX, VALUE(complex_float, 1, -2), BYTES(0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0)},
    {MPI_C_DOUBLE_COMPLEX, VALUE(complex_double, 1, -2), BYTES(0x3f, 0xf0, ZEROS6, 0xc0, 0, ZEROS6)},
    {MPI_C_LONG_DOUBLE_COMPLEX, VALUE(complex_long_double, 1, -2),
     BYTES(0x3f, 0xff, 0, 0, ZEROS12, 0xc0, 0, 0, 0, ZEROS12)},
    {MPI_CHARACTER, VALUE(char, 'x'), BYTES('x')},
    {MPI_LOGICAL, VALUE(int, 1), BYTES(0, 0, 0, 1)},
    {MPI_INTEGER, VALUE(int, 0x12345678), BYTES(0x12, 0x34, 0x56, 0x78)},
    {MPI_REAL, VALUE(float, 1.5f), BYTES(0x3f, 0xc0, 0, 0)},
    {MPI_DOUBLE_PRECISION, VALUE(double, 16.25), BYTES(0x40, 0x30, 0x40, 0, 0, 0, 0, 0)},
    {MPI_COMPLEX, VALUE(complex_float, 1, -2), BYTES(0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0)},
    {MPI_DOUBLE_COMPLEX, VALUE(complex_double, 1, -2), BYTES(0x3f, 0xf0, ZEROS6, 0xc0, 0, ZEROS6)},
    {MPI_CXX_BOOL, VALUE(_Bool, 1), BYTES(1)},
    {MPI_CXX_FLOAT_COMPLEX, VALUE(complex_float, 1, -2), BYTES(0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0)},
    {MPI_CXX_DOUBLE_COMPLEX, VALUE(complex_double, 1, -2), BYTES(0x3f, 0xf0, ZEROS6, 0xc0, 0, ZEROS6)},
    {MPI_CXX_LONG_DOUBLE_COMPLEX, VALUE(complex_long_double, 1, -2),
     BYTES(0x3f, 0xff, 0, 0, ZEROS12, 0xc0, 0, 0, 0, ZEROS12)},
    {MPI_LOGICAL1, VALUE(int8_t, 1), BYTES(1)},
    {MPI_LOGICAL2, VALUE(int16_t, 1), BYTES(0, 1)},
    {MPI_LOGICAL4, VALUE(int32_t, 1), BYTES(0, 0, 0, 1)},
    {MPI_LOGICAL8, VALUE(int64_t, 1), BYTES(0, ZEROS6, 1)},
    {MPI_LOGICAL16, VALUE(__int128, 1), BYTES(0, 0, 0, ZEROS12, 1)},
    {MPI_INTEGER1, VALUE(int8_t, -2), BYTES(0xfe)},
    {MPI_INTEGER2, VALUE(int16_t, 0x1234), BYTES(0x12, 0x34)},
    {MPI_INTEGER4, VALUE(int32_t, 0x12345678), BYTES(0x12, 0x34, 0x56, 0x78)},
    {MPI_INTEGER8, VALUE(int64_t, 0x1234567890), BYTES(0, 0, 0, 0x12, 0x34, 0x56, 0x78, 0x90)},
    {MPI_INTEGER16, VALUE(__int128, WIDE(0x0102, 0x030405060708090a)), BYTES(ZEROS6, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)},
    {MPI_REAL2, VALUE(uint16_t, 0x3e00), BYTES(0x3e, 0)}, /* 1.5 */
    {MPI_REAL4, VALUE(float, 1.5f), BYTES(0x3f, 0xc0, 0, 0)},
    {MPI_REAL8, VALUE(double, 16.25), BYTES(0x40, 0x30, 0x40, 0, 0, 0, 0, 0)},
    {MPI_REAL16, VALUE(quad, -1.5), BYTES(0xbf, 0xff, 0x80, 0, ZEROS12)},
    {MPI_COMPLEX4, VALUE(complex_half, 0x3e00, 0xc000), BYTES(0x3e, 0, 0xc0, 0)},
    {MPI_COMPLEX8, VALUE(complex_float, 1, -2), BYTES(0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0)},
    {MPI_COMPLEX16, VALUE(complex_double, 1, -2), BYTES(0x3f, 0xf0, ZEROS6, 0xc0, 0, ZEROS6)},
    {MPI_COMPLEX32, VALUE(complex_quad, 1, -2), BYTES(0x3f, 0xff, 0, 0, ZEROS12, 0xc0, 0, 0, 0, ZEROS12)},
    {MPI_FLOAT_INT, VALUE(float_int, 1.5f, 3), BYTES(0x3f, 0xc0, 0, 0, 0, 0, 0, 3)},
    {MPI_DOUBLE_INT, VALUE(double_int, 16.25, 3), BYTES(0x40, 0x30, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 3)},
    {MPI_LONG_INT, VALUE(long_int, -2, 3), BYTES(0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 3)},
    {MPI_2INT, VALUE(int_int, -2, 3), BYTES(0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 3)},
    {MPI_SHORT_INT, VALUE(short_int, -2, 3), BYTES(0xff, 0xfe, 0, 0, 0, 3)},
    {MPI_LONG_DOUBLE_INT, VALUE(long_double_int, -1.5L, 3), BYTES(0xbf, 0xff, 0x80, 0, ZEROS12, 0, 0, 0, 3)},
    {MPI_2REAL, VALUE(complex_float, 1, -2), BYTES(0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0)},
    {MPI_2DOUBLE_PRECISION, VALUE(complex_double, 1, -2), BYTES(0x3f, 0xf0, ZEROS6, 0xc0, 0, ZEROS6)},
    {MPI_2INTEGER, VALUE(int_int, -2, 3), BYTES(0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 3)},
};

/* Elements in a row, of any length and alignment; and each second one of them. */
static void check_known(const struct known *k)
{
    struct tf_type *type = find(k->type), *second = commit(vector(5, 1, 2, type));
    char *memory = malloc(MOST * k->size + 8), *back = malloc(MOST * k->size + 8);
    unsigned char stream[MOST * 32];
    assert_int_equal(size_of(1, type), k->external);
    for (int n = 0; n < MOST; n++) {
        char *at = memory + n % 8, *there = back + n % 8;
        for (int i = 0; i < n; i++)
            memcpy(at + i * k->size, k->value, k->size);
        memset(back, 0, MOST * k->size);
        pack(at, n, type, stream, n * k->external);
        unpack(stream, n * k->external, there, n, type);
        for (int i = 0; i < n; i++) {
            assert_memory_equal(stream + i * k->external, k->bytes, k->external);
            assert_memory_equal(there + i * k->size, k->value, type->size < 10 ? (size_t)type->true_extent : 10);
        }
    }
    pack(memory + (MOST - 1) % 8, 3, second, stream, 15 * k->external);
    for (int i = 0; i < 15; i++)
        assert_memory_equal(stream + i * k->external, k->bytes, k->external);
    free(memory);
    free(back);
    release(second);
}

static void test_known(void **state)
{
    (void)state;
    int predefined = 0;
    for (size_t i = 0; i < TF_ARRAY_LEN(known); i++)
        check_known(&known[i]);
    for (uintptr_t handle = 512; handle < 1024; handle++) {
        struct tf_type *type = tf_type_find((MPI_Datatype)handle);
        predefined += type && type->size > 0;
    }
    assert_int_equal(predefined, TF_ARRAY_LEN(known));
}

/* Unpacking takes any value that is not 0 for true. */
static void test_truth(void **state)
{
    (void)state;
    int in[] = {0, 1, -1, 256}, out[4];
    unsigned char stream[16], foreign[] = {0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0, 0, 2, 0};
    pack(in, 4, find(MPI_LOGICAL), stream, 16);
    assert_memory_equal(stream, ((unsigned char[]){0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}), 16);
    unpack(foreign, 16, out, 4, find(MPI_LOGICAL));
    assert_memory_equal(out, ((int[]){0, 1, 1, 1}), sizeof out);
    unsigned char bools[4];
    unpack((unsigned char[]){0, 1, 255, 16}, 4, bools, 4, find(MPI_C_BOOL));
    assert_memory_equal(bools, ((unsigned char[]){0, 1, 1, 1}), 4);
}

/* ---- long double ---- */

static void reverse(unsigned char *bytes, const void *from)
{
    for (int i = 0; i < 16; i++)
        bytes[i] = ((const unsigned char *)from)[15 - i];
}

/* The compiler's conversion agrees in both directions, rounded or not. */
static void check_quad(quad x)
{
    unsigned char stream[16], want[16];
    long double there, expected = (long double)x;
    reverse(stream, &x);
    unpack(stream, 16, &there, 1, find(MPI_LONG_DOUBLE));
    assert_memory_equal(&there, &expected, LDBL_MANT_DIG == 64 ? 10 : 16);
    x = expected;
    pack(&expected, 1, find(MPI_LONG_DOUBLE), stream, 16);
    reverse(want, &x);
    assert_memory_equal(stream, want, 16);
}

static quad quad_of(uint64_t high, uint64_t low)
{
    unsigned __int128 bits = (unsigned __int128)high << 64 | low;
    quad x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void test_long_double(void **state)
{
    (void)state;
    const uint64_t exponents[] = {0, 1, 2, 0x3fff, 0x4000, 0x7ffd, 0x7ffe};
    const uint64_t high[] = {0, 1, 0x7fffffffffff, 0x800000000000, 0xffffffffffff, 0x123456789abc};
    const uint64_t low[] = {0,
                            1,
                            0xffffffffffff,
                            0x1000000000000, /* half of the last bit that stays */
                            0x1000000000001,
                            0x2000000000000,
                            0x3000000000000,
                            0xfffeffffffffffff,
                            0xffff000000000000,
                            UINT64_MAX};
    for (size_t e = 0; e < TF_ARRAY_LEN(exponents); e++)
        for (size_t h = 0; h < TF_ARRAY_LEN(high); h++)
            for (size_t l = 0; l < TF_ARRAY_LEN(low); l++)
                for (uint64_t sign = 0; sign < 2; sign++)
                    check_quad(quad_of(sign << 63 | exponents[e] << 48 | high[h], low[l]));
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        uint64_t bits[2];
        for (int k = 0; k < 2; k++)
            seed = seed * 6364136223846793005u + 1442695040888963407u, bits[k] = seed ^ seed >> 29;
        if ((bits[0] >> 48 & 0x7fff) != 0x7fff)
            check_quad(quad_of(bits[0], bits[1]));
    }
    check_quad(__builtin_inf());
    check_quad(-__builtin_inf());
}

/* What is no number stays none, whatever the bits behind it; numbers that no processor writes are taken as x86 takes
 * them. */
static void test_odd_long_double(void **state)
{
    (void)state;
    unsigned char stream[16], quiet[16] = {0x7f, 0xff, 0x80}, trapping[16] = {0xff, 0xff, [15] = 1};
    long double got, nan = __builtin_nanl("");
    pack(&nan, 1, find(MPI_LONG_DOUBLE), stream, 16);
    assert_memory_equal(stream, quiet, 16);
    unpack(quiet, 16, &got, 1, find(MPI_LONG_DOUBLE));
    assert_true(isnan(got) && !signbit(got));
    unpack(trapping, 16, &got, 1, find(MPI_LONG_DOUBLE));
    assert_true(isnan(got) && signbit(got));

#if LDBL_MANT_DIG == 64
    struct {
        uint64_t fraction;
        uint64_t head;
    } not_normal = {0x123456789abcdef, 0x4000}, pseudo = {0x8000000000000001, 0};
    pack(&not_normal, 1, find(MPI_LONG_DOUBLE), stream, 16);
    assert_int_equal(stream[0] << 8 | stream[1], 0x7fff);
    assert_true(stream[2] & 0x80);
    pack(&pseudo, 1, find(MPI_LONG_DOUBLE), stream, 16);
    assert_int_equal(stream[0] << 8 | stream[1], 1);
    unpack(stream, 16, &got, 1, find(MPI_LONG_DOUBLE));
    assert_true(got == 0x1p-16382L + 0x1p-16445L);
#endif
}

/* ---- derived datatypes ---- */

struct record {
    char name[3];
    long number;
    double values[2];
    long_double_int best;
    wchar_t initial;
};

static struct tf_type *record_type(void)
{
    const MPI_Datatype types[] = {MPI_CHAR, MPI_LONG, MPI_DOUBLE, MPI_LONG_DOUBLE_INT, MPI_WCHAR};
    struct tf_type *all =
        structure(5, INTS(3, 1, 2, 1, 1),
                  LARGE(offsetof(struct record, name), offsetof(struct record, number), offsetof(struct record, values),
                        offsetof(struct record, best), offsetof(struct record, initial)),
                  types);
    struct tf_type *type = commit(resized(all, 0, sizeof(struct record)));
    release(all);
    return type;
}

static const unsigned char record_bytes[] = {'a',  'b',     'c',  0xff, 0xff,   0xff, 0xf9, 0x3f,
                                             0xf0, ZEROS6,  0xc0, 0,    ZEROS6, 0x40, 0,    0x80,
                                             0,    ZEROS12, 0,    0,    0,      9,    0,    'Z'};

static void test_record(void **state)
{
    (void)state;
    struct tf_type *type = record_type(), *spread = commit(vector(2, 1, 3, type));
    const struct record one = {{'a', 'b', 'c'}, -7, {1, -2}, {3, 9}, L'Z'};
    struct record in[8], out[8];
    unsigned char stream[4 * sizeof record_bytes];
    for (int i = 0; i < 8; i++)
        in[i] = one;
    assert_int_equal(size_of(1, type), sizeof record_bytes);
    assert_int_equal(size_of(2, spread), sizeof stream);
    pack(in, 2, spread, stream, sizeof stream);
    for (int i = 0; i < 4; i++)
        assert_memory_equal(stream + i * sizeof record_bytes, record_bytes, sizeof record_bytes);

    memset(out, 0x77, sizeof out);
    unpack(stream, sizeof stream, out, 2, spread);
    for (int i = 0; i < 8; i++) {
        bool there = i == 0 || i == 3 || i == 4 || i == 7;
        assert_int_equal(out[i].number == -7 && out[i].values[1] == -2 && out[i].best.index == 9, there);
        assert_int_equal(out[i].name[2] == 'c' && out[i].best.value == 3 && out[i].initial == L'Z', there);
    }
    release(spread);
    release(type);
}

/* As many as are converted in several goes, with fields of few elements and of more. */
static void test_array_of_structures(void **state)
{
    enum { MOST = 70, FIELD = 9 };
    struct part {
        short few[3];
        double more[FIELD];
        int last;
    };
    (void)state;
    const MPI_Datatype types[] = {MPI_SHORT, MPI_DOUBLE, MPI_INT};
    struct tf_type *all =
        structure(3, INTS(3, FIELD, 1),
                  LARGE(offsetof(struct part, few), offsetof(struct part, more), offsetof(struct part, last)), types);
    struct tf_type *type = commit(resized(all, 0, sizeof(struct part)));
    struct part in[MOST], out[MOST];
    unsigned char stream[MOST * sizeof(struct part)], one[sizeof(struct part)];
    memset(in, 0, sizeof in);
    for (int i = 0; i < MOST; i++) {
        for (int k = 0; k < FIELD; k++)
            in[i].more[k] = i + k / 16.0;
        memcpy(in[i].few, (short[]){(short)i, (short)-i, (short)(256 * i)}, sizeof in[i].few);
        in[i].last = 1000 * i;
    }
    for (int n = 0; n <= MOST; n++) {
        MPI_Count width = size_of(1, type);
        pack(in, n, type, stream, n * width);
        for (int i = 0; i < n; i++) {
            pack(in[i].few, 3, find(MPI_SHORT), one, 6);
            pack(in[i].more, FIELD, find(MPI_DOUBLE), one + 6, 8 * FIELD);
            pack(&in[i].last, 1, find(MPI_INT), one + 6 + 8 * FIELD, 4);
            assert_memory_equal(stream + i * width, one, width);
        }
        memset(out, 0, sizeof out);
        unpack(stream, n * width, out, n, type);
        assert_memory_equal(out, in, (size_t)n * sizeof *in);
    }
    release(type);
    release(all);
}

/* Shorts and doubles by turns, more and more of them, alone and within another structure. */
static void test_many_fields(void **state)
{
    enum { MOST = 80, COUNT = 3 };
    (void)state;
    for (int n = 2; n <= MOST; n++) {
        int ones[MOST];
        MPI_Count at[MOST];
        MPI_Datatype types[MOST];
        char in[COUNT * 16 * MOST] = {0}, out[COUNT * 16 * MOST] = {0};
        unsigned char stream[COUNT * 16 * MOST], one[8];
        for (int i = 0; i < n; i++) {
            ones[i] = 1;
            at[i] = 16 * (n - 1 - i);
            types[i] = i % 2 ? MPI_DOUBLE : MPI_SHORT;
        }
        struct tf_type *all = structure(n, (struct tf_counts){ones, false}, (struct tf_counts){at, true}, types);
        struct tf_type *fields = resized(all, 0, 16 * n);
        struct tf_type *type = commit(structure(2, INTS(COUNT - 1, 1), LARGE(16 * n, 0),
                                                ((const MPI_Datatype[]){handle_of(fields), handle_of(fields)})));
        for (int k = 0; k < COUNT; k++)
            for (int i = 0; i < n; i++) {
                short small = (short)(100 * k + i + 1);
                double large = 1000 * k + i + 0.5;
                memcpy(in + 16 * n * k + at[i], i % 2 ? (void *)&large : &small, i % 2 ? sizeof large : sizeof small);
            }
        MPI_Count size = size_of(1, type), position = 0;
        pack(in, 1, type, stream, size);
        for (int k = 0; k < COUNT; k++)
            for (int i = 0; i < n; i++) {
                MPI_Count bytes = i % 2 ? 8 : 2;
                pack(in + 16 * n * ((k + 1) % COUNT) + at[i], 1, find(types[i]), one, bytes);
                assert_memory_equal(stream + position, one, bytes);
                position += bytes;
            }
        assert_int_equal(position, size);
        unpack(stream, size, out, 1, type);
        assert_memory_equal(out, in, sizeof in);
        release(type);
        release(fields);
        release(all);
    }
}

/* The sizes of Fortran's parameterized types (section 19.1.9), and of what holds no data. */
static void test_sizes(void **state)
{
    (void)state;
    const int digits[][2] = {{2, 1}, {4, 2}, {9, 4}, {10, 8}, {18, 8}, {19, 16}};
    for (size_t i = 0; i < TF_ARRAY_LEN(digits); i++)
        assert_int_equal(size_of(3, MAKE(tf_type_create_f90_integer, digits[i][0], &made_)), 3 * digits[i][1]);
    const int reals[][3] = {{6, 37, 4},    {7, 37, 8},     {6, 38, 8}, {15, 307, 8},
                            {16, 307, 16}, {18, 4931, 16}, {33, 1, 16}};
    for (size_t i = 0; i < TF_ARRAY_LEN(reals); i++) {
        assert_int_equal(size_of(1, MAKE(tf_type_create_f90_real, reals[i][0], reals[i][1], &made_)), reals[i][2]);
        assert_int_equal(size_of(1, MAKE(tf_type_create_f90_complex, reals[i][0], reals[i][1], &made_)),
                         2 * reals[i][2]);
    }
    struct tf_type *empty = commit(contiguous(0, find(MPI_LONG))), *longs = commit(contiguous(5, find(MPI_LONG)));
    assert_int_equal(size_of(7, empty), 0);
    assert_int_equal(size_of(0, find(MPI_LONG)), 0);
    assert_int_equal(size_of((MPI_Count)1 << 55, longs), 20 * ((MPI_Count)1 << 55));
    release(empty);
    release(longs);
}

/* ---- errors ---- */

static void test_beyond(void **state)
{
    (void)state;
    long in[] = {1, INT32_MAX, INT32_MIN, 4294967296};
    unsigned long plain[] = {4294967295, 18446744073709551615u};
    wchar_t wide[] = {0xffff, 0x1f600};
    unsigned char stream[16];
    MPI_Count position = 0;
    pack(in, 3, find(MPI_LONG), stream, 12);
    pack(plain, 1, find(MPI_UNSIGNED_LONG), stream, 4);
    pack(wide, 1, find(MPI_WCHAR), stream, 2);
    CHECK_ERROR(MPI_ERR_CONVERSION, "an element of MPI_LONG is 4294967296; external32 has 4 bytes for it",
                tf_pack_external("external32", in, 4, find(MPI_LONG), stream, 16, &position));
    CHECK_ERROR(MPI_ERR_CONVERSION, "MPI_UNSIGNED_LONG is 18446744073709551615",
                tf_pack_external("external32", plain, 2, find(MPI_UNSIGNED_LONG), stream, 16, &position));
    CHECK_ERROR(MPI_ERR_CONVERSION, "MPI_WCHAR is U+1F600; external32 has 2 bytes",
                tf_pack_external("external32", wide, 2, find(MPI_WCHAR), stream, 16, &position));
    assert_int_equal(position, 0);
}

static void test_refused(void **state)
{
    (void)state;
    int in[4] = {0};
    unsigned char stream[16];
    MPI_Count position = 3, size = 5;
    struct tf_type *type = find(MPI_INT);
    CHECK_ERROR(MPI_ERR_UNSUPPORTED_DATAREP, "datarep is \"native\"; it must be \"external32\"",
                tf_pack_external("native", in, 1, type, stream, 16, &position));
    CHECK_ERROR(MPI_ERR_UNSUPPORTED_DATAREP, "datarep is \"\"",
                tf_unpack_external("", stream, 16, &position, in, 1, type));
    CHECK_ERROR(MPI_ERR_UNSUPPORTED_DATAREP, "external64", tf_pack_external_size("external64", 1, type, &size));
    CHECK_ERROR(MPI_ERR_TRUNCATE, "outsize is 16; 16 bytes from position 3 on do not fit",
                tf_pack_external("external32", in, 4, type, stream, 16, &position));
    CHECK_ERROR(MPI_ERR_TRUNCATE, "insize is 6; 4 bytes from position 3 on",
                tf_unpack_external("external32", stream, 6, &position, in, 1, type));
    CHECK_ERROR(MPI_ERR_COUNT, "incount is -1", tf_pack_external_size("external32", -1, type, &size));
    CHECK_ERROR(MPI_ERR_COUNT, "do not fit 64 bits", tf_pack_external_size("external32", INT64_MAX, type, &size));
    assert_int_equal(position, 3);
    assert_int_equal(size, 5);
    position = -1;
    CHECK_ERROR(MPI_ERR_ARG, "position is -1; it must be between 0 and outsize, which is 16",
                tf_pack_external("external32", in, 1, type, stream, 16, &position));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_known, pool_is_empty),
        cmocka_unit_test_teardown(test_truth, pool_is_empty),
        cmocka_unit_test_teardown(test_long_double, pool_is_empty),
        cmocka_unit_test_teardown(test_odd_long_double, pool_is_empty),
        cmocka_unit_test_teardown(test_record, pool_is_empty),
        cmocka_unit_test_teardown(test_array_of_structures, pool_is_empty),
        cmocka_unit_test_teardown(test_many_fields, pool_is_empty),
        cmocka_unit_test_teardown(test_beyond, pool_is_empty),
        cmocka_unit_test_teardown(test_refused, pool_is_empty),
        cmocka_unit_test(test_sizes), /* Fortran's parameterized datatypes are never freed */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
