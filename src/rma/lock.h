/* lock.h - the lock of a process's memory in a window: one that writes, or many that read; first come, first served,
 * but for those who hold another one. */
#ifndef TF_RMA_LOCK_H
#define TF_RMA_LOCK_H

#include "rma/win.h"

/* That rank wants this process's lock: it is told when it has it. */
void tf_lock_ask(struct tf_win *win, int rank, enum tf_win_want want);
/* One that had it gives it back. */
void tf_lock_return(struct tf_win *win, int rank);
/* The window goes, and no pass looks for those who wait any more. */
void tf_lock_rest(struct tf_win *win);

/* An operation wants to go to that target: somebody has to be asked for its lock now, if it is held for all. */
void tf_lock_want(struct tf_target *target);
/* The same; true if it is here now. */
bool tf_lock_now(struct tf_target *target);

/* By a call that is done at once, and may be one of a loop that waits for what others do. */
void tf_lock_let_in(const struct tf_win *win);
/* Each such call lets messages in, or few do. */
void tf_lock_let_in_often(struct tf_win *win, bool often);

#endif
