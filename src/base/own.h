/* own.h - what each thread has of its own: the texts of errors, above all.
 *
 * Not in the loader's thread-local memory.  One variable of that is reached without a call (lock.c), and then all that
 * the library has there must fit into the little that the loader keeps for libraries that come at run time, 1.6 KB for
 * all of them together: more, and programs in R or Python that have loaded OpenMP before cannot load MPI.
 */
#ifndef TF_BASE_OWN_H
#define TF_BASE_OWN_H

/* Who has a piece of it. */
enum tf_own {
    TF_OWN_ERROR,
    TF_OWN_HANDLE,
    TF_OWN_COMM,
    TF_OWN_WIN,
    TF_OWN_FILE,
    TF_OWN_SESSION,
    TF_OWN_PEER,
    TF_OWN_FAILURE,
    TF_OWN_WAITS,
    TF_NOWN
};
enum { TF_OWN_BYTES = 416 }; /* of a piece */

/* A piece, zeroed at first, which ends with the thread.  Never NULL: where there is no memory threads share one. */
void *tf_own(enum tf_own whose);

#endif
