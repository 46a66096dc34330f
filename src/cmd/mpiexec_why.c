/* mpiexec_why.c - what the ranks wait for: told on SIGUSR1, when one of them asks for it (the setting explain_after),
 * and at the end of -timeout.
 *
 * Asking disturbs nobody: see launch/board.h.
 */
#include "cmd/mpiexec.h"
#include "cmd/why.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct tf_board *board; /* NULL: there is none */
static int places;             /* on it: of the first world; processes that are spawned have boards of their own */
static char name[64];
static struct why_inquiry inquiry;
static bool passed; /* SIGUSR1 was passed on before the question that is open */

void tf_mpiexec_why_open(void)
{
    places = mpiexec_job.world->size;
    size_t bytes = TF_BOARD_PAGE * (1 + (size_t)places);
    int fd = memfd_create(TF_BOARD_FILE, MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) || !tf_why_open(&inquiry, places))
        return;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        return;
    board = memory;
    board->format = TF_BOARD_FORMAT;
    board->places = places;
    board->launcher = (int32_t)getpid();
    snprintf(board->job, sizeof board->job, "%s", mpiexec_job.world->name);
    snprintf(name, sizeof name, "/proc/%ld/fd/%d", (long)getpid(), fd);
    for (int r = 0; r < places; r++)
        inquiry.sources[r].place = tf_board_at(board, r);
}

const char *tf_mpiexec_why_board(void)
{
    return board ? name : NULL;
}

void tf_mpiexec_why_note(void)
{
    for (int r = 0; board && r < places; r++) {
        const struct mpiexec_rank *rank = &mpiexec_job.ranks[r];
        struct tf_board_place *place = tf_board_at(board, r);
        if (rank->world != mpiexec_job.world || rank->world->number > 0) { /* the first world has ended */
            atomic_store_explicit(&place->ended, true, memory_order_relaxed);
            continue;
        }
        atomic_store_explicit(&place->started, (int32_t)rank->pid, memory_order_relaxed);
        atomic_store_explicit(&place->ended, rank->gone, memory_order_relaxed);
        atomic_store_explicit(&place->hello, rank->initialized, memory_order_relaxed);
        atomic_store_explicit(&place->barrier, rank->in_barrier, memory_order_relaxed);
        atomic_store_explicit(&place->farewell, rank->finalized, memory_order_relaxed);
    }
}

/* ---- SIGUSR1 ---- */

/* The rank whose process group that is, or -1. */
static int rank_of_group(long group)
{
    for (int r = 0; r < places; r++)
        if (mpiexec_job.groups[r] == group)
            return r;
    return -1;
}

static long group_of(long pid)
{
    char path[64], text[1024] = "";
    long group = -1;
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return -1;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const char *behind = strrchr(text, ')');
    return behind && sscanf(behind, ") %*c %*d %ld", &group) == 1 ? group : -1;
}

static bool pass_to(int pid)
{
    return tf_why_handles(pid, SIGUSR1) && kill(pid, SIGUSR1) == 0;
}

/* A process that has no handler for it would be ended. */
void tf_mpiexec_why_pass_on(void)
{
    DIR *processes = opendir("/proc");
    const struct dirent *entry;
    for (int r = 0; r < places && inquiry.sources; r++)
        inquiry.sources[r].catches = false;
    while (processes && (entry = readdir(processes))) {
        long pid = strtol(entry->d_name, NULL, 10);
        int rank = pid > 0 ? rank_of_group(group_of(pid)) : -1;
        if (rank >= 0 && pass_to((int)pid) && inquiry.sources)
            inquiry.sources[rank].catches = true;
    }
    if (processes)
        closedir(processes);
}

/* ---- the question and the report ---- */

void tf_mpiexec_why_ask(bool passed_on)
{
    if (!board || inquiry.round > 0)
        return;
    passed = passed_on;
    atomic_store(&board->explained, (int64_t)(tf_why_clock() * 1e9));
    tf_mpiexec_why_note();
    tf_why_ask(&inquiry);
}

bool tf_mpiexec_why_asking(void)
{
    return inquiry.round > 0;
}

static void say(const char *line)
{
    tf_mpiexec_say("%s", line);
}

bool tf_mpiexec_why_tell(bool last)
{
    tf_mpiexec_why_note();
    if (!tf_why_answered(&inquiry, last))
        return false;
    tf_mpiexec_say("what the %d process%s wait%s for:", places, places == 1 ? "" : "es", places == 1 ? "s" : "");
    for (int r = 0; r < places; r++)
        inquiry.job.ranks[r].catches = passed && inquiry.sources[r].catches;
    tf_why_report(&inquiry.job, say);
    return true;
}
