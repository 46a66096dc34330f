/* User-defined operators: the whole vector in one call where that is asked for, the type as it was given, derived types
 * with gaps and negative lower bounds whose gap bytes stay as they are, operators and types freed while in use.
 *
 * np: 1 2 3 4 5 7 8
 * wrong: openmpi (4.1: its ring allreduce frees a wrong address where the lower bound is negative)
 */
#include "check.h"

static int calls, last_len, wanted_len, strange;
static MPI_Datatype wanted_type;

/* Counts what a call must not be: a piece of the vector, or of another type. */
static void whole_sum(void *in, void *inout, int *len, MPI_Datatype *type)
{
    int *x = in, *y = inout;
    calls++;
    last_len = *len;
    strange += *len != wanted_len || *type != wanted_type;
    for (int i = 0; i < *len; i++)
        y[i] += x[i];
}

/* Other libraries do not know the hint, and cut the vector as the standard lets them. */
static MPI_Comm comm_of_whole(void)
{
    MPI_Comm comm;
    MPI_Info info;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "treefold_whole_operators", "true"));
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CHECK_OK(MPI_Comm_set_info(comm, info));
    CHECK_OK(MPI_Info_free(&info));
    return comm;
}

static void whole_vector(int n)
{
    MPI_Op op;
    MPI_Comm comm = comm_of_whole();
    int *a = check_alloc((size_t)n * sizeof *a, 0), *r = check_alloc((size_t)n * sizeof *r, 0), wrong = 0;
    CHECK_OK(MPI_Op_create(whole_sum, 1, &op));
    wanted_len = n;
    wanted_type = MPI_INT;
    calls = strange = 0;
    for (int i = 0; i < n; i++)
        a[i] = check_rank + i % 1000;
    CHECK_OK(MPI_Allreduce(a, r, n, MPI_INT, op, comm));
    for (int i = 0; i < n; i++)
        wrong += r[i] != check_size * (check_size - 1) / 2 + check_size * (i % 1000);
    CHECK_INT(wrong, 0);
    check_wipe(r, (size_t)n * sizeof *r);
    CHECK_OK(MPI_Reduce(a, r, n, MPI_INT, op, check_size - 1, comm));
    for (int i = 0; i < n && check_rank == check_size - 1; i++)
        wrong += r[i] != check_size * (check_size - 1) / 2 + check_size * (i % 1000);
    CHECK_INT(wrong, 0);
    check_wipe(r, (size_t)n * sizeof *r);
    CHECK_OK(MPI_Scan(a, r, n, MPI_INT, op, comm));
    for (int i = 0; i < n; i++)
        wrong += r[i] != check_rank * (check_rank + 1) / 2 + (check_rank + 1) * (i % 1000);
    CHECK_INT(wrong, 0);
#ifdef TREEFOLD
    CHECK_INT(strange, 0);
    CHECK(check_size == 1 || check_rank == 0 || n == 0 || calls > 0);
#endif
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_OK(MPI_Op_free(&op));
    free(a);
    free(r);
}

/* An element of 24 bytes that uses 12: | int | 4 of gap | double | 8 of gap |, combined as (sum, max). */
struct gapped {
    int sum;
    char gap[4];
    double max;
    char tail[8];
};

static void gapped_op(void *in, void *inout, int *len, MPI_Datatype *type)
{
    struct gapped *x = in, *y = inout;
    (void)type;
    for (int i = 0; i < *len; i++) {
        y[i].sum += x[i].sum;
        y[i].max = x[i].max > y[i].max ? x[i].max : y[i].max;
    }
}

static MPI_Datatype gapped_type(void)
{
    MPI_Datatype bare, type;
    const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};
    const int lengths[] = {1, 1};
    const MPI_Aint places[] = {offsetof(struct gapped, sum), offsetof(struct gapped, max)};
    CHECK_OK(MPI_Type_create_struct(2, lengths, places, types, &bare));
    CHECK_OK(MPI_Type_create_resized(bare, 0, sizeof(struct gapped), &type));
    CHECK_OK(MPI_Type_commit(&type));
    CHECK_OK(MPI_Type_free(&bare));
    return type;
}

static void gapped_fill(struct gapped *g, int n, int mark)
{
    memset(g, mark, (size_t)n * sizeof *g);
    for (int i = 0; i < n; i++) {
        g[i].sum = check_rank + i;
        g[i].max = (check_rank * 7 + i) % 10;
    }
}

/* Sums and maxima over ranks 0..last of elements first.., and gaps that hold `mark` still. */
static void gapped_verify(const struct gapped *g, int last, int first, int n, int mark, const char *where)
{
    char gap[8];
    memset(gap, mark, sizeof gap);
    for (int i = 0; i < n; i++) {
        int sum = 0;
        double max = 0;
        for (int r = 0; r <= last; r++) {
            sum += r + first + i;
            max = (r * 7 + first + i) % 10 > max ? (r * 7 + first + i) % 10 : max;
        }
        CHECK_NOTED(g[i].sum == sum && g[i].max == max, "%s, element %d: (%d, %g), not (%d, %g)", where, i, g[i].sum,
                    g[i].max, sum, max);
        CHECK_NOTED(!memcmp(g[i].gap, gap, 4) && !memcmp(g[i].tail, gap, 8), "%s, element %d: its gaps", where, i);
    }
}

static void gaps(int n)
{
    MPI_Datatype type = gapped_type();
    MPI_Op op;
    int total = n * check_size, last = check_size - 1;
    struct gapped *a = check_alloc((size_t)(total + 1) * sizeof *a, 0),
                  *r = check_alloc((size_t)(total + 1) * sizeof *r, 0);
    CHECK_OK(MPI_Op_create(gapped_op, 1, &op));

    gapped_fill(a, total, 0x21);
    memset(r, 0x42, (size_t)(total + 1) * sizeof *r);
    CHECK_OK(MPI_Allreduce(a, r, n, type, op, MPI_COMM_WORLD));
    gapped_verify(r, last, 0, n, 0x42, "allreduce");
    gapped_fill(r, n, 0x37);
    CHECK_OK(MPI_Allreduce(MPI_IN_PLACE, r, n, type, op, MPI_COMM_WORLD));
    gapped_verify(r, last, 0, n, 0x37, "allreduce in place");
    for (int root = 0; root < check_size; root++) {
        memset(r, 0x42, (size_t)n * sizeof *r);
        CHECK_OK(MPI_Reduce(a, r, n, type, op, root, MPI_COMM_WORLD));
        if (root == check_rank)
            gapped_verify(r, last, 0, n, 0x42, "reduce");
    }
    memset(r, 0x43, (size_t)n * sizeof *r);
    CHECK_OK(MPI_Scan(a, r, n, type, op, MPI_COMM_WORLD));
    gapped_verify(r, check_rank, 0, n, 0x43, "scan");
    memset(r, 0x44, (size_t)n * sizeof *r);
    CHECK_OK(MPI_Exscan(a, r, n, type, op, MPI_COMM_WORLD));
    if (check_rank)
        gapped_verify(r, check_rank - 1, 0, n, 0x44, "exscan");
    memset(r, 0x45, (size_t)n * sizeof *r);
    CHECK_OK(MPI_Reduce_scatter_block(a, r, n, type, op, MPI_COMM_WORLD));
    gapped_verify(r, last, n * check_rank, n, 0x45, "reduce_scatter_block");
    gapped_verify(a, -1, 0, 0, 0x21, "");
    CHECK_INT(a[0].sum, check_rank);
    CHECK_OK(MPI_Type_free(&type));
    CHECK_OK(MPI_Op_free(&op));
    free(a);
    free(r);
}

/* Elements whose data lie before their address: two ints at -8 and -4, extent 16. */
static void below_op(void *in, void *inout, int *len, MPI_Datatype *type)
{
    MPI_Aint lb, extent;
    CHECK_OK(MPI_Type_get_extent(*type, &lb, &extent));
    for (int i = 0; i < *len; i++) {
        const int *x = (const int *)((char *)in + i * extent - 8);
        int *y = (int *)((char *)inout + i * extent - 8);
        y[0] += x[0];
        y[1] = x[1] > y[1] ? x[1] : y[1];
    }
}

static void negative_bound(int n)
{
    MPI_Datatype type;
    MPI_Op op;
    const int length = 2;
    const MPI_Aint place = -8;
    MPI_Datatype bare;
    CHECK_OK(MPI_Type_create_hindexed(1, &length, &place, MPI_INT, &bare));
    CHECK_OK(MPI_Type_create_resized(bare, -8, 16, &type));
    CHECK_OK(MPI_Type_commit(&type));
    CHECK_OK(MPI_Type_free(&bare));
    CHECK_OK(MPI_Op_create(below_op, 1, &op));
    int *a = check_alloc(16 * (size_t)n, 0x11), *r = check_alloc(16 * (size_t)n, 0x22);
    for (int i = 0; i < n; i++) {
        a[4 * i] = check_rank + i;
        a[4 * i + 1] = (check_rank + i) % check_size;
    }
    CHECK_OK(MPI_Allreduce((char *)a + 8, (char *)r + 8, n, type, op, MPI_COMM_WORLD));
    for (int i = 0; i < n; i++) {
        CHECK_INT(r[4 * i], check_size * i + check_size * (check_size - 1) / 2);
        CHECK_INT(r[4 * i + 1], check_size - 1);
        CHECK_INT(r[4 * i + 2], 0x22222222);
        CHECK_INT(r[4 * i + 3], 0x22222222);
    }
    check_wipe(r, 16 * (size_t)n);
    CHECK_OK(MPI_Scan((char *)a + 8, (char *)r + 8, n, type, op, MPI_COMM_WORLD));
    for (int i = 0; i < n; i++)
        CHECK_INT(r[4 * i], (check_rank + 1) * i + check_rank * (check_rank + 1) / 2);
    CHECK_OK(MPI_Op_free(&op));
    CHECK_OK(MPI_Type_free(&type));
    free(a);
    free(r);
}

static void freed_in_flight(int n)
{
    enum { CALLS = 4 };
    MPI_Request requests[CALLS];
    struct gapped *a = check_alloc((size_t)n * sizeof *a, 0), *r = check_alloc((size_t)n * CALLS * sizeof *r, 0x31);
    gapped_fill(a, n, 0x21);
    for (int k = 0; k < CALLS; k++) {
        MPI_Datatype type = gapped_type();
        MPI_Op op;
        CHECK_OK(MPI_Op_create(gapped_op, k % 2, &op));
        CHECK_OK(MPI_Iallreduce(a, r + (size_t)k * n, n, type, op, MPI_COMM_WORLD, &requests[k]));
        CHECK_OK(MPI_Op_free(&op));
        CHECK_OK(MPI_Type_free(&type));
    }
    CHECK_OK(MPI_Waitall(CALLS, requests, MPI_STATUSES_IGNORE));
    for (int k = 0; k < CALLS; k++)
        gapped_verify(r + (size_t)k * n, check_size - 1, 0, n, 0x31, "Iallreduce with freed operator");
    free(a);
    free(r);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    whole_vector(1);
    whole_vector(1000);
    whole_vector(1000000);
    gaps(1);
    gaps(17);
    gaps(3001);
    negative_bound(1);
    negative_bound(700);
    freed_in_flight(1);
    freed_in_flight(2000);
    return check_end();
}
