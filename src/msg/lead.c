/* lead.c - see lead.h.
 *
 * Followers sleep each on a word of its own.  Whoever makes a pass wakes those whose waits it finds over, and who ends
 * to lead wakes one to lead after it, unless there is a deputy, and waits have followed each other so closely that it
 * is early enough if that one sees in his next turn that they do no more.
 */
#include "msg/lead.h"

#include "msg/await.h"
#include "msg/match.h"
#include "msg/progress.h"

struct follower {
    struct tf_pause pause;
    bool (*over)(void *state, bool *moved);
    void *state;
    bool is_over;
    bool others;   /* have waited while this one led and paused, or was the deputy */
    int64_t began; /* to pause; 0: it has not */
    _Atomic uint32_t asleep;
    struct follower *next, **link;
};
static struct follower *first, **last = &first;
static const struct follower *deputy; /* of these; NULL: there is none */
static const struct tf_pause *leader; /* NULL: nobody leads */
unsigned tf_lead_turns;

/* A turn of the deputy's, with its pass, takes as long as a few short waits; hundreds of these go between two. */
enum { PATIENT = TF_MILLISECOND, NOW_AND_THEN = 300 * TF_MICROSECOND };

static bool is_patient(const struct follower *f)
{
    return f->began && tf_pause_now - f->began > PATIENT;
}

/* ---- who follows ---- */

static void appoint(const struct follower *f)
{
    deputy = f;
    tf_pause_leave_alone(f != NULL);
}

static void append(struct follower *f)
{
    f->next = NULL;
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
    if (deputy == f)
        appoint(NULL);
}

static void wake(struct follower *f)
{
    take_out(f);
    tf_pause_wake_behind(&f->asleep);
}

static bool is_over(struct follower *f, bool *moved)
{
    if (!f->is_over)
        f->is_over = f->over(f->state, moved);
    return f->is_over;
}

void tf_lead_wake(void)
{
    bool moved;
    struct follower *next;
    for (struct follower *f = first; f; f = next) {
        next = f->next;
        if (is_over(f, &moved))
            wake(f);
    }
}

static void follow(struct follower *me)
{
    struct tf_awaiting own = tf_awaiting;
    unsigned before = tf_lead_turns;
    bool was_deputy = !leader; /* it has stepped back */
    append(me);
    if (was_deputy)
        appoint(me);
    atomic_store(&me->asleep, 1);
    tf_pause_behind(&me->pause, &me->asleep, was_deputy ? NOW_AND_THEN : 0);
    bool woken = atomic_load(&me->asleep) == 0;
    if (!woken)
        take_out(me);
    me->others = was_deputy && !woken && tf_lead_turns != before;
    tf_awaiting = own;
}

/* ---- who leads ---- */

void tf_lead(const struct tf_pause *me)
{
    if (!leader)
        leader = me;
}

void tf_lead_hand_over(void)
{
    leader = NULL;
    if (first)
        wake(first);
}

static bool is_soon_back(void)
{
    static int64_t ended;
    int64_t before = ended;
    ended = tf_time();
    return ended - before < NOW_AND_THEN;
}

/* Who was woken to lead may find that its own wait is over, and has to wake the next one. */
void tf_lead_end(const struct tf_pause *me)
{
    if (leader == me)
        leader = NULL;
    if (!leader && TF_UNLIKELY(first != NULL) && !(deputy && is_soon_back()))
        wake(first);
}

static bool leads_on(const struct follower *me)
{
    tf_lead(&me->pause);
    if (leader != &me->pause)
        return false;
    bool steps_back = me->others && is_patient(me);
    if (steps_back)
        leader = NULL;
    return !steps_back;
}

/* A pass of progress takes as long as so many looks at a cell. */
enum { LOOKS_A_PASS = 4 };

static void look_on(struct follower *me, bool moved)
{
    unsigned before = tf_lead_turns;
    me->pause.polls += LOOKS_A_PASS - 1;
    if (moved)
        tf_pause_again(&me->pause);
    else
        tf_await_pause(&me->pause);
    me->others = tf_lead_turns - before > 1;
}

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
void tf_lead_or_follow(bool (*over)(void *state, bool *moved), void *state)
{
    struct follower me = {.pause = TF_PAUSE_INIT, .over = over, .state = state};
    struct tf_type *type = type_awaited();
    if (type)
        tf_type_retain(type);
    while (1) {
        bool moved = tf_msg_progress();
        if (is_over(&me, &moved))
            break;
        if (tf_lock_nested() || leads_on(&me))
            look_on(&me, moved);
        else
            follow(&me);
        if (!me.began && me.pause.lasts)
            me.began = tf_pause_now;
    }
    tf_pause_reset(&me.pause);
    tf_lead_end(&me.pause);
    if (type)
        tf_type_release(type);
}
