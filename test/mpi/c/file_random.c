/* file_random.c - what programs may do with a file, drawn by lot: views of nested types, other ones on each rank, data
 * from nested types in memory, and several accesses at a time by procedures of all kinds, some of them collective.  The
 * model is the file as an array: a type is also the list of its bytes, and all ranks draw for all.
 *
 * TEST_SEED has it draw otherwise, TEST_ROUNDS longer.
 *
 * np: 1 2 3 5 7
 * timeout: 120
 */
#include "files.h"

enum { ROOM = 1 << 16, MOST_BYTES = 600, MOST_RANKS = 8, MOST_ACCESSES = 6 };

static unsigned state; /* of what all ranks know */
static unsigned char model[ROOM];
static int model_end, turn;
static MPI_File fh;

static int draw(int below)
{
    return (int)file_random(&state, (unsigned)below);
}

/* ---- types and their bytes ---- */

struct shape {
    MPI_Datatype type;
    int bytes, lb, extent;
    int at[MOST_BYTES]; /* where each byte lies, in the order of the type map */
    signed char
        mate[MOST_BYTES]; /* how far behind it that byte is which takes its place with the order of bytes reversed */
};

static void add(struct shape *shape, const struct shape *part, int at)
{
    CHECK(shape->bytes + part->bytes <= MOST_BYTES);
    for (int i = 0; i < part->bytes; i++) {
        shape->at[shape->bytes] = at + part->at[i];
        shape->mate[shape->bytes++] = part->mate[i];
    }
}

static void find_bounds(struct shape *shape)
{
    MPI_Aint lb, extent;
    CHECK_OK(MPI_Type_get_extent(shape->type, &lb, &extent));
    shape->lb = (int)lb;
    shape->extent = (int)extent;
}

static void make_basic(struct shape *shape)
{
    static const MPI_Datatype basic[] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE};
    int which = draw(4), size = 1 << which;
    shape->bytes = size;
    for (int i = 0; i < size; i++) {
        shape->at[i] = i;
        shape->mate[i] = (signed char)(size - 1 - 2 * i);
    }
    CHECK_OK(MPI_Type_dup(basic[which], &shape->type));
    find_bounds(shape);
}

static void make_contiguous(struct shape *shape, const struct shape *part)
{
    int n = draw(4);
    for (int i = 0; i < n; i++)
        add(shape, part, i * part->extent);
    CHECK_OK(MPI_Type_contiguous(n, part->type, &shape->type));
}

static void make_vector(struct shape *shape, const struct shape *part, bool back)
{
    int n = 1 + draw(3), length = 1 + draw(2), stride = (length + draw(3)) * (back ? -1 : 1);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < length; k++)
            add(shape, part, (i * stride + k) * part->extent);
    CHECK_OK(MPI_Type_vector(n, length, stride, part->type, &shape->type));
}

static void make_indexed(struct shape *shape, const struct shape *part, bool back)
{
    int n = draw(4), lengths[3], next = back ? -3 : 0;
    MPI_Aint at[3];
    for (int i = 0; i < n; i++) {
        at[i] = (MPI_Aint)(next + draw(3)) * part->extent;
        lengths[i] = draw(3);
        next = (int)(at[i] / part->extent) + lengths[i];
        for (int k = 0; k < lengths[i]; k++)
            add(shape, part, (int)at[i] + k * part->extent);
    }
    CHECK_OK(MPI_Type_create_hindexed(n, lengths, at, part->type, &shape->type));
}

static void make_subarray(struct shape *shape, const struct shape *part)
{
    int sizes[2], subsizes[2], starts[2], order = draw(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    for (int d = 0; d < 2; d++) {
        sizes[d] = 1 + draw(4);
        subsizes[d] = 1 + draw(sizes[d]);
        starts[d] = draw(sizes[d] - subsizes[d] + 1);
    }
    int slow = order == MPI_ORDER_C ? 0 : 1, fast = 1 - slow;
    for (int i = 0; i < subsizes[slow]; i++)
        for (int k = 0; k < subsizes[fast]; k++)
            add(shape, part, ((starts[slow] + i) * sizes[fast] + starts[fast] + k) * part->extent);
    CHECK_OK(MPI_Type_create_subarray(2, sizes, subsizes, starts, order, part->type, &shape->type));
}

/* One dimension, dealt out in blocks in turn. */
static void make_darray(struct shape *shape, const struct shape *part)
{
    int n = 1 + draw(8), of = 1 + draw(3), who = draw(of), block = 1 + draw(2), cyclic = MPI_DISTRIBUTE_CYCLIC;
    for (int i = 0; i < n; i++)
        if (i / block % of == who)
            add(shape, part, i * part->extent);
    CHECK_OK(MPI_Type_create_darray(of, who, 1, &n, &cyclic, &block, &of, MPI_ORDER_C, part->type, &shape->type));
}

/* The part twice, with a gap, and the whole with bounds of its own. */
static void make_struct(struct shape *shape, const struct shape *part, bool back)
{
    int lengths[] = {1, 1}, gap = draw(3), before = draw(3) * part->extent;
    MPI_Aint at[] = {0, (MPI_Aint)(1 + gap) * part->extent};
    MPI_Datatype types[] = {part->type, part->type}, plain;
    if (back) {
        at[0] = at[1];
        at[1] = 0;
    }
    add(shape, part, (int)at[0]);
    add(shape, part, (int)at[1]);
    CHECK_OK(MPI_Type_create_struct(2, lengths, at, types, &plain));
    CHECK_OK(
        MPI_Type_create_resized(plain, -before, before + (MPI_Aint)(2 + gap + draw(2)) * part->extent, &shape->type));
    CHECK_OK(MPI_Type_free(&plain));
}

static void wrap(struct shape *shape, const struct shape *part, bool memory)
{
    shape->bytes = 0;
    bool back = memory && draw(3) == 0;
    switch (draw(6)) {
    case 0:
        make_contiguous(shape, part);
        break;
    case 1:
        make_vector(shape, part, back);
        break;
    case 2:
        make_indexed(shape, part, back);
        break;
    case 3:
        make_subarray(shape, part);
        break;
    case 4:
        make_darray(shape, part);
        break;
    default:
        make_struct(shape, part, back);
    }
    find_bounds(shape);
}

static int low(const struct shape *shape)
{
    int least = 0;
    for (int i = 0; i < shape->bytes; i++)
        least = shape->at[i] < least ? shape->at[i] : least;
    return least;
}

static int high(const struct shape *shape)
{
    int most = 0;
    for (int i = 0; i < shape->bytes; i++)
        most = shape->at[i] >= most ? shape->at[i] + 1 : most;
    return most;
}

/* A file's bytes come in ascending order; in memory no two are the same. */
static bool is_usable(const struct shape *shape, bool memory)
{
    static bool taken[1 << 16];
    bool usable = shape->extent >= high(shape) - low(shape) && (memory || shape->lb + shape->extent >= 0);
    int least = low(shape), n = 0;
    usable &= high(shape) - least < (int)sizeof taken;
    for (; n < shape->bytes && usable; n++) {
        bool *place = &taken[shape->at[n] - least];
        usable = !*place && (memory || (shape->at[n] >= 0 && (n == 0 || shape->at[n] > shape->at[n - 1])));
        *place = true;
    }
    for (int i = 0; i < n; i++)
        taken[shape->at[i] - least] = false;
    return usable;
}

/* Of parts of that kind, nested once or twice. */
static void make_shape(struct shape *shape, const struct shape *etype, bool memory)
{
    static struct shape inner;
    bool usable;
    do {
        inner = *etype;
        bool twice = draw(2);
        if (twice)
            wrap(&inner, etype, memory);
        usable = inner.bytes <= MOST_BYTES / 16 && inner.extent > 0;
        if (usable)
            wrap(shape, &inner, memory);
        if (twice)
            CHECK_OK(MPI_Type_free(&inner.type));
        if (usable && !is_usable(shape, memory)) {
            CHECK_OK(MPI_Type_free(&shape->type));
            usable = false;
        }
    } while (!usable);
    CHECK_OK(MPI_Type_commit(&shape->type));
}

static void resize(struct shape *shape, int extent)
{
    MPI_Datatype plain = shape->type;
    CHECK_OK(MPI_Type_create_resized(plain, 0, extent, &shape->type));
    CHECK_OK(MPI_Type_commit(&shape->type));
    CHECK_OK(MPI_Type_free(&plain));
    find_bounds(shape);
}

/* ---- a view, and accesses through it ---- */

static struct shape etype;
static bool swaps; /* external32 */

struct view {
    struct shape tile;
    int disp;
};

static int place(const struct view *view, int n)
{
    return view->disp + n / view->tile.bytes * view->tile.extent + view->tile.at[n % view->tile.bytes];
}

static unsigned char value(int at)
{
    return (unsigned char)(((unsigned)at * 2654435761u + (unsigned)turn * 40503u) >> 11);
}

enum form {
    AT,
    POINTER,
    AT_REQUEST,
    POINTER_REQUEST,
    AT_ALL, /* from here on collective */
    POINTER_ALL,
    AT_ALL_REQUEST,
    POINTER_ALL_REQUEST,
    AT_ALL_SPLIT,
    POINTER_ALL_SPLIT,
    ORDERED, /* from here on in the order of ranks, through one view of all */
    ORDERED_SPLIT,
    FORMS
};

struct access {
    enum form form;
    struct shape memory;
    int first, count, bytes; /* the first one and all, of the view */
    char *space, *buf;
    MPI_Request request;
    MPI_Status status;
};

static struct view views[MOST_RANKS];
static struct access accesses[MOST_RANKS][MOST_ACCESSES];
static int naccesses;

static size_t room(const struct access *a)
{
    return (size_t)(high(&a->memory) - low(&a->memory) + a->count * a->memory.extent + 1);
}

/* Of byte n of the data, as they are in memory. */
static int in_memory(const struct access *a, int n)
{
    return n / a->memory.bytes * a->memory.extent + a->memory.at[n % a->memory.bytes];
}

static int in_file(const struct view *view, const struct access *a, int n)
{
    return place(view, a->first + n + (swaps ? a->memory.mate[n % a->memory.bytes] : 0));
}

#define CALL(i, kind, ...)                                                                                             \
    (write ? MPI_File_##i##write##kind(fh, __VA_ARGS__) : MPI_File_##i##read##kind(fh, __VA_ARGS__))

static int start(struct access *a, bool write)
{
    MPI_Offset at = a->first / etype.bytes;
    switch (a->form) {
    case AT:
        return CALL(, _at, at, a->buf, a->count, a->memory.type, &a->status);
    case POINTER:
        return CALL(, , a->buf, a->count, a->memory.type, &a->status);
    case AT_REQUEST:
        return CALL(i, _at, at, a->buf, a->count, a->memory.type, &a->request);
    case POINTER_REQUEST:
        return CALL(i, , a->buf, a->count, a->memory.type, &a->request);
    case AT_ALL:
        return CALL(, _at_all, at, a->buf, a->count, a->memory.type, &a->status);
    case POINTER_ALL:
        return CALL(, _all, a->buf, a->count, a->memory.type, &a->status);
    case AT_ALL_REQUEST:
        return CALL(i, _at_all, at, a->buf, a->count, a->memory.type, &a->request);
    case POINTER_ALL_REQUEST:
        return CALL(i, _all, a->buf, a->count, a->memory.type, &a->request);
    case AT_ALL_SPLIT:
        return CALL(, _at_all_begin, at, a->buf, a->count, a->memory.type);
    case POINTER_ALL_SPLIT:
        return CALL(, _all_begin, a->buf, a->count, a->memory.type);
    case ORDERED:
        return CALL(, _ordered, a->buf, a->count, a->memory.type, &a->status);
    default:
        return CALL(, _ordered_begin, a->buf, a->count, a->memory.type);
    }
}

static bool is_split(const struct access *a)
{
    return a->form == AT_ALL_SPLIT || a->form == POINTER_ALL_SPLIT || a->form == ORDERED_SPLIT;
}

static int end_split(struct access *a, bool write)
{
    if (a->form == AT_ALL_SPLIT)
        return CALL(, _at_all_end, a->buf, &a->status);
    if (a->form == POINTER_ALL_SPLIT)
        return CALL(, _all_end, a->buf, &a->status);
    return CALL(, _ordered_end, a->buf, &a->status);
}

/* One after the other on this rank; requests end together, and a split access when the next collective one begins. */
static void run_all(struct access *all, bool write)
{
    struct access *split = NULL;
    for (int i = 0; i < naccesses; i++) {
        struct access *a = &all[i];
        if (split && a->form >= AT_ALL) {
            CHECK_OK(end_split(split, write));
            split = NULL;
        }
        if (a->form < ORDERED && a->form % 2)
            CHECK_OK(MPI_File_seek(fh, a->first / etype.bytes, MPI_SEEK_SET));
        a->request = MPI_REQUEST_NULL;
        CHECK_OK(start(a, write));
        split = is_split(a) ? a : split;
    }
    if (split)
        CHECK_OK(end_split(split, write));
    for (int i = naccesses - 1; i >= 0; i--)
        if (all[i].request != MPI_REQUEST_NULL)
            CHECK_OK(MPI_Wait(&all[i].request, &all[i].status));
}

static void check_moved(struct access *a, int bytes)
{
    MPI_Count got = -1;
    CHECK_OK(MPI_Get_elements_c(&a->status, MPI_BYTE, &got));
    CHECK_NOTED(got == bytes, "turn %d, form %d: %lld of %d bytes, not %d", turn, a->form, (long long)got, a->bytes,
                bytes);
}

/* ---- drawing them ---- */

static void make_etype(void)
{
    struct shape basic;
    make_basic(&basic);
    swaps = draw(4) == 0;
    etype = basic;
    if (swaps || draw(2)) {
        CHECK_OK(MPI_Type_commit(&etype.type));
        return;
    }
    bool usable;
    do {
        wrap(&etype, &basic, false);
        usable = etype.bytes > 0 && etype.bytes <= 16 && etype.extent > 0 && is_usable(&etype, false);
        if (!usable)
            CHECK_OK(MPI_Type_free(&etype.type));
    } while (!usable);
    CHECK_OK(MPI_Type_commit(&etype.type));
    CHECK_OK(MPI_Type_free(&basic.type));
}

/* Those of all ranks lie in turn, if nobody may write what another one does. */
static void make_views(bool apart, bool one)
{
    int length = 1;
    for (int r = 0; r < check_size; r++) {
        views[r].disp = draw(200);
        make_shape(&views[r].tile, &etype, false);
        length = high(&views[r].tile) > length ? high(&views[r].tile) : length;
    }
    length += (etype.extent - length % etype.extent) % etype.extent;
    for (int r = 1; r < check_size && one; r++) {
        MPI_Datatype own = views[r].tile.type;
        views[r] = views[0];
        CHECK_OK(MPI_Type_dup(views[0].tile.type, &views[r].tile.type));
        CHECK_OK(MPI_Type_free(&own));
    }
    for (int r = 0; r < check_size && apart && !one; r++) {
        views[r].disp = views[0].disp + r * length;
        resize(&views[r].tile, check_size * length);
    }
}

static void make_access(struct access *a, const struct view *view, int *next)
{
    make_shape(&a->memory, &etype, true);
    a->first = *next;
    a->count = view->tile.bytes ? draw(12) : a->memory.bytes ? 0 : draw(3);
    while (a->count > 0 && a->memory.bytes > 0 && place(view, a->first + a->count * a->memory.bytes) >= ROOM)
        a->count /= 2;
    a->bytes = a->count * a->memory.bytes;
    *next += a->bytes;
}

/* Who goes together with others is the same on all ranks, and so is the form then. */
static void make_accesses(bool one)
{
    int next[MOST_RANKS], together = etype.bytes * draw(20);
    naccesses = 1 + draw(MOST_ACCESSES);
    for (int r = 0; r < check_size; r++)
        next[r] = etype.bytes * draw(20);
    for (int i = 0; i < naccesses; i++) {
        enum form form = one ? ORDERED + draw(2) : draw(ORDERED);
        for (int r = 0; r < check_size; r++) {
            make_access(&accesses[r][i], &views[r], one ? &together : &next[r]);
            accesses[r][i].form = form >= AT_ALL ? form : (enum form)draw(AT_ALL);
        }
    }
}

static void set_view(bool one)
{
    CHECK_OK(MPI_File_set_view(fh, views[check_rank].disp, etype.type, views[check_rank].tile.type,
                               swaps ? "external32" : "native", MPI_INFO_NULL));
    if (one)
        CHECK_OK(MPI_File_seek_shared(fh, accesses[0][0].first / etype.bytes, MPI_SEEK_SET));
}

static void open_memory(struct access *a)
{
    a->space = check_alloc(room(a), 0xe5);
    a->buf = a->space - low(&a->memory);
    check_wipe(&a->status, sizeof a->status);
}

static void free_all(void)
{
    for (int r = 0; r < check_size; r++) {
        for (int i = 0; i < naccesses; i++)
            CHECK_OK(MPI_Type_free(&accesses[r][i].memory.type));
        CHECK_OK(MPI_Type_free(&views[r].tile.type));
    }
    CHECK_OK(MPI_Type_free(&etype.type));
}

/* ---- turns ---- */

static void check_file(const char *name)
{
    static unsigned char found[ROOM];
    int file = open(name, O_RDONLY);
    CHECK_INT(read(file, found, sizeof found), model_end);
    close(file);
    for (int i = 0; i < model_end; i++)
        CHECK_NOTED(found[i] == model[i], "turn %d: byte %d is %#x, not %#x", turn, i, found[i], model[i]);
}

static void note_written(int rank)
{
    for (int i = 0; i < naccesses; i++)
        for (int n = 0; n < accesses[rank][i].bytes; n++) {
            int at = place(&views[rank], accesses[rank][i].first + n);
            model[at] = value(at);
            model_end = at >= model_end ? at + 1 : model_end;
        }
}

static void write_turn(const char *name, bool one)
{
    make_etype();
    make_views(true, one);
    make_accesses(one);
    struct access *mine = accesses[check_rank];
    for (int i = 0; i < naccesses; i++) {
        open_memory(&mine[i]);
        for (int n = 0; n < mine[i].bytes; n++)
            mine[i].buf[in_memory(&mine[i], n)] = (char)value(in_file(&views[check_rank], &mine[i], n));
    }
    set_view(one);
    run_all(mine, true);
    for (int i = 0; i < naccesses; i++) {
        check_moved(&mine[i], mine[i].bytes);
        free(mine[i].space);
    }
    for (int r = 0; r < check_size; r++)
        note_written(r);
    CHECK_OK(MPI_File_sync(fh));
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == turn % check_size)
        check_file(name);
    free_all();
    MPI_Barrier(MPI_COMM_WORLD);
}

/* What comes before the end of the file, and of elements that are converted the whole ones. */
static int is_there(const struct access *a)
{
    int n = 0;
    while (n < a->bytes && place(&views[check_rank], a->first + n) < model_end)
        n++;
    return swaps && n > 0 ? n - n % a->memory.bytes : n;
}

static void check_read(struct access *a)
{
    int n = is_there(a);
    unsigned char *expected = check_alloc(room(a), 0xe5), *buf = expected - low(&a->memory);
    check_moved(a, n);
    for (int i = 0; i < n; i++)
        buf[in_memory(a, i)] = model[in_file(&views[check_rank], a, i)];
    CHECK_NOTED(memcmp(expected, a->space, room(a)) == 0, "turn %d, form %d: other data, %d bytes from %d on", turn,
                a->form, n, a->first);
    free(expected);
    free(a->space);
}

static void read_turn(bool one)
{
    make_etype();
    make_views(false, one);
    make_accesses(one);
    struct access *mine = accesses[check_rank];
    for (int i = 0; i < naccesses; i++)
        open_memory(&mine[i]);
    set_view(one);
    run_all(mine, false);
    for (int i = 0; i < naccesses; i++)
        check_read(&mine[i]);
    free_all();
    MPI_Barrier(MPI_COMM_WORLD);
}

/* In atomic mode all write the same bytes at once: one of them is the last, and all that is there is its own. */
static void compete(void)
{
    struct access *a = &accesses[0][0];
    make_etype();
    make_views(false, true);
    naccesses = 0;
    int next = etype.bytes * draw(20), together = draw(2);
    make_access(a, &views[0], &next);
    a->form = together ? AT_ALL : AT;
    CHECK_OK(MPI_File_set_atomicity(fh, 1));
    set_view(false);
    open_memory(a);
    memset(a->space, 1 + check_rank, room(a));
    CHECK_OK(start(a, true));
    MPI_Barrier(MPI_COMM_WORLD);
    memset(a->space, 0xe5, room(a));
    CHECK_OK(start(a, false));
    for (int n = 0; n < a->bytes; n++) {
        int at = place(&views[0], a->first + n);
        model[at] = (unsigned char)a->buf[in_memory(a, n)];
        CHECK_NOTED(model[at] == model[place(&views[0], a->first)] && model[at] >= 1 && model[at] <= check_size,
                    "turn %d: byte %d is %d", turn, at, model[at]);
        model_end = at >= model_end ? at + 1 : model_end;
    }
    free(a->space);
    CHECK_OK(MPI_Type_free(&a->memory.type));
    free_all();
    CHECK_OK(MPI_File_set_atomicity(fh, draw(4) == 0));
}

static void open_file(const char *name)
{
    static const char *const ways[] = {"enable", "disable", "automatic"}, *const sizes[] = {"512", "4096", "8388608"};
    MPI_Info info;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "romio_cb_write", ways[draw(3)]));
    CHECK_OK(MPI_Info_set(info, "romio_cb_read", ways[draw(3)]));
    CHECK_OK(MPI_Info_set(info, "romio_ds_read", ways[draw(3)]));
    CHECK_OK(MPI_Info_set(info, "cb_buffer_size", sizes[draw(3)]));
    CHECK_OK(MPI_Info_set(info, "ind_rd_buffer_size", sizes[draw(3)]));
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, info, &fh));
    CHECK_OK(MPI_Info_free(&info));
}

static int number(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

int main(int argc, char **argv)
{
    char name[FILE_NAME];
    check_start(&argc, &argv);
    state = (unsigned)number("TEST_SEED", 1);
    int rounds = number("TEST_ROUNDS", 12);
    file_name(name, "random");
    for (int i = 0; i < rounds; i++) {
        open_file(name);
        for (int k = 0; k < 4; k++) {
            turn++;
            write_turn(name, draw(4) == 0);
            read_turn(draw(4) == 0);
        }
        compete();
        CHECK_OK(MPI_File_close(&fh));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0)
        unlink(name);
    return check_end();
}
