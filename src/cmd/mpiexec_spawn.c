/* mpiexec_spawn.c - a rank's process: found, forked, given its environment and descriptors, executed.
 *
 * Between fork and exec a child can only report trouble through a pipe that exec closes; those of a world share it.
 */
#include "base/quota.h"
#include "cmd/mpiexec.h"
#include "launch/board.h"
#include "launch/deaths.h"
#include "launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

int mpiexec_exec_errors = -1;

static bool is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

const char *tf_mpiexec_search_in(const char *path, const char *program)
{
    char candidate[PATH_MAX];
    for (const char *dir = path ? path : "/usr/bin:/bin"; dir; dir = strchr(dir, ':')) {
        dir += *dir == ':';
        int length = (int)strcspn(dir, ":");
        int n = snprintf(candidate, sizeof candidate, "%.*s%s%s", length, dir, length ? "/" : "", program);
        if (n < (int)sizeof candidate && length && is_program(candidate))
            return strdup(candidate);
    }
    return NULL;
}

const char *tf_mpiexec_search(const char *program)
{
    return tf_mpiexec_search_in(getenv("PATH"), program);
}

/* For convenience in the working directory too. */
static const char *search(const struct mpiexec_app *app)
{
    char candidate[PATH_MAX];
    const char *program = app->argv[0], *path = app->search ? tf_mpiexec_search_in(app->search, program) : NULL;
    if (!path)
        path = tf_mpiexec_search(program);
    if (path)
        return path;
    snprintf(candidate, sizeof candidate, "./%s", program);
    return is_program(candidate) ? strdup(candidate) : NULL;
}

static int cannot_run(const char *program, int error, char *why, size_t n)
{
    snprintf(why, n, "cannot run \"%.400s\": %s", program, strerror(error));
    return error == ENOENT || error == ENOTDIR ? 127 : 126;
}

int tf_mpiexec_find_program(struct mpiexec_app *app, char *why, size_t n)
{
    const char *program = app->argv[0];
    struct stat st;
    if (!strchr(program, '/')) {
        app->path = search(app);
        if (!app->path)
            snprintf(why, n, "there is no program \"%.400s\" in PATH or in the working directory", program);
        return app->path ? 0 : 127;
    }
    app->path = program;
    /* A relative path means something else in another directory; exec will tell. */
    if (app->wdir && program[0] != '/')
        return 0;
    if (stat(program, &st) != 0)
        return cannot_run(program, errno, why, n);
    if (S_ISDIR(st.st_mode))
        return cannot_run(program, EISDIR, why, n);
    return access(program, X_OK) != 0 ? cannot_run(program, errno, why, n) : 0;
}

bool tf_mpiexec_errhandler_known(const char *name)
{
    static const char *const names[] = {"mpi_errors_are_fatal", "mpi_errors_abort", "mpi_errors_return"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

static void set_number(const char *name, int number)
{
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    setenv(name, text, 1);
}

static void set_environment(int rank, int pmi_fd)
{
    const struct mpiexec_job *job = &mpiexec_job;
    const struct mpiexec_world *world = job->ranks[rank].world;
    int number = rank - world->first;
    if (job->options.bare || job->ranks[rank].app->bare)
        clearenv();
    char *const *lists[] = {job->options.genv, job->ranks[rank].app->env};
    for (int l = 0; l < 2; l++)
        for (char *const *pair = lists[l]; pair && *pair; pair += 2)
            setenv(pair[0], pair[1], 1);
    set_number("PMI_FD", pmi_fd);
    set_number("PMI_RANK", number);
    set_number("PMI_ID", number);
    set_number("PMI_SIZE", world->size);
    set_number(TF_ASKED_VARIABLE, job->ranks[rank].app->nprocs);
    if (world->number > 0)
        set_number("PMI_SPAWNED", 1);
    else
        unsetenv("PMI_SPAWNED");
    if (tf_mpiexec_why_board() && world->number == 0) /* it has places for the first ones only */
        setenv(TF_BOARD_VARIABLE, tf_mpiexec_why_board(), 1);
    else
        unsetenv(TF_BOARD_VARIABLE);
    if (tf_mpiexec_deaths_file()) {
        setenv(TF_DEATHS_VARIABLE, tf_mpiexec_deaths_file(), 1);
        setenv("TREEFOLD_KEEP_GOING", "on", 1);
    } else
        unsetenv(TF_DEATHS_VARIABLE);
    /* What scripts that bind processes to devices look at. */
    set_number("MPI_LOCALRANKID", number);
    set_number("MPI_LOCALNRANKS", world->size);
    /* We may ourselves have been started by a launcher of another kind. */
    unsetenv("PMI_PORT");
    unsetenv("PMIX_RANK");
    unsetenv("PMIX_NAMESPACE");
}

static void restore_signals(void)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
}

size_t tf_mpiexec_fill_in(const char *pattern, int rank, char *to, size_t room)
{
    const struct mpiexec_world *world = mpiexec_job.ranks[rank].world;
    size_t n = 0;
    for (const char *p = pattern; *p && n + 16 < room; p++)
        if (*p == '%' && *++p != '%')
            n += (size_t)sprintf(to + n, "%d", *p == 'r' ? rank - world->first : world->number);
        else
            to[n++] = *p;
    to[n] = '\0';
    return n;
}

/* Where the rank writes: the file that the pattern names, or else the pipe. */
static int output_of(int rank, const char *pattern, int pipe)
{
    char name[PATH_MAX];
    if (!pattern)
        return pipe;
    /* What has no room is not another file. */
    if (tf_mpiexec_fill_in(pattern, rank, name, sizeof name) + 16 >= sizeof name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

/* That this process may use; 0: nobody knows. */
static int processors(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

/* Of all ranks together. */
static struct {
    bool known;
    int processors, quota;
} there;

static void look_around(void)
{
    if (there.known)
        return;
    there.known = true;
    there.processors = processors();
    there.quota = tf_quota();
}

/* Processors keep by its address what they have decoded and learnt of code: of ranks that share one each finds what the
 * others have left there if it lies where theirs does.  Where that is not allowed it is only slower. */
static void lie_alike(void)
{
    int now = personality(0xffffffff);
    if (now != -1 && there.processors > 0 && mpiexec_job.size > there.processors)
        personality((unsigned long)now | ADDR_NO_RANDOMIZE);
}

/* A thread of OpenMP that waits for others of its process spins before it sleeps, GCC's 300,000 times, some
 * milliseconds, and only 100 times where the threads of the process are more than its processors.  Of other processes
 * it knows nothing, so where those of all ranks are too many, one that spins keeps one that works from running for a
 * slice of the system's.  Then it is not to spin, or 100 times too.  Where they are as many as processors, as nothing
 * else is said, but two of each rank would not be too many, the program may have fewer: there 1000 times, about as long
 * as it takes to sleep and be woken. */
static void spin_briefly(void)
{
    int most = there.quota < there.processors ? there.quota : there.processors;
    const char *said = getenv("OMP_NUM_THREADS");
    int team = said ? atoi(said) : 0; /* of "4,2", outer and inner ones, the first */
    long ranks = mpiexec_job.size;
    if (most == 0 || getenv("OMP_WAIT_POLICY"))
        return;
    if (ranks * (team > 0 ? team : 2) > most) {
        setenv("OMP_WAIT_POLICY", "passive", 0);
        setenv("GOMP_SPINCOUNT", "100", 0);
    } else if (team <= 0 && ranks * processors() > most) {
        setenv("GOMP_SPINCOUNT", "1000", 0);
    }
}

static const char running[] = "run";

/* The child; returns what failed, with errno set. */
static const char *become(int rank, pid_t parent, int stdin_fd, int out, int err, int pmi)
{
    const struct mpiexec_app *app = mpiexec_job.ranks[rank].app;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    setpgid(0, 0);
    restore_signals();
    out = output_of(rank, mpiexec_job.options.outfile, out);
    if (out < 0)
        return "open the file of -outfile-pattern for";
    err = mpiexec_job.options.merged ? out : output_of(rank, mpiexec_job.options.errfile, err);
    if (err < 0)
        return "open the file of -errfile-pattern for";
    if (dup2(stdin_fd, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
        return "redirect the output of";
    if (!mpiexec_job.options.aslr)
        lie_alike();
    if (!tf_mpiexec_bind(&mpiexec_job.options, rank, mpiexec_job.size))
        return "bind to its processors";
    fcntl(pmi, F_SETFD, 0);
    set_environment(rank, pmi);
    spin_briefly();
    if (app->wdir && chdir(app->wdir) != 0)
        return "enter the working directory of";
    tf_mpiexec_limits_restore();
    execvp(app->path, app->argv);
    return running;
}

static bool make_channels(int out[2], int err[2], int pmi[2])
{
    if (pipe2(out, O_CLOEXEC) != 0)
        return false;
    if (pipe2(err, O_CLOEXEC) != 0)
        return false;
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pmi) == 0;
}

static void report_binding(int rank)
{
    char list[1024];
    const char *processors = tf_mpiexec_bound(&mpiexec_job.options, rank, mpiexec_job.size, list, sizeof list);
    if (processors)
        tf_mpiexec_say("%s is bound to processors %s", tf_mpiexec_world_name(rank), processors);
    else
        tf_mpiexec_say("%s is not bound", tf_mpiexec_world_name(rank));
}

bool tf_mpiexec_spawn(int rank, int stdin_fd, int report)
{
    struct mpiexec_rank *r = &mpiexec_job.ranks[rank];
    int out[2], err[2], pmi[2];
    pid_t parent = getpid();
    if (!make_channels(out, err, pmi)) {
        tf_mpiexec_fail_rank(rank, EXIT_FAILURE, 0, "cannot make the pipes of %s: %s", tf_mpiexec_world_name(rank),
                             strerror(errno));
        return false;
    }
    look_around();
    r->pid = fork();
    if (r->pid == 0) {
        struct mpiexec_trouble trouble = {.rank = rank};
        trouble.action = become(rank, parent, stdin_fd, out[1], err[1], pmi[1]);
        trouble.error = errno;
        if (write(report, &trouble, sizeof trouble) < 0)
            _exit(126);
        _exit(trouble.error == ENOENT ? 127 : 126);
    }
    if (r->pid < 0) {
        tf_mpiexec_fail_rank(
            rank, EXIT_FAILURE, 0, "cannot start %s: %s%s", tf_mpiexec_world_name(rank), strerror(errno),
            errno == EAGAIN ? "; `ulimit -u` limits the processes of a user, a container those in it" : "");
        r->pid = 0;
        return false;
    }
    setpgid(r->pid, r->pid); /* in the child too: whichever runs first */
    mpiexec_job.groups[rank] = r->pid;
    mpiexec_job.running++;
    r->world->running++;
    close(out[1]);
    close(err[1]);
    close(pmi[1]);
    r->out.fd = out[0];
    r->err.fd = err[0];
    r->pmi_fd = pmi[0];
    fcntl(out[0], F_SETFL, O_NONBLOCK);
    fcntl(err[0], F_SETFL, O_NONBLOCK);
    if (mpiexec_job.options.verbose)
        tf_mpiexec_say("%s is process %ld: %s", tf_mpiexec_world_name(rank), (long)r->pid, r->app->path);
    if (mpiexec_job.options.report_bindings)
        report_binding(rank);
    return true;
}

/* The program is a script, and this is what is to read it, up to a blank; false: it is none.  A carriage return that
 * belongs to the name is to be seen. */
static bool find_interpreter(const struct mpiexec_app *app, char name[256])
{
    char path[PATH_MAX], line[256] = "";
    bool within = app->wdir && app->path[0] != '/';
    snprintf(path, sizeof path, "%s%s%s", within ? app->wdir : "", within ? "/" : "", app->path);
    FILE *file = fopen(path, "re");
    bool found = file && fgets(line, sizeof line - 1, file) && sscanf(line, "#! %253[^ \t\n]", name) == 1;
    if (file)
        fclose(file);
    if (found && name[strlen(name) - 1] == '\r')
        strcpy(name + strlen(name) - 1, "\\r");
    return found;
}

void tf_mpiexec_describe_trouble(const struct mpiexec_trouble *trouble, char *words, size_t n)
{
    const struct mpiexec_app *app = mpiexec_job.ranks[trouble->rank].app;
    char interpreter[256];
    int length = snprintf(words, n, "cannot %s \"%.400s\"%s%.400s: ", trouble->action, app->argv[0],
                          app->wdir ? " in " : "", app->wdir ? app->wdir : "");
    if (length < 0 || (size_t)length >= n)
        return;
    if (trouble->error == ENOENT && !strcmp(trouble->action, running) && find_interpreter(app, interpreter))
        snprintf(words + length, n - (size_t)length, "there is no \"%s\", by which its first line has it run",
                 interpreter);
    else
        snprintf(words + length, n - (size_t)length, "%s", strerror(trouble->error));
}

void tf_mpiexec_read_exec_errors(void)
{
    struct mpiexec_trouble trouble;
    char words[1000];
    if (read(mpiexec_exec_errors, &trouble, sizeof trouble) != sizeof trouble) {
        close(mpiexec_exec_errors); /* exec has closed every other end: all run */
        mpiexec_exec_errors = -1;
        return;
    }
    tf_mpiexec_describe_trouble(&trouble, words, sizeof words);
    tf_mpiexec_fail(trouble.error == ENOENT ? 127 : 126, 0, "%s", words);
}
