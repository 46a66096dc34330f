/* await.c - see await.h.
 *
 * Of threads that wait at the same time one leads: it makes the passes.  Others, if a flag is all they wait for, sleep
 * each on a word of its own; whoever makes a pass wakes those whose flags it finds up, and who ends to lead wakes one
 * to lead after it, as does who calls a function of the program in the midst of a pass.
 */
#include "msg/await.h"

#include "msg/fetch.h"
#include "msg/progress.h"
#include "msg/transfer.h"

struct tf_awaiting tf_awaiting;

void tf_await_pause(struct tf_pause *pause)
{
    if (TF_UNLIKELY(tf_match_unexpected > 0) && pause->since != 0)
        tf_fetch_late(pause);
    struct tf_awaiting own = tf_awaiting;
    tf_pause(pause);
    tf_awaiting = own; /* other threads have waited meanwhile */
}

static void step(struct tf_pause *pause, bool moved)
{
    if (moved)
        tf_pause_again(pause);
    else
        tf_await_pause(pause);
}

/* ---- threads ---- */

struct follower {
    const volatile bool *flag;
    _Atomic uint32_t asleep;
    struct follower *next, **link;
};
static struct follower *first, **last = &first;
static const struct tf_pause *leader; /* NULL: nobody leads */

static void append(struct follower *f)
{
    f->link = last;
    *last = f;
    last = &f->next;
}

static void take_out(struct follower *f)
{
    *f->link = f->next;
    if (f->next)
        f->next->link = f->link;
    else
        last = f->link;
}

static void wake(struct follower *f)
{
    take_out(f);
    tf_pause_wake_behind(&f->asleep);
}

void tf_await_wake(void)
{
    struct follower *next;
    for (struct follower *f = first; f; f = next) {
        next = f->next;
        if (*f->flag)
            wake(f);
    }
}

void tf_await_rouse(void)
{
    tf_await_wake();
    tf_pause_rouse();
}

void tf_await_poll(struct tf_peer *peer, int limit)
{
    if (tf_net_poll(peer, limit) && TF_UNLIKELY(tf_library.locking))
        tf_await_rouse();
}

static bool lead(const struct tf_pause *me)
{
    if (!leader)
        leader = me;
    return leader == me;
}

/* Who was woken to lead may find that its own wait is over, and has to wake the next one. */
static void see_to_a_leader(const struct tf_pause *me)
{
    if (leader == me)
        leader = NULL;
    if (!leader && first)
        wake(first);
}

/* Whoever leads, be it somebody else, finds out in its next turn. */
struct tf_lent tf_await_lend(void)
{
    struct tf_awaiting own = tf_awaiting;
    see_to_a_leader(leader);
    if (tf_library.locking)
        tf_pause_rouse();
    return (struct tf_lent){tf_lock_lend(), own};
}

void tf_await_take_back(struct tf_lent lent)
{
    tf_lock_take_back(lent.lock);
    tf_awaiting = lent.awaiting;
}

static void follow(struct tf_pause *pause, const volatile bool *flag)
{
    struct follower f = {.flag = flag, .asleep = 1};
    struct tf_awaiting own = tf_awaiting;
    append(&f);
    tf_pause_behind(pause, &f.asleep);
    tf_awaiting = own;
    if (atomic_load(&f.asleep))
        take_out(&f);
}

/* A pass of progress takes as long as so many looks at a cell. */
enum { LOOKS_A_PASS = 4 };

/* Of a blocking send or receive; NULL: there is none, or it is dense and not asked any more. */
static struct tf_type *type_awaited(void)
{
    const void *message = tf_awaiting.object;
    switch (tf_awaiting.what) {
    case TF_AWAITS_RECV:
        return (struct tf_type *)((const struct tf_recv *)message)->type;
    case TF_AWAITS_SEND:
        return (struct tf_type *)((const struct tf_send *)message)->type;
    default:
        return NULL;
    }
}

/* A call within a call keeps the lock, so nobody else could lead.  Another thread may free the datatype meanwhile, and
 * what is under way with it ends as if it had not (MPI-5.0 section 5.1.9). */
static TF_COLD void lead_or_follow(const volatile bool *flag)
{
    struct tf_pause pause = TF_PAUSE_INIT;
    struct tf_type *type = type_awaited();
    if (type)
        tf_type_retain(type);
    while (!*flag) {
        bool moved = tf_msg_progress();
        if (*flag)
            break;
        if (tf_lock_nested() || lead(&pause)) {
            pause.polls += LOOKS_A_PASS - 1;
            step(&pause, moved);
        } else {
            follow(&pause, flag);
        }
    }
    tf_pause_reset(&pause);
    see_to_a_leader(&pause);
    if (type)
        tf_type_release(type);
}

/* As long as there has been one, it looks where one without others does first. */
static TF_COLD void await_flag_among_threads(const volatile bool *flag, struct tf_peer *peer)
{
    if (!tf_lock_shared() && peer && peer->net && !*flag)
        tf_await_poll(peer, 1);
    if (!*flag)
        lead_or_follow(flag);
    tf_await_end();
}

/* ---- one thread, as far as it knows ---- */

/* Whether it pays to look for a while before the processor is given to others of a crowd, in a collective or at one
 * peer: that is tried now and then, and goes on while it is seldom in vain.  A turn that is spared is worth more than
 * some looks that are not.  It does not for one of several messages: halos by 3 to 6 ranks took a fifth longer. */
enum { LUCK = 16, VAIN = -1, SPARED = 2, TRIES = 4, WAITS = 32 };
struct luck {
    int left;
    unsigned waits; /* without any */
};

static bool is_lucky(struct luck *luck)
{
    if (luck->left == 0 && ++luck->waits % WAITS == 0)
        luck->left = TRIES;
    return luck->left > 0;
}

static void count_luck(struct luck *luck, int change)
{
    int left = luck->left + change;
    luck->left = left < 0 ? 0 : left < LUCK ? left : LUCK;
}

static void await(bool (*over)(void *state, bool *moved), void *state)
{
    static struct luck luck;
    struct tf_pause pause = TF_PAUSE_INIT;
    bool crowded = tf_pause_is_short(), paused = false, late = false;
    bool lucky = crowded && tf_awaiting.what == TF_AWAITS_RUN && is_lucky(&luck);
    if (TF_UNLIKELY(tf_library.locking))
        lead(&pause);
    while (1) {
        bool moved = tf_msg_progress();
        if (over(state, &moved))
            break;
        if (crowded && !lucky) /* whoever is waited for may need this processor */
            pause.polls = tf_pause_spin;
        step(&pause, moved);
        paused |= pause.since != 0;
        late = true;
    }
    if (lucky)
        count_luck(&luck, paused ? VAIN : late ? SPARED : 0);
    tf_await_end();
    tf_pause_reset(&pause);
    see_to_a_leader(&pause);
}

void tf_await(enum tf_awaited what, const void *object, bool (*over)(void *state, bool *moved), void *state)
{
    tf_await_begin(what, object, NULL);
    await(over, state);
}

/* Looks that are worth while: fewer after each wait for which they were too few, since the one that is waited for may
 * need the processor that this one looks on.  Where each has one it looks on, as in any other wait. */
enum { LOOKS = 64, LOOKS_SERVING = 8, LOOKS_LEAST = 16, LOOKS_MOST = 1024 };
static uint32_t looks = LOOKS_MOST;

static bool look(bool (*over)(void *state, bool *moved), void *state)
{
    bool moved;
    uint32_t most = looks < tf_pause_spin ? looks : tf_pause_spin;
    uint32_t few = tf_msg_served ? LOOKS_SERVING : LOOKS; /* between two passes */
    for (uint32_t i = 1; i <= most; i++) {
        if (over(state, &moved)) {
            looks = looks < LOOKS_MOST ? 2 * looks : looks;
            return true;
        }
        if (i % few == 0)
            tf_msg_progress();
    }
    looks = looks > LOOKS_LEAST ? looks / 2 : looks;
    return false;
}

void tf_await_seen(enum tf_awaited what, const void *object, bool (*over)(void *state, bool *moved), void *state)
{
    tf_await_begin(what, object, NULL);
    if (!tf_library.locking && look(over, state))
        tf_await_end();
    else
        await(over, state);
}

/* Most of what is waited for is the next thing from a known peer: look there, and at everything once in a while. */
enum { DIRECT_POLLS = 64 };

/* Nothing comes from somebody who was never met but by everything. */
static inline uint32_t direct_polls(const struct tf_peer *peer)
{
    if (!peer || TF_UNLIKELY(!peer->net))
        return 0;
    return tf_pause_spin < DIRECT_POLLS ? tf_pause_spin : DIRECT_POLLS;
}

/* Two of a crowd that both have a processor at the moment can do without the others for as long as each answers while
 * the other one looks: round trips of two pairs on two processors take a tenth of the time.  Both must look for longer
 * than pays as a rule. */
enum { LOOKS_ANSWERED = 400, LOOKS_LATER = 64, LOOKS_UNLUCKY = 4, VAIN_AT_ONE = -2, SPARED_BY_ONE = 1 };
static struct luck with_one = {LUCK, 0};

/* Where `usual` are worth while if nobody shares a processor. */
static uint32_t looks_at_one(uint32_t usual)
{
    if (usual == 0 || !tf_pause_is_short())
        return usual;
    return is_lucky(&with_one) ? LOOKS_ANSWERED : LOOKS_UNLUCKY;
}

/* With so many looks at the peer in a row. */
static __attribute__((noinline)) void keep_looking(const volatile bool *flag, struct tf_peer *peer, uint32_t direct)
{
    struct tf_pause pause = TF_PAUSE_INIT;
    uint32_t times = looks_at_one(direct);
    while (!*flag) {
        bool moved = false; /* for others: who asks runs, and may ask for more */
        uint32_t i = 0;
        for (; i < times && !*flag; i++)
            moved |= tf_net_poll(peer, 1);
        if (times == LOOKS_ANSWERED) {
            count_luck(&with_one, !*flag ? VAIN_AT_ONE : i > direct ? SPARED_BY_ONE : 0);
            times = LOOKS_LATER;
        }
        if (*flag)
            break;
        pause.polls += direct;
        if (direct == 0 && tf_pause_crowded) /* whoever is waited for may need this processor */
            pause.polls = tf_pause_spin;
        moved |= tf_msg_progress();
        step(&pause, moved);
    }
    tf_pause_reset(&pause);
}

void tf_await_flag(const volatile bool *flag, struct tf_peer *peer)
{
    if (TF_UNLIKELY(tf_library.locking)) {
        await_flag_among_threads(flag, peer);
        return;
    }
    uint32_t direct = direct_polls(peer);
    if (direct > 0 && !*flag) /* it is there most of the time */
        tf_net_poll(peer, 1);
    if (TF_UNLIKELY(!*flag))
        keep_looking(flag, peer, direct);
    tf_await_end();
}
