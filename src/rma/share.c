/* share.c - waiting for a lock of accumulates, which others hold for some microseconds, or longer if the system has
 * taken the processor from them; and the first bulk, from which on there are such locks. */
#include "rma/share.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/yield.h"
#include "net/failure.h"

enum { SPINS = 200, LOOKS = 1000, PATIENCE = 2 /* seconds */ };

/* Who has died in between gives it back never.  The window then has no result that could be spoilt. */
static TF_COLD bool is_forsaken(int64_t *since)
{
    int64_t now = tf_time();
    *since = *since == 0 ? now : *since;
    tf_pause_look();
    return (tf_failure_any || tf_failure_count > 0) && now - *since > PATIENCE * TF_SECOND;
}

void tf_share_set_up(struct tf_share *first, int places)
{
    memset(first, 0, tf_share_bytes(places));
    for (int i = 0; i < places; i++) {
        first[i].place = (uint32_t)i;
        first[i].places = (uint32_t)places;
    }
}

/* ---- the first bulk ---- */

static bool barrier_everywhere(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) == 0;
}

/* Others' calls reach this process, and it can call. */
static bool is_reached(void)
{
    static enum { UNKNOWN, NO, YES } reached;
    if (reached == UNKNOWN) {
        bool good = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
        reached = good && barrier_everywhere() ? YES : NO;
    }
    return reached == YES;
}

void tf_share_join(struct tf_share *first)
{
    for (uint32_t i = 0; !is_reached() && i < first->places; i++)
        atomic_store(&first[i].bulk, TF_BULK_EVER);
}

void tf_share_begin_bulk(struct tf_share *share)
{
    uint32_t never = TF_BULK_NEVER;
    atomic_compare_exchange_strong(&share->bulk, &never, TF_BULK_BEGINS);
    if (!barrier_everywhere())
        tf_fatal(1, "treefold[%d]: membarrier(2), which had worked when a window was made, failed: %s", tf_job.rank,
                 strerror(errno));
    atomic_store(&share->bulk, TF_BULK_EVER);
}

/* ---- what lies behind the shares ---- */

static char *row_of(struct tf_share *who)
{
    char *rows = (char *)(who - who->place + who->places);
    return rows + who->place * tf_share_row((int)who->places);
}

struct tf_flags *tf_share_flags(struct tf_share *who, const struct tf_share *of)
{
    return (struct tf_flags *)row_of(who) + of->place;
}

_Atomic uint32_t *tf_share_reads(struct tf_share *who, const struct tf_share *of)
{
    return (_Atomic uint32_t *)(row_of(who) + tf_share_lines(who->places * sizeof(struct tf_flags))) + of->place;
}

/* ---- the lock ---- */

static bool is_shared(struct tf_share *share)
{
    struct tf_share *first = share - share->place;
    for (uint32_t place = 0; place < share->places; place++)
        if (atomic_load(tf_share_reads(&first[place], share)))
            return true;
    return false;
}

bool tf_share_try_shared(struct tf_share *share)
{
    if (atomic_load_explicit(&share->yields, memory_order_relaxed)) {
        if (is_shared(share))
            return false;
        atomic_exchange(&share->yields, 0); /* before the last look */
    }
    bool held = !is_shared(share);
    if (!held)
        atomic_store(&share->yields, 1);
    return held;
}

/* ---- waiting ---- */

/* False if it is of no use to wait any longer. */
static bool rest(uint32_t turn, int64_t *since)
{
    if (turn < SPINS)
        tf_yield_hint();
    else if (TF_UNLIKELY(tf_pause_look != NULL) && turn % LOOKS == 0 && is_forsaken(since))
        return false;
    else
        sched_yield();
    return true;
}

void tf_share_wait(struct tf_share *share, int stripe)
{
    _Atomic uint32_t *taken = &share->stripes[stripe].taken;
    int64_t since = 0;
    for (uint32_t i = 0; atomic_load_explicit(taken, memory_order_relaxed) || atomic_exchange(taken, 1); i++)
        if (!rest(i, &since))
            return;
}

static bool is_at(struct tf_share *who, uint32_t there, uint32_t anywhere)
{
    uint32_t busy = atomic_load(&who->busy);
    return busy == there || busy == anywhere;
}

void tf_share_wait_busy(struct tf_share *share, int stripe)
{
    struct tf_share *first = share - share->place;
    uint32_t there = tf_share_word(share, stripe), anywhere = tf_share_anywhere(share);
    int64_t since = 0;
    for (uint32_t place = 0; place < share->places; place++)
        for (uint32_t i = 0; is_at(&first[place], there, anywhere); i++)
            if (!rest(i, &since))
                return;
}

static TF_COLD void enter_late(struct tf_share *share, int stripe, struct tf_share *own)
{
    _Atomic uint32_t *taken = &share->stripes[stripe].taken;
    int64_t since = 0;
    do {
        tf_share_leave(own);
        for (uint32_t i = 0; atomic_load_explicit(taken, memory_order_relaxed); i++)
            if (!rest(i, &since))
                return;
        atomic_exchange(&own->busy, tf_share_word(share, stripe));
    } while (atomic_load(taken));
}

void tf_share_enter_locked(struct tf_share *share, int stripe, struct tf_share *own)
{
    atomic_exchange(&own->busy, tf_share_word(share, stripe)); /* before the look at the lock */
    if (TF_UNLIKELY(atomic_load(&share->stripes[stripe].taken)))
        enter_late(share, stripe, own);
}
