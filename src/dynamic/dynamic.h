/* dynamic.h - jobs that meet: ports, accept and connect, join (MPI-5.0 chapter 11); arguments in MPI's order.
 *
 * A communicator with processes of another job is built as any intercommunicator is (construct/), but that the leaders
 * talk on a line of their own (line.h).
 */
#ifndef TF_DYNAMIC_H
#define TF_DYNAMIC_H

#include "construct/construct.h"

struct tf_info;

/* port.c; info may be NULL. */
int tf_open_port(const struct tf_info *info, char *name);
int tf_close_port(const char *name);
void tf_port_close_all(void);

/* connect.c; `name` and info count at the root only. */
int tf_comm_accept(const char *name, MPI_Info info, int root, struct tf_comm *comm, MPI_Comm *newcomm);
int tf_comm_connect(const char *name, MPI_Info info, int root, struct tf_comm *comm, MPI_Comm *newcomm);
/* spawn.c; all but root and comm count at the root only, where infos may be MPI_INFO_NULL; errcodes may be NULL, or has
 * an element for each process that was asked for. */
int tf_comm_spawn(const char *command, char *argv[], int maxprocs, MPI_Info info, int root, struct tf_comm *comm,
                  MPI_Comm *newcomm, int errcodes[]);
int tf_comm_spawn_multiple(int count, char *commands[], char **argvs[], const int maxprocs[], const MPI_Info infos[],
                           int root, struct tf_comm *comm, MPI_Comm *newcomm, int errcodes[]);
/* names.c; info may be NULL. */
int tf_publish_name(const char *service, const struct tf_info *info, const char *port);
int tf_unpublish_name(const char *service, const struct tf_info *info, const char *port);
int tf_lookup_name(const char *service, const struct tf_info *info, char *port);

/* NULL: nobody has started this job, or that communicator was freed. */
int tf_comm_get_parent(MPI_Comm *parent);
/* join.c */
int tf_comm_join(int fd, MPI_Comm *newcomm);

/* When MPI_COMM_WORLD is there: connect with who has started this job, if somebody has; collective. */
int tf_dynamic_meet_parent(void);
/* The end of MPI in this process: it takes leave of all processes of other jobs that it is connected with. */
void tf_dynamic_finish(void);

#endif
