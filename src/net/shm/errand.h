/* errand.h - a short read or write of a neighbor's memory that the neighbor does, if it looks at once.
 *
 * A call of the system costs as much as several messages, on some machines as eight.  A process that is in MPI looks at
 * its rings all the time, and one that computes does not: so it is asked, and whoever claims the errand first does it.
 *
 *     this process      the claim is ASKED, in the cell; looks until it is DONE.  After as long as a call of the system
 *                       takes: ASKED -> WITHDRAWN, and it makes the call
 *     the neighbor      ASKED -> TAKEN; copies, to its memory or into the cell's payload; DONE.  What it finds
 *                       WITHDRAWN it leaves alone
 *
 * After one in vain the neighbor is asked again when it has come past that cell, as it then looks; one that sleeps is
 * asked, which wakes it, for one move of many.
 * Who waits for an errand does those of others that have come, and nothing else: two that run errands for each other
 * both have them done.
 *
 * Which of the two costs less depends on the machine, on where the two run and on what is moved, and is measured: of
 * each class of moves what was better, and now and then a few the other way.
 */
#ifndef TF_SHM_ERRAND_H
#define TF_SHM_ERRAND_H

#include <sys/uio.h>

#include "net/net.h"

/* Nanoseconds; 0: it is not known. */
struct tf_errand_price {
    uint32_t errand, call, moves;
};
enum { TF_ERRAND_CLASSES = 8 };

struct tf_errand {
    struct tf_peer *peer;
    const struct tf_net_rows *rows;
    size_t bytes, all;        /* of it; that the call would move */
    struct tf_net_rows first; /* of rows that are too long, its own */
    struct iovec there, here;
    struct tf_errand_price *price; /* NULL: it is none, but too long */
    int64_t began;
};

void tf_errand_setup(void); /* its messages have a handler */
/* Whether the neighbor has done it: errand->bytes, of one long row the first.  Peer and rows were filled in. */
bool tf_errand_run(struct tf_errand *errand);
/* It had not, and the call was made. */
void tf_errand_called(const struct tf_errand *errand);

#endif
