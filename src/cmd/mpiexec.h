/* mpiexec.h - what the files of mpiexec share: one job, its ranks, and what is kept of each.
 *
 *     mpiexec.c         main, the loop over signals and descriptors, how a job ends
 *     mpiexec_args.c    the command line
 *     mpiexec_hosts.c   the hosts that the job is for
 *     mpiexec_engine.c  what starts processes on other machines
 *     mpiexec_spawn.c   a rank's process is started
 *     mpiexec_bind.c    on which processors
 *     mpiexec_limits.c  how many files may be open
 *     mpiexec_pmi.c     the PMI-1 server
 *     mpiexec_output.c  whole lines from the ranks to standard output and error, and a terminal's input to rank 0
 *     mpiexec_other.c   programs of another MPI
 *     mpiexec_why.c     what the ranks wait for
 *     mpiexec_clean.c   nothing is left: the watcher, process groups, shared memory
 *
 * mpiexec is one thread and one loop; it is not linked with the MPI library.
 */
#ifndef TF_MPIEXEC_H
#define TF_MPIEXEC_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* One part between colons of `mpiexec -n 2 a : -n 3 b`. */
struct mpiexec_app {
    int nprocs;
    bool counted;     /* -n was there */
    char **argv;      /* argv[0] is the program; ends with NULL */
    const char *wdir; /* or NULL */
    char **env;       /* name, value, name, value; ends with NULL */
    const char *path; /* of the program, found */
};

enum mpiexec_binding { MPIEXEC_BIND_NONE, MPIEXEC_BIND_CORE, MPIEXEC_BIND_NUMA };

struct mpiexec_host {
    char *name;
    int slots; /* processes it is for, 0: not said */
};

struct mpiexec_options {
    struct mpiexec_app *apps;
    int napps, nprocs;
    struct mpiexec_host *hosts;
    int nhosts, ppn;    /* ppn: processes on each host, 0: not said */
    int universe;       /* MPI_UNIVERSE_SIZE, 0: not said */
    const char *engine; /* NULL: not said */
    char **genv;        /* as env, for all apps */
    double timeout;     /* seconds, 0: none */
    double grace;       /* seconds, 0: as usual */
    bool tag;           /* "[rank] " before each line */
    bool verbose;
    enum mpiexec_binding binding;
};

#define MPIEXEC_PMI_LINE 2048

/* A pipe from a rank, and the beginning of a line that has not ended. */
struct mpiexec_stream {
    int fd; /* -1 at its end */
    char *line;
    size_t length, capacity;
};

struct mpiexec_rank {
    const struct mpiexec_app *app;
    pid_t pid;
    bool gone; /* its process has ended */
    int pmi_fd;
    char pmi_line[MPIEXEC_PMI_LINE];
    size_t pmi_filled;
    int pmi_requests;
    bool initialized, finalized, in_barrier;
    struct mpiexec_stream out, err;
};

struct mpiexec_job {
    struct mpiexec_options options;
    struct mpiexec_rank *ranks; /* [size] */
    int size, running;          /* processes that have not ended */
    char name[64];              /* tf_job.name of its ranks */
    pid_t *groups;              /* [size] process groups that may have members, else 0; shared with the watcher */
    int status;                 /* to exit with */
    bool failed;
    int next_signal; /* to send at next_signal_at while processes are left; 0: none */
    double next_signal_at;
};
extern struct mpiexec_job mpiexec_job;

/* mpiexec.c */
double tf_mpiexec_now(void);
/* A line "mpiexec: ..." on standard error. */
void tf_mpiexec_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The job has failed: remember the exit status (of the first failure), say why, and send SIGTERM after `grace` seconds.
 */
void tf_mpiexec_fail(int status, double grace, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* This process cannot go on: say why, end all processes, exit with EXIT_FAILURE. */
void tf_mpiexec_give_up(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
#define MPIEXEC_USAGE_ERROR 2

/* mpiexec_args.c: leaves only with good options; --help and errors exit. */
void tf_mpiexec_parse(int argc, char **argv, struct mpiexec_options *options);

/* mpiexec_hosts.c; what makes no sense exits. */
void tf_mpiexec_hosts_add(struct mpiexec_options *options, const char *option, const char *list);
void tf_mpiexec_hosts_read(struct mpiexec_options *options, const char *file);
bool tf_mpiexec_hosts_elsewhere(const struct mpiexec_options *options); /* some are not this machine */
bool tf_mpiexec_in_slurm(void);

/* mpiexec_engine.c: becomes another program where other machines take part; otherwise returns. */
void tf_mpiexec_hand_over(const struct mpiexec_options *options);

/* mpiexec_spawn.c */
const char *tf_mpiexec_search(const char *program);             /* in PATH; NULL: nowhere */
void tf_mpiexec_find_programs(struct mpiexec_options *options); /* exits with 127 or 126 if one cannot be run */
bool tf_mpiexec_spawn(int rank, int stdin_fd);                  /* stdin_fd: of rank 0 */
extern int mpiexec_exec_errors;                                 /* a pipe: what went wrong between fork and exec */
void tf_mpiexec_read_exec_errors(void);

/* mpiexec_bind.c */
void tf_mpiexec_bind_prepare(enum mpiexec_binding binding);             /* exits if there is nothing to bind to */
bool tf_mpiexec_bind(enum mpiexec_binding binding, int rank, int size); /* this process, a rank's; false: see errno */

/* mpiexec_limits.c */
void tf_mpiexec_limits_raise(int size); /* for so many ranks; exits if that is not allowed */
void tf_mpiexec_limits_restore(void);   /* in a rank's process: what the user had */

/* mpiexec_pmi.c */
void tf_mpiexec_pmi_open(void);
void tf_mpiexec_pmi_read(int rank); /* serve what has arrived, without waiting */
/* Whether processes wait for one that has ended: fails the job. */
void tf_mpiexec_pmi_check_barrier(void);

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
/* Input from a terminal to rank 0; from anything else rank 0 has it directly. */
int tf_mpiexec_input_open(void); /* the descriptor for rank 0 */
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

/* mpiexec_clean.c */
void tf_mpiexec_watch(void); /* start the watcher, before the ranks */
void tf_mpiexec_signal_all(int signal);
void tf_mpiexec_clean(void);

#endif
