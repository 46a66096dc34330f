/* why.h - what the processes of a job wait for: asked, gathered, thought about and told, for mpiexec and `treefold
 * why`.
 *
 *     why_ask.c      the question on the boards (launch/board.h), and the answers
 *     why_read.c     an answer's text
 *     why_graph.c    who can never go on: pure
 *     why_report.c   the words
 *     why_verdict.c  and the conclusion in words
 *
 * Nothing of the library is in them.
 */
#ifndef TF_CMD_WHY_H
#define TF_CMD_WHY_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdbool.h>
#include <stddef.h>

#include "launch/board.h"

/* Ranks first to last of one group have to do something: s send, r receive, c take part in the call, x answer. */
struct why_peers {
    char part;
    int first, last, group;
};

/* A wait of a thread, or a nonblocking collective that is under way.  The wait is over when of each group somebody has
 * done his part. */
struct why_wait {
    double since; /* CLOCK_MONOTONIC; 0: not known */
    const char *name, *call, *what;
    struct why_peers *peers;
    int npeers, ngroups;
    bool open; /* it may end whatever the peers do: they are not known, or it has changed while we looked */
    bool dead; /* why_graph.c: it cannot end */
};

enum why_state {
    WHY_UNKNOWN,  /* not on this machine */
    WHY_NEVER,    /* has not called MPI_Init */
    WHY_STARTING, /* is there */
    WHY_WAITS,
    WHY_SILENT, /* waits, and does not answer */
    WHY_LOOKS,  /* calls MPI again and again, without waiting */
    WHY_OUTSIDE,
    WHY_LEFT, /* has called MPI_Finalize */
    WHY_ENDED
};

struct why_rank {
    enum why_state state;
    char process;  /* its state as the system has it: R, S, D, T; 0: not known */
    double left;   /* when it last ended to wait, 0: never */
    char last[40]; /* in which call */
    int threads;   /* others of the program that may call MPI too */
    bool reads;    /* messages out of others' memory */
    bool catches;  /* it has got SIGUSR1, which it handles */
    bool dead;     /* why_graph.c: it cannot go on */
    struct why_wait *waits, *runs;
    int nwaits, nruns;
    const char *looks; /* WHY_LOOKS: for what */
    char *text;        /* which holds the strings */
};

struct why_job {
    int size;
    struct why_rank *ranks;
    double now;
};

/* ---- why_read.c ---- */

/* Take the lines of the text, which is copied.  Without memory, or where a line makes no sense, fewer. */
void tf_why_read(struct why_rank *rank, const char *text);
/* What is not in `earlier`, an answer to an earlier question, has changed in between. */
void tf_why_compare(struct why_rank *rank, const struct why_rank *earlier);
void tf_why_free(struct why_rank *rank);

/* ---- why_graph.c ---- */

/* Find the waits that are dead, and the ranks whose waits are all dead. */
void tf_why_judge(struct why_job *job);
/* The group of peers of a dead wait that keeps it from ending. */
int tf_why_obstacle(const struct why_job *job, const struct why_wait *wait);
/* From a dead rank to one that it waits for and that is dead as well; *wait is the wait, *peers whom it waits for. */
int tf_why_next(const struct why_job *job, int rank, const struct why_wait **wait, const struct why_peers **peers);
/* A cycle that can be reached from a dead rank, of at most `most` ranks in `cycle`: its length; or 0, where it leads to
 * a rank, cycle[0], that waits for one which has gone. */
int tf_why_cycle(const struct why_job *job, int rank, int *cycle);
/* The only rank that does not wait and that all who wait do so for, directly or not, two at least; -1: there is none.
 */
int tf_why_culprit(const struct why_job *job);

/* ---- why_verdict.c ---- */

/* A line that grows; what does not fit is cut off. */
struct why_line {
    char text[1000];
    size_t length;
};
void tf_why_add(struct why_line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Of a job that was judged: deadlocks, or the one that all wait for; nothing, where neither is the case. */
void tf_why_verdict(const struct why_job *job, void (*say)(const char *line));

/* ---- why_report.c ---- */

/* The whole report, a line at a time. */
void tf_why_report(const struct why_job *job, void (*say)(const char *line));

/* ---- why_ask.c ---- */

/* A place on a board. */
struct why_source {
    struct tf_board_place *place; /* NULL: none */
    uint32_t question;            /* the latest */
    bool catches;                 /* mpiexec: has got SIGUSR1, which it handles */
};

struct why_inquiry {
    struct why_job job;         /* the answers to the latest question */
    struct why_source *sources; /* [job.size] */
    int round;                  /* 0: nothing is asked; what has not changed between two questions stands still */
    double until;               /* no longer is waited for answers */
    struct why_rank *earlier;   /* [job.size] the answers of the round before */
};

double tf_why_clock(void);
bool tf_why_open(struct why_inquiry *inquiry, int size); /* false: no memory */
void tf_why_close(struct why_inquiry *inquiry);
/* Ask, if nothing is asked. */
void tf_why_ask(struct why_inquiry *inquiry);
/* Whether the answers are complete, or enough time has gone: inquiry->job is then judged, and nothing is asked any
 * more. To be called every few milliseconds; `last`: do not wait for anybody. */
bool tf_why_answered(struct why_inquiry *inquiry, bool last);
/* Of /proc/PID: a process's state, 0 if there is none; and whether it has a handler for a signal, or blocks it, as who
 * takes it by sigwait() does. */
char tf_why_process_state(int pid);
bool tf_why_handles(int pid, int signal);

#endif
