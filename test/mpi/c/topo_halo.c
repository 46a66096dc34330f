/* A halo exchange on a grid, with datatypes for the faces: no call has memory for a packed face, of which there are
 * 512 KiB, but works piece by piece.  Blocking, nonblocking, persistent.
 *
 *     |<- 6 columns ->|
 *   x . . . . . . . . x     the halo (.) on four sides of 65536 rows; its corners (x) are nobody's
 *   . o o o o o o o o .
 *
 * np: 1 2 3 4 6 8 9
 * timeout: 120
 */
#include "check.h"
#include "scarce.h"

enum { ROWS = 65536, COLUMNS = 6, WIDTH = COLUMNS + 2, PIECE = 256 * 1024, MANY = 1000000 };

static double (*field)[WIDTH];
static MPI_Comm grid;
static MPI_Datatype types[4];
static int ones[4] = {1, 1, 1, 1}, from[4];
static MPI_Aint inner[4], outer[4]; /* faces and halo: above, below, left, right */

static double value(int rank, long row, int column, int turn)
{
    return check_value(rank, row * COLUMNS + column) + 0.125 * turn;
}

static void describe(void)
{
    MPI_Datatype row, column;
    CHECK_OK(MPI_Type_contiguous(COLUMNS, MPI_DOUBLE, &row));
    CHECK_OK(MPI_Type_vector(ROWS, 1, WIDTH, MPI_DOUBLE, &column));
    CHECK_OK(MPI_Type_commit(&row));
    CHECK_OK(MPI_Type_commit(&column));
    const size_t faces[4][2] = {{1, 1}, {ROWS, 1}, {1, 1}, {1, COLUMNS}};
    const size_t halos[4][2] = {{0, 1}, {ROWS + 1, 1}, {1, 0}, {1, COLUMNS + 1}};
    for (int i = 0; i < 4; i++) {
        types[i] = i < 2 ? row : column;
        inner[i] = (MPI_Aint)((faces[i][0] * WIDTH + faces[i][1]) * sizeof(double));
        outer[i] = (MPI_Aint)((halos[i][0] * WIDTH + halos[i][1]) * sizeof(double));
    }
    CHECK_OK(MPI_Cart_shift(grid, 0, 1, &from[0], &from[1]));
    CHECK_OK(MPI_Cart_shift(grid, 1, 1, &from[2], &from[3]));
}

static void fill(int turn)
{
    memset(field, 0xe5, (ROWS + 2) * sizeof *field);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            field[r + 1][c + 1] = value(check_rank, r, c, turn);
}

static void verify(int turn)
{
    int wrong = 0;
    for (int c = 0; c < COLUMNS; c++)
        wrong += field[0][c + 1] != value(from[0], ROWS - 1, c, turn) ||
                 field[ROWS + 1][c + 1] != value(from[1], 0, c, turn);
    for (int r = 0; r < ROWS; r++)
        wrong += field[r + 1][0] != value(from[2], r, COLUMNS - 1, turn) ||
                 field[r + 1][WIDTH - 1] != value(from[3], r, 0, turn);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            wrong += field[r + 1][c + 1] != value(check_rank, r, c, turn);
    CHECK_INT(wrong, 0);
}

static void exchange(int form, MPI_Request *request)
{
    if (form == 0)
        CHECK_OK(MPI_Neighbor_alltoallw(field, ones, inner, types, field, ones, outer, types, grid));
    else if (form == 1)
        CHECK_OK(MPI_Ineighbor_alltoallw(field, ones, inner, types, field, ones, outer, types, grid, request));
    else
        CHECK_OK(MPI_Start(request));
    if (form > 0)
        CHECK_OK(MPI_Wait(request, MPI_STATUS_IGNORE));
}

static void form_by_form(void)
{
    for (int form = 0; form < 3; form++) {
        MPI_Request request = MPI_REQUEST_NULL;
        if (form == 2)
            CHECK_OK(MPI_Neighbor_alltoallw_init(field, ones, inner, types, field, ones, outer, types, grid,
                                                 MPI_INFO_NULL, &request));
        for (int turn = 0; turn < 4; turn++) {
            fill(turn);
            CHECK_OK(MPI_Barrier(grid));
            scarce_begin(MANY, false);
            exchange(form, &request);
            scarce_end();
            CHECK_NOTED(scarce_largest <= PIECE, "form %d, turn %d: %zu bytes at once", form, turn, scarce_largest);
            verify(turn);
        }
        if (form == 2)
            CHECK_OK(MPI_Request_free(&request));
    }
}

int main(int argc, char **argv)
{
    int dims[2] = {0, 0}, around[2] = {1, 1};
    check_start(&argc, &argv);
    CHECK_OK(MPI_Dims_create(check_size, 2, dims));
    CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, around, 0, &grid));
    field = check_alloc((ROWS + 2) * sizeof *field, 0);
    describe();
    form_by_form();
    free(field);
    CHECK_OK(MPI_Type_free(&types[0]));
    CHECK_OK(MPI_Type_free(&types[2]));
    CHECK_OK(MPI_Comm_free(&grid));
    return check_end();
}
