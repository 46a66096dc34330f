/* treefold_why.c - what the processes of a running job wait for: treefold why PID.
 *
 * PID's board (launch/board.h) is found among its open files.  If PID is a rank of mpiexec's, among those of mpiexec,
 * which is an ancestor; if it is another launcher, among those of its descendants.  All boards of that job that are on
 * this machine are asked.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/treefold.h"
#include "cmd/why.h"

static const char usage[] = "Usage: treefold why PID\n"
                            "\n"
                            "What each process of a running job waits for, and whether they wait for each other.\n"
                            "PID is that of mpiexec, of another launcher, or of a process of the job.\n";

/* ---- processes ---- */

static int parent_of(int pid)
{
    char path[64], text[1024] = "";
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const char *behind = strrchr(text, ')');
    return behind && sscanf(behind, ") %*c %d", &parent) == 1 ? parent : 0;
}

static bool descends_from(int pid, int ancestor)
{
    while (pid > 1 && pid != ancestor)
        pid = parent_of(pid);
    return pid == ancestor;
}

/* The next process in /proc; 0: there is none. */
static int next_process(DIR *processes)
{
    const struct dirent *entry;
    while ((entry = readdir(processes)))
        if (atoi(entry->d_name) > 0)
            return atoi(entry->d_name);
    return 0;
}

/* ---- boards ---- */

static struct tf_board *map(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    struct tf_board *board = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size >= 2 * TF_BOARD_PAGE)
        board = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    if (board == MAP_FAILED)
        return NULL;
    if (board->format == TF_BOARD_FORMAT && (board->places + 1LL) * TF_BOARD_PAGE <= st.st_size)
        return board;
    munmap(board, (size_t)st.st_size);
    return NULL;
}

/* The board that this process has made, which stays mapped; NULL: it has none, or it is not ours to look at. */
static struct tf_board *board_of(int pid)
{
    static const char wanted[] = "/memfd:" TF_BOARD_FILE;
    char folder[64], path[400], target[PATH_MAX];
    struct tf_board *found = NULL;
    const struct dirent *entry;
    snprintf(folder, sizeof folder, "/proc/%d/fd", pid);
    DIR *files = opendir(folder);
    while (files && !found && (entry = readdir(files))) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        ssize_t n = readlink(path, target, sizeof target - 1);
        target[n > 0 ? n : 0] = '\0';
        if (!strncmp(target, wanted, sizeof wanted - 1))
            found = map(path);
    }
    if (files)
        closedir(files);
    return found;
}

/* mpiexec's, above a rank of its. */
static struct tf_board *board_above(int pid)
{
    struct tf_board *found = NULL;
    for (pid = parent_of(pid); pid > 1 && !found; pid = parent_of(pid)) {
        found = board_of(pid);
        if (found && !found->launcher)
            return NULL; /* a program that started this one, and no launcher */
    }
    return found;
}

static struct tf_board *board_below(int pid)
{
    struct tf_board *found = NULL;
    DIR *processes = opendir("/proc");
    for (int p; processes && !found && (p = next_process(processes));)
        if (p != pid && descends_from(p, pid))
            found = board_of(p);
    if (processes)
        closedir(processes);
    return found;
}

static struct tf_board *find_board(int pid)
{
    struct tf_board *board = board_of(pid);
    if (!board)
        board = board_above(pid);
    return board ? board : board_below(pid);
}

/* ---- the job ---- */

static void take_place(struct why_inquiry *inquiry, struct tf_board *board, int place)
{
    struct tf_board_place *at = tf_board_at(board, place);
    int rank = board->launcher ? place : at->rank;
    if (rank >= 0 && rank < inquiry->job.size)
        inquiry->sources[rank].place = at;
}

/* Where each process has a board of its own. */
static void gather(struct why_inquiry *inquiry, struct tf_board *first)
{
    DIR *processes = opendir("/proc");
    take_place(inquiry, first, 0);
    for (int p; processes && (p = next_process(processes));) {
        struct tf_board *board = board_of(p);
        if (board && !board->launcher && !strcmp(board->job, first->job))
            take_place(inquiry, board, 0);
    }
    if (processes)
        closedir(processes);
}

static bool open_inquiry(struct why_inquiry *inquiry, struct tf_board *board)
{
    int size = board->launcher ? board->places : tf_board_at(board, 0)->size;
    if (!tf_why_open(inquiry, size))
        return false;
    if (!board->launcher)
        gather(inquiry, board);
    for (int place = 0; board->launcher && place < board->places; place++)
        take_place(inquiry, board, place);
    return true;
}

static void say(const char *line)
{
    puts(line);
}

static int tell(struct tf_board *board)
{
    struct why_inquiry inquiry;
    if (!open_inquiry(&inquiry, board)) {
        fputs("treefold: no memory for the answers\n", stderr);
        return EXIT_FAILURE;
    }
    tf_why_ask(&inquiry);
    while (!tf_why_answered(&inquiry, false))
        usleep(5000);
    printf("what the %d process%s of job %s wait%s for:\n", inquiry.job.size, inquiry.job.size == 1 ? "" : "es",
           board->job, inquiry.job.size == 1 ? "s" : "");
    tf_why_report(&inquiry.job, say);
    tf_why_close(&inquiry);
    return EXIT_SUCCESS;
}

int tf_cmd_why(int argc, char **argv)
{
    char *end = NULL, path[64];
    long pid = argc == 2 ? strtol(argv[1], &end, 10) : 0;
    if (argc != 2 || end == argv[1] || *end || pid <= 0 || pid > INT_MAX) {
        bool asked = argc == 2 && !strcmp(argv[1] + strspn(argv[1], "-"), "help");
        if (argc == 2 && !asked)
            fprintf(stderr, "treefold: PID is \"%s\"; it must be the number of a process\n\n", argv[1]);
        fputs(usage, asked ? stdout : stderr);
        return asked ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    snprintf(path, sizeof path, "/proc/%ld/fd", pid);
    if (access(path, R_OK | X_OK)) {
        fprintf(stderr, "treefold: cannot look at process %ld: %s\n", pid,
                errno == ENOENT ? "there is none" : strerror(errno));
        return EXIT_FAILURE;
    }
    struct tf_board *board = find_board((int)pid);
    if (board)
        return tell(board);
    fprintf(stderr,
            "treefold: process %ld has not started MPI of this version of Treefold, and no process below it has\n",
            pid);
    return EXIT_FAILURE;
}
