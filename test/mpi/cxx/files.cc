/* files.cc - MPI::File: open and close, views, all forms of access, places, data representations, errors.
 *
 * np: 1 2 3
 * only: treefold
 */
#include <cstdio>
#include <cstring>

#include "../c/check.h"
#include "../c/files.h"

static MPI::Intracomm &world = MPI::COMM_WORLD;
static char name[FILE_NAME];
static int handled, converted;

enum { N = 10 };
static int out[N], in[N];

static void fill(int what)
{
    for (int i = 0; i < N; i++) {
        out[i] = 1000 * what + 100 * check_rank + i;
        in[i] = -1;
    }
}

static void compare()
{
    for (int i = 0; i < N; i++)
        CHECK_INT(in[i], out[i]);
}

/* The etype is an int, and the ranks' pieces of N follow each other. */
static MPI::Offset mine()
{
    return static_cast<MPI::Offset>(N) * check_rank;
}

static void at(const MPI::File &f)
{
    MPI::Status status;
    fill(1);
    f.Write_at(mine(), out, N, MPI::INT, status);
    CHECK_INT(status.Get_count(MPI::INT), N);
    f.Read_at(mine(), in, N, MPI::INT);
    compare();
    fill(2);
    f.Write_at_all(mine(), out, N, MPI::INT);
    f.Read_at_all(mine(), in, N, MPI::INT, status);
    CHECK_INT(status.Get_count(MPI::INT), N);
    compare();
    fill(3);
    f.Iwrite_at(mine(), out, N, MPI::INT).Wait();
    f.Iread_at(mine(), in, N, MPI::INT).Wait();
    compare();
    fill(4);
    f.Write_at_all_begin(mine(), out, N, MPI::INT);
    f.Write_at_all_end(out, status);
    CHECK_INT(status.Get_count(MPI::INT), N);
    f.Read_at_all_begin(mine(), in, N, MPI::INT);
    f.Read_at_all_end(in);
    compare();
}

static void home(const MPI::File &f)
{
    f.Seek(mine(), MPI::SEEK_SET);
}

static void individual(const MPI::File &f)
{
    MPI::Status status;
    fill(5);
    home(f), f.Write(out, N, MPI::INT);
    CHECK_INT(f.Get_position(), mine() + N);
    f.Seek(-N, MPI::SEEK_CUR), f.Read(in, N, MPI::INT, status);
    CHECK_INT(status.Get_count(MPI::INT), N);
    compare();
    fill(6);
    home(f), f.Write_all(out, N, MPI::INT, status);
    home(f), f.Read_all(in, N, MPI::INT);
    compare();
    fill(7);
    home(f), f.Iwrite(out, N, MPI::INT).Wait();
    home(f), f.Iread(in, N, MPI::INT).Wait();
    compare();
    fill(8);
    home(f), f.Write_all_begin(out, N, MPI::INT), f.Write_all_end(out);
    home(f), f.Read_all_begin(in, N, MPI::INT), f.Read_all_end(in, status);
    CHECK_INT(status.Get_count(MPI::INT), N);
    compare();
    CHECK_INT(f.Get_byte_offset(3), 12);
}

static void shared_home(const MPI::File &f)
{
    world.Barrier();
    f.Seek_shared(0, MPI::SEEK_SET);
    world.Barrier();
}

static void shared(const MPI::File &f)
{
    MPI::Status status;
    fill(9);
    shared_home(f), f.Write_ordered(out, N, MPI::INT);
    CHECK_INT(f.Get_position_shared(), N * check_size);
    shared_home(f), f.Read_ordered(in, N, MPI::INT, status);
    compare();
    fill(10);
    shared_home(f), f.Write_ordered_begin(out, N, MPI::INT), f.Write_ordered_end(out);
    shared_home(f), f.Read_ordered_begin(in, N, MPI::INT), f.Read_ordered_end(in, status);
    CHECK_INT(status.Get_count(MPI::INT), N);
    compare();
    /* Who comes first has what comes first: the same for all, so that it is right for any order. */
    for (int i = 0; i < N; i++)
        out[i] = i;
    shared_home(f), f.Write_shared(out, N, MPI::INT);
    f.Iwrite_shared(out, N, MPI::INT).Wait();
    shared_home(f), f.Read_shared(in, N, MPI::INT, status);
    compare();
    f.Iread_shared(in, N, MPI::INT).Wait();
    compare();
    world.Barrier();
    CHECK_INT(f.Get_position_shared(), 2 * N * check_size);
}

static void file(const MPI::File &f)
{
    char value[20] = "";
    MPI::Info info = f.Get_info(), wish = MPI::Info::Create();
    wish.Set("cb_buffer_size", "65536");
    f.Set_info(wish);
    wish.Free();
    info.Free();
    info = f.Get_info();
    CHECK(info.Get("cb_buffer_size", 19, value));
    CHECK_STRING(value, "65536");
    info.Free();
    MPI::Group group = f.Get_group();
    CHECK_INT(group.Get_size(), check_size);
    group.Free();
    CHECK_INT(f.Get_amode(), MPI::MODE_RDWR | MPI::MODE_CREATE | MPI::MODE_DELETE_ON_CLOSE);
    f.Set_size(100);
    CHECK_INT(f.Get_size(), 100);
    world.Barrier();
    f.Preallocate(200);
    CHECK_INT(f.Get_size(), 200);
    CHECK(!f.Get_atomicity());
    f.Set_atomicity(true);
    CHECK(f.Get_atomicity());
    f.Set_atomicity(false);
    f.Sync();
    CHECK_INT(f.Get_type_extent(MPI::INT), sizeof(int));
}

/* ---- a data representation: an int is three times itself, as a long ---- */

static void extent_of(const MPI::Datatype &datatype, MPI::Aint &extent, void *state)
{
    CHECK(datatype == MPI::INT && state == &converted);
    extent = sizeof(long);
}

static void to_file(void *user, MPI::Datatype &, int count, void *file, MPI::Offset position, void *state)
{
    converted += state == &converted;
    for (int i = 0; i < count; i++) {
        long tripled = 3L * static_cast<int *>(user)[position + i];
        std::memcpy(static_cast<char *>(file) + static_cast<size_t>(i) * sizeof tripled, &tripled, sizeof tripled);
    }
}

static void from_file(void *user, MPI::Datatype &, int count, void *file, MPI::Offset position, void *)
{
    for (int i = 0; i < count; i++) {
        long tripled;
        std::memcpy(&tripled, static_cast<char *>(file) + static_cast<size_t>(i) * sizeof tripled, sizeof tripled);
        static_cast<int *>(user)[position + i] = static_cast<int>(tripled / 3);
    }
}

static void refuse(void *, MPI::Datatype &, int, void *, MPI::Offset, void *)
{
    throw 17;
}

static void representation(const MPI::File &f)
{
    MPI::Register_datarep("tripled", from_file, to_file, extent_of, &converted);
    MPI::Register_datarep("refused", from_file, refuse, extent_of, &converted);
    f.Set_view(0, MPI::INT, MPI::INT, "tripled", MPI::INFO_NULL);
    CHECK_INT(f.Get_type_extent(MPI::INT), sizeof(long));
    fill(11);
    f.Write_at(mine(), out, N, MPI::INT);
    f.Read_at(mine(), in, N, MPI::INT);
    compare();
    CHECK(converted > 0);
    long first = 0;
    f.Set_view(0, MPI::LONG, MPI::LONG, "native", MPI::INFO_NULL);
    f.Read_at(mine(), &first, 1, MPI::LONG);
    CHECK_INT(first, 3 * out[0]);
    int thrown = 0;
    f.Set_view(0, MPI::INT, MPI::INT, "refused", MPI::INFO_NULL);
    try {
        f.Write_at(mine(), out, 1, MPI::INT);
    } catch (int what) {
        thrown = what;
    }
    CHECK_INT(thrown, 17);
}

static void view(const MPI::File &f)
{
    MPI::Offset disp = -1;
    MPI::Datatype etype, filetype, pair = MPI::INT.Create_contiguous(2);
    char datarep[MPI::MAX_DATAREP_STRING] = "";
    pair.Commit();
    f.Set_view(4, MPI::INT, pair, "native", MPI::INFO_NULL);
    f.Get_view(disp, etype, filetype, datarep);
    CHECK_INT(disp, 4);
    CHECK(etype == MPI::INT);
    CHECK_INT(filetype.Get_size(), 2 * sizeof(int));
    CHECK_STRING(datarep, "native");
    filetype.Free();
    pair.Free();
    f.Set_view(0, MPI::INT, MPI::INT, "native", MPI::INFO_NULL);
}

static void handle(MPI::File &, int *code, ...)
{
    handled += MPI::Get_error_class(*code) == MPI::ERR_NO_SUCH_FILE;
}

static void errors()
{
    int caught = MPI::SUCCESS;
    CHECK(MPI::FILE_NULL.Get_errhandler() == MPI::ERRORS_RETURN);
    MPI::Errhandler mine = MPI::File::Create_errhandler(handle);
    MPI::FILE_NULL.Set_errhandler(mine);
    mine.Free();
    MPI::File f = MPI::File::Open(world, "/nowhere/at all", MPI::MODE_RDONLY, MPI::INFO_NULL);
    CHECK(f == MPI::FILE_NULL);
    CHECK_INT(handled, 1);
    MPI::FILE_NULL.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    check_kept = 1; /* what throws them */
    try {
        f = MPI::File::Open(world, "/nowhere/at all", MPI::MODE_RDONLY, MPI::INFO_NULL);
    } catch (const MPI::Exception &exception) {
        caught = exception.Get_error_class();
    }
    CHECK_INT(caught, MPI::ERR_NO_SUCH_FILE);
    caught = MPI::SUCCESS;
    try {
        MPI::File::Delete("/nowhere/at all", MPI::INFO_NULL);
    } catch (const MPI::Exception &exception) {
        caught = exception.Get_error_class();
    }
    CHECK_INT(caught, MPI::ERR_NO_SUCH_FILE);
    MPI::FILE_NULL.Set_errhandler(MPI::ERRORS_RETURN);
}

static void own_errors(const MPI::File &f)
{
    int caught = MPI::SUCCESS;
    CHECK(f.Get_errhandler() == MPI::ERRORS_RETURN);
    f.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    CHECK(f.Get_errhandler() == MPI::ERRORS_THROW_EXCEPTIONS);
    try {
        f.Read_at(-1, in, 1, MPI::INT);
    } catch (const MPI::Exception &exception) {
        caught = exception.Get_error_class();
    }
    CHECK_INT(caught, MPI::ERR_ARG);
    MPI::Errhandler mine = MPI::File::Create_errhandler(handle);
    f.Set_errhandler(mine);
    mine.Free();
    f.Call_errhandler(MPI::ERR_NO_SUCH_FILE);
    CHECK_INT(handled, 2);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    file_name(name, "cxx");
    errors();
    MPI::File f =
        MPI::File::Open(world, name, MPI::MODE_RDWR | MPI::MODE_CREATE | MPI::MODE_DELETE_ON_CLOSE, MPI::INFO_NULL);
    CHECK(f != MPI::FILE_NULL);
    file(f);
    view(f);
    at(f);
    individual(f);
    shared(f);
    representation(f);
    own_errors(f);
    f.Close();
    CHECK(f == MPI::FILE_NULL && !file_is_there(name));
    CHECK(MPI::SEEK_SET == MPI_SEEK_SET && MPI::SEEK_CUR == MPI_SEEK_CUR && MPI::SEEK_END == MPI_SEEK_END);
    CHECK(SEEK_SET == 0 && SEEK_CUR == 1 && SEEK_END == 2);
    return check_end();
}
