/* why.c - see why.h.
 *
 * A wait that lasts is noted by its thread when it has yielded for a millisecond, or is about to sleep, and looks at
 * the board after each pause.  What it waits for is looked at there and then: between two passes of progress, with the
 * lock held, so that every list is whole.
 */
#define _GNU_SOURCE /* memfd_create */
#include "env/why.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/limit.h"
#include "base/own.h"
#include "base/settings.h"
#include "env/waits.h"
#include "launch/board.h"
#include "launch/launch.h"
#include "msg/transfer.h"
#include "net/net.h"

static struct tf_board *board; /* NULL: there was no memory for one */
static struct tf_board_place nowhere, *place = &nowhere;
static _Atomic uint32_t signals;

/* ---- waits that last ---- */

struct wait {
    const struct tf_pause *pause;
    struct tf_awaiting on;
    const char *kind; /* what it waits for may be gone at the end */
    int64_t since;
    uint32_t answered, signals; /* what has been asked before */
    bool told;
};

/* Of one thread, the innermost last: what a callback waits for is waited for first. */
enum { DEPTH = 4 };
struct waits {
    int depth;
    struct wait of[DEPTH];
};
_Static_assert(sizeof(struct waits) <= TF_OWN_BYTES, "it fits into a piece");

#define GET(what) atomic_load_explicit(&place->what, memory_order_relaxed)
#define SET(what, value) atomic_store_explicit(&place->what, value, memory_order_relaxed)

static void begins(const struct tf_pause *pause, int64_t since)
{
    struct waits *own = tf_own(TF_OWN_WAITS);
    if (own->depth == 0)
        SET(waiting, GET(waiting) + 1);
    if (own->depth < DEPTH)
        own->of[own->depth] = (struct wait){.pause = pause,
                                            .on = tf_awaiting,
                                            .kind = tf_waits_kind(&tf_awaiting),
                                            .since = since,
                                            .signals = atomic_load_explicit(&signals, memory_order_relaxed)};
    own->depth++;
}

static void note_last(const char *kind)
{
    static const char *noted;
    if (kind != noted)
        strncpy(place->last, kind, sizeof place->last - 1);
    noted = kind;
    SET(left, tf_pause_now);
}

static void ends(const struct tf_pause *pause)
{
    struct waits *own = tf_own(TF_OWN_WAITS);
    if (own->depth == 0)
        return; /* it began before anybody wanted to know */
    own->depth--;
    if (own->depth < DEPTH && own->of[own->depth].pause == pause)
        note_last(own->of[own->depth].kind);
    if (own->depth == 0)
        SET(waiting, GET(waiting) - 1);
}

/* ---- the answer on the board ---- */

/* Threads of the program that do not wait here, and may call MPI while others do; 0 if they may not. */
static int other_threads(void)
{
    int n = -GET(waiting) - tf_settings.progress_thread;
    DIR *tasks = tf_library.locking ? opendir("/proc/self/task") : NULL;
    const struct dirent *entry;
    while (tasks && (entry = readdir(tasks)))
        n += entry->d_name[0] != '.';
    if (tasks)
        closedir(tasks);
    return n > 0 ? n : 0;
}

static void begin_text(struct tf_waits_text *text, uint32_t question)
{
    int others = other_threads();
    place->text[0] = '\0';
    SET(answers, question);
    SET(answered, 0);
    if (others)
        tf_waits_add(text, "+\t%d\n", others);
    if (tf_pull_any())
        tf_waits_add(text, "~\n");
    tf_waits_runs(text);
}

static void add_wait(struct tf_waits_text *text, const struct wait *wait)
{
    struct tf_waits_text before = *text;
    tf_waits_add(text, "%lld.%06lld\t", (long long)(wait->since / TF_SECOND),
                 (long long)(wait->since % TF_SECOND / TF_MICROSECOND));
    tf_waits_name(text, &wait->on);
    tf_waits_add(text, "\t");
    tf_waits_peers(text, &wait->on);
    tf_waits_add(text, "\t");
    tf_waits_call(text, &wait->on);
    tf_waits_add(text, "\t");
    tf_waits_what(text, &wait->on);
    tf_waits_add(text, "\n");
    if (!text->full)
        return;
    *text = before;
    *text->at = '\0';
}

/* The program looks by itself whether something has come. */
static TF_COLD void passes(int64_t now)
{
    uint32_t question = GET(question);
    SET(looked, now);
    if (question == GET(answers) || GET(waiting) > 0 || now >= atomic_load(&place->until))
        return;
    atomic_fetch_add(&place->version, 1);
    struct tf_waits_text text = {place->text, sizeof place->text, false};
    begin_text(&text, question);
    tf_waits_add(&text, "?\t");
    tf_waits_pending(&text);
    tf_waits_add(&text, "\n");
    atomic_fetch_add(&place->version, 1);
}

static TF_COLD void answer(struct wait *wait, uint32_t question, int64_t now)
{
    wait->answered = question;
    if (now >= atomic_load(&place->until))
        return;
    atomic_fetch_add(&place->version, 1);
    struct tf_waits_text text = {place->text, sizeof place->text, false};
    if (GET(answers) == question) {
        text.at += strlen(text.at);
        text.left -= (size_t)(text.at - place->text);
    } else {
        begin_text(&text, question);
    }
    add_wait(&text, wait);
    SET(answered, GET(answered) + 1);
    atomic_fetch_add(&place->version, 1);
}

/* ---- on standard error ---- */

static TF_COLD void tell(const struct wait *wait, int64_t now)
{
    char line[1000];
    struct tf_waits_text text = {line, sizeof line - 1, false};
    int64_t tenths = (now - wait->since) / (TF_SECOND / 10);
    tf_waits_add(&text, "treefold[%d]: has waited for %lld.%d s in ", tf_job.rank, (long long)tenths / 10,
                 (int)(tenths % 10));
    tf_waits_call(&text, &wait->on);
    tf_waits_add(&text, ", for ");
    tf_waits_what(&text, &wait->on);
    text.left++;
    tf_waits_add(&text, "\n");
    fputs(line, stderr);
}

/* mpiexec tells of all, unless it has done so since this wait began. */
static TF_COLD void explain(struct wait *wait, int64_t now)
{
    wait->told = true;
    if (!board || !board->launcher)
        tell(wait, now);
    else if (atomic_load(&board->explained) < wait->since)
        kill(board->launcher, TF_BOARD_SIGNAL);
}

static void lasts(const struct tf_pause *pause, int64_t now)
{
    struct waits *own = tf_own(TF_OWN_WAITS);
    struct wait *wait = &own->of[own->depth - 1];
    if (own->depth == 0 || own->depth > DEPTH || wait->pause != pause)
        return;
    uint32_t question = GET(question), asked = atomic_load_explicit(&signals, memory_order_relaxed);
    if (TF_UNLIKELY(question != wait->answered))
        answer(wait, question, now);
    if (TF_UNLIKELY(asked != wait->signals)) {
        wait->signals = asked;
        tell(wait, now);
    }
    if (tf_settings.explain_after && !wait->told && now - wait->since > tf_settings.explain_after * TF_SECOND)
        explain(wait, now);
}

/* A thread that waits tells; if none does this says so. */
static void asked(int signal)
{
    char line[200];
    (void)signal;
    atomic_fetch_add_explicit(&signals, 1, memory_order_relaxed);
    if (GET(waiting) > 0 || getpid() != GET(process))
        return;
    struct tf_waits_text text = {line, sizeof line, false};
    tf_waits_add(&text, "treefold[%d]: does not wait in MPI", tf_job.rank);
    if (GET(left) > 0)
        tf_waits_add(&text, "; it last did, for more than a moment, %d s ago in %.39s",
                     (int)((tf_time() - GET(left)) / TF_SECOND), place->last);
    tf_waits_add(&text, "\n");
    if (write(STDERR_FILENO, line, strlen(line)) < 0)
        return;
}

/* ---- the board ---- */

static struct tf_board *map(int fd, int places)
{
    void *memory = mmap(NULL, TF_BOARD_PAGE * (1 + (size_t)places), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* mpiexec's, if it is that of this job: a launcher that runs under it hands its environment on. */
static struct tf_board *map_launchers(void)
{
    const char *name = getenv(TF_BOARD_VARIABLE);
    int fd = name ? open(name, O_RDWR | O_CLOEXEC) : -1;
    struct tf_board *found = fd >= 0 ? map(fd, tf_job.size) : NULL;
    if (fd >= 0)
        close(fd);
    if (found && (found->format != TF_BOARD_FORMAT || found->places < tf_job.size || strcmp(found->job, tf_job.name))) {
        munmap(found, TF_BOARD_PAGE * (1 + (size_t)tf_job.size));
        found = NULL;
    }
    unsetenv(TF_BOARD_VARIABLE); /* a program that this one starts is not a rank of this job */
    return found;
}

/* The file stays open, so that it can be found. */
static struct tf_board *make_own(void)
{
    int fd = memfd_create(TF_BOARD_FILE, MFD_CLOEXEC);
    struct tf_board *made = NULL;
    if (fd >= 0 && tf_limit_grow(fd, 2 * TF_BOARD_PAGE) == 0)
        made = map(fd, 1);
    if (!made && fd >= 0)
        close(fd);
    if (made) {
        made->format = TF_BOARD_FORMAT;
        made->places = 1;
        snprintf(made->job, sizeof made->job, "%s", tf_job.name);
    }
    return made;
}

/* By mpiexec the signal is not passed on to who does not want it; other launchers do, and then it must not end us. */
static void take_signal(void)
{
    struct sigaction action;
    if (sigaction(SIGUSR1, NULL, &action) || action.sa_handler != SIG_DFL || (action.sa_flags & SA_SIGINFO))
        return;
    action.sa_handler = asked;
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &action, NULL);
}

void tf_why_setup(void)
{
    static const struct tf_pause_watcher watcher = {begins, lasts, ends, passes};
    board = map_launchers();
    bool shared = board != NULL;
    if (!board)
        board = make_own();
    if (board)
        place = tf_board_at(board, shared ? tf_job.rank : 0);
    SET(process, getpid());
    SET(rank, tf_job.rank);
    SET(size, tf_job.size);
    tf_pause_watcher = &watcher;
    if (!shared)
        take_signal();
}

void tf_why_enter(void)
{
    SET(process, getpid());
    SET(state, TF_BOARD_INSIDE);
}

void tf_why_leave(void)
{
    SET(state, TF_BOARD_LEFT);
}
