/* The tool interface, MPI_T: where the time of a program went.
 *
 * Ranks have unequal work and meet in an MPI_Allreduce after each step.  A performance variable of the library, found
 * by its name, says how long each rank has waited for the others; another one, how many collectives there were.  What
 * is printed on standard error depends on the machine.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 20 };

/* Started, in that session. */
static MPI_T_pvar_handle variable(MPI_T_pvar_session session, const char *name, int class)
{
    int index, count;
    MPI_T_pvar_handle handle;
    if (MPI_T_pvar_get_index(name, class, &index)) {
        fprintf(stderr, "this MPI has no variable %s\n", name);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count);
    MPI_T_pvar_start(session, handle);
    return handle;
}

/* Rank 0 has the least to do. */
static double work(int rank)
{
    double sum = 0;
    for (int i = 1; i <= 300000 * (rank + 1); i++)
        sum += 1.0 / i;
    return sum;
}

int main(int argc, char **argv)
{
    int provided, rank, size;
    MPI_T_pvar_session session;
    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    MPI_T_pvar_session_create(&session);
    MPI_T_pvar_handle waited = variable(session, "treefold_time_waited", MPI_T_PVAR_CLASS_TIMER);
    MPI_T_pvar_handle collectives = variable(session, "treefold_collectives", MPI_T_PVAR_CLASS_COUNTER);
    double start = MPI_Wtime(), sum = 0;
    for (int step = 0; step < STEPS; step++) {
        sum = work(rank);
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }

    double mine[2] = {MPI_Wtime() - start, 0}, *all = malloc(2 * (size_t)size * sizeof *all);
    unsigned long long count;
    MPI_T_pvar_read(session, waited, &mine[1]);
    MPI_T_pvar_read(session, collectives, &count);
    MPI_Gather(mine, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    int consistent = 1;
    for (int r = 0; rank == 0 && r < size; r++) {
        fprintf(stderr, "rank %d: %.3f seconds, of which %.3f waiting\n", r, all[2 * r], all[2 * r + 1]);
        consistent &= all[2 * r + 1] >= 0 && all[2 * r + 1] <= all[2 * r];
    }
    if (rank == 0) {
        printf("collectives: %llu\n", count);
        printf("nobody has waited longer than it ran: %s\n", consistent ? "yes" : "no");
    }
    free(all);
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
