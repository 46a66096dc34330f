/* soft.h - numbers of processes that will do, as the info key soft and mpiexec's -soft have them (MPI-5.0
 * section 11.8.4): Fortran triplets "a", "a:b" and "a:b:c" with commas between.
 *
 * Pure, and for mpiexec too, which nothing else of the library is in.
 */
#ifndef TF_SOFT_H
#define TF_SOFT_H

enum { TF_SOFT_NONE = -1, TF_SOFT_WRONG = -2 };
#define TF_SOFT_WORDS "numbers a, ranges a:b or steps a:b:c, with commas"

/* The greatest number of the set that is not above `most`; TF_SOFT_NONE: all are, or negative; TF_SOFT_WRONG: `soft` is
 * no such set. */
int tf_soft_choose(const char *soft, int most);

#endif
