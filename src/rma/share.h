/* share.h - what the processes of a node share of a window besides its memory: for each of them, its lock and the locks
 * under which accumulates into its memory are done.
 *
 * Whoever applies an accumulate, a neighbor that has the memory before him or the process itself for one of another
 * node, holds the lock of the 4 KiB in which the element begins: that is the one authority of the window, for one
 * element as for many.
 *
 * The lock of MPI_Win_lock is a ticket lock for readers and writers (Mellor-Crummey and Scott): who wants it takes the
 * next ticket.  Neighbors do that by themselves; for a process of another node the target does.
 */
#ifndef TF_SHARE_H
#define TF_SHARE_H

#include <stdatomic.h>

#include "base/base.h"

enum { TF_STRIPES = 31, TF_STRIPE_BYTES = 4096 };

struct tf_share {
    _Alignas(TF_CACHE_LINE) _Atomic uint32_t tickets; /* the next one */
    _Atomic uint32_t read, write;                     /* whose turn it is to read; to write */
    struct {
        _Alignas(TF_CACHE_LINE) _Atomic uint32_t taken;
    } stripes[TF_STRIPES];
};

/* ---- the lock of a process's memory ---- */

static inline uint32_t tf_share_ticket(struct tf_share *share)
{
    return atomic_fetch_add_explicit(&share->tickets, 1, memory_order_relaxed);
}
/* Whether it is that ticket's turn; if so it is held. */
static inline bool tf_share_try(struct tf_share *share, uint32_t ticket, bool exclusive)
{
    _Atomic uint32_t *turn = exclusive ? &share->write : &share->read;
    if (atomic_load_explicit(turn, memory_order_acquire) != ticket)
        return false;
    if (!exclusive) /* readers behind this one come in too */
        atomic_store_explicit(&share->read, ticket + 1, memory_order_relaxed);
    return true;
}
static inline void tf_share_return(struct tf_share *share, bool exclusive)
{
    if (exclusive)
        atomic_store_explicit(&share->read, atomic_load_explicit(&share->read, memory_order_relaxed) + 1,
                              memory_order_release);
    atomic_fetch_add_explicit(&share->write, 1, memory_order_release);
}

/* Whether anybody has a ticket whose turn has not come to an end. */
static inline bool tf_share_is_wanted(struct tf_share *share)
{
    return atomic_load_explicit(&share->tickets, memory_order_relaxed) !=
           atomic_load_explicit(&share->write, memory_order_relaxed);
}

/* ---- accumulates ---- */

void tf_share_wait(_Atomic uint32_t *taken) TF_COLD;
static inline _Atomic uint32_t *tf_share_stripe(struct tf_share *share, uint64_t at)
{
    return &share->stripes[at / TF_STRIPE_BYTES % TF_STRIPES].taken;
}
static inline void tf_share_take(_Atomic uint32_t *taken)
{
    if (TF_UNLIKELY(atomic_exchange_explicit(taken, 1, memory_order_acquire)))
        tf_share_wait(taken);
}
static inline void tf_share_drop(_Atomic uint32_t *taken)
{
    atomic_store_explicit(taken, 0, memory_order_release);
}

#endif
