/* file_model.h - what a file should hold that all ranks write together: integers, each of which belongs to one rank or
 * to nobody, and views that show a rank its own.  All ranks make the same model from the same random numbers.
 */
#ifndef FILE_MODEL_H
#define FILE_MODEL_H

#include "files.h"

enum kind { BLOCKS, SCATTERED, CUBE, CONTIGUOUS, ONE_RANK, NOBODY, KINDS };

struct model {
    enum kind kind;
    int n;      /* integers, of which */
    int period; /* the first ones are one tile of the views, and the others the same again */
    int *owner; /* [n] -1: a hole */
    MPI_Offset disp;
    MPI_Datatype filetype;
};

/* The same numbers on all ranks. */
static unsigned model_state = 20261122;

static inline unsigned model_random(unsigned below)
{
    return file_random(&model_state, below);
}

static inline bool model_chance(unsigned of)
{
    return model_random(of) == 0;
}

static inline int model_value(int i)
{
    return (int)(1000003u * (unsigned)i + 17u);
}

enum { MODEL_HOLE = -99 };

/* ---- who owns what: one tile ---- */

static inline void model_own_blocks(struct model *m, bool holes)
{
    int length = 1 + (int)model_random(60), count = 1 + (int)model_random(6), turns = check_size + holes;
    m->period = length * count * turns;
    for (int i = 0; i < m->period; i++) {
        int turn = i / length % turns;
        m->owner[i] = turn < check_size ? turn : -1;
    }
}

static inline void model_own_scattered(struct model *m)
{
    m->period = 1 + (int)model_random(400);
    int left = 0, who = 0;
    for (int i = 0; i < m->period; i++, left--) {
        if (left == 0) {
            left = 1 + (int)model_random(9);
            who = (int)model_random((unsigned)check_size + 1) - 1;
        }
        m->owner[i] = who;
    }
}

/* A cube, cut along two of its sides. */
static inline void model_own_cube(struct model *m)
{
    enum { SIDE = 8 };
    int rows = check_size < 2 ? 1 : 2, columns = check_size / rows;
    m->period = SIDE * SIDE * SIDE;
    for (int i = 0; i < m->period; i++) {
        int row = i % SIDE / (SIDE / rows), column = i / SIDE % SIDE * columns / SIDE;
        m->owner[i] = row * columns + column;
    }
}

static inline void model_own(struct model *m)
{
    switch (m->kind) {
    case BLOCKS:
        model_own_blocks(m, model_chance(3));
        break;
    case SCATTERED:
        model_own_scattered(m);
        break;
    case CUBE:
        model_own_cube(m);
        break;
    case CONTIGUOUS:
        m->period = 100 * check_size;
        for (int i = 0; i < m->period; i++)
            m->owner[i] = i / 100;
        break;
    case ONE_RANK:
        m->period = 300;
        for (int i = 0; i < m->period; i++)
            m->owner[i] = i % 3 ? check_size - 1 : -1;
        break;
    default:
        m->period = 40;
        for (int i = 0; i < m->period; i++)
            m->owner[i] = -1;
    }
}

/* ---- the view of this rank ---- */

static inline MPI_Datatype model_make_filetype(const struct model *m)
{
    int *lengths = check_alloc((size_t)m->period * sizeof(int), 0);
    int *places = check_alloc((size_t)m->period * sizeof(int), 0), blocks = 0;
    for (int i = 0; i < m->period; i++) {
        if (m->owner[i] != check_rank)
            continue;
        if (blocks > 0 && places[blocks - 1] + lengths[blocks - 1] == i) {
            lengths[blocks - 1]++;
            continue;
        }
        places[blocks] = i;
        lengths[blocks++] = 1;
    }
    MPI_Datatype indexed, filetype;
    CHECK_OK(MPI_Type_indexed(blocks, lengths, places, MPI_INT, &indexed));
    CHECK_OK(MPI_Type_create_resized(indexed, 0, (MPI_Aint)m->period * (MPI_Aint)sizeof(int), &filetype));
    CHECK_OK(MPI_Type_commit(&filetype));
    CHECK_OK(MPI_Type_free(&indexed));
    free(lengths);
    free(places);
    return filetype;
}

static inline void model_make(struct model *m, enum kind kind)
{
    enum { MOST = 20000 };
    m->kind = kind;
    m->owner = check_alloc(MOST * sizeof(int), 0);
    model_own(m);
    m->n = m->period * (1 + (int)model_random(4));
    for (int i = m->period; i < m->n; i++)
        m->owner[i] = m->owner[i - m->period];
    m->disp = model_chance(2) ? (MPI_Offset)model_random(100) : 0;
    m->filetype = model_make_filetype(m);
}

static inline void model_free(struct model *m)
{
    CHECK_OK(MPI_Type_free(&m->filetype));
    free(m->owner);
}

static inline int model_mine_before(const struct model *m, int end)
{
    int mine = 0;
    for (int i = 0; i < end; i++)
        mine += m->owner[i] == check_rank;
    return mine;
}

static inline int model_mine(const struct model *m)
{
    return model_mine_before(m, m->n);
}

static inline void model_set_view(MPI_File f, const struct model *m)
{
    CHECK_OK(MPI_File_set_view(f, m->disp, MPI_INT, m->filetype, "native", MPI_INFO_NULL));
}

/* ---- the file ---- */

/* Hints that make the same access take other ways. */
static inline MPI_Info model_hints(void)
{
    static const char *const ways[] = {"enable", "disable", "automatic"};
    static const char *const sizes[] = {"600", "4096", "16777216"};
    MPI_Info info;
    char nodes[12];
    CHECK_OK(MPI_Info_create(&info));
    const char *way = ways[model_random(5) % 3];
    CHECK_OK(MPI_Info_set(info, "romio_cb_write", way));
    CHECK_OK(MPI_Info_set(info, "romio_cb_read", way));
    CHECK_OK(MPI_Info_set(info, "cb_buffer_size", sizes[model_random(3)]));
    CHECK_OK(MPI_Info_set(info, "romio_ds_read", ways[model_random(3)]));
    CHECK_OK(MPI_Info_set(info, "ind_rd_buffer_size", sizes[model_random(3)]));
    snprintf(nodes, sizeof nodes, "%u", 1 + model_random((unsigned)check_size));
    if (model_chance(2))
        CHECK_OK(MPI_Info_set(info, "cb_nodes", nodes));
    return info;
}

static inline MPI_File model_open_again(const char *name, const struct model *m, int amode)
{
    (void)m;
    MPI_File f = MPI_FILE_NULL;
    MPI_Info info = model_hints();
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, amode, info, &f));
    CHECK_OK(MPI_Info_free(&info));
    return f;
}

/* A new file full of what nobody writes. */
static inline MPI_File model_open(const char *name, const struct model *m, int amode)
{
    if (check_rank == 0) {
        int fd = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600), hole = MODEL_HOLE;
        CHECK(fd >= 0);
        for (int i = 0; i < m->n + 10; i++)
            CHECK(pwrite(fd, &hole, sizeof hole, m->disp + (MPI_Offset)sizeof hole * i) == sizeof hole);
        close(fd);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return model_open_again(name, m, amode);
}

/* Each byte of it, read past MPI. */
static inline void model_check_file(const char *name, const struct model *m)
{
    int *all = check_alloc((size_t)(m->n + 10) * sizeof(int), 0);
    int fd = open(name, O_RDONLY);
    CHECK(pread(fd, all, (size_t)(m->n + 10) * sizeof(int), m->disp) == (ssize_t)((size_t)(m->n + 10) * sizeof(int)));
    close(fd);
    for (int i = 0; i < m->n + 10; i++) {
        int want = i < m->n && m->owner[i] >= 0 ? model_value(i) : MODEL_HOLE;
        CHECK_NOTED(all[i] == want, "kind %d, integer %d of %d, owner %d: %d, not %d", m->kind, i, m->n,
                    i < m->n ? m->owner[i] : -1, all[i], want);
    }
    free(all);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- what a rank has in memory: in a row, or with gaps ---- */

struct memory {
    int n, count;
    bool gaps;
    int *at;
    MPI_Datatype type;
};

static inline struct memory memory_make(int n, bool gaps)
{
    struct memory memory = {.n = n, .count = gaps ? n : n, .gaps = gaps, .type = MPI_INT};
    memory.at = check_alloc((size_t)(gaps ? 3 * n : n) * sizeof(int) + 1, 0xe5);
    if (gaps) {
        CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, 3 * sizeof(int), &memory.type));
        CHECK_OK(MPI_Type_commit(&memory.type));
    }
    return memory;
}

static inline int *memory_place(const struct memory *memory, int k)
{
    return &memory->at[memory->gaps ? 3 * k : k];
}

static inline void memory_fill(struct memory *memory, const struct model *m)
{
    for (int i = 0, k = 0; i < m->n; i++)
        if (m->owner[i] == check_rank)
            *memory_place(memory, k++) = model_value(i);
}

static inline void memory_check_first(const struct memory *memory, const struct model *m, int n)
{
    for (int i = 0, k = 0; i < m->n && k < n; i++)
        if (m->owner[i] == check_rank) {
            CHECK_NOTED(*memory_place(memory, k) == model_value(i), "kind %d, element %d of %d: %d, not %d", m->kind, k,
                        n, *memory_place(memory, k), model_value(i));
            if (memory->gaps)
                CHECK(memory_place(memory, k)[1] == (int)0xe5e5e5e5);
            k++;
        }
}

static inline void memory_check(const struct memory *memory, const struct model *m)
{
    memory_check_first(memory, m, memory->n);
}

static inline void memory_free(struct memory *memory)
{
    free(memory->at);
    if (memory->gaps)
        CHECK_OK(MPI_Type_free(&memory->type));
}

#endif
