/* Every erroneous argument of every collective, in every form, gives its class through MPI_ERRORS_RETURN, makes no
 * request, leaves the buffers alone, and the communicator works on (MPI-5.0 sections 2.8 and 9.3).
 *
 * np: 1 2 3
 * only: treefold
 */
#include "modes.h"

enum { N = 6 };

static int mode, p, me;
static const MPI_Comm w = MPI_COMM_WORLD;
static int in[64 * N], out[64 * N], other[64 * N];
static struct layout l, bad; /* N each; the last count is negative */
static MPI_Datatype types[64], null_types[64], open_types[64], uncommitted;

/* What the arguments of the procedures of a kind have in common. */
#define REDUCES(lower, upper, ...)                                                                                     \
    do {                                                                                                               \
        CHECK_CLASS(CALL(mode, lower, upper, in, out, -1, MPI_INT, MPI_SUM, ##__VA_ARGS__, w), MPI_ERR_COUNT);         \
        CHECK_CLASS(CALL(mode, lower, upper, in, out, N, MPI_DATATYPE_NULL, MPI_SUM, ##__VA_ARGS__, w), MPI_ERR_TYPE); \
        CHECK_CLASS(CALL(mode, lower, upper, in, out, N, uncommitted, MPI_SUM, ##__VA_ARGS__, w), MPI_ERR_TYPE);       \
        CHECK_CLASS(CALL(mode, lower, upper, in, out, N, MPI_INT, MPI_OP_NULL, ##__VA_ARGS__, w), MPI_ERR_OP);         \
        CHECK_CLASS(CALL(mode, lower, upper, in, out, N, MPI_INT, MPI_REPLACE, ##__VA_ARGS__, w), MPI_ERR_OP);         \
        CHECK_CLASS(CALL(mode, lower, upper, in, out, N, MPI_INT, MPI_NO_OP, ##__VA_ARGS__, w), MPI_ERR_OP);           \
        CHECK_CLASS(CALL(mode, lower, upper, in, out, N, MPI_FLOAT, MPI_BXOR, ##__VA_ARGS__, w), MPI_ERR_OP);          \
        CHECK_CLASS(CALL(mode, lower, upper, in, out, N, MPI_INT, MPI_MAXLOC, ##__VA_ARGS__, w), MPI_ERR_OP);          \
        CHECK_CLASS(CALL(mode, lower, upper, in, out, N, MPI_WCHAR, MPI_SUM, ##__VA_ARGS__, w), MPI_ERR_OP);           \
        CHECK_CLASS(CALL(mode, lower, upper, NULL, out, N, MPI_INT, MPI_SUM, ##__VA_ARGS__, w), MPI_ERR_BUFFER);       \
        CHECK_CLASS(CALL(mode, lower, upper, in, out, N, MPI_INT, MPI_SUM, ##__VA_ARGS__, MPI_COMM_NULL),              \
                    MPI_ERR_COMM);                                                                                     \
    } while (0)

static void reductions(void)
{
    REDUCES(reduce, Reduce, 0);
    REDUCES(allreduce, Allreduce);
    REDUCES(scan, Scan);
    REDUCES(exscan, Exscan);
    REDUCES(reduce_scatter_block, Reduce_scatter_block);
    CHECK_CLASS(CALL(mode, reduce, Reduce, in, out, N, MPI_INT, MPI_SUM, -1, w), MPI_ERR_ROOT);
    CHECK_CLASS(CALL(mode, reduce, Reduce, in, out, N, MPI_INT, MPI_SUM, p, w), MPI_ERR_ROOT);
    CHECK_CLASS(CALL(mode, reduce, Reduce, in, out, N, MPI_INT, MPI_SUM, MPI_ROOT, w), MPI_ERR_ROOT);
    CHECK_CLASS(CALL(mode, reduce, Reduce, in, out, N, MPI_INT, MPI_SUM, MPI_PROC_NULL, w), MPI_ERR_ROOT);
    CHECK_CLASS(CALL(mode, allreduce, Allreduce, out, out, N, MPI_INT, MPI_SUM, w), MPI_ERR_BUFFER);
    CHECK_CLASS(CALL(mode, allreduce, Allreduce, in, NULL, N, MPI_INT, MPI_SUM, w), MPI_ERR_BUFFER);
    CHECK_CLASS(CALL(mode, allreduce, Allreduce, in, MPI_IN_PLACE, N, MPI_INT, MPI_SUM, w), MPI_ERR_BUFFER);
    CHECK_CLASS(CALL(mode, scan, Scan, out, out, N, MPI_INT, MPI_SUM, w), MPI_ERR_BUFFER);
    CHECK_CLASS(CALL(mode, reduce_scatter_block, Reduce_scatter_block, out, out, N, MPI_INT, MPI_SUM, w),
                MPI_ERR_BUFFER);
#define SCATTERS(in, counts, type, op, comm)                                                                           \
    CALL_V(mode, reduce_scatter, Reduce_scatter, (in, out, counts, type, op, comm),                                    \
           (in, out, counts##_c, type, op, comm))
    CHECK_CLASS(SCATTERS(in, bad.counts, MPI_INT, MPI_SUM, w), MPI_ERR_COUNT);
    CHECK_CLASS(SCATTERS(in, l.counts, MPI_DATATYPE_NULL, MPI_SUM, w), MPI_ERR_TYPE);
    CHECK_CLASS(SCATTERS(in, l.counts, uncommitted, MPI_SUM, w), MPI_ERR_TYPE);
    CHECK_CLASS(SCATTERS(in, l.counts, MPI_INT, MPI_OP_NULL, w), MPI_ERR_OP);
    CHECK_CLASS(SCATTERS(in, l.counts, MPI_DOUBLE, MPI_BOR, w), MPI_ERR_OP);
    CHECK_CLASS(SCATTERS(out, l.counts, MPI_INT, MPI_SUM, w), MPI_ERR_BUFFER);
    CHECK_CLASS(SCATTERS(in, l.counts, MPI_INT, MPI_SUM, MPI_COMM_NULL), MPI_ERR_COMM);
    CHECK_CLASS(CALL_V(mode, reduce_scatter, Reduce_scatter, (in, out, NULL, MPI_INT, MPI_SUM, w),
                       (in, out, NULL, MPI_INT, MPI_SUM, w)),
                MPI_ERR_ARG);
}

/* Each argument of one side wrong; for the rooted calls on MPI_COMM_SELF, where every rank is the root. */
#define MOVES(lower, upper, comm, ...)                                                                                 \
    do {                                                                                                               \
        CHECK_CLASS(CALL(mode, lower, upper, in, -1, MPI_INT, out, N, MPI_INT, ##__VA_ARGS__, comm), MPI_ERR_COUNT);   \
        CHECK_CLASS(CALL(mode, lower, upper, in, N, MPI_INT, out, -1, MPI_INT, ##__VA_ARGS__, comm), MPI_ERR_COUNT);   \
        CHECK_CLASS(CALL(mode, lower, upper, in, N, MPI_DATATYPE_NULL, out, N, MPI_INT, ##__VA_ARGS__, comm),          \
                    MPI_ERR_TYPE);                                                                                     \
        CHECK_CLASS(CALL(mode, lower, upper, in, N, MPI_INT, out, N, MPI_DATATYPE_NULL, ##__VA_ARGS__, comm),          \
                    MPI_ERR_TYPE);                                                                                     \
        CHECK_CLASS(CALL(mode, lower, upper, in, N, uncommitted, out, N, MPI_INT, ##__VA_ARGS__, comm), MPI_ERR_TYPE); \
        CHECK_CLASS(CALL(mode, lower, upper, in, N, MPI_INT, out, N, uncommitted, ##__VA_ARGS__, comm), MPI_ERR_TYPE); \
        CHECK_CLASS(CALL(mode, lower, upper, NULL, N, MPI_INT, out, N, MPI_INT, ##__VA_ARGS__, comm), MPI_ERR_BUFFER); \
        CHECK_CLASS(CALL(mode, lower, upper, in, N, MPI_INT, NULL, N, MPI_INT, ##__VA_ARGS__, comm), MPI_ERR_BUFFER);  \
        CHECK_CLASS(CALL(mode, lower, upper, in, N, MPI_INT, out, N, MPI_INT, ##__VA_ARGS__, MPI_COMM_NULL),           \
                    MPI_ERR_COMM);                                                                                     \
    } while (0)

static void moves(void)
{
    MOVES(allgather, Allgather, w);
    MOVES(alltoall, Alltoall, w);
    MOVES(gather, Gather, MPI_COMM_SELF, 0);
    MOVES(scatter, Scatter, MPI_COMM_SELF, 0);
    const int roots[] = {-1, p, MPI_ROOT, MPI_PROC_NULL, MPI_ANY_SOURCE};
    for (int i = 0; i < 5; i++) {
        CHECK_CLASS(CALL(mode, gather, Gather, in, N, MPI_INT, out, N, MPI_INT, roots[i], w), MPI_ERR_ROOT);
        CHECK_CLASS(CALL(mode, scatter, Scatter, in, N, MPI_INT, out, N, MPI_INT, roots[i], w), MPI_ERR_ROOT);
        CHECK_CLASS(CALL(mode, bcast, Bcast, in, N, MPI_INT, roots[i], w), MPI_ERR_ROOT);
    }
    CHECK_CLASS(CALL(mode, bcast, Bcast, in, -1, MPI_INT, 0, w), MPI_ERR_COUNT);
    CHECK_CLASS(CALL(mode, bcast, Bcast, in, N, MPI_DATATYPE_NULL, 0, w), MPI_ERR_TYPE);
    CHECK_CLASS(CALL(mode, bcast, Bcast, in, N, uncommitted, 0, w), MPI_ERR_TYPE);
    CHECK_CLASS(CALL(mode, bcast, Bcast, NULL, N, MPI_INT, 0, w), MPI_ERR_BUFFER);
    CHECK_CLASS(CALL(mode, bcast, Bcast, MPI_IN_PLACE, N, MPI_INT, 0, w), MPI_ERR_BUFFER);
    CHECK_CLASS(CALL(mode, bcast, Bcast, in, N, MPI_INT, 0, MPI_COMM_NULL), MPI_ERR_COMM);
    CHECK_CLASS(CALL(mode, alltoall, Alltoall, out, N, MPI_INT, out, N, MPI_INT, w), MPI_ERR_BUFFER);
    CHECK_CLASS(CALL(mode, allgather, Allgather, out, N, MPI_INT, out, N, MPI_INT, w), MPI_ERR_BUFFER);
    CHECK_CLASS(CALL(mode, gather, Gather, out, N, MPI_INT, out, N, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_BUFFER);
    CHECK_CLASS(CALL(mode, scatter, Scatter, out, N, MPI_INT, out, N, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_BUFFER);
}

static void vectors(void)
{
    MPI_Comm self = MPI_COMM_SELF; /* where `bad` has to be wrong at once */
    struct layout one;

    layout_set(&one, 0, -N, 0);
#define GATHERS(n, type, counts, rtype, root, comm)                                                                    \
    CALL_V(mode, gatherv, Gatherv, (in, n, type, out, counts, l.displs, rtype, root, comm),                            \
           (in, n, type, out, counts##_c, l.displs_c, rtype, root, comm))
    CHECK_CLASS(GATHERS(N, MPI_INT, one.counts, MPI_INT, 0, self), MPI_ERR_COUNT);
    CHECK_CLASS(GATHERS(-N, MPI_INT, l.counts, MPI_INT, 0, self), MPI_ERR_COUNT);
    CHECK_CLASS(GATHERS(N, MPI_INT, l.counts, MPI_DATATYPE_NULL, 0, self), MPI_ERR_TYPE);
    CHECK_CLASS(GATHERS(N, uncommitted, l.counts, MPI_INT, 0, self), MPI_ERR_TYPE);
    CHECK_CLASS(GATHERS(N, MPI_INT, l.counts, MPI_INT, 1, self), MPI_ERR_ROOT);
#define SPREADS(counts, type, n, rtype, root, comm)                                                                    \
    CALL_V(mode, scatterv, Scatterv, (in, counts, l.displs, type, out, n, rtype, root, comm),                          \
           (in, counts##_c, l.displs_c, type, out, n, rtype, root, comm))
    CHECK_CLASS(SPREADS(one.counts, MPI_INT, N, MPI_INT, 0, self), MPI_ERR_COUNT);
    CHECK_CLASS(SPREADS(l.counts, MPI_INT, -N, MPI_INT, 0, self), MPI_ERR_COUNT);
    CHECK_CLASS(SPREADS(l.counts, MPI_DATATYPE_NULL, N, MPI_INT, 0, self), MPI_ERR_TYPE);
    CHECK_CLASS(SPREADS(l.counts, MPI_INT, N, uncommitted, 0, self), MPI_ERR_TYPE);
    CHECK_CLASS(SPREADS(l.counts, MPI_INT, N, MPI_INT, -1, self), MPI_ERR_ROOT);
#define COLLECTS(n, type, counts, rtype, comm)                                                                         \
    CALL_V(mode, allgatherv, Allgatherv, (in, n, type, out, counts, l.displs, rtype, comm),                            \
           (in, n, type, out, counts##_c, l.displs_c, rtype, comm))
    CHECK_CLASS(COLLECTS(N, MPI_INT, bad.counts, MPI_INT, w), MPI_ERR_COUNT);
    CHECK_CLASS(COLLECTS(-1, MPI_INT, l.counts, MPI_INT, w), MPI_ERR_COUNT);
    CHECK_CLASS(COLLECTS(N, MPI_INT, l.counts, uncommitted, w), MPI_ERR_TYPE);
    CHECK_CLASS(COLLECTS(N, MPI_DATATYPE_NULL, l.counts, MPI_INT, w), MPI_ERR_TYPE);
    CHECK_CLASS(COLLECTS(N, MPI_INT, l.counts, MPI_INT, MPI_COMM_NULL), MPI_ERR_COMM);
#define EXCHANGES(counts, type, rcounts, rtype, comm)                                                                  \
    CALL_V(mode, alltoallv, Alltoallv, (in, counts, l.displs, type, out, rcounts, l.displs, rtype, comm),              \
           (in, counts##_c, l.displs_c, type, out, rcounts##_c, l.displs_c, rtype, comm))
    CHECK_CLASS(EXCHANGES(bad.counts, MPI_INT, l.counts, MPI_INT, w), MPI_ERR_COUNT);
    CHECK_CLASS(EXCHANGES(l.counts, MPI_INT, bad.counts, MPI_INT, w), MPI_ERR_COUNT);
    CHECK_CLASS(EXCHANGES(l.counts, MPI_DATATYPE_NULL, l.counts, MPI_INT, w), MPI_ERR_TYPE);
    CHECK_CLASS(EXCHANGES(l.counts, MPI_INT, l.counts, uncommitted, w), MPI_ERR_TYPE);
    CHECK_CLASS(EXCHANGES(l.counts, MPI_INT, l.counts, MPI_INT, MPI_COMM_NULL), MPI_ERR_COMM);
#define EXCHANGES_W(counts, types, rcounts, rtypes, comm)                                                              \
    CALL_V(mode, alltoallw, Alltoallw, (in, counts, l.displs, types, out, rcounts, l.displs, rtypes, comm),            \
           (in, counts##_c, l.displs_c, types, out, rcounts##_c, l.displs_c, rtypes, comm))
    CHECK_CLASS(EXCHANGES_W(bad.counts, types, l.counts, types, w), MPI_ERR_COUNT);
    CHECK_CLASS(EXCHANGES_W(l.counts, types, bad.counts, types, w), MPI_ERR_COUNT);
    CHECK_CLASS(EXCHANGES_W(l.counts, null_types, l.counts, types, w), MPI_ERR_TYPE);
    CHECK_CLASS(EXCHANGES_W(l.counts, types, l.counts, open_types, w), MPI_ERR_TYPE);
    CHECK_CLASS(EXCHANGES_W(l.counts, types, l.counts, types, MPI_COMM_NULL), MPI_ERR_COMM);
}

/* The same buffer on both sides, whose first blocks overlap. */
static void aliases(void)
{
    const MPI_Comm self = MPI_COMM_SELF;
    CHECK_CLASS(CALL_V(mode, gatherv, Gatherv, (out, N, MPI_INT, out, l.counts, l.displs, MPI_INT, 0, self),
                       (out, N, MPI_INT, out, l.counts_c, l.displs_c, MPI_INT, 0, self)),
                MPI_ERR_BUFFER);
    CHECK_CLASS(CALL_V(mode, scatterv, Scatterv, (out, l.counts, l.displs, MPI_INT, out, N, MPI_INT, 0, self),
                       (out, l.counts_c, l.displs_c, MPI_INT, out, N, MPI_INT, 0, self)),
                MPI_ERR_BUFFER);
    CHECK_CLASS(CALL_V(mode, allgatherv, Allgatherv, (out, N, MPI_INT, out, l.counts, l.displs, MPI_INT, w),
                       (out, N, MPI_INT, out, l.counts_c, l.displs_c, MPI_INT, w)),
                MPI_ERR_BUFFER);
    CHECK_CLASS(CALL_V(mode, alltoallv, Alltoallv,
                       (out, l.counts, l.displs, MPI_INT, out, l.counts, l.displs, MPI_INT, w),
                       (out, l.counts_c, l.displs_c, MPI_INT, out, l.counts_c, l.displs_c, MPI_INT, w)),
                MPI_ERR_BUFFER);
    CHECK_CLASS(CALL_V(mode, alltoallw, Alltoallw, (out, l.counts, l.displs, types, out, l.counts, l.displs, types, w),
                       (out, l.counts_c, l.displs_c, types, out, l.counts_c, l.displs_c, types, w)),
                MPI_ERR_BUFFER);
}

/* Of a collective operation that is under way for sure, since the last rank has not begun it: neither freed nor
 * cancelled, section 6.12. */
static void under_way(bool persistent)
{
    MPI_Request request;
    int word = 0;
    in[0] = 7;
    out[0] = -1;
    CHECK_OK(MPI_Allreduce_init(in, out, N, MPI_INT, MPI_SUM, w, MPI_INFO_NULL, &request));
    for (int r = 0; me == p - 1 && r < p - 1; r++)
        CHECK_OK(MPI_Recv(&word, 1, MPI_INT, r, 0, w, MPI_STATUS_IGNORE));
    if (persistent) {
        CHECK_OK(MPI_Start(&request));
    } else {
        CHECK_OK(MPI_Request_free(&request));
        CHECK_OK(MPI_Iallreduce(in, out, N, MPI_INT, MPI_SUM, w, &request));
    }
    if (me < p - 1) {
        MPI_Request same = request;
        CHECK_CLASS(MPI_Request_free(&request), MPI_ERR_REQUEST);
        CHECK_CLASS(MPI_Cancel(&request), MPI_ERR_REQUEST);
        CHECK(request == same);
        CHECK_OK(MPI_Send(&word, 1, MPI_INT, p - 1, 0, w));
    }
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_INT(out[0], 7 * p);
    if (persistent)
        CHECK_OK(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
}

/* No request comes of a refused call, and where there is no room for one it says so. */
static void requests(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_CLASS(MPI_Iallreduce(in, out, -1, MPI_INT, MPI_SUM, w, &request), MPI_ERR_COUNT);
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_CLASS(MPI_Allreduce_init(in, out, -1, MPI_INT, MPI_SUM, w, MPI_INFO_NULL, &request), MPI_ERR_COUNT);
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_CLASS(MPI_Ibarrier(w, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Barrier_init(w, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Ibarrier(MPI_COMM_NULL, &request), MPI_ERR_COMM);
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_CLASS(MPI_Start(&request), MPI_ERR_REQUEST);
    CHECK_OK(MPI_Ibarrier(w, &request));
    CHECK_CLASS(MPI_Start(&request), MPI_ERR_REQUEST); /* not persistent */
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    under_way(false);
    under_way(true);
    CHECK_OK(MPI_Barrier_init(w, MPI_INFO_NULL, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE)); /* inactive: an empty status at once */
    CHECK_OK(MPI_Request_free(&request));
}

static void local(void)
{
    CHECK_CLASS(MPI_Reduce_local(in, out, -1, MPI_INT, MPI_SUM), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Reduce_local(in, out, 1, MPI_DATATYPE_NULL, MPI_SUM), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Reduce_local(in, out, 1, uncommitted, MPI_SUM), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Reduce_local(in, out, 1, MPI_INT, MPI_OP_NULL), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(in, out, 1, MPI_INT, MPI_REPLACE), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(NULL, out, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Reduce_local(MPI_IN_PLACE, out, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Reduce_local(out, out, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    CHECK_OK(MPI_Reduce_local(NULL, NULL, 0, MPI_INT, MPI_SUM));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    p = check_size;
    me = check_rank;
    CHECK_OK(MPI_Type_contiguous(1, MPI_INT, &uncommitted));
    for (int r = 0; r < p; r++) {
        layout_set(&l, r, N, N * r);
        layout_set(&bad, r, r == p - 1 ? -3 : N, N * r);
        types[r] = null_types[r] = open_types[r] = MPI_INT;
    }
    null_types[p - 1] = MPI_DATATYPE_NULL;
    open_types[p - 1] = uncommitted;
    memset(out, 0x29, sizeof out);
    memset(other, 0x29, sizeof other);
    for (mode = 0; mode < MODES; mode++) {
        reductions();
        moves();
        vectors();
        aliases();
        int one = 1, sum = 0;
        CHECK_OK(CALL(mode, allreduce, Allreduce, &one, &sum, 1, MPI_INT, MPI_SUM, w));
        CHECK_INT(sum, p);
    }
    local();
    CHECK_BYTES(out, other, sizeof out);
    requests();
    CHECK_OK(MPI_Type_free(&uncommitted));
    return check_end();
}
