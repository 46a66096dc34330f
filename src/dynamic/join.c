/* join.c - MPI_Comm_join (MPI-5.0 section 11.10.5): an intercommunicator of the two processes at the ends of a socket,
 * which nothing is on before and after, and which stays the program's.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "construct/newcomm.h"
#include "dynamic/connect.h"
#include "dynamic/dynamic.h"
#include "dynamic/line.h"
#include "net/others.h"

struct hello {
    uint32_t magic, version;
    int32_t error, unused; /* this process cannot be connected with others */
};
enum { MAGIC = 0x54464a4e, PROTOCOL = 1 };

static int check(int fd)
{
    int type;
    socklen_t length = sizeof type;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length))
        return tf_error(MPI_ERR_ARG, "fd is %d, which is no socket: %s", fd, strerror(errno));
    if (type != SOCK_STREAM)
        return tf_error(MPI_ERR_ARG, "fd is %d, a socket that is no stream", fd);
    struct sockaddr_storage peer;
    length = sizeof peer;
    if (getpeername(fd, (struct sockaddr *)&peer, &length))
        return tf_error(MPI_ERR_ARG, "fd is %d, a socket that is not connected: %s", fd, strerror(errno));
    return MPI_SUCCESS;
}

int tf_comm_join(int fd, MPI_Comm *newcomm)
{
    struct tf_card card;
    struct hello mine = {.magic = MAGIC, .version = PROTOCOL}, theirs;
    int err = tf_comm_self ? check(fd) : tf_error(MPI_ERR_OTHER, "there is no MPI_COMM_SELF, which MPI_Init makes");
    if (err)
        return err;
    mine.error = tf_others_card(&card);
    static const struct tf_await_line other = {"MPI_Comm_join", "the process at the other end of the socket"};
    err = tf_line_exchange(tf_comm_self, fd, &other, &mine, sizeof mine, &theirs, sizeof theirs);
    if (err)
        return err;
    /* Who cannot be connected gets no communicator, and that is no error. */
    if (mine.error || theirs.error || theirs.magic != MAGIC || theirs.version != PROTOCOL) {
        *newcomm = MPI_COMM_NULL;
        return MPI_SUCCESS;
    }
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0); /* the line is closed, the socket is not */
    if (own < 0)
        return tf_error(MPI_ERR_OTHER, "the socket cannot be duplicated: %s", strerror(errno));
    return tf_connect_line(tf_comm_self, 0, TF_CALLER_COMM_JOIN, own, MPI_SUCCESS, newcomm);
}
