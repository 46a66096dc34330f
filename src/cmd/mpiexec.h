/* mpiexec.h - what the files of mpiexec share: one job, its ranks, and what is kept of each.
 *
 *     mpiexec.c         main, the loop over signals and descriptors, how a job ends
 *     mpiexec_args.c    the command line
 *     mpiexec_foreign.c options of other launchers
 *     mpiexec_config.c  the command line in a file
 *     mpiexec_hosts.c   the hosts that the job is for
 *     mpiexec_engine.c  what starts processes on other machines
 *     mpiexec_spawn.c   a rank's process is started
 *     mpiexec_bind.c    on which processors
 *     mpiexec_limits.c  how many files may be open
 *     mpiexec_world.c   processes that were started together: those of the command line, or of one MPI_Comm_spawn
 *     mpiexec_pmi.c     the PMI-1 server
 *     mpiexec_grow.c    its command that starts more processes
 *     mpiexec_names.c   its names of services
 *     mpiexec_psets.c   its process sets
 *     mpiexec_output.c  whole lines from the ranks to standard output and error, and a terminal's input to rank 0
 *     mpiexec_other.c   programs of another MPI
 *     mpiexec_why.c     what the ranks wait for
 *     mpiexec_deaths.c  jobs that go on when a process dies
 *     mpiexec_apart.c   and when processes cannot reach each other any more
 *     mpiexec_clean.c   nothing is left: the watcher, process groups, shared memory
 *
 * mpiexec is one thread and one loop; it is not linked with the MPI library.
 */
#ifndef TF_MPIEXEC_H
#define TF_MPIEXEC_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* One part between colons of `mpiexec -n 2 a : -n 3 b`. */
struct mpiexec_app {
    int nprocs;
    bool counted;       /* -n was there */
    const char *soft;   /* numbers of processes that will do up to that, or NULL */
    char **argv;        /* argv[0] is the program; ends with NULL */
    const char *wdir;   /* or NULL */
    char **env;         /* name, value, name, value; ends with NULL */
    const char *path;   /* of the program, found */
    const char *search; /* directories to look for it in first, or NULL */
    const char *pset;   /* the name of a process set that its processes belong to, or NULL */
    const char *per;    /* where so many processes each are asked for that mpiexec does not count, or NULL */
    bool bare;          /* of our environment its processes get nothing */
};

#define MPIEXEC_INFINITE (-1) /* a universe without bound, as PMI-1 has it */

enum mpiexec_binding { MPIEXEC_BIND_UNSAID, MPIEXEC_BIND_NONE, MPIEXEC_BIND_CORE, MPIEXEC_BIND_NUMA };

struct mpiexec_host {
    char *name;
    int slots; /* processes it is for, 0: not said */
};

struct mpiexec_options {
    struct mpiexec_app *apps;
    int napps, nprocs;
    struct mpiexec_host *hosts;
    int nhosts, ppn;    /* ppn: processes on each host, 0: not said */
    bool all_hosts;     /* as many as that makes, where no number is said */
    int universe;       /* MPI_UNIVERSE_SIZE; 0: not said, or MPIEXEC_INFINITE */
    const char *engine; /* NULL: not said */
    char **genv;        /* as env, for all apps */
    double timeout;     /* seconds, 0: none */
    double grace;       /* seconds, 0: as usual */
    bool tag;           /* "[rank] " before each line */
    const char *prefix; /* what is before each line instead, as the names of files; or NULL */
    int reader;         /* the rank that gets standard input; -1: none does */
    const char *pid;    /* where our process number goes: "-", "+" (standard output, error) or a file; NULL: nowhere */
    const char *outfile,
        *errfile; /* what each rank writes goes to a file of that name, with %r for its rank; or NULL */
    bool merged;  /* standard error goes where standard output does */
    bool bare;    /* of our environment the ranks get nothing */
    bool verbose;
    bool keep_going; /* a rank that dies ends nobody else */
    enum mpiexec_binding binding;
    bool report_bindings;
    int cores;              /* of each rank, with MPIEXEC_BIND_CORE; 0: its share of them */
    bool aslr;              /* ranks that share processors get addresses at random */
    int serve;              /* the socket of a program that was started alone and spawns others; -1: there is none */
    const char *serve_name; /* of its job */
};

#define MPIEXEC_PMI_LINE 2048
#define MPIEXEC_MOST 100000 /* processes at a time; fewer where addresses are scarce */

/* A pipe from a rank, and the beginning of a line that has not ended. */
struct mpiexec_stream {
    int fd; /* -1 at its end */
    char *line;
    size_t length, capacity;
};

struct mpiexec_pair {
    struct mpiexec_pair *next;
    char *key, *value;
};
#define MPIEXEC_BUCKETS 256

/* Processes that were started together: a job as the library sees it. */
struct mpiexec_world {
    struct mpiexec_world *next;
    int number;      /* 0: of the command line; then as they are spawned */
    char name[80];   /* tf_job.name of its ranks */
    int first, size; /* its ranks are ranks[first] and the following ones */
    int running;     /* of them */
    struct mpiexec_app *apps;
    int napps;
    struct mpiexec_pair *pairs[MPIEXEC_BUCKETS];
    int waiting; /* ranks in the barrier */
    int memory;  /* a file that its processes share, -1: there is none */
    size_t memory_bytes;
    struct mpiexec_world *parent; /* that has spawned it; NULL: none has, or that one has ended */
    int parted;                   /* of its processes, those that are not connected with it any more */
    bool met;                     /* one of them has called MPI_Init */
    bool marked;                  /* mpiexec_world.c */
    bool failed;
    int next_signal; /* to send at next_signal_at while processes are left; 0: none */
    double next_signal_at;
};

struct mpiexec_rank {
    struct mpiexec_world *world; /* NULL: there is no such rank now */
    const struct mpiexec_app *app;
    struct mpiexec_request *request; /* to start processes, of which not all has come yet */
    bool parted;
    bool alone; /* not started here: -serve */
    pid_t pid;
    bool ended; /* its process has, with that status, which is still to be judged */
    bool gone;  /* and has been */
    int status;
    bool condemned; /* it is to end (mpiexec_apart.c) */
    int pmi_fd;
    char pmi_line[MPIEXEC_PMI_LINE];
    size_t pmi_filled;
    int pmi_requests;
    bool initialized, finalized, in_barrier;
    struct mpiexec_stream out, err;
};

struct mpiexec_job {
    struct mpiexec_options options;
    struct mpiexec_rank *ranks;  /* they do not move; those of ended worlds are used again */
    int most;                    /* that there may be at a time: there is room for so many */
    int size, running;           /* ranks that there are or were; processes that have not ended */
    struct mpiexec_world *world; /* the first one; others follow by `next` */
    pid_t *groups;               /* process groups that may have members, else 0, by ranks; shared with the watcher */
    int status;                  /* to exit with */
    bool failed;                 /* all of it is to end */
};
extern struct mpiexec_job mpiexec_job;

/* mpiexec.c */
double tf_mpiexec_now(void);
/* Ranks that were killed, or are being so, but for that one, which says that it ends the job: it may have found them
 * gone. */
void tf_mpiexec_judge_killed(int but);
/* A line "mpiexec: ..." on standard error. */
void tf_mpiexec_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The job has failed: remember the exit status (of the first failure), say why, and send SIGTERM after `grace` seconds.
 */
void tf_mpiexec_fail(int status, double grace, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* That rank has: the same for its world and those that are connected with it. */
void tf_mpiexec_fail_rank(int rank, int status, double grace, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The end of the program that this process serves (-serve). */
void tf_mpiexec_alone_ended(int rank);
/* This process cannot go on: say why, end all processes, exit with EXIT_FAILURE. */
void tf_mpiexec_give_up(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
#define MPIEXEC_USAGE_ERROR 2

/* mpiexec_world.c */
/* Of so many ranks, in the lowest places that are free; NULL: there are too many. */
struct mpiexec_world *tf_mpiexec_world_open(struct mpiexec_world *parent, struct mpiexec_app *apps, int napps);
void tf_mpiexec_world_process_ended(int rank); /* the last one of a spawned world closes it */
void tf_mpiexec_world_close(struct mpiexec_world *world);
/* "rank 3", or "rank 3 of spawned job 2"; a few may be in use at a time. */
const char *tf_mpiexec_world_name(int rank);
/* Fail that world, and those connected with it, as long as they have not; NULL: all.  False: they had before. */
bool tf_mpiexec_world_fail(struct mpiexec_world *world, int signal, double at);
void tf_mpiexec_world_free_apps(struct mpiexec_app *apps, int napps); /* of a spawned one */
void tf_mpiexec_world_signal(const struct mpiexec_world *world, int signal);
/* That process of the world is not connected with the job of that name any more. */
void tf_mpiexec_world_part(int rank, const char *name);

/* mpiexec_grow.c: a line of a request to start processes; false: it is none. */
bool tf_mpiexec_grow_line(int rank, const char *line);
void tf_mpiexec_grow_forget(int rank);

/* mpiexec_debug.c: processes have been started; `troubles` is where those that cannot become their programs say so, -1:
 * all have.  And the job fails, for the reason that the words say. */
void tf_mpiexec_debug_started(int troubles);
void tf_mpiexec_debug_failed(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/* mpiexec_names.c; NULL: there is no such service, or that was published before */
const char *tf_mpiexec_names_find(const char *service);
bool tf_mpiexec_names_add(const char *service, const char *port);
bool tf_mpiexec_names_drop(const char *service);

/* mpiexec_psets.c */
bool tf_mpiexec_psets_good(const char *name); /* a set may be called so */
#define MPIEXEC_PSET_NAMES "up to 255 printable characters without spaces and commas, not mpi:// or mpix:// first"
void tf_mpiexec_psets_put(struct mpiexec_world *world); /* for its processes to look up */

/* mpiexec_args.c: leaves only with good options; --help and errors exit. */
void tf_mpiexec_parse(int argc, char **argv, struct mpiexec_options *options);

/* mpiexec_spawn.c: what a program's first error handlers may be (MPI-5.0 section 11.5), and what tells the library. */
#define MPIEXEC_ERRHANDLERS "mpi_errors_are_fatal, mpi_errors_abort or mpi_errors_return"
#define MPIEXEC_ERRHANDLER_VARIABLE "TREEFOLD_INITIAL_ERRHANDLER"
bool tf_mpiexec_errhandler_known(const char *name);

/* mpiexec_foreign.c */
struct mpiexec_foreign {
    const char *own,
        *value;     /* the option here, and its value if it has one of its own; own is NULL: nothing is to be done */
    const char *no; /* why it cannot be; NULL: it can */
    int values;     /* words of `next` that belong to it, where nothing is to be done */
};
/* `option` without its hyphens is `name`; false: no launcher that is known has it. */
bool tf_mpiexec_foreign(const char *option, const char *name, char **next, struct mpiexec_foreign *found);

/* mpiexec_config.c: the words of a file, with ":" between its lines; ends with NULL. */
char **tf_mpiexec_config_read(const char *file);

/* mpiexec_hosts.c; what makes no sense exits. */
void tf_mpiexec_hosts_add(struct mpiexec_options *options, const char *option, const char *list);
void tf_mpiexec_hosts_read(struct mpiexec_options *options, const char *file);
bool tf_mpiexec_hosts_elsewhere(const struct mpiexec_options *options); /* some are not this machine */
bool tf_mpiexec_hosts_is_here(const char *name);
bool tf_mpiexec_in_slurm(void);

/* mpiexec_engine.c: becomes another program where other machines take part; otherwise returns. */
void tf_mpiexec_hand_over(const struct mpiexec_options *options);

/* mpiexec_spawn.c */
/* The pattern with %r (the rank), %g (the number of its world) and %% filled in, as much as there is room for; its
 * length. */
size_t tf_mpiexec_fill_in(const char *pattern, int rank, char *to, size_t room);
const char *tf_mpiexec_search(const char *program); /* in PATH; NULL: nowhere */
const char *tf_mpiexec_search_in(const char *path, const char *program);
int tf_mpiexec_find_program(struct mpiexec_app *app, char *why,
                            size_t n); /* 0, or the status 127 or 126 to exit with */
/* Start that rank; what goes wrong between fork and exec is written into the pipe `trouble`, which exec closes. */
bool tf_mpiexec_spawn(int rank, int stdin_fd, int trouble);
struct mpiexec_trouble {
    int rank, error;
    const char *action; /* an address: a forked child has the parent's */
};
/* Say in words what it was. */
void tf_mpiexec_describe_trouble(const struct mpiexec_trouble *trouble, char *words, size_t n);
extern int mpiexec_exec_errors; /* the reading end of the pipe of the first world; -1: all of its ranks run */
void tf_mpiexec_read_exec_errors(void);

/* mpiexec_bind.c */
/* Chooses, where nothing is said; exits if there is nothing to bind to. */
void tf_mpiexec_bind_prepare(struct mpiexec_options *options);
/* This process, a rank's; false: see errno. */
bool tf_mpiexec_bind(const struct mpiexec_options *options, int rank, int size);
/* The processors of that rank, in `list` of n bytes, as "0-3,8"; NULL: it is not bound. */
const char *tf_mpiexec_bound(const struct mpiexec_options *options, int rank, int size, char *list, size_t n);

/* mpiexec_limits.c */
bool tf_mpiexec_limits_raise(int size, char *why, size_t n); /* for so many ranks more; false: that is not allowed */
void tf_mpiexec_limits_restore(void);                        /* in a rank's process: what the user had */

/* mpiexec_pmi.c */
void tf_mpiexec_pmi_open(struct mpiexec_world *world);
void tf_mpiexec_pmi_close(struct mpiexec_world *world);
bool tf_mpiexec_pmi_put(struct mpiexec_world *world, const char *key, const char *value);
void tf_mpiexec_pmi_answer(int rank, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tf_mpiexec_pmi_read(int rank); /* serve what has arrived, without waiting */
/* Whether processes wait for one that has ended: fails the job. */
void tf_mpiexec_pmi_check_barrier(struct mpiexec_world *world);

/* mpiexec_output.c */
#define MPIEXEC_SINKS 2
int tf_mpiexec_sink_fd(int sink);     /* 0 and 1: our standard output and error; -1 if nothing waits there */
bool tf_mpiexec_sink_full(int sink);  /* read no more from the ranks now */
void tf_mpiexec_sink_write(int sink); /* write what goes in without waiting */
void tf_mpiexec_sink_add(int sink, const char *text, size_t length);
void tf_mpiexec_sink_finish(void); /* write the rest, waiting if need be, until a signal ends this process */
void tf_mpiexec_stream_read(int rank, bool is_error);
void tf_mpiexec_stream_drain(int rank);        /* what is there now, and the unfinished lines */
void tf_mpiexec_stream_show_partial(int rank); /* a prompt */
void tf_mpiexec_stream_close(int rank);
/* Input from a terminal to rank 0; from anything else rank 0 has it directly. */
int tf_mpiexec_input_open(void); /* the descriptor for rank 0 */
int tf_mpiexec_input_none(void); /* one where nothing is to be read; -1: errno says why */
int tf_mpiexec_input_poll_fd(short *events);
void tf_mpiexec_input_move(void);
bool tf_mpiexec_input_is_terminal(void);
bool tf_mpiexec_input_is_in_background(void); /* a terminal, and not ours to read now */

/* mpiexec_other.c */
void tf_mpiexec_other_look(void); /* when rank 0 has written something */
void tf_mpiexec_other_tell(void); /* at the end of the job */

/* mpiexec_why.c */
void tf_mpiexec_why_open(void);          /* before the ranks are started */
const char *tf_mpiexec_why_board(void);  /* the name of the file for them, NULL: there is none */
void tf_mpiexec_why_note(void);          /* what is known of the ranks has changed, perhaps */
void tf_mpiexec_why_pass_on(void);       /* SIGUSR1 to those who handle it */
void tf_mpiexec_why_ask(bool passed_on); /* the report comes later; passed_on: so was SIGUSR1 */
bool tf_mpiexec_why_asking(void);        /* tf_mpiexec_why_tell() wants to be called every few milliseconds */
bool tf_mpiexec_why_tell(bool last);     /* the report, if it is due, or if this is the last time: whether it was */

/* mpiexec_deaths.c */
void tf_mpiexec_deaths_open(void);        /* before the ranks are started */
const char *tf_mpiexec_deaths_file(void); /* its name for them, NULL: there is none */
void tf_mpiexec_deaths_tell(int rank, const char *how);
/* That rank has died so: the others go on, and are told; false: they end with it. */
bool tf_mpiexec_deaths_spare(int rank, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool tf_mpiexec_deaths_is_missed(int rank); /* nobody waits for it */

/* mpiexec_apart.c: in such a job a rank cannot reach one of a job any more; false: that one is not of this mpiexec. */
bool tf_mpiexec_apart_hear(int rank, const char *job, int other, const char *why);
void tf_mpiexec_apart_forget(const struct mpiexec_world *world); /* its ranks may soon be others */
double tf_mpiexec_apart_due(void); /* when some rank is to be ended for that; 0: none is */
void tf_mpiexec_apart_judge(void); /* then */

/* mpiexec_clean.c */
void tf_mpiexec_watch(void); /* start the watcher, before the ranks */
void tf_mpiexec_signal_all(int signal);
void tf_mpiexec_clean(void);

#endif
