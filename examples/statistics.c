/* A computation on a file: count, mean, variance, extremes with their rows, and a histogram of one column of numbers.
 *
 *     mpiexec -n 4 statistics temperatures.csv
 *
 * The file has a line of headings and then lines "hour,temperature".  Nobody reads all of it: each rank takes the lines
 * that begin in its share of the file's bytes.  Every step is one collective:
 *
 *     rows before mine          MPI_Exscan, sum
 *     count, mean, variance     MPI_Reduce with an operator of our own that merges partial moments
 *     minimum, maximum, rows    MPI_Reduce with MPI_MINLOC and MPI_MAXLOC
 *     histogram                 MPI_Reduce, element-wise sum
 *
 * The answer does not depend on the number of ranks.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOW (-20.0) /* the histogram's range and the width of its bins, in degrees */
#define WIDTH 2.5
#define BINS 25

/* Count, mean, and sum of squared distances from the mean. */
struct moments {
    double count, mean, squares;
};

struct extreme { /* the layout of MPI_DOUBLE_INT */
    double value;
    int row;
};

struct column {
    struct moments moments;
    struct extreme least, most;
    long long bins[BINS];
};

/* Chan, Golub, LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", 1979.  Unlike a
 * sum of squares it loses no digits when the mean is large. */
static struct moments merge(struct moments a, struct moments b)
{
    struct moments both = {a.count + b.count, 0, 0};
    if (both.count == 0)
        return both;
    double distance = b.mean - a.mean;
    both.mean = a.mean + distance * b.count / both.count;
    both.squares = a.squares + b.squares + distance * distance * a.count * b.count / both.count;
    return both;
}

static void merge_all(void *in, void *inout, int *len, MPI_Datatype *type)
{
    const struct moments *a = in;
    struct moments *b = inout;
    (void)type;
    for (int i = 0; i < *len; i++)
        b[i] = merge(a[i], b[i]);
}

static void take(struct column *c, double value)
{
    int row = (int)c->moments.count, bin = (int)floor((value - LOW) / WIDTH);
    c->moments = merge(c->moments, (struct moments){1, value, 0});
    if (value < c->least.value)
        c->least = (struct extreme){value, row};
    if (value > c->most.value)
        c->most = (struct extreme){value, row};
    c->bins[bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin]++;
}

/* The lines that begin at or after byte size * rank / ranks and before the next rank's share; the first line of all is
 * the headings'.  Rows are counted from this rank's first. */
static struct column read_share(FILE *file, int rank, int ranks)
{
    struct column c = {{0, 0, 0}, {INFINITY, 0}, {-INFINITY, 0}, {0}};
    char line[256];
    fseek(file, 0, SEEK_END);
    long long size = ftell(file), first = size * rank / ranks, end = size * (rank + 1) / ranks;

    /* from the byte before: if that ends a line, the first line of the share is ours, else it is the one before's */
    long at = first > 0 ? (long)first - 1 : 0;
    fseek(file, at, SEEK_SET);
    if (fgets(line, sizeof line, file))
        at = ftell(file);
    while (at < end && fgets(line, sizeof line, file)) {
        int hour;
        double value;
        if (sscanf(line, "%d,%lf", &hour, &value) == 2)
            take(&c, value);
        at = ftell(file);
    }
    return c;
}

static void print(const char *name, const struct column *c)
{
    long long most = 1;
    printf("%s: %.0f rows\n", name, c->moments.count);
    printf("mean %.4f, variance %.4f, standard deviation %.4f\n", c->moments.mean,
           c->moments.squares / c->moments.count, sqrt(c->moments.squares / c->moments.count));
    printf("minimum %.2f in row %d, maximum %.2f in row %d\n", c->least.value, c->least.row, c->most.value,
           c->most.row);
    for (int b = 0; b < BINS; b++)
        most = c->bins[b] > most ? c->bins[b] : most;
    for (int b = 0; b < BINS; b++) {
        char bar[51] = "";
        memset(bar, '#', (size_t)(50 * c->bins[b] / most));
        printf("%6.1f .. %5.1f %6lld%s%s\n", LOW + b * WIDTH, LOW + (b + 1) * WIDTH, c->bins[b], *bar ? " " : "", bar);
    }
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "temperatures.csv";
    int rank, ranks, mine, before = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    FILE *file = fopen(name, "r");
    if (!file) {
        fprintf(stderr, "rank %d cannot open %s\n", rank, name);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    struct column part = read_share(file, rank, ranks), all = part;
    fclose(file);

    mine = (int)part.moments.count;
    MPI_Exscan(&mine, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    part.least.row += rank ? before : 0; /* MPI_Exscan gives rank 0 nothing */
    part.most.row += rank ? before : 0;

    MPI_Datatype moments;
    MPI_Op merging;
    MPI_Type_contiguous(3, MPI_DOUBLE, &moments);
    MPI_Type_commit(&moments);
    MPI_Op_create(merge_all, 1, &merging);
    MPI_Reduce(&part.moments, &all.moments, 1, moments, merging, 0, MPI_COMM_WORLD);
    MPI_Reduce(&part.least, &all.least, 1, MPI_DOUBLE_INT, MPI_MINLOC, 0, MPI_COMM_WORLD);
    MPI_Reduce(&part.most, &all.most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, 0, MPI_COMM_WORLD);
    MPI_Reduce(part.bins, all.bins, BINS, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Op_free(&merging);
    MPI_Type_free(&moments);

    if (rank == 0)
        print(name, &all);
    MPI_Finalize();
    return 0;
}
