/* beacon.c - hosts that vanish, where the network does not tell.
 *
 * One knock for each node that is silent, at the first silent process of it: a host that is cut off takes all with it.
 * An answer is a connection, or its refusal: that process has ended, which the launcher knows better and says; where it
 * does not, this says so after a while.
 *
 * A process that computes for long takes no knocks, and once so many wait at its port that there is no place for more,
 * its system does not answer there either.  So a knock without an answer is tried at another port, where nobody
 * listens: the refusal tells that the host is there.
 */
#include "net/remote/remote.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>

#include "base/settings.h"
#include "launch/nodes.h"

enum { GRACE = 5 /* seconds for the launcher */, NOBODYS_PORT = 1 };

/* One for each node that has been silent, and does not move. */
struct knock {
    struct knock *next;
    int node;
    int fd, rank, attempt;   /* -1: nobody knocks */
    bool aside;              /* at the port where nobody listens */
    int64_t begun, answered; /* when the latest of them was */
    int64_t tried;           /* when the latest address was */
    int64_t refused;         /* since when the process there is known to have ended, 0: it has not */
    struct tf_address address;
};

static struct knock *knocks;
static int listener = -1;
static int64_t looked;

static int64_t half_limit(void)
{
    int64_t half = tf_settings.peer_timeout * TF_SECOND / 2;
    return half < TF_SECOND ? TF_SECOND : half;
}

static void close_socket(struct knock *knock)
{
    if (knock->fd >= 0)
        close(knock->fd);
    knock->fd = -1;
}

static void answer(struct knock *knock, int64_t now, bool refused)
{
    close_socket(knock);
    knock->answered = now;
    if (!refused)
        knock->refused = 0;
    else if (knock->refused == 0)
        knock->refused = now;
    else if (now - knock->refused > GRACE * TF_SECOND && !tf_job.leaving)
        tf_net_peer_failed(tf_net_peer(knock->rank), "rank %d on host %s has ended before the end of MPI_Finalize",
                           knock->rank, knock->address.host);
}

/* With that process all others of its node, which are knocked at in turn. */
static TF_COLD void give_up(struct knock *knock, int64_t now)
{
    char text[64];
    tf_address_show(&knock->address.at[0], text, sizeof text);
    close_socket(knock);
    knock->answered = now;
    tf_net_peer_failed(tf_net_peer(knock->rank),
                       "host %s (%s) of rank %d has not answered for %d seconds; is it switched off, or cut off from "
                       "the network? TREEFOLD_PEER_TIMEOUT sets the time",
                       knock->address.host, text, knock->rank, (int)tf_settings.peer_timeout);
}

static void set_port(struct sockaddr_storage *address, uint16_t port)
{
    if (address->ss_family == AF_INET6)
        ((struct sockaddr_in6 *)address)->sin6_port = htons(port);
    else
        ((struct sockaddr_in *)address)->sin_port = htons(port);
}

/* At the next of its addresses, as not all may lead there; when all have been tried, aside. */
static void begin(struct knock *knock, int64_t now)
{
    struct sockaddr_storage at = knock->address.at[knock->attempt % knock->address.n];
    knock->tried = now;
    knock->aside = knock->attempt++ / knock->address.n % 2;
    if (knock->aside)
        set_port(&at, NOBODYS_PORT);
    knock->fd = socket(at.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (knock->fd < 0 && (errno == EMFILE || errno == ENFILE))
        answer(knock, now, false); /* who cannot ask has heard nothing against it */
    if (knock->fd >= 0 && connect(knock->fd, (const struct sockaddr *)&at, tf_address_length(&at)) &&
        errno != EINPROGRESS)
        close_socket(knock);
}

static void listen_for_answer(struct knock *knock, int64_t now)
{
    struct pollfd file = {.fd = knock->fd, .events = POLLOUT};
    int error = ETIMEDOUT;
    socklen_t length = sizeof error;
    if (knock->fd >= 0 && poll(&file, 1, 0) == 1)
        getsockopt(knock->fd, SOL_SOCKET, SO_ERROR, &error, &length);
    if (error == 0 || error == ECONNREFUSED)
        answer(knock, now, error != 0 && !knock->aside);
    else if (now - knock->begun > half_limit())
        give_up(knock, now);
    else if (now - knock->tried > half_limit() / (2 * knock->address.n)) {
        close_socket(knock);
        begin(knock, now);
    }
}

static void knock_at(struct knock *knock, int rank, int64_t now)
{
    if (tf_address_get(rank, &knock->address))
        return;
    tf_log(2, "has not heard from rank %d for a while and asks host %s", rank, knock->address.host);
    knock->rank = rank;
    knock->attempt = 0;
    knock->begun = now;
    begin(knock, now);
}

/* NULL: no memory, and no knock. */
static struct knock *knock_of(int node)
{
    struct knock *knock = knocks;
    while (knock && knock->node != node)
        knock = knock->next;
    if (knock || !(knock = malloc(sizeof *knock)))
        return knock;
    *knock = (struct knock){.next = knocks, .node = node, .fd = -1};
    return knocks = knock;
}

/* Nobody knocks, and the last answer is a while ago; of a process that has ended, a moment. */
static bool may_knock(const struct knock *knock, int64_t now)
{
    int64_t pause = knock->refused > 0 ? TF_SECOND : half_limit();
    return knock->answered >= knock->begun && now - knock->answered > pause;
}

static void look_at_peer(struct tf_packets *link, int64_t now)
{
    int rank = link->base.peer->rank;
    if (link->heard || link->last == 0) {
        link->heard = false;
        link->last = now;
    } else if (now - link->last > half_limit()) {
        struct knock *knock = knock_of(tf_launch_node(rank));
        if (knock && may_knock(knock, now))
            knock_at(knock, rank, now);
    }
}

/* Who knocks wanted no more than to be answered. */
static void answer_knocks(void)
{
    int fd;
    while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0)
        close(fd);
}

void tf_beacon_look(void)
{
    int64_t now = tf_time();
    if (now - looked < TF_SECOND / 4)
        return;
    looked = now;
    answer_knocks();
    for (struct tf_remote_link *link = tf_remote_links; link && tf_settings.peer_timeout; link = link->next)
        if (((struct tf_packets *)link)->used && !link->peer->failed)
            look_at_peer((struct tf_packets *)link, now);
    for (struct knock *knock = knocks; knock; knock = knock->next)
        if (knock->answered < knock->begun)
            listen_for_answer(knock, now);
}

int tf_beacon_open(void)
{
    char fact[TF_ADDRESS_FACT];
    return tf_address_listen(&listener, fact);
}

void tf_beacon_close(void)
{
    while (knocks) {
        struct knock *next = knocks->next;
        close_socket(knocks);
        free(knocks);
        knocks = next;
    }
    if (listener >= 0)
        close(listener);
    listener = -1;
}
