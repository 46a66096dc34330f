/* Making communicators: dup, idup, split, split_type, create, create_group; comparison; many of them made and freed.
 *
 * np: 1 2 3 4 7 8
 */
#include "nodes.h"

/* The communicator works: its size, the rank in it, and the sum of its members' world ranks. */
static void verify(MPI_Comm comm, int size, int rank, int world_sum, const char *what)
{
    int got_size = -1, got_rank = -1, sum = -1;
    CHECK_OK(MPI_Comm_size(comm, &got_size));
    CHECK_OK(MPI_Comm_rank(comm, &got_rank));
    CHECK_NOTED(got_size == size && got_rank == rank, "%s: rank %d of %d, not %d of %d", what, got_rank, got_size, rank,
                size);
    CHECK_OK(MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_NOTED(sum == world_sum, "%s: sum %d, not %d", what, sum, world_sum);
}

static void duplicates(void)
{
    MPI_Comm dup, later = MPI_COMM_NULL, more[5];
    MPI_Request requests[5];
    int p = check_size, all = p * (p - 1) / 2, result;
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    verify(dup, p, check_rank, all, "dup");
    CHECK_OK(MPI_Comm_compare(MPI_COMM_WORLD, dup, &result));
    CHECK_INT(result, MPI_CONGRUENT);
    CHECK_OK(MPI_Comm_compare(dup, dup, &result));
    CHECK_INT(result, MPI_IDENT);
    CHECK_OK(MPI_Comm_compare(MPI_COMM_SELF, dup, &result));
    CHECK_INT(result, p == 1 ? MPI_CONGRUENT : MPI_UNEQUAL);
    CHECK_OK(MPI_Comm_idup(dup, &later, &requests[0]));
    CHECK_OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    verify(later, p, check_rank, all, "idup");
    for (int k = 0; k < 5; k++) /* several under way */
        CHECK_OK(MPI_Comm_idup(k % 2 ? dup : later, &more[k], &requests[k]));
    for (int k = 4; k >= 0; k--)
        CHECK_OK(MPI_Wait(&requests[k], MPI_STATUS_IGNORE));
    for (int k = 0; k < 5; k++) {
        verify(more[k], p, check_rank, all, "one of several idups");
        CHECK_OK(MPI_Comm_free(&more[k]));
    }
    CHECK_OK(MPI_Comm_free(&dup));
    CHECK(dup == MPI_COMM_NULL);
    verify(later, p, check_rank, all, "idup of a freed one");
    CHECK_OK(MPI_Comm_free(&later));
}

static void splits(void)
{
    MPI_Comm comm;
    int p = check_size, size = 0, sum = 0, result;
    for (int colors = 1; colors <= 3; colors++) {
        size = sum = 0;
        for (int r = 0; r < p; r++)
            if (r % colors == check_rank % colors) {
                size++;
                sum += r;
            }
        CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank % colors, -check_rank, &comm)); /* backwards */
        verify(comm, size, size - 1 - check_rank / colors, sum, "split backwards");
        CHECK_OK(MPI_Comm_free(&comm));
        CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank % colors, 5, &comm)); /* equal keys: the old order */
        verify(comm, size, check_rank / colors, sum, "split with equal keys");
        CHECK_OK(MPI_Comm_free(&comm));
    }
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank ? 1 : MPI_UNDEFINED, 0, &comm));
    CHECK((comm == MPI_COMM_NULL) == (check_rank == 0));
    if (comm != MPI_COMM_NULL) {
        verify(comm, p - 1, check_rank - 1, p * (p - 1) / 2, "split without rank 0");
        CHECK_OK(MPI_Comm_free(&comm));
    }
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -check_rank, &comm));
    CHECK_OK(MPI_Comm_compare(MPI_COMM_WORLD, comm, &result));
    CHECK_INT(result, p == 1 ? MPI_CONGRUENT : MPI_SIMILAR);
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm));
    int node[NODES_MOST], members = 0, before = 0;
    sum = 0;
    nodes_find(node);
    for (int r = 0; r < p; r++)
        if (node[r] == node[check_rank]) {
            members++;
            before += r < check_rank;
            sum += r;
        }
    verify(comm, members, before, sum, "split by shared memory");
    CHECK_OK(MPI_Comm_free(&comm));
}

static void from_groups(void)
{
    MPI_Group world, even;
    MPI_Comm comm;
    int p = check_size, range[1][3] = {{(p - 1) / 2 * 2, 0, -2}}, n = (p + 1) / 2, sum = n * (n - 1),
        in = check_rank % 2 == 0;
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CHECK_OK(MPI_Group_range_incl(world, 1, range, &even));
    CHECK_OK(MPI_Comm_create(MPI_COMM_WORLD, even, &comm));
    CHECK((comm != MPI_COMM_NULL) == in);
    if (in) {
        verify(comm, n, n - 1 - check_rank / 2, sum, "create");
        CHECK_OK(MPI_Comm_free(&comm));
        CHECK_OK(MPI_Comm_create_group(MPI_COMM_WORLD, even, 3, &comm)); /* the others need not come */
        verify(comm, n, n - 1 - check_rank / 2, sum, "create_group");
        CHECK_OK(MPI_Comm_free(&comm));
    }
    CHECK_OK(MPI_Group_free(&even));
    CHECK_OK(MPI_Group_free(&world));
}

/* More than any table of fixed size would hold. */
static void many(void)
{
    enum { ROUNDS = 300, KEPT = 40 };
    MPI_Comm kept[KEPT], comm;
    for (int k = 0; k < KEPT; k++)
        CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &kept[k]));
    for (int k = 0; k < ROUNDS; k++) {
        CHECK_OK(MPI_Comm_split(kept[k % KEPT], check_rank / 2, 0, &comm));
        CHECK_OK(MPI_Comm_free(&comm));
    }
    for (int k = 0; k < KEPT; k++) {
        int sum;
        CHECK_OK(MPI_Allreduce(&k, &sum, 1, MPI_INT, MPI_SUM, kept[k]));
        CHECK_INT(sum, k * check_size);
        CHECK_OK(MPI_Comm_free(&kept[k]));
    }
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    duplicates();
    splits();
    from_groups();
    many();
    return check_end();
}
