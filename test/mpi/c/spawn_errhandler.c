/* What the error handlers of new processes are at first: the hint mpi_initial_errhandler (MPI-5.0 sections 9.3
 * and 11.8.4).
 *
 * np: - 1 2
 * only: treefold
 */
#include "spawn.h"

static void see(MPI_Comm comm, MPI_Errhandler wanted)
{
    MPI_Errhandler found = MPI_ERRHANDLER_NULL;
    CHECK_OK(MPI_Comm_get_errhandler(comm, &found));
    CHECK(found == wanted);
    CHECK_OK(MPI_Errhandler_free(&found));
}

static int child(const char *name, MPI_Comm parent)
{
    MPI_Errhandler wanted = strcmp(name, "mpi_errors_return") == 0  ? MPI_ERRORS_RETURN
                            : strcmp(name, "mpi_errors_abort") == 0 ? MPI_ERRORS_ABORT
                                                                    : MPI_ERRORS_ARE_FATAL;
    char value[MPI_MAX_INFO_VAL] = "";
    int length = sizeof value, flag = 0, rank = -1;
    MPI_Comm dup = MPI_COMM_NULL;
    see(MPI_COMM_WORLD, wanted);
    see(MPI_COMM_SELF, wanted);
    see(parent, wanted);
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    see(dup, wanted);
    CHECK_OK(MPI_Comm_free(&dup));
    CHECK_OK(MPI_Info_get_string(MPI_INFO_ENV, "mpi_initial_errhandler", &length, value, &flag));
    CHECK(flag);
    CHECK_STRING(value, *name ? name : "mpi_errors_are_fatal");
    if (wanted == MPI_ERRORS_RETURN) {
        CHECK_INT(MPI_Comm_rank(MPI_COMM_NULL, &rank), MPI_ERR_COMM);
        CHECK_INT(MPI_Send(&rank, 1, MPI_INT, 0, -7, MPI_COMM_WORLD), MPI_ERR_TAG);
    }
    CHECK_OK(MPI_Comm_disconnect(&parent));
    return spawn_end();
}

static void spawn(char *name)
{
    char *argv[] = {name, NULL};
    MPI_Info info = MPI_INFO_NULL;
    MPI_Comm inter = MPI_COMM_NULL;
    int codes[2];
    if (*name) {
        CHECK_OK(MPI_Info_create(&info));
        CHECK_OK(MPI_Info_set(info, "mpi_initial_errhandler", name));
    }
    check_wipe(codes, sizeof codes);
    CHECK_OK(MPI_Comm_spawn(spawn_self(), argv, 2, info, 0, MPI_COMM_WORLD, &inter, codes));
    CHECK(codes[0] == MPI_SUCCESS && codes[1] == MPI_SUCCESS);
    CHECK_OK(MPI_Comm_disconnect(&inter));
    if (*name)
        CHECK_OK(MPI_Info_free(&info));
}

static void spawn_with_nonsense(void)
{
    MPI_Info info = MPI_INFO_NULL;
    MPI_Comm inter = MPI_COMM_NULL;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "mpi_initial_errhandler", "mpi_errors_sometimes"));
    CHECK_INT(MPI_Comm_spawn(spawn_self(), MPI_ARGV_NULL, 1, info, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE),
              MPI_ERR_SPAWN);
    CHECK_OK(MPI_Info_free(&info));
}

int main(int argc, char **argv)
{
    MPI_Comm parent = MPI_COMM_NULL;
    if (argc > 1) {
        MPI_Init(&argc, &argv);
        MPI_Comm_get_parent(&parent);
        return child(argv[1], parent);
    }
    check_start(&argc, &argv);
    spawn("");
    spawn("mpi_errors_are_fatal");
    spawn("mpi_errors_abort");
    spawn("mpi_errors_return");
    spawn_with_nonsense();
    return check_end();
}
