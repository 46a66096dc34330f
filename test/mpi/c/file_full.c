/* A file system that is full, one with a quota that is used up, one that is read-only, one that goes away, a folder
 * without rights, a device that takes nothing: each access is an error in words on all ranks that take part, nobody
 * waits for ever, and the file can be used afterwards.
 *
 * The file systems are in a mount namespace of a child of rank 0, seen through /proc.  The quota is one of btrfs, which
 * needs root and btrfs-progs and is left out without them.
 *
 * np: 1 2 4
 * only: treefold
 */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "files.h"

enum { N = 200000 }; /* integers a rank, of which 1 MiB has room for those of one and not of two */

static int data[N / 2 * 3];

/* ---- the file systems ---- */

static struct {
    pid_t pid;
    int hold; /* closed: it ends */
    char small[FILE_NAME + 40], fixed[FILE_NAME + 40], limited[FILE_NAME + 40];
} place;

/* What a write is told for which there is no room. */
static struct room {
    int class;
    const char *words;
} full = {MPI_ERR_NO_SPACE, "no space left on device"}, used_up = {MPI_ERR_QUOTA, "disk quota exceeded"}, *room = &full;

static bool say(const char *file, const char *words)
{
    int fd = open(file, O_WRONLY);
    ssize_t n = fd < 0 ? -1 : write(fd, words, strlen(words));
    close(fd);
    return n == (ssize_t)strlen(words);
}

/* Its own root, of files that belong to this user; root already is. */
static bool become_root(void)
{
    char uids[40], gids[40];
    if (geteuid() == 0 && unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
        return true;
    snprintf(uids, sizeof uids, "0 %d 1", (int)geteuid());
    snprintf(gids, sizeof gids, "0 %d 1", (int)getegid());
    return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && say("/proc/self/uid_map", uids) &&
           say("/proc/self/setgroups", "deny") && say("/proc/self/gid_map", gids);
}

/* 1 MiB of a file system that has room for more. */
static bool mount_limited(void)
{
    return mkdir("limited", 0700) == 0 &&
           system("{ truncate -s 128M image && mkfs.btrfs -q image && mount -o loop image limited &&"
                  " btrfs quota enable limited && btrfs qgroup limit 1M 0/5 limited; } >/dev/null 2>&1") == 0;
}

static bool mount_all(const char *folder)
{
    if (!become_root() || mount("none", folder, "tmpfs", 0, "size=200m") < 0 || chdir(folder) < 0)
        return false;
    if (mkdir("small", 0700) < 0 || mount("none", "small", "tmpfs", 0, "size=1m") < 0)
        return false;
    if (mkdir("fixed", 0700) < 0 || mount("none", "fixed", "tmpfs", 0, "size=64k") < 0)
        return false;
    int fd = open("fixed/there", O_CREAT | O_WRONLY, 0600);
    return fd >= 0 && close(fd) == 0 && mount("none", "fixed", "tmpfs", MS_REMOUNT | MS_RDONLY, "size=64k") == 0;
}

static void serve(const char *folder, int told, int held)
{
    char word = mount_all(folder) ? 'y' : 'n';
    if (word == 'y' && mount_limited())
        word = 'q';
    if (write(told, &word, 1) == 1 && word != 'n')
        (void)!read(held, &word, 1);
    _exit(0);
}

static void start_child(const char *folder)
{
    int told[2], held[2];
    char word = 'n';
    CHECK(pipe2(told, O_CLOEXEC) == 0 && pipe2(held, O_CLOEXEC) == 0);
    place.pid = fork();
    if (place.pid == 0) {
        close(held[1]);
        serve(folder, told[1], held[0]);
    }
    close(told[1]);
    close(held[0]);
    place.hold = held[1];
    bool good = read(told[0], &word, 1) == 1 && word != 'n';
    close(told[0]);
    if (good) {
        snprintf(place.small, sizeof place.small, "/proc/%d/root%s/small", (int)place.pid, folder);
        snprintf(place.fixed, sizeof place.fixed, "/proc/%d/root%s/fixed", (int)place.pid, folder);
    }
    if (good && word == 'q')
        snprintf(place.limited, sizeof place.limited, "/proc/%d/root%s/limited", (int)place.pid, folder);
}

static void make_place(char *folder)
{
    if (check_rank == 0) {
        CHECK(mkdir(folder, 0700) == 0);
        start_child(folder);
    }
    MPI_Bcast(&place, sizeof place, MPI_BYTE, 0, MPI_COMM_WORLD);
    int seen = *place.small && access(place.small, W_OK) == 0, all = 0;
    MPI_Allreduce(&seen, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!all)
        *place.small = 0;
}

static void leave_place(const char *folder)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank > 0)
        return;
    close(place.hold);
    waitpid(place.pid, NULL, 0);
    rmdir(folder);
}

/* ---- full ---- */

static MPI_File open_turns(const char *name, const char *way, int amode)
{
    MPI_File f = MPI_FILE_NULL;
    MPI_Info info;
    MPI_Datatype turn;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "romio_cb_write", way));
    CHECK_OK(MPI_Info_set(info, "romio_cb_read", way));
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, amode, info, &f));
    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, check_size * (MPI_Aint)sizeof(int), &turn));
    CHECK_OK(MPI_Type_commit(&turn));
    CHECK_OK(MPI_File_set_view(f, check_rank * (MPI_Offset)sizeof(int), MPI_INT, turn, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_Type_free(&turn));
    CHECK_OK(MPI_Info_free(&info));
    return f;
}

static int write_so(MPI_File f, int form, MPI_Count n)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int code;
    switch (form) {
    case 0:
        return MPI_File_write_at_all_c(f, 0, data, n, MPI_INT, MPI_STATUS_IGNORE);
    case 1:
        code = MPI_File_iwrite_at_all_c(f, 0, data, n, MPI_INT, &request);
        return code ? code : MPI_Wait(&request, MPI_STATUS_IGNORE);
    case 2:
        code = MPI_File_write_at_all_begin_c(f, 0, data, n, MPI_INT);
        return code ? code : MPI_File_write_at_all_end(f, data, MPI_STATUS_IGNORE);
    default:
        CHECK_OK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
        return MPI_File_write_ordered_c(f, data, n, MPI_INT, MPI_STATUS_IGNORE);
    }
}

static void check_room(int code)
{
    CHECK_CLASS(code, room->class);
    CHECK_WORDS(code, room->words);
    CHECK_WORDS(code, "rank");
}

/* Where a quota of btrfs is used up nothing can be removed either. */
static void limit(const char *to)
{
    char command[sizeof place];
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0 && room == &used_up) {
        snprintf(command, sizeof command, "sync -f %s && btrfs qgroup limit %s 0/5 %s", place.limited, to,
                 place.limited);
        CHECK_INT(system(command), 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_works(MPI_File f)
{
    enum { FEW = 1000 };
    MPI_Status status;
    int got = 0;
    limit("none");
    CHECK_OK(MPI_File_set_size(f, 0));
    for (int i = 0; i < FEW; i++)
        data[i] = check_value(check_rank, i);
    CHECK_OK(MPI_File_write_at_all(f, 0, data, FEW, MPI_INT, &status));
    MPI_Barrier(MPI_COMM_WORLD);
    check_wipe(data, FEW * sizeof *data);
    CHECK_OK(MPI_File_read_at_all(f, 0, data, FEW, MPI_INT, &status));
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &got));
    CHECK_INT(got, FEW);
    for (int i = 0; i < FEW; i++)
        CHECK(data[i] == check_value(check_rank, i));
    limit("1M");
}

/* All but one rank may have written what they had; they learn of that one. */
static void check_together(const char *name, const char *way)
{
    MPI_File f = open_turns(name, way, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
    for (int form = 0; form < 4; form++) {
        check_room(write_so(f, form, N + (check_size == 1) * (MPI_Count)N / 2));
        check_works(f);
    }
    check_room(MPI_File_preallocate(f, 1 << 22));
    check_works(f);
    CHECK_OK(MPI_File_close(&f));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(!file_is_there(name));
}

/* Rank 0 fills it. The status says what there was room for. */
static void check_alone(const char *name, const char *sieve)
{
    MPI_File f = open_turns(name, "automatic", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
    MPI_Info info;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "romio_ds_write", sieve));
    CHECK_OK(MPI_File_set_info(f, info));
    CHECK_OK(MPI_Info_free(&info));
    if (check_rank == 0) {
        MPI_Status status;
        MPI_Request request;
        int some = 12345, got = -1, code, few = 50000;
        MPI_Datatype wide;
        CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, 32, &wide));
        CHECK_OK(MPI_Type_commit(&wide));
        MPI_File g;
        CHECK_OK(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR, MPI_INFO_NULL, &g));
        CHECK_OK(MPI_File_set_view(g, 0, MPI_INT, wide, "native", MPI_INFO_NULL));
        code = MPI_File_write_at(g, 0, data, few, MPI_INT, &status);
        check_room(code);
        CHECK_OK(MPI_Get_elements(&status, MPI_INT, &got));
        CHECK(got >= 0 && got < few);
        code = MPI_File_iwrite_at(g, 0, data, few, MPI_INT, &request);
        check_room(code ? code : MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_File_set_view(g, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
        check_room(MPI_File_write_at(g, 200000, data, N, MPI_INT, &status));
        CHECK_OK(MPI_File_seek_shared(g, 200000, MPI_SEEK_SET));
        check_room(MPI_File_write_shared(g, data, N, MPI_INT, &status));
        if (room == &full) {
            CHECK_OK(MPI_File_set_size(g, 0));
            CHECK_OK(MPI_File_write_at(g, 0, &some, 1, MPI_INT, &status));
        }
        CHECK_OK(MPI_File_close(&g));
        CHECK_OK(MPI_Type_free(&wide));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    check_works(f);
    CHECK_OK(MPI_File_close(&f));
}

static void check_folder(const char *folder, struct room *told)
{
    char name[FILE_NAME + 60];
    snprintf(name, sizeof name, "%s/data", folder);
    room = told;
    check_together(name, "enable");
    check_together(name, "disable");
    check_alone(name, "enable");
    check_alone(name, "disable");
    room = &full;
}

/* A device that takes nothing. */
static void check_device(void)
{
    MPI_File f;
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &f));
    for (int form = 0; form < 3; form++)
        check_room(write_so(f, form, 100));
    check_room(MPI_File_write(f, data, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&f));
}

/* ---- what must not be changed ---- */

static void check_fixed(const char *folder)
{
    char name[FILE_NAME + 60];
    MPI_File f = MPI_FILE_NULL;
    snprintf(name, sizeof name, "%s/new", folder);
    int code = MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &f);
    CHECK_CLASS(code, MPI_ERR_READ_ONLY);
    CHECK_WORDS(code, "read-only file system");
    snprintf(name, sizeof name, "%s/there", folder);
    code = MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_WRONLY, MPI_INFO_NULL, &f);
    CHECK_CLASS(code, MPI_ERR_READ_ONLY);
    CHECK_CLASS(MPI_File_delete(name, MPI_INFO_NULL), MPI_ERR_READ_ONLY);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &f));
    CHECK_CLASS(MPI_File_set_size(f, 3), MPI_ERR_READ_ONLY);
    CHECK_OK(MPI_File_sync(f));
    CHECK_OK(MPI_File_close(&f));
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f));
    CHECK_CLASS(MPI_File_close(&f), MPI_ERR_READ_ONLY);
}

/* As somebody who has no rights there, even where this is run by one who has all. */
static void check_rights(const char *folder)
{
    char name[FILE_NAME + 60];
    MPI_File f = MPI_FILE_NULL;
    uid_t before = geteuid();
    snprintf(name, sizeof name, "%s/new", folder);
    if (check_rank == 0)
        CHECK(mkdir(folder, 0500) == 0 && chmod(folder, 0500) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int last = 0; last < 2; last++) {
        if (!last || (check_rank > 0 && check_rank == check_size - 1)) {
            setfsuid(before ? before : 65534);
            prctl(PR_SET_DUMPABLE, 1);
        }
        int code = MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &f);
        setfsuid(before);
        prctl(PR_SET_DUMPABLE, 1);
        if (!last || (check_size > 1 && !before)) {
            CHECK_CLASS(code, MPI_ERR_ACCESS);
            CHECK_WORDS(code, "permission denied");
        } else if (!code)
            CHECK_OK(MPI_File_close(&f));
        MPI_Barrier(MPI_COMM_WORLD);
        if (check_size > 1)
            CHECK(!file_is_there(name));
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (check_rank == 0) {
        unlink(name);
        CHECK(rmdir(folder) == 0);
    }
}

/* ---- what is no longer there ---- */

/* The file that is open stays what it is; its name, and the file system by that name, are gone. */
static void check_vanished(const char *folder)
{
    char name[FILE_NAME + 60];
    snprintf(name, sizeof name, "%s/data", place.small);
    MPI_File f = open_turns(name, "enable", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
    leave_place(folder);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(!file_is_there(name));
    check_works(f);
    check_room(write_so(f, 0, N + (check_size == 1) * (MPI_Count)N / 2));
    check_works(f);
    CHECK_OK(MPI_File_close(&f));
    int code = MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &f);
    CHECK_CLASS(code, MPI_ERR_NO_SUCH_FILE);
    CHECK_WORDS(code, "no such file or directory");
    CHECK_CLASS(MPI_File_delete(name, MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
}

int main(int argc, char **argv)
{
    char folder[FILE_NAME], closed[FILE_NAME];
    check_start(&argc, &argv);
    file_name(folder, "full");
    file_name(closed, "closed");
    check_device();
    check_rights(closed);
    make_place(folder);
    if (*place.small) {
        check_folder(place.small, &full);
        if (*place.limited)
            check_folder(place.limited, &used_up);
        check_fixed(place.fixed);
        check_vanished(folder);
        return check_end();
    }
    if (check_rank == 0)
        printf("skipped: no mount namespace is to be had here\n");
    leave_place(folder);
    return check_end();
}
