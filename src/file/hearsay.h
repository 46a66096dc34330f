/* hearsay.h - the words of an error, from the rank that has them to the next one, and so on round all ranks.
 *
 * Slow, and without memory of its own: for what hardly ever is, where a collective would have to be prepared each time.
 */
#ifndef TF_HEARSAY_H
#define TF_HEARSAY_H

#include "msg/transfer.h"

struct tf_hearsay {
    struct tf_comm *comm; /* the caller's, as are the root and a tag that nobody else uses */
    int root, tag;
    char words[320]; /* at the root: to be told */
    bool heard, passed;
    int under_way; /* messages */
    struct tf_send send;
    struct tf_recv recv;
};

void tf_hearsay_begin(struct tf_hearsay *hearsay);
bool tf_hearsay_advance(struct tf_hearsay *hearsay); /* true: it is over, and the words are here */

#endif
