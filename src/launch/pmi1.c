/* pmi1.c - the client of PMI-1: lines of key=value words over a socket that the launcher left open (PMI_FD).
 *
 *     cmd=init pmi_version=1 pmi_subversion=1  ->  cmd=response_to_init ... rc=0
 *     cmd=get_my_kvsname                       ->  cmd=my_kvsname kvsname=NAME
 *     cmd=put kvsname=NAME key=K value=V       ->  cmd=put_result rc=0
 *     cmd=barrier_in                           ->  cmd=barrier_out        (when all have come)
 *     cmd=get kvsname=NAME key=K               ->  cmd=get_result rc=0 value=V
 *     cmd=get_appnum                           ->  cmd=appnum appnum=N
 *     cmd=get_universe_size                    ->  cmd=universe_size size=N
 *     cmd=finalize                             ->  cmd=finalize_ack
 *
 * Our mpiexec answers the first one with returns=1: after `finalize` the socket stays open, and another `init` may
 * follow; and it keeps memory for the processes, all of which are on its machine:
 *
 *     cmd=memory bytes=N                       ->  cmd=memory rc=0 name=FILE
 *
 * and, where the job goes on without the dead, it ends one of two processes that cannot reach each other any more:
 *
 *     cmd=apart job=NAME rank=R reason=WHY     ->  cmd=apart rc=0
 *
 *     cmd=abort exitcode=N                         (no answer; the launcher ends the job)
 *
 * What jobs that grow need is in pmi1_grow.c.
 *
 * Spoken by our mpiexec, MPICH's Hydra, Slurm (srun --mpi=pmi2 takes both versions) and others.
 */
#include "launch/pmi1.h"
#include "launch/client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static int fd = -1;
static char job[256];
static char line[TF_PMI1_LINE]; /* the latest answer, and what has arrived behind it */
static size_t filled, answer_length;
bool tf_pmi1_ours; /* the launcher is our mpiexec */

static bool is_there(void)
{
    const char *text = getenv("PMI_FD");
    if (!text)
        return false;
    /* Where PMIx is there too a closed descriptor is only a variable that somebody has passed on. */
    return !tf_launch_pmix.is_there() || fcntl(atoi(text), F_GETFD) >= 0;
}

int tf_pmi1_write(const char *text, size_t length)
{
    while (length > 0) {
        /* A launcher that has gone is an error to report, not a signal to die of. */
        ssize_t n = send(fd, text, length, MSG_NOSIGNAL);
        if (n < 0 && errno == ENOTSOCK)
            n = write(fd, text, length);
        if (n < 0 && errno != EINTR)
            return tf_error(MPI_ERR_OTHER, "cannot write to the process manager: %s", strerror(errno));
        if (n > 0) {
            text += n;
            length -= (size_t)n;
        }
    }
    return MPI_SUCCESS;
}

/* Put the next line in `line`, its newline replaced by a 0. */
static int read_line(void)
{
    char *end;
    filled -= answer_length;
    memmove(line, line + answer_length, filled);
    answer_length = 0;
    while (!(end = memchr(line, '\n', filled))) {
        if (filled == sizeof line)
            return tf_error(MPI_ERR_OTHER, "the process manager sent a line of more than %zu characters", sizeof line);
        ssize_t n = read(fd, line + filled, sizeof line - filled);
        if (n == 0)
            return tf_error(MPI_ERR_OTHER, "the process manager has closed the connection");
        if (n < 0 && errno != EINTR)
            return tf_error(MPI_ERR_OTHER, "cannot read from the process manager: %s", strerror(errno));
        if (n > 0)
            filled += (size_t)n;
    }
    *end = '\0';
    answer_length = (size_t)(end - line) + 1;
    return MPI_SUCCESS;
}

/* The value of `name` in the latest answer, in `value`; false if there is none or no room. */
bool tf_pmi1_value(const char *name, char *value, size_t capacity)
{
    size_t length = strlen(name);
    for (const char *word = line; *word; word += strspn(word, " ")) {
        size_t word_length = strcspn(word, " ");
        if (word_length > length && word[length] == '=' && !strncmp(word, name, length)) {
            size_t n = word_length - length - 1;
            if (n >= capacity)
                return false;
            memcpy(value, word + length + 1, n);
            value[n] = '\0';
            return true;
        }
        word += word_length;
    }
    return false;
}

/* A barrier in two steps, whose answer may come before that to a question between them. */
static enum { NO_BARRIER, BEGUN, OVER } meeting;

static bool is_end_of_barrier(void)
{
    char cmd[64];
    return meeting == BEGUN && tf_pmi1_value("cmd", cmd, sizeof cmd) && strcmp(cmd, "barrier_out") == 0;
}

int tf_pmi1_read_line(void)
{
    int err = read_line();
    if (err || !is_end_of_barrier())
        return err;
    meeting = OVER;
    return read_line();
}

/* Send a command and read its answer, whose cmd must be `expected` and whose rc, where there is one, 0. */
static int ask(const char *expected, const char *format, ...) TF_PRINTF(2, 3);
static int ask(const char *expected, const char *format, ...)
{
    char command[TF_PMI1_LINE], cmd[64], rc[16] = "0";
    va_list args;
    va_start(args, format);
    int length = vsnprintf(command, sizeof command, format, args);
    va_end(args);
    if (length >= (int)sizeof command)
        return tf_error(MPI_ERR_INTERN, "a command to the process manager is longer than %zu characters",
                        sizeof command);
    int err = tf_pmi1_write(command, (size_t)length);
    if (!err)
        err = tf_pmi1_read_line();
    if (err)
        return err;
    tf_pmi1_value("rc", rc, sizeof rc);
    if (!tf_pmi1_value("cmd", cmd, sizeof cmd) || strcmp(cmd, expected) || strcmp(rc, "0")) {
        command[strcspn(command, "\n")] = '\0';
        return tf_error(MPI_ERR_OTHER, "the process manager answered \"%s\" to \"%s\"", line, command);
    }
    return MPI_SUCCESS;
}

static int number_of(const char *variable, int low, int *number)
{
    const char *text = getenv(variable);
    char *end;
    long value = text ? strtol(text, &end, 10) : -1;
    if (!text || end == text || *end || value < low || value > INT32_MAX)
        return tf_error(MPI_ERR_OTHER, "the process manager left %s=%s in the environment; it must be a number from %d",
                        variable, text ? text : "(nothing)", low);
    *number = (int)value;
    return MPI_SUCCESS;
}

static int size_told(void)
{
    int size;
    return number_of("PMI_SIZE", 1, &size) ? 1 : size;
}

static int take_environment(void)
{
    int rank = 0, size = 0, err = number_of("PMI_FD", 0, &fd);
    if (!err)
        err = number_of("PMI_SIZE", 1, &size);
    if (!err)
        err = number_of("PMI_RANK", 0, &rank);
    if (err)
        return err;
    if (rank >= size)
        return tf_error(MPI_ERR_OTHER, "PMI_RANK is %d, but PMI_SIZE is %d", rank, size);
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
        return tf_error(
            MPI_ERR_OTHER,
            "PMI_FD is %d, but no such file is open: something between the launcher and this program closed "
            "it. Unset PMI_FD to run the program alone",
            fd);
    tf_job.rank = rank;
    tf_job.size = size;
    return MPI_SUCCESS;
}

static int say_hello(void)
{
    char returns[8] = "0";
    int err = ask("response_to_init", "cmd=init pmi_version=1 pmi_subversion=1\n");
    if (!err)
        tf_pmi1_ours = tf_pmi1_value("returns", returns, sizeof returns) && strcmp(returns, "1") == 0;
    return err;
}

static int open_pmi(void)
{
    int err = take_environment();
    if (!err)
        err = say_hello();
    if (!err)
        err = ask("my_kvsname", "cmd=get_my_kvsname\n");
    if (!err && !tf_pmi1_value("kvsname", job, sizeof job))
        err = tf_error(MPI_ERR_OTHER, "the process manager gave no name of the job: \"%s\"", line);
    if (err)
        return err;
    tf_job.name = job;
    /* The socket is ours now: a program that this one starts is not a rank of this job. */
    unsetenv("PMI_FD");
    return MPI_SUCCESS;
}

static int put(const char *key, const char *value)
{
    return ask("put_result", "cmd=put kvsname=%s key=%s value=%s\n", job, key, value);
}

int tf_pmi1_get(int rank, const char *key, char *value, size_t capacity)
{
    (void)rank; /* one space for all */
    int err = ask("get_result", "cmd=get kvsname=%s key=%s\n", job, key);
    if (!err && !tf_pmi1_value("value", value, capacity))
        err = tf_error(MPI_ERR_OTHER, "the value of \"%s\" is missing or longer than %zu characters: \"%s\"", key,
                       capacity - 1, line);
    return err;
}

static int barrier(void)
{
    return ask("barrier_out", "cmd=barrier_in\n");
}

static int barrier_begin(void)
{
    static const char command[] = "cmd=barrier_in\n";
    meeting = BEGUN;
    return tf_pmi1_write(command, sizeof command - 1);
}

static bool barrier_is_over(int *err)
{
    struct pollfd answer = {.fd = fd, .events = POLLIN};
    if (meeting == BEGUN && filled == answer_length && poll(&answer, 1, 0) == 0)
        return false;
    *err = meeting == OVER ? MPI_SUCCESS : read_line();
    if (!*err && meeting == BEGUN && !is_end_of_barrier())
        *err = tf_error(MPI_ERR_OTHER, "the process manager answered \"%s\" to \"cmd=barrier_in\"", line);
    meeting = NO_BARRIER;
    return true;
}

/* A size that is no number of processes (Hydra has -1 for "as many as there is room for") is none. */
static bool knows(enum tf_launch_fact fact, int *value)
{
    bool size = fact == TF_LAUNCH_UNIVERSE_SIZE;
    char text[16];
    if (ask(size ? "universe_size" : "appnum", "cmd=%s\n", size ? "get_universe_size" : "get_appnum") != MPI_SUCCESS ||
        !tf_pmi1_value(size ? "size" : "appnum", text, sizeof text))
        return false;
    *value = atoi(text);
    return *value >= (size ? 1 : 0);
}

/* `text` as one word of PMI-1: a space becomes '+', what else would end a word or a key '_'. */
static void as_word(const char *text, char *word, size_t capacity)
{
    size_t n = 0;
    for (; text[n] && n + 1 < capacity; n++)
        word[n] = text[n] == ' ' ? '+' : text[n] > ' ' && text[n] != '=' && text[n] < 127 ? text[n] : '_';
    word[n] = '\0';
}

static void abort_pmi(int exit_code, const char *message)
{
    char command[400], reason[200];
    as_word(message, reason, sizeof reason);
    /* `reason` is ours: other launchers skip a key that they do not know. */
    int length = snprintf(command, sizeof command, "cmd=abort exitcode=%d reason=%s\n", exit_code, reason);
    if (tf_pmi1_write(command, (size_t)length) != MPI_SUCCESS)
        return;
    /* Most launchers end us now.  If not, the caller does; its exit must not overtake the command. */
    struct pollfd answer = {.fd = fd, .events = POLLIN};
    poll(&answer, 1, 1000);
}

static int close_pmi(void)
{
    int err = ask("finalize_ack", "cmd=finalize\n");
    if (tf_pmi1_ours && !err)
        return MPI_SUCCESS;
    close(fd);
    fd = -1;
    return err;
}

static int reopen_pmi(void)
{
    if (fd < 0)
        return tf_error(MPI_ERR_OTHER,
                        "the launcher was told that this process had come to its end, and has closed the "
                        "connection; only Treefold's mpiexec takes a process back, for a session after "
                        "MPI_Finalize or after the last session");
    return say_hello();
}

int tf_launch_pmi1_attach(int socket, const char *name)
{
    fd = socket;
    filled = answer_length = 0;
    snprintf(job, sizeof job, "%s", name);
    int err = say_hello();
    if (!err && !tf_pmi1_ours)
        err = tf_error(MPI_ERR_SPAWN, "the mpiexec that was found is not Treefold's");
    if (err) {
        close(fd);
        fd = -1;
    }
    return err;
}

/* A launcher that serves nobody else ends now, and nothing of it is left when this process ends. */
void tf_launch_pmi1_detach(void)
{
    char left[16] = "", byte;
    if (fd < 0)
        return;
    tf_pmi1_value("left", left, sizeof left);
    shutdown(fd, SHUT_WR);
    struct pollfd end = {.fd = fd, .events = POLLIN};
    if (strcmp(left, "0") == 0 && poll(&end, 1, 5000) == 1 && read(fd, &byte, 1) < 0)
        tf_log(2, "its launcher has ended: %s", strerror(errno));
    close(fd);
    fd = -1;
}

static bool has_memory(void)
{
    return tf_pmi1_ours;
}

static int memory(size_t bytes, char *name, size_t capacity)
{
    int err = ask("memory", "cmd=memory bytes=%zu\n", bytes);
    if (!err && !tf_pmi1_value("name", name, capacity))
        err = tf_error(MPI_ERR_OTHER, "the process manager gave no name of its memory: \"%s\"", line);
    return err;
}

static bool apart(const char *of, int rank, const char *why)
{
    char reason[500];
    as_word(why, reason, sizeof reason);
    return tf_pmi1_ours && ask("apart", "cmd=apart job=%.100s rank=%d reason=%s\n", of, rank, reason) == MPI_SUCCESS;
}

const struct tf_launch_client tf_launch_pmi1 = {
    .name = "pmi1",
    .what = "mpiexec, Hydra, srun --mpi=pmi2",
    .is_there = is_there,
    .size = size_told,
    .open = open_pmi,
    .put = put,
    .get = tf_pmi1_get,
    .barrier = barrier,
    .barrier_begin = barrier_begin,
    .barrier_is_over = barrier_is_over,
    .knows = knows,
    .psets = tf_pmi1_psets,
    .abort = abort_pmi,
    .close = close_pmi,
    .reopen = reopen_pmi,
    .memory = memory,
    .has_memory = has_memory,
    .spawn = tf_pmi1_spawn,
    .parent = tf_pmi1_parent,
    .part = tf_pmi1_part,
    .apart = apart,
    .publish = tf_pmi1_publish,
    .unpublish = tf_pmi1_unpublish,
    .lookup = tf_pmi1_lookup,
};
