/* open.h - the library in a process and its job, apart from what is made of them: MPI_COMM_WORLD, sessions.
 */
#ifndef TF_ENV_OPEN_H
#define TF_ENV_OPEN_H

/* One more user, who wants that level of threads.  Local: the first one learns from the process manager which process
 * of which job this is, reads the settings and chooses the kernels. */
int tf_env_open(int thread_level);
/* One user less.  After the last one the network is closed, for which others are waited for where tf_job.left says that
 * all have come to the end; an error leaves that to the process manager.  Local where a process of the job has had a
 * session (tf_library.lasting). */
int tf_env_close(void);

#endif
