/* Ranks 0 and 1 disagree, and are told what each has called, by the name that the program used, and in what they
 * differ.  Further ranks do as rank 1 and fail too, or not.  Each case has a communicator of its own.
 *
 * np: 2 3
 * only: treefold
 * timeout: 60
 */
#include "check.h"

static int in[40], out[120];
static MPI_Comm comm;

static void must_say(int code, const char *words, const char *what)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (code != MPI_SUCCESS)
        MPI_Error_string(code, text, &length);
    if (!CHECK(code != MPI_SUCCESS && strstr(text, words)))
        printf("%s: \"%s\" is not in: %s\n", what, words, code ? text : "success");
}

static void fresh(void)
{
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CHECK_OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
}

static void drop(MPI_Comm *which)
{
    if (*which != MPI_COMM_NULL && MPI_Comm_free(which)) /* where something is left over it says so, once */
        CHECK_OK(MPI_Comm_free(which));
}

static void finish(void)
{
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    drop(&comm);
}

static void constructors(void)
{
    MPI_Comm new = MPI_COMM_NULL;
    MPI_Request request;
    MPI_Group group;
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &group));

    fresh();
    if (check_rank == 0)
        MPI_Comm_dup(comm, &new);
    else
        must_say(MPI_Comm_split(comm, 0, 0, &new), "calls MPI_Comm_split, rank 0 calls MPI_Comm_dup", "dup and split");
    drop(&new);
    finish();

    fresh();
    if (check_rank == 0) {
        MPI_Comm_idup(comm, &new, &request);
        must_say(MPI_Wait(&request, MPI_STATUS_IGNORE), "disagree", "create and idup");
        new = MPI_COMM_NULL;
    } else {
        must_say(MPI_Comm_create(comm, group, &new), "calls MPI_Comm_create, rank 0 calls MPI_Comm_idup",
                 "idup and create");
    }
    drop(&new);
    finish();

    fresh();
    if (check_rank == 0)
        MPI_Bcast(in, 8, MPI_BYTE, 0, comm);
    else
        must_say(MPI_Comm_dup(comm, &new), "calls MPI_Comm_dup, rank 0 calls MPI_Bcast", "bcast and dup");
    drop(&new);
    finish();

    fresh();
    if (check_rank == 0)
        must_say(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &new),
                 "rank 0 calls MPI_Comm_split_type, rank ", "split_type");
    else
        must_say(MPI_Comm_split(comm, 0, 0, &new), "calls MPI_Comm_split, rank ", "split and split_type");
    finish();

    fresh();
    if (check_rank == 0)
        must_say(MPI_Barrier(comm), "calls MPI_Comm_disconnect", "barrier and disconnect");
    else
        must_say(MPI_Comm_disconnect(&comm), "MPI_Comm_disconnect", "disconnect");
    finish();
    CHECK_OK(MPI_Group_free(&group));
}

static void between_groups(void)
{
    MPI_Comm half, new = MPI_COMM_NULL;
    int side = check_rank > 0;
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, side, 0, &half));
    CHECK_OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 3, &comm));
    CHECK_OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    if (side == 0)
        MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &new);
    else
        must_say(MPI_Intercomm_merge(comm, 0, &new), "calls MPI_Intercomm_merge, rank 0 calls MPI_Comm_dup_with_info",
                 "merge and dup");
    drop(&new);
    finish();
    CHECK_OK(MPI_Comm_free(&half));
    if (check_size < 3)
        return;
    /* Rank 2 is the other group. */
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank / 2, 0, &comm));
    CHECK_OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    if (check_rank == 1)
        must_say(MPI_Comm_dup(comm, &new), "rank 1 calls MPI_Comm_dup, rank 0 calls MPI_Intercomm_create",
                 "dup and intercomm_create");
    else
        must_say(MPI_Intercomm_create(comm, 0, MPI_COMM_WORLD, 2 - check_rank, 4, &new),
                 check_rank == 0 ? "disagree" : "other group", "intercomm_create and dup");
    finish();
}

/* Whoever finds out first says it; who is told by a rank that gave up may say only that. */
static void on_both(int code, const char *words, const char *what)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length, good, all;
    if (code != MPI_SUCCESS)
        MPI_Error_string(code, text, &length);
    good = strstr(text, words) != NULL;
    CHECK_OK(MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD));
    if (!CHECK(all))
        printf("%s: \"%s\" is not in: %s\n", what, words, code ? text : "success");
}

static void arguments(void)
{
    int first = check_rank == 0, code;
    MPI_Request request;

    fresh();
    code = MPI_Reduce(in, out, 3, MPI_INT, MPI_SUM, first ? 0 : 1, comm);
    on_both(code, "both call MPI_Reduce with MPI_SUM, but the roots differ: 0 on rank 0, 1 on rank ", "roots");
    finish();

    fresh();
    code = MPI_Allreduce(in, out, first ? 10 : 12, MPI_INT, MPI_MAX, comm);
    on_both(code,
            "both call MPI_Allreduce with MPI_MAX, but the counts differ: 10 x MPI_INT on rank 0, 12 x MPI_INT on",
            "counts");
    finish();

    fresh();
    code = MPI_Allreduce(in, out, 10, first ? MPI_INT : MPI_FLOAT, MPI_MAX, comm);
    on_both(code, "the datatypes differ: 10 x MPI_INT on rank 0, 10 x MPI_FLOAT on rank", "datatypes");
    finish();

    fresh();
    code = MPI_Allgather(in, first ? 2 : 6, first ? MPI_INT : MPI_SHORT, out, first ? 2 : 6,
                         first ? MPI_INT : MPI_SHORT, comm);
    on_both(code, "but the counts and datatypes differ: 2 x MPI_INT on rank 0, 6 x MPI_SHORT on rank", "allgather");
    finish();

    fresh();
    if (first)
        MPI_Iallreduce(in, out, 10, MPI_INT, MPI_MAX, comm, &request);
    else
        MPI_Iallreduce(in, out, 11, MPI_INT, MPI_MAX, comm, &request);
    code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    on_both(code, "both call MPI_Iallreduce with MPI_MAX, but the counts differ: 10 x MPI_INT on rank 0",
            "nonblocking");
    finish();

    fresh();
    if (first) {
        CHECK_OK(MPI_Allreduce_init(in, out, 3, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request));
        CHECK_OK(MPI_Start(&request));
        code = MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK_OK(MPI_Request_free(&request));
    } else {
        code = MPI_Allreduce(in, out, 3, MPI_INT, MPI_SUM, comm);
    }
    on_both(code, "calls MPI_Allreduce_init with MPI_SUM", "persistent or not");
    finish();
}

/* As the call before it was the same, but blocking, the name is that of what is called now. */
static void after_the_blocking_one(void)
{
    MPI_Request request;
    int code;
    fresh();
    CHECK_OK(MPI_Barrier(comm));
    if (check_rank == 0) {
        CHECK_OK(MPI_Ibarrier(comm, &request));
        code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        code = MPI_Allreduce(in, out, 1, MPI_INT, MPI_MAX, comm);
    }
    on_both(code, "rank 0 calls MPI_Ibarrier", "after a barrier");
    finish();
}

/* A program's call that the library has made in the place of another one, too, in the same words of memory. */
static void before_the_librarys_own(void)
{
    MPI_Request request;
    MPI_Comm copy;
    uint64_t word = 1;
    int code;
    fresh();
    for (int i = 0; i < 3; i++) {
        CHECK_OK(MPI_Iallreduce(MPI_IN_PLACE, &word, 1, MPI_UINT64_T, MPI_MAX, comm, &request));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    if (check_rank == 0)
        code = MPI_Comm_idup(comm, &copy, &request);
    else
        code = MPI_Iallreduce(MPI_IN_PLACE, &word, 1, MPI_UINT64_T, MPI_MAX, comm, &request);
    if (code == MPI_SUCCESS)
        code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    on_both(code, "MPI_Iallreduce with MPI_MAX", "before a duplicate");
    finish();
}

static void algorithms(void)
{
    MPI_Info info;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "treefold_algorithm", check_rank ? "allreduce=linear" : "allreduce=ring"));
    CHECK_OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm));
    CHECK_OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Info_free(&info));
    int code = MPI_Allreduce(in, out, 3, MPI_INT, MPI_SUM, comm);
    on_both(code, "but the algorithms differ: ring on rank 0, linear on rank", "algorithms");
    finish();
}

/* Two roots: nobody waits, and a later call finds out.  Before that, calls that come again in turn. */
static void later(int turns)
{
    fresh();
    for (int i = 0; i < turns; i++) {
        CHECK_OK(MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, comm));
        CHECK_OK(MPI_Bcast(in, 1, MPI_INT, 0, comm));
    }
    int code = MPI_Bcast(in, 1, MPI_INT, check_rank == 0 ? 0 : 1, comm);
    if (check_size > 2 && check_rank == 2)
        MPI_Barrier(comm);
    else if (code == MPI_SUCCESS)
        code = MPI_Barrier(comm);
    on_both(code, "both call MPI_Bcast, but the roots differ: 0 on rank 0, 1 on rank ", "later");
    finish();
}

/* Each rank gives its own counts: their messages alone tell. */
static void counts_of_each(void)
{
    int counts[3] = {3, 3, 3}, displs[3] = {0, 10, 20};
    fresh();
    int code = MPI_Gatherv(in, check_rank == 1 ? 4 : 3, MPI_INT, out, counts, displs, MPI_INT, 0, comm);
    if (check_rank == 0)
        must_say(code, "both call MPI_Gatherv, but rank 0 expects 12 bytes from rank 1, which sends 16", "gatherv");
    finish();
}

int main(int argc, char **argv)
{
    setenv("TREEFOLD_MISMATCH_AFTER", "400", 0);
    check_start(&argc, &argv);
    constructors();
    between_groups();
    arguments();
    after_the_blocking_one();
    before_the_librarys_own();
    algorithms();
    later(0);
    later(3);
    counts_of_each();
    return check_end();
}
