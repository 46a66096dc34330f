/* Nobody has a session before the end of MPI_Finalize, which closes everything; then some have.
 *
 * np: - 1 2 4 6 8
 * only: treefold
 */
#include "session.h"

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    session_use(MPI_COMM_WORLD);
    CHECK_OK(MPI_Finalize());
    if (check_rank >= 3)
        return session_end();
    for (int i = 0; i < 3; i++) {
        MPI_Session session = session_begin();
        MPI_Comm comm = session_part(session, "mpi://WORLD", 0, check_size > 3 ? 2 : check_size - 1, "after");
        session_use(comm);
        CHECK_OK(MPI_Comm_free(&comm));
        CHECK_OK(MPI_Session_finalize(&session));
    }
    return session_end();
}
