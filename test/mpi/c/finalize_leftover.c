/* MPI_Finalize mentions messages that nobody has received, receives that nobody has sent to, and reductions to a rank
 * that never took part (HMMER's master gives up so, and prints its error behind MPI_Finalize); and it ends well all the
 * same.  It is silent about what was cancelled, and about sends that were given up by MPI_Request_free and received.
 *
 * np: 2 5
 * timeout: 20
 * only: treefold
 */
#include "check.h"

#include <unistd.h>

static char data[1000000], words[4000];

/* What MPI_Finalize writes to standard error. */
static void finalize(void)
{
    FILE *file = tmpfile();
    int before = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    CHECK_OK(MPI_Finalize());
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    rewind(file);
    words[fread(words, 1, sizeof words - 1, file)] = '\0';
    fclose(file);
}

/* All but rank 1 do. */
static void reduce_to_rank_1(MPI_Comm comm)
{
    double value = 1, sum;
    CHECK_OK(MPI_Reduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, 1, MPI_COMM_WORLD));
    CHECK_OK(MPI_Reduce(&value, &sum, 1, MPI_DOUBLE, MPI_MAX, 1, comm));
}

int main(int argc, char **argv)
{
    MPI_Request request, receives[4];
    MPI_Comm comm;
    int lines = 0, value = 3;
    check_start(&argc, &argv);
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    if (check_rank > 1) {
        reduce_to_rank_1(comm);
        CHECK_OK(MPI_Finalize());
        return check_failures > 0;
    }
    if (check_rank == 0) {
        for (int i = 0; i < 3; i++)
            CHECK_OK(MPI_Send(&value, 1, MPI_CHAR, 1, 8, MPI_COMM_WORLD));
        CHECK_OK(MPI_Isend(data, sizeof data, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request));
        CHECK_OK(MPI_Request_free(&request));
        CHECK_OK(MPI_Isend(data, sizeof data, MPI_CHAR, 1, 2, MPI_COMM_WORLD, &request));
        CHECK_OK(MPI_Cancel(&request));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        reduce_to_rank_1(comm);
        finalize();
        CHECK_NOTED(words[0] == '\0', "it says: %.150s", words);
        return check_failures > 0;
    }
    CHECK_OK(MPI_Recv(data, sizeof data, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < 4; i++)
        CHECK_OK(MPI_Irecv(&value, 1, MPI_INT, i < 2 ? 0 : MPI_ANY_SOURCE, 9, i < 2 ? MPI_COMM_SELF : MPI_COMM_WORLD,
                           &receives[i]));
    CHECK_OK(MPI_Cancel(&receives[3]));
    CHECK_OK(MPI_Wait(&receives[3], MPI_STATUS_IGNORE));
    finalize();
    for (const char *at = words; *at; at++)
        lines += *at == '\n';
    CHECK_NOTED(lines == 5, "%d lines: %.150s", lines, words);
    CHECK_NOTED(strstr(words, "a message of 1 bytes from rank 0 with tag 8 on MPI_COMM_WORLD was never received, nor 2 "
                              "others there\n"),
                "it says: %.150s", words);
    CHECK_NOTED(strstr(words,
                       "a receive from any rank with tag 9 on MPI_COMM_WORLD has never got a message and was not "
                       "cancelled\n"),
                "it says: %.150s", words);
    CHECK_NOTED(strstr(words, "a receive from rank 0 with tag 9 on MPI_COMM_SELF has never got a message and was not "
                              "cancelled, nor 1 other there\n"),
                "it says: %.150s", words);
    CHECK_NOTED(strstr(words, "has called MPI_Reduce with MPI_SUM on MPI_COMM_WORLD, rank 1 never has\n"),
                "it says: %.150s", words);
    CHECK_NOTED(strstr(words, "has called MPI_Reduce with MPI_MAX on "), "it says: %.150s", words);
    return check_failures > 0;
}
