/* What needs of objects only what never changes takes no lock: threads ask, pack and combine beside one that makes and
 * frees objects of the same classes, more than go into one chunk of a pool (base/handle.h), and is in long calls.
 *
 * np: 1 2
 * flags: -pthread
 * only: treefold
 */
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"

enum { ASKERS = 2, TURNS = 40, AT_ONCE = 300, LONG = 1 << 18, PAIRS = 500 };

static atomic_int done;
static MPI_Comm mine;
static MPI_Datatype pairs;
static MPI_Group twins;
static MPI_Op twice;

static void add_twice(void *in, void *inout, int *length, MPI_Datatype *type)
{
    const double *a = in;
    double *b = inout;
    int size;
    CHECK_OK(MPI_Type_size(*type, &size));
    for (int i = 0; i < *length; i++)
        b[i] += 2 * a[i];
}

static void ask(void)
{
    MPI_Aint lb, extent;
    MPI_Status status;
    int n, size;
    CHECK_OK(MPI_Comm_rank(mine, &n));
    CHECK_INT(n, check_rank);
    CHECK_OK(MPI_Comm_size(mine, &n));
    CHECK_INT(n, check_size);
    CHECK_OK(MPI_Comm_test_inter(mine, &n));
    CHECK_INT(n, 0);
    CHECK_OK(MPI_Type_size(pairs, &size));
    CHECK_INT(size, 2 * sizeof(double));
    CHECK_OK(MPI_Type_get_extent(pairs, &lb, &extent));
    CHECK_INT(extent, 3 * sizeof(double));
    CHECK_OK(MPI_Type_get_true_extent(pairs, &lb, &extent));
    CHECK_INT(extent, 3 * sizeof(double));
    CHECK_OK(MPI_Group_size(twins, &n));
    CHECK_INT(n, 1);
    CHECK_OK(MPI_Group_rank(twins, &n));
    CHECK_INT(n, check_rank == 0 ? 0 : MPI_UNDEFINED);
    CHECK_OK(MPI_Status_set_elements(&status, pairs, 10));
    CHECK_OK(MPI_Get_count(&status, pairs, &n));
    CHECK_INT(n, 5);
}

static void pack_and_combine(void)
{
    double there[3 * PAIRS], packed[2 * PAIRS], back[3 * PAIRS] = {0};
    int position = 0, bytes = 0;
    for (int i = 0; i < 3 * PAIRS; i++)
        there[i] = i;
    CHECK_OK(MPI_Pack_size(PAIRS, pairs, mine, &bytes));
    CHECK_INT(bytes, sizeof packed);
    CHECK_OK(MPI_Pack(there, PAIRS, pairs, packed, bytes, &position, mine));
    CHECK_INT(position, bytes);
    CHECK_OK(MPI_Reduce_local(packed, packed + PAIRS, PAIRS, MPI_DOUBLE, MPI_MAX));
    CHECK_OK(MPI_Reduce_local(packed + PAIRS, packed, PAIRS, MPI_DOUBLE, twice));
    position = 0;
    CHECK_OK(MPI_Unpack(packed, bytes, &position, back, PAIRS, pairs, mine));
    CHECK_DOUBLE(back[3], there[3] + 2 * there[3 * (PAIRS / 2) + 3]);
    CHECK_DOUBLE(back[3 * PAIRS - 1], there[3 * PAIRS - 1]);
    CHECK_DOUBLE(back[3 * PAIRS - 2], 0);
}

/* Errors are raised beside calls of others, on the object that they are of. */
static void ask_wrongly(void)
{
    int n;
    CHECK_CLASS(MPI_Comm_remote_size(mine, &n), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_rank(mine, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_size(MPI_COMM_NULL, &n), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Type_size(MPI_DATATYPE_NULL, &n), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Group_size((MPI_Group)(uintptr_t)0x7654321, &n), MPI_ERR_GROUP);
}

static void *asker(void *unused)
{
    do {
        ask();
        pack_and_combine();
        ask_wrongly();
    } while (!atomic_load(&done));
    return unused;
}

static void make_and_free(void)
{
    MPI_Datatype types[AT_ONCE];
    MPI_Group groups[AT_ONCE], all;
    MPI_Comm comms[2];
    MPI_Op ops[AT_ONCE];
    CHECK_OK(MPI_Comm_group(MPI_COMM_SELF, &all));
    for (int i = 0; i < AT_ONCE; i++) {
        int first = 0;
        CHECK_OK(MPI_Type_contiguous(i, MPI_INT, &types[i]));
        CHECK_OK(MPI_Group_incl(all, 1, &first, &groups[i]));
        CHECK_OK(MPI_Op_create(add_twice, 1, &ops[i]));
    }
    for (int i = 0; i < 2; i++)
        CHECK_OK(MPI_Comm_dup(MPI_COMM_SELF, &comms[i]));
    for (int i = 0; i < AT_ONCE; i++) {
        CHECK_OK(MPI_Type_free(&types[i]));
        CHECK_OK(MPI_Group_free(&groups[i]));
        CHECK_OK(MPI_Op_free(&ops[i]));
    }
    for (int i = 0; i < 2; i++)
        CHECK_OK(MPI_Comm_free(&comms[i]));
    CHECK_OK(MPI_Group_free(&all));
}

int main(int argc, char **argv)
{
    static double in[LONG], out[LONG];
    pthread_t threads[ASKERS];
    MPI_Group world;
    int first = 0, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK_INT(provided, MPI_THREAD_MULTIPLE);
    CHECK_OK(MPI_Comm_rank(MPI_COMM_WORLD, &check_rank));
    CHECK_OK(MPI_Comm_size(MPI_COMM_WORLD, &check_size));
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &mine));
    CHECK_OK(MPI_Op_create(add_twice, 1, &twice));
    CHECK_OK(MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &pairs));
    CHECK_OK(MPI_Type_commit(&pairs));
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CHECK_OK(MPI_Group_incl(world, 1, &first, &twins));
    for (int i = 0; i < ASKERS; i++)
        pthread_create(&threads[i], NULL, asker, NULL);
    for (int i = 0; i < TURNS; i++) {
        make_and_free();
        CHECK_OK(MPI_Allreduce(in, out, LONG, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    }
    atomic_store(&done, 1);
    for (int i = 0; i < ASKERS; i++)
        pthread_join(threads[i], NULL);
    CHECK_OK(MPI_Op_free(&twice));
    CHECK_OK(MPI_Group_free(&twins));
    CHECK_OK(MPI_Group_free(&world));
    CHECK_OK(MPI_Type_free(&pairs));
    CHECK_OK(MPI_Comm_free(&mine));
    return check_end();
}
