/* pause.c - spin, then yield the processor for a while, then sleep until somebody wakes us.
 *
 * How long each lasts depends on whether there are more ranks than processors: spinning is then a way to keep the one
 * we wait for from running, while sched_yield() costs little and hands the processor on at once.  Sleeping at once
 * would cost a futex call on each side of every message (24 to 46 microseconds an allreduce where yielding takes 4);
 * but where others compute, and a yield hands them the processor for milliseconds, it is what costs least
 * (base/yield.h). That changes when somebody sleeps, and not how:
 *
 * A sender looks at our `asleep` word after it has written its cell, without a fence between the two.  The sleeper pays
 * for that: it raises the word, has the kernel run a fence on every processor of the job (membarrier), looks at
 * everything once more, and only then sleeps.  That takes some microseconds of each processor, so who has slept once
 * leaves TF_ASLEEP_FENCED in his word: whoever sees it makes the fence himself and looks at the word again, until that
 * has been in vain a thousand times.  Where membarrier is not allowed the first sleep is of a millisecond, since a
 * sender may have missed the word.
 *
 * Who has connections to watch too cannot sleep on a futex.  It sleeps as its transport does (tf_pause_watch), and its
 * word says which of its files, a pipe, wakes it.  Of several threads one does: what comes may wake any of those that
 * watch, and it may not be for that one.  The others sleep on a futex of this process, until somebody has found
 * something, or no longer watches.
 */
#include "net/net.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/settings.h"
#include "base/stacked.h"
#include "base/yield.h"
#include "net/awake.h"

uint32_t tf_pause_spin, tf_pause_spin_own;
bool tf_pause_crowded;
int64_t tf_pause_now;
const struct tf_pause_watcher *tf_pause_watcher;
void (*tf_pause_look)(void);
bool (*tf_pause_meets)(int64_t now);
static _Atomic uint32_t own_word;
_Atomic uint32_t *tf_pause_asleep = &own_word;
void (*tf_pause_announce)(uint32_t how);
static bool fences;       /* membarrier works */
static bool among_others; /* tf_pause_crowd() */
static bool measures;
static bool shares; /* several threads call MPI */
static bool alone;  /* but all others of these that wait sleep */
int64_t tf_pause_total;
static bool (*watch)(int milliseconds);
static int bell; /* the writing end of the pipe */
enum { UNWATCHED, WATCHED, RUNG };
static _Atomic uint32_t watched;        /* by one of the threads */
static _Atomic uint32_t roused, beside; /* how often; who sleep on that word */

/* The thread that another one waits for may have no processor, as the one that looks has it, or be the partner of one
 * that does not run: enough looks to see whether the two that talk run at once, and no more. */
enum { LOOKS_ALONE = 4000, LOOKS_AMONG_SLEEPERS = 400, LOOKS_AMONG_THREADS = 400, LOOKS_CROWDED = 20 };
/* Of threads on two processors, each with a counterpart on the other one, the two that run may not be counterparts:
 * both look in vain and change places, and so on, a call or two at a time.  If one still looks when his comes, these
 * two go on together, without a change: most often they look for as long as a change takes. */
enum { LOOKS_TO_MEET = 1000 };
/* Each has a processor, but other programs compute on them: who yields waits for a slice of theirs, and whom he waits
 * for is there sooner as a rule. */
enum { LOOKS_DEAR = 400000 };

/* If nobody measures, one thread calls MPI, and nobody is stacked. */
static uint32_t usual_looks(void)
{
    if (tf_settings.spin)
        return (uint32_t)tf_settings.spin;
    if (tf_pause_crowded || among_others)
        return among_others || tf_awake_crowd() ? LOOKS_CROWDED : LOOKS_AMONG_SLEEPERS;
    return tf_yield_is_dear(tf_pause_now) ? LOOKS_DEAR : LOOKS_ALONE;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void set_spin(void)
{
    bool stacked = !tf_settings.spin && tf_stacked(), threads = shares && !alone;
    uint32_t most = measures ? TF_PAUSE_CALL : stacked ? LOOKS_CROWDED : threads ? LOOKS_AMONG_THREADS : UINT32_MAX;
    uint32_t n = usual_looks();
    tf_pause_spin = least(n, most);
    tf_pause_spin_own = threads && !measures ? least(n, LOOKS_TO_MEET) : tf_pause_spin;
}

bool tf_pause_is_short(void)
{
    return tf_pause_crowded && tf_pause_spin == LOOKS_CROWDED && !tf_settings.spin;
}

bool tf_pause_fence(void)
{
    if (!fences)
        fences = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
    return fences;
}

void tf_pause_crowd(bool crowded)
{
    among_others = crowded;
    set_spin();
}

void tf_pause_leave_alone(bool by_others)
{
    alone = by_others;
    set_spin();
}

void tf_pause_setup(void)
{
    set_spin();
    if (tf_job.size > 1)
        tf_pause_fence();
}

void tf_pause_measure(bool measure)
{
    measures = measure;
    set_spin();
}

/* From the last look at the clock in this pause, if this is not the first. */
static _Thread_local int64_t counted;
static TF_COLD void count(const struct tf_pause *pause, int64_t now)
{
    if (pause->background)
        return;
    if (pause->since != 0)
        tf_pause_total += now - counted;
    counted = now;
}

void tf_pause_watch(bool (*doze)(int milliseconds), int pipe_in)
{
    watch = doze;
    bell = pipe_in;
}

/* What the word says while this process sleeps.  One with several threads may be awake then. */
static uint32_t own_way(void)
{
    uint32_t how = watch ? TF_ASLEEP_ON_FILE + (uint32_t)bell : TF_ASLEEP;
    return tf_library.locking ? how : how | TF_ASLEEP_COUNTS;
}

static void count_sleeper(uint32_t before, uint32_t how)
{
    if ((before ^ how) & TF_ASLEEP_COUNTS)
        tf_awake_sleeps(how & TF_ASLEEP_COUNTS);
}

/* Up goes our own word, if it is not another thread's.  Whether all who look at it from now on have a fence before
 * that.  A thread that is to sleep on it may find it up again, for another one, when somebody has taken it down who has
 * what this one waits for: by the time he sees that, and does not sleep. */
static bool raise(struct tf_pause *pause)
{
    static _Atomic uint16_t times;
    uint16_t time = watch ? (uint16_t)atomic_load(&roused) : (uint16_t)(atomic_fetch_add(&times, 1) + 1);
    uint32_t before = atomic_load(tf_pause_asleep), fresh = own_way() | (watch ? 0 : time * TF_ASLEEP_TIME), now;
    do
        now = (tf_pause_sleeps(before) ? before : fresh) | TF_ASLEEP_FENCED;
    while (!atomic_compare_exchange_weak(tf_pause_asleep, &before, now));
    count_sleeper(before, now);
    pause->time = watch ? time : (uint16_t)(now / TF_ASLEEP_TIME);
    return before & TF_ASLEEP_FENCED && !tf_pause_announce;
}

/* How he sleeps who is awake from now on, 0: he was. */
static uint32_t take_down(_Atomic uint32_t *word)
{
    uint32_t before = atomic_fetch_and(word, TF_ASLEEP_FENCED);
    count_sleeper(before, 0);
    return before & ~(uint32_t)(TF_ASLEEP_COUNTS | TF_ASLEEP_FENCED);
}

/* For a sender, behind its cell. */
static bool sleeps(_Atomic uint32_t *word)
{
    enum { IN_VAIN = 1024 };
    static _Thread_local unsigned looks;
    uint32_t how = atomic_load_explicit(word, memory_order_relaxed);
    if (!(how & TF_ASLEEP_FENCED))
        return how;
    atomic_thread_fence(memory_order_seq_cst);
    if (tf_pause_sleeps(atomic_load_explicit(word, memory_order_relaxed)))
        return true;
    if (++looks % IN_VAIN == 0)
        atomic_fetch_and(word, ~(uint32_t)TF_ASLEEP_FENCED);
    return false;
}

static void sleep_beside(uint16_t seen, const struct timespec *limit)
{
    atomic_fetch_add(&beside, 1);
    uint32_t now = atomic_load(&roused);
    if ((uint16_t)now == seen)
        syscall(SYS_futex, &roused, FUTEX_WAIT_PRIVATE, now, limit, NULL, 0);
    atomic_fetch_sub(&beside, 1);
}

static void rouse_beside(void)
{
    atomic_fetch_add(&roused, 1);
    if (atomic_load(&beside) > 0)
        syscall(SYS_futex, &roused, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* One watches, unless threads have been roused since that time: what came then rings no more.  What a process of this
 * node has written, and rung for, may be seen by any of the others and by no pass. */
static void sleep_among_threads(uint16_t time, int milliseconds, const struct timespec *limit)
{
    uint32_t unwatched = UNWATCHED;
    if (!atomic_compare_exchange_strong(&watched, &unwatched, WATCHED)) {
        sleep_beside(time, limit);
        return;
    }
    bool rung = (uint16_t)atomic_load(&roused) == time && watch(milliseconds);
    if (atomic_exchange(&watched, UNWATCHED) == WATCHED && rung)
        rouse_beside();
}

/* Whom the word was up for may not be the one that watches. */
static bool rings_for_another(void)
{
    uint32_t unrung = WATCHED;
    return atomic_compare_exchange_strong(&watched, &unrung, RUNG);
}

static void sleep_on(_Atomic uint32_t *word, const struct tf_pause *pause)
{
    int milliseconds = pause->seen ? 100 : 1;
    struct timespec limit = {0, milliseconds * 1000000};
    if (!watch) {
        uint32_t raised = own_way() | TF_ASLEEP_FENCED | pause->time * TF_ASLEEP_TIME;
        syscall(SYS_futex, word, FUTEX_WAIT, raised, &limit, NULL, 0);
    } else if (!tf_library.locking) {
        watch(milliseconds);
    } else {
        sleep_among_threads(pause->time, milliseconds, &limit);
    }
}

void tf_pause_rouse(void)
{
    if (watch || tf_pause_sleeps(*tf_pause_asleep))
        tf_pause_wake(tf_pause_asleep);
}

int tf_pause_wake(_Atomic uint32_t *asleep)
{
    bool own = asleep == tf_pause_asleep && watch;
    uint32_t how = sleeps(asleep) ? take_down(asleep) : 0;
    if (own)
        rouse_beside();
    if (own && rings_for_another())
        how = own_way();
    if (!(how & TF_ASLEEP_ON_FILE)) {
        if (how)
            syscall(SYS_futex, asleep, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
        return -1;
    }
    int file = (int)(how & ~(uint32_t)TF_ASLEEP_COUNTS) - TF_ASLEEP_ON_FILE;
    if (own && write(file, "", 1) < 0)
        return -1; /* the pipe is full: it rings already */
    return file;
}

static void announce(uint32_t how)
{
    if (TF_UNLIKELY(tf_pause_announce != NULL))
        tf_pause_announce(how);
}

void tf_pause_again(struct tf_pause *pause)
{
    if (pause->announced) {
        tf_pause_wake(tf_pause_asleep); /* other threads may sleep on the word that is taken down */
        announce(0);
    }
    pause->announced = false;
    pause->polls = 0;
    pause->pauses = 0;
    pause->since = 0;
}

/* Who has only yielded, for a moment, is no business of a watcher: that comes to many thousands in a second. */
static bool is_to_be_watched(const struct tf_pause *pause, bool sleeps, int64_t now)
{
    bool lasts = sleeps || (pause->since != 0 && now - pause->since > TF_MILLISECOND);
    return lasts && !pause->watched && tf_pause_watcher && !pause->background;
}

static void part(void)
{
    if (tf_pause_meets && !shares && tf_pause_meets(tf_pause_now))
        tf_stacked_end(tf_pause_now);
}

/* Two that only test do not wait, so nothing else is seen of them; but of each other they see no more than a slice at a
 * time. */
void tf_pause_passes(void)
{
    static const int64_t SLICE = TF_MILLISECOND;
    static int64_t looked, had;
    if (tf_pause_now - looked < SLICE || !tf_pause_meets || shares)
        return;
    int64_t ran = tf_time_by(CLOCK_THREAD_CPUTIME_ID);
    bool without = tf_pause_now - looked > ran - had + SLICE;
    looked = tf_pause_now;
    had = ran;
    if (without)
        part();
}

static TF_COLD void end(struct tf_pause *pause)
{
    if (pause->watched)
        tf_pause_watcher->ends(pause);
    pause->watched = false;
    if (tf_stacked_waited(pause->pauses, pause->since, tf_pause_now))
        part();
    set_spin();
    pause->lasts = false;
    if (tf_library.locking && !pause->announced)
        tf_pause_rouse(); /* it may have been the one that watches */
    tf_pause_again(pause);
}

void tf_pause_reset(struct tf_pause *pause)
{
    if (pause->lasts)
        end(pause);
    pause->polls = 0;
    pause->since = 0;
}

/* In the background: long enough for an answer from a peer that runs, short enough not to be felt. */
enum { BACKGROUND_SLEEP_AFTER = 50 };

/* Where several share a processor, who waits leaves it to them: sooner, but not before they have had many turns. */
enum { SOONER = 80 };
static int64_t sleep_after(void)
{
    int64_t usual = tf_settings.sleep_after, sooner = usual * tf_awake_turns() / SOONER;
    return tf_pause_crowded && sooner < usual ? sooner : usual;
}

static bool may_yield(const struct tf_pause *pause, int64_t now)
{
    int64_t passed = (now - pause->since) / TF_MICROSECOND;
    return tf_yield_pays() && passed < sleep_after() && (!pause->background || passed < BACKGROUND_SLEEP_AFTER);
}

/* Whether nobody can miss that our word is up: another thread's fence may not be through yet. */
static bool go_to_sleep(struct tf_pause *pause)
{
    static _Atomic int at_it;
    atomic_fetch_add(&at_it, 1);
    bool fenced = raise(pause) && atomic_load(&at_it) == 1;
    announce(own_way() & ~(uint32_t)TF_ASLEEP_COUNTS);
    if (!fenced && fences)
        syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
    atomic_fetch_sub(&at_it, 1);
    return fences || (fenced && !tf_library.locking);
}

/* The time after it, or before it where that comes to the same. */
static int64_t yield_or_sleep(struct tf_pause *pause, int64_t now)
{
    pause->pauses += pause->pauses < UINT8_MAX;
    if (pause->since == 0)
        pause->since = now;
    if (tf_pause_crowded)
        tf_yield_waits(now);
    if (may_yield(pause, now)) {
        if (tf_pause_crowded)
            tf_yield_ask();
        now = tf_yield(now);
    } else if (!pause->announced) {
        pause->seen = go_to_sleep(pause);
        pause->announced = true;
    } else {
        sleep_on(tf_pause_asleep, pause);
        if (!tf_library.locking) { /* else another thread may still sleep */
            take_down(tf_pause_asleep);
            announce(0);
        }
        pause->announced = false;
        int64_t before = now;
        now = tf_time();
        tf_yield_slept(now - before);
    }
    return now;
}

/* With the lock held: a thread that nobody waits for spins like a process that has no other. */
static bool may_spin(const struct tf_pause *pause)
{
    if (TF_LIKELY(!tf_library.locking))
        return true;
    return !pause->background && !tf_lock_wanted();
}

/* It may sleep in this one, or it may not. */
static int64_t begin(struct tf_pause *pause, bool sleeps)
{
    bool fresh = pause->since != 0 && !measures; /* between two pauses there is one look */
    int64_t now = tf_pause_now = fresh ? tf_pause_now : tf_time();
    if (TF_UNLIKELY(measures))
        count(pause, now);
    if (TF_UNLIKELY(tf_lock_shared() != shares)) {
        shares = !shares;
        set_spin();
    }
    if (TF_UNLIKELY(is_to_be_watched(pause, sleeps, now))) {
        tf_pause_watcher->begins(pause, pause->since != 0 ? pause->since : now);
        pause->watched = true;
    }
    pause->lasts = true;
    return now;
}

static void go_on(struct tf_pause *pause, int64_t now)
{
    if (TF_UNLIKELY(tf_stacked_is_past(now)))
        set_spin();
    if (TF_UNLIKELY(pause->watched))
        tf_pause_watcher->lasts(pause, now);
    if (TF_UNLIKELY(tf_pause_look != NULL))
        tf_pause_look();
    if (TF_UNLIKELY(measures))
        count(pause, tf_time());
}

void tf_pause(struct tf_pause *pause)
{
    pause->polls += watch ? TF_PAUSE_CALL : 1;
    if (pause->polls <= tf_pause_spin && may_spin(pause))
        return;
    int64_t now = begin(pause, pause->announced);
    tf_lock_leave();
    int64_t after = yield_or_sleep(pause, now);
    tf_lock_enter();
    tf_pause_now = after;
    go_on(pause, after);
}

void tf_pause_after_others(void)
{
    if (!tf_pause_is_short() || !tf_yield_pays())
        return;
    int64_t now = tf_time();
    tf_pause_now = tf_yield_is_dear(now) ? now : tf_yield(now);
}

/* In microseconds.  A sleep and its end cost more than a few turns of yielding, so short waits are not worth them. */
enum { BEHIND_SLEEP_AFTER = 100 };
enum { WOKEN, BEHIND, BEHIND_ASLEEP };

static void yield_or_sleep_behind(_Atomic uint32_t *word, int64_t now, int64_t most)
{
    struct timespec limit = {0, most ? most : 100 * TF_MILLISECOND};
    uint32_t expected = BEHIND;
    int64_t then = now;
    while (!most && atomic_load(word) == BEHIND && tf_yield_pays() && then - now < BEHIND_SLEEP_AFTER * TF_MICROSECOND)
        then = tf_yield(then);
    if (atomic_compare_exchange_strong(word, &expected, BEHIND_ASLEEP)) {
        syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, BEHIND_ASLEEP, &limit, NULL, 0);
        tf_yield_slept(tf_time() - then);
    }
}

void tf_pause_behind(struct tf_pause *pause, _Atomic uint32_t *word, int64_t most)
{
    int64_t now = begin(pause, true);
    tf_lock_leave();
    yield_or_sleep_behind(word, now, most);
    tf_lock_enter();
    go_on(pause, now);
}

void tf_pause_wake_behind(_Atomic uint32_t *word)
{
    if (atomic_exchange(word, WOKEN) == BEHIND_ASLEEP)
        syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
