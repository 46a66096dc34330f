/* id.c - small numbers for the sends and receives that a message of another process names (CTS, DATA, ACK). */
#include "msg/transfer.h"

enum { FEW = 64 }; /* need no allocation */

static struct slot {
    void *object; /* NULL: none */
    const struct tf_id_kind *kind;
    uint32_t next_free;
} few[FEW], *slots = few;
static uint32_t nslots, first_free, used;

static bool grow(void)
{
    uint32_t n = nslots ? 2 * nslots : FEW;
    struct slot *bigger = n == FEW ? few : realloc(nslots == FEW ? NULL : slots, n * sizeof *slots);
    if (!bigger) {
        tf_error(MPI_ERR_NO_MEM, "cannot allocate the table of %u long messages under way", n);
        return false;
    }
    if (nslots == FEW)
        memcpy(bigger, few, sizeof few);
    slots = bigger;
    for (uint32_t i = n; i-- > (nslots ? nslots : 1);) { /* id 0 means none */
        slots[i] = (struct slot){NULL, NULL, first_free};
        first_free = i;
    }
    nslots = n;
    return true;
}

uint32_t tf_id_try(void *object, const struct tf_id_kind *kind)
{
    if (!first_free && !grow())
        return 0;
    uint32_t id = first_free;
    first_free = slots[id].next_free;
    slots[id].object = object;
    slots[id].kind = kind;
    used++;
    return id;
}

uint32_t tf_id_take(void *object, const struct tf_id_kind *kind)
{
    uint32_t id = tf_id_try(object, kind);
    if (!id)
        tf_fatal(1, "no memory for the table of long messages under way");
    return id;
}

void *tf_id_object(uint32_t id)
{
    return slots[id].object;
}

void tf_id_give(uint32_t id)
{
    slots[id] = (struct slot){NULL, NULL, first_free};
    first_free = id;
    used--;
}

void tf_id_lose(const struct tf_peer *peer)
{
    for (uint32_t id = 1; id < nslots; id++)
        if (slots[id].object && slots[id].kind->peer(slots[id].object) == peer)
            slots[id].kind->lost(slots[id].object);
}

bool tf_id_any(void)
{
    return used > 0;
}
