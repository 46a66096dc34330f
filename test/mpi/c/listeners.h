/* listeners.h - a process that nobody reaches any more who has not reached it before. */
#ifndef LISTENERS_H
#define LISTENERS_H

#include <sys/socket.h>
#include <unistd.h>

/* Whoever comes finds nobody. */
static inline void close_listeners(void)
{
    enum { MOST_FILES = 1000 };
    for (int fd = 0; fd < MOST_FILES; fd++) {
        int listens = 0;
        socklen_t length = sizeof listens;
        if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 && listens)
            close(fd);
    }
}

#endif
