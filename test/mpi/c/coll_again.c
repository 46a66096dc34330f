/* Calls that repeat the one before, or one of the latest, but for one thing: what an array of counts holds, the root,
 * the datatype, whether it is in place, whose handle it is that another operator or datatype had.  What the library
 * remembers of calls before must not answer for it.
 *
 * np: 1 2 3
 */
#include "check.h"

enum { ROUNDS = 12, MOST = 8 };

static int p, rank;
static int in[64 * MOST], out[64 * MOST];
static int counts[64], displs[64];

static int count_of(int r, int round)
{
    return (r + 2 * round) % MOST;
}

static void counts_change(int round, int reversed)
{
    int at = 0;
    for (int i = 0; i < p; i++) {
        int r = reversed ? p - 1 - i : i;
        counts[r] = count_of(r, round);
        displs[r] = at;
        at += counts[r];
    }
}

static void fill(int round)
{
    for (int i = 0; i < 64 * MOST; i++)
        in[i] = check_value(rank, 1000 * round + i);
    check_wipe(out, sizeof out);
}

/* Block r of out is what rank r had from `first` on. */
static void verify(int r, const int *block, int n, int round, int first)
{
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += block[i] != check_value(r, 1000 * round + first + i);
    CHECK_INT(wrong, 0);
}

/* The arrays are the same ones, and hold something else each time. */
static void arrays_hold_others(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        counts_change(round, round & 1);
        int mine = counts[rank], root = round / 4 % p;
        fill(round);
        CHECK_OK(MPI_Allgatherv(in, mine, MPI_INT, out, counts, displs, MPI_INT, MPI_COMM_WORLD));
        for (int r = 0; r < p; r++)
            verify(r, out + displs[r], counts[r], round, 0);
        fill(round);
        CHECK_OK(MPI_Gatherv(in, mine, MPI_INT, out, counts, displs, MPI_INT, root, MPI_COMM_WORLD));
        for (int r = 0; r < p && rank == root; r++)
            verify(r, out + displs[r], counts[r], round, 0);
        fill(round);
        CHECK_OK(MPI_Scatterv(in, counts, displs, MPI_INT, out, mine, MPI_INT, root, MPI_COMM_WORLD));
        verify(root, out, mine, round, displs[rank]);
    }
}

static void same_call_all_to_all(int rounds, int first)
{
    static int sends[64], from[64], to[64];
    for (int round = first; round < first + rounds; round++) {
        int at = 0, back = 0;
        for (int r = 0; r < p; r++) {
            sends[r] = count_of(rank + r, round);
            from[r] = at;
            at += sends[r];
        }
        for (int r = p - 1; r >= 0; r--) {
            to[r] = back;
            back += sends[r];
        }
        fill(round);
        CHECK_OK(MPI_Alltoallv(in, sends, from, MPI_INT, out, sends, to, MPI_INT, MPI_COMM_WORLD));
        for (int r = 0; r < p; r++) {
            int before = 0;
            for (int q = 0; q < rank; q++)
                before += count_of(r + q, round);
            verify(r, out + to[r], sends[r], round, before);
        }
    }
}

/* Every third call differs from the two before. */
static void one_thing_changes(void)
{
    for (int round = 0; round < 3 * ROUNDS; round++) {
        bool other = round % 3 == 2;
        int n = round < ROUNDS && other ? 3 : 2, root = round / ROUNDS == 1 && other ? p - 1 : 0;
        bool inplace = round / ROUNDS == 2 && other;
        fill(round);
        for (int i = 0; i < n && inplace; i++)
            out[rank * n + i] = in[i];
        CHECK_OK(MPI_Allgather(inplace ? MPI_IN_PLACE : in, n, MPI_INT, out, n, MPI_INT, MPI_COMM_WORLD));
        for (int r = 0; r < p; r++)
            verify(r, out + r * n, n, round, 0);
        fill(round);
        CHECK_OK(MPI_Alltoall(in, n, MPI_INT, out, n, MPI_INT, MPI_COMM_WORLD));
        for (int r = 0; r < p; r++)
            verify(r, out + r * n, n, round, rank * n);
        fill(round);
        CHECK_OK(MPI_Scatter(in, n, MPI_INT, inplace && rank == root ? MPI_IN_PLACE : out, n, MPI_INT, root,
                             MPI_COMM_WORLD));
        if (!inplace || rank != root)
            verify(root, out, n, round, rank * n);
        fill(round);
        CHECK_OK(MPI_Gather(in, n, MPI_INT, out, n, MPI_INT, root, MPI_COMM_WORLD));
        for (int r = 0; r < p && rank == root; r++)
            verify(r, out + r * n, n, round, 0);
        fill(round);
        memcpy(out, in, sizeof out);
        CHECK_OK(MPI_Bcast(out, n, other ? MPI_INT : MPI_FLOAT, root, MPI_COMM_WORLD));
        verify(root, out, n, round, 0);
    }
}

/* Types have the same number of bytes, one of them gaps. */
static void types_change(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        bool gaps = round % 3 == 1;
        MPI_Datatype type = gaps ? MPI_SHORT_INT : round % 3 ? MPI_INT : MPI_UINT8_T;
        int n = gaps ? 2 : round % 3 ? 3 : 12, size;
        fill(round);
        memcpy(out, in, sizeof out);
        CHECK_OK(MPI_Bcast(out, n, type, 0, MPI_COMM_WORLD));
        CHECK_OK(MPI_Type_size(type, &size));
        CHECK_INT(size * n, 12);
        if (!gaps) {
            verify(0, out, 3, round, 0);
        } else {
            CHECK_INT((short)out[0], (short)check_value(0, 1000 * round));
            verify(0, out + 1, 1, round, 1);
            CHECK_INT((short)out[2], (short)check_value(0, 1000 * round + 2));
        }
    }
}

/* More requests at once than are kept, several times, with other operators, types and lengths from time to time. */
static void requests_come_again(void)
{
    enum { AT_ONCE = 40, LONG = 5000 };
    MPI_Request requests[AT_ONCE];
    double *long_in = check_alloc(LONG * sizeof(double), 0), *long_out = check_alloc(LONG * sizeof(double), 0xff);
    static double sums[AT_ONCE][2];
    for (int round = 0; round < 4; round++) {
        double mine[2] = {rank + 1, round};
        check_wipe(sums, sizeof sums);
        for (int i = 0; i < AT_ONCE; i++)
            CHECK_OK(
                MPI_Iallreduce(mine, sums[i], 2, MPI_DOUBLE, i % 3 ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD, &requests[i]));
        CHECK_OK(MPI_Waitall(AT_ONCE, requests, MPI_STATUSES_IGNORE));
        for (int i = 0; i < AT_ONCE; i++) {
            CHECK_DOUBLE(sums[i][0], i % 3 ? p * (p + 1) / 2.0 : p);
            CHECK_DOUBLE(sums[i][1], i % 3 ? (double)p * round : round);
        }
        for (int i = 0; i < LONG; i++)
            long_in[i] = rank + i;
        CHECK_OK(MPI_Iallreduce(long_in, long_out, LONG, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, requests));
        CHECK_OK(MPI_Wait(requests, MPI_STATUS_IGNORE));
        CHECK_DOUBLE(long_out[LONG - 1], p * (p - 1) / 2.0 + (double)p * (LONG - 1));
    }
    free(long_in);
    free(long_out);
}

/* in op inout by element: their sum, the left one, or the right one. */
static void combine(const int *in, int *inout, int n, int how)
{
    for (int i = 0; i < n; i++)
        inout[i] = how == 0 ? in[i] + inout[i] : how == 1 ? in[i] : inout[i];
}

static void apply(void *in, void *inout, const int *length, MPI_Datatype type, int how)
{
    MPI_Aint lb, extent;
    MPI_Type_get_true_extent(type, &lb, &extent);
    combine((int *)((char *)in + lb), (int *)((char *)inout + lb), *length * (int)(extent / (MPI_Aint)sizeof(int)),
            how);
}

static void add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    apply(in, inout, length, *type, 0);
}

static void left(void *in, void *inout, int *length, MPI_Datatype *type)
{
    apply(in, inout, length, *type, 1);
}

static void right(void *in, void *inout, int *length, MPI_Datatype *type)
{
    apply(in, inout, length, *type, 2);
}

/* 2 or 3 ints; or 2 that begin one int after the address; or a predefined type of two. */
static MPI_Datatype type_of(int round, int *n, int *at)
{
    MPI_Aint after = sizeof(int);
    MPI_Datatype type;
    *n = round % 4 == 1 ? 3 : 2;
    *at = round % 4 == 2;
    if (round % 4 == 3)
        return MPI_2INT;
    if (*at)
        CHECK_OK(MPI_Type_create_hindexed_block(1, *n, &after, MPI_INT, &type));
    else
        CHECK_OK(MPI_Type_contiguous(*n, MPI_INT, &type));
    CHECK_OK(MPI_Type_commit(&type));
    return type;
}

static void free_type(MPI_Datatype *type)
{
    if (*type != MPI_2INT)
        CHECK_OK(MPI_Type_free(type));
}

static int combined(int how, int first, int last, int index)
{
    int sum = 0;
    for (int r = first; r <= last; r++)
        sum += check_value(r, index);
    return how == 0 ? sum : check_value(how == 1 ? first : last, index);
}

/* What the ranks first..last have, at out[at] and on; before and behind it nothing has been written. */
static void verify_combined(int how, int first, int last, int round, int n, int at)
{
    CHECK_INT(out[n + at], -1);
    for (int i = 0; i < n; i++)
        CHECK_INT(out[at + i], combined(how, first, last, 1000 * round + at + i));
    if (at)
        CHECK_INT(out[0], -1);
}

static void fill_combined(int round)
{
    fill(round);
    memset(out, 0xff, sizeof out);
}

static void call_combined(int which, int round, MPI_Datatype type, MPI_Op op, int how, int n, int at)
{
    int root = round / 5 % p;
    fill_combined(round);
    if (which == 0) {
        CHECK_OK(MPI_Allreduce(in, out, 1, type, op, MPI_COMM_WORLD));
        verify_combined(how, 0, p - 1, round, n, at);
    } else if (which == 1) {
        CHECK_OK(MPI_Reduce(in, out, 1, type, op, root, MPI_COMM_WORLD));
        if (rank == root)
            verify_combined(how, 0, p - 1, round, n, at);
    } else if (which == 2) {
        CHECK_OK(MPI_Scan(in, out, 1, type, op, MPI_COMM_WORLD));
        verify_combined(how, 0, rank, round, n, at);
    } else {
        CHECK_OK(MPI_Exscan(in, out, 1, type, op, MPI_COMM_WORLD));
        if (rank > 0)
            verify_combined(how, 0, rank - 1, round, n, at);
    }
}

/* A program's operators and datatypes, which are freed after two calls, so that the next ones have their memory, and in
 * the end their handles. */
static void operators_change(void)
{
    static MPI_User_function *const functions[] = {add, left, right};
    for (int round = 0; round < 4 * 150; round++) {
        int n, at, how = round % 3;
        MPI_Op op;
        MPI_Datatype type = type_of(round, &n, &at);
        CHECK_OK(MPI_Op_create(functions[how], how == 0, &op));
        call_combined(round / 150, round, type, op, how, n, at);
        call_combined(round / 150, round, type, op, how, n, at);
        CHECK_OK(MPI_Op_free(&op));
        free_type(&type);
    }
}

static void move_typed(int round, MPI_Datatype type, int n, int at, int root)
{
    fill_combined(round);
    if (rank == root)
        memcpy(out, in, (size_t)(at + n) * sizeof *out);
    CHECK_OK(MPI_Bcast(out, 1, type, root, MPI_COMM_WORLD));
    verify(root, out + at, n, round, at);
    CHECK_INT(out[at + n], -1);
    fill_combined(round);
    CHECK_OK(MPI_Gather(in, 1, type, out, n, MPI_INT, 0, MPI_COMM_SELF));
    verify(rank, out, n, round, at);
    fill_combined(round);
    CHECK_OK(MPI_Alltoall(in, n, MPI_INT, out, 1, type, MPI_COMM_SELF));
    verify(rank, out + at, n, round, 0);
    CHECK_INT(out[at + n], -1);
}

/* The same of data that only moves. */
static void datatypes_change(void)
{
    for (int round = 0; round < 200; round++) {
        int n, at;
        MPI_Datatype type = type_of(round, &n, &at);
        for (int i = 0; i < 2; i++)
            move_typed(round, type, n, at, round / 7 % p);
        free_type(&type);
    }
}

enum { IN_TURN = 24, LENGTH = 6000 };

static void reduce_in_turn(const int *mine, int *result, int n, bool in_place, int root)
{
    int wrong = 0;
    memcpy(result, mine, (size_t)n * sizeof *mine);
    CHECK_OK(
        MPI_Allreduce(in_place ? MPI_IN_PLACE : mine, result, n, MPI_INT, n & 1 ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD));
    for (int i = 0; i < n; i++)
        wrong += result[i] != (n & 1 ? p - 1 + i : p * (p - 1) / 2 + p * i);
    memcpy(result, mine, (size_t)n * sizeof *mine);
    CHECK_OK(
        MPI_Reduce(in_place && rank == root ? MPI_IN_PLACE : mine, result, n, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD));
    for (int i = 0; i < n && rank == root; i++)
        wrong += result[i] != p * (p - 1) / 2 + p * i;
    int block = n / p;
    memcpy(result, mine, (size_t)n * sizeof *mine);
    CHECK_OK(MPI_Reduce_scatter_block(in_place ? MPI_IN_PLACE : mine, result, block, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    for (int i = 0; i < block; i++)
        wrong += result[i] != p * (p - 1) / 2 + p * (rank * block + i);
    CHECK_INT(wrong, 0);
}

/* More calls than are kept, and some that need more memory than those before. */
static void calls_in_turn(void)
{
    int *mine = check_alloc(LENGTH * sizeof *mine, 0), *result = check_alloc(LENGTH * sizeof *result, 0);
    for (int i = 0; i < LENGTH; i++)
        mine[i] = rank + i;
    for (int round = 0; round < 20; round++)
        for (int k = 0; k < (round % 3 ? 4 : IN_TURN); k++) {
            int n = k < IN_TURN - 2 ? k + 1 : LENGTH - 3000 * (round & 1), root = (round + k) % p;
            reduce_in_turn(mine, result, n, (k + round) % 5 == 0, root);
            CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
            int word = rank == root ? 100 * round + k : -1;
            CHECK_OK(MPI_Bcast(&word, 1, MPI_INT, root, MPI_COMM_WORLD));
            CHECK_INT(word, 100 * round + k);
        }
    free(mine);
    free(result);
}

/* With requests, several of each under way, and persistent ones between them that are started again and again. */
static void requests_in_turn(void)
{
    enum { KINDS = 20 };
    static int word[KINDS], sum[KINDS], most[KINDS], all[KINDS][64], kept;
    MPI_Request requests[4 * KINDS], persistent;
    MPI_Op op;
    CHECK_OK(MPI_Allreduce_init(&kept, &all[0][0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &persistent));
    for (int round = 0; round < 12; round++) {
        int n = 0, kinds = round % 3 ? 3 : KINDS;
        CHECK_OK(MPI_Op_create(round % 2 ? add : left, round % 2, &op));
        for (int k = 0; k < kinds; k++) {
            int root = (k + round) % p;
            MPI_Datatype type;
            CHECK_OK(MPI_Type_contiguous(1 + k % 2, k % 2 ? MPI_SHORT : MPI_INT, &type));
            CHECK_OK(MPI_Type_commit(&type));
            word[k] = 100 * round + k + (rank == root ? 0 : 1);
            sum[k] = most[k] = -1;
            CHECK_OK(MPI_Ibcast(&word[k], 1, type, root, MPI_COMM_WORLD, &requests[n++]));
            CHECK_OK(
                MPI_Iallreduce(&rank, &sum[k], 1, MPI_INT, k % 2 ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD, &requests[n++]));
            CHECK_OK(MPI_Ireduce(&p, &most[k], 1, MPI_INT, op, root, MPI_COMM_WORLD, &requests[n++]));
            CHECK_OK(MPI_Iallgather(&rank, 1, MPI_INT, all[k], 1, MPI_INT, MPI_COMM_WORLD, &requests[n++]));
            CHECK_OK(MPI_Type_free(&type));
        }
        CHECK_OK(MPI_Op_free(&op));
        CHECK_OK(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
        for (int k = 0; k < kinds; k++) {
            CHECK_INT(word[k], 100 * round + k);
            CHECK_INT(sum[k], k % 2 ? p * (p - 1) / 2 : p - 1);
            CHECK_INT(most[k], rank != (k + round) % p ? -1 : round % 2 ? p * p : p);
            CHECK_INT(all[k][p - 1], p - 1);
        }
        kept = round + rank;
        CHECK_OK(MPI_Start(&persistent));
        CHECK_OK(MPI_Wait(&persistent, MPI_STATUS_IGNORE));
        CHECK_INT(all[0][0], p * round + p * (p - 1) / 2);
    }
    CHECK_OK(MPI_Request_free(&persistent));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    arrays_hold_others();
    same_call_all_to_all(ROUNDS, 0);
    one_thing_changes();
    types_change();
    operators_change();
    datatypes_change();
    calls_in_turn();
    requests_come_again();
    requests_in_turn();
    return check_end();
}
