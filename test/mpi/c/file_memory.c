/* file_memory.c - memory that runs out on one rank, at each allocation in turn of what processes do with a file
 * together and alone: all are told, nobody hangs, no file that was not there before is left, and the next call works.
 *
 * np: 2 3
 * only: treefold
 */
#include "files.h"
#include "shortage.h"

static char name[FILE_NAME];
static MPI_File fh;
static MPI_Datatype filetype;
static MPI_Info hints;
static long data[64];

static int do_open(void)
{
    MPI_File other = MPI_FILE_NULL;
    int code =
        MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, hints, &other);
    if (code)
        CHECK(other == MPI_FILE_NULL);
    return code ? code : MPI_File_close(&other); /* it is closed after an error too */
}

static int do_set_view(void)
{
    return MPI_File_set_view(fh, 8, MPI_LONG, filetype, "external32", hints);
}

static int do_set_info(void)
{
    return MPI_File_set_info(fh, hints);
}

static int do_set_size(void)
{
    return MPI_File_set_size(fh, 1 << 16);
}

static int do_seek(void)
{
    return MPI_File_seek_shared(fh, 3, MPI_SEEK_SET);
}

static const struct {
    const char *name;
    int (*act)(void);
} together[] = {{"MPI_File_open", do_open},
                {"MPI_File_set_view", do_set_view},
                {"MPI_File_set_info", do_set_info},
                {"MPI_File_set_size", do_set_size},
                {"MPI_File_seek_shared", do_seek}};

static void try_together(int which)
{
    for (int victim = 0; victim < check_size; victim++) {
        bool hit = true;
        for (int k = 0; k < 400 && hit; k++) {
            begin_shortage(victim, k, k % 2);
            int code = together[which].act();
            hit = end_shortage(victim);
            if (code)
                must_tell(code, together[which].name);
            CHECK(hit || !code);
        }
        CHECK(!hit);
        sums_to(MPI_COMM_WORLD, together[which].name);
    }
}

static int waited(int code, MPI_Request *request)
{
    return code ? code : MPI_Wait(request, MPI_STATUS_IGNORE);
}

static int alone(int which)
{
    MPI_Request request;
    switch (which) {
    case 0:
        return MPI_File_write_at(fh, 0, data, 64, MPI_LONG, MPI_STATUS_IGNORE);
    case 1:
        return MPI_File_read_at(fh, 0, data, 64, MPI_LONG, MPI_STATUS_IGNORE);
    case 2:
        return waited(MPI_File_iwrite_at(fh, 0, data, 64, MPI_LONG, &request), &request);
    case 3:
        return waited(MPI_File_iread_at(fh, 0, data, 64, MPI_LONG, &request), &request);
    case 4:
        return MPI_File_write_shared(fh, data, 1, MPI_LONG, MPI_STATUS_IGNORE);
    default: {
        MPI_Info used;
        int code = MPI_File_get_info(fh, &used);
        if (!code)
            MPI_Info_free(&used);
        return code;
    }
    }
}

static void try_alone(int which)
{
    int code = MPI_SUCCESS;
    bool hit = true;
    for (int k = 0; k < 200 && hit; k++) {
        scarce_begin(k, k % 2);
        code = alone(which);
        hit = scarce_end();
        if (code)
            must_tell(code, "an access");
    }
    CHECK(!hit);
    CHECK_OK(code);
}

int main(int argc, char **argv)
{
    char other[FILE_NAME];
    check_start(&argc, &argv);
    share_page();
    file_name(name, "memory");
    file_name(other, "memory-2");
    CHECK_OK(MPI_Info_create(&hints));
    CHECK_OK(MPI_Info_set(hints, "ind_rd_buffer_size", "65536"));
    CHECK_OK(MPI_Type_vector(3, 1, 2, MPI_LONG, &filetype));
    CHECK_OK(MPI_Type_commit(&filetype));
    int amode = MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE;
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, other, amode, MPI_INFO_NULL, &fh));
    for (size_t i = 0; i < sizeof together / sizeof *together; i++)
        try_together((int)i);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(!file_is_there(name));
    for (int i = 0; i < 6; i++)
        try_alone(i);
    CHECK_OK(MPI_Type_free(&filetype));
    CHECK_OK(MPI_Info_free(&hints));
    CHECK_OK(MPI_File_close(&fh));
    return check_end();
}
