/* info_kinds.c - what objects tell of the kinds of memory (MPI-5.0 section 11.4.3): communicators, windows and files of
 * the World Model the same, and those of a session what the session does.
 *
 * np: 1 2
 * only: treefold
 */
#include "files.h"

static char told[MPI_MAX_INFO_VAL];

static void take(MPI_Info info)
{
    int length = sizeof told, flag = 0;
    CHECK_OK(MPI_Info_get_string(info, "mpi_memory_alloc_kinds", &length, told, &flag));
    CHECK(flag);
    CHECK_OK(MPI_Info_free(&info));
}

static void comm_tells(MPI_Comm comm, const char *what)
{
    MPI_Info info;
    CHECK_OK(MPI_Comm_get_info(comm, &info));
    take(info);
    CHECK_STRING(told, what);
}

static void world(const char *what)
{
    char name[FILE_NAME];
    MPI_Comm dup;
    MPI_Win win;
    MPI_File file;
    MPI_Info info;
    comm_tells(MPI_COMM_WORLD, what);
    comm_tells(MPI_COMM_SELF, what);
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    comm_tells(dup, what);
    CHECK_OK(MPI_Win_create(name, sizeof name, 1, MPI_INFO_NULL, dup, &win));
    CHECK_OK(MPI_Win_get_info(win, &info));
    take(info);
    CHECK_STRING(told, what);
    CHECK_OK(MPI_Win_free(&win));
    file_name(name, "kinds");
    CHECK_OK(
        MPI_File_open(dup, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    CHECK_OK(MPI_File_get_info(file, &info));
    take(info);
    CHECK_STRING(told, what);
    CHECK_OK(MPI_File_close(&file));
    CHECK_OK(MPI_Comm_free(&dup));
}

int main(int argc, char **argv)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Info info;
    char of_session[MPI_MAX_INFO_VAL];
    check_start(&argc, &argv);
    CHECK_OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    CHECK_OK(MPI_Session_get_info(session, &info));
    take(info);
    CHECK(strncmp(told, "mpi,system", 10) == 0);
    strcpy(of_session, told);
    CHECK_OK(MPI_Group_from_session_pset(session, "mpi://SELF", &group));
    CHECK_OK(MPI_Comm_create_from_group(group, "kinds", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    comm_tells(comm, of_session);
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_OK(MPI_Group_free(&group));
    CHECK_OK(MPI_Session_finalize(&session));
    world(of_session);
    return check_end();
}
