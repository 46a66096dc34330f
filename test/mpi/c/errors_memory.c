/* Memory that runs out on one rank, at each allocation of each collective in turn: no rank hangs, none gets a wrong
 * value with MPI_SUCCESS, those whose call fails are told that a rank ran out of memory, and the next call works.
 *
 * np: 2 3 4
 * only: treefold
 * timeout: 120
 */
#include "modes.h"
#include "ordered.h"
#include "shortage.h"

enum { SHORT = 5, LONG = 20000 }; /* elements: by cells in order, and by announced messages that are echoed or read */

/* ---- elements: what is reduced ---- */

enum kind { PREDEFINED, COMMUTATIVE, ORDERED, EXACT, KINDS };

struct gapped { /* an affine map with a hole */
    uint32_t slope, hole, offset;
};

static MPI_Datatype gapped_type;
static MPI_Op add, compose;

static void add_ints(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *len; i++)
        ((uint32_t *)inout)[i] += ((uint32_t *)in)[i];
}

static struct affine map_of(const struct gapped *g)
{
    return (struct affine){g->slope, g->offset};
}

static void set_map(struct gapped *g, struct affine map)
{
    g->slope = map.slope;
    g->offset = map.offset;
}

static void compose_maps(void *in, void *inout, int *len, MPI_Datatype *type)
{
    struct gapped *x = in, *y = inout;
    (void)type;
    for (int i = 0; i < *len; i++)
        set_map(&y[i], affine_product(map_of(&x[i]), map_of(&y[i])));
}

static MPI_Datatype type_of(int kind)
{
    return kind == ORDERED ? gapped_type : kind == EXACT ? MPI_DOUBLE : MPI_UINT32_T;
}

static MPI_Op op_of(int kind)
{
    return kind == ORDERED ? compose : kind == COMMUTATIVE ? add : MPI_SUM;
}

static size_t extent_of(int kind)
{
    return kind == ORDERED ? sizeof(struct gapped) : kind == EXACT ? sizeof(double) : sizeof(uint32_t);
}

/* Element i of ranks first..last combined, at place `at`. */
static void put(int kind, void *buf, int at, int first, int last, int i)
{
    if (kind == ORDERED) {
        struct affine map = affine_value(first, i);
        for (int r = first + 1; r <= last; r++)
            map = affine_product(map, affine_value(r, i));
        set_map((struct gapped *)buf + at, map);
        return;
    }
    double sum = 0;
    for (int r = first; r <= last; r++)
        sum += check_value(r, i) % 1000;
    if (kind == EXACT)
        ((double *)buf)[at] = sum / 4;
    else
        ((uint32_t *)buf)[at] = (uint32_t)sum;
}

/* ---- the calls ---- */

static char *in, *out, *want;
static int counts[8], displs[8];
static MPI_Count counts_c[8];
static MPI_Aint displs_c[8], bytes_c[8];
static int bytes[8];
static MPI_Datatype types[8];

struct scene {
    MPI_Comm comm;
    int mode, kind, n;
};

/* A collective: calls it, and says what must be in `out` then: elements [from, from + n) of `want`. */
struct call {
    const char *name;
    int (*make)(const struct scene *s);
    void (*expect)(const struct scene *s);
    bool reduces;
};

static int rank, size; /* in the scene's communicator */

static void fill(char *buf, int kind, int place, int n, int first, int last, int from)
{
    for (int i = 0; i < n; i++)
        put(kind, buf, place + i, first, last, from + i);
}

#define ARGS(s) (s)->n, type_of((s)->kind), op_of((s)->kind)
#define EACH(s) (s)->n, type_of((s)->kind)

static int make_barrier(const struct scene *s)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int code = s->mode == BLOCKING      ? MPI_Barrier(s->comm)
               : s->mode == NONBLOCKING ? MPI_Ibarrier(s->comm, &request)
                                        : MPI_Barrier_init(s->comm, MPI_INFO_NULL, &request);
    return mode_end(s->mode, code, &request);
}
static void expect_nothing(const struct scene *s)
{
    (void)s;
}

static int make_bcast(const struct scene *s)
{
    if (rank == size - 1)
        fill(out, s->kind, 0, s->n, rank, rank, 0);
    return CALL(s->mode, bcast, Bcast, out, EACH(s), size - 1, s->comm);
}
static void expect_bcast(const struct scene *s)
{
    fill(want, s->kind, 0, s->n, size - 1, size - 1, 0);
}

static int make_gather(const struct scene *s)
{
    return CALL(s->mode, gather, Gather, in, EACH(s), out, EACH(s), 0, s->comm);
}
static void expect_all(const struct scene *s)
{
    for (int r = 0; r < size; r++)
        fill(want, s->kind, r * s->n, s->n, r, r, 0);
}
static void expect_gather(const struct scene *s)
{
    if (rank == 0)
        expect_all(s);
}

static int make_gatherv(const struct scene *s)
{
    return CALL_V(s->mode, gatherv, Gatherv, (in, EACH(s), out, counts, displs, type_of(s->kind), 0, s->comm),
                  (in, EACH(s), out, counts_c, displs_c, type_of(s->kind), 0, s->comm));
}

static int make_scatter(const struct scene *s)
{
    return CALL(s->mode, scatter, Scatter, in, EACH(s), out, EACH(s), 0, s->comm);
}
static void expect_scatter(const struct scene *s)
{
    fill(want, s->kind, 0, s->n, 0, 0, rank * s->n);
}

static int make_scatterv(const struct scene *s)
{
    return CALL_V(s->mode, scatterv, Scatterv, (in, counts, displs, type_of(s->kind), out, EACH(s), 0, s->comm),
                  (in, counts_c, displs_c, type_of(s->kind), out, EACH(s), 0, s->comm));
}

static int make_allgather(const struct scene *s)
{
    return CALL(s->mode, allgather, Allgather, in, EACH(s), out, EACH(s), s->comm);
}

static int make_allgatherv(const struct scene *s)
{
    return CALL_V(s->mode, allgatherv, Allgatherv, (in, EACH(s), out, counts, displs, type_of(s->kind), s->comm),
                  (in, EACH(s), out, counts_c, displs_c, type_of(s->kind), s->comm));
}

static int make_alltoall(const struct scene *s)
{
    return CALL(s->mode, alltoall, Alltoall, in, EACH(s), out, EACH(s), s->comm);
}
static void expect_alltoall(const struct scene *s)
{
    for (int r = 0; r < size; r++)
        fill(want, s->kind, r * s->n, s->n, r, r, rank * s->n);
}

static int make_alltoallv(const struct scene *s)
{
    MPI_Datatype type = type_of(s->kind);
    return CALL_V(s->mode, alltoallv, Alltoallv, (in, counts, displs, type, out, counts, displs, type, s->comm),
                  (in, counts_c, displs_c, type, out, counts_c, displs_c, type, s->comm));
}

static int make_alltoallw(const struct scene *s)
{
    return CALL_V(s->mode, alltoallw, Alltoallw, (in, counts, bytes, types, out, counts, bytes, types, s->comm),
                  (in, counts_c, bytes_c, types, out, counts_c, bytes_c, types, s->comm));
}

/* Everybody is a neighbor of everybody, in order. */
static int make_neighbor_allgather(const struct scene *s)
{
    return CALL(s->mode, neighbor_allgather, Neighbor_allgather, in, EACH(s), out, EACH(s), s->comm);
}

static int make_neighbor_alltoallw(const struct scene *s)
{
    return CALL_V(s->mode, neighbor_alltoallw, Neighbor_alltoallw,
                  (in, counts, bytes_c, types, out, counts, bytes_c, types, s->comm),
                  (in, counts_c, bytes_c, types, out, counts_c, bytes_c, types, s->comm));
}

static int make_reduce(const struct scene *s)
{
    return CALL(s->mode, reduce, Reduce, in, out, ARGS(s), size - 1, s->comm);
}
static void expect_allreduce(const struct scene *s)
{
    fill(want, s->kind, 0, s->n, 0, size - 1, 0);
}
static void expect_reduce(const struct scene *s)
{
    if (rank == size - 1)
        expect_allreduce(s);
}

static int make_allreduce(const struct scene *s)
{
    return CALL(s->mode, allreduce, Allreduce, in, out, ARGS(s), s->comm);
}

static int make_reduce_scatter_block(const struct scene *s)
{
    return CALL(s->mode, reduce_scatter_block, Reduce_scatter_block, in, out, ARGS(s), s->comm);
}
static void expect_reduce_scatter(const struct scene *s)
{
    fill(want, s->kind, 0, s->n, 0, size - 1, rank * s->n);
}

static int make_reduce_scatter(const struct scene *s)
{
    MPI_Datatype type = type_of(s->kind);
    return CALL_V(s->mode, reduce_scatter, Reduce_scatter, (in, out, counts, type, op_of(s->kind), s->comm),
                  (in, out, counts_c, type, op_of(s->kind), s->comm));
}

static int make_scan(const struct scene *s)
{
    return CALL(s->mode, scan, Scan, in, out, ARGS(s), s->comm);
}
static void expect_scan(const struct scene *s)
{
    fill(want, s->kind, 0, s->n, 0, rank, 0);
}

static int make_exscan(const struct scene *s)
{
    return CALL(s->mode, exscan, Exscan, in, out, ARGS(s), s->comm);
}
static void expect_exscan(const struct scene *s)
{
    if (rank > 0)
        fill(want, s->kind, 0, s->n, 0, rank - 1, 0);
}

static const struct call calls[] = {
    {"barrier", make_barrier, expect_nothing, false},
    {"bcast", make_bcast, expect_bcast, false},
    {"gather", make_gather, expect_gather, false},
    {"gatherv", make_gatherv, expect_gather, false},
    {"scatter", make_scatter, expect_scatter, false},
    {"scatterv", make_scatterv, expect_scatter, false},
    {"allgather", make_allgather, expect_all, false},
    {"allgatherv", make_allgatherv, expect_all, false},
    {"alltoall", make_alltoall, expect_alltoall, false},
    {"alltoallv", make_alltoallv, expect_alltoall, false},
    {"alltoallw", make_alltoallw, expect_alltoall, false},
    {"neighbor_allgather", make_neighbor_allgather, expect_all, false},
    {"neighbor_alltoallw", make_neighbor_alltoallw, expect_alltoall, false},
    {"reduce", make_reduce, expect_reduce, true},
    {"allreduce", make_allreduce, expect_allreduce, true},
    {"reduce_scatter_block", make_reduce_scatter_block, expect_reduce_scatter, true},
    {"reduce_scatter", make_reduce_scatter, expect_reduce_scatter, true},
    {"scan", make_scan, expect_scan, true},
    {"exscan", make_exscan, expect_exscan, true},
};
enum { NCALLS = sizeof calls / sizeof *calls };

/* ---- collectives ---- */

static MPI_Comm meshed; /* MPI_COMM_WORLD, with a topology */

static void mesh(void)
{
    int all[8];
    for (int r = 0; r < size; r++)
        all[r] = r;
    CHECK_OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, size, all, MPI_UNWEIGHTED, size, all, MPI_UNWEIGHTED,
                                            MPI_INFO_NULL, 0, &meshed));
}

static MPI_Comm fresh(int kind)
{
    MPI_Comm comm;
    CHECK_OK(MPI_Comm_dup(meshed, &comm));
    if (kind == EXACT) {
        MPI_Info info;
        MPI_Info_create(&info);
        MPI_Info_set(info, "treefold_reproducible", "exact");
        CHECK_OK(MPI_Comm_set_info(comm, info));
        MPI_Info_free(&info);
    }
    return comm;
}

static bool fails_at(const struct call *call, struct scene *s, size_t room, int victim, int k, bool for_good)
{
    char what[100];
    snprintf(what, sizeof what, "%s %s, kind %d, %d elements, allocation %d of rank %d%s", mode_names[s->mode],
             call->name, s->kind, s->n, k, victim, for_good ? " and all later ones" : "");
    if (getenv("ERRORS_MEMORY_TELLS") && rank == 0)
        puts(what);
    s->comm = fresh(s->kind);
    memset(out, 0x5a, room);
    begin_shortage(victim, k, for_good);
    int code = call->make(s);
    bool hit = end_shortage(victim);
    if (code != MPI_SUCCESS)
        must_tell(code, what);
    else
        CHECK_NOTED(memcmp(out, want, room) == 0, "wrong values, %s", what);
    CHECK_NOTED(hit || code == MPI_SUCCESS, "fails though nothing went wrong, %s", what);
    sums_to(s->comm, what);
    CHECK_OK(MPI_Comm_free(&s->comm));
    return hit;
}

static void lay_out(const struct scene *s)
{
    int extent = (int)extent_of(s->kind);
    for (int r = 0; r < size; r++) {
        counts_c[r] = counts[r] = s->n;
        displs_c[r] = displs[r] = r * s->n;
        bytes_c[r] = bytes[r] = r * s->n * extent;
        types[r] = type_of(s->kind);
    }
}

static void sweep(const struct call *call, int mode, int kind, int n)
{
    struct scene s = {.mode = mode, .kind = kind, .n = n};
    size_t room = (size_t)n * (size_t)size * extent_of(kind);
    memset(in, 0x5a, room);
    memset(want, 0x5a, room);
    fill(in, kind, 0, n * size, rank, rank, 0);
    lay_out(&s);
    call->expect(&s);
    static int turn;
    turn++;
    for (int k = 0; fails_at(call, &s, room, turn % size, k, turn / size % 2); k++)
        ;
}

/* Not every combination: the sum of a predefined type in all modes, the others in turn. */
static bool is_tried(const struct call *call, int mode, int kind, int n)
{
    if (kind == PREDEFINED)
        return true;
    if (!call->reduces)
        return kind == ORDERED && mode == BLOCKING && n == LONG;
    return kind == ORDERED ? mode != PERSISTENT : mode == NONBLOCKING ? n == SHORT : mode == BLOCKING;
}

/* ---- constructors: all ranks get the communicator, or none ---- */

static MPI_Comm half, between; /* rank 0 and the others; an intercommunicator of the two */
static MPI_Group everybody;

static int make_dup(MPI_Comm *made)
{
    return MPI_Comm_dup(MPI_COMM_WORLD, made);
}

static int make_inter_dup(MPI_Comm *made)
{
    return MPI_Comm_dup(between, made);
}

static int make_idup(MPI_Comm *made)
{
    MPI_Request request;
    int code = MPI_Comm_idup(MPI_COMM_WORLD, made, &request);
    return code ? code : MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static int make_split(MPI_Comm *made)
{
    return MPI_Comm_split(MPI_COMM_WORLD, 1, -rank, made);
}

static int make_inter_split(MPI_Comm *made)
{
    return MPI_Comm_split(between, 1, 0, made);
}

static int make_split_type(MPI_Comm *made)
{
    return MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, made);
}

static int make_create(MPI_Comm *made)
{
    return MPI_Comm_create(MPI_COMM_WORLD, everybody, made);
}

static int make_create_group(MPI_Comm *made)
{
    return MPI_Comm_create_group(MPI_COMM_WORLD, everybody, 3, made);
}

static int make_inter(MPI_Comm *made)
{
    return MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0, 5, made);
}

static int make_merged(MPI_Comm *made)
{
    return MPI_Intercomm_merge(between, rank > 0, made);
}

static const struct {
    const char *name;
    int (*make)(MPI_Comm *made);
} constructors[] = {
    {"dup", make_dup},         {"dup of an intercommunicator", make_inter_dup},
    {"idup", make_idup},       {"split", make_split},
    {"create", make_create},   {"split of an intercommunicator", make_inter_split},
    {"merge", make_merged},    {"split_type", make_split_type},
    {"intercomm", make_inter}, {"create_group", make_create_group},
};
enum { NCONSTRUCTORS = sizeof constructors / sizeof *constructors };

static bool construction_fails_at(int c, int victim, int k, bool for_good)
{
    MPI_Comm made = MPI_COMM_NULL;
    char what[100];
    snprintf(what, sizeof what, "constructor %s, allocation %d of rank %d%s", constructors[c].name, k, victim,
             for_good ? " and all later ones" : "");
    if (getenv("ERRORS_MEMORY_TELLS") && rank == 0)
        puts(what);
    begin_shortage(victim, k, for_good);
    int code = constructors[c].make(&made), worst = 0;
    bool hit = end_shortage(victim);
    if (code != MPI_SUCCESS)
        must_tell(code, what);
    CHECK_OK(MPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    CHECK_NOTED((code == MPI_SUCCESS) == (worst == MPI_SUCCESS), "not on all ranks, %s", what);
    CHECK_NOTED(hit || code == MPI_SUCCESS, "fails though nothing went wrong, %s", what);
    if (worst == MPI_SUCCESS) {
        sums_to(made, what);
        CHECK_OK(MPI_Comm_free(&made));
    }
    return hit;
}

static void construct(void)
{
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &everybody));
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &half));
    CHECK_OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0, 4, &between));
    CHECK_OK(MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Comm_set_errhandler(between, MPI_ERRORS_RETURN));
    for (int c = 0; c < NCONSTRUCTORS; c++)
        for (int victim = 0; victim < size; victim++)
            for (int for_good = 0; for_good < 2; for_good++)
                for (int k = 0; construction_fails_at(c, victim, k, for_good); k++)
                    ;
    CHECK_OK(MPI_Comm_free(&between));
    CHECK_OK(MPI_Comm_free(&half));
    CHECK_OK(MPI_Group_free(&everybody));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    share_page();
    rank = check_rank;
    size = check_size;
    size_t most = (size_t)LONG * (size_t)size * sizeof(struct gapped);
    in = check_alloc(most, 0);
    out = check_alloc(most, 0);
    want = check_alloc(most, 0);
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {offsetof(struct gapped, slope), offsetof(struct gapped, offset)};
    MPI_Datatype parts[2] = {MPI_UINT32_T, MPI_UINT32_T};
    CHECK_OK(MPI_Type_create_struct(2, lengths, places, parts, &gapped_type));
    CHECK_OK(MPI_Type_commit(&gapped_type));
    CHECK_OK(MPI_Op_create(add_ints, 1, &add));
    CHECK_OK(MPI_Op_create(compose_maps, 0, &compose));
    construct();
    mesh();
    for (int c = 0; c < NCALLS; c++)
        for (int mode = BLOCKING; mode <= PERSISTENT; mode++)
            for (int kind = 0; kind < KINDS; kind++)
                for (int n = SHORT; n <= LONG; n += LONG - SHORT)
                    if (is_tried(&calls[c], mode, kind, n))
                        sweep(&calls[c], mode, kind, n);
    CHECK_OK(MPI_Comm_free(&meshed));
    CHECK_OK(MPI_Type_free(&gapped_type));
    CHECK_OK(MPI_Op_free(&add));
    CHECK_OK(MPI_Op_free(&compose));
    free(in);
    free(out);
    free(want);
    return check_end();
}
