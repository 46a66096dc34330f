/* spawn.h - what tests of spawned processes share: the same program runs as parent and, with its first argument, as one
 * of several kinds of children, whose failed checks end them with a failure, and so the job.
 */
#ifndef SPAWN_H
#define SPAWN_H

#include "check.h"

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

/* A child's end: without the world's words of a passed test, which are the parent's. */
static inline int spawn_end(void)
{
    fflush(stdout);
    MPI_Finalize();
    return check_failures != 0;
}

/* No child of this process is left. */
#endif
