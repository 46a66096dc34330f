/* revoked.c - see revoked.h. */
#include "msg/revoked.h"

#include <stdlib.h>

#include "base/base.h"

uint32_t tf_revoked_any;
static uint64_t *contexts;
static size_t n, room;

static bool make_room(void)
{
    size_t more = room ? 2 * room : 16;
    uint64_t *bigger = n < room ? contexts : realloc(contexts, more * sizeof *bigger);
    if (!bigger)
        return false;
    if (n == room)
        room = more;
    contexts = bigger;
    return true;
}

void tf_revoked_note(uint64_t context)
{
    if (tf_revoked_is(context))
        return;
    if (!make_room())
        tf_fatal(1, "treefold[%d]: no memory to note that a communicator is revoked", tf_job.rank);
    contexts[n++] = context;
}

void tf_revoked_leave(uint64_t context)
{
    tf_revoked_any--;
    tf_revoked_note(context);
}

bool tf_revoked_is(uint64_t context)
{
    for (size_t i = 0; i < n; i++)
        if (contexts[i] == context)
            return true;
    return false;
}
