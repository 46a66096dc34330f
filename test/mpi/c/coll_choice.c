/* An info key on a communicator chooses algorithms: set later, at a duplication, at a split; calls give the same
 * values, what makes no sense is passed over, and MPI_Comm_get_info tells the key.
 *
 * np: 1 2 3 4 8
 * only: treefold
 */
#include "check.h"

#define KEY "treefold_algorithm"

static MPI_Info info_of(const char *value)
{
    MPI_Info info;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, KEY, value));
    return info;
}

/* Affine maps x -> ax + b of integers modulo 2^32: associative, not commutative. */
static void compose(void *in, void *inout, int *len, MPI_Datatype *type)
{
    uint32_t *left = in, *right = inout;
    (void)type;
    for (int i = 0; i < *len; i++, left += 2, right += 2) {
        right[1] = right[0] * left[1] + right[1];
        right[0] = right[0] * left[0];
    }
}

enum { MOST = 64 };
static int members[MOST], nmembers; /* of the communicator, by their ranks in MPI_COMM_WORLD */

static void find_members(MPI_Comm comm)
{
    MPI_Group here, world;
    int ranks[MOST];
    CHECK_OK(MPI_Comm_size(comm, &nmembers));
    CHECK_OK(MPI_Comm_group(comm, &here));
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    for (int r = 0; r < nmembers; r++)
        ranks[r] = r;
    CHECK_OK(MPI_Group_translate_ranks(here, nmembers, ranks, world, members));
    CHECK_OK(MPI_Group_free(&here));
    CHECK_OK(MPI_Group_free(&world));
}

static void check_sums(MPI_Comm comm, int count)
{
    long long *in = check_alloc((size_t)count * sizeof *in, 0), *out = check_alloc((size_t)count * sizeof *out, 1);
    MPI_Request request;
    for (int i = 0; i < count; i++)
        in[i] = check_value(check_rank, i);
    for (int turn = 0; turn < 3; turn++) {
        memset(out, 1, (size_t)count * sizeof *out);
        if (turn < 2)
            CHECK_OK(MPI_Allreduce(in, out, count, MPI_LONG_LONG, MPI_SUM, comm));
        else {
            CHECK_OK(MPI_Iallreduce(in, out, count, MPI_LONG_LONG, MPI_SUM, comm, &request));
            CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        }
        for (int i = 0; i < count; i += 1 + count / 50) {
            long long sum = 0;
            for (int r = 0; r < nmembers; r++)
                sum += check_value(members[r], i);
            CHECK_INT(out[i], sum);
        }
    }
    free(in);
    free(out);
}

static void check_order(MPI_Comm comm)
{
    uint32_t in[6], out[6], want[6];
    MPI_Datatype map;
    MPI_Op op;
    CHECK_OK(MPI_Type_contiguous(2, MPI_UINT32_T, &map));
    CHECK_OK(MPI_Type_commit(&map));
    CHECK_OK(MPI_Op_create(compose, 0, &op));
    for (int i = 0; i < 3; i++) {
        in[2 * i] = (uint32_t)check_value(check_rank, i) | 1, in[2 * i + 1] = (uint32_t)check_value(check_rank, 9 + i);
        want[2 * i] = 1, want[2 * i + 1] = 0;
        for (int r = 0; r < nmembers; r++) {
            uint32_t a = (uint32_t)check_value(members[r], i) | 1, b = (uint32_t)check_value(members[r], 9 + i);
            want[2 * i + 1] = a * want[2 * i + 1] + b;
            want[2 * i] *= a;
        }
    }
    CHECK_OK(MPI_Allreduce(in, out, 3, map, op, comm));
    CHECK_BYTES(out, want, sizeof want);
    CHECK_OK(MPI_Op_free(&op));
    CHECK_OK(MPI_Type_free(&map));
}

static void check_all(MPI_Comm comm, const char *value)
{
    char got[200] = "";
    int flag = 0, length = sizeof got;
    MPI_Info used;
    CHECK_OK(MPI_Comm_get_info(comm, &used));
    CHECK_OK(MPI_Info_get_string(used, KEY, &length, got, &flag));
    CHECK_INT(flag, value != NULL);
    if (value)
        CHECK_STRING(got, value);
    CHECK_OK(MPI_Info_free(&used));
    find_members(comm);
    check_sums(comm, 1);
    check_sums(comm, 7);
    check_sums(comm, 40000);
    check_order(comm);
    CHECK_OK(MPI_Barrier(comm));
}

int main(int argc, char **argv)
{
    static const char *const values[] = {
        "allreduce=ring",
        "allreduce = recursive_multiplying(radix=3), barrier=tree(radix=8)",
        "allreduce bytes <8 = linear; allreduce bytes 8..56 = dual_root(segments=5); allreduce=circulant",
        "allreduce ranks 2 = flat, allreduce ranks 3.. = rabenseifner # the rest",
        /* makes no sense, in part */
        "allreduce=rong, allreduce bytes many = ring, = =, bcast, barrier=dissemination(radix=2)",
        "",
    };
    MPI_Comm dup, split;
    MPI_Request request;
    MPI_Info info;
    check_start(&argc, &argv);
    MPI_Comm later;
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &later));
    check_all(later, NULL);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        info = info_of(values[i]);
        CHECK_OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &dup));
        check_all(dup, values[i]);
        CHECK_OK(MPI_Comm_free(&dup));
        CHECK_OK(MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, &dup, &request));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        check_all(dup, values[i]);
        CHECK_OK(MPI_Comm_free(&dup));
        CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, info, &split));
        check_all(split, values[i]);
        CHECK_OK(MPI_Comm_dup(split, &dup)); /* hints are not handed on */
        check_all(dup, NULL);
        CHECK_OK(MPI_Comm_free(&dup));
        CHECK_OK(MPI_Comm_free(&split));
        CHECK_OK(MPI_Comm_set_info(later, info));
        check_all(later, values[i]);
        CHECK_OK(MPI_Info_free(&info));
    }
    CHECK_OK(MPI_Comm_free(&later));
    return check_end();
}
