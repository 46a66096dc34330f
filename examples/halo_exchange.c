/* The temperature of a plate whose upper edge is at 100 degrees and whose other edges are at 0, step by step: each cell
 * becomes the mean of the four around it.  The plate is cut into blocks, one for each process of a 2-D grid.
 *
 * A block has a border of one cell, in which its neighbors' outermost rows and columns are wanted before each step: one
 * persistent MPI_Neighbor_alltoallw, whose datatypes say where they lie, with no packing by hand.  At the edge of the
 * plate there is no neighbor (MPI_PROC_NULL), and the border keeps the temperature of the edge.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 24, STEPS = 400 };

int main(int argc, char **argv)
{
    int size, rank, dims[2] = {0, 0}, rings[2] = {0, 0}, at[2], begin[2], cells[2];
    MPI_Comm plate;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, rings, 1, &plate);
    MPI_Comm_rank(plate, &rank);
    MPI_Cart_coords(plate, rank, 2, at);
    for (int d = 0; d < 2; d++) {
        begin[d] = N * at[d] / dims[d];
        cells[d] = N * (at[d] + 1) / dims[d] - begin[d];
    }

    /* The block with its border, in rows of `pitch` cells. */
    int rows = cells[0], columns = cells[1], pitch = columns + 2;
    double *now = calloc((size_t)(rows + 2) * (size_t)pitch, sizeof *now);
    double *next = calloc((size_t)(rows + 2) * (size_t)pitch, sizeof *next);
    for (int x = 0; at[0] == 0 && x < pitch; x++)
        now[x] = 100;

    /* Neighbors: above, below, left, right.  Where what goes to each begins, and what comes from it. */
    MPI_Datatype row, column;
    MPI_Type_contiguous(columns, MPI_DOUBLE, &row);
    MPI_Type_vector(rows, 1, pitch, MPI_DOUBLE, &column);
    MPI_Type_commit(&row);
    MPI_Type_commit(&column);
    int ones[4] = {1, 1, 1, 1};
    MPI_Datatype types[4] = {row, row, column, column};
    MPI_Aint unit = sizeof(double), line = pitch * unit;
    MPI_Aint inside[4] = {line + unit, rows * line + unit, line + unit, line + columns * unit};
    MPI_Aint border[4] = {unit, (rows + 1) * line + unit, line, line + (columns + 1) * unit};
    MPI_Request exchange;
    MPI_Neighbor_alltoallw_init(now, ones, inside, types, now, ones, border, types, plate, MPI_INFO_NULL, &exchange);

    for (int step = 0; step < STEPS; step++) {
        MPI_Start(&exchange);
        MPI_Wait(&exchange, MPI_STATUS_IGNORE);
        for (int y = 1; y <= rows; y++)
            for (int x = 1; x <= columns; x++) {
                const double *cell = now + y * pitch + x;
                next[y * pitch + x] = (cell[-pitch] + cell[pitch] + cell[-1] + cell[1]) / 4;
            }
        for (int y = 1; y <= rows; y++)
            for (int x = 1; x <= columns; x++)
                now[y * pitch + x] = next[y * pitch + x];
    }

    /* Down the middle: each cell is in one block, the others say 0. */
    double middle[N] = {0}, all[N];
    int x = N / 2 - begin[1];
    for (int y = 0; y < rows && x >= 0 && x < columns; y++)
        middle[begin[0] + y] = now[(y + 1) * pitch + x + 1];
    MPI_Reduce(middle, all, N, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int y = 0; rank == 0 && y < N; y += 4)
        printf("row %2d: %6.2f\n", y, all[y]);

    MPI_Request_free(&exchange);
    MPI_Type_free(&row);
    MPI_Type_free(&column);
    MPI_Comm_free(&plate);
    free(now);
    free(next);
    MPI_Finalize();
    return 0;
}
