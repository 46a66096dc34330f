/* await.c - see await.h. */
#include "msg/await.h"

#include "msg/fetch.h"
#include "msg/lead.h"
#include "msg/progress.h"
#include "msg/transfer.h"

struct tf_awaiting tf_awaiting;

void tf_await_pause(struct tf_pause *pause)
{
    if (TF_UNLIKELY(tf_match_unexpected > 0) && pause->since != 0)
        tf_fetch_late(pause);
    struct tf_awaiting own = tf_awaiting;
    tf_lead_turns++;
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

void tf_await_rouse(void)
{
    tf_lead_wake();
    tf_pause_rouse();
}

void tf_await_poll(struct tf_peer *peer, int limit)
{
    if (tf_net_poll(peer, limit) && TF_UNLIKELY(tf_library.locking))
        tf_await_rouse();
}

struct tf_lent tf_await_lend(void)
{
    struct tf_awaiting own = tf_awaiting;
    tf_lead_hand_over();
    if (tf_library.locking)
        tf_pause_rouse();
    return (struct tf_lent){tf_lock_lend(), own};
}

void tf_await_take_back(struct tf_lent lent)
{
    tf_lock_take_back(lent.lock);
    tf_awaiting = lent.awaiting;
}

static bool is_up(void *flag, bool *moved)
{
    (void)moved;
    return *(const volatile bool *)flag;
}

/* As long as there has been one, it looks where one without others does first. */
static TF_COLD void await_flag_among_threads(const volatile bool *flag, struct tf_peer *peer)
{
    if (!tf_lock_shared() && peer && peer->net && !*flag)
        tf_await_poll(peer, 1);
    if (!*flag)
        tf_lead_or_follow(is_up, (void *)flag);
    tf_await_end();
}

/* Others may ask whether it is over, as that is all there is to it: what else is waited for goes on by being asked. */
static bool is_seen_by_others(enum tf_awaited what)
{
    return what == TF_AWAITS_PROBE || what == TF_AWAITS_ANY;
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
        tf_lead(&pause);
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
    tf_lead_end(&pause);
}

/* As long as there has been one thread; false: others have come. */
static bool await_alone(bool (*over)(void *state, bool *moved), void *state)
{
    struct tf_pause pause = TF_PAUSE_INIT;
    bool is_over = false;
    tf_lead(&pause);
    while (!is_over && !tf_lock_shared()) {
        bool moved = tf_msg_progress();
        is_over = over(state, &moved);
        if (!is_over)
            step(&pause, moved);
    }
    tf_pause_reset(&pause);
    tf_lead_end(&pause);
    return is_over;
}

static TF_COLD void await_among_threads(bool (*over)(void *state, bool *moved), void *state)
{
    if (!await_alone(over, state))
        tf_lead_or_follow(over, state);
    tf_await_end();
}

void tf_await(enum tf_awaited what, const void *object, bool (*over)(void *state, bool *moved), void *state)
{
    tf_await_begin(what, object, NULL);
    if (TF_UNLIKELY(tf_library.locking) && is_seen_by_others(what))
        await_among_threads(over, state);
    else
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
