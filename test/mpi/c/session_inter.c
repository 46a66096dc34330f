/* MPI_Intercomm_create_from_groups: even against odd ranks, with leaders anywhere, wrong ones, empty groups, and
 * MPI_Comm_create_from_group by processes that name other groups.
 *
 * np: 2 3 4 5 6 9
 * only: treefold
 */
#include "session.h"

static MPI_Group every_second(MPI_Session session, int from)
{
    MPI_Group all, part;
    CHECK_OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &all));
    int range[1][3] = {{from, check_size - 1, 2}};
    CHECK_OK(MPI_Group_range_incl(all, 1, range, &part));
    CHECK_OK(MPI_Group_free(&all));
    return part;
}

static void use(MPI_Comm inter, int mine, int theirs)
{
    int size = -1, remote = -1, rank = -1, sum = -1, in = -1, inter_flag = 0;
    CHECK_OK(MPI_Comm_test_inter(inter, &inter_flag));
    CHECK(inter_flag);
    CHECK_OK(MPI_Comm_size(inter, &size));
    CHECK_OK(MPI_Comm_remote_size(inter, &remote));
    CHECK_OK(MPI_Comm_rank(inter, &rank));
    CHECK_INT(size, mine);
    CHECK_INT(remote, theirs);
    int one = 1;
    CHECK_OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter));
    CHECK_INT(sum, theirs);
    if (rank == 0)
        CHECK_OK(MPI_Sendrecv(&check_rank, 1, MPI_INT, 0, 2, &in, 1, MPI_INT, 0, 2, inter, MPI_STATUS_IGNORE));
    if (rank == 0)
        CHECK_INT(in, 1 - check_rank);
}

static void inter(MPI_Session session)
{
    int odd = check_rank % 2, odds = check_size / 2, evens = check_size - odds;
    MPI_Group local = every_second(session, odd), remote = every_second(session, !odd);
    for (int last = 0; last < 2; last++) {
        MPI_Comm comm;
        MPI_Errhandler got;
        check_wipe(&comm, sizeof comm);
        int mine = last ? (odd ? odds : evens) - 1 : 0, theirs = last ? (odd ? evens : odds) - 1 : 0;
        int rank = -1;
        CHECK_OK(MPI_Group_rank(local, &rank));
        /* Of the remote group only the leader has to know. */
        CHECK_OK(MPI_Intercomm_create_from_groups(local, mine, rank == mine ? remote : MPI_GROUP_NULL,
                                                  rank == mine ? theirs : -5, "inter", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                                  &comm));
        use(comm, odd ? odds : evens, odd ? evens : odds);
        CHECK_OK(MPI_Comm_get_errhandler(comm, &got));
        CHECK(got == MPI_ERRORS_RETURN);
        CHECK_OK(MPI_Comm_free(&comm));
    }
    MPI_Comm comm;
    CHECK_CLASS(
        MPI_Intercomm_create_from_groups(local, 77, remote, 0, "wrong", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm),
        MPI_ERR_RANK);
    CHECK_CLASS(MPI_Intercomm_create_from_groups(remote, 0, local, 0, "wrong", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm),
                MPI_ERR_GROUP);
    int class = -1, rank, length;
    char text[MPI_MAX_ERROR_STRING];
    CHECK_OK(MPI_Group_rank(local, &rank));
    int code = MPI_Intercomm_create_from_groups(local, 0, remote, 77, "wrong", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Error_class(code, &class);
    CHECK(class != MPI_SUCCESS);
    CHECK_OK(MPI_Error_string(code, text, &length));
    const char *words = rank == 0 ? "remote_leader is 77" : "rank 0 of local_group, the local leader, reports an error";
    CHECK_NOTED(strstr(text, words), "%.150s", text);
    MPI_Error_class(
        MPI_Intercomm_create_from_groups(local, 0, local, 0, "wrong", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm), &class);
    CHECK(class != MPI_SUCCESS);
    CHECK_OK(MPI_Group_free(&local));
    CHECK_OK(MPI_Group_free(&remote));
}

/* The same processes in another order are another group.  That is found where both trees are alike for who differs. */
static void disagree(MPI_Session session)
{
    MPI_Group all, swapped;
    MPI_Comm comm;
    CHECK_OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &all));
    if (check_size == 4) {
        int ranks[] = {1, 0, 2, 3};
        CHECK_OK(MPI_Group_incl(all, 4, ranks, &swapped));
        CHECK_CLASS(MPI_Comm_create_from_group(check_rank == 3 ? swapped : all, "same", MPI_INFO_NULL,
                                               MPI_ERRORS_RETURN, &comm),
                    MPI_ERR_GROUP);
        CHECK_OK(MPI_Group_free(&swapped));
    }
    CHECK_OK(MPI_Comm_create_from_group(all, "same", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    session_use(comm);
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_OK(MPI_Group_free(&all));
}

static MPI_Comm connect_with(MPI_Group local, MPI_Group remote, const char *tag)
{
    MPI_Comm comm;
    check_wipe(&comm, sizeof comm);
    CHECK_OK(MPI_Intercomm_create_from_groups(local, 0, remote, 0, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    return comm;
}

/* Nobody gets a communicator with nobody (section 7.6.2); what others than the leader say of the remote group counts
 * for nothing. */
static void empty(MPI_Session session)
{
    int odd = check_rank % 2, rank = -1;
    MPI_Group local = every_second(session, odd), remote = every_second(session, !odd);
    CHECK_OK(MPI_Group_rank(local, &rank));
    CHECK(connect_with(MPI_GROUP_EMPTY, MPI_GROUP_EMPTY, "both") == MPI_COMM_NULL);
    CHECK(connect_with(MPI_GROUP_EMPTY, remote, "local") == MPI_COMM_NULL);
    CHECK(connect_with(local, MPI_GROUP_EMPTY, "remote") == MPI_COMM_NULL);
    CHECK(connect_with(local, rank == 0 ? MPI_GROUP_EMPTY : remote, "leader") == MPI_COMM_NULL);
    MPI_Comm comm = connect_with(local, rank == 0 ? remote : MPI_GROUP_EMPTY, "others");
    CHECK(comm != MPI_COMM_NULL);
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_OK(MPI_Group_free(&local));
    CHECK_OK(MPI_Group_free(&remote));
}

int main(void)
{
    MPI_Session session = session_begin();
    session_place(session);
    inter(session);
    empty(session);
    disagree(session);
    CHECK_OK(MPI_Session_finalize(&session));
    return session_end();
}
