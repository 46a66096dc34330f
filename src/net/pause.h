/* pause.h - what a process does that has looked for something which is not there yet: spin, then yield, then sleep.
 *
 *     struct tf_pause pause = TF_PAUSE_INIT;
 *     while (!condition) {
 *         if (progress()) tf_pause_reset(&pause); else tf_pause(&pause);
 *     }
 */
#ifndef TF_NET_PAUSE_H
#define TF_NET_PAUSE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct tf_pause {
    uint32_t polls;
    bool announced : 1;  /* our `asleep` is up: the next pause may sleep if nothing came in between */
    bool seen : 1;       /* nobody has missed that it went up */
    bool background : 1; /* the program computes meanwhile: sleep soon */
    bool lasts : 1;      /* it has come to more than spinning */
    bool watched : 1;    /* and the watcher knows */
    uint8_t pauses;      /* that were more than spinning; 255: or more */
    uint16_t time;       /* which time it was that our `asleep` was raised, or threads roused, when it was announced */
    int64_t since;       /* when yielding began; 0: it has not */
};
#define TF_PAUSE_INIT ((struct tf_pause){0, false, false, false, false, false, 0, 0, 0})
void tf_pause(struct tf_pause *pause);
/* The same of a thread while another one looks: yield, then sleep, until somebody wakes it by the word, which was
 * 1, or for a tenth of a second; or, if `most` is not 0, sleep at once, for at most so many nanoseconds. */
void tf_pause_behind(struct tf_pause *pause, _Atomic uint32_t *word, int64_t most);
/* Wake who sleeps so. */
void tf_pause_wake_behind(_Atomic uint32_t *word);
/* Whether all other threads that wait have left it to one of them to look now and then, or not any more: who waits
 * beside looks for as long as one that has no others. */
void tf_pause_leave_alone(bool by_others);
/* Where ranks share processors, let those that share this one go first, whose waits this process has ended. */
void tf_pause_after_others(void);
/* Something has come that other threads of this process may sleep for. */
void tf_pause_rouse(void);
/* Something has come, and more is waited for. */
void tf_pause_again(struct tf_pause *pause);
/* What was waited for is there. */
void tf_pause_reset(struct tf_pause *pause);

/* Who wants to know of waits that last, but for those in the background: told, by the thread that waits and with the
 * lock held, when one has come to a millisecond of yields or will sleep, after each pause from then on, and at its end.
 */
struct tf_pause_watcher {
    void (*begins)(const struct tf_pause *pause, int64_t since);
    void (*lasts)(const struct tf_pause *pause, int64_t now);
    void (*ends)(const struct tf_pause *pause);
    void (*passes)(int64_t now); /* a few thousand passes of progress later, be it in waits or in loops of MPI_Test */
};
extern const struct tf_pause_watcher *tf_pause_watcher; /* NULL: nobody */
/* After each pause too, those in the background among them: NULL, or a look at what may have happened meanwhile. */
extern void (*tf_pause_look)(void);

/* Whom this process waits for seems to run on its processor: true if not any more (shm/aside.h).  NULL: each has to be
 * content with that. */
extern bool (*tf_pause_meets)(int64_t now);
/* For who may only test, now and then, with the clock just read: the same if this process has been without a processor
 * for a slice. */
void tf_pause_passes(void);

/* When this process last paused, or looked at the clock for another reason: rough, and free to ask. */
extern int64_t tf_pause_now;
/* From now on the time that is waited is measured, or no longer; and what it comes to so far.  Those who
 * wait then look at the clock where they would spin. */
void tf_pause_measure(bool measure);
extern int64_t tf_pause_total;
/* Looks at a cell before the processor is given up: few when ranks share processors, or several threads call MPI. */
extern uint32_t tf_pause_spin;
/* The same of a thread that looks for what only it waits for. */
extern uint32_t tf_pause_spin_own;
/* Whether it is as few as that, as more ranks are awake than there are processors. */
bool tf_pause_is_short(void);
/* A look at a connection is a call of the system, and takes as long as so many at memory. */
enum { TF_PAUSE_CALL = 16 };
/* There are more ranks than processors on this machine. */
extern bool tf_pause_crowded;
/* The same with processes of other jobs, as far as this one knows them: it looks for a shorter time.  Nothing else
 * depends on it, as others may know others. */
void tf_pause_crowd(bool crowded);
void tf_pause_setup(void);
/* Whether this process has the fences that the sleeper asks for (pause.c), from now on if not before. */
bool tf_pause_fence(void);

/* This process's word that others look at before they call net->wake: 0 while it is awake, TF_ASLEEP while it sleeps on
 * the word, with which time that is in TF_ASLEEP_TIME, or TF_ASLEEP_ON_FILE and the number of one of its files if it
 * sleeps until somebody writes to that; and TF_ASLEEP_COUNTS if it is counted among those that sleep (awake.h).  With
 * TF_ASLEEP_FENCED, also while it is awake, the fence between a cell and the look at the word is the sender's
 * (pause.c). */
enum {
    TF_ASLEEP = 1,
    TF_ASLEEP_TIME = 1 << 1, /* times a number of 16 bits */
    TF_ASLEEP_ON_FILE = 1 << 28,
    TF_ASLEEP_FENCED = 1 << 29,
    TF_ASLEEP_COUNTS = 1 << 30
};
static inline bool tf_pause_sleeps(uint32_t word)
{
    return word & ~(uint32_t)TF_ASLEEP_FENCED;
}
extern _Atomic uint32_t *tf_pause_asleep;
/* The same for those who do not see that word: called with what it becomes, and with or without the lock. */
extern void (*tf_pause_announce)(uint32_t how);
/* The number of the file, which is left to the caller if the process is another one; -1: nothing more is to be done. */
int tf_pause_wake(_Atomic uint32_t *asleep);
/* Sleep by doze(), which returns when something comes or somebody writes to the pipe, which it tells, and at the latest
 * after that time; NULL: no longer. */
void tf_pause_watch(bool (*doze)(int milliseconds), int pipe_in);

#endif
