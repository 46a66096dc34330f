/* MPI_Finalize mentions messages that nobody has received and receives that nobody has sent to, and ends well all the
 * same.  It is silent about what was cancelled, and about sends that were given up by MPI_Request_free and received.
 *
 * np: 2
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

int main(int argc, char **argv)
{
    MPI_Request request, receives[3];
    int lines = 0, value = 3;
    check_start(&argc, &argv);
    if (check_rank == 0) {
        for (int i = 0; i < 3; i++)
            CHECK_OK(MPI_Send(&value, 1, MPI_CHAR, 1, 8, MPI_COMM_WORLD));
        CHECK_OK(MPI_Isend(data, sizeof data, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request));
        CHECK_OK(MPI_Request_free(&request));
        CHECK_OK(MPI_Isend(data, sizeof data, MPI_CHAR, 1, 2, MPI_COMM_WORLD, &request));
        CHECK_OK(MPI_Cancel(&request));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        finalize();
        CHECK_NOTED(words[0] == '\0', "it says: %.150s", words);
        return check_failures > 0;
    }
    CHECK_OK(MPI_Recv(data, sizeof data, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < 3; i++)
        CHECK_OK(
            MPI_Irecv(&value, 1, MPI_INT, i ? MPI_ANY_SOURCE : 0, 9, i ? MPI_COMM_WORLD : MPI_COMM_SELF, &receives[i]));
    CHECK_OK(MPI_Cancel(&receives[2]));
    CHECK_OK(MPI_Wait(&receives[2], MPI_STATUS_IGNORE));
    finalize();
    for (const char *at = words; *at; at++)
        lines += *at == '\n';
    CHECK_NOTED(lines == 3, "%d lines: %.150s", lines, words);
    CHECK_NOTED(strstr(words, "a message of 1 bytes from rank 0 with tag 8 on MPI_COMM_WORLD was never received, nor 2 "
                              "others there\n"),
                "it says: %.150s", words);
    CHECK_NOTED(strstr(words,
                       "a receive from any rank with tag 9 on MPI_COMM_WORLD has never got a message and was not "
                       "cancelled\n"),
                "it says: %.150s", words);
    CHECK_NOTED(strstr(words, "a receive from rank 0 with tag 9 on MPI_COMM_SELF has never"), "it says: %.150s", words);
    return check_failures > 0;
}
