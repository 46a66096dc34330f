/* singleton.c - a program started alone: rank 0 of 1, which needs nobody. */
#include "launch/client.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/descriptors.h"

struct pair {
    struct pair *next;
    char *value;
    char key[];
};
static struct pair *pairs;
static char job[48];

static bool is_there(void)
{
    return true;
}

static int size_alone(void)
{
    return 1;
}

/* N separate jobs of one process are seldom meant. */
static void warn(void)
{
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS"), *place = getenv("SLURM_PROCID"),
               *mpi = getenv("SLURM_MPI_TYPE");
    if (tasks && place && atoi(tasks) > 1 && atoi(place) == 0)
        fprintf(stderr,
                "treefold: srun has started %s processes with --mpi=%s, so each of them runs alone; use srun "
                "--mpi=pmix or --mpi=pmi2\n",
                tasks, mpi ? mpi : "none");
}

static int open_alone(void)
{
    warn();
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(job, sizeof job, "%ld-%llx", (long)getpid(), (unsigned long long)now.tv_sec * 1000000000 + now.tv_nsec);
    tf_job.rank = 0;
    tf_job.size = 1;
    tf_job.name = job;
    return MPI_SUCCESS;
}

static int put(const char *key, const char *value)
{
    struct pair *pair = tf_alloc(sizeof *pair + strlen(key) + strlen(value) + 2, "a published value");
    if (!pair)
        return MPI_ERR_NO_MEM;
    strcpy(pair->key, key);
    pair->value = strcpy(pair->key + strlen(key) + 1, value);
    pair->next = pairs;
    pairs = pair;
    return MPI_SUCCESS;
}

static int get(int rank, const char *key, char *value, size_t capacity)
{
    (void)rank;
    const struct pair *pair = pairs;
    while (pair && strcmp(pair->key, key))
        pair = pair->next;
    if (!pair)
        return tf_error(MPI_ERR_INTERN, "nobody has published \"%s\"", key);
    if (strlen(pair->value) >= capacity)
        return tf_error(MPI_ERR_INTERN, "the value of \"%s\" is longer than %zu characters", key, capacity - 1);
    strcpy(value, pair->value);
    return MPI_SUCCESS;
}

static int nothing(void)
{
    return MPI_SUCCESS;
}

/* ---- a launcher of its own: mpiexec, which this process starts when it first needs one ---- */

static bool served;

/* Beside this library, as both are installed; or wherever the shell finds it. */
static const char *find_mpiexec(void)
{
    static char path[PATH_MAX];
    Dl_info here;
    if (dladdr((void *)find_mpiexec, &here) && here.dli_fname && strstr(here.dli_fname, "/lib")) {
        const char *slash = strrchr(here.dli_fname, '/');
        snprintf(path, sizeof path, "%.*s/../bin/mpiexec", (int)(slash - here.dli_fname), here.dli_fname);
        if (access(path, X_OK) == 0)
            return path;
    }
    return "mpiexec";
}

/* In the child, where other threads of the program are not: nothing but calls of the system. */
static void become_mpiexec(const char *path, int socket)
{
    char *const argv[] = {"mpiexec", "-serve", "3", job, NULL};
    if (socket == 3)
        fcntl(socket, F_SETFD, 0);
    else if (dup2(socket, 3) < 0)
        _exit(1);
    tf_descriptors_close_from(4);
    execvp(path, argv);
    _exit(127);
}

/* It is nobody's child: programs wait for those of their own. */
static int start_mpiexec(const char *path, int socket)
{
    pid_t child = fork();
    if (child < 0)
        return tf_error(MPI_ERR_SPAWN, "cannot start %s: %s", path, strerror(errno));
    if (child == 0) {
        if (fork() == 0)
            become_mpiexec(path, socket);
        _exit(0);
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
    return MPI_SUCCESS;
}

static int serve(void)
{
    const char *path = find_mpiexec();
    int ends[2];
    if (served)
        return MPI_SUCCESS;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return tf_error(MPI_ERR_SPAWN, "cannot make a socket for mpiexec: %s", strerror(errno));
    int err = start_mpiexec(path, ends[1]);
    close(ends[1]);
    if (err)
        close(ends[0]);
    else if (tf_launch_pmi1_attach(ends[0], job))
        err = tf_error(MPI_ERR_SPAWN,
                       "this program was started alone, and \"%s\", which it started to be its launcher, does not "
                       "answer as Treefold's mpiexec does",
                       path);
    served = !err;
    return err;
}

static int spawn(const struct tf_launch_app *apps, int napps, const char *port, char *job, size_t capacity)
{
    int err = serve();
    return err ? err : tf_launch_pmi1.spawn(apps, napps, port, job, capacity);
}

static void part(const char *name)
{
    if (served)
        tf_launch_pmi1.part(name);
}

static int publish(const char *service, const char *port)
{
    int err = serve();
    return err ? err : tf_launch_pmi1.publish(service, port);
}

static int unpublish(const char *service)
{
    int err = serve();
    return err ? err : tf_launch_pmi1.unpublish(service);
}

static int lookup(const char *service, char *port, size_t capacity)
{
    int err = serve();
    return err ? err : tf_launch_pmi1.lookup(service, port, capacity);
}

static void abort_alone(int exit_code, const char *message)
{
    if (served)
        tf_launch_pmi1.abort(exit_code, message);
}

static int close_alone(void)
{
    if (served) {
        tf_launch_pmi1.close();
        tf_launch_pmi1_detach();
        served = false;
    }
    while (pairs) {
        struct pair *next = pairs->next;
        free(pairs);
        pairs = next;
    }
    return MPI_SUCCESS;
}

const struct tf_launch_client tf_launch_singleton = {
    .name = "singleton",
    .what = "a program started alone",
    .is_there = is_there,
    .size = size_alone,
    .open = open_alone,
    .put = put,
    .get = get,
    .barrier = nothing,
    .abort = abort_alone,
    .close = close_alone,
    .reopen = nothing,
    .spawn = spawn,
    .part = part,
    .publish = publish,
    .unpublish = unpublish,
    .lookup = lookup,
};
