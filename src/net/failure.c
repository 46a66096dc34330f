/* failure.c - a process that cannot be reached any more: its transport or the launcher says so, and what is done about
 * it is decided here: the job ends, or goes on without it (failure.h).
 */
#include "net/failure.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/listen.h"
#include "base/own.h"
#include "base/settings.h"
#include "launch/deaths.h"
#include "launch/launch.h"
#include "net/counts.h"
#include "net/others.h"
#include "net/peers.h"
#include "net/remote/remote.h"

struct lost {
    int process;
    char how[400];
};

int tf_failure_count;
bool tf_failure_any;
static struct lost *lost; /* [n]: those up to tf_failure_count are settled */
static int n;
static uint32_t read_so_far; /* of what the launcher says */
enum { LISTENERS = 8 };
static void (*soon)(void), (*hear[LISTENERS])(struct tf_peer *peer);

int tf_failure_process(int i)
{
    return lost[i].process;
}

void tf_failure_call(void (*noticed)(void))
{
    soon = noticed;
}

void tf_failure_tell(void (*heard)(struct tf_peer *peer))
{
    int i = 0;
    while (hear[i] && hear[i] != heard)
        i++;
    hear[i] = heard;
}

static int number_of(const struct tf_peer *peer)
{
    const struct tf_card *card = tf_others_card_of(peer);
    return card ? tf_process_number(&card->process) : peer->rank;
}

static const struct lost *find(int process)
{
    for (int i = 0; i < n; i++)
        if (lost[i].process == process)
            return &lost[i];
    return NULL;
}

const char *tf_failure_words(const struct tf_peer *peer)
{
    char *words = tf_own(TF_OWN_FAILURE);
    const struct lost *found = find(number_of(peer));
    snprintf(words, TF_OWN_BYTES, "%s %s", tf_net_name(peer), found ? found->how : "has ended");
    return words;
}

static void note(struct tf_peer *peer, int process, const char *how)
{
    struct lost *more = realloc(lost, (size_t)(n + 1) * sizeof *more);
    if (!more)
        tf_fatal(1, "treefold[%d]: no memory to note that %s %s", tf_job.rank, tf_net_name(peer), how);
    lost = more;
    lost[n].process = process;
    snprintf(lost[n].how, sizeof lost[n].how, "%s", how);
    n++;
    peer->failed = true;
    tf_failure_any = true;
    if (soon)
        soon();
    tf_log(1, "%s %s", tf_net_name(peer), how);
    tf_listen_tell(TF_NEWS_FAILED, peer->rank);
}

/* Each of two that cannot reach each other would take the other one for dead.  Where the launcher tells of the dead, it
 * decides who is (cmd/mpiexec_apart.c), and that is heard of as of any other end. */
static bool is_decided_by_launcher(struct tf_peer *peer, const char *why)
{
    const struct tf_card *card = tf_others_card_of(peer);
    if (!peer->apart)
        peer->apart = tf_launch_apart(card ? card->job : tf_job.name, peer->rank, why);
    return peer->apart;
}

static void note_unreachable(struct tf_peer *peer, const char *why)
{
    char how[sizeof lost->how];
    snprintf(how, sizeof how, "cannot be reached any more: %.300s", why);
    note(peer, number_of(peer), how);
}

void tf_net_peer_failed(struct tf_peer *peer, const char *format, ...)
{
    char words[1000];
    va_list args;
    if (peer->failed || peer->apart || tf_job.left)
        return;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    if (tf_settings.keep_going) {
        tf_log(1, "%s", words);
        tf_failure_look(); /* it may have ended, and that is why */
        if (!peer->failed && !is_decided_by_launcher(peer, words))
            note_unreachable(peer, words);
        return;
    }
    peer->failed = true;
    tf_listen_tell(TF_NEWS_FAILED, peer->rank);
    tf_fatal(1, "treefold[%d]: %s", tf_job.rank, words);
}

/* ---- the launcher's word ---- */

static void take_note(const struct tf_death *death)
{
    struct tf_process process = {.job = tf_launch_hash(TF_LAUNCH_HASH, death->job), .rank = death->rank};
    int number = tf_process_number(&process);
    if (number == MPI_UNDEFINED || number == tf_job.rank)
        return;
    struct tf_peer *peer = tf_net_peer(number);
    int rank;
    if (peer->failed || tf_peers_find(peer, &rank) < 0)
        return;
    peer->rank = rank;
    note(peer, number, death->how);
}

/* A launcher that says nothing: those of this node that have gone. */
static void look_at_node(void)
{
    static int64_t looked;
    if (tf_pause_now - looked < TF_SECOND / 10)
        return;
    looked = tf_pause_now;
    for (struct tf_peer *peer = tf_net_near; peer; peer = peer->next_near)
        if (peer->pid > 0 && !peer->failed && kill(peer->pid, 0) != 0 && errno == ESRCH)
            note(peer, number_of(peer), "has ended");
}

void tf_failure_look(void)
{
    const struct tf_death *death;
    if (tf_job.left || !tf_net_is_open())
        return;
    while ((death = tf_launch_death(read_so_far))) {
        read_so_far++;
        take_note(death);
    }
    if (!tf_launch_tells_deaths())
        look_at_node();
}

/* ---- what becomes of one ---- */

static void unlink_near(const struct tf_peer *peer)
{
    struct tf_peer **at = &tf_net_near;
    while (*at && *at != peer)
        at = &(*at)->next_near;
    if (*at)
        *at = peer->next_near;
}

/* Nobody waits for it, and nothing comes from it any more. */
static void bury(struct tf_peer *peer)
{
    uint32_t capacity = peer->tx.capacity;
    tf_net_count_keep_of(peer);
    unlink_near(peer);
    if (peer->net->part)
        peer->net->part(peer);
    peer->link = peer->sharer = NULL;
    peer->tx = (struct tf_ring_tx){0};
    peer->rx = (struct tf_ring_rx){0};
    peer->bytes_sent = peer->bytes_read = peer->bytes_written = 0;
    peer->net = &tf_net_dead;
    if (tf_remote_rings_make(peer, capacity))
        tf_fatal(1, "treefold[%d]: %s, and there is no memory to go on without it", tf_job.rank,
                 tf_failure_words(peer));
    tf_ring_open(&peer->tx);
}

static void settle(int process)
{
    struct tf_peer *peer = tf_net_peer(process);
    if (!peer->net)
        tf_net_introduce(peer);
    if (peer->net != &tf_net_dead) { /* else it was first met when it had died already */
        while (tf_net_poll(peer, TF_RING_CELLS))
            ;
        bury(peer);
    }
    for (int i = 0; i < LISTENERS && hear[i]; i++)
        hear[i](peer);
}

void tf_failure_settle(void)
{
    tf_failure_any = false;
    while (tf_failure_count < n) {
        int process = lost[tf_failure_count++].process;
        if (process != MPI_UNDEFINED)
            settle(process);
    }
}

void tf_failure_open(void)
{
    if (tf_settings.keep_going)
        tf_pause_look = tf_failure_look;
}

void tf_failure_again(void)
{
    read_so_far = 0;
}

void tf_failure_forget(int first, int size)
{
    for (int i = 0; i < n; i++)
        if (lost[i].process >= first && lost[i].process < first + size)
            lost[i].process = MPI_UNDEFINED;
}

void tf_failure_close(void)
{
    tf_pause_look = NULL;
    free(lost);
    lost = NULL;
    n = tf_failure_count = 0;
    read_so_far = 0;
    tf_failure_any = false;
}
