/* worker.h - threads of the library that read and write while the program goes on.
 *
 * They know nothing of MPI: no lock, no messages, no function of the program.  Who waits in MPI is woken when work is
 * done, and a task (msg/progress.h) looks at `done`.
 */
#ifndef TF_WORKER_H
#define TF_WORKER_H

#include <stdatomic.h>

#include "base/base.h"

struct tf_work {
    struct tf_work *next;
    void (*run)(struct tf_work *work); /* on a thread of the library, signals blocked */
    bool brief;                        /* the worker's own: see tf_worker_submit() */
    _Atomic bool done;                 /* set after run() has returned: it is the owner's again */
};

/* Begin; if no thread can be had it is done when this returns.  `brief`: it takes less than to wake a thread, mostly,
 * so a thread that works does it too.  With the big lock held. */
void tf_worker_submit(struct tf_work *work, bool brief);
/* Whether no thread has begun it, nor will: it is the caller's again, not done. */
bool tf_worker_take_back(struct tf_work *work);
/* Wait, without MPI's progress, until it is done. */
void tf_worker_await(struct tf_work *work);
/* End the threads, which have nothing to do any more. */
void tf_worker_stop(void);

#endif
