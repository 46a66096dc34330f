/* Processes are started, connected, talked with, and parted from: from MPI_COMM_WORLD and MPI_COMM_SELF, several
 * programs, arguments, hints, windows over both jobs, and communicators that are left to MPI_Finalize.
 *
 * np: - 1 2 3
 * only: treefold
 */
#include "spawn.h"

static char *self;

static void see_codes(const int *codes, int n)
{
    for (int i = 0; i < n; i++)
        CHECK_INT(codes[i], MPI_SUCCESS);
}

static void from_world(void)
{
    char *argv[] = {"child", "two words", "", "100%", "line\nbreak", NULL};
    int codes[2], remote = 0;
    MPI_Comm inter;
    check_wipe(codes, sizeof codes);
    CHECK_OK(MPI_Comm_spawn(self, argv, 2, MPI_INFO_NULL, check_size - 1, MPI_COMM_WORLD, &inter, codes));
    see_codes(codes, 2);
    CHECK_OK(MPI_Comm_remote_size(inter, &remote));
    CHECK_INT(remote, 2);
    spawn_use(inter, 0);
    spawn_windows(inter, 1);
    spawn_stream(inter);
    CHECK_OK(MPI_Comm_disconnect(&inter));
    CHECK(inter == MPI_COMM_NULL);
}

static void child(int argc, char **argv, MPI_Comm parent)
{
    int *appnum, flag = 0;
    CHECK_INT(argc, 6);
    CHECK_STRING(argv[2], "two words");
    CHECK_STRING(argv[3], "");
    CHECK_STRING(argv[4], "100%");
    CHECK_STRING(argv[5], "line\nbreak");
    CHECK_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &appnum, &flag));
    CHECK(flag && *appnum == 0);
    spawn_use(parent, 1);
    spawn_windows(parent, 0);
    spawn_stream(parent);
    CHECK_OK(MPI_Comm_disconnect(&parent));
    CHECK_OK(MPI_Comm_get_parent(&parent));
    CHECK(parent == MPI_COMM_NULL);
}

/* Each rank has children of its own at the same time, of two programs. */
static void from_self(void)
{
    char *first[] = {"twin", "0", NULL}, *second[] = {"twin", "1", NULL};
    char *commands[] = {self, self}, **argvs[] = {first, second};
    int maxprocs[] = {1, 2}, codes[3], remote = 0;
    MPI_Info infos[2] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm inter;
    CHECK_OK(MPI_Info_create(&infos[1]));
    CHECK_OK(MPI_Info_set(infos[1], "wdir", "/tmp"));
    check_wipe(codes, sizeof codes);
    CHECK_OK(MPI_Comm_spawn_multiple(2, commands, argvs, maxprocs, infos, 0, MPI_COMM_SELF, &inter, codes));
    CHECK_OK(MPI_Info_free(&infos[1]));
    see_codes(codes, 3);
    CHECK_OK(MPI_Comm_remote_size(inter, &remote));
    CHECK_INT(remote, 3);
    spawn_use(inter, 1);
    CHECK_OK(MPI_Comm_disconnect(&inter));
}

static void twin(char **argv, MPI_Comm parent)
{
    int *appnum, flag = 0;
    char where[200] = "";
    CHECK_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &appnum, &flag));
    CHECK(flag && *appnum == atoi(argv[2]));
    CHECK_INT(check_rank == 0, *appnum == 0);
    CHECK_INT(check_size, 3);
    if (*appnum == 1)
        CHECK(getcwd(where, sizeof where) && strcmp(where, "/tmp") == 0);
    spawn_use(parent, 0);
    CHECK_OK(MPI_Comm_disconnect(&parent));
}

/* What is not disconnected MPI_Finalize ends, for all together; errcodes and arguments are not wanted. */
static void left_open(void)
{
    MPI_Comm inter;
    MPI_Info info;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "soft", "1:5:2,7"));
    CHECK_OK(MPI_Info_set(info, "env", "SPAWN_BASIC=left"));
    CHECK_OK(MPI_Comm_spawn(self, MPI_ARGV_NULL, 2, info, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE));
    CHECK_OK(MPI_Info_free(&info));
    int remote = 0;
    CHECK_OK(MPI_Comm_remote_size(inter, &remote));
    CHECK_INT(remote, 1);
    spawn_use(inter, 0);
    check_kept = 5; /* inter, with what it consists of */
}

int main(int argc, char **argv)
{
    MPI_Comm parent = MPI_COMM_WORLD;
    check_start(&argc, &argv);
    self = spawn_self();
    CHECK_OK(MPI_Comm_get_parent(&parent));
    if (parent != MPI_COMM_NULL) {
        CHECK_OK(MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN));
        if (argc == 1) {
            CHECK_STRING(getenv("SPAWN_BASIC"), "left");
            spawn_use(parent, 1);
        } else if (strcmp(argv[1], "child") == 0)
            child(argc, argv, parent);
        else
            twin(argv, parent);
        return spawn_end();
    }
    from_world();
    from_self();
    left_open();
    return check_end();
}
