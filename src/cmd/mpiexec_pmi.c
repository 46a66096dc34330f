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

static struct mpiexec_pair **find(struct mpiexec_world *world, const char *key)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (const char *c = key; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    struct mpiexec_pair **at = &world->pairs[hash % MPIEXEC_BUCKETS];
    while (*at && strcmp((*at)->key, key))
        at = &(*at)->next;
    return at;
}

bool tf_mpiexec_pmi_put(struct mpiexec_world *world, const char *key, const char *value)
{
    struct mpiexec_pair **at = find(world, key), *pair = *at;
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

void tf_mpiexec_pmi_answer(int rank, const char *format, ...)
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
        tf_mpiexec_fail_rank(rank, EXIT_FAILURE, 0, "%s does not read what it asked for", tf_mpiexec_world_name(rank));
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
    struct mpiexec_world *world = job->ranks[rank].world;
    world->waiting += !job->ranks[rank].in_barrier;
    job->ranks[rank].in_barrier = true;
    tf_mpiexec_pmi_check_barrier(world);
}

static int count_missed(const struct mpiexec_world *world)
{
    int n = 0;
    for (int r = world->first; r < world->first + world->size; r++)
        n += !mpiexec_job.ranks[r].in_barrier && tf_mpiexec_deaths_is_missed(r);
    return n;
}

static void leave_barrier(struct mpiexec_world *world)
{
    world->waiting = 0;
    for (int r = world->first; r < world->first + world->size; r++) {
        struct mpiexec_rank *rank = &mpiexec_job.ranks[r];
        bool waited = rank->in_barrier;
        rank->in_barrier = false;
        if (waited)
            tf_mpiexec_pmi_answer(r, "cmd=barrier_out rc=0\n");
    }
}

void tf_mpiexec_pmi_check_barrier(struct mpiexec_world *world)
{
    const struct mpiexec_job *job = &mpiexec_job;
    if (world->waiting > 0 && world->waiting + count_missed(world) == world->size)
        leave_barrier(world);
    int waits = -1, gone = -1;
    for (int r = world->first + world->size - 1; r >= world->first && world->waiting > 0; r--) {
        if (job->ranks[r].in_barrier && !job->ranks[r].gone)
            waits = r;
        if (job->ranks[r].gone && !tf_mpiexec_deaths_is_missed(r))
            gone = r;
    }
    if (waits >= 0 && gone >= 0 && !world->failed)
        tf_mpiexec_fail_rank(waits, EXIT_FAILURE, 0,
                             "%s waits in MPI_Init for rank %d, which has ended without calling it",
                             tf_mpiexec_world_name(waits), gone - world->first);
}

/* What a command says in words, in which '+' stands for a blank. */
static void read_reason(const char *words, size_t length, const char *otherwise, char *text, size_t n)
{
    const char *reason = value_of(words, length, "reason");
    snprintf(text, n, "%s", reason ? reason : otherwise);
    for (char *c = text; (c = strchr(c, '+')); c++)
        *c = ' ';
}

static void abort_job(int rank, const char *words, size_t length)
{
    const char *code = value_of(words, length, "exitcode");
    char text[256];
    read_reason(words, length, "called MPI_Abort", text, sizeof text);
    int number = code ? atoi(code) : EXIT_FAILURE;
    /* A status has eight bits: a failure must not look like a success. */
    int status = number != 0 && (number & 0xff) == 0 ? EXIT_FAILURE : number & 0xff;
    tf_mpiexec_judge_killed(rank); /* it may have found another one gone */
    tf_mpiexec_stream_drain(rank); /* its own words come first */
    tf_mpiexec_fail_rank(rank, status, 0, "%s (pid %ld) %s with code %d", tf_mpiexec_world_name(rank),
                         (long)mpiexec_job.ranks[rank].pid, text, number);
}

static void get(int rank, const char *key)
{
    struct mpiexec_pair *pair = key ? *find(mpiexec_job.ranks[rank].world, key) : NULL;
    if (pair)
        tf_mpiexec_pmi_answer(rank, "cmd=get_result rc=0 msg=success value=%s\n", pair->value);
    else
        tf_mpiexec_pmi_answer(rank, "cmd=get_result rc=-1 msg=key_%s_not_found value=unknown\n", key ? key : "");
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
    struct mpiexec_world *world = mpiexec_job.ranks[rank].world;
    if (world->memory < 0 && bytes > 0) {
        world->memory = make_memory(bytes);
        world->memory_bytes = bytes;
    }
    if (world->memory >= 0 && bytes == world->memory_bytes)
        tf_mpiexec_pmi_answer(rank, "cmd=memory rc=0 name=/proc/%ld/fd/%d\n", (long)getpid(), world->memory);
    else
        tf_mpiexec_pmi_answer(rank, "cmd=memory rc=-1 msg=%s\n",
                              world->memory < 0 ? "no_memory" : "others_have_asked_for_another_size");
}

static void serve_name(int rank, const char *cmd, const char *service, const char *port)
{
    const char *found = service ? tf_mpiexec_names_find(service) : NULL;
    if (cmd[0] == 'l')
        tf_mpiexec_pmi_answer(rank, "cmd=lookup_result info=%s rc=%d port=%s\n", found ? "ok" : "not_found",
                              found ? 0 : 1, found ? found : "");
    else if (cmd[0] == 'p') {
        bool good = service && port && tf_mpiexec_names_add(service, port);
        tf_mpiexec_pmi_answer(rank, "cmd=publish_result info=%s rc=%d\n", good ? "ok" : "known_already", good ? 0 : 1);
    } else {
        bool good = service && tf_mpiexec_names_drop(service);
        tf_mpiexec_pmi_answer(rank, "cmd=unpublish_result info=%s rc=%d\n", good ? "ok" : "not_found", good ? 0 : 1);
    }
}

static void serve_apart(int rank, const char *words, size_t length)
{
    const char *job = value_of(words, length, "job"), *other = value_of(words, length, "rank");
    char why[500];
    read_reason(words, length, "nothing more", why, sizeof why);
    bool good = job && other && tf_mpiexec_apart_hear(rank, job, atoi(other), why);
    tf_mpiexec_pmi_answer(rank, "cmd=apart rc=%d\n", good ? 0 : -1);
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
        r->initialized = r->world->met = true;
        r->finalized = false; /* a script may run one MPI program after the other, a program one session */
        tf_mpiexec_pmi_answer(rank, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0 returns=1\n");
    } else if (!strcmp(cmd, "get_maxes"))
        tf_mpiexec_pmi_answer(rank, "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024 rc=0\n");
    else if (!strcmp(cmd, "get_appnum"))
        tf_mpiexec_pmi_answer(rank, "cmd=appnum appnum=%d rc=0\n", (int)(r->app - r->world->apps));
    else if (!strcmp(cmd, "get_universe_size"))
        tf_mpiexec_pmi_answer(rank, "cmd=universe_size size=%d rc=0\n",
                              mpiexec_job.options.universe ? mpiexec_job.options.universe : MPIEXEC_INFINITE);
    else if (!strcmp(cmd, "get_my_kvsname"))
        tf_mpiexec_pmi_answer(rank, "cmd=my_kvsname kvsname=%s rc=0\n", r->world->name);
    else if (!strcmp(cmd, "put"))
        tf_mpiexec_pmi_answer(rank, "cmd=put_result rc=%d msg=%s\n",
                              key && value && tf_mpiexec_pmi_put(r->world, key, value) ? 0 : -1,
                              key && value ? "success" : "no_key_or_value");
    else if (!strcmp(cmd, "get"))
        get(rank, key);
    else if (!strcmp(cmd, "barrier_in"))
        enter_barrier(rank);
    else if (!strcmp(cmd, "memory"))
        give_memory(rank, strtoul(value_of(words, length, "bytes") ? value_of(words, length, "bytes") : "0", NULL, 10));
    else if (!strcmp(cmd, "publish_name") || !strcmp(cmd, "unpublish_name") || !strcmp(cmd, "lookup_name"))
        serve_name(rank, cmd, value_of(words, length, "service"), value_of(words, length, "port"));
    else if (!strcmp(cmd, "parted")) /* no answer */
        tf_mpiexec_world_part(rank, value_of(words, length, "job") ? value_of(words, length, "job") : "");
    else if (!strcmp(cmd, "apart"))
        serve_apart(rank, words, length);
    else if (!strcmp(cmd, "finalize")) {
        r->finalized = true;
        tf_mpiexec_pmi_answer(rank, "cmd=finalize_ack rc=0 left=%d\n", mpiexec_job.running - 1);
        tf_mpiexec_pmi_check_barrier(r->world);
    } else if (!strcmp(cmd, "abort"))
        abort_job(rank, words, length);
    else
        tf_mpiexec_pmi_answer(rank, "cmd=%s_result rc=-1 msg=not_supported\n", cmd);
}

/* Serve the whole lines that have arrived and keep the rest. */
static void serve_lines(int rank)
{
    struct mpiexec_rank *r = &mpiexec_job.ranks[rank];
    char *start = r->pmi_line, *end;
    while ((end = memchr(start, '\n', r->pmi_filled))) {
        size_t length = (size_t)(end - start);
        *end = '\0';
        if (!tf_mpiexec_grow_line(rank, start)) {
            for (char *c = start; c < end; c++)
                if (*c == ' ')
                    *c = '\0';
            serve(rank, start, length);
        }
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
            if (r->alone)
                tf_mpiexec_alone_ended(rank);
            return;
        }
        r->pmi_filled += (size_t)n;
        serve_lines(rank);
        if (r->pmi_filled == sizeof r->pmi_line) {
            tf_mpiexec_fail_rank(rank, EXIT_FAILURE, 0, "%s sent a PMI command of more than %d characters",
                                 tf_mpiexec_world_name(rank), MPIEXEC_PMI_LINE);
            r->pmi_filled = 0;
        }
    }
}

void tf_mpiexec_pmi_open(struct mpiexec_world *world)
{
    char mapping[64];
    /* Where MPICH's programs look to see that all of them are on one machine. */
    snprintf(mapping, sizeof mapping, "(vector,(0,1,%d))", world->size);
    tf_mpiexec_pmi_put(world, "PMI_process_mapping", mapping);
    tf_mpiexec_psets_put(world);
}

void tf_mpiexec_pmi_close(struct mpiexec_world *world)
{
    for (int i = 0; i < MPIEXEC_BUCKETS; i++)
        for (struct mpiexec_pair *pair = world->pairs[i], *next; pair; pair = next) {
            next = pair->next;
            free(pair->key);
            free(pair->value);
            free(pair);
        }
    if (world->memory >= 0)
        close(world->memory);
}
