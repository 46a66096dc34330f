/* What the standard leaves undefined and the libraries that programs come from agree on: characters are reduced as
 * small integers, and Fortran's integers, MPI_AINT, MPI_COUNT and MPI_OFFSET are truth values too.
 *
 * np: 1 2 3 4 8
 * wrong: openmpi (no logical operators on MPI_INTEGER)
 */
#include "check.h"

enum { N = 300 };

static const MPI_Op ops[] = {MPI_SUM,  MPI_PROD, MPI_LAND, MPI_LOR, MPI_LXOR,
                             MPI_BAND, MPI_BOR,  MPI_BXOR, MPI_MAX, MPI_MIN};
static const char *const names[] = {"MPI_SUM",  "MPI_PROD", "MPI_LAND", "MPI_LOR", "MPI_LXOR",
                                    "MPI_BAND", "MPI_BOR",  "MPI_BXOR", "MPI_MAX", "MPI_MIN"};
enum { FIRST_LOGICAL = 2, AFTER_LOGICAL = 5, AFTER_BITWISE = 8, ALL = 10 };

static unsigned char in[8 * N], got[8 * N], want[8 * N];

static void poison(void)
{
    memset(got, 0xa5, sizeof got);
    memset(want, 0x5a, sizeof want);
}

/* Both types have `size` bytes; results are the same on the whole vector of every rank. */
static void alike(MPI_Datatype type, MPI_Datatype model, int size, int from, int to, const char *what)
{
    const MPI_Comm w = MPI_COMM_WORLD;
    for (int k = 0; k < N; k++) {
        long long value = k % 5 == 0 ? 0 : check_value(check_rank, k) * 0x9e3779b97f4a7c15LL;
        memcpy(in + k * size, &value, (size_t)size);
    }
    for (int o = from; o < to; o++) {
        size_t bytes = (size_t)(N * size);
        poison();
        CHECK_OK(MPI_Allreduce(in, want, N, model, ops[o], w));
        CHECK_OK(MPI_Allreduce(in, got, N, type, ops[o], w));
        CHECK_NOTED(memcmp(got, want, bytes) == 0, "%s of %s in an allreduce", names[o], what);
        poison();
        CHECK_OK(MPI_Scan(in, want, N, model, ops[o], w));
        CHECK_OK(MPI_Scan(in, got, N, type, ops[o], w));
        CHECK_NOTED(memcmp(got, want, bytes) == 0, "%s of %s in a scan", names[o], what);
        memcpy(want, in, bytes);
        memcpy(got, in, bytes);
        CHECK_OK(MPI_Reduce_local(in, want, N, model, ops[o]));
        CHECK_OK(MPI_Reduce_local(in, got, N, type, ops[o]));
        CHECK_NOTED(memcmp(got, want, bytes) == 0, "%s of %s by MPI_Reduce_local", names[o], what);
    }
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    alike(MPI_CHAR, MPI_SIGNED_CHAR, 1, 0, ALL, "MPI_CHAR");
    alike(MPI_CHARACTER, MPI_SIGNED_CHAR, 1, 0, AFTER_BITWISE, "MPI_CHARACTER");
    alike(MPI_AINT, MPI_LONG, 8, FIRST_LOGICAL, AFTER_LOGICAL, "MPI_AINT");
    alike(MPI_COUNT, MPI_LONG, 8, FIRST_LOGICAL, AFTER_LOGICAL, "MPI_COUNT");
    alike(MPI_OFFSET, MPI_LONG, 8, FIRST_LOGICAL, AFTER_LOGICAL, "MPI_OFFSET");
    alike(MPI_INTEGER, MPI_INT, 4, FIRST_LOGICAL, AFTER_LOGICAL, "MPI_INTEGER");
    alike(MPI_INTEGER1, MPI_SIGNED_CHAR, 1, FIRST_LOGICAL, AFTER_LOGICAL, "MPI_INTEGER1");
    alike(MPI_INTEGER2, MPI_SHORT, 2, FIRST_LOGICAL, AFTER_LOGICAL, "MPI_INTEGER2");
    alike(MPI_INTEGER8, MPI_LONG, 8, FIRST_LOGICAL, AFTER_LOGICAL, "MPI_INTEGER8");
    return check_end();
}
