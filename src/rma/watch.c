/* watch.c - what a language binding hangs on a window: functions that are called when the operations on a target are
 * complete at this process. */
#include "rma/watch.h"

#include "rma/epoch.h"

int tf_win_attach_x(struct tf_win *win, int rank, MPIX_Request_function_x *completed,
                    MPIX_Destructor_function *destructor, void *context)
{
    int err = tf_win_check_rank(win, "rank", rank);
    struct tf_win_watch *watch = err ? NULL : tf_alloc(sizeof *watch, "functions of a window");
    if (!watch)
        return err ? err : MPI_ERR_NO_MEM;
    *watch = (struct tf_win_watch){win->watches, rank, completed, destructor, context};
    win->watches = watch;
    if (rank == MPI_PROC_NULL)
        tf_watch_tell(win, rank);
    return MPI_SUCCESS;
}

void tf_watch_tell(struct tf_win *win, int rank)
{
    struct tf_win_watch **link = &win->watches;
    while (*link) {
        struct tf_win_watch *watch = *link;
        if (rank != TF_EPOCH_ALL && watch->rank != rank) {
            link = &watch->next;
            continue;
        }
        *link = watch->next;
        if (watch->completed)
            watch->completed(watch->context);
        if (watch->destructor)
            watch->destructor(watch->context);
        free(watch);
    }
}
