/* More than 2^31 elements in one call: predefined operators, user-defined ones of both forms, blocking and not, in
 * place and not; and elements and displacements that lie more than 2^31 bytes apart.
 *
 * np: 1 2
 * timeout: 600
 * flags: -O3
 * wrong: openmpi (4.1: no large counts)
 */
#include "repeated.h"

#include <limits.h>

#include "check.h"

#if MPI_VERSION >= 4

#define N (((MPI_Count)1 << 31) + 77)

enum { PERIOD = 1 << 24 }; /* of an input */

static int p, me;
static const MPI_Comm w = MPI_COMM_WORLD;
static uint8_t *in, *out;

static uint8_t value(int rank, MPI_Count i)
{
    return (uint8_t)((i % PERIOD) * 7 + ((i % PERIOD) >> 8) + rank * 31 + 1);
}

static uint8_t *room(size_t bytes)
{
    void *m = repeated_room(bytes);
    if (m == NULL)
        MPI_Abort(w, 1);
    return m;
}

static uint8_t *input(MPI_Count n)
{
    uint8_t *m = repeated((size_t)n, PERIOD);
    if (m == NULL)
        MPI_Abort(w, 1);
    for (int i = 0; i < PERIOD; i++)
        m[i] = value(me, i);
    return m;
}

/* Around both ends, around 2^31, and here and there between. */
static void expect(const uint8_t *got, uint8_t (*wanted)(MPI_Count), const char *what)
{
    MPI_Count wrong = 0, first = -1;

    for (MPI_Count i = 0; i < N; i += i < 100 || i > N - 400 || (i > INT_MAX - 100L && i < INT_MAX + 100L) ? 1 : 997)
        if (got[i] != wanted(i)) {
            first = wrong++ ? first : i;
        }
    CHECK_NOTED(wrong == 0, "%s: %lld wrong, the first is %lld: %d, not %d", what, (long long)wrong, (long long)first,
                got[first < 0 ? 0 : first], wanted(first < 0 ? 0 : first));
}

static uint8_t sum(MPI_Count i)
{
    uint8_t s = 0;
    for (int r = 0; r < p; r++)
        s += value(r, i);
    return s;
}

static uint8_t exclusive(MPI_Count i)
{
    uint8_t s = 0;
    for (int r = 0; r < p; r++)
        s ^= value(r, i);
    return s;
}

static uint8_t prefix(MPI_Count i)
{
    uint8_t s = 0;
    for (int r = 0; r <= me; r++)
        s += value(r, i);
    return s;
}

static uint8_t from_last(MPI_Count i)
{
    return value(p - 1, i);
}

static uint8_t twice(MPI_Count i)
{
    return (uint8_t)(2 * value(me, i));
}

static void predefined(void)
{
    MPI_Request request;

    CHECK_OK(MPI_Allreduce_c(in, out, N, MPI_BYTE, MPI_BXOR, w));
    expect(out, exclusive, "allreduce of MPI_BYTE");
    CHECK_OK(MPI_Iallreduce_c(in, out, N, MPI_INT8_T, MPI_SUM, w, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    expect(out, sum, "iallreduce of MPI_INT8_T");
    if (p > 1) {
        CHECK_OK(MPI_Scan_c(in, out, N, MPI_UINT8_T, MPI_SUM, w));
        expect(out, prefix, "scan of MPI_UINT8_T");
        return;
    }
    memcpy(out, in, (size_t)N);
    CHECK_OK(MPI_Reduce_local_c(in, out, N, MPI_UINT8_T, MPI_SUM));
    expect(out, twice, "reduce_local");
}

static MPI_Count seen, longest;
static int calls;

static void add(const uint8_t *x, uint8_t *y, MPI_Count n)
{
    calls++;
    seen += n;
    longest = n > longest ? n : longest;
    for (MPI_Count i = 0; i < n; i++)
        y[i] += x[i];
}

static void in_pieces(void *x, void *y, int *n, MPI_Datatype *type)
{
    CHECK(*n > 0 && *type == MPI_UINT8_T);
    add(x, y, *n);
}

static void whole(void *x, void *y, MPI_Count *n, MPI_Datatype *type)
{
    CHECK(*n > 0 && *type == MPI_UINT8_T);
    add(x, y, *n);
}

/* Where the whole vector is asked for, the int form in pieces that fit an int, the large form in one (section 6.9.5).
 */
static void user_defined(void)
{
    MPI_Op op[2];
    MPI_Comm comm;
    MPI_Info info;

    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "treefold_whole_operators", "true"));
    CHECK_OK(MPI_Comm_dup_with_info(w, info, &comm));
    CHECK_OK(MPI_Info_free(&info));

    CHECK_OK(MPI_Op_create(in_pieces, 1, &op[0]));
    CHECK_OK(MPI_Op_create_c(whole, 1, &op[1]));
    for (int form = 0; form < 2; form++) {
        seen = longest = calls = 0;
        if (p == 1) {
            memcpy(out, in, (size_t)N);
            CHECK_OK(MPI_Reduce_local_c(in, out, N, MPI_UINT8_T, op[form]));
            expect(out, twice, "reduce_local with a function");
            CHECK_OK(MPI_Op_free(&op[form]));
        } else {
            MPI_Request request;
            CHECK_OK(MPI_Iallreduce_c(in, out, N, MPI_UINT8_T, op[form], comm, &request));
            CHECK_OK(MPI_Op_free(&op[form]));
            CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            expect(out, sum, "iallreduce with a function");
        }
        int all_calls = 0; /* the function need not be called everywhere */
        CHECK_OK(MPI_Allreduce(&calls, &all_calls, 1, MPI_INT, MPI_SUM, w));
        CHECK(all_calls > 0);
        CHECK(calls == 0 || seen == N);
        CHECK(calls == 0 || (form == 0 ? longest <= INT_MAX : longest == N && calls == 1));
    }
    CHECK_OK(MPI_Comm_free(&comm));
}

/* A few elements of more than 2 GiB, int counts: what is sent is more than an int can say. */
static void long_elements(void)
{
    MPI_Datatype kib;

    CHECK_OK(MPI_Type_contiguous(1 << 10, MPI_UINT8_T, &kib));
    CHECK_OK(MPI_Type_commit(&kib));
    if (me == p - 1)
        memcpy(out, in, (size_t)N);
    CHECK_OK(MPI_Bcast(out, (int)(N >> 10), kib, p - 1, w));
    CHECK_OK(MPI_Bcast(out + (N >> 10 << 10), (int)(N & 1023), MPI_UINT8_T, p - 1, w));
    expect(out, from_last, "bcast of more bytes than an int can say");
    CHECK_OK(MPI_Type_free(&kib));
}

/* Blocks more than 2^31 elements apart, in memory of which few pages are used. */
static void far_apart(void)
{
    enum { FEW = 1000 };
    const MPI_Aint apart = ((MPI_Aint)1 << 31) + 4099;
    int *from = (int *)room(4 * (size_t)apart * (p + 1)), *to = (int *)room(4 * (size_t)apart * (p + 1));
    MPI_Count counts[2];
    MPI_Aint displs[2];
    MPI_Datatype spread;

    for (int r = 0; r < p; r++) {
        counts[r] = FEW;
        displs[r] = apart * (p - r);
        for (int i = 0; i < FEW; i++)
            from[displs[r] + i] = check_value(me, r * FEW + i);
    }
    CHECK_OK(MPI_Alltoallv_c(from, counts, displs, MPI_INT, to, counts, displs, MPI_INT, w));
    for (int r = 0; r < p; r++)
        for (int i = 0; i < FEW; i++)
            CHECK_INT(to[displs[r] + i], check_value(r, me * FEW + i));
    CHECK_OK(MPI_Allgatherv_c(from + displs[0], FEW, MPI_INT, to, counts, displs, MPI_INT, w));
    for (int r = 0; r < p; r++)
        CHECK_INT(to[displs[r] + FEW - 1], check_value(r, FEW - 1));

    CHECK_OK(MPI_Type_create_resized_c(MPI_INT, 0, 4 * apart, &spread));
    CHECK_OK(MPI_Type_commit(&spread));
    for (int r = 0; r <= p; r++)
        from[r * apart] = check_value(me, r);
    CHECK_OK(MPI_Alltoall(from, 1, spread, to, 1, spread, w));
    for (int r = 0; r < p; r++)
        CHECK_INT(to[r * apart], check_value(r, me));
    CHECK_OK(MPI_Sendrecv(from, p + 1, spread, (me + 1) % p, 0, to, p + 1, spread, (me + p - 1) % p, 0, w,
                          MPI_STATUS_IGNORE));
    for (int r = 0; r <= p; r++)
        CHECK_INT(to[r * apart], check_value((me + p - 1) % p, r));
    CHECK_OK(MPI_Type_free(&spread));
    munmap(from, 4 * (size_t)apart * (p + 1));
    munmap(to, 4 * (size_t)apart * (p + 1));
}

static long available_gib(void)
{
    FILE *f = fopen("/proc/meminfo", "r");
    char line[200];
    long kib = 0;

    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %ld kB", &kib) == 1)
            break;
    if (f)
        fclose(f);
    return kib >> 20;
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    p = check_size;
    me = check_rank;
    far_apart();
    long needed = 5 * p, there = available_gib(); /* a result, and as much scratch in the library */
    CHECK_OK(MPI_Bcast(&there, 1, MPI_LONG, 0, w));
    if (there < needed || CHECK_SLOW > 1) {
        if (me == 0 && there < needed)
            printf("skipped: %ld GiB of memory are needed, and %ld are available\n", needed, there);
        else if (me == 0)
            printf("skipped: it would take minutes with a sanitizer\n");
    } else {
        in = input(N);
        out = room((size_t)N + 64);
        predefined();
        long_elements();
        user_defined();
    }
    return check_end();
}

#else

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    CHECK(MPI_VERSION < 4);
    return check_end();
}

#endif
