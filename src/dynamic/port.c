/* port.c - see port.h.
 *
 *     the side that connects                          the side that accepts
 *     GREETING  magic, version, nonce  ------------->
 *            <--------------------------------------  GREETING  magic, version, nonce
 *     PROOF     hash of both, as who connects ------>  right: it waits for MPI_Comm_accept to take it
 *            <--------------------------------------  PROOF     hash of both, as who accepts: it was taken
 */
#include "dynamic/port.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/settings.h"
#include "dynamic/dynamic.h"
#include "msg/await.h"
#include "msg/lost.h"
#include "msg/match.h"
#include "net/others.h"
#include "net/remote/remote.h"
#include "net/tcp/tcp.h"

enum {
    MAGIC = 0x5446504f,
    PROTOCOL = 1,
    MOST_STRANGERS = 64, /* that have not proved anything yet */
    PATIENCE = 30,       /* seconds for them */
    ATTEMPTS = 100,      /* of who connects and is turned away before it was heard */
    TOKEN_WORD = 2 * TF_KEY_BYTES,
};
static const char scheme[] = "treefold-port:";

struct greeting {
    uint32_t magic, version;
    unsigned char nonce[16];
};
enum side { CONNECTS = 1, ACCEPTS };

/* A connection that was not taken yet. */
struct caller {
    struct caller *next;
    int fd;
    bool greeted, proved;
    int64_t deadline;
    struct greeting mine, theirs;
    uint64_t proof;
    size_t filled; /* bytes of the message that is awaited */
};

struct port {
    struct port *next;
    int fd;
    unsigned char token[TF_KEY_BYTES];
    char name[MPI_MAX_PORT_NAME];
    struct caller *callers; /* the latest first */
    int strangers;          /* of them have proved nothing */
    unsigned refused;
};
static struct port *ports;

static uint64_t prove(const unsigned char *token, const struct greeting *connects, const struct greeting *accepts,
                      enum side side)
{
    struct {
        struct greeting connects, accepts;
        uint64_t side;
    } all = {*connects, *accepts, side};
    return tf_key_hash(token, &all, sizeof all);
}

static bool make_greeting(struct greeting *greeting)
{
    *greeting = (struct greeting){.magic = MAGIC, .version = PROTOCOL};
    return tf_key_random(greeting->nonce, sizeof greeting->nonce);
}

static bool say(int fd, const void *message, size_t n)
{
    return send(fd, message, n, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)n;
}

/* 1: the message of n bytes is there; 0: not yet; -1: it will not come. */
static int hear(int fd, void *message, size_t n, size_t *filled)
{
    ssize_t got = recv(fd, (char *)message + *filled, n - *filled, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (got <= 0)
        return -1;
    *filled += (size_t)got;
    if (*filled < n)
        return 0;
    *filled = 0;
    return 1;
}

/* ---- open and close ---- */

static struct port *find(const char *name)
{
    struct port *port = ports;
    while (port && strcmp(port->name, name) != 0)
        port = port->next;
    return port;
}

static bool read_token(const char *word, unsigned char token[TF_KEY_BYTES])
{
    for (int i = 0; i < TF_KEY_BYTES; i++)
        if (strspn(word + 2 * i, "0123456789abcdef") < 2 || sscanf(word + 2 * i, "%2hhx", &token[i]) != 1)
            return false;
    return word[TOKEN_WORD] == ':';
}

/* What a name says; false: it is none. */
static bool read_name(const char *name, unsigned char token[TF_KEY_BYTES], struct tf_address *address)
{
    size_t length = sizeof scheme - 1;
    return strncmp(name, scheme, length) == 0 && strlen(name) > length + TOKEN_WORD &&
           read_token(name + length, token) && tf_address_read(name + length + TOKEN_WORD + 1, address);
}

static int malformed(const char *name)
{
    return tf_error(MPI_ERR_PORT,
                    "\"%.100s\" is no name of a port; one is made by MPI_Open_port and begins with \"%s\"", name,
                    scheme);
}

int tf_port_check(const char *name)
{
    struct tf_address address;
    unsigned char token[TF_KEY_BYTES];
    if (find(name))
        return MPI_SUCCESS;
    if (!read_name(name, token, &address))
        return malformed(name);
    return tf_error(MPI_ERR_PORT,
                    "the port \"%s\" is not open in this process: another one has opened it, or it was closed", name);
}

static void write_name(struct port *port, const char *fact)
{
    char *at = port->name + sprintf(port->name, "%s", scheme);
    for (int i = 0; i < TF_KEY_BYTES; i++)
        at += sprintf(at, "%02x", port->token[i]);
    sprintf(at, ":%s", fact);
}

int tf_open_port(const struct tf_info *info, char *name)
{
    struct tf_card card;
    char fact[TF_ADDRESS_FACT];
    (void)info;
    int err = tf_others_card(&card);
    if (err)
        return err;
    struct port *port = calloc(1, sizeof *port);
    if (!port)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate a port");
    port->fd = -1;
    if (!tf_key_random(port->token, sizeof port->token))
        err = tf_error(MPI_ERR_OTHER, "the system has no random numbers for the token of a port");
    if (!err)
        err = tf_address_open(&port->fd, fact);
    if (err) {
        free(port);
        return err;
    }
    write_name(port, fact);
    port->next = ports;
    ports = port;
    strcpy(name, port->name);
    tf_log(1, "opens a port: %s", fact);
    return MPI_SUCCESS;
}

static void drop_caller(struct port *port, struct caller *caller)
{
    struct caller **at = &port->callers;
    while (*at != caller)
        at = &(*at)->next;
    *at = caller->next;
    port->strangers -= !caller->proved;
    free(caller);
}

static void refuse(struct port *port, struct caller *caller, const char *why)
{
    port->refused++;
    tf_log(1, "refuses a connection at its port, which %s (%u refused so far)", why, port->refused);
    close(caller->fd);
    drop_caller(port, caller);
}

static void close_port(struct port *port)
{
    struct port **at = &ports;
    while (*at != port)
        at = &(*at)->next;
    *at = port->next;
    while (port->callers) {
        close(port->callers->fd);
        drop_caller(port, port->callers);
    }
    close(port->fd);
    free(port);
}

int tf_close_port(const char *name)
{
    int err = tf_port_check(name);
    if (!err)
        close_port(find(name));
    return err;
}

void tf_port_close_all(void)
{
    while (ports)
        close_port(ports);
}

/* ---- accept ---- */

static void refuse_oldest(struct port *port, const char *why)
{
    struct caller *oldest = NULL;
    for (struct caller *caller = port->callers; caller; caller = caller->next)
        if (!caller->proved)
            oldest = caller;
    if (oldest)
        refuse(port, oldest, why);
}

static bool let_in(struct port *port)
{
    int fd = accept4(port->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE))
        refuse_oldest(port, "takes the last open file");
    if (fd < 0)
        return false;
    if (port->strangers >= MOST_STRANGERS)
        refuse_oldest(port, "makes one too many");
    struct caller *caller = calloc(1, sizeof *caller);
    if (!caller) {
        close(fd);
        return false;
    }
    *caller = (struct caller){.next = port->callers, .fd = fd, .deadline = tf_time() + PATIENCE * TF_SECOND};
    port->callers = caller;
    port->strangers++;
    tf_tcp_mind(fd, false);
    return true;
}

static bool hear_greeting(struct port *port, struct caller *caller)
{
    int heard = hear(caller->fd, &caller->theirs, sizeof caller->theirs, &caller->filled);
    if (heard == 0)
        return false;
    if (heard < 0 || caller->theirs.magic != MAGIC)
        refuse(port, caller, "does not speak as Treefold does");
    else if (!make_greeting(&caller->mine) || !say(caller->fd, &caller->mine, sizeof caller->mine))
        refuse(port, caller, "went away");
    else
        caller->greeted = true;
    return true;
}

static bool hear_proof(struct port *port, struct caller *caller)
{
    int heard = hear(caller->fd, &caller->proof, sizeof caller->proof, &caller->filled);
    if (heard == 0)
        return false;
    if (heard < 0 || caller->proof != prove(port->token, &caller->theirs, &caller->mine, CONNECTS))
        refuse(port, caller, "does not have the token of the port");
    else {
        caller->proved = true;
        caller->deadline = TF_NEVER;
        port->strangers--;
    }
    return true;
}

/* Who has proved itself says nothing more before it is taken. */
static bool has_gone(const struct caller *caller)
{
    char byte;
    return recv(caller->fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
}

static bool step(struct port *port, struct caller *caller)
{
    if (caller->deadline < tf_time()) {
        refuse(port, caller, "says nothing");
        return true;
    }
    if (caller->proved && has_gone(caller)) {
        refuse(port, caller, "does not wait any longer");
        return true;
    }
    if (caller->proved)
        return false;
    return caller->greeted ? hear_proof(port, caller) : hear_greeting(port, caller);
}

struct accepting {
    const struct tf_comm *comm;
    const char *name;
    struct tf_launch_spawned *spawned;
    int fd;
    const char *end; /* of the one that was to connect */
};

static void take(struct port *port, struct caller *caller, int *fd)
{
    uint64_t proof = prove(port->token, &caller->theirs, &caller->mine, ACCEPTS);
    if (!say(caller->fd, &proof, sizeof proof)) {
        refuse(port, caller, "went away");
        return;
    }
    *fd = caller->fd;
    tf_tcp_watch_socket(*fd);
    tf_tcp_unmind(*fd);
    drop_caller(port, caller);
}

/* The one that came first. */
static struct caller *proved(const struct port *port)
{
    struct caller *first = NULL;
    for (struct caller *caller = port->callers; caller; caller = caller->next)
        if (caller->proved)
            first = caller;
    return first;
}

static bool is_accepted(void *state, bool *moved)
{
    struct accepting *accepting = state;
    struct port *port = find(accepting->name);
    struct caller *next;
    if (!port)
        return true;
    while (let_in(port))
        *moved = true;
    for (struct caller *caller = port->callers; caller; caller = next) {
        next = caller->next;
        *moved |= step(port, caller);
    }
    while ((next = proved(port)) && accepting->fd < 0)
        take(port, next, &accepting->fd);
    if (accepting->spawned && accepting->fd < 0)
        accepting->end = tf_launch_spawned_end(accepting->spawned);
    return accepting->fd >= 0 || accepting->end || accepting->comm->match->broken;
}

static void mind(int fd, bool on)
{
    if (on)
        tf_tcp_mind(fd, false);
    else
        tf_tcp_unmind(fd);
}

/* Only while somebody accepts: what is there to be read would keep this process from sleeping. */
static void mind_all(const struct port *port, bool on)
{
    mind(port->fd, on);
    for (const struct caller *caller = port->callers; caller; caller = caller->next)
        mind(caller->fd, on);
}

int tf_port_accept(const struct tf_comm *comm, const char *name, const struct tf_await_line *awaited,
                   struct tf_launch_spawned *spawned, int *fd)
{
    struct accepting accepting = {.comm = comm, .name = name, .spawned = spawned, .fd = -1};
    int err = tf_port_check(name);
    if (err)
        return err;
    mind_all(find(name), true);
    tf_await(TF_AWAITS_LINE, awaited, is_accepted, &accepting);
    struct port *port = find(name);
    if (port)
        mind_all(port, false);
    if (accepting.end)
        return tf_error(MPI_ERR_SPAWN, "the first of the new processes %.71s before it had called MPI_Init",
                        accepting.end);
    if (accepting.fd < 0 && comm->match->broken)
        return tf_lost_broken(comm);
    if (accepting.fd < 0)
        return tf_error(MPI_ERR_PORT, "the port was closed while this process waited there");
    *fd = accepting.fd;
    return MPI_SUCCESS;
}

/* ---- connect ---- */

struct connecting {
    const struct tf_comm *comm;
    struct tf_address address;
    unsigned char token[TF_KEY_BYTES];
    int fd, attempt, turned_away;
    enum { CALLING, CALLED, GREETED, CONNECTED, FAILED } state;
    int64_t end; /* of its patience */
    int64_t deadline, pause_until;
    struct tf_tcp_silence silence;
    struct greeting mine, theirs;
    uint64_t proof;
    size_t filled;
    const char *why; /* the latest attempt failed */
};

static int64_t time_for_one(const struct connecting *c)
{
    int64_t all = (tf_settings.peer_timeout > 0 ? tf_settings.peer_timeout : 120) * TF_SECOND;
    return all / c->address.n;
}

/* At the next address; each is tried once, but for who was turned away. */
static void call(struct connecting *c)
{
    const struct sockaddr_storage *at = &c->address.at[c->attempt % c->address.n];
    c->state = CALLING;
    c->filled = 0;
    c->silence = (struct tf_tcp_silence){0};
    c->deadline = tf_time() + time_for_one(c);
    c->fd = socket(at->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (c->fd < 0 || (connect(c->fd, (const struct sockaddr *)at, tf_address_length(at)) && errno != EINPROGRESS)) {
        c->why = strerror(errno);
        c->deadline = 0;
        return;
    }
    tf_tcp_mind(c->fd, true);
}

static void hang_up(struct connecting *c)
{
    if (c->fd >= 0) {
        tf_tcp_unmind(c->fd);
        close(c->fd);
    }
    c->fd = -1;
}

static void try_next(struct connecting *c, const char *why)
{
    hang_up(c);
    c->why = why;
    if (++c->attempt == c->address.n)
        c->state = FAILED;
    else
        call(c);
}

/* Somebody listened there, and the other side may have taken this one for a stranger: it tries again after a while, and
 * learns whether the port has been closed. */
static void turned_away(struct connecting *c)
{
    hang_up(c);
    c->why = "the other side hung up";
    if (++c->turned_away == ATTEMPTS) {
        c->state = FAILED;
        return;
    }
    c->pause_until = tf_time() + 20 * TF_MILLISECOND * (c->turned_away < 10 ? c->turned_away : 10);
}

static void begin(struct connecting *c)
{
    int error = 0;
    socklen_t length = sizeof error;
    struct sockaddr_storage peer;
    socklen_t peer_length = sizeof peer;
    if (c->fd < 0) {
        try_next(c, c->why);
        return;
    }
    getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &length);
    if (error) {
        try_next(c, strerror(error));
        return;
    }
    if (getpeername(c->fd, (struct sockaddr *)&peer, &peer_length)) {
        if (tf_time() > c->deadline)
            try_next(c, c->deadline ? "no answer" : c->why);
        return;
    }
    tf_tcp_watch_socket(c->fd);
    if (!make_greeting(&c->mine) || !say(c->fd, &c->mine, sizeof c->mine)) {
        turned_away(c);
        return;
    }
    tf_tcp_mind(c->fd, false);
    c->state = CALLED;
}

static bool greet_back(struct connecting *c)
{
    int heard = hear(c->fd, &c->theirs, sizeof c->theirs, &c->filled);
    if (heard == 0)
        return false;
    uint64_t proof = prove(c->token, &c->mine, &c->theirs, CONNECTS);
    if (heard < 0)
        turned_away(c);
    else if (c->theirs.magic != MAGIC)
        try_next(c, "another program answers there");
    else if (c->theirs.version != PROTOCOL)
        try_next(c, "it is of another version of Treefold");
    else if (!say(c->fd, &proof, sizeof proof))
        turned_away(c);
    else
        c->state = GREETED;
    return true;
}

static bool learn(struct connecting *c)
{
    int heard = hear(c->fd, &c->proof, sizeof c->proof, &c->filled);
    if (heard == 0)
        return false;
    if (heard < 0)
        turned_away(c);
    else if (c->proof != prove(c->token, &c->mine, &c->theirs, ACCEPTS))
        try_next(c, "another process has a port there");
    else
        c->state = CONNECTED;
    return true;
}

static bool is_connected(void *state, bool *moved)
{
    struct connecting *c = state;
    if (c->comm->match->broken || tf_time() > c->end)
        return true;
    if (c->pause_until > 0 && tf_time() < c->pause_until)
        return false;
    if (c->pause_until > 0) {
        c->pause_until = 0;
        call(c);
    }
    if (c->state == CALLING)
        begin(c);
    else if (c->state == CALLED)
        *moved |= greet_back(c);
    else if (c->state == GREETED)
        *moved |= learn(c);
    if ((c->state == CALLED || c->state == GREETED) && tf_tcp_is_silent(&c->silence, c->fd, tf_time()))
        try_next(c, "no answer");
    return c->state == CONNECTED || c->state == FAILED;
}

/* More is for ever. */
static const double MOST_SECONDS = 1e9;

int tf_port_connect(const struct tf_comm *comm, const char *name, const struct tf_await_line *awaited, double seconds,
                    int *fd)
{
    struct tf_card card;
    struct connecting c = {
        .comm = comm, .fd = -1, .end = seconds < MOST_SECONDS ? tf_time() + (int64_t)(seconds * TF_SECOND) : TF_NEVER};
    if (!read_name(name, c.token, &c.address))
        return malformed(name);
    int err = tf_others_card(&card);
    if (err)
        return err;
    call(&c);
    tf_await(TF_AWAITS_LINE, awaited, is_connected, &c);
    if (c.state == FAILED)
        return tf_error(MPI_ERR_PORT, "nobody can be reached at the port on host %s (port %d): %s", c.address.host,
                        c.address.port, c.why);
    if (c.state != CONNECTED) {
        hang_up(&c);
        return comm->match->broken
                   ? tf_lost_broken(comm)
                   : tf_error(MPI_ERR_PORT, "nobody has accepted at the port on host %s within %g seconds",
                              c.address.host, seconds);
    }
    tf_tcp_unmind(c.fd);
    *fd = c.fd;
    return MPI_SUCCESS;
}
