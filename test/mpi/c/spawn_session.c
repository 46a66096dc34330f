/* Processes are spawned from a communicator of a session, where there is no MPI_COMM_WORLD, again and again.
 *
 * np: - 1 2 3
 * only: treefold
 */
#include "session.h"
#include "spawn.h"

static int child(MPI_Comm parent, int root)
{
    int number = 0;
    CHECK_OK(MPI_Bcast(&number, 1, MPI_INT, root, parent));
    CHECK_INT(number, 42);
    CHECK_OK(MPI_Comm_disconnect(&parent));
    return spawn_end();
}

int main(int argc, char **argv)
{
    MPI_Comm parent, inter;
    if (argc > 1) {
        check_start(&argc, &argv);
        CHECK_OK(MPI_Comm_get_parent(&parent));
        return child(parent, atoi(argv[1]));
    }
    char word[12], *words[] = {word, NULL};
    for (int turn = 0; turn < 2; turn++) {
        MPI_Session session = session_begin();
        MPI_Comm comm = session_whole(session, "parents");
        session_place(session);
        for (int root = 0; root < check_size; root++) {
            int number = check_rank == root ? 42 : -1, remote = 0;
            snprintf(word, sizeof word, "%d", root);
            CHECK_OK(MPI_Comm_spawn(argv[0], words, 2, MPI_INFO_NULL, root, comm, &inter, MPI_ERRCODES_IGNORE));
            CHECK_OK(MPI_Comm_remote_size(inter, &remote));
            CHECK_INT(remote, 2);
            CHECK_OK(MPI_Bcast(&number, 1, MPI_INT, check_rank == root ? MPI_ROOT : MPI_PROC_NULL, inter));
            CHECK_OK(MPI_Comm_disconnect(&inter));
        }
        CHECK_OK(MPI_Comm_free(&comm));
        CHECK_OK(MPI_Session_finalize(&session));
    }
    return session_end();
}
