/* lost.c - windows of which a process has died: nothing waits for it any more, and every call that synchronizes tells
 * that it is gone.
 *
 * What was done there is lost with its memory; on the other processes of the window what they have told each other
 * holds as ever.
 */
#include "msg/lost.h"
#include "comm/part.h"
#include "msg/match.h"
#include "rma/op.h"
#include "rma/serve.h"
#include "rma/win.h"

/* As if all that it was asked for had been granted, and all that it was sent done. */
static void lose(struct tf_target *target)
{
    tf_op_lose(target);
    target->lost = true;
    target->direct = false;
    target->reach = target->units = 0;
    target->granted = true;
    target->acknowledged = target->marked;
    target->win->nlost++;
}

static void hear(struct tf_peer *peer)
{
    uint32_t place = 0;
    struct tf_win *win;
    while ((win = tf_pool_each(&tf_win_pool, &place)))
        for (int r = 0; r < win->comm->size; r++)
            if (win->targets && win->targets[r].peer == peer && !win->targets[r].lost)
                lose(&win->targets[r]);
}

static void lose_each(struct tf_win *win)
{
    for (int r = 0; win->targets && r < win->comm->size; r++)
        if (win->targets[r].win && !win->targets[r].lost)
            lose(&win->targets[r]);
}

/* Not all have got the window: the communicator of which it was made was revoked meanwhile. */
static void broken(struct tf_comm *comm)
{
    uint32_t place = 0;
    struct tf_win *win;
    while (comm->match->broken == MPIX_ERR_REVOKED && (win = tf_pool_each(&tf_win_pool, &place)))
        if (win->comm == comm)
            lose_each(win);
}

void tf_win_gone(const struct tf_peer *peer, uint32_t number)
{
    uint32_t place = 0;
    struct tf_win *win;
    while ((win = tf_pool_each(&tf_win_pool, &place)))
        for (int r = 0; r < win->comm->size; r++)
            if (win->targets && win->targets[r].peer == peer && win->targets[r].number == number &&
                !win->targets[r].lost)
                lose(&win->targets[r]);
}

int tf_win_lost(const struct tf_win *win)
{
    int r = 0;
    while (!win->targets[r].lost)
        r++;
    if (!win->targets[r].peer->failed)
        return tf_error(MPIX_ERR_PROC_FAILED, "rank %d of %s has given it up", r, tf_win_describe(win));
    return tf_error(MPIX_ERR_PROC_FAILED, "rank %d of %s is gone: %s", r, tf_win_describe(win),
                    tf_failure_words(win->targets[r].peer));
}

void tf_win_lost_setup(void)
{
    static const struct tf_part part = {.broken = broken};
    tf_failure_tell(hear);
    tf_part_hang(TF_PART_WIN, &part);
}
