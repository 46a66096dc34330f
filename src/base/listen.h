/* listen.h - news for whoever listens (tool/): told where they happen, for one predicted branch where nobody does. */
#ifndef TF_LISTEN_H
#define TF_LISTEN_H

#include "base/base.h"

/* With the elements of each, in this order; comm: the communicator's handle as an integer, 0 while it is being made. */
enum tf_news {
    TF_NEWS_ARRIVED,  /* a message without a receive: comm, source, tag, bytes */
    TF_NEWS_TAKEN,    /* that message, by its receive, or back by its sender: the same */
    TF_NEWS_BEGUN,    /* a collective of the program: comm, enum tf_coll, row of its algorithm, bytes, number */
    TF_NEWS_ENDED,    /* the same, and its error class */
    TF_NEWS_MISMATCH, /* ranks disagree: comm, number of the collective, rank of the other */
    TF_NEWS_FAILED,   /* a process cannot be reached: its rank in its job */
    TF_NEWS_POSTED,   /* a receive that waits: how many there are */
    TF_NEWS_KINDS
};
enum { TF_NEWS_ELEMENTS = 6 };

extern unsigned tf_listen_to; /* a bit for each that somebody wants to hear of */
extern void (*tf_listen_hear)(enum tf_news news, const int64_t *elements);

#define tf_listen_tell(news, ...)                                                                                      \
    do {                                                                                                               \
        if (TF_UNLIKELY(tf_listen_to & 1u << (news)))                                                                  \
            tf_listen_hear(news, (const int64_t[TF_NEWS_ELEMENTS]){__VA_ARGS__});                                      \
    } while (0)

#endif
