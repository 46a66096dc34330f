/* thread.h - the progress thread (setting progress_thread): advances operations while the program computes.
 */
#ifndef TF_THREAD_H
#define TF_THREAD_H

#include "base/base.h"
#include "base/settings.h"

/* From now on it is called where a call leaves something behind that only passes of progress send, if the setting is
 * on. */
void tf_msg_thread_open(void);
/* There may be something for it to do; the first call starts it.  With the big lock held. */
void tf_msg_thread_call(void) TF_COLD;
static inline void tf_msg_thread_wake(void)
{
    if (TF_UNLIKELY(tf_settings.progress_thread))
        tf_msg_thread_call();
}
/* One thing more, or with -1 less, of which others ask something at any time: a window, a pointer of all.  While there
 * are some it does not wait for work of this process's own.  With the big lock held. */
void tf_msg_thread_serve(int more);
/* End it and wait until it has ended. */
void tf_msg_thread_stop(void);

#endif
