/* launch.h - what a process manager tells this process: who am I, how many are we, and small facts exchanged at start.
 *
 * Clients: PMI-1 (PMI_FD, PMI_RANK and PMI_SIZE in the environment: our mpiexec, Hydra, Slurm), PMIx (PMIX_NAMESPACE
 * and PMIX_RANK: Slurm, PRRTE, Open MPI's mpirun) and the singleton.
 */
#ifndef TF_LAUNCH_H
#define TF_LAUNCH_H

#include "base/base.h"

/* The number of processes of the job, also before tf_launch_open(), as far as the environment tells; otherwise 1. */
int tf_launch_size(void);
/* How many of this program were asked for, where Treefold's mpiexec says so in the environment; else of the whole job.
 */
int tf_launch_asked(void);
#define TF_ASKED_VARIABLE "MPIEXEC_MAXPROCS"
int tf_launch_open(void); /* sets tf_job */
/* The hash (FNV-1a) of what `hash` is of, and that text behind it. */
uint64_t tf_launch_hash(uint64_t hash, const char *text);
#define TF_LAUNCH_HASH UINT64_C(0xcbf29ce484222325) /* of nothing */
/* The key-value space of the job.  A value is visible to everybody after the next barrier.  Keys: at most 63
 * characters, no two of the job alike.  Values: at most TF_LAUNCH_VALUE printable characters without spaces, '=' or
 * ';'. */
#define TF_LAUNCH_VALUE 1000
int tf_launch_put(const char *key, const char *value);
int tf_launch_get(int rank, const char *key, char *value, size_t capacity); /* what `rank` has put */
/* The same for bytes of any length: a look-up for each 741 of them. */
int tf_launch_put_bytes(const char *key, const void *bytes, size_t length);
int tf_launch_get_bytes(int rank, const char *key, void *bytes, size_t capacity, size_t *length_p);
int tf_launch_get_all(int rank, const char *key, void **bytes_p, size_t *length_p); /* to be freed by the caller */
int tf_launch_barrier(void);
/* The same in two steps, between which other things can be done; where the launcher has that only in one, this is it.
 */
int tf_launch_barrier_begin(void);
bool tf_launch_barrier_is_over(int *err);
/* Where the launcher shows values without a barrier of all: what this process has put can be seen from now on by
 * whoever looks for it.  What is put later is visible after a barrier.  Needs nobody else. */
int tf_launch_show(void);
bool tf_launch_shows(void); /* whether it does */
/* Whether a look-up for that would not have to wait for that process any more: it has shown it, or never will. */
bool tf_launch_has(int rank, const char *key);
/* What else it knows, in *value; false: it does not say.  The launcher is asked once. */
enum tf_launch_fact {
    TF_LAUNCH_APPNUM,        /* which of the programs that were started together this one is: from 0 */
    TF_LAUNCH_UNIVERSE_SIZE, /* how many processes there may be in all, with those that are started later */
    TF_LAUNCH_FACTS
};
bool tf_launch_knows(enum tf_launch_fact fact, int *value);
/* Ask the launcher to end the whole job; returns if it cannot be told (the caller then exits by itself). */
void tf_launch_abort(int exit_code, const char *message);
/* The normal end; after it the launcher no longer takes this process's exit for a failure. */
int tf_launch_close(void);
/* As if it had been the end, without a word to the launcher: a process made by fork() leaves that to its parent. */
void tf_launch_forget(void);
/* After that, where the launcher allows it: the job is open again, tf_job and the keys are what they were. */
int tf_launch_reopen(void);
bool tf_launch_returns(void); /* whether it does */
/* Memory that the launcher keeps for the processes of the job, all of which are on its machine, until the last has
 * ended: the name of its file.  Zeroed at first; everybody asks for as many bytes.  Needs nobody else. */
int tf_launch_memory(size_t bytes, char *name, size_t capacity);
bool tf_launch_has_memory(void);
/* ---- sets of processes to which who has started the job gave names ---- */

struct tf_launch_pset {
    const char *name;
    const bool *has; /* [size of the job] */
};
/* The i-th, from 0; NULL: there are fewer.  The launcher is asked once. */
const struct tf_launch_pset *tf_launch_pset(int i);

/* ---- jobs that grow and meet ---- */

/* A program to be started; keys and values of hints. */
struct tf_launch_app {
    const char *command;
    char *const *argv; /* without the command; ends with NULL */
    int nprocs;
    const char *(*hints)[2];
    int nhints;
};
/* A job that was started. */
struct tf_launch_spawned {
    char job[80];  /* its name; "": the launcher does not say */
    uint32_t read; /* deaths that were looked at */
    char how[72];  /* its first process has ended */
};
/* Start these processes as one job, to which `port` is known as that of its parent.  MPI_ERR_SPAWN: none is left. */
int tf_launch_spawn(const struct tf_launch_app *apps, int napps, const char *port, struct tf_launch_spawned *spawned);
/* How the first of them has ended ("was killed by signal 9"); NULL: it has not, as far as the launcher tells. */
const char *tf_launch_spawned_end(struct tf_launch_spawned *spawned);
/* The port of who has started this job; false: nobody has. */
bool tf_launch_parent(char *port, size_t capacity);
/* This process is not connected with the job of that name any more. */
void tf_launch_part(const char *job);
/* Names of services, of all processes that the launcher has started.  MPI_ERR_SERVICE where it has no such thing, or
 * the name is known already or (unpublish) not; MPI_ERR_NAME where lookup finds none. */
int tf_launch_publish(const char *service, const char *port);
int tf_launch_unpublish(const char *service);
int tf_launch_lookup(const char *service, char *port, size_t capacity);

/* ---- who has ended, in a job that goes on without them (deaths.h) ---- */

struct tf_death;
void tf_launch_deaths_open(void);
bool tf_launch_tells_deaths(void);                  /* whether the launcher does */
uint32_t tf_launch_deaths(void);                    /* of so many processes up to now */
const struct tf_death *tf_launch_death(uint32_t i); /* of any job that it has started, from 0; NULL: there are fewer */
/* That process and this one cannot reach each other any more, for the reason that is given.  True: the launcher ends
 * one of the two, and tells of its death; false: it does not concern itself with that. */
bool tf_launch_apart(const char *job, int rank, const char *why);

/* Of client i in words: what starts processes so, and "" or how that is here; false: there is none. */
bool tf_launch_describe(int i, const char **name, const char **what, const char **here);
/* The client in use: "pmi1", "pmix" or "singleton". */
const char *tf_launch_name(void);

#endif
