/* An allgather to which ranks send less than their places have room for, as programs do that gather names: the rest of
 * a place is not told by anybody, and what is sent is there on all ranks, whatever the algorithm and the form.  Where
 * the standard is asked for it is an error.
 *
 * np: 1 2 3 5 8
 */
#include "check.h"

enum { PLACE = 64, LONG = 70000, RANKS = 8 };

static char all[RANKS * LONG];
static char name[LONG];

/* Of rank `rank`: one of them fills its place. */
static int length_of(int rank, int place)
{
    return rank == 1 ? place : 5 + rank;
}

static void fill(int rank, int place)
{
    for (int i = 0; i < length_of(rank, place); i++)
        name[i] = (char)('a' + (rank + i) % 26);
}

static void check(const char *what, int place)
{
    for (int r = 0; r < check_size; r++) {
        int right = 0, n = length_of(r, place);
        while (right < n && all[r * place + right] == (char)('a' + (r + right) % 26))
            right++;
        CHECK_NOTED(right == n, "%s: of rank %d %d of %d are right", what, r, right, n);
    }
    memset(all, '-', sizeof all);
}

static void gathers(int place)
{
    int counts[RANKS], displs[RANKS], mine = length_of(check_rank, place);
    MPI_Request request;
    fill(check_rank, place);
    for (int r = 0; r < check_size; r++) {
        counts[r] = place;
        displs[r] = r * place;
    }
    for (int again = 0; again < 2; again++) {
        CHECK_OK(MPI_Allgather(name, mine, MPI_CHAR, all, place, MPI_CHAR, MPI_COMM_WORLD));
        check("allgather", place);
        CHECK_OK(MPI_Allgatherv(name, mine, MPI_CHAR, all, counts, displs, MPI_CHAR, MPI_COMM_WORLD));
        check("allgatherv", place);
        CHECK_OK(MPI_Iallgather(name, mine, MPI_CHAR, all, place, MPI_CHAR, MPI_COMM_WORLD, &request));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        check("iallgather", place);
        CHECK_OK(MPI_Iallgatherv(name, mine, MPI_CHAR, all, counts, displs, MPI_CHAR, MPI_COMM_WORLD, &request));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        check("iallgatherv", place);
    }
}

/* To places with holes. */
static void typed(void)
{
    int places[RANKS][4];
    int three[3] = {check_rank, check_rank + 1, check_rank + 2};
    MPI_Datatype every_other, resized;
    CHECK_OK(MPI_Type_vector(2, 1, 2, MPI_INT, &every_other));
    CHECK_OK(MPI_Type_create_resized(every_other, 0, 4 * sizeof(int), &resized));
    CHECK_OK(MPI_Type_commit(&resized));
    memset(places, -1, sizeof places);
    CHECK_OK(MPI_Allgather(three, 1, MPI_INT, places, 1, resized, MPI_COMM_WORLD));
    for (int r = 0; r < check_size; r++) {
        CHECK_INT(places[r][0], r);
        CHECK_INT(places[r][1], -1);
        CHECK_INT(places[r][3], -1);
    }
    CHECK_OK(MPI_Type_free(&resized));
    CHECK_OK(MPI_Type_free(&every_other));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    gathers(PLACE);
    gathers(LONG);
    typed();
    return check_end();
}
