/* board.h - where processes say what they wait for when somebody asks, without being disturbed: memory that they share
 * with whoever asks.
 *
 *     file    head | place | place | ...        a page each
 *
 * mpiexec makes one board with a place for each rank and leaves its name in the environment; elsewhere each process has
 * a board of its own.  It is found by the name of the file, among those that mpiexec or the process has open
 * (/proc/PID/fd).  Who asks raises `question`; a thread that waits looks at it between two pauses, which is every tenth
 * of a second at least, and adds its line to the text.
 *
 *     since TAB name TAB peers TAB call TAB for what         a wait
 *     =TAB name TAB peers                                    a nonblocking collective that is under way besides
 *     +TAB number                                            other threads of the program, which may call MPI too
 *     ?TAB for what                                          no thread waits, but one looks again and again
 *     ~                                                      it is reading messages that others have sent
 *
 * since: seconds of CLOCK_MONOTONIC.  name: of a collective call, the same in all its ranks; or -.  peers: ranks of the
 * job, "1;2;0,3-5": the wait is over when a rank of each of the groups between semicolons has done its part; "-": not
 * known, so it may end.  Before each rank is what it has to do: s send, r receive, c take part in the call, x answer.
 */
#ifndef TF_BOARD_H
#define TF_BOARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define TF_BOARD_FILE "treefold-why"      /* of memfd_create() */
#define TF_BOARD_VARIABLE "MPIEXEC_BOARD" /* in the environment: the file's name */
#define TF_BOARD_PAGE 4096
#define TF_BOARD_FORMAT 2
/* By this signal, which programs ignore unless they choose not to, mpiexec is asked to explain what the job does. */
#define TF_BOARD_SIGNAL SIGURG

/* Times are nanoseconds of CLOCK_MONOTONIC. */
struct tf_board {
    uint32_t format;
    int32_t places;
    int32_t launcher; /* mpiexec's process id; 0: this is one process's own */
    char job[128];
    _Atomic int64_t explained; /* when mpiexec was last asked */
};

enum tf_board_state { TF_BOARD_NEVER, TF_BOARD_INSIDE, TF_BOARD_LEFT };

struct tf_board_place {
    /* mpiexec's part */
    _Atomic int32_t started;                      /* process id, as mpiexec knows it */
    _Atomic bool ended, hello, barrier, farewell; /* as its server of PMI knows it; barrier: it waits there */
    /* who asks */
    _Atomic uint32_t question; /* how often */
    _Atomic int64_t until;     /* and until when an answer is of use */
    /* the process's part */
    _Atomic int32_t process, rank, size;
    _Atomic uint32_t state;
    _Atomic int32_t waiting;  /* threads that wait for more than a moment */
    _Atomic int64_t looked;   /* when it last was found looking whether something has come, roughly */
    _Atomic int64_t left;     /* when the last such wait ended; 0: there was none */
    char last[40];            /* in which call: MPI_X, or the name of a collective, as barrier */
    _Atomic uint32_t version; /* odd while the text changes */
    _Atomic uint32_t answers; /* to which question */
    _Atomic int32_t answered; /* by so many threads */
    char text[3800];
};
_Static_assert(sizeof(struct tf_board) <= TF_BOARD_PAGE, "the head fits a page");
_Static_assert(sizeof(struct tf_board_place) <= TF_BOARD_PAGE, "a place fits a page");

static inline struct tf_board_place *tf_board_at(struct tf_board *board, int place)
{
    return (struct tf_board_place *)((char *)board + TF_BOARD_PAGE * ((uintptr_t)place + 1));
}

#endif
