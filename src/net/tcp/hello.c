/* hello.c - from a connection to one that is up.
 *
 *     the side that connects                            the side that accepts
 *     HELLO  from, to, nonce, version  ------------->   says nothing before
 *            <-------------------------------------     HELLO  from, to, nonce, version
 *     PROOF  hash of all of that and "connects"  --->   right: this is that rank of the job
 *            <-------------------------------------     PROOF  hash of all of that and the answer: yes, or "I connect"
 *
 * Between jobs, where both are on one node, behind the first PROOF comes an OFFER of memory, and the answer may be
 * "yes, and we share that" (net/beside/).
 *
 * A nonce is 16 random bytes, so a proof is good for one connection.  No byte that is not one of these two messages is
 * looked at before the proof; a connection on which anything else comes, or nothing for too long, is closed and
 * counted.
 *
 * Where both sides connect at once the lower rank's connection is the one that stays: it answers the other's with "I
 * connect", and that side waits.
 */
#include "net/tcp/tcp.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include "base/settings.h"
#include "net/others.h"

enum {
    MAGIC = 0x54464c44,
    PROTOCOL = 2,
    MOST_STRANGERS = 64, /* connections that have not proved anything yet, beside one a rank */
    PATIENCE = 60,       /* seconds for each step of them: a process may compute in between */
    ANSWER = 10,         /* seconds after which another address of the same process is tried, if it has any */
    HARD = 4,            /* an attempt that failed for certain counts as so many where the other side hung up */
};
enum answer { YES = 1, I_CONNECT, WE_SHARE };

struct hello {
    uint32_t magic, version;
    struct tf_process from, to;
    unsigned char nonce[16];
};
struct proof {
    uint64_t hash;
    uint64_t answer; /* of the side that accepts */
};
struct proof_and_offer {
    struct proof proof;
    struct tf_beside_offer offer;
};

struct tf_tcp_call {
    enum tf_tcp_kind kind;
    struct tf_tcp_call *next, **link;
    struct tf_tcp_link *to; /* whom this side connects to; NULL: it accepts */
    int fd, attempt;        /* which of the addresses is tried */
    int failures;
    bool connected, greeted, over;
    int64_t deadline;
    struct tf_tcp_silence silence;
    struct hello mine, theirs;
    struct proof_and_offer last;
    struct tf_beside_pair *pair; /* that this side has offered */
    size_t filled;               /* bytes of the message that is awaited */
    struct tf_address fact;
};

static struct tf_tcp_call *calls, *over;
static int ncalls;
static unsigned strangers;

unsigned tf_tcp_strangers(void)
{
    return strangers;
}

static struct tf_tcp_call *new_call(struct tf_tcp_link *to)
{
    struct tf_tcp_call *call = calloc(1, sizeof *call);
    if (!call)
        tf_fatal(1, "treefold[%d]: no memory for a connection", tf_job.rank);
    call->kind = TF_TCP_CALL;
    call->to = to;
    call->fd = -1;
    call->next = calls;
    call->link = &calls;
    if (calls)
        calls->link = &call->next;
    calls = call;
    ncalls++;
    return call;
}

static void close_socket(struct tf_tcp_call *call)
{
    if (call->fd >= 0)
        tf_tcp_close(call->fd);
    call->fd = -1;
}

static void end_call(struct tf_tcp_call *call)
{
    close_socket(call);
    tf_beside_drop(call->pair);
    call->pair = NULL;
    *call->link = call->next;
    if (call->next)
        call->next->link = call->link;
    ncalls--;
    call->over = true; /* events may still name it */
    call->next = over;
    over = call;
}

void tf_tcp_calls_sweep(void)
{
    while (over) {
        struct tf_tcp_call *next = over->next;
        free(over);
        over = next;
    }
}

static void refuse(struct tf_tcp_call *call, const char *why)
{
    struct sockaddr_storage address = {0};
    socklen_t length = sizeof address;
    char text[INET6_ADDRSTRLEN] = "?";
    if (!getpeername(call->fd, (struct sockaddr *)&address, &length))
        tf_address_show(&address, text, sizeof text);
    strangers++;
    tf_log(1, "refuses a connection from %s, which %s (%u refused so far)", text, why, strangers);
    end_call(call);
}

/* The oldest of those that have connected and not proved themselves, if any. */
static bool refuse_oldest(const char *why)
{
    struct tf_tcp_call *oldest = NULL;
    for (struct tf_tcp_call *call = calls; call; call = call->next)
        if (!call->to)
            oldest = call;
    if (oldest)
        refuse(oldest, why);
    return oldest != NULL;
}

/* No more files can be opened: whether to try again, now that a stranger's was closed. */
static bool make_room(void)
{
    struct rlimit limit = {0, 0};
    if (tf_job.left)
        return false;
    if (refuse_oldest("takes the last open file"))
        return true;
    getrlimit(RLIMIT_NOFILE, &limit);
    tf_fatal(1,
             "treefold[%d]: all of the %llu files that this process may have open are, and each rank of another node "
             "that it talks to by TCP takes one; raise `ulimit -n`",
             tf_job.rank, (unsigned long long)limit.rlim_cur);
}

/* ---- words ---- */

/* Of this job it is the key of the side that accepts: who connects has looked it up with the address. */
static uint64_t hash(const struct tf_tcp_call *call, const struct tf_peer *peer, const void *all, size_t n)
{
    const struct tf_card *card = tf_others_card_of(peer);
    unsigned char key[TF_KEY_BYTES];
    if (call->to || !card)
        return tf_key_hash(call->to ? call->fact.key : tf_key_own(), all, n);
    tf_others_key(card, key);
    return tf_key_hash(key, all, n);
}

/* What either side proves to that peer: both hellos, and its part. */
static uint64_t prove(const struct tf_tcp_call *call, const struct tf_peer *peer, uint64_t part)
{
    const struct hello *connects = call->to ? &call->mine : &call->theirs;
    const struct hello *accepts = call->to ? &call->theirs : &call->mine;
    struct {
        struct hello connects, accepts;
        uint64_t part;
    } all = {*connects, *accepts, part};
    return hash(call, peer, &all, sizeof all);
}

static bool say(struct tf_tcp_call *call, const void *message, size_t n)
{
    return send(call->fd, message, n, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)n;
}

static struct tf_process self(void)
{
    return (struct tf_process){.job = tf_job.id, .rank = tf_job.rank};
}

static struct tf_process process_of(const struct tf_peer *peer)
{
    const struct tf_card *card = tf_others_card_of(peer);
    return card ? card->process : (struct tf_process){.job = tf_job.id, .rank = peer->rank};
}

static bool greet(struct tf_tcp_call *call, struct tf_process to)
{
    call->mine = (struct hello){.magic = MAGIC, .version = PROTOCOL, .from = self(), .to = to};
    return tf_key_random(call->mine.nonce, sizeof call->mine.nonce) && say(call, &call->mine, sizeof call->mine);
}

/* 1: the message of n bytes is there; 0: not yet; -1: it will not come (errno, 0: the other side hung up). */
static int hear(struct tf_tcp_call *call, void *message, size_t n)
{
    ssize_t got = recv(call->fd, (char *)message + call->filled, n - call->filled, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (got <= 0) {
        errno = got ? errno : 0;
        return -1;
    }
    call->filled += (size_t)got;
    if (call->filled < n)
        return 0;
    call->filled = 0;
    call->deadline = tf_time() + PATIENCE * TF_SECOND;
    return 1;
}

/* ---- connecting ---- */

static int64_t time_for_one(const struct tf_tcp_call *call)
{
    int64_t all = (tf_settings.peer_timeout > 0 ? tf_settings.peer_timeout : 120) * TF_SECOND;
    return all / call->fact.n;
}

static bool call_up(struct tf_tcp_call *call, const char **why)
{
    const struct sockaddr_storage *address = &call->fact.at[call->attempt];
    call->connected = call->greeted = false;
    call->filled = 0;
    call->silence = (struct tf_tcp_silence){0};
    call->deadline = tf_time() + time_for_one(call);
    do
        call->fd = socket(address->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    while (call->fd < 0 && errno == EMFILE && make_room());
    if (call->fd >= 0 &&
        (!connect(call->fd, (const struct sockaddr *)address, tf_address_length(address)) || errno == EINPROGRESS) &&
        tf_tcp_wait_for(call->fd, EPOLLIN | EPOLLOUT, call, false))
        return true;
    *why = strerror(errno);
    return false;
}

static TF_COLD void give_up(const struct tf_tcp_call *call, const char *why)
{
    char words[300] = "";
    for (int i = 0; i < call->fact.n; i++) {
        size_t length = strlen(words);
        char text[INET6_ADDRSTRLEN];
        tf_address_show(&call->fact.at[i], text, sizeof text);
        snprintf(words + length, sizeof words - length, "%s%s", i ? ", " : "", text);
    }
    tf_net_peer_failed(
        call->to->base.peer,
        "cannot connect to %s on host %s by TCP (%s, port %d): %s; is there a network between the two hosts, and "
        "does a firewall let it pass? TREEFOLD_TCP_INTERFACE names the interface to use, TREEFOLD_PEER_TIMEOUT the "
        "seconds to wait",
        tf_net_name(call->to->base.peer), call->fact.host, words, call->fact.port, why);
}

static void try_next(struct tf_tcp_call *call, int weight, const char *why)
{
    do {
        tf_log(2, "address %d of %s: %s", call->attempt, tf_net_name(call->to->base.peer), why);
        close_socket(call);
        call->failures = weight ? call->failures + weight : 0;
        if (call->failures >= HARD * call->fact.n) {
            call->to->state = TF_TCP_ENDED;
            give_up(call, why);
            end_call(call);
            return;
        }
        call->attempt = (call->attempt + 1) % call->fact.n;
        weight = HARD;
    } while (!call_up(call, &why));
}

/* What errno says when nothing more came, or went. */
static void try_again(struct tf_tcp_call *call)
{
    if (errno && errno != ECONNRESET && errno != EPIPE)
        try_next(call, HARD, strerror(errno));
    else
        try_next(call, 1, "it hung up, as a process does that has all the files open that it may (ulimit -n)");
}

void tf_tcp_connect(struct tf_tcp_link *link)
{
    struct tf_tcp_call *call = new_call(link);
    link->state = TF_TCP_TRYING;
    int err = tf_address_of(link->base.peer, &call->fact);
    if (err) {
        link->state = TF_TCP_ENDED;
        tf_net_peer_failed(link->base.peer, "%s", tf_error_text(err));
        end_call(call);
        return;
    }
    memcpy(link->host, call->fact.host, sizeof link->host);
    tf_log(2, "connects to %s on host %s", tf_net_name(link->base.peer), link->host);
    const char *why;
    if (!call_up(call, &why))
        try_next(call, HARD, why);
}

static void become_up(struct tf_tcp_call *call, struct tf_tcp_link *link, struct tf_beside_pair *pair)
{
    int fd = call->fd;
    call->fd = -1;
    end_call(call);
    tf_tcp_link_up(link, fd, pair);
}

static void begin_connecting(struct tf_tcp_call *call)
{
    int error = 0;
    socklen_t length = sizeof error;
    getsockopt(call->fd, SOL_SOCKET, SO_ERROR, &error, &length);
    if (error || !greet(call, process_of(call->to->base.peer))) {
        try_next(call, HARD, strerror(error ? error : errno));
        return;
    }
    tf_tcp_watch_socket(call->fd);
    call->connected = true;
    call->deadline = call->fact.n > 1 ? tf_time() + ANSWER * TF_SECOND : TF_NEVER;
    tf_tcp_wait_for(call->fd, EPOLLIN, call, true);
}

/* What the first PROOF is followed by, if at all. */
static size_t length_of_proof(const struct tf_peer *peer)
{
    return tf_others_beside(peer) ? sizeof(struct proof_and_offer) : sizeof(struct proof);
}

static bool say_proof(struct tf_tcp_call *call)
{
    const struct tf_peer *peer = call->to->base.peer;
    struct proof_and_offer mine = {.proof.hash = prove(call, peer, 0)};
    int pid = tf_others_beside(peer);
    tf_beside_drop(call->pair);
    call->pair = pid ? tf_beside_make(peer, pid, &mine.offer) : NULL;
    return say(call, &mine, length_of_proof(peer));
}

static void prove_oneself(struct tf_tcp_call *call)
{
    int heard = hear(call, &call->theirs, sizeof call->theirs);
    if (heard == 0)
        return;
    struct tf_process answers = process_of(call->to->base.peer);
    if (heard < 0)
        try_again(call);
    else if (call->theirs.magic != MAGIC || tf_process_compare(&call->theirs.from, &answers))
        try_next(call, HARD, "another program answers");
    else if (!say_proof(call))
        try_again(call);
    else
        call->greeted = true;
    call->deadline = call->greeted ? TF_NEVER : call->deadline;
}

static void learn_answer(struct tf_tcp_call *call)
{
    struct tf_tcp_link *to = call->to;
    const struct proof *proof = &call->last.proof;
    int heard = hear(call, &call->last.proof, sizeof call->last.proof);
    if (heard == 0)
        return;
    call->deadline = TF_NEVER;
    if (heard < 0)
        try_again(call);
    else if (proof->hash != prove(call, to->base.peer, proof->answer))
        try_next(call, HARD, "the process that answers is not of this job");
    else if (call->theirs.version != PROTOCOL) {
        to->state = TF_TCP_ENDED;
        tf_net_peer_failed(to->base.peer, "%s on host %s runs another version of Treefold", tf_net_name(to->base.peer),
                           to->host);
        end_call(call);
    } else if (proof->answer == WE_SHARE && call->pair) {
        struct tf_beside_pair *pair = call->pair;
        call->pair = NULL;
        become_up(call, to, pair);
    } else if (proof->answer == YES)
        become_up(call, to, NULL);
    else {
        to->state = TF_TCP_TRIED;
        to->ended = tf_time();
        end_call(call);
    }
}

static void step_connecting(struct tf_tcp_call *call)
{
    if (!call->connected)
        begin_connecting(call);
    else if (!call->greeted)
        prove_oneself(call);
    else
        learn_answer(call);
}

/* ---- accepting ---- */

/* -1: nobody waits. */
static int next_caller(void)
{
    struct pollfd waiting = {.fd = tf_tcp_listener, .events = POLLIN};
    int fd;
    do
        fd = accept4(tf_tcp_listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    /* Where no file can be opened the kernel says so before it looks whether somebody is there. */
    while (fd < 0 && errno == EMFILE && poll(&waiting, 1, 0) == 1 && make_room());
    return fd;
}

void tf_tcp_accept(void)
{
    int fd;
    while ((fd = next_caller()) >= 0) {
        if (ncalls >= MOST_STRANGERS + tf_job.size + tf_others_count())
            refuse_oldest("makes one too many");
        struct tf_tcp_call *call = new_call(NULL);
        call->fd = fd;
        call->deadline = tf_time() + PATIENCE * TF_SECOND;
        if (!tf_tcp_wait_for(fd, EPOLLIN, call, false))
            end_call(call);
    }
}

/* The call of this side to that link's peer. */
static struct tf_tcp_call *own_call(const struct tf_tcp_link *link)
{
    struct tf_tcp_call *call = calls;
    while (call && call->to != link)
        call = call->next;
    return call;
}

static void decide(struct tf_tcp_call *call)
{
    struct tf_peer *peer = tf_net_peer(tf_process_number(&call->theirs.from));
    if (peer->failed) {
        refuse(call, "was given up");
        return;
    }
    if (peer->net == &tf_net_beside) {
        refuse(call, "is connected already");
        return;
    }
    struct tf_tcp_link *link = tf_tcp_link_of(peer);
    bool mine_stays = link->state == TF_TCP_TRYING && tf_process_compare(&call->theirs.to, &call->theirs.from) < 0;
    if (link->state != TF_TCP_IDLE && link->state != TF_TCP_TRYING && link->state != TF_TCP_TRIED) {
        refuse(call, "is connected already");
        return;
    }
    int pid = mine_stays ? 0 : tf_others_beside(peer);
    struct tf_beside_pair *pair = pid ? tf_beside_open(peer, pid, &call->last.offer) : NULL;
    struct proof proof = {.answer = mine_stays ? I_CONNECT : pair ? WE_SHARE : YES};
    proof.hash = prove(call, peer, proof.answer);
    if (!say(call, &proof, sizeof proof) || mine_stays) {
        tf_beside_drop(pair);
        end_call(call);
        return;
    }
    if (link->state == TF_TCP_TRYING)
        end_call(own_call(link));
    become_up(call, link, pair);
}

/* From a process that connects by TCP and is known.  Where TCP is not for this job, it has no key for it either. */
static bool is_for_me(const struct hello *h)
{
    struct tf_process me = self();
    int number = tf_process_number(&h->from);
    if (tf_process_compare(&h->to, &me) || number == MPI_UNDEFINED || number == tf_job.rank)
        return false;
    const struct tf_other *other = tf_others_of(number);
    return other ? other->card != NULL : tf_tcp_between;
}

static const struct tf_peer *caller_of(const struct tf_tcp_call *call)
{
    return tf_net_peer(tf_process_number(&call->theirs.from));
}

static void step_accepting(struct tf_tcp_call *call)
{
    if (!call->greeted) {
        int heard = hear(call, &call->theirs, sizeof call->theirs);
        const struct hello *h = &call->theirs;
        if (heard == 0)
            return;
        if (heard < 0 || h->magic != MAGIC)
            refuse(call, "does not speak as Treefold does");
        else if (!is_for_me(h))
            refuse(call, "looks for another process");
        else if (!greet(call, h->from))
            refuse(call, "went away");
        else
            call->greeted = true;
        return;
    }
    if (!is_for_me(&call->theirs)) { /* not any more */
        refuse(call, "looks for another process");
        return;
    }
    int heard = hear(call, &call->last, length_of_proof(caller_of(call)));
    if (heard == 0)
        return;
    if (heard < 0) /* a process of the job does so whose own connection is the one that stays */
        end_call(call);
    else if (call->last.proof.hash != prove(call, caller_of(call), 0))
        refuse(call, "does not have the key of this process");
    else
        decide(call);
}

/* ---- both ---- */

void tf_tcp_call_step(struct tf_tcp_call *call)
{
    if (call->over)
        return;
    if (call->to)
        step_connecting(call);
    else
        step_accepting(call);
}

void tf_tcp_calls_expire(int64_t now)
{
    struct tf_tcp_call *next;
    for (struct tf_tcp_call *call = calls; call; call = next) {
        next = call->next;
        bool silent = !call->over && call->to && call->connected && tf_tcp_is_silent(&call->silence, call->fd, now);
        if (call->over || (now < call->deadline && !silent))
            continue;
        if (call->to)
            try_next(call, call->connected && !silent ? 0 : HARD, "no answer");
        else
            refuse(call, "says nothing");
    }
}

void tf_tcp_calls_forget(const struct tf_tcp_link *link)
{
    struct tf_tcp_call *call = own_call(link);
    if (call)
        end_call(call);
    tf_tcp_calls_sweep();
}

void tf_tcp_calls_close(void)
{
    while (calls)
        end_call(calls);
    tf_tcp_calls_sweep();
}
