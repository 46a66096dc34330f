/* id.c - small numbers for the sends and receives that a message of another process names (CTS, DATA, ACK). */
#include "msg/wire.h"

static struct slot {
    void *object;
    uint32_t next_free;
} * slots;
static uint32_t nslots, first_free, used;

static bool grow(void)
{
    uint32_t n = nslots ? 2 * nslots : 64;
    struct slot *bigger = realloc(slots, n * sizeof *slots);
    if (!bigger) {
        tf_error(MPI_ERR_NO_MEM, "cannot allocate the table of %u long messages under way", n);
        return false;
    }
    slots = bigger;
    for (uint32_t i = n; i-- > (nslots ? nslots : 1);) { /* id 0 means none */
        slots[i] = (struct slot){NULL, first_free};
        first_free = i;
    }
    nslots = n;
    return true;
}

uint32_t tf_id_take(void *object)
{
    if (!first_free && !grow())
        tf_fatal(1, "no memory for the table of long messages under way");
    uint32_t id = first_free;
    first_free = slots[id].next_free;
    slots[id].object = object;
    used++;
    return id;
}

void *tf_id_object(uint32_t id)
{
    return slots[id].object;
}

void tf_id_give(uint32_t id)
{
    slots[id] = (struct slot){NULL, first_free};
    first_free = id;
    used--;
}

bool tf_id_any(void)
{
    return used > 0;
}
