/* boxes.c - numbers with an address, in a tree by their addresses.
 */
#include "boxes.h"

#include <pthread.h>
#include <search.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *tree;

static int by_address(const void *a, const void *b)
{
    return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

void *tf_box(MPI_Aint value)
{
    MPI_Aint *box = malloc(sizeof *box);
    if (!box)
        return NULL;
    *box = value;
    pthread_mutex_lock(&lock);
    bool kept = tsearch(box, &tree, by_address) != NULL;
    pthread_mutex_unlock(&lock);
    if (kept)
        return box;
    free(box);
    return NULL;
}

bool tf_is_box(const void *value)
{
    pthread_mutex_lock(&lock);
    bool found = tfind(value, &tree, by_address) != NULL;
    pthread_mutex_unlock(&lock);
    return found;
}

void tf_box_free(void *value)
{
    pthread_mutex_lock(&lock);
    bool found = tfind(value, &tree, by_address) != NULL;
    if (found)
        tdelete(value, &tree, by_address);
    pthread_mutex_unlock(&lock);
    if (found)
        free(value);
}

MPI_Aint tf_unbox(int keyval, void *value)
{
    switch (keyval) {
    case MPI_TAG_UB:
    case MPI_IO:
    case MPI_HOST:
    case MPI_WTIME_IS_GLOBAL:
    case MPI_APPNUM:
    case MPI_LASTUSEDCODE:
    case MPI_UNIVERSE_SIZE:
    case MPI_WIN_DISP_UNIT:
    case MPI_WIN_CREATE_FLAVOR:
    case MPI_WIN_MODEL:
        return *(int *)value;
    case MPI_WIN_SIZE:
        return *(MPI_Aint *)value;
    default:
        return tf_is_box(value) ? *(MPI_Aint *)value : (MPI_Aint)value;
    }
}
