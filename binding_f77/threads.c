/* threads.c - POSIX threads in static programs.
 *
 * libgfortran refers to these functions weakly, and takes all of them to be there when one is.  An archive brings only
 * those that somebody asks for; libmpi_abi asks for a few, and then libgfortran would call the others through null
 * pointers.  So they are asked for here.
 */
#include <pthread.h>

#include "fortran.h"

#define FUNCTION(name) (tf_thread_function *)name

tf_thread_function *const tf_thread_functions[] = {
    FUNCTION(pthread_cond_broadcast), FUNCTION(pthread_cond_destroy), FUNCTION(pthread_cond_init),
    FUNCTION(pthread_cond_wait),      FUNCTION(pthread_create),       FUNCTION(pthread_getspecific),
    FUNCTION(pthread_join),           FUNCTION(pthread_key_create),   FUNCTION(pthread_key_delete),
    FUNCTION(pthread_mutex_destroy),  FUNCTION(pthread_mutex_init),   FUNCTION(pthread_mutex_lock),
    FUNCTION(pthread_mutex_trylock),  FUNCTION(pthread_mutex_unlock), FUNCTION(pthread_self),
    FUNCTION(pthread_setspecific),
};
