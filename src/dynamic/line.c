/* line.c - see line.h. */
#include "dynamic/line.h"

#include <errno.h>
#include <sys/socket.h>

#include "msg/await.h"
#include "msg/lost.h"
#include "msg/match.h"
#include "net/tcp/tcp.h"

struct exchange {
    const struct tf_comm *comm;
    int fd;
    struct tf_tcp_silence silence;
    const char *out;
    char *in;
    size_t unsent, awaited;
    int error; /* errno; 0: none */
    bool ended;
    bool writing; /* whether the file is minded for that */
};

static bool move_out(struct exchange *x)
{
    ssize_t n = send(x->fd, x->out, x->unsent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno != EAGAIN && errno != EINTR)
        x->error = errno;
    if (n <= 0)
        return false;
    x->out += n;
    x->unsent -= (size_t)n;
    return true;
}

static bool move_in(struct exchange *x)
{
    ssize_t n = recv(x->fd, x->in, x->awaited, MSG_DONTWAIT);
    if (n < 0 && errno != EAGAIN && errno != EINTR)
        x->error = errno;
    x->ended = n == 0;
    if (n <= 0)
        return false;
    x->in += n;
    x->awaited -= (size_t)n;
    return true;
}

static bool is_over(void *state, bool *moved)
{
    struct exchange *x = state;
    if (x->unsent > 0)
        *moved |= move_out(x);
    if (x->awaited > 0 && !x->error)
        *moved |= move_in(x);
    if (x->writing && x->unsent == 0) {
        x->writing = false;
        tf_tcp_mind(x->fd, false);
    }
    if (!x->error && tf_tcp_is_silent(&x->silence, x->fd, tf_time()))
        x->error = ETIMEDOUT;
    return x->error || x->ended || (x->unsent == 0 && x->awaited == 0) || x->comm->match->broken;
}

int tf_line_exchange(const struct tf_comm *comm, int fd, const struct tf_await_line *awaited, const void *mine,
                     size_t send, void *theirs, size_t receive)
{
    struct exchange x = {
        .comm = comm, .fd = fd, .out = mine, .in = theirs, .unsent = send, .awaited = receive, .writing = send > 0};
    tf_tcp_mind(fd, x.writing);
    tf_await(TF_AWAITS_LINE, awaited, is_over, &x);
    tf_tcp_unmind(fd);
    if (x.error)
        return tf_error(MPI_ERR_OTHER, "the connection with the other side is broken: %s", strerror(x.error));
    if (x.ended)
        return tf_error(MPI_ERR_OTHER, "the other side has hung up");
    if (x.unsent > 0 || x.awaited > 0)
        return tf_lost_broken(comm);
    return MPI_SUCCESS;
}
