/* file_open.c - opening, closing and deleting files: modes, sizes, groups, hints, and errors of which all ranks learn.
 *
 * np: - 1 2 3 4
 */
#include "files.h"

static void open_fails(const char *name, int amode, int errclass)
{
    MPI_File fh = MPI_FILE_NULL;
    CHECK_CLASS(MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, &fh), errclass);
    CHECK(fh == MPI_FILE_NULL);
}

static void write_rank(MPI_File fh, MPI_Offset offset)
{
    MPI_Status status;
    int value = 100 + check_rank, count = -1;
    CHECK_OK(MPI_File_write_at(fh, offset, &value, 1, MPI_INT, &status));
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_INT(count, 1);
}

static void modes(void)
{
    char name[FILE_NAME];
    MPI_File fh;
    MPI_Offset size = -1;
    int amode = 0;
    file_name(name, "modes");
    open_fails(name, MPI_MODE_RDWR, MPI_ERR_NO_SUCH_FILE);
    open_fails(name, MPI_MODE_RDONLY, MPI_ERR_NO_SUCH_FILE);
    open_fails(name, MPI_MODE_CREATE, MPI_ERR_AMODE);
    open_fails(name, MPI_MODE_RDWR | MPI_MODE_WRONLY, MPI_ERR_AMODE);
    open_fails(name, MPI_MODE_RDONLY | MPI_MODE_CREATE, MPI_ERR_AMODE);
    open_fails(name, MPI_MODE_RDONLY | MPI_MODE_EXCL, MPI_ERR_AMODE);
    open_fails(name, MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL, MPI_ERR_AMODE);
    open_fails(name, MPI_MODE_RDWR | 1 << 20, MPI_ERR_AMODE);
    open_fails("", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_ERR_BAD_FILE);
    open_fails("ufs:", MPI_MODE_RDONLY, MPI_ERR_BAD_FILE);
    open_fails("/", MPI_MODE_RDWR, MPI_ERR_BAD_FILE);
    open_fails("/", MPI_MODE_RDONLY, MPI_ERR_BAD_FILE);
    CHECK(!file_is_there(name));
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL, MPI_INFO_NULL, &fh));
    CHECK_OK(MPI_File_get_amode(fh, &amode));
    CHECK_INT(amode, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL);
    write_rank(fh, 4 * check_rank);
    CHECK_OK(MPI_File_close(&fh));
    CHECK(fh == MPI_FILE_NULL);
    CHECK_INT(file_length(name), 4 * check_size);
    open_fails(name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL, MPI_ERR_FILE_EXISTS);

    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_WRONLY | MPI_MODE_APPEND, MPI_INFO_NULL, &fh));
    MPI_Offset position = -1;
    CHECK_OK(MPI_File_get_position(fh, &position));
    CHECK_INT(position, 4 * check_size);
    CHECK_OK(MPI_File_get_size(fh, &size));
    CHECK_INT(size, 4 * check_size);
    int value = 0;
    CHECK_CLASS(MPI_File_read_at(fh, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_ACCESS);
    CHECK_OK(MPI_File_close(&fh));

    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &fh));
    for (int rank = 0; rank < check_size; rank++) {
        value = 0;
        CHECK_OK(MPI_File_read_at(fh, 4 * rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
        CHECK_INT(value, 100 + rank);
    }
    CHECK_CLASS(MPI_File_write_at(fh, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_READ_ONLY);
    CHECK_CLASS(MPI_File_set_size(fh, 3), MPI_ERR_READ_ONLY);
    CHECK(file_is_there(name));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_close(&fh));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(!file_is_there(name));
}

/* The library's descriptors of that file are not passed on to other programs. */
static void closed_on_exec(const char *name)
{
    struct stat wanted, open_one;
    int found = 0;
    CHECK(stat(name, &wanted) == 0);
    for (int fd = 0; fd < 1000; fd++)
        if (fstat(fd, &open_one) == 0 && open_one.st_ino == wanted.st_ino && open_one.st_dev == wanted.st_dev) {
            found++;
            CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
        }
    CHECK_INT(found, 1);
}

static void sizes(void)
{
    char name[FILE_NAME];
    MPI_File fh;
    MPI_Offset size = -1;
    struct stat found;
    file_name(name, "sizes");
    mode_t before = umask(027);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &fh));
    umask(before);
    CHECK(stat(name, &found) == 0 && (found.st_mode & 0777) == 0640);
    CHECK_OK(MPI_File_get_size(fh, &size));
    CHECK_INT(size, 0);
    CHECK_OK(MPI_File_set_size(fh, 10000));
    CHECK_OK(MPI_File_get_size(fh, &size));
    CHECK_INT(size, 10000);
    CHECK_OK(MPI_File_preallocate(fh, 5000));
    CHECK_INT(file_length(name), 10000);
    CHECK_OK(MPI_File_preallocate(fh, 20000));
    CHECK_INT(file_length(name), 20000);
    CHECK_OK(MPI_File_set_size(fh, 0));
    CHECK_INT(file_length(name), 0);
    CHECK_CLASS(MPI_File_set_size(fh, -1), MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_preallocate(fh, -7), MPI_ERR_ARG);
    CHECK_OK(MPI_File_sync(fh));
    if (check_size > 1) {
        int err = MPI_File_set_size(fh, check_rank);
        CHECK_CLASS(err, MPI_ERR_NOT_SAME);
        CHECK_WORDS(err, "size is 0 on rank 0 and 1 on rank 1");
        CHECK_CLASS(check_rank ? MPI_File_sync(fh) : MPI_File_set_size(fh, 0), MPI_ERR_OTHER);
    }
    closed_on_exec(name);
    CHECK_OK(MPI_File_close(&fh));
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0) {
        CHECK_OK(MPI_File_delete(name, MPI_INFO_NULL));
        CHECK(!file_is_there(name));
        CHECK_CLASS(MPI_File_delete(name, MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
        CHECK_CLASS(MPI_File_delete("/tmp", MPI_INFO_NULL), MPI_ERR_BAD_FILE);
        CHECK_CLASS(MPI_File_delete("", MPI_INFO_NULL), MPI_ERR_BAD_FILE);
    }
}

/* What fails on one rank fails on all, in words, and leaves nothing. */
static void others(void)
{
    char name[FILE_NAME], wrong[FILE_NAME + 20];
    MPI_File fh = MPI_FILE_NULL;
    file_name(name, "others");
    if (check_size < 2)
        return;
    snprintf(wrong, sizeof wrong, "%s/nowhere", name);
    int last = check_size - 1, amode = MPI_MODE_RDWR | MPI_MODE_CREATE;
    int err = MPI_File_open(MPI_COMM_WORLD, check_rank == last ? wrong : name, amode, MPI_INFO_NULL, &fh);
    CHECK_CLASS(err, MPI_ERR_BAD_FILE);
    CHECK_WORDS(err, "others/nowhere: not a directory");
    CHECK(fh == MPI_FILE_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(!file_is_there(name));
    err = MPI_File_open(MPI_COMM_WORLD, check_rank == 0 ? wrong : name, amode, MPI_INFO_NULL, &fh);
    CHECK_CLASS(err, MPI_ERR_NO_SUCH_FILE);
    CHECK_WORDS(err, "rank 0");
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(!file_is_there(name));
    err = MPI_File_open(MPI_COMM_WORLD, name, check_rank == last ? MPI_MODE_RDWR : amode, MPI_INFO_NULL, &fh);
    CHECK_CLASS(err, MPI_ERR_NOT_SAME);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(!file_is_there(name));
}

/* A file that was there before stays, whoever cannot open it. */
static void stays(void)
{
    char name[FILE_NAME], wrong[FILE_NAME + 20];
    MPI_File fh = MPI_FILE_NULL;
    file_name(name, "stays");
    if (check_rank == 0)
        close(open(name, O_CREAT | O_WRONLY, 0600));
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(wrong, sizeof wrong, "%s/nowhere", name);
    int amode = MPI_MODE_WRONLY | MPI_MODE_CREATE;
    CHECK_CLASS(MPI_File_open(MPI_COMM_WORLD, check_rank == check_size - 1 ? wrong : name, amode, MPI_INFO_NULL, &fh),
                MPI_ERR_BAD_FILE);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(file_is_there(name));
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0)
        unlink(name);
}

/* Some of the processes, the names of file systems before that of the file, the group, hints that are known and not. */
static void parts(void)
{
    char name[FILE_NAME], own[FILE_NAME + 20], value[MPI_MAX_INFO_VAL] = "";
    MPI_Comm half;
    MPI_File fh;
    MPI_Group group, expected;
    MPI_Info info, used;
    int result = -1, flag = 0, length = sizeof value;
    file_name(name, "parts");
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank % 2, -check_rank, &half));
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "ind_rd_buffer_size", "123456"));
    CHECK_OK(MPI_Info_set(info, "romio_ds_write", "disable"));
    CHECK_OK(MPI_Info_set(info, "romio_ds_read", "nonsense"));
    CHECK_OK(MPI_Info_set(info, "made up", "1"));
    snprintf(own, sizeof own, "ufs:%s%d", name, check_rank % 2);
    int amode = MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_UNIQUE_OPEN;
    CHECK_OK(MPI_File_open(half, own, amode, info, &fh));
    CHECK(file_is_there(own + 4));
    CHECK_OK(MPI_File_get_group(fh, &group));
    CHECK_OK(MPI_Comm_group(half, &expected));
    CHECK_OK(MPI_Group_compare(group, expected, &result));
    CHECK_INT(result, MPI_IDENT);
    CHECK_OK(MPI_File_get_info(fh, &used));
    CHECK_OK(MPI_Info_get_string(used, "ind_rd_buffer_size", &length, value, &flag));
    CHECK(flag);
    CHECK_STRING(value, "123456");
    length = sizeof value;
    CHECK_OK(MPI_Info_get_string(used, "romio_ds_write", &length, value, &flag));
    CHECK_STRING(value, "disable");
    length = sizeof value;
    CHECK_OK(MPI_Info_get_string(used, "romio_ds_read", &length, value, &flag));
    CHECK_STRING(value, "automatic");
    CHECK_OK(MPI_Info_get_string(used, "made up", &length, value, &flag));
    CHECK(!flag);
    CHECK_OK(MPI_Info_free(&used));
    CHECK_OK(MPI_Info_set(info, "romio_ds_write", "enable"));
    CHECK_OK(MPI_File_set_info(fh, info));
    CHECK_OK(MPI_File_get_info(fh, &used));
    length = sizeof value;
    CHECK_OK(MPI_Info_get_string(used, "romio_ds_write", &length, value, &flag));
    CHECK_STRING(value, "enable");
    CHECK_OK(MPI_Info_free(&used));
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_Group_free(&group));
    CHECK_OK(MPI_Group_free(&expected));
    CHECK_OK(MPI_Comm_free(&half)); /* the file has a communicator of its own */
    CHECK_OK(MPI_File_sync(fh));
    CHECK_OK(MPI_File_close(&fh));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(!file_is_there(own + 4));
}

/* The value of a hint in force, or "". */
static const char *in_force(MPI_File fh, const char *key)
{
    static char value[MPI_MAX_INFO_VAL];
    MPI_Info used;
    int length = sizeof value, flag = 0;
    CHECK_OK(MPI_File_get_info(fh, &used));
    CHECK_OK(MPI_Info_get_string(used, key, &length, value, &flag));
    CHECK_OK(MPI_Info_free(&used));
    return flag ? value : "";
}

/* Those of a file that is made, and how it will be accessed. */
static void permissions(void)
{
    static const char *const wrong[] = {"", "9", "01777", "0640x", "rw", "0"};
    char name[FILE_NAME];
    struct stat found;
    MPI_File fh;
    MPI_Info info;
    file_name(name, "permissions");
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "file_perm", "0640"));
    CHECK_OK(MPI_Info_set(info, "access_style", "read_once, sequential,whatever"));
    mode_t mask = umask(022);
    for (int turn = 0; turn < 2; turn++) {
        CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, info, &fh));
        CHECK(stat(name, &found) == 0);
        CHECK_INT(found.st_mode & 0777, 0640);
        CHECK_STRING(in_force(fh, "file_perm"), turn ? "" : "0640"); /* it was there */
        CHECK_STRING(in_force(fh, "access_style"), "read_once,sequential");
        CHECK_OK(MPI_Info_set(info, "file_perm", "0600"));
        CHECK_OK(MPI_File_set_info(fh, info));
        CHECK_STRING(in_force(fh, "file_perm"), turn ? "" : "0640");
        CHECK_OK(MPI_File_close(&fh));
    }
    CHECK_OK(MPI_Info_set(info, "access_style", "random"));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (check_rank == 0)
            CHECK(unlink(name) == 0);
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK_OK(MPI_Info_set(info, "file_perm", wrong[i]));
        CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, info, &fh));
        CHECK(stat(name, &found) == 0);
        CHECK_INT(found.st_mode & 0777, 0644);
        CHECK_STRING(in_force(fh, "file_perm"), "");
        CHECK_STRING(in_force(fh, "access_style"), "random");
        CHECK_OK(MPI_File_close(&fh));
    }
    umask(mask);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0)
        unlink(name);
    CHECK_OK(MPI_Info_free(&info));
}

/* So many of each node, or in all; what is no such number does not count. */
static void aggregators(void)
{
    static const char *const lists[] = {"*:1", "*:*", "*:0", "*:-1", "*:", "1", "node7:1,*:2", "*:1x"};
    char name[FILE_NAME];
    MPI_File fh;
    MPI_Info info;
    file_name(name, "aggregators");
    CHECK_OK(MPI_Info_create(&info));
    int amode = MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        CHECK_OK(MPI_Info_set(info, "cb_config_list", lists[i]));
        CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, amode, info, &fh));
        CHECK_STRING(in_force(fh, "cb_config_list"), i < 2 ? lists[i] : "");
        int n = atoi(in_force(fh, "cb_nodes"));
        CHECK(i == 1 ? n == check_size : n >= 1 && n <= check_size);
        CHECK_OK(MPI_File_write_at_all(fh, 4 * check_rank, &n, 1, MPI_INT, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_File_close(&fh));
    }
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, &fh));
    int usual = atoi(in_force(fh, "cb_nodes"));
    CHECK_OK(MPI_Info_set(info, "cb_config_list", "*:1"));
    CHECK_OK(MPI_File_set_info(fh, info));
    int nodes = atoi(in_force(fh, "cb_nodes"));
    CHECK(usual == (2 * nodes < check_size ? 2 * nodes : check_size) || nodes > 1);
    CHECK_OK(MPI_Info_set(info, "cb_config_list", "*:*"));
    CHECK_OK(MPI_Info_set(info, "cb_nodes", "1"));
    CHECK_OK(MPI_File_set_info(fh, info));
    CHECK_STRING(in_force(fh, "cb_nodes"), "1");
    CHECK_OK(MPI_File_close(&fh));
    CHECK_OK(MPI_Info_free(&info));
}

/* ---- error handlers ---- */

static int told, code_told;
static MPI_File told_of;
static void note(MPI_File *fh, int *code, ...)
{
    told++;
    told_of = *fh;
    code_told = *code;
}

static void handlers(void)
{
    char name[FILE_NAME];
    MPI_Errhandler handler, found;
    MPI_File fh = MPI_FILE_NULL, converted;
    file_name(name, "handlers");
    CHECK_OK(MPI_File_get_errhandler(MPI_FILE_NULL, &found));
    CHECK(found == MPI_ERRORS_RETURN);
    CHECK_OK(MPI_File_create_errhandler(note, &handler));
    CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
    CHECK_CLASS(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &fh), MPI_ERR_NO_SUCH_FILE);
    CHECK_INT(told, 1);
    CHECK(told_of == MPI_FILE_NULL);
    CHECK_CLASS(MPI_File_delete(name, MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
    CHECK_INT(told, 2);
    int amode = MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE;
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, &fh));
    CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_File_seek(fh, -5, MPI_SEEK_SET), MPI_ERR_ARG);
    CHECK_INT(told, 3);
    CHECK(told_of == fh);
    CHECK_OK(MPI_File_call_errhandler(fh, MPI_ERR_IO));
    CHECK_INT(told, 4);
    CHECK_INT(code_told, MPI_ERR_IO);
    CHECK_OK(MPI_File_set_errhandler(fh, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_File_seek(fh, -5, MPI_SEEK_SET), MPI_ERR_ARG);
    CHECK_INT(told, 4);
    CHECK_OK(MPI_Errhandler_free(&handler));
    converted = MPI_File_f2c(MPI_File_c2f(fh));
    CHECK(converted == fh && MPI_File_fromint(MPI_File_toint(fh)) == fh);
    CHECK(MPI_File_f2c(MPI_File_c2f(MPI_FILE_NULL)) == MPI_FILE_NULL);
    MPI_Offset size;
    CHECK_CLASS(MPI_File_get_size(MPI_FILE_NULL, &size), MPI_ERR_FILE);
    MPI_File none = MPI_FILE_NULL;
    CHECK_CLASS(MPI_File_close(&none), MPI_ERR_FILE);
    CHECK_OK(MPI_File_close(&converted));
    CHECK_CLASS(MPI_File_get_size(fh, &size), MPI_ERR_FILE);
    CHECK_CLASS(MPI_File_close(&fh), MPI_ERR_FILE);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    modes();
    sizes();
    others();
    stays();
    parts();
    permissions();
    aggregators();
    handlers();
    return check_end();
}
