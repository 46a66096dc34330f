/* watch.h - see watch.c. */
#ifndef TF_WATCH_H
#define TF_WATCH_H

#include "rma/win.h"

struct tf_win_watch {
    struct tf_win_watch *next;
    int rank;
    MPIX_Request_function_x *completed;
    MPIX_Destructor_function *destructor;
    void *context;
};

/* Those of that rank, or of TF_EPOCH_ALL, are called and gone. */
void tf_watch_tell(struct tf_win *win, int rank);

#endif
