/* A block that a rank sends to itself and that is longer than its place in the receive buffer is cut short by nobody:
 * the call is an error in words, in every collective that has such blocks, whatever the algorithm and the form.  The
 * others, who agree, get the result or an error, and nothing is written beyond the place.
 *
 * np: 1 2 3 5
 * only: treefold
 * timeout: 60
 */
#include "check.h"

enum { MOST = 16, LONG = 40000, MARK = -7 };

static int in[MOST * LONG], out[MOST * LONG];
static int counts[MOST], displs[MOST], longer[MOST];
static MPI_Datatype types[MOST];
static MPI_Comm comm;
static int rank, size, n; /* n: elements of a block as they should be */
static bool marked;       /* what follows the own block's place is nobody's */

static void fresh(MPI_Comm of)
{
    CHECK_OK(MPI_Comm_dup(of, &comm));
    CHECK_OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    marked = size == 1;
    for (int r = 0; r < size; r++) {
        counts[r] = n;
        longer[r] = r == 0 ? n + 1 : n;
        displs[r] = r * (n + 1);
        types[r] = MPI_INT;
    }
    for (int i = 0; i < size * (n + 1); i++)
        out[i] = MARK;
}

/* The place of rank 0's own block is the first one. */
static void must_be_told(int code, const char *what, bool by_all)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int class = MPI_SUCCESS, length;
    MPI_Error_class(code, &class);
    if (code != MPI_SUCCESS)
        MPI_Error_string(code, text, &length);
    if (rank == 0) {
        CHECK_NOTED(class == MPI_ERR_TRUNCATE && strstr(text, "sends to itself"), "%s of %d: class %d: %.120s", what, n,
                    class, text);
        CHECK_NOTED(out[n] == MARK || !marked, "%s of %d wrote behind its place", what, n);
    } else if (by_all)
        CHECK_NOTED(code != MPI_SUCCESS, "%s of %d", what, n);
    MPI_Comm_free(&comm); /* may tell of messages of the call that failed: once */
    if (comm != MPI_COMM_NULL)
        CHECK_OK(MPI_Comm_free(&comm));
}

static int finish(MPI_Request *request)
{
    return MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void collectives(MPI_Comm of)
{
    MPI_Request request;
    int own, code;

    fresh(of);
    own = rank == 0 ? n + 1 : n;
    must_be_told(MPI_Gather(in, own, MPI_INT, out, n, MPI_INT, 0, comm), "gather", false);

    fresh(of);
    must_be_told(MPI_Gatherv(in, own, MPI_INT, out, counts, displs, MPI_INT, 0, comm), "gatherv", false);

    fresh(of);
    must_be_told(MPI_Scatter(in, n + 1, MPI_INT, out, rank == 0 ? n : n + 1, MPI_INT, 0, comm), "scatter", false);

    fresh(of);
    must_be_told(MPI_Scatterv(in, longer, displs, MPI_INT, out, n, MPI_INT, 0, comm), "scatterv", false);

    fresh(of);
    must_be_told(MPI_Allgather(in, own, MPI_INT, out, n, MPI_INT, comm), "allgather", true);

    fresh(of);
    must_be_told(MPI_Allgatherv(in, own, MPI_INT, out, counts, displs, MPI_INT, comm), "allgatherv", true);

    fresh(of);
    must_be_told(MPI_Alltoallv(in, rank == 0 ? longer : counts, displs, MPI_INT, out, counts, displs, MPI_INT, comm),
                 "alltoallv", false);

    fresh(of);
    for (int r = 0; r < size; r++)
        displs[r] *= (int)sizeof(int);
    must_be_told(MPI_Alltoallw(in, rank == 0 ? longer : counts, displs, types, out, counts, displs, types, comm),
                 "alltoallw", false);

    fresh(of);
    code = MPI_Igather(in, own, MPI_INT, out, n, MPI_INT, 0, comm, &request);
    must_be_told(code ? code : finish(&request), "igather", false);

    fresh(of);
    code = MPI_Iallgather(in, own, MPI_INT, out, n, MPI_INT, comm, &request);
    must_be_told(code ? code : finish(&request), "iallgather", true);
#if MPI_VERSION >= 4
    fresh(of);
    code = MPI_Gather_init(in, own, MPI_INT, out, n, MPI_INT, 0, comm, MPI_INFO_NULL, &request);
    if (!code)
        code = MPI_Start(&request);
    if (!code)
        code = finish(&request);
    if (request != MPI_REQUEST_NULL)
        MPI_Request_free(&request);
    must_be_told(code, "gather_init", false);
#endif
}

/* In different words on both sides. */
static void typed(void)
{
    MPI_Datatype pairs;
    CHECK_OK(MPI_Type_vector(2, 1, 2, MPI_INT, &pairs));
    CHECK_OK(MPI_Type_commit(&pairs));
    fresh(MPI_COMM_SELF);
    must_be_told(MPI_Allgather(in, n + 1, MPI_INT, out, n / 2, pairs, comm), "allgather into pairs", true);
    fresh(MPI_COMM_SELF);
    must_be_told(MPI_Alltoall(in, n / 2 + 1, pairs, out, n, MPI_INT, comm), "alltoall of pairs", true);
    fresh(MPI_COMM_SELF);
    must_be_told(MPI_Alltoall(in, 1, MPI_INT, out, 0, MPI_INT, comm), "alltoall of nothing", true);
    /* As long as each other, in other words; and shorter, which no rule of truncation is about. */
    fresh(MPI_COMM_SELF);
    in[0] = 5;
    in[2] = 6;
    CHECK_OK(MPI_Alltoall(in, 1, pairs, out, 2, MPI_INT, comm));
    CHECK(out[0] == 5 && out[1] == 6);
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_OK(MPI_Type_free(&pairs));
}

static void neighbors(void)
{
#if MPI_VERSION >= 3
    int one = 1, yes = 1;
    MPI_Comm grid;
    CHECK_OK(MPI_Cart_create(MPI_COMM_SELF, 1, &one, &yes, 0, &grid));
    fresh(grid);
    marked = false;
    must_be_told(MPI_Neighbor_alltoall(in, n + 1, MPI_INT, out, n, MPI_INT, comm), "neighbor_alltoall", true);
    fresh(grid);
    marked = false;
    must_be_told(MPI_Neighbor_allgather(in, n + 1, MPI_INT, out, n, MPI_INT, comm), "neighbor_allgather", true);
    CHECK_OK(MPI_Comm_free(&grid));
#endif
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    int lengths[] = {2, 500, LONG - 2};
    for (int i = 0; i < 3; i++) {
        n = lengths[i];
        collectives(MPI_COMM_SELF);
        collectives(MPI_COMM_WORLD);
        typed();
        neighbors();
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    return check_end();
}
