/* Sessions before, beside and after the world, on all processes or on one, and several at once.
 *
 * np: - 1 2 4 5 9
 * only: treefold
 */
#include "files.h"
#include "session.h"

static MPI_File begin_file(MPI_Comm comm)
{
    char name[FILE_NAME];
    MPI_File fh;
    file_name(name, "session");
    CHECK_OK(MPI_File_open(comm, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &fh));
    return fh;
}

/* It is the session's, and stays when the World Model ends. */
static void end_file(MPI_File fh)
{
    int mine = 100 + check_rank, value = -1;
    CHECK_OK(MPI_File_write_at_all(fh, (MPI_Offset)sizeof mine * check_rank, &mine, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_sync(fh));
    CHECK_OK(
        MPI_File_read_at_all(fh, (MPI_Offset)sizeof mine * (check_size - 1), &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_INT(value, 100 + check_size - 1);
    CHECK_OK(MPI_File_close(&fh));
}

static void cycle(const char *tag)
{
    MPI_Session session = session_begin();
    MPI_Comm comm = session_whole(session, tag);
    session_use(comm);
    CHECK_OK(MPI_Comm_disconnect(&comm));
    CHECK_OK(MPI_Session_finalize(&session));
}

int main(int argc, char **argv)
{
    const char *mode = getenv("SESSION_MODE");
    int flag = -1;
    (void)mode;
    MPI_Session early = session_begin();
    session_place(early);
    for (int i = 0; i < 5; i++)
        cycle("before");
    MPI_Comm lasting = check_rank == 0 ? session_part(early, "mpi://SELF", 0, 0, "alone") : MPI_COMM_NULL;

    CHECK_OK(MPI_Init(&argc, &argv));
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    session_use(MPI_COMM_WORLD);
    cycle("beside");
    MPI_Comm kept = session_whole(early, "kept");
    MPI_Group world, whole;
    int result = -1;
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CHECK_OK(MPI_Group_from_session_pset(early, "mpi://WORLD", &whole));
    CHECK_OK(MPI_Group_compare(world, whole, &result));
    CHECK_INT(result, MPI_IDENT);
    CHECK_OK(MPI_Group_free(&world));
    CHECK_OK(MPI_Group_free(&whole));
    MPI_File fh = begin_file(kept);
    CHECK_OK(MPI_Finalize());
    CHECK_OK(MPI_Finalized(&flag));
    CHECK_INT(flag, 1);

    end_file(fh);
    session_use(kept);
    if (lasting != MPI_COMM_NULL) {
        session_use(lasting);
        CHECK_OK(MPI_Comm_free(&lasting));
    }
    CHECK_OK(MPI_Comm_free(&kept));
    for (int i = 0; i < 5; i++)
        cycle("after");
    CHECK_OK(MPI_Session_finalize(&early));
    for (int i = 0; i < 5; i++)
        cycle("after all");
    return session_end();
}
