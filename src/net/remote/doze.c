/* doze.c - sleeping until a file has something, or a process of the same node. */
#include "net/remote/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

static int events = -1, bell[2] = {-1, -1};
static bool (*arm)(void);
static bool deaf; /* there is no file that tells of messages */

static void drain_bell(void)
{
    char rings[64];
    while (read(bell[0], rings, sizeof rings) > 0)
        ;
}

/* Whoever sleeps has let the lock go, and transports are for one thread at a time. */
static bool is_armed(void)
{
    tf_lock_enter();
    bool armed = !arm || arm();
    tf_lock_leave();
    return armed;
}

/* Whatever comes is left to the next pass. */
static bool doze(int milliseconds)
{
    struct epoll_event event;
    bool rung = is_armed() && epoll_wait(events, &event, 1, deaf ? 1 : milliseconds) == 1 && event.data.fd == bell[0];
    if (rung)
        drain_bell();
    return rung;
}

static bool watch(int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    return epoll_ctl(events, EPOLL_CTL_ADD, fd, &event) == 0;
}

int tf_doze_open(int fd, bool (*before)(void))
{
    arm = before;
    deaf = fd < 0;
    events = epoll_create1(EPOLL_CLOEXEC);
    if (events < 0 || pipe2(bell, O_CLOEXEC | O_NONBLOCK) || !watch(bell[0]) || (fd >= 0 && !watch(fd)))
        return tf_error(MPI_ERR_OTHER, "cannot wait for messages: %s", strerror(errno));
    tf_pause_watch(doze, bell[1]);
    return MPI_SUCCESS;
}

bool tf_doze_mind(int fd)
{
    return events >= 0 && watch(fd);
}

static void close_file(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void tf_doze_close(void)
{
    tf_pause_watch(NULL, -1);
    close_file(&events);
    close_file(&bell[0]);
    close_file(&bell[1]);
}
