/* Sessions before, beside and after the world, on all processes or on one, and several at once.
 *
 * np: - 1 2 4 5 9
 * only: treefold
 */
#include "session.h"

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
    CHECK_OK(MPI_Finalize());
    CHECK_OK(MPI_Finalized(&flag));
    CHECK_INT(flag, 1);

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
