/* MPI_MINLOC: the smallest value of an array that is spread over the ranks, with the rank that has it and its index
 * there.
 *
 * One integer carries both: the index in the whole array, from which rank and local index follow.
 */
#include <mpi.h>
#include <stdio.h>

#define LENGTH 1000 /* elements of each rank */

int main(int argc, char **argv)
{
    struct {
        float value;
        int index;
    } mine, least; /* the layout of MPI_FLOAT_INT */
    float values[LENGTH];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    for (int i = 0; i < LENGTH; i++) /* a parabola whose lowest point is element 2718 of the whole */
        values[i] = 0.5f + (rank * LENGTH + i - 2718.0f) * (rank * LENGTH + i - 2718.0f) / 1000.0f;

    mine.value = values[0];
    mine.index = 0;
    for (int i = 1; i < LENGTH; i++)
        if (values[i] < mine.value) {
            mine.value = values[i];
            mine.index = i;
        }
    mine.index += rank * LENGTH;

    MPI_Reduce(&mine, &least, 1, MPI_FLOAT_INT, MPI_MINLOC, 0, MPI_COMM_WORLD);

    if (rank == 0)
        printf("smallest value %.1f, on rank %d, index %d\n", least.value, least.index / LENGTH, least.index % LENGTH);
    MPI_Finalize();
    return 0;
}
