/* tcp.c - processes of other nodes: one connection for each pair that talks, made when the first of the two has
 * something to say.
 *
 * Each peer has its two rings in private memory, of which only what is used becomes pages.  Its `asleep` word is never
 * 0, so every commit sends what is in the ring; what the socket does not take goes later, in progress().
 *
 * A wait for one peer asks that peer's socket alone.  Passes of progress ask the epoll set, once for all peers; and so
 * does a process that sleeps, with a pipe in the set by which processes of its own node wake it (pause.c).
 */
#include "net/tcp/tcp.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "launch/launch.h"
#include "launch/nodes.h"

struct tf_tcp_link *tf_tcp_links, *tf_tcp_up;
int tf_tcp_listener = -1;
bool tf_tcp_between;

static int events = -1, bell[2] = {-1, -1};
static enum tf_tcp_kind listener_kind = TF_TCP_LISTENER, bell_kind = TF_TCP_BELL, guest_kind = TF_TCP_GUEST;
static char fact[TF_ADDRESS_FACT]; /* where it listens */
static int64_t looked;             /* when time was last looked at */

/* ---- the epoll set ---- */

bool tf_tcp_wait_for(int fd, uint32_t what, void *object, bool known)
{
    struct epoll_event event = {.events = what, .data.ptr = object};
    return epoll_ctl(events, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event) == 0;
}

/* A child of the program may have the socket too, and would keep it in the set. */
void tf_tcp_close(int fd)
{
    epoll_ctl(events, EPOLL_CTL_DEL, fd, NULL);
    close(fd);
}

static void unlink_up(const struct tf_tcp_link *link)
{
    struct tf_tcp_link **at = &tf_tcp_up;
    while (*at && *at != link)
        at = &(*at)->next_up;
    if (*at)
        *at = link->next_up;
}

static void unlink_link(const struct tf_tcp_link *link)
{
    struct tf_tcp_link **at = &tf_tcp_links;
    while (*at != link)
        at = (struct tf_tcp_link **)&(*at)->base.next;
    *at = tf_tcp_next(link);
}

static void drop_link(struct tf_tcp_link *link)
{
    tf_tcp_calls_forget(link);
    if (link->fd >= 0)
        tf_tcp_close(link->fd);
    unlink_up(link);
    unlink_link(link);
    free(link);
}

static void hang_up(void *link)
{
    drop_link(link);
}

void tf_tcp_link_up(struct tf_tcp_link *link, int fd, struct tf_beside_pair *pair)
{
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    tf_tcp_watch_socket(fd);
    link->fd = fd;
    link->state = pair ? TF_TCP_BESIDE : TF_TCP_UP;
    link->next_up = tf_tcp_up;
    tf_tcp_up = link;
    tf_tcp_wait_for(fd, EPOLLIN, &link->kind, true);
    tf_log(2, "is connected with %s on host %s%s", tf_net_name(link->base.peer), tf_tcp_host(link),
           pair ? ", and shares memory with it" : "");
    if (pair)
        tf_beside_begin(pair, link->base.peer, hang_up, link);
    else
        tf_ring_open(&link->base.peer->tx);
}

const char *tf_tcp_host(struct tf_tcp_link *link)
{
    if (!link->host[0])
        snprintf(link->host, sizeof link->host, "%s", tf_address_host_of(link->base.peer));
    return link->host;
}

/* ---- progress ---- */

static void drain_bell(void)
{
    char rings[64];
    while (read(bell[0], rings, sizeof rings) > 0)
        ;
}

/* Or were, before they ended. */
static bool share_memory(const struct tf_tcp_link *link)
{
    return link->base.peer->net == &tf_net_beside;
}

/* All that has been read from the socket already. */
static bool hand_over(struct tf_tcp_link *link)
{
    struct tf_ring_rx *rx = &link->base.peer->rx;
    struct tf_cell *cell;
    bool any = false;
    if (share_memory(link))
        return false;
    while ((cell = tf_ring_peek(rx)) || (cell = tf_tcp_parse(link))) {
        tf_net_arrive(link->base.peer, &cell->header, tf_ring_payload(rx, cell));
        tf_ring_release(rx, cell);
        any = true;
    }
    return any;
}

static struct tf_tcp_link *link_of(const struct epoll_event *event)
{
    return TF_CONTAINER((enum tf_tcp_kind *)event->data.ptr, struct tf_tcp_link, kind);
}

static void listen_for_end(struct tf_tcp_link *link)
{
    char nothing;
    ssize_t n = recv(link->fd, &nothing, 1, MSG_DONTWAIT);
    if (n >= 0 || (errno != EAGAIN && errno != EINTR))
        tf_tcp_broken(link, n < 0 ? errno : 0);
}

static bool link_event(struct tf_tcp_link *link, uint32_t what)
{
    if (link->state == TF_TCP_BESIDE) {
        listen_for_end(link);
        return true;
    }
    bool any = hand_over(link);
    if (what & EPOLLOUT)
        tf_tcp_flush(link);
    if (what & ~EPOLLOUT && tf_tcp_take(link))
        any |= hand_over(link);
    return any || what & EPOLLOUT;
}

static bool dispatch(const struct epoll_event *event)
{
    switch (*(enum tf_tcp_kind *)event->data.ptr) {
    case TF_TCP_LINK:
        return link_event(link_of(event), event->events);
    case TF_TCP_CALL:
        tf_tcp_call_step(event->data.ptr);
        return true;
    case TF_TCP_LISTENER:
        tf_tcp_accept();
        return true;
    case TF_TCP_GUEST: /* whoever waits for it looks by itself */
        return false;
    default:
        if (!tf_library.locking) /* else it is for the thread that dozes, which may not have heard it yet */
            drain_bell();
        return false;
    }
}

static void look_at_time(void)
{
    int64_t now = tf_time();
    if (now - looked < TF_SECOND / 4)
        return;
    looked = now;
    tf_tcp_calls_expire(now);
    tf_tcp_watch(now);
}

static bool tcp_progress(void)
{
    struct epoll_event event[32];
    bool any = false;
    for (struct tf_tcp_link *link = tf_tcp_up; link; link = link->next_up)
        any |= hand_over(link);
    int n = epoll_wait(events, event, TF_ARRAY_LEN(event), 0);
    for (int i = 0; i < n; i++)
        any |= dispatch(&event[i]);
    look_at_time();
    tf_tcp_calls_sweep();
    return any;
}

/* Whatever comes is left to the next pass. */
static bool doze(int milliseconds)
{
    struct epoll_event event;
    bool rung = epoll_wait(events, &event, 1, milliseconds) == 1 && event.data.ptr == &bell_kind;
    if (rung)
        drain_bell();
    return rung;
}

/* ---- one peer ---- */

static void tcp_wake(struct tf_peer *peer)
{
    struct tf_tcp_link *link = tf_tcp_link_of(peer);
    if (TF_LIKELY(link->state == TF_TCP_UP))
        tf_tcp_flush(link);
    else if (link->state == TF_TCP_IDLE)
        tf_tcp_connect(link);
}

static size_t tcp_send(struct tf_peer *peer, const struct tf_header *header, const void *payload, size_t bytes,
                       uint32_t chunk)
{
    return tf_tcp_send(tf_tcp_link_of(peer), header, payload, bytes, chunk);
}

/* Until there is a connection it may be that one comes. */
static struct tf_cell *tcp_fill(struct tf_peer *peer)
{
    struct tf_tcp_link *link = tf_tcp_link_of(peer);
    if (TF_LIKELY(link->state == TF_TCP_UP))
        return tf_tcp_take(link);
    struct epoll_event event;
    if (link->state != TF_TCP_ENDED && epoll_wait(events, &event, 1, 0) == 1 &&
        *(enum tf_tcp_kind *)event.data.ptr != TF_TCP_LINK) {
        dispatch(&event);
        tf_tcp_calls_sweep();
    }
    return NULL;
}

static bool leaves_later(const struct tf_tcp_link *link)
{
    return link->state == TF_TCP_UP && tf_tcp_unsent(link);
}

static bool tcp_unsent(void)
{
    const struct tf_tcp_link *link = tf_tcp_up;
    while (link && !leaves_later(link))
        link = link->next_up;
    return link != NULL;
}

static bool tcp_unsent_to(struct tf_peer *peer)
{
    return peer->link && leaves_later(peer->link);
}

static int tcp_connect(struct tf_peer *peer)
{
    return tf_remote_rings_make(peer, TF_TCP_CAPACITY);
}

/* All has been received on both sides: whoever closes first resets nothing. */
static void tcp_part(struct tf_peer *peer)
{
    if (peer->link)
        drop_link(peer->link);
    tf_remote_rings_drop(peer);
}

/* ---- opening and closing ---- */

struct tf_tcp_link *tf_tcp_link_make(struct tf_peer *peer)
{
    tf_net_meet(peer);
    struct tf_tcp_link *link = calloc(1, sizeof *link);
    if (!link)
        tf_fatal(1, "treefold[%d]: no memory for a connection with %s", tf_job.rank, tf_net_name(peer));
    *link = (struct tf_tcp_link){
        .base = {.peer = peer, .next = (struct tf_remote_link *)tf_tcp_links}, .kind = TF_TCP_LINK, .fd = -1};
    tf_tcp_links = link;
    peer->link = link;
    return link;
}

static void allow_sockets(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static int open_files(void)
{
    int err = tf_tcp_between ? tf_address_listen(&tf_tcp_listener, fact) : tf_address_open(&tf_tcp_listener, fact);
    if (err)
        return err;
    events = epoll_create1(EPOLL_CLOEXEC);
    if (events < 0 || pipe2(bell, O_CLOEXEC | O_NONBLOCK) ||
        !tf_tcp_wait_for(tf_tcp_listener, EPOLLIN, &listener_kind, false) ||
        !tf_tcp_wait_for(bell[0], EPOLLIN, &bell_kind, false))
        return tf_error(MPI_ERR_OTHER, "cannot watch for connections: %s", strerror(errno));
    return MPI_SUCCESS;
}

static int tcp_open(void)
{
    tf_tcp_between = true;
    allow_sockets();
    int err = open_files();
    if (!err)
        err = tf_nodes.joined ? tf_launch_show() : tf_launch_barrier();
    if (err)
        return err;
    tf_net_drive(&tf_net_tcp);
    tf_pause_watch(doze, bell[1]);
    return MPI_SUCCESS;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_files(void)
{
    close_fd(&tf_tcp_listener);
    close_fd(&events);
    close_fd(&bell[0]);
    close_fd(&bell[1]);
}

int tf_tcp_open_others(char address[TF_ADDRESS_FACT])
{
    if (events < 0) {
        allow_sockets();
        int err = open_files();
        if (err) {
            close_files();
            return err;
        }
        tf_net_drive(&tf_net_tcp);
        if (!tf_doze_mind(events))
            tf_pause_watch(doze, bell[1]);
    }
    memcpy(address, fact, sizeof fact);
    return MPI_SUCCESS;
}

bool tf_tcp_mind(int fd, bool writing)
{
    return tf_tcp_wait_for(fd, writing ? EPOLLOUT : EPOLLIN, &guest_kind, false) ||
           (errno == EEXIST && tf_tcp_wait_for(fd, writing ? EPOLLOUT : EPOLLIN, &guest_kind, true));
}

void tf_tcp_unmind(int fd)
{
    epoll_ctl(events, EPOLL_CTL_DEL, fd, NULL);
}

/* ---- the end ---- */

static bool all_sent(void)
{
    for (struct tf_tcp_link *link = tf_tcp_links; link; link = tf_tcp_next(link)) {
        if (share_memory(link))
            continue;
        if (link->state != TF_TCP_ENDED && tf_tcp_unsent(link))
            return false;
        if (link->state == TF_TCP_UP) {
            shutdown(link->fd, SHUT_WR);
            link->state = TF_TCP_CLOSING;
        }
    }
    return true;
}

/* Whether the other side has said all.  Nothing of that is for us any more, but a socket that is closed with bytes
 * unread resets the connection, and what we have sent might be lost. */
static bool all_ended(void)
{
    char rest[4096];
    for (struct tf_tcp_link *link = tf_tcp_up; link; link = link->next_up) {
        ssize_t n = 1;
        while (link->state == TF_TCP_CLOSING && n > 0)
            n = recv(link->fd, rest, sizeof rest, MSG_DONTWAIT);
        if (link->state != TF_TCP_CLOSING)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return false;
        tf_tcp_broken(link, 0);
    }
    return true;
}

enum { LAST_WORDS = 10 }; /* seconds */

static void take_leave(void)
{
    struct epoll_event event;
    int64_t limit = tf_time() + LAST_WORDS * TF_SECOND;
    while (!(all_sent() && all_ended()) && tf_time() < limit)
        if (epoll_wait(events, &event, 1, 10) == 1) {
            if (*(enum tf_tcp_kind *)event.data.ptr != TF_TCP_LINK)
                dispatch(&event);
            else if (event.events & EPOLLOUT)
                tf_tcp_flush(link_of(&event));
            tf_tcp_calls_sweep();
        }
}

static void drop_links(void)
{
    while (tf_tcp_links) {
        struct tf_tcp_link *link = tf_tcp_links;
        tf_tcp_links = tf_tcp_next(link);
        close_fd(&link->fd);
        if (!share_memory(link))
            link->base.peer->link = NULL;
        free(link);
    }
    tf_tcp_up = NULL;
}

static void tcp_close(void)
{
    if (tf_job.left && events >= 0)
        take_leave();
    tf_pause_watch(NULL, -1);
    tf_net_rest(&tf_net_tcp);
    tf_tcp_calls_close();
    if (tf_tcp_strangers())
        tf_log(1, "has refused %u connections of strangers", tf_tcp_strangers());
    drop_links();
    close_files();
    tf_tcp_between = false;
}

static enum tf_net_grade tcp_grade(void)
{
    char words[300];
    return tf_address_describe(words, sizeof words) ? TF_NET_PLAIN : TF_NET_UNUSABLE;
}

const struct tf_net tf_net_tcp = {
    .name = "tcp",
    .what = "processes of other nodes, through TCP connections",
    .describe = tf_address_describe,
    .grade = tcp_grade,
    .open = tcp_open,
    .close = tcp_close,
    .connect = tcp_connect,
    .part = tcp_part,
    .wake = tcp_wake,
    .send = tcp_send,
    .fill = tcp_fill,
    .progress = tcp_progress,
    .unsent = tcp_unsent,
    .unsent_to = tcp_unsent_to,
};
