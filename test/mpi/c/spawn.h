/* spawn.h - what tests of spawned processes share: the same program runs as parent and, with its first argument, as one
 * of several kinds of children, whose failed checks end them with a failure, and so the job.
 */
#ifndef SPAWN_H
#define SPAWN_H

#include "check.h"

#include <dirent.h>
#include <limits.h>
#include <unistd.h>

/* This program's own file, wherever the working directory is. */
static inline char *spawn_self(void)
{
    static char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    return path;
}

/* Both groups sum their ranks across, each process talks to each of the other group, and both merge. */
static inline void spawn_use(MPI_Comm inter, int high)
{
    int rank = -1, size = 0, remote = 0, sum = -1, flag = 0;
    CHECK_OK(MPI_Comm_test_inter(inter, &flag));
    CHECK(flag);
    CHECK_OK(MPI_Comm_rank(inter, &rank));
    CHECK_OK(MPI_Comm_size(inter, &size));
    CHECK_OK(MPI_Comm_remote_size(inter, &remote));
    CHECK_OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter));
    CHECK_INT(sum, remote * (remote - 1) / 2);
    for (int r = 0; r < remote; r++) {
        int mine = 100 * rank + r, theirs = -1;
        CHECK_OK(MPI_Sendrecv(&mine, 1, MPI_INT, r, 7, &theirs, 1, MPI_INT, r, 7, inter, MPI_STATUS_IGNORE));
        CHECK_INT(theirs, 100 * r + rank);
    }
    MPI_Comm merged;
    CHECK_OK(MPI_Intercomm_merge(inter, high, &merged));
    int place = -1, all = 0, one = 1, total = 0;
    CHECK_OK(MPI_Comm_rank(merged, &place));
    CHECK_OK(MPI_Comm_size(merged, &all));
    CHECK_INT(all, size + remote);
    CHECK_INT(place, high ? remote + rank : rank);
    CHECK_OK(MPI_Allreduce(&one, &total, 1, MPI_INT, MPI_SUM, merged));
    CHECK_INT(total, all);
    CHECK_OK(MPI_Comm_disconnect(&merged));
}

/* Long messages both ways, more than any ring holds. */
static inline void spawn_stream(MPI_Comm inter)
{
    enum { N = 300000 };
    static int out[N], in[N];
    int rank = -1, remote = 0;
    CHECK_OK(MPI_Comm_rank(inter, &rank));
    CHECK_OK(MPI_Comm_remote_size(inter, &remote));
    for (int i = 0; i < N; i++)
        out[i] = i ^ rank;
    if (rank < remote) { /* those that have a partner there */
        int size = 0;
        CHECK_OK(MPI_Comm_size(inter, &size));
        check_wipe(in, sizeof in);
        CHECK_OK(MPI_Sendrecv(out, N, MPI_INT, rank, 3, in, N, MPI_INT, rank, 3, inter, MPI_STATUS_IGNORE));
        CHECK_BYTES(in, out, sizeof in);
    }
}

/* A window over processes of both jobs: what one puts the others see. */
static inline void spawn_window_of_all(MPI_Comm all)
{
    MPI_Win win;
    int rank, size, *memory, one = 1, old = -1;
    CHECK_OK(MPI_Comm_rank(all, &rank));
    CHECK_OK(MPI_Comm_size(all, &size));
    for (int kind = 0; kind < 2; kind++) {
        int local[2] = {0, 0};
        memory = local;
        if (kind == 0)
            CHECK_OK(MPI_Win_create(local, sizeof local, sizeof(int), MPI_INFO_NULL, all, &win));
        else
            CHECK_OK(MPI_Win_allocate(sizeof local, sizeof(int), MPI_INFO_NULL, all, &memory, &win));
        memory[0] = memory[1] = 0;
        CHECK_OK(MPI_Win_fence(0, win));
        CHECK_OK(MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 1, 1, MPI_INT, win));
        for (int r = 0; r < size; r++)
            CHECK_OK(MPI_Accumulate(&one, 1, MPI_INT, r, 0, 1, MPI_INT, MPI_SUM, win));
        CHECK_OK(MPI_Win_fence(0, win));
        CHECK_INT(memory[0], size);
        CHECK_INT(memory[1], (rank + size - 1) % size);
        CHECK_OK(MPI_Barrier(all));
        CHECK_OK(MPI_Win_lock_all(0, win));
        CHECK_OK(MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 0, MPI_SUM, win));
        CHECK_OK(MPI_Win_unlock_all(win));
        CHECK(old >= size && old < 2 * size);
        CHECK_OK(MPI_Win_fence(0, win));
        CHECK_INT(memory[0], rank == 0 ? 2 * size : size);
        CHECK_OK(MPI_Win_free(&win));
    }
}

/* Those that MPI says can share memory do: a window that all of them load from. */
static inline void spawn_window_of_node(MPI_Comm all)
{
    MPI_Comm node;
    MPI_Win win;
    int rank, size, *memory;
    CHECK_OK(MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    CHECK_OK(MPI_Comm_rank(node, &rank));
    CHECK_OK(MPI_Comm_size(node, &size));
    CHECK_OK(MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, node, &memory, &win));
    *memory = 100 + rank;
    CHECK_OK(MPI_Win_fence(0, win));
    for (int r = 0; r < size; r++) {
        MPI_Aint bytes;
        int unit, *theirs = NULL;
        CHECK_OK(MPI_Win_shared_query(win, r, &bytes, &unit, &theirs));
        CHECK_INT(*theirs, 100 + r);
    }
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Comm_disconnect(&node));
}

static inline void spawn_windows(MPI_Comm inter, int high)
{
    MPI_Comm all;
    CHECK_OK(MPI_Intercomm_merge(inter, high, &all));
    spawn_window_of_all(all);
    spawn_window_of_node(all);
    CHECK_OK(MPI_Comm_disconnect(&all));
}

/* A child's end: without the world's words of a passed test, which are the parent's. */
static inline int spawn_end(void)
{
    fflush(stdout);
    MPI_Finalize();
    return check_failures != 0;
}

/* Descriptors that are open, and a few more. */
static inline int spawn_count_files(void)
{
    int n = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

#endif
