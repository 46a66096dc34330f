/* mpiexec_pmi.c - the server of PMI-1 (its client is launch/pmi1.c, where the words are listed).
 *
 * Pairs are put in one table at once; what a put promises, visible after the next barrier, holds all the more.
 */
#include "cmd/mpiexec.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUCKETS 1024

struct pair {
    struct pair *next;
    char *key, *value;
};
static struct pair *buckets[BUCKETS];
static int waiting; /* ranks in the barrier */

static struct pair **find(const char *key)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (const char *c = key; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    struct pair **at = &buckets[hash % BUCKETS];
    while (*at && strcmp((*at)->key, key))
        at = &(*at)->next;
    return at;
}

static bool put(const char *key, const char *value)
{
    struct pair **at = find(key), *pair = *at;
    char *copy = strdup(value);
    if (!copy)
        return false;
    if (!pair) {
        pair = calloc(1, sizeof *pair);
        if (!pair || !(pair->key = strdup(key))) {
            free(pair);
            free(copy);
            return false;
        }
        *at = pair;
    }
    free(pair->value);
    pair->value = copy;
    return true;
}

static void answer(int rank, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void answer(int rank, const char *format, ...)
{
    char line[MPIEXEC_PMI_LINE];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    struct mpiexec_rank *r = &mpiexec_job.ranks[rank];
    if (r->pmi_fd < 0)
        return;
    if (length >= (int)sizeof line || send(r->pmi_fd, line, (size_t)length, MSG_NOSIGNAL | MSG_DONTWAIT) != length) {
        if (errno == EPIPE || errno == ECONNRESET)
            return; /* it has ended; its exit status says how */
        tf_mpiexec_fail(EXIT_FAILURE, 0, "rank %d does not read what it asked for", rank);
    }
}

/* The value of `name` in a command, or NULL; the words of the command are ended by 0 in `words`. */
static const char *value_of(const char *words, size_t length, const char *name)
{
    size_t name_length = strlen(name);
    for (const char *word = words; word < words + length; word += strlen(word) + 1)
        if (!strncmp(word, name, name_length) && word[name_length] == '=')
            return word + name_length + 1;
    return NULL;
}

static void enter_barrier(int rank)
{
    struct mpiexec_job *job = &mpiexec_job;
    waiting += !job->ranks[rank].in_barrier;
    job->ranks[rank].in_barrier = true;
    if (waiting < job->size) {
        tf_mpiexec_pmi_check_barrier();
        return;
    }
    waiting = 0;
    for (int r = 0; r < job->size; r++) {
        job->ranks[r].in_barrier = false;
        answer(r, "cmd=barrier_out rc=0\n");
    }
}

void tf_mpiexec_pmi_check_barrier(void)
{
    const struct mpiexec_job *job = &mpiexec_job;
    int waits = -1, gone = -1;
    for (int r = job->size - 1; r >= 0 && waiting > 0; r--) {
        if (job->ranks[r].in_barrier && !job->ranks[r].gone)
            waits = r;
        if (job->ranks[r].gone)
            gone = r;
    }
    if (waits >= 0 && gone >= 0 && !job->failed)
        tf_mpiexec_fail(EXIT_FAILURE, 0, "rank %d waits in MPI_Init for rank %d, which has ended without calling it",
                        waits, gone);
}

static void abort_job(int rank, const char *words, size_t length)
{
    const char *code = value_of(words, length, "exitcode"), *reason = value_of(words, length, "reason");
    char text[256];
    snprintf(text, sizeof text, "%s", reason ? reason : "called MPI_Abort");
    for (char *c = text; (c = strchr(c, '+')); c++)
        *c = ' ';
    int number = code ? atoi(code) : EXIT_FAILURE;
    /* A status has eight bits: a failure must not look like a success. */
    int status = number != 0 && (number & 0xff) == 0 ? EXIT_FAILURE : number & 0xff;
    tf_mpiexec_stream_drain(rank); /* its own words come first */
    tf_mpiexec_fail(status, 0, "rank %d (pid %ld) %s with code %d", rank, (long)mpiexec_job.ranks[rank].pid, text,
                    number);
}

static void get(int rank, const char *key)
{
    struct pair *pair = key ? *find(key) : NULL;
    if (pair)
        answer(rank, "cmd=get_result rc=0 msg=success value=%s\n", pair->value);
    else
        answer(rank, "cmd=get_result rc=-1 msg=key_%s_not_found value=unknown\n", key ? key : "");
}

/* A file without a name, here, so that it lasts as long as the job and its processes come and go. */
static int make_memory(size_t bytes)
{
    int fd = memfd_create("treefold", MFD_CLOEXEC);
    if (fd >= 0 && (ftruncate(fd, (off_t)bytes) || fchmod(fd, 0600))) {
        close(fd);
        return -1;
    }
    return fd;
}

static void give_memory(int rank, size_t bytes)
{
    static int fd = -1;
    static size_t given;
    if (fd < 0 && bytes > 0) {
        fd = make_memory(bytes);
        given = bytes;
    }
    if (fd >= 0 && bytes == given)
        answer(rank, "cmd=memory rc=0 name=/proc/%ld/fd/%d\n", (long)getpid(), fd);
    else
        answer(rank, "cmd=memory rc=-1 msg=%s\n", fd < 0 ? "no_memory" : "others_have_asked_for_another_size");
}

static void serve(int rank, const char *words, size_t length)
{
    struct mpiexec_rank *r = &mpiexec_job.ranks[rank];
    const char *cmd = value_of(words, length, "cmd");
    const char *key = value_of(words, length, "key"), *value = value_of(words, length, "value");
    if (!cmd)
        return;
    r->pmi_requests++;
    if (!strcmp(cmd, "init")) {
        r->initialized = true;
        r->finalized = false; /* a script may run one MPI program after the other, a program one session */
        answer(rank, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0 returns=1\n");
    } else if (!strcmp(cmd, "get_maxes"))
        answer(rank, "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024 rc=0\n");
    else if (!strcmp(cmd, "get_appnum"))
        answer(rank, "cmd=appnum appnum=%d rc=0\n", (int)(r->app - mpiexec_job.options.apps));
    else if (!strcmp(cmd, "get_universe_size"))
        answer(rank, "cmd=universe_size size=%d rc=0\n",
               mpiexec_job.options.universe ? mpiexec_job.options.universe : mpiexec_job.size);
    else if (!strcmp(cmd, "get_my_kvsname"))
        answer(rank, "cmd=my_kvsname kvsname=%s rc=0\n", mpiexec_job.name);
    else if (!strcmp(cmd, "put"))
        answer(rank, "cmd=put_result rc=%d msg=%s\n", key && value && put(key, value) ? 0 : -1,
               key && value ? "success" : "no_key_or_value");
    else if (!strcmp(cmd, "get"))
        get(rank, key);
    else if (!strcmp(cmd, "barrier_in"))
        enter_barrier(rank);
    else if (!strcmp(cmd, "memory"))
        give_memory(rank, strtoul(value_of(words, length, "bytes") ? value_of(words, length, "bytes") : "0", NULL, 10));
    else if (!strcmp(cmd, "finalize")) {
        r->finalized = true;
        answer(rank, "cmd=finalize_ack rc=0\n");
    } else if (!strcmp(cmd, "abort"))
        abort_job(rank, words, length);
    else
        answer(rank, "cmd=%s_result rc=-1 msg=not_supported\n", cmd);
}

/* Serve the whole lines that have arrived and keep the rest. */
static void serve_lines(int rank)
{
    struct mpiexec_rank *r = &mpiexec_job.ranks[rank];
    char *start = r->pmi_line, *end;
    while ((end = memchr(start, '\n', r->pmi_filled))) {
        size_t length = (size_t)(end - start);
        *end = '\0';
        for (char *c = start; c < end; c++)
            if (*c == ' ')
                *c = '\0';
        serve(rank, start, length);
        r->pmi_filled -= length + 1;
        start = end + 1;
    }
    memmove(r->pmi_line, start, r->pmi_filled);
}

void tf_mpiexec_pmi_read(int rank)
{
    struct mpiexec_rank *r = &mpiexec_job.ranks[rank];
    while (r->pmi_fd >= 0) {
        size_t room = sizeof r->pmi_line - r->pmi_filled;
        ssize_t n = recv(r->pmi_fd, r->pmi_line + r->pmi_filled, room, MSG_DONTWAIT);
        if (n < 0 && errno == EAGAIN)
            return;
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            close(r->pmi_fd);
            r->pmi_fd = -1;
            return;
        }
        r->pmi_filled += (size_t)n;
        serve_lines(rank);
        if (r->pmi_filled == sizeof r->pmi_line) {
            tf_mpiexec_fail(EXIT_FAILURE, 0, "rank %d sent a PMI command of more than %d characters", rank,
                            MPIEXEC_PMI_LINE);
            r->pmi_filled = 0;
        }
    }
}

void tf_mpiexec_pmi_open(void)
{
    char mapping[64];
    /* Where MPICH's programs look to see that all of them are on one machine. */
    snprintf(mapping, sizeof mapping, "(vector,(0,1,%d))", mpiexec_job.size);
    put("PMI_process_mapping", mapping);
}
