/* MPIX_Comm_shrink: those who live get a communicator of their own, with the same order of ranks, and again after each
 * death, until one is left.
 *
 * np: 2 3 5
 * option: -keep-going
 * fails: ft_shrink: all is well
 * status: 137
 * only: treefold
 */
#include "check.h"

#include <signal.h>

enum { LONG = 60000 };

static int rank, size;

static void must_have(MPI_Comm comm, int n, const int *ranks)
{
    static double out[LONG], in[LONG];
    MPI_Group world, group;
    int got, me, place = -1, sum = 0, old[16];
    CHECK_OK(MPI_Comm_size(comm, &got));
    CHECK_INT(got, n);
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CHECK_OK(MPI_Comm_group(comm, &group));
    for (int i = 0; i < n; i++) {
        CHECK_OK(MPI_Group_translate_ranks(group, 1, &i, world, &old[i]));
        CHECK_INT(old[i], ranks[i]);
        place = ranks[i] == rank ? i : place;
        sum += ranks[i] + 1;
    }
    CHECK_OK(MPI_Comm_rank(comm, &me));
    CHECK_INT(me, place);
    for (int i = 0; i < LONG; i++)
        out[i] = rank + 1;
    CHECK_OK(MPI_Allreduce(out, in, LONG, MPI_DOUBLE, MPI_SUM, comm));
    for (int i = 0; i < LONG; i++)
        CHECK_NOTED(in[i] == sum, "element %d is %g, not %d", i, in[i], sum);
    CHECK_OK(MPI_Group_free(&group));
    CHECK_OK(MPI_Group_free(&world));
}

static void handle(MPI_Comm *comm, int *err, ...)
{
    (void)comm, (void)err;
}

static int all[16];

/* As many as there are; the handler comes from the parent, its attributes and hints do not. */
static void shrink_in_peace(void)
{
    MPI_Comm shrunk, again;
    MPI_Errhandler mine, its;
    MPI_Request request;
    int nothing = 1;
    CHECK_OK(MPI_Comm_create_errhandler(handle, &mine));
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine));
    CHECK_OK(MPIX_Comm_shrink(MPI_COMM_WORLD, &shrunk));
    CHECK_OK(MPI_Comm_get_errhandler(shrunk, &its));
    CHECK(its == mine);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Comm_set_errhandler(shrunk, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Errhandler_free(&mine));
    CHECK_OK(MPI_Errhandler_free(&its));
    must_have(shrunk, size, all);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD)); /* all are out of there */
    CHECK_OK(MPIX_Comm_revoke(shrunk));
    CHECK_OK(MPIX_Comm_ishrink(shrunk, &again, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPIX_Comm_is_revoked(again, &nothing));
    CHECK_INT(nothing, 0);
    must_have(again, size, all);
    CHECK_OK(MPI_Comm_free(&again));
    CHECK_OK(MPI_Comm_free(&shrunk));
    CHECK_CLASS(MPIX_Comm_shrink(MPI_COMM_NULL, &shrunk), MPI_ERR_COMM);
    CHECK_CLASS(MPIX_Comm_shrink(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
}

/* Not all call the same. */
static void disagree(void)
{
    MPI_Comm comm, shrunk = MPI_COMM_NULL;
    int flag = 1;
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    if (rank == 0)
        CHECK_CLASS(MPIX_Comm_agree(comm, &flag), MPI_ERR_OTHER);
    else
        CHECK_CLASS(MPIX_Comm_shrink(comm, &shrunk), MPI_ERR_OTHER);
    CHECK(shrunk == MPI_COMM_NULL);
    CHECK_OK(MPI_Comm_free(&comm));
}

/* Of both groups; then one has nobody left. */
static void shrink_between_groups(MPI_Comm inter, int dead)
{
    MPI_Comm shrunk;
    int own, other, parity = rank % 2, even = (size + 1) / 2 - (dead % 2 == 0), odd = size / 2 - dead % 2;
    int left = parity ? even : odd;
    int err = MPIX_Comm_shrink(inter, &shrunk);
    if (left == 0) {
        CHECK_CLASS(err, MPIX_ERR_PROC_FAILED);
        return;
    }
    CHECK_OK(err);
    CHECK_OK(MPI_Comm_size(shrunk, &own));
    CHECK_OK(MPI_Comm_remote_size(shrunk, &other));
    CHECK_INT(own, parity ? odd : even);
    CHECK_INT(other, left);
    CHECK_OK(MPI_Barrier(shrunk));
    CHECK_OK(MPI_Comm_free(&shrunk));
}

int main(int argc, char **argv)
{
    MPI_Comm comm, next, half, inter;
    int alive[16], well = 1;
    check_start(&argc, &argv);
    rank = check_rank;
    size = check_size;
    for (int r = 0; r < size; r++)
        all[r] = alive[r] = r;
    shrink_in_peace();
    disagree();
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half));
    CHECK_OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &inter));
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CHECK_OK(MPIX_Comm_agree(comm, &well)); /* all are there, and who dies has said so */
    for (int n = size; n > 1; n--) {
        int dead = alive[n / 2];
        if (rank == dead)
            raise(SIGKILL);
        for (int i = n / 2; i < n - 1; i++)
            alive[i] = alive[i + 1];
        int err = MPI_Recv(&(int){0}, 1, MPI_INT, n / 2, 1, comm, MPI_STATUS_IGNORE);
        CHECK_NOTED(err == MPIX_ERR_PROC_FAILED || err == MPIX_ERR_REVOKED, "error %d", err);
        if (n == size)
            shrink_between_groups(inter, dead);
        CHECK_OK(MPIX_Comm_revoke(comm));
        CHECK_OK(MPIX_Comm_shrink(comm, &next));
        must_have(next, n - 1, alive);
        int good = check_failures == 0;
        CHECK_OK(MPIX_Comm_agree(next, &good));
        well &= good;
        CHECK_OK(MPI_Comm_free(&comm));
        comm = next;
    }
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_OK(MPI_Comm_free(&inter));
    CHECK_OK(MPI_Comm_free(&half));
    if (well && check_failures == 0)
        printf("ft_shrink: all is well\n");
    CHECK_OK(MPI_Finalize());
    return check_failures != 0;
}
