/* waiting.h - what this process waits for, for whoever asks from outside: `mpiexec -timeout` at the end of its
 * patience.
 *
 * Written by whoever waits, two words on the way into a wait; read by a signal handler (env/report.c).
 */
#ifndef TF_WAITING_H
#define TF_WAITING_H

enum tf_waits_for {
    TF_WAITS_NOT,
    TF_WAITS_RECV,     /* object: struct tf_recv */
    TF_WAITS_SEND,     /* struct tf_send */
    TF_WAITS_REQUEST,  /* struct tf_request */
    TF_WAITS_REQUESTS, /* any or some of several */
    TF_WAITS_PROBE,    /* struct tf_comm */
    TF_WAITS_RUN,      /* struct tf_run, a collective */
    TF_WAITS_BUFFERED,
};

extern struct tf_waiting {
    enum tf_waits_for kind;
    const void *object;
    const void *peer; /* struct tf_peer of TF_WAITS_RUN, or NULL */
} tf_waiting;

static inline void tf_waiting_begin(enum tf_waits_for kind, const void *object, const void *peer)
{
    tf_waiting = (struct tf_waiting){kind, object, peer};
}
static inline void tf_waiting_end(void)
{
    tf_waiting.kind = TF_WAITS_NOT;
}

#endif
