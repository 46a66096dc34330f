/* share.c - waiting for a lock of accumulates, which others hold for some microseconds, or longer if the system has
 * taken the processor from them. */
#include "rma/share.h"

#include <sched.h>

#include "net/failure.h"

enum { SPINS = 200, LOOKS = 1000, PATIENCE = 2 /* seconds */ };

/* Who has died in between gives it back never.  The window then has no result that could be spoilt. */
static TF_COLD bool is_forsaken(double *since)
{
    double now = tf_time();
    *since = *since == 0 ? now : *since;
    tf_pause_look();
    return (tf_failure_any || tf_failure_count > 0) && now - *since > PATIENCE;
}

void tf_share_set_up(struct tf_share *first, int places)
{
    memset(first, 0, tf_share_bytes(places));
    for (int i = 0; i < places; i++) {
        first[i].place = (uint32_t)i;
        first[i].places = (uint32_t)places;
    }
}

struct tf_flags *tf_share_flags(struct tf_share *who, const struct tf_share *of)
{
    char *rows = (char *)(who - who->place + who->places);
    return (struct tf_flags *)(rows + who->place * tf_share_row((int)who->places)) + of->place;
}

/* False if it is of no use to wait any longer. */
static bool rest(uint32_t turn, double *since)
{
    if (turn < SPINS)
        __builtin_ia32_pause();
    else if (TF_UNLIKELY(tf_pause_look != NULL) && turn % LOOKS == 0 && is_forsaken(since))
        return false;
    else
        sched_yield();
    return true;
}

void tf_share_wait(struct tf_share *share, int stripe)
{
    _Atomic uint32_t *taken = &share->stripes[stripe].taken;
    double since = 0;
    for (uint32_t i = 0; atomic_load_explicit(taken, memory_order_relaxed) || atomic_exchange(taken, 1); i++)
        if (!rest(i, &since))
            return;
}

void tf_share_wait_busy(struct tf_share *share, int stripe)
{
    struct tf_share *first = share - share->place;
    uint32_t there = tf_share_word(share, stripe);
    double since = 0;
    for (uint32_t place = 0; place < share->places; place++)
        for (uint32_t i = 0; atomic_load(&first[place].busy) == there; i++)
            if (!rest(i, &since))
                return;
}

void tf_share_enter_late(struct tf_share *share, int stripe, struct tf_share *own)
{
    _Atomic uint32_t *taken = &share->stripes[stripe].taken;
    double since = 0;
    do {
        tf_share_leave(own);
        for (uint32_t i = 0; atomic_load_explicit(taken, memory_order_relaxed); i++)
            if (!rest(i, &since))
                return;
        atomic_exchange(&own->busy, tf_share_word(share, stripe));
    } while (atomic_load(taken));
}
