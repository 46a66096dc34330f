/* MPI_Reduce_scatter: votes are added up, and every rank gets the totals of its own candidates, some more than others.
 *
 * Rank r owns r + 1 candidates.  Each rank has counted the votes of its district for all candidates.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int candidates = size * (size + 1) / 2;
    int *counts = malloc((size_t)size * sizeof *counts);
    int *votes = malloc((size_t)candidates * sizeof *votes);
    int *totals = malloc((size_t)(rank + 1) * sizeof *totals);
    for (int r = 0; r < size; r++)
        counts[r] = r + 1;
    for (int c = 0; c < candidates; c++)
        votes[c] = 100 * c + 10 * (rank + 1);

    MPI_Reduce_scatter(votes, totals, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

    /* one rank after the other prints what it got: rank 0 collects the lines */
    char line[1000];
    int used = snprintf(line, sizeof line, "rank %d owns:", rank);
    for (int i = 0; i <= rank && used < 900; i++)
        used += snprintf(line + used, sizeof line - (size_t)used, "%s candidate %d with %d", i ? "," : "",
                         rank * (rank + 1) / 2 + i, totals[i]);
    char *lines = rank == 0 ? malloc((size_t)size * sizeof line) : NULL;
    MPI_Gather(line, sizeof line, MPI_CHAR, lines, sizeof line, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int r = 0; rank == 0 && r < size; r++)
        puts(lines + (size_t)r * sizeof line);

    free(lines);
    free(counts);
    free(votes);
    free(totals);
    MPI_Finalize();
    return 0;
}
