/* progress.h - one pass over everything that can advance, and tasks, which each pass advances. */
#ifndef TF_PROGRESS_H
#define TF_PROGRESS_H

#include "net/net.h"

void tf_msg_look_soon(void); /* the next pass looks around, as one of some thousand, or of eight, does */
bool tf_msg_progress(void);  /* one pass over everything; true if anything moved */
/* The pass of a call that says what has come and returns, as in a loop of MPI_Test or MPI_Iprobe.  Where processors are
 * shared it gives its own to others now and then, since whoever is waited for may need it. */
void tf_msg_glance(void);
void tf_msg_offer(void); /* the processor, to others, where it is shared */

/* Something that wants to be advanced in every pass, by one thread at a time if it lends the lock, until advance() says
 * (true) that it is at its end; then, out of the list, finished() is called and may free it. */
struct tf_task {
    struct tf_task *next, **link;
    bool (*advance)(struct tf_task *task, bool *moved);
    void (*finished)(struct tf_task *task);
};
void tf_task_add(struct tf_task *task);
const struct tf_task *tf_task_first(void); /* of those under way; NULL: there are none */
void tf_task_remove(struct tf_task *task); /* not from within a pass */

/* Whether something depends on this process looking at it: a task, a posted receive, a message on its way. */
bool tf_msg_under_way(void);

/* Operations that wait for messages which are not matched, so that no receive is posted for them. */
extern uint32_t tf_msg_awaited;

/* Objects of which others ask something by messages at any time, while this process may have nothing under way: whoever
 * waits looks often. */
extern uint32_t tf_msg_served;

/* Operations under way that may call a function of the program, an operator. */
extern uint32_t tf_msg_callbacks;

#endif
