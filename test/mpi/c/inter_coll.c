/* Collectives between the groups of an intercommunicator, blocking, nonblocking and persistent, for all sizes of the
 * two groups, roots in both, amounts that differ by direction, and an operator that notices order.
 *
 * np: 2 3 4 5 8
 * timeout: 120
 */
#include "inter.h"
#include "ordered.h"

static int counts[4] = {0, 1, 5, 20000};

/* What a call is made of three times: blocking, nonblocking, and persistent (started twice). */
#define ALL_FORMS(name, ...)                                                                                           \
    do {                                                                                                               \
        MPI_Request request;                                                                                           \
        if (form == 0) {                                                                                               \
            CHECK_OK(MPI_##name(__VA_ARGS__));                                                                         \
        } else if (form == 1) {                                                                                        \
            CHECK_OK(MPI_I##name(__VA_ARGS__, &request));                                                              \
            CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));                                                           \
        } else {                                                                                                       \
            CHECK_OK(MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &request));                                         \
            for (int k = 0; k < 2; k++) {                                                                              \
                CHECK_OK(MPI_Start(&request));                                                                         \
                CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));                                                       \
            }                                                                                                          \
            CHECK_OK(MPI_Request_free(&request));                                                                      \
        }                                                                                                              \
    } while (0)
/* MPI's names of the nonblocking forms go on in lower case. */
#define MPI_IBarrier MPI_Ibarrier
#define MPI_IBcast MPI_Ibcast
#define MPI_IGather MPI_Igather
#define MPI_IGatherv MPI_Igatherv
#define MPI_IScatter MPI_Iscatter
#define MPI_IScatterv MPI_Iscatterv
#define MPI_IAllgather MPI_Iallgather
#define MPI_IAllgatherv MPI_Iallgatherv
#define MPI_IAlltoall MPI_Ialltoall
#define MPI_IAlltoallv MPI_Ialltoallv
#define MPI_IAlltoallw MPI_Ialltoallw
#define MPI_IReduce MPI_Ireduce
#define MPI_IAllreduce MPI_Iallreduce
#define MPI_IReduce_scatter MPI_Ireduce_scatter
#define MPI_IReduce_scatter_block MPI_Ireduce_scatter_block

static int form;
static const void *const nowhere = (void *)8; /* a buffer that is not significant */

static int *filled(int n, int salt)
{
    int *data = check_alloc((size_t)n * sizeof *data, 0xee);
    for (int i = 0; i < n; i++)
        data[i] = check_value(check_rank, i + salt);
    return data;
}

static int *empty(int n)
{
    return check_alloc((size_t)n * sizeof(int), 0xee);
}

/* n elements are those that rank `rank` of the other group has from `salt` on. */
static void verify(const struct inter *x, const int *got, int n, int rank, int salt, const char *what)
{
    int wrong = 0, world = inter_world(x, !x->low, rank);
    for (int i = 0; i < n; i++)
        wrong += got[i] != check_value(world, i + salt);
    CHECK_NOTED(wrong == 0, "%s, form %d, first %d%s: %d of %d from rank %d wrong", what, form, x->first,
                x->backwards ? " backwards" : "", wrong, n, rank);
}

static bool untouched(const int *data, int n)
{
    for (int i = 0; i < n; i++)
        if (data[i] != (int)0xeeeeeeee)
            return false;
    return true;
}

static void rooted(const struct inter *x, bool low, int root, int n)
{
    int as = inter_root(x, low, root);
    int *data = as == MPI_ROOT ? filled(n, 3) : empty(n);
    ALL_FORMS(Bcast, as == MPI_PROC_NULL ? (void *)nowhere : data, as == MPI_PROC_NULL ? -7 : n, MPI_INT, as, x->comm);
    if (as >= 0)
        verify(x, data, n, root, 3, "bcast");
    free(data);

    bool faces = as >= 0, is = as == MPI_ROOT;
    int *one = faces ? filled(n, 5) : empty(n), *all = is ? empty(n * x->others) : NULL;
    ALL_FORMS(Gather, faces ? one : nowhere, faces ? n : -1, faces ? MPI_INT : MPI_DATATYPE_NULL,
              is ? all : (void *)nowhere, is ? n : -2, is ? MPI_INT : MPI_DATATYPE_NULL, as, x->comm);
    for (int r = 0; is && r < x->others; r++)
        verify(x, all + r * n, n, r, 5, "gather");
    free(all);
    free(one);

    all = is ? filled(n * x->others, 0) : NULL;
    one = empty(n);
    ALL_FORMS(Scatter, is ? all : nowhere, is ? n : -1, is ? MPI_INT : MPI_DATATYPE_NULL, faces ? one : (void *)nowhere,
              faces ? n : -2, faces ? MPI_INT : MPI_DATATYPE_NULL, as, x->comm);
    if (faces)
        verify(x, one, n, root, n * x->rank, "scatter");
    CHECK(faces || untouched(one, n));
    free(all);
    free(one);
}

/* Rank r of the facing group has r + n % 7 elements; gaps of 2 between the blocks. */
static void rooted_v(const struct inter *x, bool low, int root, int n)
{
    int as = inter_root(x, low, root), *count = empty(x->others), *displ = empty(x->others), total = 0;
    bool faces = as >= 0, is = as == MPI_ROOT;
    for (int r = 0; r < x->others; r++) {
        count[r] = n ? r + n % 7 : 0;
        displ[r] = total + 2;
        total += count[r] + 2;
    }
    int mine = n ? x->rank + n % 7 : 0, *one = faces ? filled(mine, 9) : empty(mine), *all = empty(total);
    ALL_FORMS(Gatherv, faces ? one : nowhere, mine, faces ? MPI_INT : MPI_DATATYPE_NULL, is ? all : NULL,
              is ? count : NULL, is ? displ : NULL, is ? MPI_INT : MPI_DATATYPE_NULL, as, x->comm);
    for (int r = 0; is && r < x->others; r++) {
        verify(x, all + displ[r], count[r], r, 9, "gatherv");
        CHECK(untouched(all + displ[r] - 2, 2));
    }
    free(all);
    free(one);
    all = filled(total, 0);
    one = empty(mine);
    ALL_FORMS(Scatterv, is ? all : NULL, is ? count : NULL, is ? displ : NULL, is ? MPI_INT : MPI_DATATYPE_NULL,
              faces ? one : (void *)nowhere, mine, faces ? MPI_INT : MPI_DATATYPE_NULL, as, x->comm);
    int at = 2;
    for (int r = 0; r < x->rank; r++)
        at += (n ? r + n % 7 : 0) + 2;
    if (faces)
        verify(x, one, mine, root, at, "scatterv");
    free(all);
    free(one);
    free(count);
    free(displ);
}

static void all_to_all(const struct inter *x, int n)
{
    int out = x->low ? n : 2 * n, in = x->low ? 2 * n : n, m = x->others;
    int *one = filled(out, 1), *all = empty(in * m);
    ALL_FORMS(Allgather, one, out, MPI_INT, all, in, MPI_INT, x->comm);
    for (int r = 0; r < m; r++)
        verify(x, all + r * in, in, r, 1, "allgather");
    free(one);
    free(all);

    one = filled(out * m, 0);
    all = empty(in * m);
    ALL_FORMS(Alltoall, one, out, MPI_INT, all, in, MPI_INT, x->comm);
    for (int r = 0; r < m; r++)
        verify(x, all + r * in, in, r, in * x->rank, "alltoall");
    free(one);
    free(all);
}

static int pair_count(int from, int to, int n)
{
    return n ? (from * 3 + to) % 4 * (n > 1000 ? 1000 : 1) : 0; /* some are empty */
}

static void all_to_all_v(const struct inter *x, int n)
{
    int m = x->others, mine = n ? x->rank % 3 * (n % 1000 + 1) : 0, total = 0;
    int *scount = empty(m), *sdispl = empty(m), *rcount = empty(m), *rdispl = empty(m);
    MPI_Datatype *types = check_alloc((size_t)m * sizeof *types, 0);
    for (int r = 0; r < m; r++) {
        rcount[r] = n ? r % 3 * (n % 1000 + 1) : 0;
        rdispl[r] = total + 1;
        total += rcount[r] + 1;
    }
    int *one = filled(mine, 4), *all = empty(total);
    ALL_FORMS(Allgatherv, one, mine, MPI_INT, all, rcount, rdispl, MPI_INT, x->comm);
    for (int r = 0; r < m; r++)
        verify(x, all + rdispl[r], rcount[r], r, 4, "allgatherv");
    free(one);
    free(all);

    int send = 0, receive = 0, me = inter_world(x, x->low, x->rank);
    for (int r = 0; r < m; r++) {
        int world = inter_world(x, !x->low, r);
        types[r] = MPI_INT;
        scount[r] = pair_count(me, world, n);
        rcount[r] = pair_count(world, me, n);
        sdispl[r] = send;
        rdispl[r] = receive;
        send += scount[r];
        receive += rcount[r];
    }
    int *from = filled(send, 0), *into = empty(receive);
    for (int r = 0; r < m; r++) /* tells whom it is for */
        for (int i = 0; i < scount[r]; i++)
            from[sdispl[r] + i] = check_value(check_rank, i + 100 * inter_world(x, !x->low, r));
    for (int w = 0; w < 2; w++) {
        if (w == 0) {
            ALL_FORMS(Alltoallv, from, scount, sdispl, MPI_INT, into, rcount, rdispl, MPI_INT, x->comm);
        } else {
            for (int r = 0; r < m; r++) {
                sdispl[r] *= (int)sizeof(int);
                rdispl[r] *= (int)sizeof(int);
            }
            memset(into, 0, (size_t)receive * sizeof *into);
            ALL_FORMS(Alltoallw, from, scount, sdispl, types, into, rcount, rdispl, types, x->comm);
        }
        for (int r = 0; r < m; r++)
            verify(x, into + rdispl[r] / (w ? (int)sizeof(int) : 1), rcount[r], r, 100 * me,
                   w ? "alltoallw" : "alltoallv");
    }
    free(from);
    free(into);
    free(scount), free(sdispl), free(rcount), free(rdispl), free(types);
}

/* ---- reductions ---- */

/* Element i of the product over the other group, in its rank order. */
static struct affine expected(const struct inter *x, int i)
{
    struct affine m = affine_value(inter_world(x, !x->low, 0), i);
    for (int r = 1; r < x->others; r++)
        m = affine_product(m, affine_value(inter_world(x, !x->low, r), i));
    return m;
}

static void verify_product(const struct inter *x, const struct affine *got, int first, int n, const char *what)
{
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        struct affine want = expected(x, first + i);
        wrong += memcmp(&want, &got[i], sizeof want) != 0;
    }
    CHECK_NOTED(wrong == 0, "%s, form %d, first %d%s: %d of %d maps wrong", what, form, x->first,
                x->backwards ? " backwards" : "", wrong, n);
}

static void reductions(const struct inter *x, int n, MPI_Datatype type, MPI_Op op)
{
    int total = x->first * (check_size - x->first) * (n > 5 ? n / 4 : n), share = total / x->size, at = 0;
    struct affine *vector = check_alloc((size_t)(total + n) * sizeof *vector, 0);
    struct affine *result = check_alloc((size_t)(total + n) * sizeof *result, 0);
    affine_fill(vector, check_rank, 0, total + n);
    ALL_FORMS(Allreduce, vector, result, n, type, op, x->comm);
    verify_product(x, result, 0, n, "allreduce");
    int *ones = filled(n, 0), *sums = empty(n), wrong = 0;
    ALL_FORMS(Allreduce, ones, sums, n, MPI_INT, MPI_SUM, x->comm);
    for (int i = 0; i < n; i++) {
        unsigned want = 0;
        for (int r = 0; r < x->others; r++)
            want += (unsigned)check_value(inter_world(x, !x->low, r), i);
        wrong += (unsigned)sums[i] != want;
    }
    CHECK_NOTED(wrong == 0, "allreduce, form %d, first %d: %d of %d sums wrong", form, x->first, wrong, n);
    free(ones);
    free(sums);
    for (int side = 0; side < 2; side++) {
        int roots = side ? x->first : check_size - x->first;
        for (int root = 0; root<roots; root += roots> 2 ? roots - 1 : 1) {
            int as = inter_root(x, side, root);
            check_wipe(result, (size_t)n * sizeof *result);
            ALL_FORMS(Reduce, as >= 0 ? vector : nowhere, as == MPI_ROOT ? result : (void *)nowhere,
                      as == MPI_PROC_NULL ? -3 : n, as == MPI_PROC_NULL ? MPI_DATATYPE_NULL : type,
                      as == MPI_PROC_NULL ? MPI_OP_NULL : op, as, x->comm);
            if (as == MPI_ROOT)
                verify_product(x, result, 0, n, "reduce");
        }
    }
    check_wipe(result, (size_t)share * sizeof *result);
    ALL_FORMS(Reduce_scatter_block, vector, result, share, type, op, x->comm);
    verify_product(x, result, share * x->rank, share, "reduce_scatter_block");
    int *counts_ = empty(x->size), left = total;
    for (int r = 0; r < x->size; r++) { /* the first gets most, some nothing */
        counts_[r] = r == x->size - 1 ? left : r % 2 ? 0 : left / 2;
        at += r < x->rank ? counts_[r] : 0;
        left -= counts_[r];
    }
    check_wipe(result, (size_t)total * sizeof *result);
    ALL_FORMS(Reduce_scatter, vector, result, counts_, type, op, x->comm);
    verify_product(x, result, at, counts_[x->rank], "reduce_scatter");
    free(counts_);
    free(vector);
    free(result);
}

/* ---- other forms and mistakes ---- */

static void large(const struct inter *x)
{
    MPI_Count n = 3;
    int data[3] = {check_rank, check_rank + 1, check_rank + 2}, got[3] = {0};
    CHECK_OK(MPI_Allreduce_c(data, got, n, MPI_INT, MPI_MAX, x->comm));
    int most = 0;
    for (int r = 0; r < x->others; r++)
        most = inter_world(x, !x->low, r) > most ? inter_world(x, !x->low, r) : most;
    CHECK_INT(got[2], most + 2);
    int root = inter_root(x, true, 0);
    CHECK_OK(MPI_Bcast_c(data, n, MPI_INT, root, x->comm));
    if (root >= 0)
        CHECK_INT(data[1], inter_world(x, true, 0) + 1);
}

static void mistakes(const struct inter *x)
{
    int a = 1, b = 2, *all = empty(x->others);
    MPI_Request request;
    CHECK_OK(MPI_Comm_set_errhandler(x->comm, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_Scan(&a, &b, 1, MPI_INT, MPI_SUM, x->comm), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Exscan(&a, &b, 1, MPI_INT, MPI_SUM, x->comm), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Iscan(&a, &b, 1, MPI_INT, MPI_SUM, x->comm, &request), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Allreduce(MPI_IN_PLACE, &b, 1, MPI_INT, MPI_SUM, x->comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, all, 1, MPI_INT, x->comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_INT, all, 1, MPI_INT, x->comm, &request), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Bcast(&a, 1, MPI_INT, x->others, x->comm), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Bcast(&a, 1, MPI_INT, -77, x->comm), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Bcast(&a, 1, MPI_INT, MPI_ROOT, MPI_COMM_WORLD), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, all, 1, MPI_INT, 0, x->comm), MPI_ERR_BUFFER);
    CHECK_OK(MPI_Allreduce(&a, &b, 1, MPI_INT, MPI_SUM, x->comm)); /* and it still works */
    CHECK_INT(b, x->others);
    free(all);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    MPI_Datatype type;
    MPI_Op op;
    affine_setup(&type, &op);
    for (int first = 1; first < check_size; first++)
        for (int backwards = 0; backwards < 2; backwards++) {
            struct inter x;
            inter_open(&x, first, backwards);
            for (form = 0; form < 3; form++) {
                ALL_FORMS(Barrier, x.comm);
                for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
                    int n = counts[k];
                    for (int side = 0; side < 2; side++) {
                        int roots = side ? first : check_size - first;
                        for (int root = 0; root<roots; root += roots> 2 ? roots - 1 : 1) {
                            rooted(&x, side, root, n);
                            rooted_v(&x, side, root, n);
                        }
                    }
                    all_to_all(&x, n);
                    all_to_all_v(&x, n);
                    reductions(&x, n > 5 ? n / 10 : n, type, op);
                }
            }
            large(&x);
            mistakes(&x);
            inter_close(&x);
        }
    CHECK_OK(MPI_Type_free(&type));
    CHECK_OK(MPI_Op_free(&op));
    return check_end();
}
