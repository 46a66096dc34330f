/* spawn.c - MPI_Comm_spawn and MPI_Comm_spawn_multiple (MPI-5.0 section 11.8).
 *
 * The root opens a port, has the launcher start the processes, to which the port is known, and accepts there; they
 * connect in MPI_Init, as soon as their MPI_COMM_WORLD is there.
 */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "coll/coll.h"
#include "dynamic/connect.h"
#include "dynamic/dynamic.h"
#include "dynamic/order.h"
#include "dynamic/port.h"
#include "msg/terms.h"
#include "object/errhandler.h"

struct spawning {
    enum tf_caller caller;
    int count, root;
    char *const *commands;
    char **const *argvs;
    const int *maxprocs;
    const MPI_Info *infos;
};

/* One for each process that was asked for, in the order of the programs: those that are not started have the error. */
static int *make_codes(const struct tf_spawn_order *order, const int maxprocs[], int err)
{
    int *codes = tf_alloc(((size_t)order->wanted + 1) * sizeof *codes, "the error codes of spawned processes"), n = 0;
    for (int a = 0; codes && a < order->napps; a++)
        for (int i = 0; i < maxprocs[a]; i++)
            codes[n++] = err ? err : i < order->apps[a].nprocs ? MPI_SUCCESS : MPI_ERR_SPAWN;
    for (; codes && n < order->wanted; n++)
        codes[n] = err;
    return codes;
}

/* At the root: the processes run and have connected, *fd. */
static int start(const struct tf_comm *comm, const struct tf_spawn_order *order, enum tf_caller caller, int *fd)
{
    char port[MPI_MAX_PORT_NAME], call[40];
    struct tf_await_line children = {call, "the new processes to call MPI_Init"};
    int err = tf_open_port(NULL, port);
    if (err)
        return err;
    tf_terms_name(&(struct tf_terms){.caller = caller}, call, sizeof call);
    struct tf_launch_spawned spawned;
    err = tf_launch_spawn(order->apps, order->napps, port, &spawned);
    if (!err)
        err = tf_port_accept(comm, port, &children, &spawned, fd);
    tf_close_port(port);
    return err;
}

/* All processes of comm learn what has become of the new ones. */
static int tell_codes(struct tf_comm *comm, const struct spawning *how, int *codes, int wanted, int errcodes[])
{
    int err = tf_coll_bcast_bytes(comm, how->caller, &wanted, sizeof wanted, how->root);
    if (!err && comm->rank != how->root)
        codes = tf_alloc(((size_t)wanted + 1) * sizeof *codes, "the error codes of spawned processes");
    if (!err && !codes)
        err = tf_coll_give_up(comm, MPI_ERR_NO_MEM);
    else if (!err)
        err = tf_coll_bcast_bytes(comm, how->caller, codes, (size_t)wanted * sizeof *codes, how->root);
    if (!err && errcodes)
        memcpy(errcodes, codes, (size_t)wanted * sizeof *codes);
    free(codes);
    return err;
}

static int spawn(const struct spawning *how, struct tf_comm *comm, MPI_Comm *newcomm, int errcodes[])
{
    struct tf_spawn_order order = {0};
    char why[600] = "";
    int fd = -1, started = MPI_SUCCESS, *codes = NULL, err = tf_connect_check(comm, how->root);
    if (err)
        return err;
    if (comm->rank == how->root) {
        started = tf_order_take(&order, how->count, how->commands, how->argvs, how->maxprocs, how->infos);
        if (!started)
            started = start(comm, &order, how->caller, &fd);
        if (started)
            snprintf(why, sizeof why, "%s",
                     tf_error_text(started) ? tf_error_text(started) : "the processes cannot be started");
        codes = make_codes(&order, how->maxprocs, started ? MPI_ERR_SPAWN : MPI_SUCCESS);
    }
    err = tell_codes(comm, how, codes, order.wanted, errcodes);
    tf_order_free(&order);
    if (started)
        tf_error(started, "%s", why);
    int failed = tf_connect_line(comm, how->root, how->caller, fd, err ? err : started, newcomm);
    return failed;
}

int tf_comm_spawn(const char *command, char *argv[], int maxprocs, MPI_Info info, int root, struct tf_comm *comm,
                  MPI_Comm *newcomm, int errcodes[])
{
    struct spawning how = {.caller = TF_CALLER_COMM_SPAWN,
                           .count = 1,
                           .root = root,
                           .commands = (char *[]){(char *)command},
                           .argvs = (char **[]){argv},
                           .maxprocs = &maxprocs,
                           .infos = &info};
    return spawn(&how, comm, newcomm, errcodes);
}

int tf_comm_spawn_multiple(int count, char *commands[], char **argvs[], const int maxprocs[], const MPI_Info infos[],
                           int root, struct tf_comm *comm, MPI_Comm *newcomm, int errcodes[])
{
    struct spawning how = {.caller = TF_CALLER_COMM_SPAWN_MULTIPLE,
                           .count = count,
                           .root = root,
                           .commands = commands,
                           .argvs = argvs,
                           .maxprocs = maxprocs,
                           .infos = infos};
    return spawn(&how, comm, newcomm, errcodes);
}

/* ---- the new processes ---- */

/* The launcher tells rank 0 where its parent waits; the others follow. */
int tf_dynamic_meet_parent(void)
{
    static const struct tf_await_line parents = {"MPI_Init", "the processes that spawned it"};
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm parent = MPI_COMM_NULL;
    int fd = -1, met = MPI_SUCCESS;
    if (!tf_launch_parent(port, sizeof port))
        return MPI_SUCCESS;
    if (tf_comm_world->rank == 0)
        met = tf_port_connect(tf_comm_world, port, &parents, INFINITY, &fd);
    int err = tf_connect_line(tf_comm_world, 0, TF_CALLER_PARENT, fd, met, &parent);
    if (err)
        return err;
    tf_comm_parent = tf_comm_find(parent);
    strcpy(tf_comm_parent->name, "MPI_COMM_PARENT");
    return MPI_SUCCESS;
}
