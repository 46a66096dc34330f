/* exchange_range.c - an aggregator writes or reads the range of a round. */
#include "file/exchange_parts.h"

#include <stdio.h>

#include "base/lines.h"
#include "file/sieve.h"

/* Do others of the node store into the range? */
static bool others_store(const struct tf_exchange_slot *slot)
{
    int n = 0;
    for (int i = 0; i < slot->nins; i++)
        n += slot->ins[i].placed;
    return n > 1;
}

/* The next round's data come to the same memory. */
static int write_some(struct tf_exchange_slot *slot, const struct tf_piece *pieces, int n, bool takes_lines)
{
    int err = tf_disk_write_pieces(slot->x->file, pieces, n, slot->buffer, slot->begin);
    for (int i = 0; takes_lines && i < n; i++)
        tf_lines_take(slot->buffer + (pieces[i].begin - slot->begin), (size_t)(pieces[i].end - pieces[i].begin));
    return err;
}

/* What ranks have given, and no hole. */
static int write_range(struct tf_exchange_slot *slot)
{
    enum { SOME = 256 };
    struct tf_piece pieces[SOME];
    int n = 0, last = 0, err = MPI_SUCCESS;
    bool takes_lines = tf_lines_are_taken() && others_store(slot);
    while (!err && tf_stretch_cover(slot->walks, slot->nwalks, 1, &last, &pieces[n].begin, &pieces[n].end))
        if (++n == SOME) {
            err = write_some(slot, pieces, n, takes_lines);
            n = 0;
        }
    return err || n == 0 ? err : write_some(slot, pieces, n, takes_lines);
}

/* Holes that are shorter than this are read too. */
enum { HOLE = 64 * 1024 };

static int read_range(struct tf_exchange_slot *slot)
{
    return tf_sieve_read(slot->x->file, slot->walks, slot->nwalks, HOLE, slot->buffer, slot->begin, &slot->eof);
}

/* Perhaps on a thread of the library. */
static void access_file(struct tf_exchange_slot *slot)
{
    slot->nwalks = 0;
    for (int i = 0; i < slot->nins; i++)
        if (!slot->ins[i].lost)
            slot->walks[slot->nwalks++] = (struct tf_stretch_walk){.list = &slot->ins[i].list};
    slot->error = slot->x->write ? write_range(slot) : read_range(slot);
    const char *words = slot->error ? tf_error_text(slot->error) : NULL;
    snprintf(slot->words, sizeof slot->words, "%s", words ? words : "");
}

static void work(struct tf_work *work)
{
    access_file(TF_CONTAINER(work, struct tf_exchange_slot, work));
}

void tf_exchange_access(struct tf_exchange_slot *slot)
{
    slot->state = SLOT_WORKS;
    slot->work = (struct tf_work){.run = work};
    if (slot->x->working) {
        tf_worker_submit(&slot->work, false);
    } else {
        access_file(slot);
        slot->work.done = true;
    }
}
