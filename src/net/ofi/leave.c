/* leave.c - the end: an endpoint that is closed may lose what it has sent.
 *
 * First all that was sent leaves.  That may take the other side's passes of progress, so everybody goes on with them
 * until everybody is as far, which a barrier by dissemination tells: in round k a message goes to the rank 2^k above
 * and one comes from the rank 2^k below.  The messages of that barrier are left with what a completion promises, and
 * the launcher's barrier then tells that nobody waits for any.
 */
#include "net/ofi/ofi.h"

#include "base/settings.h"
#include "launch/launch.h"

enum { LAST_WORDS = 10 }; /* seconds in which nothing at all happens */
enum { QUIET = 100 };     /* looks for completions that find none */

struct farewell {
    uint64_t hash;
    uint32_t from, round;
    unsigned char unused[TF_PACKET_HEAD - 16]; /* no packet with frames is as short; one of zeros says nothing */
};

bool tf_ofi_leaving;
static uint32_t heard; /* a bit for each round */

static uint64_t prove(uint32_t from, uint32_t round)
{
    struct {
        char what[8];
        uint32_t from, round;
    } all = {"leave", from, round};
    return tf_key_prove(&all, sizeof all);
}

void tf_ofi_leave_heard(const void *message)
{
    struct farewell farewell;
    memcpy(&farewell, message, sizeof farewell);
    if (farewell.round < 32 && farewell.hash == prove(farewell.from, farewell.round))
        heard |= UINT32_C(1) << farewell.round;
}

static bool step(int64_t *limit)
{
    bool any = tf_ofi_poll() > 0;
    if (tf_ofi_unsent)
        any |= tf_ofi_send_again();
    int64_t now = tf_time();
    if (any)
        *limit = now + LAST_WORDS * TF_SECOND;
    return now < *limit;
}

static bool drain(int64_t *limit)
{
    while (tf_ofi_sending() > 0 || tf_ofi_unsent)
        if (!step(limit))
            return false;
    return true;
}

static bool say(struct tf_ofi_link *link, uint32_t round, int64_t *limit)
{
    struct farewell farewell = {.from = (uint32_t)tf_job.rank, .round = round};
    farewell.hash = prove(farewell.from, round);
    while (!tf_ofi_send(link, &farewell, sizeof farewell))
        if (!step(limit))
            return false;
    return true;
}

/* An injected packet does not say when it has left; one after it on the same way does. */
static bool follow_injected(int64_t *limit)
{
    for (struct tf_remote_link *any = tf_remote_links; any; any = any->next) {
        struct tf_ofi_link *link = (struct tf_ofi_link *)any;
        while (link->injected && !link->forgotten && !tf_ofi_send_nothing(link))
            if (!step(limit))
                return false;
    }
    return true;
}

static void meet_all(bool good, int64_t limit)
{
    for (uint32_t round = 0; good && 1 << round < tf_job.size; round++) {
        good = say(tf_remote_link(tf_net_peer((tf_job.rank + (1 << round)) % tf_job.size)), round, &limit);
        while (good && !(heard & UINT32_C(1) << round))
            good = step(&limit);
    }
    if (good)
        drain(&limit);
    tf_launch_barrier();
}

/* Who has died says nothing in any round; the launcher's barrier is of the living. */
static void meet_living(int64_t limit)
{
    int err = tf_launch_barrier_begin();
    while (!err && !tf_launch_barrier_is_over(&err))
        step(&limit);
}

void tf_ofi_leave(void)
{
    int64_t limit = tf_time() + LAST_WORDS * TF_SECOND;
    tf_ofi_leaving = true;
    bool good = drain(&limit) && follow_injected(&limit) && drain(&limit);
    if (tf_settings.keep_going)
        meet_living(limit);
    else
        meet_all(good, limit);
    /* Completions that are still there when the endpoint is closed make ofi_rxm over verbs post a receive on a
     * connection that it has closed, and crash (libfabric's issue 11828).  Some are its own and are not counted. */
    for (int idle = 0; idle < QUIET; idle++)
        if (tf_ofi_poll() > 0)
            idle = 0;
}
