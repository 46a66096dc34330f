/* await.c - see await.h. */
#include "msg/await.h"

#include "msg/progress.h"

struct tf_awaiting tf_awaiting;

static void step(struct tf_pause *pause, bool moved)
{
    if (moved)
        tf_pause_again(pause);
    else
        tf_pause(pause);
}

void tf_await(enum tf_awaited what, const void *object, bool (*over)(void *state, bool *moved), void *state)
{
    struct tf_pause pause = TF_PAUSE_INIT;
    tf_await_begin(what, object, NULL);
    while (1) {
        bool moved = tf_msg_progress();
        if (over(state, &moved))
            break;
        step(&pause, moved);
    }
    tf_await_end();
    tf_pause_reset(&pause);
}

/* Most of what is waited for is the next thing from a known peer: look there, and at everything once in a while. */
enum { DIRECT_POLLS = 64 };

/* Nothing comes from somebody who was never met but by everything. */
static inline uint32_t direct_polls(const struct tf_peer *peer)
{
    if (!peer || TF_UNLIKELY(!peer->net || tf_library.locking))
        return 0;
    return tf_pause_spin < DIRECT_POLLS ? tf_pause_spin : DIRECT_POLLS;
}

void tf_await_flag(const volatile bool *flag, struct tf_peer *peer)
{
    struct tf_pause pause = TF_PAUSE_INIT;
    uint32_t direct = direct_polls(peer);
    do {
        for (uint32_t i = 0; i < direct && !*flag; i++)
            tf_net_poll(peer, 1);
        if (*flag)
            break;
        pause.polls += direct;
        step(&pause, tf_msg_progress());
    } while (!*flag);
    tf_await_end();
    tf_pause_reset(&pause);
}
