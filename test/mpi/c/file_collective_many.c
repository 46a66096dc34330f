/* Many collective accesses at once: nonblocking ones of several files and several of each, waited for in an order that
 * differs between ranks, beside split and independent ones and other messages.
 *
 * np: 1 2 4
 */
#include "files.h"

enum { FILES = 3, EACH = 4, N = 3000 };

static char names[FILES][FILE_NAME];
static MPI_File files[FILES];
static int out[FILES][EACH][N], in[FILES][EACH][N];

static void open_all(void)
{
    MPI_Datatype turn;
    MPI_Info info;
    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, check_size * (MPI_Aint)sizeof(int), &turn));
    CHECK_OK(MPI_Type_commit(&turn));
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "cb_buffer_size", "10000"));
    for (int i = 0; i < FILES; i++) {
        char what[20];
        snprintf(what, sizeof what, "many-%d", i);
        file_name(names[i], what);
        CHECK_OK(MPI_Info_set(info, "romio_cb_write", i == 2 ? "disable" : "enable"));
        CHECK_OK(MPI_Info_set(info, "romio_cb_read", i == 1 ? "disable" : "enable"));
        CHECK_OK(MPI_File_open(MPI_COMM_WORLD, names[i], MPI_MODE_RDWR | MPI_MODE_CREATE, info, &files[i]));
        CHECK_OK(
            MPI_File_set_view(files[i], check_rank * (MPI_Offset)sizeof(int), MPI_INT, turn, "native", MPI_INFO_NULL));
    }
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_Type_free(&turn));
}

static void begin(bool write, int file, int k, MPI_Request *request)
{
    if (write && k % 2)
        CHECK_OK(MPI_File_iwrite_at_all(files[file], k * N, out[file][k], N, MPI_INT, request));
    else if (write && MPI_File_seek(files[file], k * N, MPI_SEEK_SET) == MPI_SUCCESS)
        CHECK_OK(MPI_File_iwrite_all(files[file], out[file][k], N, MPI_INT, request));
    else
        CHECK_OK(MPI_File_iread_at_all(files[file], k * N, in[file][k], N, MPI_INT, request));
}

/* In an order of each rank's own, some by tests. */
static void end(MPI_Request *requests, int n)
{
    for (int i = 0; i < n; i++) {
        int which = (i * (check_rank % 2 ? n - 1 : 1) + check_rank) % n, flag = 0, got = -1;
        MPI_Status status;
        if (which % 3)
            CHECK_OK(MPI_Wait(&requests[which], &status));
        else
            while (!flag)
                CHECK_OK(MPI_Test(&requests[which], &flag, &status));
        CHECK_OK(MPI_Get_count(&status, MPI_INT, &got));
        CHECK_INT(got, N);
        CHECK(requests[which] == MPI_REQUEST_NULL);
    }
}

static void run(bool write)
{
    MPI_Request requests[FILES * EACH];
    int token = check_rank, from = (check_rank + check_size - 1) % check_size, to = (check_rank + 1) % check_size;
    for (int i = 0; i < FILES * EACH; i++)
        begin(write, i % FILES, i / FILES, &requests[i]);
    CHECK_OK(MPI_Sendrecv_replace(&token, 1, MPI_INT, to, 3, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_INT(token, from);
    end(requests, FILES * EACH);
}

static void check_values(void)
{
    for (int i = 0; i < FILES * EACH * N; i++)
        CHECK((&in[0][0][0])[i] == check_value(check_rank, i));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    open_all();
    for (int i = 0; i < FILES * EACH * N; i++)
        (&out[0][0][0])[i] = check_value(check_rank, i);
    run(true);
    check_wipe(in, sizeof in);
    run(false);
    check_values();
    for (int i = 0; i < FILES; i++) {
        CHECK_OK(MPI_File_close(&files[i]));
        if (check_rank == 0)
            unlink(names[i]);
    }
    return check_end();
}
