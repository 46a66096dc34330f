/* wire.h - the messages between the processes of a window: all are of the kind RMA.
 *
 *   verb (tag)  context        source            id       payload, and what the other side does
 *   PUT         -              rank              window   struct tf_piece, data; without data: BYTES follow
 *   GET         -              rank              window   struct tf_piece; answers DATA
 *   COMBINE     -              rank              window   struct tf_piece, data: accumulates; answers DATA if asked to,
 *                                                         else the same
 *   BYTES       -              rank              window   data of the latest PUT or COMBINE without
 *   SWAP        -              rank              window   struct tf_piece, what to compare with, the new value; DATA
 *   TYPE        slot           rank              window   struct tf_type_part, bytes of a description: describe.h
 *   DATA        -              id of the op      window   the next of the bytes that it has asked for
 *   FETCH       address there  rank              window   struct tf_fetch_ask (fetch.h); answers FETCHED
 *   FETCHED     the old value  id of the fetch   window   -
 *   MARK        number         rank              window   -; answers MARKED when all that came before is done
 *   MARKED      number         rank              window   -
 *   REFUSED     bytes          id of the op, 0   window   rank, words: so much of it could not be done
 *   LOCK        exclusive      rank              window   -; answers GRANTED when it is this one's turn
 *   GRANTED     -              rank              window   -
 *   UNLOCK      number         rank              window   -; answers MARKED
 *   POST        -              rank              window   -
 *   COMPLETE    -              rank              window   -
 *   REGION      -              rank              window   -; answers KEY
 *   KEY         -              rank              window   that of its memory for the network (region.h); none: nothing
 *   GONE        -              -                 window   -; here the number is that of the sender, which has no such
 *                                                         window (any more), as one of its processes has died
 *
 * `window` is its number at the receiver.  What one process sends another arrives in order, and is done at once when it
 * has arrived: no piece needs an answer to be known to be done, but a MARK behind it, or a COMPLETE.
 *
 * A long operation is many pieces, each of which says all that the target needs: it keeps nothing between them.  The
 * sender of those that are answered sees to it that never more than TF_PIECES_ASKED bytes are on their way back to it.
 * Where a network sends data from where they lie, and takes them to where they are wanted, a put or an accumulate is
 * one piece and then bytes that nothing stands before; the target keeps how far it is.  No other operation on that
 * window comes in between.  Pieces of gets are longer, as their answers need no memory: TF_PIECES_GOT bytes are asked
 * for.
 */
#ifndef TF_RMA_WIRE_H
#define TF_RMA_WIRE_H

#include "net/handler.h"

enum tf_verb {
    TF_VERB_PUT,
    TF_VERB_GET,
    TF_VERB_COMBINE,
    TF_VERB_BYTES,
    TF_VERB_SWAP,
    TF_VERB_TYPE,
    TF_VERB_DATA,
    TF_VERB_FETCH,
    TF_VERB_FETCHED,
    TF_VERB_MARK,
    TF_VERB_MARKED,
    TF_VERB_REFUSED,
    TF_VERB_LOCK,
    TF_VERB_GRANTED,
    TF_VERB_UNLOCK,
    TF_VERB_POST,
    TF_VERB_COMPLETE,
    TF_VERB_REGION,
    TF_VERB_KEY,
    TF_VERB_GONE,
};

enum { TF_PIECES_ASKED = 1 << 18, TF_PIECES_GOT = 1 << 20 };

/* Bytes [position, position + length) of the packed stream of `count` elements at `at`. */
struct tf_piece {
    uint64_t at, count, position;
    uint32_t length;
    uint32_t type;    /* handle of a predefined datatype, or TF_PIECE_SLOT and the slot of a described one */
    uint32_t element; /* handle of the predefined datatype that an accumulate is of, or TF_PIECE_BINNED... */
    uint32_t asker;   /* id of the operation that wants the bytes that were there before; 0: nobody does */
    uint32_t op;      /* handle of the operator */
    uint32_t unused;
};

enum { TF_PIECE_SLOT = 1 << 16, TF_PIECE_BINNED = 1, TF_PIECE_COMPLEX_BINNED = 2 };

struct tf_type_part {
    uint64_t total, position; /* bytes */
};

#endif
