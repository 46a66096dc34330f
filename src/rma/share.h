/* share.h - what the processes of a node share of a window besides its memory: for each of them, its lock, the locks
 * under which accumulates into its memory are done, how far it is in epochs that all take part in, and what it has
 * attached to a dynamic window.
 *
 *     struct tf_share of the first process | of the second | ...
 *     struct tf_flags: what the first hears of the first | of the second | ...   each such row begins a cache line
 *     which locks the first shares: that of the first | of the second | ...      this one too
 *     what the second hears of the first | ...
 *
 * Whoever applies an accumulate, a neighbor that has the memory before him or the process itself for one of another
 * node, does so in one of two ways, which exclude each other in each 4 KiB of memory (by where an element begins):
 *
 *     bulk      under the lock of those 4 KiB, alone: any number of elements of any type
 *     single    one element by an instruction of the processor, beside others that do the same: who does tells in
 * `busy` where he is, and sees then that the lock is free; who has taken the lock waits for those who are there
 *
 * So a counter that all increment is one cache line that goes from one to the other, and not two.
 *
 * As long as nobody has done a bulk there, a single has no lock to look at, and what it tells needs no fence (biased
 * locking; Dice, Huang and Yang, "Asymmetric Dekker synchronization", 2001):
 *
 *     single    busy = here; if `bulk` is TF_BULK_NEVER: change the element; busy = nowhere
 *     bulk      bulk = TF_BULK_BEGINS; membarrier(); bulk = TF_BULK_EVER; from now on all singles go by the locks
 *
 * The call has each processor that runs a process of the window pass a fence.  A single whose look at `bulk` comes
 * before its fence has told before it too where it is, and the bulk, which looks after the call, waits for it; one
 * whose look comes later sees TF_BULK_BEGINS.  Each who finds anything but TF_BULK_EVER calls by itself, so nobody
 * relies on a call of another one that has not ended.  Where the system does not let all have it, `bulk` is
 * TF_BULK_EVER from the start.
 *
 * The lock of MPI_Win_lock is a queue of tickets for those who want it alone, beside which those who share it write no
 * line that others write (a big-reader lock):
 *
 *     alone     take a ticket; wait for its turn, and until no process says that it shares the lock
 *     shared    say so, in a row of one's own; if nobody has or awaits a turn: held.  Otherwise say so no more, take
 * a ticket, wait for its turn, say so, and end the turn at once
 *
 * A full fence lies between the ticket and the look at the rows, and one between the word in the row and the look at
 * the tickets, so of two who come at the same time at least one sees the other.  If both do, the one alone waits and
 * the other one goes behind it.  Who shares the lock by a turn says so before the turn ends, and whoever has the next
 * one sees it.  So nobody starves: from its ticket on nobody passes the one alone, and those who shared the lock before
 * leave it some time.
 *
 * But one who has another lock must not wait behind the one alone: that one may wait, over others, for this other lock.
 *
 *     further   say so; wait until nobody has a turn, or the one who has it yields: held
 *
 * The one alone yields while it sees that the lock is shared.  Before it holds the lock it takes that back and looks at
 * the rows once more, with a full fence in between: who has seen it yield has said so before.
 *
 * Who wants it alone looks at one line for each process of the node, but only once somebody has shared it: `shared` is
 * set before the word in the row.
 *
 * Neighbors do all that by themselves; for a process of another node the target does, whose word is how many share its
 * lock by it.
 */
#ifndef TF_SHARE_H
#define TF_SHARE_H

#include <stdatomic.h>

#include "base/base.h"

enum { TF_STRIPES = 31, TF_STRIPE_BYTES = 4096 };
enum tf_bulk { TF_BULK_NEVER, TF_BULK_BEGINS, TF_BULK_EVER };

/* Attachments that a process tells its neighbors of, in the order of their addresses: as many as there is room for
 * (dynamic.c). */
enum { TF_TOLD = 23 };
struct tf_told {
    _Alignas(TF_CACHE_LINE) _Atomic uint32_t version; /* odd while it changes */
    _Atomic uint32_t count;
    struct {
        _Atomic uintptr_t base, end;
    } attached[TF_TOLD];
};

struct tf_share {
    _Alignas(TF_CACHE_LINE) _Atomic uint32_t tickets; /* the next one */
    _Atomic uint32_t turn;                            /* the one whose turn it is */
    _Atomic uint32_t yields;                          /* who has the turn lets others share the lock first */
    _Atomic uint32_t shared;                          /* somebody has shared it, ever */
    _Alignas(TF_CACHE_LINE) _Atomic uint32_t fences;  /* the one that it has come to */
    _Alignas(TF_CACHE_LINE) _Atomic uint32_t busy;    /* this process's: the stripe where it is; 0: nowhere */
    _Alignas(TF_CACHE_LINE) _Atomic uint32_t bulk;    /* enum tf_bulk */
    uint32_t place, places;                           /* of this one in the row; of all in it */
    struct {
        _Alignas(TF_CACHE_LINE) _Atomic uint32_t taken;
    } stripes[TF_STRIPES];
    struct tf_told told;
};

/* What one process has heard of another one, which alone writes there: how often it has called MPI_Win_post for it, and
 * MPI_Win_complete. */
struct tf_flags {
    _Atomic uint32_t posts, completes;
};

static inline size_t tf_share_lines(size_t bytes)
{
    return (bytes + TF_CACHE_LINE - 1) / TF_CACHE_LINE * TF_CACHE_LINE;
}
static inline size_t tf_share_row(int places)
{
    return tf_share_lines((size_t)places * sizeof(struct tf_flags)) +
           tf_share_lines((size_t)places * sizeof(_Atomic uint32_t));
}
/* All that so many processes share. */
static inline size_t tf_share_bytes(int places)
{
    return (size_t)places * (sizeof(struct tf_share) + tf_share_row(places));
}
/* So many of them, in memory that is not used yet. */
void tf_share_set_up(struct tf_share *first, int places);
/* This process is about to share them; where that cannot be had, singles go by the locks. */
void tf_share_join(struct tf_share *first);
/* What the one hears of the other. */
struct tf_flags *tf_share_flags(struct tf_share *who, const struct tf_share *of);
/* How often the one shares the lock of the other; it alone writes there. */
_Atomic uint32_t *tf_share_reads(struct tf_share *who, const struct tf_share *of);

/* ---- the lock of a process's memory ---- */

/* Whether anybody has a ticket whose turn has not come to an end. */
static inline bool tf_share_is_wanted(struct tf_share *share)
{
    uint32_t turn = atomic_load(&share->turn);
    return atomic_load(&share->tickets) != turn;
}

/* Who shares a lock gives `reads`, its word of that lock; who wants it alone gives NULL. */

/* Share it at once, if nobody has or awaits a turn.  Who shares stores first and then looks for tickets, who wants it
 * alone the other way round: one of the two sees the other, as long as these accesses are sequentially consistent. */
static inline bool tf_share_read(struct tf_share *share, _Atomic uint32_t *reads)
{
    if (TF_UNLIKELY(!atomic_load_explicit(&share->shared, memory_order_relaxed)))
        atomic_store(&share->shared, 1);
    atomic_fetch_add(reads, 1);
    if (TF_LIKELY(!tf_share_is_wanted(share)))
        return true;
    atomic_fetch_sub(reads, 1);
    return false;
}
static inline uint32_t tf_share_ticket(struct tf_share *share)
{
    return atomic_fetch_add(&share->tickets, 1);
}
/* Whether it is that ticket's turn, and nobody is in its way; if so it is held. */
bool tf_share_try_shared(struct tf_share *share);
static inline bool tf_share_try(struct tf_share *share, uint32_t ticket, _Atomic uint32_t *reads)
{
    if (atomic_load_explicit(&share->turn, memory_order_acquire) != ticket)
        return false;
    if (!reads)
        return !atomic_load(&share->shared) || tf_share_try_shared(share);
    atomic_fetch_add(reads, 1);
    atomic_fetch_add(&share->turn, 1);
    return true;
}
/* Who has another lock says that it shares this one too; it does as soon as that is so. */
static inline void tf_share_insist(_Atomic uint32_t *reads)
{
    atomic_fetch_add(reads, 1);
}
static inline bool tf_share_is_let(struct tf_share *share)
{
    return atomic_load(&share->yields) || !tf_share_is_wanted(share);
}
/* What was stored before is seen by all before this process looks at anything again. */
static inline void tf_share_return(struct tf_share *share, _Atomic uint32_t *reads)
{
    if (reads)
        atomic_fetch_sub(reads, 1);
    else
        atomic_fetch_add(&share->turn, 1);
#ifndef __x86_64__ /* whose every such instruction is a fence */
    atomic_thread_fence(memory_order_seq_cst);
#endif
}

/* ---- accumulates ---- */

static inline int tf_share_stripe(uint64_t at)
{
    return (int)(at / TF_STRIPE_BYTES % TF_STRIPES);
}

/* Whether nobody but this process comes near it. */
static inline bool tf_share_is_alone(const struct tf_share *share)
{
    return share->places == 1;
}

/* Bulk. */
void tf_share_wait(struct tf_share *share, int stripe) TF_COLD;
void tf_share_wait_busy(struct tf_share *share, int stripe);
void tf_share_begin_bulk(struct tf_share *share) TF_COLD;
static inline void tf_share_take(struct tf_share *share, int stripe)
{
    if (TF_UNLIKELY(atomic_load_explicit(&share->bulk, memory_order_acquire) != TF_BULK_EVER))
        tf_share_begin_bulk(share);
    if (TF_UNLIKELY(atomic_exchange(&share->stripes[stripe].taken, 1)))
        tf_share_wait(share, stripe);
    tf_share_wait_busy(share, stripe);
}
static inline void tf_share_drop(struct tf_share *share, int stripe)
{
    atomic_store_explicit(&share->stripes[stripe].taken, 0, memory_order_release);
}

/* Single; `at` is where in its owner's memory, `own` the share of who does it. */
static inline uint32_t tf_share_anywhere(const struct tf_share *share)
{
    return share->place * (TF_STRIPES + 1) + 1;
}
static inline uint32_t tf_share_word(const struct tf_share *share, int stripe)
{
    return tf_share_anywhere(share) + 1 + (uint32_t)stripe;
}
void tf_share_enter_locked(struct tf_share *share, int stripe, struct tf_share *own);
static inline void tf_share_enter(struct tf_share *share, uint64_t at, struct tf_share *own)
{
    atomic_store_explicit(&own->busy, tf_share_anywhere(share), memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst); /* of the processor's fences the bulk takes care */
    if (TF_UNLIKELY(atomic_load_explicit(&share->bulk, memory_order_acquire) != TF_BULK_NEVER))
        tf_share_enter_locked(share, tf_share_stripe(at), own);
}
static inline void tf_share_leave(struct tf_share *own)
{
    atomic_store_explicit(&own->busy, 0, memory_order_release);
}

#endif
