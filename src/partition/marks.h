/* marks.h - which partitions are ready and which have gone: a bit each, set by any thread, taken by who holds the big
 * lock.
 *
 *     ready    1 1 0 1 1 1 0 0        set by MPI_Pready, without the lock
 *     gone     1 1 0 0 0 0 0 0        by who sends
 *     fresh          1 1 1            runs of these are sent as one message where they are short
 */
#ifndef TF_MARKS_H
#define TF_MARKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct tf_marks {
    int number;
    int first;         /* word of bits that has not gone yet */
    _Atomic bool news; /* one has been set since tf_marks_heard() */
    uint64_t *gone;
    _Atomic uint64_t *ready;
};

/* All are set and gone: nothing can be marked before tf_marks_clear().  False: no memory, recorded. */
bool tf_marks_open(struct tf_marks *marks, int number);
void tf_marks_close(struct tf_marks *marks);
void tf_marks_clear(struct tf_marks *marks);

/* By any thread.  The first of `low` to `high` that is set already, or -1: then all are, from now on. */
int tf_marks_set(struct tf_marks *marks, int low, int high);
bool tf_marks_has(const struct tf_marks *marks, int i);

/* Under the lock: whether it is worth looking. */
static inline bool tf_marks_heard(struct tf_marks *marks)
{
    return atomic_load_explicit(&marks->news, memory_order_relaxed) && atomic_exchange(&marks->news, false);
}
/* The next run that is fresh, of at most `most` partitions: its length, 0 if there is none. */
int tf_marks_run(struct tf_marks *marks, int most, int *first);
/* It has gone. */
void tf_marks_go(struct tf_marks *marks, int first, int length);

#endif
