/* file_view.c - random views, read and written by all ranks in turn, against a model: the file as an array, and each
 * view as a list of the bytes that it shows, written down when the datatype is made.
 *
 * np: 1 2 3 4 5 6 7 8
 */
#include "files.h"

enum { ROOM = 1 << 15, MOST_BLOCKS = 6 };

/* A filetype: its datatype, and what it shows of one tile. */
struct shape {
    MPI_Datatype type;
    int bytes, extent;
    int shows[512];
};

static unsigned state;
static unsigned char model[ROOM];
static int model_end;

static void show(struct shape *shape, int from, int bytes)
{
    for (int i = 0; i < bytes; i++)
        shape->shows[shape->bytes++] = from + i;
}

static void make_indexed(struct shape *shape, MPI_Datatype etype, int unit)
{
    int lengths[MOST_BLOCKS], at[MOST_BLOCKS], n = 1 + (int)file_random(&state, MOST_BLOCKS), next = 0;
    for (int i = 0; i < n; i++) {
        at[i] = next + (int)file_random(&state, 4);
        lengths[i] = (int)file_random(&state, 4);
        next = at[i] + lengths[i];
        show(shape, at[i] * unit, lengths[i] * unit);
    }
    MPI_Datatype plain;
    shape->extent = (next + (int)file_random(&state, 3) + 1) * unit;
    CHECK_OK(MPI_Type_indexed(n, lengths, at, etype, &plain));
    CHECK_OK(MPI_Type_create_resized(plain, 0, shape->extent, &shape->type));
    CHECK_OK(MPI_Type_free(&plain));
}

static void make_vector(struct shape *shape, MPI_Datatype etype, int unit)
{
    int n = 1 + (int)file_random(&state, 5), length = 1 + (int)file_random(&state, 3);
    int stride = length + (int)file_random(&state, 3);
    for (int i = 0; i < n; i++)
        show(shape, i * stride * unit, length * unit);
    shape->extent = ((n - 1) * stride + length) * unit;
    CHECK_OK(MPI_Type_vector(n, length, stride, etype, &shape->type));
}

static void make_subarray(struct shape *shape, MPI_Datatype etype, int unit)
{
    int sizes[3], subsizes[3], starts[3];
    for (int d = 0; d < 3; d++) {
        sizes[d] = 1 + (int)file_random(&state, 4);
        subsizes[d] = 1 + (int)file_random(&state, (unsigned)sizes[d]);
        starts[d] = (int)file_random(&state, (unsigned)(sizes[d] - subsizes[d] + 1));
    }
    for (int i = 0; i < subsizes[0]; i++)
        for (int j = 0; j < subsizes[1]; j++)
            show(shape, (((starts[0] + i) * sizes[1] + starts[1] + j) * sizes[2] + starts[2]) * unit,
                 subsizes[2] * unit);
    shape->extent = sizes[0] * sizes[1] * sizes[2] * unit;
    CHECK_OK(MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, etype, &shape->type));
}

static void make_shape(struct shape *shape, MPI_Datatype etype, int unit)
{
    shape->bytes = 0;
    switch (file_random(&state, 4)) {
    case 0:
        make_indexed(shape, etype, unit);
        break;
    case 1:
        make_vector(shape, etype, unit);
        break;
    case 2:
        make_subarray(shape, etype, unit);
        break;
    default:
        shape->extent = unit;
        show(shape, 0, unit);
        CHECK_OK(MPI_Type_dup(etype, &shape->type));
    }
    CHECK_OK(MPI_Type_commit(&shape->type));
}

/* Where byte n of the view lies. */
static int place(const struct shape *shape, int disp, int n)
{
    return disp + n / shape->bytes * shape->extent + shape->shows[n % shape->bytes];
}

/* ---- memory: bytes in a row, or with gaps ---- */

static MPI_Datatype make_memory(MPI_Datatype etype, bool gaps)
{
    MPI_Datatype type;
    if (gaps)
        CHECK_OK(MPI_Type_vector(2, 1, 2, etype, &type));
    else
        CHECK_OK(MPI_Type_contiguous(2, etype, &type));
    CHECK_OK(MPI_Type_commit(&type));
    return type;
}

static unsigned char at_random(int i, unsigned seed)
{
    return (unsigned char)((unsigned)i * 2654435761u >> 13 ^ seed);
}

/* Of packed byte i. */
static int in_memory(int i, int unit, bool gaps)
{
    int element = i / (2 * unit), within = i % (2 * unit);
    return gaps ? element * 3 * unit + (within >= unit ? 2 * unit : 0) + within % unit : i;
}

struct access {
    int disp, first, count, unit;
    bool gaps, pointer, nonblocking, large;
    unsigned seed;
};

static unsigned char buffer[3 * 4096];

/* The forms with large counts. */
static int run_large(MPI_File fh, bool write, const struct access *a, MPI_Datatype memory, MPI_Status *status)
{
    MPI_Request request;
    if (!a->nonblocking && a->pointer)
        return write ? MPI_File_write_c(fh, buffer, a->count, memory, status)
                     : MPI_File_read_c(fh, buffer, a->count, memory, status);
    if (!a->nonblocking)
        return write ? MPI_File_write_at_c(fh, a->first, buffer, a->count, memory, status)
                     : MPI_File_read_at_c(fh, a->first, buffer, a->count, memory, status);
    if (a->pointer)
        CHECK_OK(write ? MPI_File_iwrite_c(fh, buffer, a->count, memory, &request)
                       : MPI_File_iread_c(fh, buffer, a->count, memory, &request));
    else
        CHECK_OK(write ? MPI_File_iwrite_at_c(fh, a->first, buffer, a->count, memory, &request)
                       : MPI_File_iread_at_c(fh, a->first, buffer, a->count, memory, &request));
    return MPI_Wait(&request, status);
}

static int run(MPI_File fh, bool write, const struct access *a, MPI_Datatype memory, MPI_Status *status)
{
    MPI_Request request;
    if (a->pointer)
        CHECK_OK(MPI_File_seek(fh, a->first, MPI_SEEK_SET));
    if (a->large)
        return run_large(fh, write, a, memory, status);
    if (!a->nonblocking && a->pointer)
        return write ? MPI_File_write(fh, buffer, a->count, memory, status)
                     : MPI_File_read(fh, buffer, a->count, memory, status);
    if (!a->nonblocking)
        return write ? MPI_File_write_at(fh, a->first, buffer, a->count, memory, status)
                     : MPI_File_read_at(fh, a->first, buffer, a->count, memory, status);
    if (a->pointer)
        CHECK_OK(write ? MPI_File_iwrite(fh, buffer, a->count, memory, &request)
                       : MPI_File_iread(fh, buffer, a->count, memory, &request));
    else
        CHECK_OK(write ? MPI_File_iwrite_at(fh, a->first, buffer, a->count, memory, &request)
                       : MPI_File_iread_at(fh, a->first, buffer, a->count, memory, &request));
    return MPI_Wait(&request, status);
}

static void check_status(MPI_File fh, const struct access *a, const MPI_Status *status, int bytes)
{
    MPI_Count got = -1;
    MPI_Offset position = -1;
    CHECK_OK(MPI_Get_elements_c(status, MPI_BYTE, &got));
    CHECK_NOTED(got == bytes, "%lld bytes, not %d", (long long)got, bytes);
    if (!a->pointer)
        return;
    CHECK_OK(MPI_File_get_position(fh, &position));
    CHECK_INT(position, a->first + 2 * a->count);
}

/* One rank writes; all know what. */
static void write_once(MPI_File fh, const struct shape *shape, const struct access *a, bool mine, MPI_Datatype memory)
{
    int bytes = a->count * 2 * a->unit;
    MPI_Status status;
    for (int i = 0; i < bytes; i++) {
        int at = place(shape, a->disp, a->first * a->unit + i);
        model[at] = at_random(i, a->seed);
        if (at >= model_end)
            model_end = at + 1;
    }
    if (!mine)
        return;
    check_wipe(buffer, sizeof buffer);
    for (int i = 0; i < bytes; i++)
        buffer[in_memory(i, a->unit, a->gaps)] = at_random(i, a->seed);
    CHECK_OK(run(fh, true, a, memory, &status));
    check_status(fh, a, &status, bytes);
}

/* A read ends with the file; what it does not deliver it does not touch. */
static void read_once(MPI_File fh, const struct shape *shape, const struct access *a, MPI_Datatype memory)
{
    int bytes = a->count * 2 * a->unit, n = 0;
    MPI_Status status;
    check_wipe(buffer, sizeof buffer);
    CHECK_OK(run(fh, false, a, memory, &status));
    while (n < bytes && place(shape, a->disp, a->first * a->unit + n) < model_end)
        n++;
    check_status(fh, a, &status, n);
    for (int i = 0; i < bytes; i++) {
        int want = i < n ? model[place(shape, a->disp, a->first * a->unit + i)] : 0xe5;
        int got = buffer[in_memory(i, a->unit, a->gaps)];
        CHECK_NOTED(got == want, "byte %d of %d is %#x, not %#x", i, bytes, got, want);
    }
}

static void set_view(MPI_File fh, int disp, MPI_Datatype etype, const struct shape *shape)
{
    MPI_Datatype e, f;
    MPI_Offset at = -1, byte = -1;
    char datarep[MPI_MAX_DATAREP_STRING] = "";
    MPI_Aint lb, extent;
    CHECK_OK(MPI_File_set_view(fh, disp, etype, shape->type, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_view(fh, &at, &e, &f, datarep));
    CHECK_INT(at, disp);
    CHECK_STRING(datarep, "native");
    CHECK(e == etype);
    CHECK_OK(MPI_Type_get_extent(f, &lb, &extent));
    CHECK_INT(extent, shape->extent);
    CHECK_OK(MPI_Type_free(&f));
    if (shape->bytes == 0)
        return;
    int size, n = (int)file_random(&state, 20);
    CHECK_OK(MPI_Type_size(etype, &size));
    CHECK_OK(MPI_File_get_byte_offset(fh, n, &byte));
    CHECK_INT(byte, place(shape, disp, n * size));
    CHECK_OK(MPI_File_seek(fh, 0, MPI_SEEK_END));
    MPI_Offset end = -1;
    CHECK_OK(MPI_File_get_position(fh, &end));
    for (n = 0; place(shape, disp, n * size) < model_end; n++)
        continue;
    CHECK_INT(end, n);
}

static struct access choose(const struct shape *shape, int disp, int unit)
{
    struct access a = {.disp = disp, .unit = unit};
    a.gaps = file_random(&state, 2);
    a.pointer = file_random(&state, 2);
    a.nonblocking = file_random(&state, 3) == 0;
    a.large = file_random(&state, 2);
    a.seed = file_random(&state, 256);
    a.first = (int)file_random(&state, 30);
    a.count = shape->bytes ? (int)file_random(&state, 40) : 0;
    while (shape->bytes && place(shape, disp, (a.first + 2 * a.count) * unit) >= ROOM)
        a.count /= 2;
    return a;
}

/* Rank `writer` writes through its view, then all read through theirs; every rank follows what all do. */
static void turn(MPI_File fh, int writer)
{
    static const MPI_Datatype basic[] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE};
    static const int units[] = {1, 2, 4, 8};
    unsigned which = file_random(&state, 4);
    MPI_Datatype etype = basic[which];
    static struct shape shapes[16];
    struct access first[16], second[16];
    int disps[16];
    for (int rank = 0; rank < check_size; rank++) {
        make_shape(&shapes[rank], etype, units[which]);
        disps[rank] = (int)file_random(&state, 100);
        first[rank] = choose(&shapes[rank], disps[rank], units[which]);
        second[rank] = choose(&shapes[rank], disps[rank], units[which]);
    }
    unsigned common = state;
    set_view(fh, disps[check_rank], etype, &shapes[check_rank]);
    MPI_Barrier(MPI_COMM_WORLD);
    state = common;
    MPI_Datatype memory = make_memory(etype, first[writer].gaps);
    write_once(fh, &shapes[writer], &first[writer], check_rank == writer, memory);
    CHECK_OK(MPI_Type_free(&memory));
    CHECK_OK(MPI_File_sync(fh));
    MPI_Barrier(MPI_COMM_WORLD);
    memory = make_memory(etype, second[check_rank].gaps);
    read_once(fh, &shapes[check_rank], &second[check_rank], memory);
    CHECK_OK(MPI_Type_free(&memory));
    for (int rank = 0; rank < check_size; rank++)
        CHECK_OK(MPI_Type_free(&shapes[rank].type));
    MPI_Barrier(MPI_COMM_WORLD);
}

/* What a view may be. */
static void refused(MPI_File fh)
{
    MPI_Datatype back, twice, negative;
    int lengths[] = {1, 1}, backwards[] = {3, 1}, overlapping[] = {0, 0}, before[] = {-1, 1};
    CHECK_OK(MPI_Type_indexed(2, lengths, backwards, MPI_INT, &back));
    CHECK_OK(MPI_Type_indexed(2, lengths, overlapping, MPI_INT, &twice));
    CHECK_OK(MPI_Type_indexed(2, lengths, before, MPI_INT, &negative));
    CHECK_CLASS(MPI_File_set_view(fh, 0, MPI_INT, back, "native", MPI_INFO_NULL), MPI_ERR_TYPE);
    CHECK_OK(MPI_Type_commit(&back));
    CHECK_OK(MPI_Type_commit(&twice));
    CHECK_OK(MPI_Type_commit(&negative));
    CHECK_CLASS(MPI_File_set_view(fh, 0, MPI_INT, back, "native", MPI_INFO_NULL), MPI_ERR_IO);
    CHECK_CLASS(MPI_File_set_view(fh, 0, MPI_INT, twice, "native", MPI_INFO_NULL), MPI_ERR_IO);
    CHECK_CLASS(MPI_File_set_view(fh, 0, MPI_INT, negative, "native", MPI_INFO_NULL), MPI_ERR_IO);
    CHECK_CLASS(MPI_File_set_view(fh, 0, MPI_INT, MPI_SHORT, "native", MPI_INFO_NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_set_view(fh, -2, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_set_view(fh, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL),
                MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "foreign", MPI_INFO_NULL), MPI_ERR_UNSUPPORTED_DATAREP);
    if (check_size > 1) {
        MPI_Datatype etype = check_rank ? MPI_INT : MPI_SHORT;
        CHECK_CLASS(MPI_File_set_view(fh, 0, etype, etype, "native", MPI_INFO_NULL), MPI_ERR_NOT_SAME);
        const char *datarep = check_rank ? "native" : "external32";
        CHECK_CLASS(MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, datarep, MPI_INFO_NULL), MPI_ERR_OTHER);
        MPI_Datatype one = check_rank == 1 ? back : MPI_INT;
        int err = MPI_File_set_view(fh, 0, MPI_INT, one, "native", MPI_INFO_NULL);
        CHECK_CLASS(err, MPI_ERR_IO);
        CHECK_WORDS(err, "decrease");
    }
    CHECK_OK(MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_CLASS(MPI_File_write_at(fh, 0, "12345", 5, MPI_CHAR, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_write_at(fh, -1, "1234", 4, MPI_CHAR, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    CHECK_OK(MPI_Type_free(&back));
    CHECK_OK(MPI_Type_free(&twice));
    CHECK_OK(MPI_Type_free(&negative));
}

/* A view of a file that is only read may show bytes twice, but does not go back either. */
static void only_read(const char *name)
{
    MPI_Datatype back, twice, negative;
    MPI_File fh;
    int lengths[] = {2, 1}, backwards[] = {3, 1}, overlapping[] = {0, 1}, before[] = {-1, 1};
    int values[3] = {71, 72, 73}, got[6];
    if (check_rank == 0)
        CHECK(truncate(name, 0) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_Type_indexed(2, lengths, backwards, MPI_INT, &back));
    CHECK_OK(MPI_Type_indexed(2, lengths, overlapping, MPI_INT, &twice));
    CHECK_OK(MPI_Type_indexed(2, lengths, before, MPI_INT, &negative));
    CHECK_OK(MPI_Type_commit(&back));
    CHECK_OK(MPI_Type_commit(&twice));
    CHECK_OK(MPI_Type_commit(&negative));
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR, MPI_INFO_NULL, &fh));
    CHECK_OK(MPI_File_write_at_all(fh, 0, values, 3 * sizeof(int), MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&fh));
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &fh));
    CHECK_CLASS(MPI_File_set_view(fh, 0, MPI_INT, back, "native", MPI_INFO_NULL), MPI_ERR_IO);
    CHECK_CLASS(MPI_File_set_view(fh, 0, back, back, "native", MPI_INFO_NULL), MPI_ERR_IO);
    CHECK_CLASS(MPI_File_set_view(fh, 0, MPI_INT, negative, "native", MPI_INFO_NULL), MPI_ERR_IO);
    CHECK_OK(MPI_File_set_view(fh, 0, MPI_INT, twice, "native", MPI_INFO_NULL));
    for (int all = 0; all < 2; all++) {
        check_wipe(got, sizeof got);
        CHECK_OK(all ? MPI_File_read_at_all(fh, 0, got, 6, MPI_INT, MPI_STATUS_IGNORE)
                     : MPI_File_read_at(fh, 0, got, 3, MPI_INT, MPI_STATUS_IGNORE));
        CHECK(got[0] == 71 && got[1] == 72 && got[2] == 72);
    }
    CHECK_OK(MPI_File_close(&fh));
    CHECK_OK(MPI_Type_free(&back));
    CHECK_OK(MPI_Type_free(&twice));
    CHECK_OK(MPI_Type_free(&negative));
}

/* Tiles of a negative extent: each lies before the last, and none before the file. */
static void goes_down(MPI_File fh)
{
    enum { TILES = 4, EXTENT = 64 };
    MPI_Datatype down;
    int first = (check_rank * TILES + TILES - 1) * EXTENT, out[TILES + 1] = {7, 7, 7, 7, 7}, in[TILES];
    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, -EXTENT, &down));
    CHECK_OK(MPI_Type_commit(&down));
    for (int together = 0; together < 2; together++) {
        for (int i = 0; i < TILES; i++)
            out[i] = 1000 * check_rank + 100 * together + i;
        memset(in, 0, sizeof in);
        CHECK_OK(MPI_File_set_view(fh, first, MPI_INT, down, "native", MPI_INFO_NULL));
        CHECK_OK(together ? MPI_File_write_at_all(fh, 0, out, TILES, MPI_INT, MPI_STATUS_IGNORE)
                          : MPI_File_write_at(fh, 0, out, TILES, MPI_INT, MPI_STATUS_IGNORE));
        CHECK_OK(together ? MPI_File_read_at_all(fh, 0, in, TILES, MPI_INT, MPI_STATUS_IGNORE)
                          : MPI_File_read_at(fh, 0, in, TILES, MPI_INT, MPI_STATUS_IGNORE));
        CHECK_BYTES(in, out, sizeof in);
        if (check_rank == 0)
            CHECK_CLASS(MPI_File_write_at(fh, 0, out, TILES + 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_ARG);
        CHECK_OK(MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
        for (int i = 0; i < TILES; i++) {
            CHECK_OK(MPI_File_read_at(fh, first - i * EXTENT, &in[0], sizeof in[0], MPI_BYTE, MPI_STATUS_IGNORE));
            CHECK_INT(in[0], out[i]);
        }
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    CHECK_OK(MPI_Type_free(&down));
}

/* A rank without data stays in the call; nothing can be moved through its view. */
static void nothing(MPI_File fh)
{
    MPI_Datatype none;
    MPI_Status status;
    int value = 1, count = -1;
    CHECK_OK(MPI_Type_contiguous(0, MPI_INT, &none));
    CHECK_OK(MPI_Type_commit(&none));
    CHECK_OK(MPI_File_set_view(fh, 0, MPI_INT, none, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_write(fh, &value, 0, MPI_INT, &status));
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_INT(count, 0);
    CHECK_CLASS(MPI_File_write(fh, &value, 1, MPI_INT, &status), MPI_ERR_ARG);
    CHECK_OK(MPI_Type_free(&none));
}

static void pointers(MPI_File fh)
{
    MPI_Offset at = -1;
    CHECK_OK(MPI_File_set_view(fh, 4, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_position(fh, &at));
    CHECK_INT(at, 0);
    CHECK_OK(MPI_File_seek(fh, 7, MPI_SEEK_SET));
    CHECK_OK(MPI_File_seek(fh, -3, MPI_SEEK_CUR));
    CHECK_OK(MPI_File_get_position(fh, &at));
    CHECK_INT(at, 4);
    CHECK_CLASS(MPI_File_seek(fh, -5, MPI_SEEK_CUR), MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_seek(fh, 0, 12), MPI_ERR_ARG);
    CHECK_OK(MPI_File_get_position(fh, &at));
    CHECK_INT(at, 4);
    CHECK_CLASS(MPI_File_get_byte_offset(fh, -1, &at), MPI_ERR_ARG);
    MPI_Aint extent = -1;
    CHECK_OK(MPI_File_get_type_extent(fh, MPI_DOUBLE, &extent));
    CHECK_INT(extent, 8);
}

int main(int argc, char **argv)
{
    char name[FILE_NAME];
    MPI_File fh;
    check_start(&argc, &argv);
    file_name(name, "view");
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &fh));
    for (int i = 0; i < 60; i++) {
        if (i == 40)
            CHECK_OK(MPI_File_set_atomicity(fh, 1));
        turn(fh, i % check_size);
    }
    int flag = 0;
    CHECK_OK(MPI_File_get_atomicity(fh, &flag));
    CHECK_INT(flag, 1);
    refused(fh);
    only_read(name);
    goes_down(fh);
    nothing(fh);
    pointers(fh);
    CHECK_OK(MPI_File_close(&fh));
    return check_end();
}
