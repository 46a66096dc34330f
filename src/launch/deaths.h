/* deaths.h - which processes have ended, in a job that goes on without them: a file that mpiexec writes and all
 * processes that it has started read, without asking anybody.
 *
 * Entries are never taken back.  mpiexec writes an entry and then, after it, the count.  It leaves the name of the file
 * in the environment.
 */
#ifndef TF_DEATHS_H
#define TF_DEATHS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define TF_DEATHS_VARIABLE "MPIEXEC_DEATHS" /* in the environment: the file's name */
enum { TF_DEATHS_MOST = 100000 };           /* address space, which becomes memory as processes end */

struct tf_death {
    char job[80]; /* its name */
    int32_t rank; /* there */
    int32_t pid;
    char how[72]; /* "was killed by signal 9 (Killed)" */
};

struct tf_deaths {
    _Atomic uint32_t count;
    uint32_t unused[15];
    struct tf_death each[TF_DEATHS_MOST];
};

#endif
