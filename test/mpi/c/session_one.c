/* One process alone has a session before MPI_Init, and has talked to nobody, or to one other; and one after.
 *
 * np: 2 3 4 7
 * only: treefold
 */
#include "session.h"

int main(int argc, char **argv)
{
    const char *rank = getenv("PMI_RANK");
    check_rank = rank ? atoi(rank) : 0;
    if (check_rank < 2) {
        MPI_Session session = session_begin();
        MPI_Comm comm = check_rank == 0 ? session_part(session, "mpi://SELF", 0, 0, "one") : MPI_COMM_NULL;
        if (comm != MPI_COMM_NULL) {
            session_use(comm);
            CHECK_OK(MPI_Comm_free(&comm));
        }
        comm = session_part(session, "mpi://WORLD", 0, 1, "two");
        session_use(comm);
        CHECK_OK(MPI_Comm_free(&comm));
        CHECK_OK(MPI_Session_finalize(&session));
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &check_size);
    session_use(MPI_COMM_WORLD);
    MPI_Comm comm;
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank % 2, -check_rank, &comm));
    session_use(comm);
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_OK(MPI_Finalize());
    if (check_rank == check_size - 1) {
        MPI_Session session = session_begin();
        comm = session_part(session, "mpi://SELF", 0, 0, "last");
        session_use(comm);
        CHECK_OK(MPI_Comm_free(&comm));
        CHECK_OK(MPI_Session_finalize(&session));
    }
    return session_end();
}
