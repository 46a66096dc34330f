/* own.c - see own.h. */
#include "base/own.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

typedef char pieces[TF_NOWN][TF_OWN_BYTES];

static pthread_key_t key;
static bool have_key;

/* The library may have been unloaded by the time a thread ends: what the system calls then is not ours. */
static void make_key(void)
{
    have_key = pthread_key_create(&key, free) == 0;
}

void *tf_own(enum tf_own whose)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static _Alignas(max_align_t) pieces shared;
    pthread_once(&once, make_key);
    pieces *mine = have_key ? pthread_getspecific(key) : NULL;
    if (!mine && have_key && (mine = calloc(1, sizeof *mine)) && pthread_setspecific(key, mine) != 0) {
        free(mine);
        mine = NULL;
    }
    return mine ? (*mine)[whose] : shared[whose];
}
