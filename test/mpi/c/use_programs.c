/* Small programs as people write them: conjugate gradients, LU with pivoting, a histogram, a prefix that numbers
 * things, means and variances by an operator on structures, blocks of uneven length.
 *
 * np: 1 2 3 4 5 8
 * flags: -lm
 */
#include <math.h>

#include "check.h"

static int p, me;

/* Rows first..first+mine-1 of n belong to this rank: as even as can be. */
static void share(int n, int rank, int *first, int *mine)
{
    *mine = n / p + (rank < n % p);
    *first = n / p * rank + (rank < n % p ? rank : n % p);
}

static double dot(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    CHECK_OK(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    return sum;
}

/* y = A x for the tridiagonal matrix (-1, 2.5, -1): the neighbours' ends are needed. */
static void apply(const double *x, double *y, int mine)
{
    int left = me > 0 ? me - 1 : MPI_PROC_NULL, right = me < p - 1 ? me + 1 : MPI_PROC_NULL;
    double before = 0, after = 0;

    CHECK_OK(MPI_Sendrecv(&x[mine - 1], 1, MPI_DOUBLE, right, 0, &before, 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Sendrecv(&x[0], 1, MPI_DOUBLE, left, 1, &after, 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE));
    for (int i = 0; i < mine; i++)
        y[i] = 2.5 * x[i] - (i > 0 ? x[i - 1] : before) - (i < mine - 1 ? x[i + 1] : after);
}

static void conjugate_gradients(void)
{
    enum { N = 500 };
    int first, mine, turns = 0, counts[64], displs[64];
    double x[N] = {0}, r[N], d[N], q[N], all[N];

    share(N, me, &first, &mine);
    for (int i = 0; i < mine; i++)
        r[i] = d[i] = 1 + (first + i) % 7;
    double rr = dot(r, r, mine);
    for (; rr > 1e-24 && turns < 200; turns++) {
        apply(d, q, mine);
        double alpha = rr / dot(d, q, mine), before = rr;
        for (int i = 0; i < mine; i++) {
            x[i] += alpha * d[i];
            r[i] -= alpha * q[i];
        }
        rr = dot(r, r, mine);
        for (int i = 0; i < mine; i++)
            d[i] = r[i] + rr / before * d[i];
    }
    CHECK(turns < 100);
    for (int k = 0; k < p; k++)
        share(N, k, &displs[k], &counts[k]);
    CHECK_OK(MPI_Allgatherv(x, mine, MPI_DOUBLE, all, counts, displs, MPI_DOUBLE, MPI_COMM_WORLD));
    for (int i = 0; i < N; i++) {
        double back = 2.5 * all[i] - (i > 0 ? all[i - 1] : 0) - (i < N - 1 ? all[i + 1] : 0);
        CHECK_NOTED(fabs(back - (1 + i % 7)) < 1e-9, "row %d: %.17g, not %d", i, back, 1 + i % 7);
    }
}

/* Rows are dealt out in turn; each column's pivot is the entry of largest modulus of all ranks, MPI_MAXLOC. */
static void lu_with_pivoting(void)
{
    enum { N = 24 };
    double a[N][N], row[N], det = 1, want = 1;
    bool used[N] = {false};
    int order[N], swaps = 0;

    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = (i * 7 + j * 13 + i * j) % 17 - 8 + (i == j ? 3 : 0);
    for (int k = 0; k < N; k++) {
        struct {
            double value;
            int row;
        } best = {-1, N}, pivot;
        for (int i = me; i < N; i += p)
            if (!used[i] && fabs(a[i][k]) > best.value) {
                best.value = fabs(a[i][k]);
                best.row = i;
            }
        CHECK_OK(MPI_Allreduce(&best, &pivot, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD));
        CHECK(pivot.row >= 0 && pivot.row < N && !used[pivot.row]);
        used[pivot.row] = true;
        order[k] = pivot.row;
        if (pivot.row % p == me)
            memcpy(row, a[pivot.row], sizeof row);
        CHECK_OK(MPI_Bcast(row + k, N - k, MPI_DOUBLE, pivot.row % p, MPI_COMM_WORLD));
        det *= row[k];
        for (int i = me; i < N; i += p) {
            if (used[i])
                continue;
            double factor = a[i][k] / row[k];
            for (int j = k; j < N; j++)
                a[i][j] -= factor * row[j];
        }
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++)
            swaps += order[j] > order[i];
    det *= swaps % 2 ? -1 : 1;

    /* The same by one rank, without pivots among ranks. */
    double b[N][N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            b[i][j] = (i * 7 + j * 13 + i * j) % 17 - 8 + (i == j ? 3 : 0);
    for (int k = 0; k < N; k++) {
        int best = k;
        for (int i = k; i < N; i++)
            best = fabs(b[i][k]) > fabs(b[best][k]) ? i : best;
        for (int j = 0; j < N && best != k; j++) {
            double swap = b[k][j];
            b[k][j] = b[best][j];
            b[best][j] = swap;
        }
        want *= best != k ? -b[k][k] : b[k][k];
        for (int i = k + 1; i < N; i++)
            for (int j = N - 1; j >= k; j--)
                b[i][j] -= b[i][k] / b[k][k] * b[k][j];
    }
    CHECK_NOTED(fabs(det - want) <= 1e-9 * fabs(want), "determinant %.17g, not %.17g", det, want);
}

/* Every rank counts its own values in all bins and keeps the bins that are its own. */
static void histogram(void)
{
    enum { BINS = 37, VALUES = 5000 };
    long long bins[BINS] = {0}, kept[BINS], want[BINS] = {0};
    int counts[64], first, mine;

    for (int i = 0; i < VALUES; i++)
        bins[check_value(me, i) % BINS]++;
    for (int k = 0; k < p; k++)
        share(BINS, k, &first, &counts[k]);
    share(BINS, me, &first, &mine);
    CHECK_OK(MPI_Reduce_scatter(bins, kept, counts, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD));
    for (int k = 0; k < p; k++)
        for (int i = 0; i < VALUES; i++)
            want[check_value(k, i) % BINS]++;
    for (int i = 0; i < mine; i++)
        CHECK_INT(kept[i], want[first + i]);
}

/* Chan's way to join means and variances: a structure, an operator, and no two ranks of equal weight. */
struct moments {
    long long n;
    double mean, m2;
};

static void join(void *in, void *inout, int *len, MPI_Datatype *type)
{
    const struct moments *x = in;
    struct moments *y = inout;

    (void)type;
    for (int i = 0; i < *len; i++) {
        long long n = x[i].n + y[i].n;
        double delta = y[i].mean - x[i].mean;
        if (n == 0)
            continue;
        y[i].m2 += x[i].m2 + delta * delta * (double)x[i].n * (double)y[i].n / (double)n;
        y[i].mean = (x[i].mean * (double)x[i].n + y[i].mean * (double)y[i].n) / (double)n;
        y[i].n = n;
    }
}

static void moments(void)
{
    enum { SETS = 300 };
    const int lengths[] = {1, 2};
    const MPI_Aint places[] = {offsetof(struct moments, n), offsetof(struct moments, mean)};
    const MPI_Datatype types[] = {MPI_LONG_LONG, MPI_DOUBLE};
    struct moments mine[SETS], all[SETS];
    MPI_Datatype type;
    MPI_Op op;

    CHECK_OK(MPI_Type_create_struct(2, lengths, places, types, &type));
    CHECK_OK(MPI_Type_commit(&type));
    CHECK_OK(MPI_Op_create(join, 1, &op));
    for (int s = 0; s < SETS; s++) { /* rank r has the values s + 0, s + 1, ..., s + r - 1: rank 0 has none */
        mine[s] = (struct moments){me, me ? s + (me - 1) / 2.0 : 0, 0};
        for (int i = 0; i < me; i++)
            mine[s].m2 += (s + i - mine[s].mean) * (s + i - mine[s].mean);
    }
    CHECK_OK(MPI_Allreduce(mine, all, SETS, type, op, MPI_COMM_WORLD));
    for (int s = 0; s < SETS; s++) {
        double n = p * (p - 1) / 2, sum = 0, squares = 0;
        for (int r = 0; r < p; r++)
            for (int i = 0; i < r; i++) {
                sum += s + i;
                squares += (double)(s + i) * (s + i);
            }
        CHECK_INT(all[s].n, n);
        if (n > 0) {
            CHECK(fabs(all[s].mean - sum / n) < 1e-9 * (s + 1));
            CHECK(fabs(all[s].m2 - (squares - sum * sum / n)) < 1e-6 * (s + 1) * (s + 1));
        }
    }
    CHECK_OK(MPI_Op_free(&op));
    CHECK_OK(MPI_Type_free(&type));
}

/* Things found by each rank get numbers in rank order: an exscan for the first one, an allreduce for how many. */
static void numbering(void)
{
    long mine = (me * 5 + 3) % 11, first = 0, total = 0, want = 0, sum = 0;

    CHECK_OK(MPI_Exscan(&mine, &first, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD)); /* rank 0 keeps its 0 */
    CHECK_OK(MPI_Allreduce(&mine, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
    for (int r = 0; r < p; r++) {
        want += r < me ? (r * 5 + 3) % 11 : 0;
        sum += (r * 5 + 3) % 11;
    }
    CHECK_INT(first, want);
    CHECK_INT(total, sum);
}

/* Words of any length from everybody to everybody: first the lengths, then the letters. */
static void words(void)
{
    char mine[64], all[64 * 64];
    int length, lengths[64], displs[64], at = 0;

    length = snprintf(mine, sizeof mine, "%.*srank %d", me % 4, "____", me);
    CHECK_OK(MPI_Allgather(&length, 1, MPI_INT, lengths, 1, MPI_INT, MPI_COMM_WORLD));
    for (int r = 0; r < p; r++) {
        displs[r] = at;
        at += lengths[r];
    }
    CHECK_OK(MPI_Allgatherv(mine, length, MPI_CHAR, all, lengths, displs, MPI_CHAR, MPI_COMM_WORLD));
    for (int r = 0; r < p; r++) {
        snprintf(mine, sizeof mine, "%.*srank %d", r % 4, "____", r);
        CHECK_BYTES(all + displs[r], mine, strlen(mine));
    }
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    p = check_size;
    me = check_rank;
    conjugate_gradients();
    lu_with_pivoting();
    histogram();
    moments();
    numbering();
    words();
    return check_end();
}
