/* The first message between two processes leaves before the call that sends it returns, whatever has to be connected
 * for it: each process then waits, outside MPI, until all others have come out of theirs.  Nothing comes before; which
 * call it is the number of processes says.
 *
 * np: 2 3 4 5 6 7 8
 * timeout: 20
 */
#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "check.h"

enum { MOST = 8 };
static int rank, size, line;
static int mine[MOST], all[MOST];

/* A name without a file, of a socket of that process. */
static socklen_t name_of(int process, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    int n =
        snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "first_contact.%d.%d", (int)getppid(), process);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static void open_line(void)
{
    struct sockaddr_un address;
    socklen_t length = name_of(rank, &address);
    line = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    CHECK_INT(bind(line, (struct sockaddr *)&address, length), 0);
}

/* Until that process has opened its own, and as long as others' words fill it. */
static void tell(int process)
{
    struct sockaddr_un address;
    socklen_t length = name_of(process, &address);
    while (sendto(line, "", 1, 0, (struct sockaddr *)&address, length) != 1)
        usleep(1000);
}

static void wait_for_all(void)
{
    char word;
    for (int r = 0; r < size; r++)
        if (r != rank)
            tell(r);
    for (int n = 1; n < size; n++)
        while (recv(line, &word, 1, 0) != 1)
            CHECK_INT(errno, EINTR);
}

static void send_to_next(void)
{
    MPI_Request request;
    CHECK_OK(MPI_Isend(&mine[0], 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Recv(&all[0], 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_INT(all[0], 100 * ((rank + size - 1) % size));
}

static void send_one(void)
{
    if (rank == 0)
        CHECK_OK(MPI_Send(&mine[1], 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
    else
        CHECK_OK(MPI_Recv(all, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_INT(all[0], rank);
}

static void first_call(void)
{
    switch (size) {
    case 2:
        send_one();
        break;
    case 3:
        CHECK_OK(MPI_Bcast(mine, 1, MPI_INT, 0, MPI_COMM_WORLD));
        CHECK_INT(mine[0], 0);
        break;
    case 4:
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
        break;
    case 5:
        CHECK_OK(MPI_Reduce(mine, all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD));
        CHECK_INT(all[0], rank == 0 ? 1000 : 0);
        break;
    case 6:
        CHECK_OK(MPI_Scatter(mine, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD));
        CHECK_INT(all[0], rank);
        break;
    case 7:
        send_to_next();
        break;
    default:
        CHECK_OK(MPI_Alltoall(mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD));
        for (int r = 0; r < size; r++)
            CHECK_INT(all[r], 100 * r + rank);
    }
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    rank = check_rank;
    size = check_size;
    for (int r = 0; r < MOST; r++)
        mine[r] = 100 * rank + r;
    open_line();
    first_call();
    wait_for_all();
    close(line);
    return check_end();
}
