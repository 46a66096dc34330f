/* Neighborhood collectives in all their forms, on grids with rings of one and two ranks, graphs with repeated edges,
 * loops and lonely ranks: each block against the edge that it came by.
 *
 * np: - 1 2 3 4 5 6 7 8 9
 */
#include "modes.h"
#include "neighbors.h"

enum { MOST = 40, GAP = 3, BYTES = 4 };

static struct neighbors n;
static int sent[DEGREE_MOST * MOST * 2], got[DEGREE_MOST * MOST * 2];
static MPI_Datatype spread; /* an int and a gap of one */

/* Element i of what a rank sends by one of its slots, and how many there are. */
static int element(int rank, int slot, int i)
{
    return check_value(rank, slot * 1000 + i);
}
static int length(int rank, int slot)
{
    return (rank * 5 + slot * 3) % 7;
}

/* What is received by slot j: an empty one if there is nobody. */
static int length_of(int j, bool one_block)
{
    return n.sources[j] < 0 ? 4 : length(n.sources[j], one_block ? 0 : n.edge[j]);
}

/* count elements at got[at], stride apart, came by slot j. */
static void check_block(const char *what, int mode, int j, int at, int count, int stride, bool one_block)
{
    int untouched;
    check_wipe(&untouched, sizeof untouched);
    for (int i = 0; i < count; i++) {
        int want = n.sources[j] < 0 ? untouched : element(n.sources[j], one_block ? 0 : n.edge[j], i);
        CHECK_NOTED(got[at + i * stride] == want, "%s, %s, slot %d, element %d: %d, not %d", what, mode_names[mode], j,
                    i, got[at + i * stride], want);
    }
}

/* Nothing but the blocks is written. */
static void check_rest(const char *what, int from)
{
    int untouched;
    check_wipe(&untouched, sizeof untouched);
    for (size_t i = (size_t)from; i < sizeof got / sizeof *got; i++)
        if (got[i] != untouched)
            CHECK_NOTED(got[i] == untouched, "%s writes element %zu", what, i);
}

/* Number i of slot k at sent[k * pitch + i]. */
static void fill(int slots, int pitch)
{
    for (int k = 0; k < slots; k++)
        for (int i = 0; i < pitch; i++)
            sent[k * pitch + i] = element(n.rank, k, i);
}

static void allgather(int mode, int count)
{
    fill(1, MOST);
    check_wipe(got, sizeof got);
    CHECK_OK(CALL(mode, neighbor_allgather, Neighbor_allgather, sent, count, MPI_INT, got, count, spread, n.comm));
    for (int j = 0; j < n.in; j++)
        check_block("allgather", mode, j, 2 * j * count, count, 2, true);
    check_rest("allgather", 2 * n.in * count);
}

static void alltoall(int mode, int count)
{
    fill(n.out, count);
    check_wipe(got, sizeof got);
    CHECK_OK(CALL(mode, neighbor_alltoall, Neighbor_alltoall, sent, count, MPI_INT, got, count, spread, n.comm));
    for (int j = 0; j < n.in; j++)
        check_block("alltoall", mode, j, 2 * j * count, count, 2, false);
    check_rest("alltoall", 2 * n.in * count);
}

/* Blocks lie from the last to the first, with gaps; returns where they end. */
static int place(struct layout *l, int slots, bool sends, bool one_block)
{
    int at = 0;
    for (int k = slots - 1; k >= 0; k--) {
        int count = sends ? length(n.rank, k) : length_of(k, one_block);
        layout_set(l, k, count, at);
        at += count + GAP;
    }
    return at;
}

static void allgatherv(int mode)
{
    struct layout to;
    int count = length(n.rank, 0), end = place(&to, n.in, false, true);
    fill(1, MOST);
    check_wipe(got, sizeof got);
    CHECK_OK(CALL_V(mode, neighbor_allgatherv, Neighbor_allgatherv,
                    (sent, count, MPI_INT, got, to.counts, to.displs, MPI_INT, n.comm),
                    (sent, count, MPI_INT, got, to.counts_c, to.displs_c, MPI_INT, n.comm)));
    for (int j = 0; j < n.in; j++)
        check_block("allgatherv", mode, j, to.displs[j], to.counts[j], 1, true);
    check_rest("allgatherv", end);
}

static void fill_placed(const struct layout *from)
{
    for (int k = 0; k < n.out; k++)
        for (int i = 0; i < from->counts[k]; i++)
            sent[from->displs[k] + i] = element(n.rank, k, i);
}

static void alltoallv(int mode)
{
    struct layout from, to;
    int end = place(&to, n.in, false, false);
    place(&from, n.out, true, false);
    fill_placed(&from);
    check_wipe(got, sizeof got);
    CHECK_OK(CALL_V(mode, neighbor_alltoallv, Neighbor_alltoallv,
                    (sent, from.counts, from.displs, MPI_INT, got, to.counts, to.displs, spread, n.comm),
                    (sent, from.counts_c, from.displs_c, MPI_INT, got, to.counts_c, to.displs_c, spread, n.comm)));
    for (int j = 0; j < n.in; j++)
        check_block("alltoallv", mode, j, 2 * to.displs[j], to.counts[j], 2, false);
    check_rest("alltoallv", 2 * end);
}

/* The types are the program's again as soon as the call has begun. */
static void alltoallw(int mode)
{
    struct layout from, to;
    MPI_Datatype sendtypes[DEGREE_MOST], recvtypes[DEGREE_MOST];
    MPI_Aint sdispls[DEGREE_MOST], rdispls[DEGREE_MOST];
    int end = place(&to, n.in, false, false);
    place(&from, n.out, true, false);
    fill_placed(&from);
    for (int k = 0; k < n.out; k++) {
        sdispls[k] = (MPI_Aint)from.displs[k] * BYTES;
        sendtypes[k] = k % 2 ? MPI_INT : MPI_INT32_T;
    }
    for (int j = 0; j < n.in; j++) {
        rdispls[j] = (MPI_Aint)to.displs[j] * 2 * BYTES;
        recvtypes[j] = j % 3 ? spread : MPI_INT;
    }
    check_wipe(got, sizeof got);
    CHECK_OK(CALL_V(mode, neighbor_alltoallw, Neighbor_alltoallw,
                    (sent, from.counts, sdispls, sendtypes, got, to.counts, rdispls, recvtypes, n.comm),
                    (sent, from.counts_c, sdispls, sendtypes, got, to.counts_c, rdispls, recvtypes, n.comm)));
    for (int j = 0; j < n.in; j++)
        check_block("alltoallw", mode, j, 2 * to.displs[j], to.counts[j], j % 3 ? 2 : 1, false);
    check_rest("alltoallw", 2 * end);
}

static void all_forms(void)
{
    for (int number = 0; number < NEIGHBORS_TOPOLOGIES; number++) {
        MPI_Comm comm = neighbors_topology(number), copy;
        if (comm == MPI_COMM_NULL)
            continue;
        CHECK_OK(MPI_Comm_dup(comm, &copy));
        for (int mode = 0; mode < MODES; mode++) {
            neighbors_find(mode % 2 ? copy : comm, &n);
            allgather(mode, mode + 1);
            alltoall(mode, mode % 2 ? MOST : 1);
            allgatherv(mode);
            alltoallv(mode);
            alltoallw(mode);
            allgather(mode, 0);
            alltoall(mode, 0);
        }
        CHECK_OK(MPI_Comm_free(&copy));
        CHECK_OK(MPI_Comm_free(&comm));
    }
}

/* ---- several under way ---- */

enum { FLIGHT = 6 };

/* They end in another order than they began in, and with others in between. */
static void at_once(void)
{
    for (int number = 0; number < NEIGHBORS_TOPOLOGIES; number++) {
        static int out[FLIGHT][DEGREE_MOST], in[FLIGHT][DEGREE_MOST];
        MPI_Request requests[FLIGHT];
        MPI_Comm comm = neighbors_topology(number);
        int sum = -1;
        if (comm == MPI_COMM_NULL)
            continue;
        neighbors_find(comm, &n);
        check_wipe(in, sizeof in);
        for (int f = 0; f < FLIGHT; f++) {
            for (int k = 0; k < n.out || k == 0; k++)
                out[f][k] = element(n.rank, k, f);
            if (f % 2)
                CHECK_OK(MPI_Ineighbor_allgather(out[f], 1, MPI_INT, in[f], 1, MPI_INT, comm, &requests[f]));
            else
                CHECK_OK(MPI_Ineighbor_alltoall(out[f], 1, MPI_INT, in[f], 1, MPI_INT, comm, &requests[f]));
        }
        CHECK_OK(MPI_Allreduce(&(int){1}, &sum, 1, MPI_INT, MPI_SUM, comm));
        for (int f = FLIGHT - 1; f >= 0; f--)
            CHECK_OK(MPI_Wait(&requests[f], MPI_STATUS_IGNORE));
        for (int f = 0; f < FLIGHT; f++)
            for (int j = 0; j < n.in; j++)
                if (n.sources[j] >= 0)
                    CHECK_INT(in[f][j], element(n.sources[j], f % 2 ? 0 : n.edge[j], f));
        CHECK_OK(MPI_Comm_free(&comm));
    }
}

/* Persistent ones, again and again with other data; the ranks start them in different orders. */
static void again_and_again(void)
{
    for (int number = 0; number < NEIGHBORS_TOPOLOGIES; number += 2) {
        static int out[2][DEGREE_MOST], in[2][DEGREE_MOST];
        MPI_Request requests[2], swapped[2];
        MPI_Comm comm = neighbors_topology(number);
        if (comm == MPI_COMM_NULL)
            continue;
        neighbors_find(comm, &n);
        CHECK_OK(MPI_Neighbor_alltoall_init(out[0], 1, MPI_INT, in[0], 1, MPI_INT, comm, MPI_INFO_NULL, &requests[0]));
        CHECK_OK(MPI_Neighbor_allgather_init(out[1], 1, MPI_INT, in[1], 1, MPI_INT, comm, MPI_INFO_NULL, &requests[1]));
        for (int turn = 0; turn < 4; turn++) {
            check_wipe(in, sizeof in);
            for (int k = 0; k < DEGREE_MOST; k++)
                out[0][k] = out[1][k] = element(n.rank, k, turn);
            swapped[0] = requests[n.rank % 2];
            swapped[1] = requests[1 - n.rank % 2];
            CHECK_OK(MPI_Start(&swapped[0]));
            CHECK_OK(MPI_Start(&swapped[1]));
            CHECK_OK(MPI_Waitall(2, swapped, MPI_STATUSES_IGNORE));
            for (int j = 0; j < n.in; j++)
                if (n.sources[j] >= 0) {
                    CHECK_INT(in[0][j], element(n.sources[j], n.edge[j], turn));
                    CHECK_INT(in[1][j], element(n.sources[j], 0, turn));
                }
        }
        CHECK_OK(MPI_Request_free(&requests[0]));
        CHECK_OK(MPI_Request_free(&requests[1]));
        CHECK_OK(MPI_Comm_free(&comm));
    }
}

/* ---- a halo: rows and columns of one array, which go from where they are to where they belong ---- */

static int cell(int y, int x, int height, int width)
{
    return (y + height) % height * 100000 + (x + width) % width;
}

/* Blocks of `edge` by `edge`, the border of each in the same array; periodic, so a ring of 2 shows both sides. */
static void halo(int edge)
{
    int dims[2] = {0, 0}, rings[2] = {1, 1}, at[2], pitch = edge + 2, counts[4] = {1, 1, 1, 1};
    int *a = malloc((size_t)pitch * (size_t)pitch * sizeof *a);
    MPI_Aint inner[4], outer[4];
    MPI_Datatype row, column, types[4];
    MPI_Comm comm;
    CHECK_OK(MPI_Dims_create(check_size, 2, dims));
    CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, rings, 0, &comm));
    CHECK_OK(MPI_Cart_coords(comm, check_rank, 2, at));
    CHECK_OK(MPI_Type_contiguous(edge, MPI_INT, &row));
    CHECK_OK(MPI_Type_vector(edge, 1, pitch, MPI_INT, &column));
    CHECK_OK(MPI_Type_commit(&row));
    CHECK_OK(MPI_Type_commit(&column));
    for (int i = 0; i < 4; i++) {
        int first = i % 2 ? edge : 1, beyond = i % 2 ? edge + 1 : 0;
        types[i] = i < 2 ? row : column;
        inner[i] = (i < 2 ? first * pitch + 1 : pitch + first) * BYTES;
        outer[i] = (i < 2 ? beyond * pitch + 1 : pitch + beyond) * BYTES;
    }
    for (int mode = 0; mode < MODES; mode++) {
        int height = dims[0] * edge, width = dims[1] * edge;
        check_wipe(a, (size_t)pitch * (size_t)pitch * sizeof *a);
        for (int y = 1; y <= edge; y++)
            for (int x = 1; x <= edge; x++)
                a[y * pitch + x] = cell(at[0] * edge + y - 1, at[1] * edge + x - 1, height, width);
        CHECK_OK(CALL_V(
            mode, neighbor_alltoallw, Neighbor_alltoallw, (a, counts, inner, types, a, counts, outer, types, comm),
            (a, ((MPI_Count[]){1, 1, 1, 1}), inner, types, a, ((MPI_Count[]){1, 1, 1, 1}), outer, types, comm)));
        for (int y = 0; y < pitch; y++)
            for (int x = 0; x < pitch; x++) {
                bool corner = (y % (edge + 1) == 0) && (x % (edge + 1) == 0);
                int want = cell(at[0] * edge + y - 1, at[1] * edge + x - 1, height, width);
                CHECK_NOTED(corner || a[y * pitch + x] == want, "%s: cell %d,%d", mode_names[mode], y, x);
            }
    }
    CHECK_OK(MPI_Type_free(&row));
    CHECK_OK(MPI_Type_free(&column));
    CHECK_OK(MPI_Comm_free(&comm));
    free(a);
}

/* Long blocks, of a type with gaps on one side. */
static void long_blocks(int count)
{
    MPI_Comm comm = neighbors_topology(2);
    if (comm == MPI_COMM_NULL)
        return;
    neighbors_find(comm, &n);
    int *from = malloc((size_t)n.out * (size_t)count * sizeof *from);
    int *to = malloc((size_t)n.in * (size_t)count * 2 * sizeof *to);
    for (int mode = 0; mode < MODES; mode++) {
        for (int i = 0; i < n.out * count; i++)
            from[i] = element(n.rank, i / count, i % count);
        check_wipe(to, (size_t)n.in * (size_t)count * 2 * sizeof *to);
        CHECK_OK(CALL(mode, neighbor_alltoall, Neighbor_alltoall, from, count, MPI_INT, to, count, spread, comm));
        bool right = true;
        for (int i = 0; i < n.in * count && right; i++)
            right =
                n.sources[i / count] < 0 || to[2 * i] == element(n.sources[i / count], n.edge[i / count], i % count);
        CHECK_NOTED(right, "%s, %d elements", mode_names[mode], count);
    }
    free(from);
    free(to);
    CHECK_OK(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
    MPI_Datatype gap;
    check_start(&argc, &argv);
    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, 2 * BYTES, &gap));
    spread = gap;
    CHECK_OK(MPI_Type_commit(&spread));
    all_forms();
    at_once();
    again_and_again();
    halo(1);
    halo(7);
    halo(600);
    long_blocks(3000);
    long_blocks(100000);
    CHECK_OK(MPI_Type_free(&spread));
    return check_end();
}
