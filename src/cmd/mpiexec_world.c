/* mpiexec_world.c - worlds: processes that were started together, and are a job of their own to the library.
 *
 * A world that was spawned is connected with the one that has spawned it until all of its processes have said that they
 * are not any more.  Worlds that are connected end together when one of them fails.
 */
#include "cmd/mpiexec.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- beginning ---- */

static void name_world(struct mpiexec_world *world)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (world->number > 0)
        snprintf(world->name, sizeof world->name, "%.60s-%d", mpiexec_job.world->name, world->number);
    else if (mpiexec_job.options.serve_name)
        snprintf(world->name, sizeof world->name, "%.60s", mpiexec_job.options.serve_name);
    else /* A process id alone comes back, and may be there twice with two pid namespaces on one /dev/shm. */
        snprintf(world->name, sizeof world->name, "%ld-%llx", (long)getpid(),
                 (unsigned long long)now.tv_sec * 1000000000 + (unsigned long long)now.tv_nsec);
}

/* The lowest place for so many ranks; -1: there is none. */
static int find_place(int size)
{
    int free = 0;
    for (int r = 0; r < mpiexec_job.most; r++) {
        free = mpiexec_job.ranks[r].world ? 0 : free + 1;
        if (free == size)
            return r + 1 - size;
        if (r >= mpiexec_job.size + size)
            break;
    }
    return -1;
}

static void set_ranks(struct mpiexec_world *world)
{
    int r = world->first;
    for (int a = 0; a < world->napps; a++)
        for (int i = 0; i < world->apps[a].nprocs; i++, r++)
            mpiexec_job.ranks[r] =
                (struct mpiexec_rank){.world = world, .app = &world->apps[a], .pmi_fd = -1, .out.fd = -1, .err.fd = -1};
    if (r > mpiexec_job.size)
        mpiexec_job.size = r;
}

struct mpiexec_world *tf_mpiexec_world_open(struct mpiexec_world *parent, struct mpiexec_app *apps, int napps)
{
    static int number;
    struct mpiexec_world *world = calloc(1, sizeof *world), **end = &mpiexec_job.world;
    if (!world)
        return NULL;
    for (int a = 0; a < napps; a++)
        world->size += apps[a].nprocs;
    world->first = find_place(world->size);
    if (world->first < 0) {
        free(world);
        return NULL;
    }
    world->number = number++;
    world->parent = parent;
    world->apps = apps;
    world->napps = napps;
    world->memory = -1;
    name_world(world);
    while (*end)
        end = &(*end)->next;
    *end = world;
    set_ranks(world);
    tf_mpiexec_pmi_open(world);
    return world;
}

const char *tf_mpiexec_world_name(int rank)
{
    static char names[4][64];
    static int next;
    const struct mpiexec_world *world = mpiexec_job.ranks[rank].world;
    char *name = names[next = (next + 1) % 4];
    if (world && world->number > 0)
        snprintf(name, sizeof names[0], "rank %d of spawned job %d", rank - world->first, world->number);
    else
        snprintf(name, sizeof names[0], "rank %d", rank);
    return name;
}

/* ---- failure ---- */

static bool is_connected(const struct mpiexec_world *world)
{
    return world->parent && world->parted < world->size;
}

/* Mark that world and those connected with it; in a job that goes on without the dead, those that it has spawned, which
 * nobody else knows. */
static void mark(const struct mpiexec_world *from)
{
    bool more = true;
    for (struct mpiexec_world *w = mpiexec_job.world; w; w = w->next)
        w->marked = !from || w == from;
    while (more) {
        more = false;
        for (struct mpiexec_world *w = mpiexec_job.world; w; w = w->next)
            if (is_connected(w) && w->marked != w->parent->marked &&
                (w->parent->marked || !mpiexec_job.options.keep_going))
                more = w->marked = w->parent->marked = true;
    }
}

bool tf_mpiexec_world_fail(struct mpiexec_world *world, int signal, double at)
{
    bool any = false;
    if (world && world->failed)
        return false;
    mark(world);
    for (struct mpiexec_world *w = mpiexec_job.world; w; w = w->next) {
        if (!w->marked || w->failed)
            continue;
        w->failed = any = true;
        w->next_signal = signal;
        w->next_signal_at = at;
    }
    return any;
}

void tf_mpiexec_world_signal(const struct mpiexec_world *world, int signal)
{
    for (int r = world->first; r < world->first + world->size; r++) {
        const struct mpiexec_rank *rank = &mpiexec_job.ranks[r];
        if (mpiexec_job.groups[r] > 0)
            kill(-mpiexec_job.groups[r], signal);
        else if (rank->alone && !rank->gone)
            kill(rank->pid, signal);
    }
}

void tf_mpiexec_world_part(int rank, const char *name)
{
    struct mpiexec_rank *r = &mpiexec_job.ranks[rank];
    struct mpiexec_world *world = r->world;
    if (world->parent && !r->parted && strcmp(world->parent->name, name) == 0) {
        r->parted = true;
        world->parted++;
    }
}

/* ---- the end ---- */

void tf_mpiexec_world_free_apps(struct mpiexec_app *apps, int napps)
{
    for (int a = 0; a < napps && apps; a++) {
        struct mpiexec_app *app = &apps[a];
        if (app->path != app->argv[0])
            free((char *)app->path);
        for (char **word = app->argv; *word; word++)
            free(*word);
        for (char **word = app->env; word && *word; word++)
            free(*word);
        free(app->argv);
        free(app->env);
        free((char *)app->wdir);
        free((char *)app->search);
    }
    free(apps);
}

void tf_mpiexec_world_close(struct mpiexec_world *world)
{
    struct mpiexec_world **at = &mpiexec_job.world;
    tf_mpiexec_apart_forget(world);
    for (int r = world->first; r < world->first + world->size; r++) {
        tf_mpiexec_stream_close(r);
        tf_mpiexec_grow_forget(r);
        if (mpiexec_job.ranks[r].pmi_fd >= 0)
            close(mpiexec_job.ranks[r].pmi_fd);
        mpiexec_job.ranks[r] = (struct mpiexec_rank){.pmi_fd = -1, .out.fd = -1, .err.fd = -1, .gone = true};
    }
    while (*at != world)
        at = &(*at)->next;
    *at = world->next;
    for (struct mpiexec_world *w = mpiexec_job.world; w; w = w->next)
        if (w->parent == world)
            w->parent = NULL;
    tf_mpiexec_pmi_close(world);
    tf_mpiexec_world_free_apps(world->apps, world->napps);
    free(world);
}

void tf_mpiexec_world_process_ended(int rank)
{
    struct mpiexec_world *world = mpiexec_job.ranks[rank].world;
    if (--world->running > 0 || world->number == 0)
        return;
    if (!world->met && !world->failed)
        tf_mpiexec_fail_rank(
            rank, EXIT_FAILURE, 0,
            "the %d process%s of spawned job %d, for which MPI_Comm_spawn waits, ended without calling "
            "MPI_Init",
            world->size, world->size == 1 ? "" : "es", world->number);
    for (int r = world->first; r < world->first + world->size; r++)
        if (mpiexec_job.groups[r] > 0)
            return; /* what a rank has started goes on, and may write */
    tf_mpiexec_world_close(world);
}
