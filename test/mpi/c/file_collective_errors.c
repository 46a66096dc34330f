/* Collective access that cannot be had, on one rank or on all, before it begins or on the way.  All ranks learn of it,
 * nobody waits for ever, and the file can be used afterwards.  Split collectives that are ended or begun when they must
 * not be.
 *
 * np: 1 2 4
 * only: treefold
 */
#include <signal.h>
#include <sys/resource.h>

#include "files.h"

enum { N = 12000 };

static char name[FILE_NAME];
static int data[N];

/* The ranks' integers in turn, so that they are exchanged where the hint asks for it. */
static MPI_File open_turns(int amode, const char *way)
{
    MPI_File f = MPI_FILE_NULL;
    MPI_Info info;
    MPI_Datatype turn;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "romio_cb_write", way));
    CHECK_OK(MPI_Info_set(info, "romio_cb_read", way));
    CHECK_OK(MPI_Info_set(info, "cb_buffer_size", "20000"));
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, amode, info, &f));
    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, check_size * (MPI_Aint)sizeof(int), &turn));
    CHECK_OK(MPI_Type_commit(&turn));
    CHECK_OK(MPI_File_set_view(f, check_rank * (MPI_Offset)sizeof(int), MPI_INT, turn, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_Type_free(&turn));
    CHECK_OK(MPI_Info_free(&info));
    return f;
}

/* An error of that class on all ranks, of which those that have not failed themselves hear who has. */
static void check_all(int code, int class, int who)
{
    char rank[40];
    CHECK_CLASS(code, class);
    snprintf(rank, sizeof rank, "rank %d", who);
    if (who != check_rank)
        CHECK_WORDS(code, rank);
}

/* The same access again, without a fault. */
static void check_works(MPI_File f)
{
    MPI_Status status;
    int got = 0;
    for (int i = 0; i < N; i++)
        data[i] = check_value(check_rank, i);
    CHECK_OK(MPI_File_write_at_all(f, 0, data, N, MPI_INT, &status));
    check_wipe(data, sizeof data);
    CHECK_OK(MPI_File_read_at_all(f, 0, data, N, MPI_INT, &status));
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &got));
    CHECK_INT(got, N);
    for (int i = 0; i < N; i++)
        CHECK(data[i] == check_value(check_rank, i));
}

static int write_so(MPI_File f, int form, int n, MPI_Datatype type)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int code;
    switch (form) {
    case 0:
        return MPI_File_write_at_all(f, 0, data, n, type, MPI_STATUS_IGNORE);
    case 1:
        code = MPI_File_iwrite_at_all(f, 0, data, n, type, &request);
        return code ? code : MPI_Wait(&request, MPI_STATUS_IGNORE);
    default:
        code = MPI_File_write_at_all_begin(f, 0, data, n, type);
        return code ? code : MPI_File_write_at_all_end(f, data, MPI_STATUS_IGNORE);
    }
}

/* One rank gives what is no multiple of an etype. */
static void check_argument(const char *way)
{
    MPI_File f = open_turns(MPI_MODE_RDWR | MPI_MODE_CREATE, way);
    for (int who = 0; who < check_size; who++)
        for (int form = 0; form < 3; form++) {
            bool wrong = who == check_rank;
            int code = write_so(f, form, wrong ? 3 : N, wrong ? MPI_BYTE : MPI_INT);
            check_all(code, MPI_ERR_ARG, who);
        }
    check_works(f);
    CHECK_OK(MPI_File_close(&f));
}

static void check_mode(const char *way)
{
    MPI_File f = open_turns(MPI_MODE_RDONLY, way);
    for (int form = 0; form < 3; form++)
        CHECK_CLASS(write_so(f, form, N, MPI_INT), MPI_ERR_READ_ONLY);
    CHECK_OK(MPI_File_close(&f));
}

/* One rank may write but little; the signal that this gives otherwise is not its end. */
static void check_limit(const char *way)
{
    struct rlimit before, little = {sizeof data / 2, RLIM_INFINITY};
    MPI_File f;
    for (int who = 0; who < check_size; who += check_size - 1 ? check_size - 1 : 1) {
        CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
        little.rlim_max = before.rlim_max;
        if (who == check_rank)
            CHECK(setrlimit(RLIMIT_FSIZE, &little) == 0);
        f = open_turns(MPI_MODE_RDWR | MPI_MODE_CREATE, way);
        for (int form = 0; form < 3; form++) {
            int code = write_so(f, form, N, MPI_INT);
            if (check_size == 1 || strcmp(way, "enable"))
                check_all(code, MPI_ERR_QUOTA, who);
            else if (who == 0) /* an aggregator, as the last one of four is not */
                check_all(code, MPI_ERR_QUOTA, 0);
        }
        CHECK_OK(MPI_File_close(&f));
        CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    }
    f = open_turns(MPI_MODE_RDWR | MPI_MODE_CREATE, way);
    check_works(f);
    CHECK_OK(MPI_File_close(&f));
}

/* A rank that has nothing to write or read is part of it all the same, wherever its pointer is. */
static void check_nothing(const char *way)
{
    MPI_File f = open_turns(MPI_MODE_RDWR | MPI_MODE_CREATE, way);
    check_works(f);
    int n = check_rank % 2 ? 0 : N, got = -1;
    MPI_Status status;
    check_wipe(data, sizeof data);
    CHECK_OK(MPI_File_read_at_all(f, check_rank % 2 ? 12345 : 0, n ? data : NULL, n, MPI_INT, &status));
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &got));
    CHECK_INT(got, n);
    for (int i = 0; i < n; i++)
        CHECK(data[i] == check_value(check_rank, i));
    CHECK_OK(MPI_File_read_at_all(f, 0, NULL, 0, MPI_INT, &status));
    CHECK_OK(MPI_File_close(&f));
}

static void check_split(void)
{
    MPI_File f = open_turns(MPI_MODE_RDWR | MPI_MODE_CREATE, "automatic");
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    int other[4] = {0};
    CHECK_CLASS(MPI_File_write_all_end(f, data, &status), MPI_ERR_OTHER);
    CHECK_CLASS(MPI_File_read_ordered_end(f, data, &status), MPI_ERR_OTHER);
    CHECK_OK(MPI_File_write_all_begin(f, data, N, MPI_INT));
    int code = MPI_File_write_at_all_end(f, data, &status);
    CHECK_CLASS(code, MPI_ERR_OTHER);
    CHECK_WORDS(code, "MPI_File_write_all_begin");
    CHECK_CLASS(MPI_File_read_all_end(f, data, &status), MPI_ERR_OTHER);
    CHECK_CLASS(MPI_File_read_all_begin(f, other, 4, MPI_INT), MPI_ERR_OTHER);
    CHECK_CLASS(MPI_File_read_at_all(f, 0, other, 4, MPI_INT, &status), MPI_ERR_OTHER);
    CHECK_CLASS(MPI_File_read_ordered(f, other, 4, MPI_INT, &status), MPI_ERR_OTHER);
    code = MPI_File_iread_all(f, other, 4, MPI_INT, &request);
    if (code == MPI_SUCCESS)
        code = MPI_Wait(&request, &status);
    CHECK_CLASS(code, MPI_ERR_OTHER);
    MPI_File still = f;
    CHECK_CLASS(MPI_File_close(&still), MPI_ERR_OTHER);
    /* Independent access is allowed meanwhile (section 14.4.5). */
    CHECK_OK(MPI_File_write_at(f, 2 * N, other, 4, MPI_INT, &status));
    CHECK_OK(MPI_File_write_all_end(f, data, &status));
    MPI_Offset position = -1;
    CHECK_OK(MPI_File_get_position(f, &position));
    CHECK_INT(position, N);
    check_works(f);
    CHECK_OK(MPI_File_close(&f));
}

int main(int argc, char **argv)
{
    static const char *const ways[] = {"enable", "disable"};
    check_start(&argc, &argv);
    file_name(name, "errors");
    for (int way = 0; way < 2; way++) {
        check_argument(ways[way]);
        check_mode(ways[way]);
        check_limit(ways[way]);
        check_nothing(ways[way]);
    }
    check_split();
    if (check_rank == 0)
        unlink(name);
    return check_end();
}
