/* session.h - what the tests of sessions share: a session, a communicator of one of its process sets, and the end of a
 * program that has no MPI_COMM_WORLD.
 */
#ifndef SESSION_H
#define SESSION_H

#include "check.h"

static inline MPI_Session session_begin(void)
{
    MPI_Session session;
    check_wipe(&session, sizeof session);
    CHECK_OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    setvbuf(stdout, NULL, _IOLBF, 0);
    /* The lobby, by which processes find each other, and its group stay for the next session. */
    __atomic_store_n(&check_kept, 2, __ATOMIC_RELAXED);
    return session;
}

/* Of the processes of the set whose ranks in it are first to last. */
static inline MPI_Comm session_part(MPI_Session session, const char *set, int first, int last, const char *tag)
{
    MPI_Group all, part;
    MPI_Comm comm;
    check_wipe(&all, sizeof all);
    check_wipe(&comm, sizeof comm);
    CHECK_OK(MPI_Group_from_session_pset(session, set, &all));
    int range[1][3] = {{first, last, 1}};
    CHECK_OK(MPI_Group_range_incl(all, 1, range, &part));
    CHECK_OK(MPI_Comm_create_from_group(part, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    CHECK_OK(MPI_Group_free(&part));
    CHECK_OK(MPI_Group_free(&all));
    return comm;
}

/* This process in the job, without a communicator.  Of several threads one has found it before the others ask. */
static inline void session_place(MPI_Session session)
{
    MPI_Group all;
    int rank, size;
    CHECK_OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &all));
    CHECK_OK(MPI_Group_rank(all, &rank));
    CHECK_OK(MPI_Group_size(all, &size));
    CHECK_OK(MPI_Group_free(&all));
    if (rank != check_rank)
        check_rank = rank;
    if (size != check_size)
        check_size = size;
}

static inline MPI_Comm session_whole(MPI_Session session, const char *tag)
{
    session_place(session);
    return session_part(session, "mpi://WORLD", 0, check_size - 1, tag);
}

/* Messages and collectives of every kind of length arrive. */
static inline void session_use(MPI_Comm comm)
{
    enum { MANY = 50000 };
    int rank, size, sum = -1;
    CHECK_OK(MPI_Comm_rank(comm, &rank));
    CHECK_OK(MPI_Comm_size(comm, &size));
    int mine = rank + 1;
    CHECK_OK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_INT(sum, size * (size + 1) / 2);
    int *out = check_alloc(MANY * sizeof *out, 0), *in = check_alloc(MANY * sizeof *in, 0xe5), wrong = 0;
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (int i = 0; i < MANY; i++)
        out[i] = check_value(rank, i);
    for (int n = 1; n <= MANY; n = n == 1 ? MANY : n + 1) {
        CHECK_OK(MPI_Sendrecv(out, n, MPI_INT, right, 7, in, n, MPI_INT, left, 7, comm, MPI_STATUS_IGNORE));
        for (int i = 0; i < n; i++)
            wrong += in[i] != check_value(left, i);
    }
    CHECK_INT(wrong, 0);
    check_wipe(in, MANY * sizeof *in);
    CHECK_OK(MPI_Allreduce(out, in, MANY, MPI_INT, MPI_MAX, comm));
    for (int i = 0; i < MANY; i++)
        for (int r = 0; r < size; r++)
            wrong += in[i] < check_value(r, i);
    CHECK_INT(wrong, 0);
    CHECK_OK(MPI_Barrier(comm));
    free(out);
    free(in);
}

/* The exit status of a program that has checked for itself. */
static inline int session_end(void)
{
    if (check_rank == 0)
        printf("%lld checks, %lld failed\n", check_count, check_failures);
    fflush(stdout);
    return check_failures != 0 || check_count == 0 || check_left() != 0;
}

#endif
