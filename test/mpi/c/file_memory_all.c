/* file_memory_all.c - memory that runs out on one rank, at each allocation in turn of a collective access: with the
 * exchange and without, blocking, nonblocking, split and ordered, written and read.  All are told, nobody hangs, and
 * the next access works.
 *
 * np: 2 3
 * only: treefold
 */
#include "files.h"
#include "shortage.h"

enum { N = 3000, FORMS = 4 };

static MPI_File fh;
static MPI_Datatype type; /* an int and a hole */
static int data[2 * N];

static int finish(int code, MPI_Request *request)
{
    return code ? code : MPI_Wait(request, MPI_STATUS_IGNORE);
}

static int write_so(int form)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int code;
    switch (form) {
    case 0:
        return MPI_File_write_at_all(fh, 0, data, N, type, MPI_STATUS_IGNORE);
    case 1:
        code = MPI_File_iwrite_at_all(fh, 0, data, N, type, &request);
        return finish(code, &request);
    case 2:
        code = MPI_File_write_at_all_begin(fh, 0, data, N, type);
        return code ? code : MPI_File_write_at_all_end(fh, data, MPI_STATUS_IGNORE);
    default:
        return MPI_File_write_ordered(fh, data, N, type, MPI_STATUS_IGNORE);
    }
}

static int read_so(int form)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int code;
    switch (form) {
    case 0:
        return MPI_File_read_at_all(fh, 0, data, N, type, MPI_STATUS_IGNORE);
    case 1:
        code = MPI_File_iread_at_all(fh, 0, data, N, type, &request);
        return finish(code, &request);
    case 2:
        code = MPI_File_read_at_all_begin(fh, 0, data, N, type);
        return code ? code : MPI_File_read_at_all_end(fh, data, MPI_STATUS_IGNORE);
    default:
        return MPI_File_read_ordered(fh, data, N, type, MPI_STATUS_IGNORE);
    }
}

/* The same without a shortage: what is written is read. */
static void check_works(void)
{
    for (int i = 0; i < N; i++)
        data[2 * i] = check_value(check_rank, i);
    CHECK_OK(write_so(0));
    check_wipe(data, sizeof data);
    CHECK_OK(read_so(0));
    for (int i = 0; i < N; i++)
        CHECK(data[2 * i] == check_value(check_rank, i));
}

static void try_one(int which, const char *what)
{
    for (int victim = 0; victim < check_size; victim++) {
        bool hit = true;
        for (int k = 0; k < 300 && hit; k++) {
            begin_shortage(victim, k, k % 2);
            int code = which < FORMS ? write_so(which) : read_so(which - FORMS);
            hit = end_shortage(victim);
            if (code)
                must_tell(code, what);
            CHECK_NOTED(hit || !code, "%s, allocation %d", what, k);
        }
        CHECK(!hit);
        sums_to(MPI_COMM_WORLD, what);
        check_works();
    }
}

static void try_all(const char *name, const char *way, const char *datarep)
{
    static const char *const whats[] = {"write_at_all", "iwrite_at_all", "write_at_all_begin", "write_ordered",
                                        "read_at_all",  "iread_at_all",  "read_at_all_begin",  "read_ordered"};
    MPI_Info info;
    MPI_Datatype turn;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "romio_cb_write", way));
    CHECK_OK(MPI_Info_set(info, "romio_cb_read", way));
    CHECK_OK(MPI_Info_set(info, "cb_buffer_size", "16384"));
    int amode = MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE;
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, amode, info, &fh));
    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, check_size * (MPI_Aint)sizeof(int), &turn));
    CHECK_OK(MPI_Type_commit(&turn));
    CHECK_OK(MPI_File_set_view(fh, check_rank * (MPI_Offset)sizeof(int), MPI_INT, turn, datarep, MPI_INFO_NULL));
    CHECK_OK(MPI_Type_free(&turn));
    CHECK_OK(MPI_Info_free(&info));
    for (int which = 0; which < 2 * FORMS; which++)
        try_one(which, whats[which]);
    CHECK_OK(MPI_File_close(&fh));
}

int main(int argc, char **argv)
{
    char name[FILE_NAME];
    check_start(&argc, &argv);
    share_page();
    file_name(name, "memory-all");
    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &type));
    CHECK_OK(MPI_Type_commit(&type));
    try_all(name, "enable", "native");
    try_all(name, "disable", "native");
    try_all(name, "enable", "external32");
    CHECK_OK(MPI_Type_free(&type));
    return check_end();
}
