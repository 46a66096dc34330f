/* exchange.h - a collective access by rounds (rounds.h): ranks and aggregators exchange, aggregators access the file.
 *
 *     write   rank: list, data  -->  aggregator: data into their places in the range, and the range into the file
 *     read    rank: list        -->  aggregator: the range out of the file
 *             rank: data        <--
 *
 * A list is what the rank's view shows of the round's range (stretch.h), so nobody needs to know the views of others.
 * Nothing waits for all: a rank's data of some rounds are under way, an aggregator has two ranges in memory.  After an
 * error on a rank, be it of memory or of the file, it still exchanges all that others wait for.
 */
#ifndef TF_EXCHANGE_H
#define TF_EXCHANGE_H

#include "file/cursor.h"
#include "file/rounds.h"
#include "file/stream.h"

struct tf_exchange_out;
struct tf_exchange_slot;

struct tf_exchange {
    /* The caller's. */
    struct tf_file *file;
    const struct tf_view *view;
    const struct tf_rounds *rounds;
    struct tf_stream *stream;
    MPI_Count from; /* byte of the view where the stream begins */
    bool write;
    bool working;      /* the file is accessed by threads of the library */
    uint32_t sequence; /* the same on all ranks, another for each access of the file */

    /* What comes out, once it is over. */
    int error; /* of this rank, the first; its words: */
    char words[320];
    size_t moved; /* bytes of the stream */

    bool begun;
    struct tf_walk cursor;
    MPI_Count next_out, next_slot; /* the first rounds not begun: as a rank, as an aggregator */
    int nouts, nslots;
    struct tf_exchange_out *outs;
    struct tf_exchange_slot *slots;
};

/* Allocate all that rounds->size and the aggregators tell: what may fail before ranks count on each other.  After an
 * error nothing has to be closed. */
int tf_exchange_open(struct tf_exchange *x);
/* The rounds are decided, and there is an exchange. */
void tf_exchange_begin(struct tf_exchange *x);
/* Go on; true if it is over. */
bool tf_exchange_advance(struct tf_exchange *x, bool *moved);
void tf_exchange_close(struct tf_exchange *x);

#endif
