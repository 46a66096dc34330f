/* why.h - this process explains what it waits for: on its board (launch/board.h) when somebody asks there; on standard
 * error on SIGUSR1, where no mpiexec of ours asks and the program leaves that signal alone, or by itself after the
 * setting explain_after.
 */
#ifndef TF_WHY_H
#define TF_WHY_H

/* Once a process, when the launcher is known: be ready to answer. */
void tf_why_setup(void);
/* The library is in use, or no longer. */
void tf_why_enter(void);
void tf_why_leave(void);

#endif
