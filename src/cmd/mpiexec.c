/* mpiexec.c - start the processes of an MPI program on this machine, serve them, and end them all when one fails; or
 * have that done on others.
 *
 * One loop waits for signals (signalfd), PMI commands, output and times.  See mpiexec.h for the other files.
 */
#include "cmd/mpiexec.h"
#include "launch/board.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Each is MPIEXEC_GRACE seconds where the environment has that. */
#define GRACE_TO_END 0.25      /* seconds from SIGTERM to SIGKILL */
#define GRACE_AFTER_SIGNAL 0.3 /* from the signal that was passed on to SIGTERM */
#define GRACE_FINALIZED 0.5    /* from a failure behind MPI_Finalize, when others may be just as far, to SIGTERM */
#define GRACE_TO_ANSWER 5.0    /* from the question what they wait for to SIGTERM, at the end of -timeout, at most */
#define BACKGROUND_LOOK 0.25   /* a job in the background looks so often whether the terminal is its own */
#define LOOK_FOR_ANSWERS 0.005
#define PROMPT_DELAY 0.1 /* an unfinished line of rank 0 is shown to a terminal after this */

struct mpiexec_job mpiexec_job;
static double end_of_time;  /* of -timeout; 0: none */
static bool ends_when_told; /* it has come, and the ranks were asked what they wait for */

double tf_mpiexec_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void say(const char *format, va_list args)
{
    char line[1200] = "mpiexec: ";
    size_t length = strlen(line);
    vsnprintf(line + length, sizeof line - length - 1, format, args);
    strcat(line, "\n");
    tf_mpiexec_sink_add(1, line, strlen(line));
    tf_mpiexec_sink_write(1);
}

void tf_mpiexec_say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(format, args);
    va_end(args);
}

static double later(double delay)
{
    if (delay > 0 && mpiexec_job.options.grace > 0)
        delay = mpiexec_job.options.grace;
    return tf_mpiexec_now() + delay;
}

static void fail(struct mpiexec_world *world, int status, double grace, const char *format, va_list args)
{
    if (!tf_mpiexec_world_fail(world, SIGTERM, later(grace)))
        return;
    if (mpiexec_job.status == 0)
        mpiexec_job.status = status;
    va_list again;
    va_copy(again, args);
    say(format, args);
    tf_mpiexec_debug_failed(format, again);
    va_end(again);
}

void tf_mpiexec_fail(int status, double grace, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail(NULL, status, grace, format, args);
    va_end(args);
    mpiexec_job.failed = true;
}

void tf_mpiexec_fail_rank(int rank, int status, double grace, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail(mpiexec_job.ranks[rank].world, status, grace, format, args);
    va_end(args);
}

void tf_mpiexec_give_up(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("mpiexec: ", stderr);
    vfprintf(stderr, format, args);
    fputs("; ending the job\n", stderr);
    va_end(args);
    tf_mpiexec_clean();
    tf_mpiexec_sink_finish();
    exit(EXIT_FAILURE);
}

/* ---- the end of a process ---- */

/* Whether the others go on. */
static bool is_spared(int rank, int status)
{
    const struct mpiexec_rank *r = &mpiexec_job.ranks[rank];
    if (WIFSIGNALED(status) && r->condemned)
        return tf_mpiexec_deaths_spare(rank, 128 + WTERMSIG(status), "was ended, as it could not be reached any more");
    if (WIFSIGNALED(status))
        return tf_mpiexec_deaths_spare(rank, 128 + WTERMSIG(status), "was killed by signal %d (%s)", WTERMSIG(status),
                                       strsignal(WTERMSIG(status)));
    if (WEXITSTATUS(status) != 0)
        return tf_mpiexec_deaths_spare(rank, WEXITSTATUS(status), "exited with status %d", WEXITSTATUS(status));
    if (r->initialized && !r->finalized)
        return tf_mpiexec_deaths_spare(rank, EXIT_FAILURE, "exited without finalizing MPI");
    tf_mpiexec_deaths_tell(rank, "has ended");
    return false;
}

static void judge(int rank, int status)
{
    struct mpiexec_rank *r = &mpiexec_job.ranks[rank];
    long pid = (long)r->pid;
    const char *name = tf_mpiexec_world_name(rank);
    if (r->world->failed) {
        tf_mpiexec_deaths_tell(rank, "was ended with its job");
        return;
    }
    if (is_spared(rank, status))
        return;
    if (WIFSIGNALED(status))
        tf_mpiexec_fail_rank(rank, 128 + WTERMSIG(status), 0, "%s (pid %ld) was killed by signal %d (%s)", name, pid,
                             WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != 0)
        tf_mpiexec_fail_rank(rank, WEXITSTATUS(status), r->finalized ? GRACE_FINALIZED : 0,
                             "%s (pid %ld) exited with status %d", name, pid, WEXITSTATUS(status));
    else if (r->initialized && !r->finalized)
        tf_mpiexec_fail_rank(rank, EXIT_FAILURE, 0,
                             "%s (pid %ld) exited without finalizing MPI (by MPI_Finalize, or MPI_Session_finalize)",
                             name, pid);
}

static void process_ended(int rank, int status)
{
    struct mpiexec_rank *r = &mpiexec_job.ranks[rank];
    r->gone = true;
    mpiexec_job.running--;
    /* Numbers are used again, so a group is remembered only while it has members. */
    if (kill(-r->pid, 0) != 0)
        mpiexec_job.groups[rank] = 0;
    /* What it said last comes before what is said about it. */
    tf_mpiexec_pmi_read(rank);
    if (mpiexec_job.groups[rank] == 0)
        tf_mpiexec_stream_drain(rank);
    if (mpiexec_exec_errors >= 0 && WIFEXITED(status) && WEXITSTATUS(status) >= 126)
        tf_mpiexec_read_exec_errors();
    judge(rank, status);
    tf_mpiexec_pmi_check_barrier(r->world);
    if (mpiexec_job.options.verbose)
        tf_mpiexec_say("%s has ended, after %d requests", tf_mpiexec_world_name(rank), r->pmi_requests);
    tf_mpiexec_world_process_ended(rank);
}

/* Its end is that of its socket: nobody here is its parent. */
void tf_mpiexec_alone_ended(int rank)
{
    process_ended(rank, 0);
}

static void note_end(pid_t pid, int status)
{
    for (int r = 0; r < mpiexec_job.size; r++) {
        struct mpiexec_rank *rank = &mpiexec_job.ranks[r];
        if (rank->pid == pid && !rank->gone && !rank->alone) {
            rank->ended = true;
            rank->status = status;
        }
    }
}

static void collect_ended(void)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        note_end(pid, status);
}

static void judge_ended(bool killed, int but)
{
    for (int r = 0; r < mpiexec_job.size; r++) {
        struct mpiexec_rank *rank = &mpiexec_job.ranks[r];
        if (!rank->ended || r == but || WIFSIGNALED(rank->status) != killed)
            continue;
        rank->ended = false;
        process_ended(r, rank->status);
    }
}

/* It closes its connections first, and can be waited for a moment later. */
static bool is_exiting(pid_t pid)
{
    enum { PF_EXITING = 4 }; /* of Linux, among the flags in proc_pid_stat(5) */
    char path[40], text[512] = "";
    unsigned flags = 0;
    siginfo_t over = {0};
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    const char *rest = fgets(text, sizeof text, file) ? strrchr(text, ')') : NULL;
    fclose(file);
    return rest && sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1 && (flags & PF_EXITING) &&
           waitid(P_PID, (id_t)pid, &over, WEXITED | WNOHANG | WNOWAIT) == 0 && over.si_pid == 0;
}

static void await_exiting(int but)
{
    enum { MILLISECONDS = 100 };
    for (int r = 0; r < mpiexec_job.size; r++) {
        const struct mpiexec_rank *rank = &mpiexec_job.ranks[r];
        bool runs = rank->pid > 0 && !rank->ended && !rank->gone && !rank->alone;
        for (int i = 0; r != but && runs && i < MILLISECONDS && is_exiting(rank->pid); i++)
            usleep(1000);
    }
}

void tf_mpiexec_judge_killed(int but)
{
    static bool judging; /* one that was killed may have said something first that leads here */
    if (judging)
        return;
    judging = true;
    await_exiting(but);
    collect_ended();
    judge_ended(true, but);
    judging = false;
}

/* Of several that have ended, in whatever order the kernel tells of them, those that were killed come first: others may
 * have ended as they found these gone. */
static void reap(void)
{
    collect_ended();
    judge_ended(true, -1);
    judge_ended(false, -1);
}

/* ---- signals and times ---- */

static void stop_and_go_on(void)
{
    tf_mpiexec_signal_all(SIGSTOP);
    kill(getpid(), SIGSTOP);
    tf_mpiexec_signal_all(SIGCONT); /* we have been continued */
}

static void pass_on(int signal)
{
    if (signal == SIGUSR1)
        tf_mpiexec_why_pass_on();
    if (signal == SIGUSR1 || signal == TF_BOARD_SIGNAL) {
        tf_mpiexec_why_ask(signal == SIGUSR1);
        return;
    }
    if (signal == SIGUSR2) {
        tf_mpiexec_signal_all(signal);
        return;
    }
    if (mpiexec_job.failed) {
        tf_mpiexec_signal_all(SIGKILL); /* asked for the second time */
        return;
    }
    tf_mpiexec_signal_all(signal);
    tf_mpiexec_fail(128 + signal, GRACE_AFTER_SIGNAL, "ending the job on signal %d (%s)", signal, strsignal(signal));
}

static void take_signals(int fd)
{
    struct signalfd_siginfo info;
    while (read(fd, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGCHLD)
            reap();
        else if (info.ssi_signo == SIGTSTP)
            stop_and_go_on();
        else
            pass_on((int)info.ssi_signo);
    }
}

static int open_signals(void)
{
    static const int signals[] = {SIGCHLD, SIGINT,  SIGTERM, SIGHUP,         SIGQUIT,
                                  SIGTSTP, SIGUSR1, SIGUSR2, TF_BOARD_SIGNAL};
    struct sigaction action;
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        /* nohup's wish is respected; that a shell's "&" ignores SIGINT is not: who sends it by name means it. */
        sigaction(signals[i], NULL, &action);
        if (signals[i] == SIGHUP && action.sa_handler == SIG_IGN)
            continue;
        signal(signals[i], SIG_DFL);
        sigaddset(&set, signals[i]);
    }
    /* What goes wrong with our output is told in words. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void send_due(struct mpiexec_world *world)
{
    tf_mpiexec_world_signal(world, SIGCONT);
    tf_mpiexec_world_signal(world, world->next_signal);
    world->next_signal = world->next_signal == SIGTERM ? SIGKILL : 0;
    world->next_signal_at = later(GRACE_TO_END);
}

static bool is_signal_due(double now)
{
    for (const struct mpiexec_world *world = mpiexec_job.world; world; world = world->next)
        if (world->next_signal && now >= world->next_signal_at)
            return true;
    return false;
}

static void check_times(void)
{
    double now = tf_mpiexec_now();
    struct mpiexec_job *job = &mpiexec_job;
    if (end_of_time > 0 && now >= end_of_time) {
        end_of_time = 0;
        tf_mpiexec_why_ask(false);
        ends_when_told = true;
        tf_mpiexec_fail(124, GRACE_TO_ANSWER, "the job has run for %g seconds, its time limit; ending it",
                        job->options.timeout);
    }
    if (tf_mpiexec_apart_due() > 0 && now >= tf_mpiexec_apart_due())
        tf_mpiexec_apart_judge();
    bool told = tf_mpiexec_why_tell(is_signal_due(now)) && ends_when_told;
    for (struct mpiexec_world *world = job->world; world; world = world->next)
        if (world->next_signal && (now >= world->next_signal_at || (told && world->next_signal == SIGTERM)))
            send_due(world);
}

/* Milliseconds until something is due, rounded up; -1: nothing is. */
static int time_left(void)
{
    double due = 0, now = tf_mpiexec_now();
    if (end_of_time > 0)
        due = end_of_time;
    for (const struct mpiexec_world *world = mpiexec_job.world; world; world = world->next)
        if (world->next_signal && (due == 0 || world->next_signal_at < due))
            due = world->next_signal_at;
    if (tf_mpiexec_apart_due() > 0 && (due == 0 || tf_mpiexec_apart_due() < due))
        due = tf_mpiexec_apart_due();
    if (tf_mpiexec_why_asking() && (due == 0 || now + LOOK_FOR_ANSWERS < due))
        due = now + LOOK_FOR_ANSWERS;
    if (tf_mpiexec_input_is_terminal() && mpiexec_job.ranks[mpiexec_job.options.reader].out.length > 0 &&
        (due == 0 || now + PROMPT_DELAY < due))
        due = now + PROMPT_DELAY;
    /* A shell tells nobody that it has brought a job that runs to the foreground. */
    if (tf_mpiexec_input_is_in_background() && (due == 0 || now + BACKGROUND_LOOK < due))
        due = now + BACKGROUND_LOOK;
    if (due == 0)
        return -1;
    double left = (due - now) * 1000 + 1;
    return left < 0 ? 0 : left > 1e6 ? 1000000 : (int)left;
}

/* ---- the loop ---- */

/* Where each descriptor is in the array that poll gets; of a rank there are PMI, output and error. */
enum { SLOT_SIGNALS, SLOT_EXEC, SLOT_INPUT, SLOT_SINKS, SLOT_RANKS = SLOT_SINKS + MPIEXEC_SINKS };

static void fill_slots(struct pollfd *slots, int signals)
{
    slots[SLOT_SIGNALS] = (struct pollfd){.fd = signals, .events = POLLIN};
    slots[SLOT_EXEC] = (struct pollfd){.fd = mpiexec_exec_errors, .events = POLLIN};
    slots[SLOT_INPUT].fd = tf_mpiexec_input_poll_fd(&slots[SLOT_INPUT].events);
    for (int sink = 0; sink < MPIEXEC_SINKS; sink++)
        slots[SLOT_SINKS + sink] = (struct pollfd){.fd = tf_mpiexec_sink_fd(sink), .events = POLLOUT};
    for (int r = 0; r < mpiexec_job.size; r++) {
        const struct mpiexec_rank *rank = &mpiexec_job.ranks[r];
        struct pollfd *slot = &slots[SLOT_RANKS + 3 * r];
        slot[0] = (struct pollfd){.fd = rank->pmi_fd, .events = POLLIN};
        slot[1] = (struct pollfd){.fd = tf_mpiexec_sink_full(0) ? -1 : rank->out.fd, .events = POLLIN};
        slot[2] = (struct pollfd){.fd = tf_mpiexec_sink_full(1) ? -1 : rank->err.fd, .events = POLLIN};
    }
}

static void serve_slots(const struct pollfd *slots, int ranks, int signals)
{
    for (int r = 0; r < ranks; r++) {
        const struct pollfd *slot = &slots[SLOT_RANKS + 3 * r];
        if (slot[0].revents)
            tf_mpiexec_pmi_read(r);
        if (slot[1].revents)
            tf_mpiexec_stream_read(r, false);
        if (slot[2].revents)
            tf_mpiexec_stream_read(r, true);
    }
    for (int sink = 0; sink < MPIEXEC_SINKS; sink++)
        if (slots[SLOT_SINKS + sink].revents)
            tf_mpiexec_sink_write(sink);
    if (slots[SLOT_INPUT].revents)
        tf_mpiexec_input_move();
    if (slots[SLOT_EXEC].revents)
        tf_mpiexec_read_exec_errors();
    /* Last, so that a process that has ended is judged by all it has said. */
    if (slots[SLOT_SIGNALS].revents)
        take_signals(signals);
}

/* As many as there are ranks now. */
static struct pollfd *make_slots(void)
{
    static struct pollfd *slots;
    static int size = -1;
    if (size < mpiexec_job.size) {
        size = mpiexec_job.size;
        slots = realloc(slots, (SLOT_RANKS + 3 * (size_t)size) * sizeof *slots);
    }
    if (!slots)
        tf_mpiexec_give_up("no memory for %d processes", mpiexec_job.size);
    return slots;
}

static void run_loop(int signals)
{
    while (mpiexec_job.running > 0) {
        struct pollfd *slots = make_slots();
        int ranks = mpiexec_job.size;
        fill_slots(slots, signals);
        int n = poll(slots, SLOT_RANKS + 3 * (nfds_t)ranks, time_left());
        if (n > 0)
            serve_slots(slots, ranks, signals);
        else if (n < 0 && errno != EINTR)
            tf_mpiexec_give_up("cannot wait for the processes: %s", strerror(errno));
        else if (n == 0 && tf_mpiexec_input_is_terminal())
            tf_mpiexec_stream_show_partial(mpiexec_job.options.reader);
        check_times();
    }
}

/* ---- start and end ---- */

/* Their places take a quarter of the addresses that this process may have (ulimit -v), but all of those that are asked
 * for get one. */
static int most_ranks(void)
{
    struct rlimit limit;
    size_t each = sizeof *mpiexec_job.ranks + sizeof *mpiexec_job.groups;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur / 4 / each >= MPIEXEC_MOST)
        return MPIEXEC_MOST;
    int n = (int)(limit.rlim_cur / 4 / each);
    return n > mpiexec_job.options.nprocs ? n : mpiexec_job.options.nprocs;
}

static void open_job(void)
{
    struct mpiexec_job *job = &mpiexec_job;
    job->most = most_ranks();
    /* Address space, which becomes memory where there are ranks. */
    job->ranks = mmap(NULL, (size_t)job->most * sizeof *job->ranks, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (job->ranks == MAP_FAILED || !tf_mpiexec_world_open(NULL, job->options.apps, job->options.napps)) {
        fprintf(stderr, "mpiexec: no memory for %d processes\n", job->options.nprocs);
        exit(EXIT_FAILURE);
    }
    if (job->options.timeout > 0)
        end_of_time = tf_mpiexec_now() + job->options.timeout;
}

static void start_ranks(void)
{
    int reader = mpiexec_job.options.reader, trouble[2];
    int nothing = tf_mpiexec_input_none(), input = reader < 0 ? nothing : tf_mpiexec_input_open();
    if (nothing < 0 || pipe2(trouble, O_CLOEXEC) != 0)
        tf_mpiexec_give_up("cannot make a pipe: %s", strerror(errno));
    mpiexec_exec_errors = trouble[0];
    for (int r = 0; r < mpiexec_job.size && tf_mpiexec_spawn(r, r == reader ? input : nothing, trouble[1]); r++)
        continue;
    close(trouble[1]);
    close(nothing);
    if (input != STDIN_FILENO && input != nothing)
        close(input);
    tf_mpiexec_debug_started(mpiexec_exec_errors);
}

/* Of a program that was started alone this process is the launcher afterwards. */
static void serve_alone(void)
{
    struct mpiexec_rank *r = &mpiexec_job.ranks[0];
    struct ucred other;
    socklen_t length = sizeof other;
    r->alone = true;
    r->pmi_fd = mpiexec_job.options.serve;
    if (getsockopt(r->pmi_fd, SOL_SOCKET, SO_PEERCRED, &other, &length) != 0)
        tf_mpiexec_give_up("-serve is for programs of Treefold alone");
    r->pid = other.pid;
    fcntl(r->pmi_fd, F_SETFD, FD_CLOEXEC);
    mpiexec_job.running = r->world->running = 1;
}

static void find_programs(void)
{
    char why[1000];
    for (int i = 0; i < mpiexec_job.options.napps && mpiexec_job.options.serve < 0; i++) {
        int status = tf_mpiexec_find_program(&mpiexec_job.options.apps[i], why, sizeof why);
        if (status == 0)
            continue;
        fprintf(stderr, "mpiexec: %s\n", why);
        exit(status);
    }
}

static void raise_limits(void)
{
    char why[400];
    if (tf_mpiexec_limits_raise(mpiexec_job.options.nprocs, why, sizeof why))
        return;
    fprintf(stderr, "mpiexec: %s\n", why);
    exit(EXIT_FAILURE);
}

/* Descriptors 0 to 2 must be open, or a pipe would take their place. */
static void open_standard_files(void)
{
    int fd;
    while ((fd = open("/dev/null", O_RDWR)) >= 0 && fd <= STDERR_FILENO)
        continue;
    close(fd);
}

int main(int argc, char **argv)
{
    open_standard_files();
    tf_mpiexec_parse(argc, argv, &mpiexec_job.options);
    tf_mpiexec_hand_over(&mpiexec_job.options);
    if (mpiexec_job.options.nprocs > MPIEXEC_MOST) {
        fprintf(stderr, "mpiexec: %d processes are more than one machine can run\n", mpiexec_job.options.nprocs);
        return MPIEXEC_USAGE_ERROR;
    }
    find_programs();
    tf_mpiexec_bind_prepare(&mpiexec_job.options);
    raise_limits();
    open_job();
    int signals = open_signals();
    tf_mpiexec_watch();
    tf_mpiexec_why_open();
    tf_mpiexec_deaths_open();
    if (mpiexec_job.options.verbose)
        tf_mpiexec_say("job %s of %d processes", mpiexec_job.world->name, mpiexec_job.size);
    if (mpiexec_job.options.serve >= 0)
        serve_alone();
    else
        start_ranks();
    run_loop(signals);
    tf_mpiexec_clean();
    for (int r = 0; r < mpiexec_job.size; r++)
        tf_mpiexec_stream_drain(r);
    for (int r = 0; r < mpiexec_job.size; r++)
        tf_mpiexec_stream_close(r);
    tf_mpiexec_other_tell();
    tf_mpiexec_sink_finish();
    return mpiexec_job.status;
}
