/* MPIX_Comm_agree: all who live get the same, whoever has died or dies meanwhile; who died before and is not
 * acknowledged by all is told of, to all.
 *
 * np: 2 3 5
 * option: -keep-going
 * fails: ft_agree: all is well
 * status: 137
 * only: treefold
 */
#include "check.h"

#include <signal.h>

static int rank, size;

static int agree(MPI_Comm comm, int flag, int want, int class, const char *what)
{
    int err = MPIX_Comm_agree(comm, &flag), got = MPI_SUCCESS;
    if (err)
        MPI_Error_class(err, &got);
    CHECK_NOTED(got == class, "%s: class %d, not %d", what, got, class);
    CHECK_NOTED(flag == want, "%s: flag is 0x%x, not 0x%x", what, (unsigned)flag, (unsigned)want);
    return err;
}

static int bits_of(int low, int high)
{
    int bits = -1;
    for (int r = low; r < high; r++)
        bits &= ~(1 << r);
    return bits;
}

/* Nobody has died. */
static void agree_in_peace(void)
{
    MPI_Comm comm;
    MPI_Request requests[3];
    int flags[3] = {~(1 << rank), rank, -1}, later = 7;
    agree(MPI_COMM_WORLD, ~(1 << rank), bits_of(0, size), MPI_SUCCESS, "first");
    agree(MPI_COMM_WORLD, rank == size - 1 ? 0 : 1, 0, MPI_SUCCESS, "a zero");
    agree(MPI_COMM_SELF, 5, 5, MPI_SUCCESS, "self");
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CHECK_OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    for (int i = 0; i < 3; i++)
        CHECK_OK(MPIX_Comm_iagree(comm, &flags[i], &requests[i]));
    CHECK_OK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
    CHECK_INT(flags[0], bits_of(0, size));
    CHECK_INT(flags[1], 0);
    CHECK_INT(flags[2], -1);
    CHECK_OK(MPIX_Comm_iagree(comm, &later, &requests[0]));
    CHECK_OK(MPIX_Comm_revoke(comm));
    CHECK_OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    CHECK_INT(later, 7);
    agree(comm, 6, 6, MPI_SUCCESS, "revoked");
    CHECK_CLASS(MPI_Barrier(comm), MPIX_ERR_REVOKED);
    CHECK_OK(MPI_Comm_free(&comm));
}

/* Each group gets what the other one says. */
static void agree_between_groups(void)
{
    MPI_Comm half, inter;
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half));
    CHECK_OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &inter));
    agree(inter, rank % 2 ? 3 : 12, rank % 2 ? 12 : 3, MPI_SUCCESS, "inter");
    CHECK_OK(MPIX_Comm_revoke(inter));
    agree(inter, rank % 2 ? 3 : 12, rank % 2 ? 12 : 3, MPI_SUCCESS, "inter, revoked");
    CHECK_OK(MPI_Comm_free(&inter));
    CHECK_OK(MPI_Comm_free(&half));
}

static void read_words(int err)
{
    char words[MPI_MAX_ERROR_STRING];
    int length;
    CHECK_OK(MPI_Error_string(err, words, &length));
    CHECK_NOTED(strstr(words, "rank 0") && strstr(words, "acknowledged") && strstr(words, "signal 9"), "%.150s", words);
}

/* Rank 0 is no more. */
static void agree_without_the_first(MPI_Comm comm)
{
    MPI_Group failed, acked;
    int n = -1, ranks[1] = {-1}, err;
    err = agree(comm, ~(1 << rank), bits_of(1, size), MPIX_ERR_PROC_FAILED, "not acknowledged");
    read_words(err);
    CHECK_OK(MPIX_Comm_get_failed(comm, &failed));
    CHECK_OK(MPI_Group_size(failed, &n));
    CHECK_INT(n, 1);
    CHECK_OK(MPIX_Comm_failure_get_acked(comm, &acked));
    CHECK(acked == MPI_GROUP_EMPTY);
    if (rank != size - 1) {
        CHECK_OK(MPIX_Comm_ack_failed(comm, 0, &n));
        CHECK_INT(n, 0);
        CHECK_OK(MPIX_Comm_ack_failed(comm, size + 3, &n));
        CHECK_INT(n, 1);
    }
    agree(comm, 9, 9, size > 1 ? MPIX_ERR_PROC_FAILED : MPI_SUCCESS, "not acknowledged by all");
    CHECK_OK(MPIX_Comm_failure_ack(comm));
    agree(comm, 10, 10, MPI_SUCCESS, "acknowledged");
    agree(comm, -1, -1, MPI_SUCCESS, "once more");
    CHECK_OK(MPIX_Comm_failure_get_acked(comm, &acked));
    CHECK_OK(MPI_Group_translate_ranks(acked, 1, &(int){0}, failed, ranks));
    CHECK_INT(ranks[0], 0);
    CHECK_OK(MPI_Group_free(&acked));
    CHECK_OK(MPI_Group_free(&failed));
    CHECK_CLASS(MPIX_Comm_ack_failed(comm, -1, &n), MPI_ERR_ARG);
}

/* A receive from anybody goes on once that is known. */
static void receive_from_anybody(MPI_Comm comm)
{
    double x = -1;
    MPI_Request request;
    CHECK_OK(MPI_Irecv(&x, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 3, comm, &request));
    CHECK_OK(MPI_Send(&(double){rank}, 1, MPI_DOUBLE, rank == size - 1 ? 1 : rank + 1, 3, comm));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_NOTED(x == (rank == 1 ? size - 1 : rank - 1), "got %g", x);
}

static void tell_the_end(MPI_Comm comm)
{
    int well = check_failures == 0;
    CHECK_OK(MPIX_Comm_agree(comm, &well));
    if (rank == size - 1 && well && check_failures == 0)
        printf("ft_agree: all is well\n");
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    check_start(&argc, &argv);
    rank = check_rank;
    size = check_size;
    agree_in_peace();
    agree_between_groups();
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CHECK_CLASS(MPIX_Comm_agree(MPI_COMM_NULL, &(int){1}), MPI_ERR_COMM);
    CHECK_CLASS(MPIX_Comm_agree(comm, NULL), MPI_ERR_ARG);
    agree(comm, 1, 1, MPI_SUCCESS, "all are there");
    if (rank == 0)
        raise(SIGKILL);
    agree_without_the_first(comm);
    receive_from_anybody(comm);
    tell_the_end(comm);
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_OK(MPI_Finalize());
    return check_failures != 0;
}
