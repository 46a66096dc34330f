/* parts.c - sessions of parts of a job: `parts WHAT`.  Ranks 0 and 1 are a pair, and so are 2 and 3.
 *
 *     parts alone     the others call nothing of MPI until rank 0 makes a file, when both pairs are done; then each has
 * a session of its own, as mpirun takes a process that never does for one that has failed parts again     the pairs end
 * their sessions and begin others, with neighbors they had not met parts whole     afterwards all make a communicator
 * of the whole job parts world     afterwards all call MPI_Init
 *
 * Each process that is good says so.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG = 300000 };
static int out[LONG], in[LONG];

static MPI_Session begin(int *rank, int *size, MPI_Group *all)
{
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", all);
    MPI_Group_rank(*all, rank);
    MPI_Group_size(*all, size);
    return session;
}

/* Sums, and messages of every length, both ways. */
static void use(MPI_Comm comm, const char *what)
{
    int rank, size, sum;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int mine = rank + 1;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
    int good = sum == size * (size + 1) / 2;
    for (int n = 1; n <= LONG; n *= 10) {
        for (int i = 0; i < n; i++)
            out[i] = rank * 7 + i;
        int from = (rank + size - 1) % size;
        MPI_Sendrecv(out, n, MPI_INT, (rank + 1) % size, n, in, n, MPI_INT, from, n, comm, MPI_STATUS_IGNORE);
        for (int i = 0; i < n; i++)
            good = good && in[i] == from * 7 + i;
    }
    if (!good) {
        printf("rank %d of %d of %s: wrong data\n", rank, size, what);
        exit(1);
    }
}

static void together(MPI_Group all, int first, int last, const char *tag)
{
    MPI_Group part;
    MPI_Comm comm;
    int range[1][3] = {{first, last, 1}};
    MPI_Group_range_incl(all, 1, range, &part);
    MPI_Comm_create_from_group(part, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    use(comm, tag);
    MPI_Comm_free(&comm);
    MPI_Group_free(&part);
}

static void end(MPI_Session *session, MPI_Group *all)
{
    MPI_Group_free(all);
    MPI_Session_finalize(session);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "", *file = argc > 2 ? argv[2] : "", *told = getenv("PMIX_RANK");
    int rank = told ? atoi(told) : 0, size;
    MPI_Group all;
    while (strcmp(what, "alone") == 0 && rank > 3 && access(file, F_OK) != 0)
        usleep(10000);
    MPI_Session session = begin(&rank, &size, &all);
    if (rank < 4)
        together(all, rank / 2 * 2, rank / 2 * 2 + 1, "pair");
    if (strcmp(what, "again") == 0) {
        end(&session, &all);
        session = begin(&rank, &size, &all);
        if (rank == 1 || rank == 2)
            together(all, 1, 2, "middle");
    }
    if (strcmp(what, "alone") == 0 && rank < 4) {
        together(all, 0, 3, "both pairs");
        FILE *f = rank == 0 ? fopen(file, "w") : NULL;
        if (f)
            fclose(f);
    }
    if (strcmp(what, "whole") == 0)
        together(all, 0, size - 1, "whole");
    if (strcmp(what, "world") == 0) {
        MPI_Init(NULL, NULL);
        use(MPI_COMM_WORLD, "world");
        MPI_Finalize();
    }
    end(&session, &all);
    printf("rank %d is good\n", rank);
    return 0;
}
