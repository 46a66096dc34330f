/* watch.c - peers that vanish: a host that is cut off or switched off ends no connection.
 *
 * An idle connection is probed by the system (keepalive), which breaks it after peer_timeout.  On one with data under
 * way, be they the first ones (hello.c), the system would try on for a quarter of an hour; there, whoever waits looks
 * how long ago the other host has last confirmed anything.  TCP_USER_TIMEOUT would be simpler, but it also breaks
 * connections to processes that only do not read for a while because they compute.
 *
 * Who was told that the other side connects, and waits in vain, tries again: either the other side answers, or there is
 * a reason why not.
 *
 * A process that ends closes its connections.  The launcher tells how it ended, and ends the job; where it does not,
 * this says so after a while.
 */
#include "net/tcp/tcp.h"

#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>

#include "base/settings.h"
#include "net/others.h"

enum { GRACE = 5 }; /* seconds for the launcher; and for the last ranks to follow into the end of MPI_Finalize */
/* More than there is between two looks of one who waits and has a processor. */
#define LOOK (TF_SECOND / 2)

static int at_least_1(int seconds)
{
    return seconds < 1 ? 1 : seconds;
}

void tf_tcp_watch_socket(int fd)
{
    int on = 1, probes = 3, limit = (int)tf_settings.peer_timeout;
    int idle = at_least_1(limit / 2), between = at_least_1(limit / 2 / probes);
    if (limit == 0)
        return;
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &between, sizeof between);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

/* Bytes or questions are under way, and nothing has come back for too long.  One question without an answer says
 * nothing: it may have been asked just now.  So do bytes that this process has sent just now, after it computed or was
 * stopped for long: those count that it sees wait, and of the time between two looks no more than LOOK.  However
 * rarely it gets a processor, it finds out some day. */
bool tf_tcp_is_silent(struct tf_tcp_silence *silence, int fd, int64_t now)
{
    struct tcp_info info;
    socklen_t length = sizeof info;
    int64_t since = now - silence->looked;
    if (tf_settings.peer_timeout == 0 || getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length))
        return false;
    bool waits = info.tcpi_unacked > 0 || info.tcpi_probes > 1;
    bool goes_on = waits && silence->waits && info.tcpi_bytes_acked == silence->acked;
    silence->lasts = goes_on ? silence->lasts + (since < LOOK ? since : LOOK) : 0;
    silence->looked = now;
    silence->waits = waits;
    silence->acked = info.tcpi_bytes_acked;
    return silence->lasts >= tf_settings.peer_timeout * TF_SECOND &&
           info.tcpi_last_ack_recv / 1000 >= (uint32_t)tf_settings.peer_timeout;
}

/* Of another job, and has said that it has nothing more to say. */
static bool has_left(const struct tf_tcp_link *link)
{
    const struct tf_card *card = tf_others_card_of(link->base.peer);
    return card && tf_others_of(tf_process_number(&card->process))->heard;
}

void tf_tcp_watch(int64_t now)
{
    for (struct tf_tcp_link *link = tf_tcp_up; link; link = link->next_up) {
        if (link->state == TF_TCP_UP && tf_tcp_is_silent(&link->silence, link->fd, now))
            tf_tcp_broken(link, ETIMEDOUT);
        /* Who has only sessions leaves when it likes. */
        if (link->state == TF_TCP_ENDED && now - link->ended > GRACE * TF_SECOND && !tf_library.lasting &&
            !has_left(link))
            tf_net_peer_failed(link->base.peer,
                               "%s on host %s has closed its connection before the end of MPI_Finalize",
                               tf_net_name(link->base.peer), tf_tcp_host(link));
    }
    for (struct tf_tcp_link *link = tf_tcp_links; link; link = tf_tcp_next(link))
        if (link->state == TF_TCP_TRIED && tf_settings.peer_timeout &&
            now - link->ended > tf_settings.peer_timeout * TF_SECOND)
            tf_tcp_connect(link);
}
