/* mpiexec_grow.c - more processes, while the job runs: PMI-1's command that spawns (launch/pmi1.c sends it).
 *
 *     mcmd=spawn                       one such block for each program
 *     nprocs=2
 *     execname=PROGRAM
 *     totspawns=1                      blocks in all, and which this one is
 *     spawnssofar=1
 *     arg1=ARGUMENT  arg2=...
 *     preput_key_0=K  preput_val_0=V   known to the new processes from the beginning
 *     info_key_0=K  info_val_0=V       wdir, path, host, env,
 *                                      mpi_initial_errhandler
 *     endcmd                           ->  cmd=spawn_result rc=0 job=NAME
 *
 * A value is the rest of its line.  Our own library says encoded=1 first: then %0A and %25 stand for a newline and a
 * percent sign, and a line "more=" continues the value before it.
 *
 * Nothing is left of processes of which one cannot be started: the answer comes when all of them run their programs.
 */
#include "cmd/mpiexec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXEC_PATIENCE = 30000 /* milliseconds for the system to find and read the programs */ };

struct line {
    struct line *next;
    char *key, *value;
};

struct mpiexec_request {
    bool open;          /* within a block */
    struct line *lines; /* of the block */
    struct line **end;
    struct mpiexec_app *apps;
    int napps, total;
    struct line *preputs;
    char why[1000]; /* it cannot be; "" */
};

/* ---- words ---- */

static void *must(void *memory)
{
    if (!memory)
        tf_mpiexec_give_up("no memory for what is to be started");
    return memory;
}

static void add_line(struct mpiexec_request *request, const char *line)
{
    size_t length = strcspn(line, "=");
    const char *value = line[length] ? line + length + 1 : "";
    struct line *made = must(calloc(1, sizeof *made));
    made->key = must(strndup(line, length));
    made->value = must(strdup(value));
    *request->end = made;
    request->end = &made->next;
}

static void continue_line(struct mpiexec_request *request, const char *more)
{
    struct line *last = request->lines;
    while (last && last->next)
        last = last->next;
    if (!last)
        return;
    last->value = must(realloc(last->value, strlen(last->value) + strlen(more) + 1));
    strcat(last->value, more);
}

static void decode(char *text)
{
    char *to = text;
    for (; *text; text++) {
        bool coded = *text == '%' && text[1] && text[2];
        *to++ = coded ? (char)strtol((char[]){text[1], text[2], 0}, NULL, 16) : *text;
        text += 2 * coded;
    }
    *to = '\0';
}

static void free_lines(struct line **list)
{
    while (*list) {
        struct line *next = (*list)->next;
        free((*list)->key);
        free((*list)->value);
        free(*list);
        *list = next;
    }
}

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* ---- a block becomes a program ---- */

static void add_word(char ***list, const char *word)
{
    size_t n = 0;
    while (*list && (*list)[n])
        n++;
    *list = must(realloc(*list, (n + 2) * sizeof **list));
    (*list)[n] = must(strdup(word));
    (*list)[n + 1] = NULL;
}

/* NAME=VALUE, one a line. */
static void add_env(struct mpiexec_app *app, const char *text)
{
    char *copy = must(strdup(text)), *rest = copy, *pair;
    while ((pair = strsep(&rest, "\n"))) {
        char *value = strchr(pair, '=');
        if (!value || value == pair)
            continue;
        *value = '\0';
        add_word(&app->env, pair);
        add_word(&app->env, value + 1);
    }
    free(copy);
}

static void refuse(struct mpiexec_request *request, const char *format, const char *word)
{
    if (!request->why[0])
        snprintf(request->why, sizeof request->why, format, word);
}

static void take_info(struct mpiexec_request *request, struct mpiexec_app *app, const char *key, const char *value)
{
    if (!strcmp(key, "wdir") || !strcmp(key, "wd"))
        app->wdir = must(strdup(value));
    else if (!strcmp(key, "path"))
        app->search = must(strdup(value));
    else if (!strcmp(key, "env"))
        add_env(app, value);
    else if (!strcmp(key, "mpi_initial_errhandler") && tf_mpiexec_errhandler_known(value)) {
        add_word(&app->env, MPIEXEC_ERRHANDLER_VARIABLE);
        add_word(&app->env, value);
    } else if (!strcmp(key, "mpi_initial_errhandler"))
        refuse(request, "mpi_initial_errhandler is \"%s\"; it must be " MPIEXEC_ERRHANDLERS, value);
    else if ((!strcmp(key, "host") || !strcmp(key, "hosts")) && !tf_mpiexec_hosts_is_here(value))
        refuse(request, "host \"%s\" is another machine, and this mpiexec starts processes on its own one alone",
               value);
}

/* Of a pair of lines whose keys end in a number: the key that the first of them gave. */
static const char *key_before(const struct line *lines, const char *prefix, const char *number)
{
    for (; lines; lines = lines->next)
        if (starts(lines->key, prefix) && !strcmp(lines->key + strlen(prefix), number))
            return lines->value;
    return "";
}

static void add_preput(struct mpiexec_request *request, const char *key, const char *value)
{
    struct line *made = must(calloc(1, sizeof *made));
    *made = (struct line){request->preputs, must(strdup(key)), must(strdup(value))};
    request->preputs = made;
}

static void take_line(struct mpiexec_request *request, struct mpiexec_app *app, const struct line *line)
{
    const char *key = line->key;
    if (!strcmp(key, "nprocs"))
        app->nprocs = atoi(line->value);
    else if (!strcmp(key, "totspawns"))
        request->total = atoi(line->value);
    else if (starts(key, "arg") && strcmp(key, "argcnt"))
        add_word(&app->argv, line->value);
    else if (starts(key, "preput_val_"))
        add_preput(request, key_before(request->lines, "preput_key_", key + 11), line->value);
    else if (starts(key, "info_val_"))
        take_info(request, app, key_before(request->lines, "info_key_", key + 9), line->value);
}

static void end_block(struct mpiexec_request *request)
{
    struct mpiexec_app app = {0};
    bool encoded = *key_before(request->lines, "encoded", "") == '1';
    for (struct line *line = request->lines; line && encoded; line = line->next)
        decode(line->value);
    add_word(&app.argv, key_before(request->lines, "execname", ""));
    for (const struct line *line = request->lines; line; line = line->next)
        take_line(request, &app, line);
    if (app.nprocs < 1 || app.nprocs > MPIEXEC_MOST)
        refuse(request, "cannot start that number of processes of \"%s\"", app.argv[0]);
    request->apps = must(realloc(request->apps, ((size_t)request->napps + 1) * sizeof app));
    request->apps[request->napps++] = app;
    request->open = false;
    free_lines(&request->lines);
    request->end = &request->lines;
}

/* ---- starting ---- */

static bool find_programs(struct mpiexec_request *request)
{
    for (int a = 0; a < request->napps && !request->why[0]; a++)
        tf_mpiexec_find_program(&request->apps[a], request->why, sizeof request->why);
    return !request->why[0];
}

/* Those of its processes that were started are killed; they are reaped as others are. */
static void take_back(struct mpiexec_world *world)
{
    tf_mpiexec_world_signal(world, SIGKILL);
    if (world->running == 0)
        tf_mpiexec_world_close(world);
}

/* Wait until each of them runs its program; false: one does not. */
static bool all_run(struct mpiexec_request *request, int pipe_end)
{
    struct pollfd end = {.fd = pipe_end, .events = POLLIN};
    struct mpiexec_trouble trouble;
    ssize_t n;
    if (poll(&end, 1, EXEC_PATIENCE) <= 0)
        return true; /* a slow file system: whatever happens is told as it is at any time */
    do
        n = read(pipe_end, &trouble, sizeof trouble);
    while (n < 0 && errno == EINTR);
    if (n == sizeof trouble)
        tf_mpiexec_describe_trouble(&trouble, request->why, sizeof request->why);
    return n != sizeof trouble;
}

static bool start_all(struct mpiexec_request *request, struct mpiexec_world *world)
{
    int nothing = tf_mpiexec_input_none(), report[2];
    bool good = true;
    if (nothing < 0 || pipe2(report, O_CLOEXEC) != 0) {
        snprintf(request->why, sizeof request->why, "cannot make a pipe: %s", strerror(errno));
        close(nothing);
        return false;
    }
    for (int r = world->first; r < world->first + world->size && good; r++)
        if (!(good = tf_mpiexec_spawn(r, nothing, report[1])))
            snprintf(request->why, sizeof request->why, "cannot start process %d of %d: %s", r - world->first,
                     world->size, strerror(errno));
    close(report[1]);
    good = good && all_run(request, report[0]);
    if (good)
        tf_mpiexec_debug_started(-1);
    close(report[0]);
    close(nothing);
    return good;
}

/* NULL: request->why. */
static struct mpiexec_world *start_world(int rank, struct mpiexec_request *request)
{
    int size = 0;
    for (int a = 0; a < request->napps; a++)
        size += request->apps[a].nprocs;
    if (request->why[0] || !find_programs(request) || !tf_mpiexec_limits_raise(size, request->why, sizeof request->why))
        return NULL;
    struct mpiexec_world *world = tf_mpiexec_world_open(mpiexec_job.ranks[rank].world, request->apps, request->napps);
    if (!world) {
        refuse(request, "%s", "there is no place for so many processes");
        return NULL;
    }
    request->apps = NULL; /* the world's */
    for (const struct line *preput = request->preputs; preput; preput = preput->next)
        tf_mpiexec_pmi_put(world, preput->key, preput->value);
    world->failed = true; /* until all run: who has asked for them is told of what goes wrong, and nobody ends */
    if (!start_all(request, world)) {
        take_back(world);
        return NULL;
    }
    world->failed = false;
    return world;
}

static void answer(int rank, const struct mpiexec_request *request, const struct mpiexec_world *world)
{
    char reason[600];
    if (world) {
        tf_mpiexec_pmi_answer(rank, "cmd=spawn_result rc=0 job=%s\n", world->name);
        return;
    }
    snprintf(reason, sizeof reason, "%.599s", request->why[0] ? request->why : "they cannot be started");
    for (char *c = reason; *c; c++)
        *c = *c == ' ' ? '+' : *c == '\n' ? '_' : *c;
    tf_mpiexec_pmi_answer(rank, "cmd=spawn_result rc=-1 reason=%s\n", reason);
}

static void start(int rank)
{
    struct mpiexec_request *request = mpiexec_job.ranks[rank].request;
    struct mpiexec_world *world = start_world(rank, request);
    if (world && mpiexec_job.options.verbose)
        tf_mpiexec_say("%s has spawned %d processes, job %s", tf_mpiexec_world_name(rank), world->size, world->name);
    answer(rank, request, world);
    tf_mpiexec_grow_forget(rank);
}

void tf_mpiexec_grow_forget(int rank)
{
    struct mpiexec_request *request = mpiexec_job.ranks[rank].request;
    if (!request)
        return;
    tf_mpiexec_world_free_apps(request->apps, request->napps);
    free_lines(&request->lines);
    free_lines(&request->preputs);
    free(request);
    mpiexec_job.ranks[rank].request = NULL;
}

bool tf_mpiexec_grow_line(int rank, const char *line)
{
    struct mpiexec_request *request = mpiexec_job.ranks[rank].request;
    if (starts(line, "mcmd=")) {
        if (!request) {
            request = mpiexec_job.ranks[rank].request = must(calloc(1, sizeof *request));
            request->end = &request->lines;
        }
        mpiexec_job.ranks[rank].pmi_requests++;
        request->open = true;
        return true;
    }
    if (!request || !request->open)
        return false;
    if (starts(line, "more="))
        continue_line(request, line + 5);
    else if (strcmp(line, "endcmd") != 0)
        add_line(request, line);
    else {
        end_block(request);
        if (request->napps >= request->total)
            start(rank);
    }
    return true;
}
