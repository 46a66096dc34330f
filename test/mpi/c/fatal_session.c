/* A process that ends while it has a session, whatever it had before, ends the job.
 *
 * np: 2 3
 * fails: rank 1 .*exited without finalizing MPI
 * only: treefold
 * timeout: 20
 */
#include <mpi.h>
#include <stdlib.h>

static MPI_Comm begin(MPI_Session *session)
{
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, session);
    MPI_Group_from_session_pset(*session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    return comm;
}

int main(void)
{
    MPI_Session session;
    MPI_Comm comm = begin(&session);
    int rank;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    comm = begin(&session);
    if (rank == 1)
        exit(0);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return 0;
}
