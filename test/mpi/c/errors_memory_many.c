/* Many messages that come to a rank without memory before they are received: announcements are kept, and of what is not
 * kept its receive is told; the messages around it arrive.
 *
 * np: 2
 * only: treefold
 */
#include "shortage.h"

enum { ANNOUNCED = 300, EAGER = 30, TAG = 3, LAST = 4 };
enum { LONG = 100000, SHORT = 100 }; /* elements: announced, and sent at once */

static int data[LONG];

static void send_all(void)
{
    static MPI_Request requests[ANNOUNCED + EAGER];
    for (int i = 0; i < ANNOUNCED; i++)
        CHECK_OK(MPI_Isend(data, LONG, MPI_INT, 1, TAG, MPI_COMM_WORLD, &requests[i]));
    for (int i = 0; i < EAGER; i++)
        CHECK_OK(MPI_Isend(data, SHORT, MPI_INT, 1, TAG, MPI_COMM_WORLD, &requests[ANNOUNCED + i]));
    CHECK_OK(MPI_Send(data, 1, MPI_INT, 1, LAST, MPI_COMM_WORLD));
    CHECK_OK(MPI_Waitall(ANNOUNCED + EAGER, requests, MPI_STATUSES_IGNORE));
}

/* Of a length, or lost: how many of the two. */
static void receive(int n, int length, int *come, int *lost)
{
    char words[MPI_MAX_ERROR_STRING];
    for (int i = 0; i < n; i++) {
        MPI_Status status;
        int got = -1;
        check_wipe(data, sizeof data);
        int code = MPI_Recv(data, LONG, MPI_INT, 0, TAG, MPI_COMM_WORLD, &status);
        if (code) {
            must_tell(code, "what is received");
            CHECK_OK(MPI_Error_string(code, words, &got));
            CHECK(strstr(words, "400 bytes from rank 0"));
            ++*lost;
            continue;
        }
        CHECK_OK(MPI_Get_count(&status, MPI_INT, &got));
        CHECK_INT(got, length);
        CHECK(data[0] == 1 && data[length - 1] == length);
        ++*come;
    }
}

static void receive_all(void)
{
    int there = 0, come = 0, lost = 0;
    scarce_begin(0, true);
    while (!there)
        CHECK_OK(MPI_Iprobe(0, LAST, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE));
    CHECK(scarce_end());
    receive(ANNOUNCED, LONG, &come, &lost);
    CHECK_INT(come, ANNOUNCED);
    receive(EAGER, SHORT, &come, &lost);
    CHECK_INT(come + lost, ANNOUNCED + EAGER);
    CHECK_OK(MPI_Recv(data, 1, MPI_INT, 0, LAST, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    for (int i = 0; i < LONG; i++)
        data[i] = i + 1;
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (check_rank == 0)
        send_all();
    else
        receive_all();
    sums_to(MPI_COMM_WORLD, "after a shortage");
    return check_end();
}
