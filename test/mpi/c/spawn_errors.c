/* What cannot be started is an error in words on every process, with a code for each process, and leaves nothing
 * behind; so are wrong arguments; then it works.
 *
 * np: - 1 2
 * only: treefold
 */
#include "spawn.h"

static bool names(int code, const char *words)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    MPI_Error_string(code, text, &length);
    bool good = strstr(text, words) != NULL;
    if (!good)
        printf("\"%s\" is not in \"%s\"\n", words, text);
    return good;
}

/* At the root (0) in its own words. */
static void refused(const char *command, int maxprocs, MPI_Info info, int errclass, const char *words, int ncodes)
{
    int codes[4] = {9, 9, 9, 9};
    MPI_Comm inter = MPI_COMM_WORLD;
    int code = MPI_Comm_spawn(command, MPI_ARGV_NULL, maxprocs, info, 0, MPI_COMM_WORLD, &inter, codes);
    CHECK_CLASS(code, errclass);
    if (check_rank == 0)
        CHECK(names(code, words));
    CHECK(inter == MPI_COMM_NULL);
    for (int i = 0; i < 4; i++)
        CHECK_INT(codes[i], i < ncodes ? MPI_ERR_SPAWN : 9);
}

static MPI_Info hint(const char *key, const char *value)
{
    MPI_Info info;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, key, value));
    return info;
}

static void refused_hint(const char *key, const char *value, int errclass, const char *words)
{
    MPI_Info info = hint(key, value);
    refused(spawn_self(), 2, info, errclass, words, 2);
    CHECK_OK(MPI_Info_free(&info));
}

static void multiple(void)
{
    char *commands[] = {spawn_self(), "there-is-no-such-program"};
    int maxprocs[] = {2, 1}, codes[3] = {9, 9, 9};
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm inter;
    CHECK_CLASS(MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, maxprocs, infos, 0, MPI_COMM_WORLD, &inter, codes),
                MPI_ERR_SPAWN);
    for (int i = 0; i < 3; i++)
        CHECK_INT(codes[i], MPI_ERR_SPAWN);
    maxprocs[1] = 0;
    int code = MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, maxprocs, infos, 0, MPI_COMM_WORLD, &inter, codes);
    CHECK_CLASS(code, MPI_ERR_SPAWN);
    if (check_rank == 0)
        CHECK(names(code, "maxprocs[1] is 0"));
    CHECK_CLASS(MPI_Comm_spawn_multiple(0, commands, MPI_ARGVS_NULL, maxprocs, infos, 0, MPI_COMM_WORLD, &inter, codes),
                MPI_ERR_COUNT);
}

static void good(void)
{
    char *argv[] = {"child", NULL};
    MPI_Comm inter;
    CHECK_OK(MPI_Comm_spawn(spawn_self(), argv, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE));
    CHECK_OK(MPI_Comm_disconnect(&inter));
}

int main(int argc, char **argv)
{
    MPI_Comm parent = MPI_COMM_NULL;
    check_start(&argc, &argv);
    CHECK_OK(MPI_Comm_get_parent(&parent));
    if (parent != MPI_COMM_NULL) {
        CHECK_OK(MPI_Comm_disconnect(&parent));
        return spawn_end();
    }
    refused("there-is-no-such-program", 2, MPI_INFO_NULL, MPI_ERR_SPAWN, "there-is-no-such-program", 2);
    refused("/proc/self/status", 1, MPI_INFO_NULL, MPI_ERR_SPAWN, "/proc/self/status", 1);
    refused("", 1, MPI_INFO_NULL, MPI_ERR_ARG, "command is empty", 1);
    refused(spawn_self(), -1, MPI_INFO_NULL, MPI_ERR_ARG, "maxprocs is -1", 0);
    refused(spawn_self(), 0, MPI_INFO_NULL, MPI_ERR_SPAWN, "no process to be started", 0);
    refused_hint("wdir", "/there/is/no/such/directory", MPI_ERR_SPAWN, "/there/is/no/such/directory");
    refused_hint("host", "no.such.host.invalid", MPI_ERR_SPAWN, "no.such.host.invalid");
    refused_hint("soft", "many", MPI_ERR_INFO_VALUE, "the hint soft is \"many\"");
    refused_hint("soft", "3:9", MPI_ERR_SPAWN, "has no number up to that");
    refused_hint("file", "/there/is/no/such/file", MPI_ERR_INFO_VALUE, "/there/is/no/such/file");
    multiple();
    MPI_Comm inter;
    CHECK_CLASS(MPI_Comm_spawn(spawn_self(), MPI_ARGV_NULL, 1, MPI_INFO_NULL, check_size, MPI_COMM_WORLD, &inter,
                               MPI_ERRCODES_IGNORE),
                MPI_ERR_ROOT);
    good();
    return check_end();
}
