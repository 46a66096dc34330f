/* Intercommunicators: made, compared, duplicated, split, merged and disconnected; point-to-point across; mistakes.
 *
 * np: 2 3 4 5 8
 */
#include "inter.h"
#include "nodes.h"

/* The two groups are those of the world ranks told, in this order. */
static void verify(const struct inter *x, MPI_Comm comm, int size, int others, const char *what)
{
    int flag = 0, rank = -1, got = -1, remote = -1, sum = -1, want = 0;
    MPI_Group group;
    CHECK_OK(MPI_Comm_test_inter(comm, &flag));
    CHECK(flag);
    CHECK_OK(MPI_Comm_rank(comm, &rank));
    CHECK_OK(MPI_Comm_size(comm, &got));
    CHECK_OK(MPI_Comm_remote_size(comm, &remote));
    CHECK_NOTED(got == size && remote == others, "%s: %d and %d, not %d and %d", what, got, remote, size, others);
    CHECK_OK(MPI_Comm_remote_group(comm, &group));
    CHECK_OK(MPI_Group_size(group, &remote));
    CHECK_INT(remote, others);
    MPI_Group all;
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
    for (int r = 0; r < remote; r++) {
        int world;
        CHECK_OK(MPI_Group_translate_ranks(group, 1, &r, all, &world));
        CHECK((world < x->first) != x->low);
        want += world;
    }
    CHECK_OK(MPI_Group_free(&group));
    CHECK_OK(MPI_Group_free(&all));
    CHECK_OK(MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_NOTED(sum == want, "%s: sum %d, not %d", what, sum, want);
}

static void duplicates(const struct inter *x)
{
    MPI_Comm dup, later[2];
    MPI_Request requests[2];
    int result;
    CHECK_OK(MPI_Comm_compare(x->comm, x->comm, &result));
    CHECK_INT(result, MPI_IDENT);
    CHECK_OK(MPI_Comm_compare(x->comm, x->local, &result));
    CHECK_INT(result, MPI_UNEQUAL);
    CHECK_OK(MPI_Comm_dup(x->comm, &dup));
    verify(x, dup, x->size, x->others, "dup");
    CHECK_OK(MPI_Comm_compare(x->comm, dup, &result));
    CHECK_INT(result, MPI_CONGRUENT);
    CHECK_OK(MPI_Comm_idup(dup, &later[0], &requests[0]));
    CHECK_OK(MPI_Comm_idup_with_info(x->comm, MPI_INFO_NULL, &later[1], &requests[1]));
    CHECK_OK(MPI_Comm_free(&dup));
    CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    verify(x, later[0], x->size, x->others, "idup");
    verify(x, later[1], x->size, x->others, "idup_with_info");
    CHECK_OK(MPI_Comm_free(&later[1]));
    CHECK_OK(MPI_Comm_dup_with_info(later[0], MPI_INFO_NULL, &dup));
    CHECK_OK(MPI_Comm_disconnect(&later[0]));
    CHECK(later[0] == MPI_COMM_NULL);
    verify(x, dup, x->size, x->others, "dup_with_info");
    CHECK_OK(MPI_Comm_free(&dup));
}

/* Both kinds of calls in turn, on which the ranks agree. */
static void duplicates_and_collectives(const struct inter *x)
{
    for (int i = 0; i < 20; i++) {
        MPI_Comm dup;
        int sum;
        CHECK_OK(MPI_Comm_dup(x->comm, &dup));
        CHECK_OK(MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, x->comm));
        CHECK_INT(sum, i * x->others);
        CHECK_OK(MPI_Comm_free(&dup));
    }
}

/* What is sent to a rank goes to that rank of the other group; a dup is another communicator. */
static void point_to_point(const struct inter *x)
{
    MPI_Comm dup;
    CHECK_OK(MPI_Comm_dup(x->comm, &dup));
    int n = x->others, *got = check_alloc((size_t)n * sizeof *got, 0), mine[2] = {check_rank, -check_rank};
    MPI_Request *requests = check_alloc(2 * (size_t)n * sizeof *requests, 0);
    for (int r = 0; r < n; r++) {
        CHECK_OK(MPI_Isend(&mine[1], 1, MPI_INT, r, 5, dup, &requests[n + r]));
        CHECK_OK(MPI_Isend(&mine[0], 1, MPI_INT, r, 5, x->comm, &requests[r]));
    }
    for (int k = 0; k < n; k++) { /* in any order, each once */
        MPI_Status status;
        int value = -1;
        CHECK_OK(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, x->comm, &status));
        CHECK_OK(MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, MPI_ANY_TAG, x->comm, MPI_STATUS_IGNORE));
        CHECK_INT(value, inter_world(x, !x->low, status.MPI_SOURCE));
        CHECK_INT(got[status.MPI_SOURCE]++, 0);
    }
    for (int r = 0; r < n; r++) {
        int value = -1;
        CHECK_OK(MPI_Recv(&value, 1, MPI_INT, r, 5, dup, MPI_STATUS_IGNORE));
        CHECK_INT(value, -inter_world(x, !x->low, r));
    }
    CHECK_OK(MPI_Waitall(2 * n, requests, MPI_STATUSES_IGNORE));
    int value = 7;
    CHECK_OK(MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, x->comm));
    CHECK_OK(MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_Send(&value, 1, MPI_INT, n, 0, dup), MPI_ERR_RANK);
    CHECK_OK(MPI_Comm_free(&dup));
    free(got);
    free(requests);
}

/* Merged, with each choice of `high`; the sums tell the order. */
static void merges(const struct inter *x)
{
    for (int highs = 0; highs < 4; highs++) {
        MPI_Comm merged;
        int high = highs >> x->low & 1, size = -1, rank = -1, flag = 1, first = -1;
        CHECK_OK(MPI_Intercomm_merge(x->comm, high, &merged));
        CHECK_OK(MPI_Comm_test_inter(merged, &flag));
        CHECK(!flag);
        CHECK_OK(MPI_Comm_size(merged, &size));
        CHECK_INT(size, check_size);
        CHECK_OK(MPI_Comm_rank(merged, &rank));
        if (highs == 1 || highs == 2)
            CHECK_INT(rank, high ? x->others + x->rank : x->rank);
        else
            CHECK(rank == x->rank || rank == x->others + x->rank);
        int *world = check_alloc((size_t)size * sizeof *world, 0);
        CHECK_OK(MPI_Allgather(&check_rank, 1, MPI_INT, world, 1, MPI_INT, merged));
        CHECK_INT(world[rank], check_rank);
        first = world[0] < x->first;
        for (int r = 0; r < size; r++) {
            int n = first ? x->first : check_size - x->first;
            CHECK_INT(world[r], r < n ? inter_world(x, first, r) : inter_world(x, !first, r - n));
        }
        free(world);
        CHECK_OK(MPI_Comm_free(&merged));
    }
}

/* By the parity of the rank, backwards; then only even ranks of one group and all of the other. */
static void splits(const struct inter *x)
{
    MPI_Comm comm;
    int odd = x->rank % 2, size = odd ? x->size / 2 : (x->size + 1) / 2;
    int others = odd ? x->others / 2 : (x->others + 1) / 2;
    CHECK_OK(MPI_Comm_split(x->comm, odd, -x->rank, &comm));
    CHECK_NOTED((comm == MPI_COMM_NULL) == (others == 0), "rank %d, %d others", x->rank, others);
    if (comm != MPI_COMM_NULL) {
        int rank = -1, got = -1, n;
        CHECK_OK(MPI_Comm_rank(comm, &rank));
        CHECK_INT(rank, size - 1 - x->rank / 2);
        CHECK_OK(MPI_Comm_size(comm, &n));
        CHECK_INT(n, size);
        CHECK_OK(MPI_Comm_remote_size(comm, &n));
        CHECK_INT(n, others);
        for (int r = 0; r < others; r++)
            CHECK_OK(MPI_Sendrecv(&check_rank, 1, MPI_INT, r, 1, &got, 1, MPI_INT, r, 1, comm, MPI_STATUS_IGNORE));
        CHECK_INT(got, inter_world(x, !x->low, odd)); /* the last is the lowest of its parity */
        CHECK_OK(MPI_Barrier(comm));
        CHECK_OK(MPI_Comm_free(&comm));
    }
    CHECK_OK(MPI_Comm_split(x->comm, x->low && odd ? MPI_UNDEFINED : 3, 0, &comm));
    CHECK((comm == MPI_COMM_NULL) == (x->low && odd));
    if (comm != MPI_COMM_NULL) {
        verify(x, comm, x->low ? (x->size + 1) / 2 : x->size, x->low ? x->others : (x->others + 1) / 2, "split");
        CHECK_OK(MPI_Comm_free(&comm));
    }
    CHECK_OK(MPI_Comm_split(x->comm, x->low, 0, &comm)); /* nobody on the other side */
    CHECK(comm == MPI_COMM_NULL);
    CHECK_OK(MPI_Comm_split_type(x->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm));
    int node[NODES_MOST], here = 0, there = 0;
    nodes_find(node);
    for (int r = 0; r < check_size; r++)
        if (node[r] == node[check_rank])
            *((r < x->first) == x->low ? &here : &there) += 1;
    CHECK((comm == MPI_COMM_NULL) == (there == 0));
    if (comm != MPI_COMM_NULL) {
        verify(x, comm, here, there, "split_type");
        CHECK_OK(MPI_Comm_free(&comm));
    }
}

static void creates(const struct inter *x)
{
    MPI_Comm comm;
    MPI_Group group, part;
    int last = x->size - 1;
    CHECK_OK(MPI_Comm_group(x->comm, &group));
    CHECK_OK(MPI_Group_incl(group, 1, &last, &part)); /* the last of the low group, all of the other */
    CHECK_OK(MPI_Comm_create(x->comm, x->low ? part : group, &comm));
    CHECK((comm == MPI_COMM_NULL) == (x->low && x->rank != last));
    if (comm != MPI_COMM_NULL) {
        verify(x, comm, x->low ? 1 : x->size, x->low ? x->others : 1, "create");
        CHECK_OK(MPI_Comm_free(&comm));
    }
    CHECK_OK(MPI_Comm_create(x->comm, x->low ? MPI_GROUP_EMPTY : group, &comm));
    CHECK(comm == MPI_COMM_NULL);
    CHECK_OK(MPI_Comm_set_errhandler(x->comm, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_Comm_create_group(x->comm, part, 0, &comm), MPI_ERR_COMM);
    CHECK_OK(MPI_Group_free(&part));
    CHECK_OK(MPI_Group_free(&group));
}

/* The second intercommunicator is made by leaders that meet in the first. */
static void by_intercommunicator(const struct inter *x)
{
    MPI_Comm comm;
    int last = x->others - 1;
    CHECK_OK(MPI_Intercomm_create(x->local, x->size - 1, x->rank == x->size - 1 ? x->comm : MPI_COMM_NULL,
                                  x->rank == x->size - 1 ? last : -5, x->rank == x->size - 1 ? 9 : -9, &comm));
    verify(x, comm, x->size, x->others, "made over an intercommunicator");
    CHECK_OK(MPI_Comm_free(&comm));
}

/* No attribute is copied from rank 0. */
static int copy_elsewhere(MPI_Comm comm, int keyval, void *state, void *value, void *copy, int *flag)
{
    (void)comm, (void)keyval, (void)state, (void)value, (void)copy;
    *flag = 0;
    return check_rank == 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

/* Where MPI_Comm_idup fails on one process the others do not get a communicator that it does not have. */
static void idup_fails(const struct inter *x)
{
    static char data[1];
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Request request;
    int keyval;
    CHECK_OK(MPI_Comm_create_keyval(copy_elsewhere, MPI_COMM_NULL_DELETE_FN, &keyval, NULL));
    CHECK_OK(MPI_Comm_set_attr(x->comm, keyval, data));
    CHECK_OK(MPI_Comm_set_errhandler(x->comm, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_Comm_idup(x->comm, &comm, &request), check_rank == 0 ? MPI_ERR_OTHER : MPI_SUCCESS);
    if (check_rank > 0) {
        CHECK_CLASS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_OTHER);
        CHECK_CLASS(MPI_Barrier(comm), MPI_ERR_COMM);
    }
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_OK(MPI_Comm_delete_attr(x->comm, keyval));
    CHECK_OK(MPI_Comm_free_keyval(&keyval));
}

/* The error of an MPI_Comm_idup that met another call goes to the error handler of the communicator. */
static void idup_met_another(const struct inter *x)
{
    MPI_Comm dup, comm;
    MPI_Request request;
    CHECK_OK(MPI_Comm_dup(x->comm, &dup));
    CHECK_OK(MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN));
    int err = check_rank == 1 ? MPI_Comm_idup(dup, &comm, &request) : MPI_Ibarrier(dup, &request);
    CHECK_OK(err);
    err = MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(err != MPI_SUCCESS);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (MPI_Comm_free(&dup)) /* where something is left over it says so, once */
        CHECK_OK(MPI_Comm_free(&dup));
}

/* Groups with a process in common: all of them are told. */
static void overlap(void)
{
    MPI_Comm all, comm = MPI_COMM_NULL;
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &all));
    CHECK_OK(MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN));
    MPI_Comm mine = check_rank == 0 ? MPI_COMM_SELF : all;
    if (check_rank == 0) { /* rank 0 is a group of its own and then a member of the others' */
        CHECK_CLASS(MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, 1, 3, &comm), MPI_ERR_COMM);
    }
    CHECK_CLASS(MPI_Intercomm_create(all, 1, MPI_COMM_WORLD, 0, 3, &comm), MPI_ERR_COMM);
    CHECK(comm == MPI_COMM_NULL);
    CHECK_CLASS(MPI_Intercomm_create(all, check_size, MPI_COMM_WORLD, 0, 3, &comm), MPI_ERR_RANK);
    int err = MPI_Intercomm_create(all, 0, MPI_COMM_WORLD, 0, 3, &comm); /* with itself */
    CHECK(err != MPI_SUCCESS);
    err = MPI_Intercomm_create(all, 0, MPI_COMM_NULL, 0, 3, &comm);
    CHECK(err != MPI_SUCCESS);
    CHECK_CLASS(MPI_Intercomm_merge(all, 0, &comm), MPI_ERR_COMM);
    int size;
    CHECK_CLASS(MPI_Comm_remote_size(all, &size), MPI_ERR_COMM);
    CHECK_OK(MPI_Comm_free(&all));
}

/* What is under way when MPI_Comm_disconnect is called arrives. */
static void disconnect(void)
{
    MPI_Comm comm, parent;
    MPI_Request request;
    static char out[300000], in[300000];
    memset(out, 1 + check_rank, sizeof out);
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    int right = (check_rank + 1) % check_size, left = (check_rank + check_size - 1) % check_size;
    CHECK_OK(MPI_Irecv(in, sizeof in, MPI_CHAR, left, 0, comm, &request));
    CHECK_OK(MPI_Request_free(&request));
    CHECK_OK(MPI_Isend(out, sizeof out, MPI_CHAR, right, 0, comm, &request));
    CHECK_OK(MPI_Request_free(&request));
    CHECK_OK(MPI_Comm_disconnect(&comm));
    CHECK(comm == MPI_COMM_NULL);
    CHECK(in[0] == (char)(1 + left) && in[sizeof in - 1] == (char)(1 + left));
    comm = MPI_COMM_WORLD;
    CHECK_CLASS(MPI_Comm_disconnect(&comm), MPI_ERR_COMM);
    CHECK_OK(MPI_Comm_get_parent(&parent));
    CHECK(parent == MPI_COMM_NULL);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    for (int first = 1; first < check_size; first++)
        for (int backwards = 0; backwards < 2; backwards++) {
            struct inter x;
            inter_open(&x, first, backwards);
            verify(&x, x.comm, x.size, x.others, "made");
            duplicates(&x);
            duplicates_and_collectives(&x);
            point_to_point(&x);
            merges(&x);
            splits(&x);
            creates(&x);
            by_intercommunicator(&x);
            if (x.first == 1)
                idup_fails(&x);
            if (check_size == 2)
                idup_met_another(&x);
            inter_close(&x);
        }
    overlap();
    disconnect();
    return check_end();
}
