/* connect.c - MPI_Comm_accept and MPI_Comm_connect (MPI-5.0 section 11.9): the roots meet at a port, and are the
 * leaders of their groups.
 */
#include "dynamic/connect.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "construct/newcomm.h"
#include "dynamic/dynamic.h"
#include "dynamic/line.h"
#include "dynamic/port.h"
#include "msg/leave.h"
#include "msg/lost.h"
#include "msg/match.h"
#include "object/info.h"

/* What the root waits for in that call once the line is there. */
static const struct tf_await_line others[] = {
    [TF_CALLER_COMM_ACCEPT] = {"MPI_Comm_accept", "the group that connects"},
    [TF_CALLER_COMM_CONNECT] = {"MPI_Comm_connect", "the group that accepts"},
    [TF_CALLER_COMM_JOIN] = {"MPI_Comm_join", "the process at the other end of the socket"},
    [TF_CALLER_COMM_SPAWN] = {"MPI_Comm_spawn", "the new processes"},
    [TF_CALLER_COMM_SPAWN_MULTIPLE] = {"MPI_Comm_spawn_multiple", "the new processes"},
    [TF_CALLER_PARENT] = {"MPI_Init", "the processes that spawned it"},
};

static int exchange(const struct tf_meeting *meeting, const void *mine, size_t send, void *theirs, size_t receive)
{
    return tf_line_exchange(meeting->peer_comm, meeting->fd, meeting->other, mine, send, theirs, receive);
}

int tf_connect_check(const struct tf_comm *comm, int root)
{
    if (comm->remote)
        return tf_error(MPI_ERR_COMM, "%s is an intercommunicator; it must be an intracommunicator",
                        tf_comm_describe(comm));
    if (root < 0 || root >= comm->size)
        return tf_error(MPI_ERR_ROOT, "root is %d; it must be between 0 and %d, the highest rank of %s", root,
                        comm->size - 1, tf_comm_describe(comm));
    return comm->match->broken ? tf_lost_broken(comm) : MPI_SUCCESS; /* before anybody is asked or started */
}

int tf_connect_line(struct tf_comm *comm, int root, enum tf_caller caller, int fd, int err, MPI_Comm *newcomm)
{
    struct tf_meeting meeting = {
        .exchange = exchange, .peer_comm = comm, .fd = fd, .other = &others[caller], .mixed = true};
    err = tf_intercomm_build(comm, root, caller, &meeting, err, newcomm);
    if (fd >= 0)
        close(fd);
    return err;
}

/* It counts at the root alone. */
static int check_name(const char *name)
{
    return name ? MPI_SUCCESS : tf_error(MPI_ERR_ARG, "port_name is a null pointer");
}

int tf_comm_accept(const char *name, MPI_Info info, int root, struct tf_comm *comm, MPI_Comm *newcomm)
{
    static const struct tf_await_line somebody = {"MPI_Comm_accept", "somebody to connect"};
    int fd = -1, met = MPI_SUCCESS, err = tf_connect_check(comm, root);
    (void)info;
    if (err)
        return err;
    if (comm->rank == root)
        met = check_name(name);
    if (comm->rank == root && !met)
        met = tf_port_accept(comm, name, &somebody, NULL, &fd);
    return tf_connect_line(comm, root, TF_CALLER_COMM_ACCEPT, fd, met, newcomm);
}

/* The hint timeout; without it there is no end to it. */
static int take_timeout(MPI_Info info, double *seconds)
{
    const struct tf_info *hints = info == MPI_INFO_NULL ? NULL : tf_info_find(info);
    const char *value = hints ? tf_info_value(hints, "timeout") : NULL;
    char *end;
    *seconds = INFINITY;
    if (!value)
        return MPI_SUCCESS;
    *seconds = strtod(value, &end);
    if (end != value && !*end && *seconds >= 0)
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_INFO_VALUE, "the hint timeout is \"%s\"; it must be a number of seconds", value);
}

int tf_comm_connect(const char *name, MPI_Info info, int root, struct tf_comm *comm, MPI_Comm *newcomm)
{
    static const struct tf_await_line port = {"MPI_Comm_connect", "the port to accept"};
    double seconds;
    int fd = -1, met = MPI_SUCCESS, err = tf_connect_check(comm, root);
    if (err)
        return err;
    if (comm->rank == root)
        met = check_name(name);
    if (comm->rank == root && !met)
        met = take_timeout(info, &seconds);
    if (comm->rank == root && !met)
        met = tf_port_connect(comm, name, &port, seconds, &fd);
    return tf_connect_line(comm, root, TF_CALLER_COMM_CONNECT, fd, met, newcomm);
}

int tf_comm_get_parent(MPI_Comm *parent)
{
    *parent = tf_comm_parent ? tf_newcomm_handle(tf_comm_parent) : MPI_COMM_NULL;
    return MPI_SUCCESS;
}

void tf_dynamic_finish(void)
{
    tf_leave_all();
    tf_port_close_all();
}
