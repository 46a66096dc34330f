/* packing.c - datatypes with gaps, beside loops by hand: MPI_Pack and MPI_Unpack on one process, messages between two;
 * and, on one process, MPI_Pack_external and MPI_Unpack_external.
 *
 *     packing SECONDS [ROW...]
 *
 * For each row a line of JSON: seconds of MPI_Pack, of MPI_Unpack and of each loop by hand; on two processes half a
 * round trip of a message of that datatype, and of one that is packed and unpacked by hand.  The two ways take turns,
 * block by block, and what they make is compared.
 */
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common.h"

typedef void loop(void *restrict memory, void *restrict stream);

/* A loop by hand, written once and compiled in both directions: MOVE(place in memory, place in the stream). */
#define BY_HAND(name, ...)                                                                                             \
    static void name##_pack(void *restrict memory, void *restrict stream)                                              \
    {                                                                                                                  \
        enum { PACKS = 1 };                                                                                            \
        __VA_ARGS__                                                                                                    \
    }                                                                                                                  \
    static void name##_unpack(void *restrict memory, void *restrict stream)                                            \
    {                                                                                                                  \
        enum { PACKS = 0 };                                                                                            \
        __VA_ARGS__                                                                                                    \
    }
#define MOVE(a, b)                                                                                                     \
    do {                                                                                                               \
        if (PACKS)                                                                                                     \
            (b) = (a);                                                                                                 \
        else                                                                                                           \
            (a) = (b);                                                                                                 \
    } while (0)
#define MOVE_BYTES(a, b, bytes)                                                                                        \
    do {                                                                                                               \
        if (PACKS)                                                                                                     \
            memcpy(b, a, bytes);                                                                                       \
        else                                                                                                           \
            memcpy(a, b, bytes);                                                                                       \
    } while (0)
#define AT(type, base, bytes) (*(type *)((char *)(base) + (bytes)))

enum { N = 20000, BLOCKS = 5000, SIDE = 64, HALF = 32 };

/* ---- vectors ---- */

static MPI_Datatype vector_make(void)
{
    MPI_Datatype t;
    MPI_Type_vector(N, 1, 2, MPI_DOUBLE, &t);
    return t;
}
BY_HAND(vector, double *m = memory; double *s = stream; for (int i = 0; i < N; i++) MOVE(m[2 * i], s[i]);)

static MPI_Datatype ints_make(void)
{
    MPI_Datatype t;
    MPI_Type_vector(N, 1, 3, MPI_INT, &t);
    return t;
}
BY_HAND(ints, int *m = memory; int *s = stream; for (int i = 0; i < N; i++) MOVE(m[3 * i], s[i]);)

static MPI_Datatype blocks_make(void)
{
    MPI_Datatype t;
    MPI_Type_vector(BLOCKS, 5, 9, MPI_DOUBLE, &t);
    return t;
}
BY_HAND(blocks, double *m = memory; double *s = stream;
        for (int i = 0; i < BLOCKS; i++) for (int j = 0; j < 5; j++) MOVE(m[9 * i + j], s[5 * i + j]);)

/* ---- indexed ---- */

static int displacements[N], lengths[N], places[N];

static void indices_set(void)
{
    unsigned seed = 1;
    int at = 0;
    for (int i = 0; i < N; i++) {
        seed = seed * 1103515245 + 12345;
        lengths[i] = 1 + (int)(seed >> 16) % 6;
        at += 1 + (int)(seed >> 20) % 5;
        displacements[i] = at;
        at += lengths[i];
        places[i] = 2 * i + (int)(seed >> 24) % 2;
    }
}

static MPI_Datatype indexed_make(void)
{
    MPI_Datatype t;
    MPI_Type_indexed(BLOCKS, lengths, displacements, MPI_DOUBLE, &t);
    return t;
}
BY_HAND(indexed, double *m = memory; double *s = stream;
        for (int i = 0; i < BLOCKS; i++) for (int j = 0; j < lengths[i]; j++) MOVE(m[displacements[i] + j], *s++);)

static MPI_Datatype places_make(void)
{
    MPI_Datatype t;
    MPI_Type_create_indexed_block(N, 1, places, MPI_DOUBLE, &t);
    return t;
}
BY_HAND(places, double *m = memory; double *s = stream; for (int i = 0; i < N; i++) MOVE(m[places[i]], s[i]);)

/* ---- parts of an array of 64 x 64 x 64 doubles ---- */

static MPI_Datatype part_of_cube(int x, int y, int z)
{
    MPI_Datatype t;
    int sizes[] = {SIDE, SIDE, SIDE}, parts[] = {x, y, z}, starts[] = {1 % (SIDE - x + 1), 1, 1};
    MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &t);
    return t;
}
typedef double cube[SIDE][SIDE];

static MPI_Datatype box_make(void)
{
    return part_of_cube(HALF, HALF, HALF);
}
BY_HAND(box, cube *m = memory; double *s = stream; for (int i = 0; i < HALF; i++) for (int j = 0; j < HALF; j++)
            MOVE_BYTES(&m[1 + i][1 + j][1], s + (i * HALF + j) * HALF, HALF * sizeof(double));)

static MPI_Datatype face_make(void)
{
    return part_of_cube(SIDE, SIDE - 2, 1);
}
BY_HAND(face, cube *m = memory; double *s = stream;
        for (int i = 0; i < SIDE; i++) for (int j = 0; j < SIDE - 2; j++) MOVE(m[i][1 + j][1], s[i * (SIDE - 2) + j]);)

static MPI_Datatype halo_make(void)
{
    return part_of_cube(HALF, HALF, 2);
}
BY_HAND(halo, cube *m = memory; double *s = stream;
        for (int i = 0; i < HALF; i++) for (int j = 0; j < HALF; j++) for (int k = 0; k < 2; k++)
            MOVE(m[1 + i][1 + j][1 + k], s[(i * HALF + j) * 2 + k]);)

/* ---- structs ---- */

static MPI_Datatype struct_of(int n, const int *counts, const MPI_Aint *at, const MPI_Datatype *types)
{
    MPI_Datatype t;
    MPI_Type_create_struct(n, counts, at, types, &t);
    return t;
}

static MPI_Datatype vector_int_make(void)
{
    MPI_Datatype parts[] = {vector_make(), MPI_INT}, t;
    t = struct_of(2, (int[]){1, 1}, (MPI_Aint[]){0, 16 * N}, parts);
    MPI_Type_free(&parts[0]);
    return t;
}
BY_HAND(vector_int, double *m = memory; double *s = stream; for (int i = 0; i < N; i++) MOVE(m[2 * i], s[i]);
        MOVE(AT(int, memory, 16 * N), AT(int, stream, 8 * N));)

static MPI_Datatype mixed_make(void)
{
    MPI_Datatype parts[] = {indexed_make(), box_make(), face_make(), MPI_INT}, t;
    MPI_Aint cube_bytes = SIDE * SIDE * SIDE * sizeof(double);
    t = struct_of(4, (int[]){1, 1, 1, 3}, (MPI_Aint[]){2 * cube_bytes, 0, cube_bytes, 3 * cube_bytes}, parts);
    for (int i = 0; i < 3; i++)
        MPI_Type_free(&parts[i]);
    return t;
}
BY_HAND(mixed, cube *m = memory; double *s = stream; double *a = (double *)(m + 2 * SIDE);
        for (int i = 0; i < BLOCKS; i++) for (int j = 0; j < lengths[i]; j++) MOVE(a[displacements[i] + j], *s++);
        for (int i = 0; i < HALF; i++) for (int j = 0; j < HALF; j++, s += HALF)
            MOVE_BYTES(&m[1 + i][1 + j][1], s, HALF * sizeof(double));
        m += SIDE; for (int i = 0; i < SIDE; i++) for (int j = 0; j < SIDE - 2; j++) MOVE(m[i][1 + j][1], *s++);
        for (int i = 0; i < 3; i++) MOVE(AT(int, m + 2 * SIDE, 4 * i), AT(int, s, 4 * i));)

struct particle {
    char kind;
    double x, y, z;
    short charge;
    float ignored, weight;
};

static MPI_Datatype particles_make(void)
{
    MPI_Datatype parts[] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT, MPI_FLOAT}, one, t;
    one = struct_of(4, (int[]){1, 3, 1, 1},
                    (MPI_Aint[]){offsetof(struct particle, kind), offsetof(struct particle, x),
                                 offsetof(struct particle, charge), offsetof(struct particle, weight)},
                    parts);
    MPI_Type_contiguous(N / 4, one, &t);
    MPI_Type_free(&one);
    return t;
}
enum { PARTICLE = 1 + 24 + 2 + 4 };
BY_HAND(
    particles, struct particle *m = memory; char *s = stream; for (int i = 0; i < N / 4; i++, m++, s += PARTICLE) {
        MOVE(m->kind, *s);
        MOVE_BYTES(&m->x, s + 1, 24);
        MOVE_BYTES(&m->charge, s + 25, 2);
        MOVE_BYTES(&m->weight, s + 27, 4);
    })

/* ---- vectors of vectors ---- */

static MPI_Datatype vectors(int inner, int outer)
{
    MPI_Datatype row, t;
    MPI_Type_vector(inner, 1, 2, MPI_DOUBLE, &row);
    MPI_Type_create_hvector(outer, 1, (2 * inner + 3) * 8, row, &t);
    MPI_Type_free(&row);
    return t;
}

static MPI_Datatype nested_make(void)
{
    return vectors(200, 100);
}
BY_HAND(nested, double *m = memory; double *s = stream;
        for (int i = 0; i < 100; i++) for (int j = 0; j < 200; j++) MOVE(m[403 * i + 2 * j], s[200 * i + j]);)

static MPI_Datatype short_nested_make(void)
{
    return vectors(3, 7000);
}
BY_HAND(short_nested, double *m = memory; double *s = stream;
        for (int i = 0; i < 7000; i++) for (int j = 0; j < 3; j++) MOVE(m[9 * i + 2 * j], s[3 * i + j]);)

static MPI_Datatype middle_nested_make(void)
{
    return vectors(20, 1000);
}
BY_HAND(middle_nested, double *m = memory; double *s = stream;
        for (int i = 0; i < 1000; i++) for (int j = 0; j < 20; j++) MOVE(m[43 * i + 2 * j], s[20 * i + j]);)

/* ---- external32: the bytes of each element the other way round ---- */

#define SWAP(bits, a, b)                                                                                               \
    do {                                                                                                               \
        uint##bits##_t x_;                                                                                             \
        memcpy(&x_, PACKS ? (void *)(a) : (void *)(b), sizeof x_);                                                     \
        x_ = __builtin_bswap##bits(x_);                                                                                \
        memcpy(PACKS ? (void *)(b) : (void *)(a), &x_, sizeof x_);                                                     \
    } while (0)

static MPI_Datatype doubles_make(void)
{
    MPI_Datatype t;
    MPI_Type_contiguous(N, MPI_DOUBLE, &t);
    return t;
}
BY_HAND(doubles, double *m = memory; double *s = stream; for (int i = 0; i < N; i++) SWAP(64, m + i, s + i);)
BY_HAND(external_vector, double *m = memory; double *s = stream;
        for (int i = 0; i < N; i++) SWAP(64, m + 2 * i, s + i);)
#define external_vector_make vector_make
#define external_particles_make particles_make
BY_HAND(
    external_particles, struct particle *m = memory; char *s = stream;
    for (int i = 0; i < N / 4; i++, m++, s += PARTICLE) {
        MOVE(m->kind, *s);
        SWAP(64, &m->x, s + 1);
        SWAP(64, &m->y, s + 9);
        SWAP(64, &m->z, s + 17);
        SWAP(16, &m->charge, s + 25);
        SWAP(32, &m->weight, s + 27);
    })

/* ---- the rows ---- */

static const struct row {
    const char *name;
    MPI_Datatype (*make)(void);
    loop *pack, *unpack;
    int external;
} rows[] = {
#define ROW(name, function)                                                                                            \
    {                                                                                                                  \
        name, function##_make, function##_pack, function##_unpack, 0                                                   \
    }
#define EXTERNAL(name, function)                                                                                       \
    {                                                                                                                  \
        "external32, " name, function##_make, function##_pack, function##_unpack, 1                                    \
    }
    ROW("vector of doubles", vector),
    ROW("vector of ints", ints),
    ROW("vector of 5 doubles", blocks),
    ROW("indexed, 1 to 6 doubles", indexed),
    ROW("indexed_block of doubles", places),
    ROW("box of 32^3 in 64^3", box),
    ROW("face of 64 x 62 in 64^3", face),
    ROW("halo of 32 x 32 x 2 in 64^3", halo),
    ROW("struct of vector and int", vector_int),
    ROW("struct of indexed, box, face", mixed),
    ROW("array of structs", particles),
    ROW("100 vectors of 200", nested),
    ROW("1000 vectors of 20", middle_nested),
    ROW("7000 vectors of 3", short_nested),
    EXTERNAL("doubles", doubles),
    EXTERNAL("vector of doubles", external_vector),
#ifndef MPICH_NUMVERSION /* 4.0 ends in an assertion */
    EXTERNAL("array of structs", external_particles),
#endif
};

struct buffers {
    const struct row *row;
    MPI_Datatype type;
    int bytes;
    size_t span;
    char *memory, *stream;
};

static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- what is timed: four on one process, two on two ---- */

static void do_pack(const struct buffers *b)
{
    int position = 0;
    MPI_Aint at = 0;
    if (b->row->external)
        MPI_Pack_external("external32", b->memory, 1, b->type, b->stream, b->bytes, &at);
    else
        MPI_Pack(b->memory, 1, b->type, b->stream, b->bytes, &position, MPI_COMM_SELF);
}

static void do_unpack(const struct buffers *b)
{
    int position = 0;
    MPI_Aint at = 0;
    if (b->row->external)
        MPI_Unpack_external("external32", b->stream, b->bytes, &at, b->memory, 1, b->type);
    else
        MPI_Unpack(b->stream, b->bytes, &position, b->memory, 1, b->type, MPI_COMM_SELF);
}

static void do_pack_by_hand(const struct buffers *b)
{
    b->row->pack(b->memory, b->stream);
}

static void do_unpack_by_hand(const struct buffers *b)
{
    b->row->unpack(b->memory, b->stream);
}

static int rank;

static void round_trip(void *memory, int count, MPI_Datatype type, int receives)
{
    if (receives)
        MPI_Recv(memory, count, type, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(memory, count, type, 1 - rank, 0, MPI_COMM_WORLD);
}

static void do_send(const struct buffers *b)
{
    round_trip(b->memory, 1, b->type, rank);
    round_trip(b->memory, 1, b->type, !rank);
}

static void send_by_hand(const struct buffers *b, int receives)
{
    if (!receives)
        b->row->pack(b->memory, b->stream);
    round_trip(b->stream, b->bytes, MPI_BYTE, receives);
    if (receives)
        b->row->unpack(b->memory, b->stream);
}

static void do_send_by_hand(const struct buffers *b)
{
    send_by_hand(b, rank);
    send_by_hand(b, !rank);
}

typedef void call(const struct buffers *b);

static const struct {
    const char *name;
    call *calls[2]; /* the library's, by hand */
    double trips;   /* of one call */
} alone[] = {{"pack", {do_pack, do_pack_by_hand}, 1}, {"unpack", {do_unpack, do_unpack_by_hand}, 1}},
  together[] = {{"send", {do_send, do_send_by_hand}, 2}};

static double block(const struct buffers *b, call *f, long calls, int np)
{
    double start = np > 1 ? now() : processor_time();
    for (long i = 0; i < calls; i++)
        f(b);
    return ((np > 1 ? now() : processor_time()) - start) / (double)calls;
}

static int in_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { TURNS = 15 };

/* Medians of blocks in turns, of the library's calls and of those by hand. */
static void time_both(const struct buffers *b, call *const calls[2], double budget, int np, double result[2])
{
    double times[2][TURNS], first = block(b, calls[0], 3, np);
    long n = 1 + (long)(budget / 2 / TURNS / (first + 1e-9));
    MPI_Bcast(&n, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    for (int turn = 0; turn < TURNS; turn++)
        for (int who = 0; who < 2; who++)
            times[who][turn] = block(b, calls[who], n, np);
    for (int who = 0; who < 2; who++) {
        qsort(times[who], TURNS, sizeof times[who][0], in_order);
        result[who] = times[who][TURNS / 2];
    }
}

/* Both ways make the same bytes. */
static void check(const struct buffers *b)
{
    char *copy = malloc((size_t)b->bytes), *memory = malloc(b->span);
    for (size_t i = 0; i < b->span; i++)
        b->memory[i] = (char)(i * 2654435761u >> 24);
    do_pack(b);
    memcpy(copy, b->stream, (size_t)b->bytes);
    memset(b->stream, 0, (size_t)b->bytes);
    do_pack_by_hand(b);
    int same = memcmp(copy, b->stream, (size_t)b->bytes) == 0;
    memset(b->memory, 0, b->span);
    do_unpack(b);
    memcpy(memory, b->memory, b->span);
    memset(b->memory, 0, b->span);
    do_unpack_by_hand(b);
    same &= memcmp(memory, b->memory, b->span) == 0;
    if (!same) {
        fprintf(stderr, "packing: \"%s\" by hand differs from the library's\n", b->row->name);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    free(copy);
    free(memory);
}

static void measure(const struct row *row, double budget, int np)
{
    struct buffers b = {.row = row, .type = row->make()};
    MPI_Aint lb, extent;
    MPI_Type_commit(&b.type);
    MPI_Type_size(b.type, &b.bytes);
    MPI_Type_get_true_extent(b.type, &lb, &extent);
    b.span = (size_t)(lb + extent);
    b.memory = buffer_new(b.span, 0);
    b.stream = buffer_new((size_t)b.bytes, 1);
    check(&b);
    size_t n = np > 1 ? sizeof together / sizeof *together : sizeof alone / sizeof *alone;
    for (size_t i = 0; i < n; i++) {
        double seconds[2];
        time_both(&b, np > 1 ? together[i].calls : alone[i].calls, budget, np, seconds);
        double trips = np > 1 ? together[i].trips : alone[i].trips;
        if (rank == 0)
            printf("{\"row\": \"%s\", \"what\": \"%s\", \"bytes\": %d, \"seconds\": %.4g, \"by_hand\": %.4g}\n",
                   row->name, np > 1 ? together[i].name : alone[i].name, b.bytes, seconds[0] / trips,
                   seconds[1] / trips);
        fflush(stdout);
    }
    buffer_free(b.memory, 0);
    buffer_free(b.stream, 1);
    MPI_Type_free(&b.type);
}

static int is_wanted(int argc, char **argv, const char *name)
{
    for (int i = 2; i < argc; i++)
        if (strstr(name, argv[i]))
            return 1;
    return argc == 2;
}

int main(int argc, char **argv)
{
    int np;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    if (argc < 2 || np > 2) {
        fprintf(stderr, "packing: give SECONDS; there may be 1 or 2 processes\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    indices_set();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is_wanted(argc, argv, rows[i].name) && !(np > 1 && rows[i].external))
            measure(&rows[i], atof(argv[1]), np);
    MPI_Finalize();
    return 0;
}
