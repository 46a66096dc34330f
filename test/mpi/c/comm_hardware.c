/* What processes share by the hardware they are bound to: MPI_Comm_split_type and MPI_Get_hw_resource_info on a machine
 * of two packages that hwloc is told of, and a two-level allreduce on it.  Without hwloc nothing is known, and without
 * the processors 0 and 1 there is nothing to bind to.
 * np: 1 2 4 5
 * only: treefold
 */
#define _GNU_SOURCE
#include <sched.h>

#include "nodes.h"

static int package, size, rank;
static int node[NODES_MOST], packages[NODES_MOST]; /* of each rank */

static void bind_to_package(void)
{
    cpu_set_t set;
    const char *local = getenv("MPI_LOCALRANKID");

    package = local ? atoi(local) % 2 : 0;
    CPU_ZERO(&set);
    CPU_SET(package, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        printf("processor %d may not be used\n", package);
        exit(0);
    }
}

static int said_of(const char *type, char *value)
{
    int flag, length = MPI_MAX_INFO_VAL;
    MPI_Info info;

    CHECK_OK(MPI_Get_hw_resource_info(&info));
    CHECK_OK(MPI_Info_get_string(info, type, &length, value, &flag));
    CHECK_OK(MPI_Info_free(&info));
    return flag;
}

static MPI_Comm split_by(int split_type, const char *key, const char *type)
{
    MPI_Info info = MPI_INFO_NULL;
    MPI_Comm comm;

    if (type) {
        CHECK_OK(MPI_Info_create(&info));
        CHECK_OK(MPI_Info_set(info, key, type));
    }
    CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, split_type, -rank, info, &comm));
    if (info != MPI_INFO_NULL)
        CHECK_OK(MPI_Info_free(&info));
    return comm;
}

static MPI_Comm split(int split_type, const char *type)
{
    return split_by(split_type, "mpi_hw_resource_type", type);
}

/* The ranks of one node or of one package of it, in falling order. */
static void check_members(MPI_Comm comm, bool of_package)
{
    int n, me, sum, members = 0, above = 0, wanted = 0;

    for (int r = 0; r < size; r++)
        if (node[r] == node[rank] && (!of_package || packages[r] == package)) {
            members++;
            above += r > rank;
            wanted += r;
        }
    CHECK_NOTED(comm != MPI_COMM_NULL, "a communicator of %d ranks", members);
    CHECK_OK(MPI_Comm_size(comm, &n));
    CHECK_OK(MPI_Comm_rank(comm, &me));
    CHECK_NOTED(n == members, "it has %d ranks, not %d", n, members);
    CHECK_NOTED(me == above, "rank %d is rank %d in it, not %d", rank, me, above);
    CHECK_OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_NOTED(sum == wanted, "others are in it");
    CHECK_OK(MPI_Comm_free(&comm));
}

/* What the library splits by it writes into the info; not where this process is in no new communicator. */
static void check_told(const char *wanted)
{
    char value[MPI_MAX_INFO_VAL] = "nothing";
    int flag, length = MPI_MAX_INFO_VAL;
    MPI_Info info;
    MPI_Comm comm;

    MPI_Info_create(&info);
    CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, info, &comm));
    CHECK_OK(MPI_Info_get_string(info, "mpi_hw_resource_type", &length, value, &flag));
    CHECK_INT(flag, comm != MPI_COMM_NULL);
    CHECK_STRING(value, flag ? wanted : "nothing");
    MPI_Info_free(&info);
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
}

static void check_machine(void)
{
    check_members(split(MPI_COMM_TYPE_HW_GUIDED, "mpi_shared_memory"), false);
    CHECK_NOTED(split(MPI_COMM_TYPE_HW_GUIDED, NULL) == MPI_COMM_NULL, "no type");
    CHECK_NOTED(split(MPI_COMM_TYPE_HW_GUIDED, "hwloc://Toaster") == MPI_COMM_NULL, "a type that is none");
}

static void check_set(const char *name, int wanted)
{
    MPI_Comm comm = split_by(MPI_COMM_TYPE_RESOURCE_GUIDED, "mpi_pset_name", name);
    int n = 0, all = 0, one = 1;
    if (comm != MPI_COMM_NULL) {
        CHECK_OK(MPI_Comm_size(comm, &n));
        CHECK_OK(MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, comm));
        CHECK_OK(MPI_Comm_free(&comm));
    }
    CHECK_NOTED(n == wanted && all == wanted, "%s has %d ranks, not %d", name, n, wanted);
}

/* Process sets by name, of which only this split type knows. */
static void check_sets(void)
{
    check_set("mpi://WORLD", size);
    check_set("MPI://self", 1);
    check_set("app://none", 0);
    check_members(split_by(MPI_COMM_TYPE_RESOURCE_GUIDED, "mpi_pset_name", "mpix://NODE"), false);
    CHECK_NOTED(split_by(MPI_COMM_TYPE_HW_GUIDED, "mpi_pset_name", "mpi://WORLD") == MPI_COMM_NULL, "a set is no type");
}

static void check_allreduce(void)
{
    long mine[100], result[100];

    for (int i = 0; i < 100; i++)
        mine[i] = (rank + 1) * (i + 1);
    CHECK_OK(MPI_Allreduce(mine, result, 100, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
    for (int i = 0; i < 100; i++)
        CHECK_NOTED(result[i] == (long)size * (size + 1) / 2 * (i + 1), "element %d is %ld", i, result[i]);
}

int main(int argc, char **argv)
{
    char value[MPI_MAX_INFO_VAL] = "";

    bind_to_package();
    setenv("HWLOC_SYNTHETIC", "pack:2 l3:1 core:1 pu:1", 1);
    setenv("TREEFOLD_ALGORITHM", "allreduce=two_level", 1);
    check_start(&argc, &argv);
    CHECK_OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    CHECK_OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    CHECK(said_of("mpi_shared_memory", value));
    CHECK_STRING(value, "true");
    CHECK_NOTED(said_of("hwloc://Package", value), "nothing is said of packages");
    nodes_find(node);
    CHECK_OK(MPI_Allgather(&package, 1, MPI_INT, packages, 1, MPI_INT, MPI_COMM_WORLD));
    check_machine();
    check_sets();
    check_allreduce();
    if (!strcmp(value, "true")) {
        check_members(split(MPI_COMM_TYPE_HW_GUIDED, "hwloc://Package"), true);
        check_members(split(MPI_COMM_TYPE_RESOURCE_GUIDED, "hwloc://L3Cache"), true);
        MPI_Comm comm = split(MPI_COMM_TYPE_HW_UNGUIDED, NULL);
        if (size > 1) /* the next smaller thing than all of it */
            check_members(comm, node[0] == node[size - 1]);
        else
            CHECK_NOTED(comm == MPI_COMM_NULL, "one process is split");
        check_told(node[0] != node[size - 1] ? "mpi_shared_memory" : "hwloc://Package");
    } else {
        CHECK_NOTED(split(MPI_COMM_TYPE_HW_GUIDED, "hwloc://Package") == MPI_COMM_NULL, "without hwloc");
        check_told("mpi_shared_memory");
    }
    return check_end();
}
