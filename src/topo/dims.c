/* dims.c - MPI_Dims_create: a balanced grid of so many processes (MPI-5.0 section 8.5.2).
 *
 * Of all ways to write the number as a product of the free dimensions, in nonincreasing order, that one is taken whose
 * largest and smallest factor differ least; of several the one whose first factor is smallest, then the second, ...
 * 72 is 9 x 8 and 6 x 4 x 3.  Factors are tried from the equal ones on, and those that cannot lead to a smaller
 * difference not at all.
 */
#include "topo/topo.h"

struct search {
    int ndivisors, ndims;
    int *divisors; /* rising */
    int *chosen;   /* [ndims] factors so far, nonincreasing */
    int *best;     /* [ndims] */
    int spread;    /* of the best; INT_MAX: there is none yet */
};

/* The largest r with r to the power k not above n. */
static int root(int n, int k)
{
    int low = 1, high = n;
    while (low < high) {
        int middle = high - (high - low) / 2;
        int64_t power = 1;
        for (int i = 0; i < k && power <= n; i++)
            power *= middle;
        if (power <= n)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Factors from number d on, whose product is n. */
static void extend(struct search *s, int d, int n)
{
    int left = s->ndims - d, even = root(n, left), first = d ? s->chosen[0] : 0;
    if (left == 1) {
        s->chosen[d] = n;
        if (d && n > s->chosen[d - 1])
            return;
        int spread = s->chosen[0] - n;
        if (spread < s->spread) {
            s->spread = spread;
            memcpy(s->best, s->chosen, (size_t)s->ndims * sizeof *s->best);
        }
        return;
    }
    for (int i = 0; i < s->ndivisors; i++) {
        int factor = s->divisors[i], largest = d ? first : factor;
        if (d && factor > s->chosen[d - 1])
            return;
        if (factor < even || n % factor != 0)
            continue;
        if (largest - even >= s->spread) /* one of the rest is no larger than `even` */
            return;
        s->chosen[d] = factor;
        extend(s, d + 1, n / factor);
    }
}

/* *divisors of n in rising order. */
static int find_divisors(int n, int **divisors)
{
    int count = 0;
    for (int i = 1; i <= n / i; i++)
        count += n % i == 0 ? 1 + (i != n / i) : 0;
    *divisors = tf_alloc((size_t)count * sizeof **divisors, "the divisors of a number of processes");
    if (!*divisors)
        return 0;
    int low = 0, high = count;
    for (int i = 1; i <= n / i; i++) {
        if (n % i == 0) {
            (*divisors)[low++] = i;
            (*divisors)[high - 1] = n / i;
            high--;
        }
    }
    return count;
}

/* n as a product of `ndims` factors, into best[]. */
static int balance(int n, int ndims, int *best)
{
    struct search s = {.ndims = ndims, .best = best, .spread = INT32_MAX};
    s.ndivisors = find_divisors(n, &s.divisors);
    s.chosen = s.divisors ? tf_alloc((size_t)ndims * sizeof *s.chosen, "the dimensions of a grid") : NULL;
    if (s.chosen)
        extend(&s, 0, n);
    int err = s.chosen ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    free(s.chosen);
    free(s.divisors);
    return err;
}

/* *left: what the free dimensions, of which there are *nfree, have to multiply to. */
static int check(int nnodes, int ndims, const int *dims, int *left, int *nfree)
{
    if (nnodes < 1)
        return tf_error(MPI_ERR_ARG, "nnodes is %d; it must be at least 1", nnodes);
    if (ndims < 0)
        return tf_error(MPI_ERR_DIMS, "ndims is %d; it must be at least 0", ndims);
    *left = nnodes;
    *nfree = 0;
    for (int d = 0; d < ndims; d++) {
        if (dims[d] < 0)
            return tf_error(MPI_ERR_DIMS, "dims[%d] is %d; it must be at least 1, or 0 to be chosen", d, dims[d]);
        if (dims[d] > 0 && *left % dims[d] != 0)
            return tf_error(MPI_ERR_DIMS, "the dimensions given do not divide nnodes, %d: dims[%d] is %d", nnodes, d,
                            dims[d]);
        if (dims[d] > 0)
            *left /= dims[d];
        else
            ++*nfree;
    }
    if (*nfree == 0 && *left > 1)
        return tf_error(MPI_ERR_DIMS, "all dimensions are given and make a grid of %d; nnodes is %d", nnodes / *left,
                        nnodes);
    return MPI_SUCCESS;
}

int tf_dims_create(int nnodes, int ndims, int *dims)
{
    int left, nfree;
    int err = check(nnodes, ndims, dims, &left, &nfree);
    if (err || nfree == 0)
        return err;
    int *chosen = tf_alloc((size_t)nfree * sizeof *chosen, "the dimensions of a grid");
    err = chosen ? balance(left, nfree, chosen) : MPI_ERR_NO_MEM;
    for (int d = 0, next = 0; d < ndims && !err; d++) {
        if (dims[d] == 0)
            dims[d] = chosen[next++];
    }
    free(chosen);
    return err;
}
