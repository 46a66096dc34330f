/* operators SECONDS OPERATORS BYTES ... - times MPI_Reduce_local: every predefined operator on every class of elements;
 * MPI calls only.  OPERATORS is "all", or names between commas: ",SUM,MAXLOC,".
 *
 * Each block of calls follows a block of MPI_SUM on as many bytes of doubles in the same memory, so that the two share
 * whatever else the machine does.  A line of JSON for each operator, element and size has the medians of both.  Time is
 * that of the processor.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common.h"

/* A library that does not know an optional datatype has no such macro, or a null handle. */
#ifndef MPI_REAL2
#define MPI_REAL2 MPI_DATATYPE_NULL
#endif
#ifndef MPI_COMPLEX4
#define MPI_COMPLEX4 MPI_DATATYPE_NULL
#endif
#ifndef MPI_LOGICAL1
#define MPI_LOGICAL1 MPI_DATATYPE_NULL
#endif
#ifndef MPI_LOGICAL8
#define MPI_LOGICAL8 MPI_DATATYPE_NULL
#endif

struct element {
    const char *name;
    MPI_Datatype type;
    size_t extent;
    void (*fill)(void *at, size_t i);
};

/* Ones, whose products and sums stay far from infinity. */
#define NUMBER(ctype)                                                                                                  \
    static void fill_##ctype(void *at, size_t i)                                                                       \
    {                                                                                                                  \
        ctype one = 1;                                                                                                 \
        memcpy((char *)at + i * sizeof one, &one, sizeof one);                                                         \
    }
/* Few values, so that many are equal, and indices in no order. */
#define PAIR(name, value_type, index_type)                                                                             \
    struct name {                                                                                                      \
        value_type value;                                                                                              \
        index_type index;                                                                                              \
    };                                                                                                                 \
    static void fill_##name(void *at, size_t i)                                                                        \
    {                                                                                                                  \
        struct name *pair = (struct name *)at + i;                                                                     \
        pair->value = (value_type)(i * 2654435761u % 7);                                                               \
        pair->index = (index_type)(i * 40503u % 11);                                                                   \
    }
typedef long double long_double;
typedef float _Complex complex_float;
typedef double _Complex complex_double;
typedef uint16_t half; /* its bits */
typedef struct {
    half re, im;
} complex_half;
NUMBER(int8_t)
NUMBER(int16_t)
NUMBER(int32_t)
NUMBER(int64_t)
NUMBER(float)
NUMBER(double)
NUMBER(long_double)
NUMBER(complex_float)
NUMBER(complex_double)
enum { ONE = 15 << 10 };
static void fill_half(void *at, size_t i)
{
    ((half *)at)[i] = ONE;
}
static void fill_complex_half(void *at, size_t i)
{
    ((complex_half *)at)[i] = (complex_half){ONE, 0};
}
PAIR(float_int, float, int)
PAIR(double_int, double, int)
PAIR(long_int, long, int)
PAIR(int_int, int, int)
PAIR(short_int, short, int)
PAIR(long_double_int, long double, int)
PAIR(float_float, float, float)
PAIR(double_double, double, double)

enum { MOST_ELEMENTS = 16 };

#define IS(handle, ctype)                                                                                              \
    {                                                                                                                  \
#handle + 4, handle, sizeof(ctype), fill_##ctype                                                               \
    }
#define IS_PAIR(handle, tag)                                                                                           \
    {                                                                                                                  \
#handle + 4, handle, sizeof(struct tag), fill_##tag                                                            \
    }
#define INTEGERS                                                                                                       \
    IS(MPI_INT8_T, int8_t), IS(MPI_INT16_T, int16_t), IS(MPI_INT32_T, int32_t), IS(MPI_INT64_T, int64_t),              \
        IS(MPI_UINT8_T, int8_t), IS(MPI_UINT16_T, int16_t), IS(MPI_UINT32_T, int32_t), IS(MPI_UINT64_T, int64_t)
#define REALS IS(MPI_REAL2, half), IS(MPI_FLOAT, float), IS(MPI_DOUBLE, double), IS(MPI_LONG_DOUBLE, long_double)
#define COMPLEXES                                                                                                      \
    IS(MPI_COMPLEX4, complex_half), IS(MPI_C_FLOAT_COMPLEX, complex_float), IS(MPI_C_DOUBLE_COMPLEX, complex_double)
#define LOGICALS IS(MPI_C_BOOL, int8_t), IS(MPI_LOGICAL, int32_t), IS(MPI_LOGICAL1, int8_t), IS(MPI_LOGICAL8, int64_t)
#define PAIRS                                                                                                          \
    IS_PAIR(MPI_FLOAT_INT, float_int), IS_PAIR(MPI_DOUBLE_INT, double_int), IS_PAIR(MPI_LONG_INT, long_int),           \
        IS_PAIR(MPI_2INT, int_int), IS_PAIR(MPI_SHORT_INT, short_int), IS_PAIR(MPI_LONG_DOUBLE_INT, long_double_int),  \
        IS_PAIR(MPI_2REAL, float_float), IS_PAIR(MPI_2DOUBLE_PRECISION, double_double), IS_PAIR(MPI_2INTEGER, int_int)

/* One operator on one element: what it is, and its operands as they are before each block. */
struct timed {
    MPI_Op op;
    const struct element *element;
    size_t bytes;
    char *operands[2];
    long calls; /* of a block */
    double times[MOST_BLOCKS];
};

static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds a call. */
static double block(const struct timed *t, char *const memory[2])
{
    int count = (int)(t->bytes / t->element->extent);
    for (int v = 0; v < 2; v++)
        memcpy(memory[v], t->operands[v], t->bytes);
    MPI_Reduce_local(memory[0], memory[1], count, t->element->type, t->op);
    double start = processor_time();
    for (long i = 0; i < t->calls; i++)
        MPI_Reduce_local(memory[0], memory[1], count, t->element->type, t->op);
    return (processor_time() - start) / (double)t->calls;
}

static void timed_start(struct timed *t, MPI_Op op, const struct element *element, size_t bytes)
{
    *t = (struct timed){.op = op, .element = element, .bytes = bytes, .calls = 1};
    for (int v = 0; v < 2; v++) {
        t->operands[v] = calloc(1, bytes);
        for (size_t i = 0; i < bytes / element->extent; i++)
            element->fill(t->operands[v], i);
    }
}

static void timed_end(struct timed *t)
{
    free(t->operands[0]);
    free(t->operands[1]);
}

/* Enough calls that a block takes its part of the time. */
static void timed_calibrate(struct timed *t, char *const memory[2], double budget)
{
    while (block(t, memory) * (double)t->calls < budget / MOST_BLOCKS / 2)
        t->calls *= 2;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double times[MOST_BLOCKS])
{
    qsort(times, MOST_BLOCKS, sizeof *times, by_value);
    return times[MOST_BLOCKS / 2];
}

static void measure(const char *name, MPI_Op op, const struct element *element, size_t bytes, double budget)
{
    static const struct element doubles = IS(MPI_DOUBLE, double);
    struct timed sum, other;
    char *const memory[2] = {buffer_new(bytes, 0), buffer_new(bytes, 1)};
    timed_start(&sum, MPI_SUM, &doubles, bytes);
    timed_start(&other, op, element, bytes);
    timed_calibrate(&sum, memory, budget);
    timed_calibrate(&other, memory, budget);
    for (int i = 0; i < MOST_BLOCKS; i++) {
        sum.times[i] = block(&sum, memory);
        other.times[i] = block(&other, memory);
    }
    printf("{\"op\": \"%s\", \"element\": \"%s\", \"bytes\": %zu, \"seconds\": %.4g, \"sum\": %.4g}\n", name,
           element->name, bytes, median(other.times), median(sum.times));
    fflush(stdout);
    timed_end(&sum);
    timed_end(&other);
    buffer_free(memory[0], 0);
    buffer_free(memory[1], 1);
}

static bool wanted(const char *operators, const char *name)
{
    char word[16];
    snprintf(word, sizeof word, ",%s,", name);
    return strcmp(operators, "all") == 0 || strstr(operators, word);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc < 4) {
        fprintf(stderr, "operators: give SECONDS, OPERATORS and at least one number of BYTES\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    const struct element integers[MOST_ELEMENTS] = {INTEGERS}, reals[MOST_ELEMENTS] = {REALS},
                         complexes[MOST_ELEMENTS] = {COMPLEXES}, logicals[MOST_ELEMENTS] = {LOGICALS},
                         bytes[MOST_ELEMENTS] = {IS(MPI_BYTE, int8_t)}, pairs[MOST_ELEMENTS] = {PAIRS};
    const struct {
        const char *name;
        MPI_Op op;
        const struct element *classes[3];
    } operators[] = {
        {"SUM", MPI_SUM, {integers, reals, complexes}},
        {"PROD", MPI_PROD, {integers, reals, complexes}},
        {"MIN", MPI_MIN, {integers, reals}},
        {"MAX", MPI_MAX, {integers, reals}},
        {"LAND", MPI_LAND, {integers, logicals}},
        {"LOR", MPI_LOR, {integers, logicals}},
        {"LXOR", MPI_LXOR, {integers, logicals}},
        {"BAND", MPI_BAND, {integers, bytes}},
        {"BOR", MPI_BOR, {integers, bytes}},
        {"BXOR", MPI_BXOR, {integers, bytes}},
        {"MINLOC", MPI_MINLOC, {pairs}},
        {"MAXLOC", MPI_MAXLOC, {pairs}},
    };
    for (size_t o = 0; o < sizeof operators / sizeof *operators; o++) {
        if (!wanted(argv[2], operators[o].name))
            continue;
        for (int c = 0; c < 3 && operators[o].classes[c]; c++) {
            for (const struct element *e = operators[o].classes[c]; e->name; e++) {
                for (int i = 3; i < argc && e->type != MPI_DATATYPE_NULL; i++)
                    measure(operators[o].name, operators[o].op, e, strtoul(argv[i], NULL, 10), atof(argv[1]));
            }
        }
    }
    MPI_Finalize();
    return 0;
}
