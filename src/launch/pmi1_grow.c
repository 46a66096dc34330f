/* pmi1_grow.c - PMI-1 for jobs that grow: starting processes, and names of services.
 *
 *     mcmd=spawn  nprocs=N  execname=PROGRAM ... endcmd   (a line each, a block for each program; cmd/mpiexec_grow.c)
 *                                                        ->  cmd=spawn_result rc=0 job=NAME (our mpiexec's alone)
 *     cmd=publish_name service=NAME port=PORT            ->  cmd=publish_result rc=0
 *     cmd=unpublish_name service=NAME                    ->  cmd=unpublish_result rc=0
 *     cmd=lookup_name service=NAME                       ->  cmd=lookup_result rc=0 port=PORT
 *     cmd=parted job=NAME                                    (our mpiexec's, without an answer)
 */
#include "launch/pmi1.h"
#include "launch/program.h"

#include <ctype.h>
#include <stdio.h>

static const char parent_key[] = "PARENT_ROOT_PORT_NAME";
enum { LONGEST = 1000 /* characters of a line of our mpiexec's */ };

/* ---- what is written, as it grows ---- */

struct text {
    char *at;
    size_t length, capacity;
    bool failed; /* no memory */
};

static void put(struct text *text, char c)
{
    if (text->length == text->capacity) {
        size_t capacity = text->capacity ? 2 * text->capacity : 1024;
        char *more = realloc(text->at, capacity);
        if (!more) {
            text->failed = true;
            return;
        }
        text->at = more;
        text->capacity = capacity;
    }
    text->at[text->length++] = c;
}

static void put_word(struct text *text, const char *word)
{
    for (; *word; word++)
        put(text, *word);
}

static void put_number(struct text *text, int number)
{
    char word[16];
    snprintf(word, sizeof word, "%d", number);
    put_word(text, word);
}

static void put_coded(struct text *text, char c)
{
    char word[8];
    snprintf(word, sizeof word, "%%%02X", (unsigned char)c);
    put_word(text, word);
}

/* A value as our mpiexec reads it: of any characters and any length. */
static void put_value(struct text *text, const char *value)
{
    size_t since = 0;
    for (; *value; value++) {
        if (since++ == LONGEST / 3) {
            put_word(text, "\nmore=");
            since = 0;
        }
        if (tf_pmi1_ours && (*value == '%' || *value == '\n'))
            put_coded(text, *value);
        else
            put(text, *value);
    }
}

static void put_line(struct text *text, const char *key, int number, const char *value)
{
    put_word(text, key);
    if (number >= 0)
        put_number(text, number);
    put(text, '=');
    if (tf_pmi1_ours)
        put_value(text, value);
    else
        put_word(text, value);
    put(text, '\n');
}

static void put_count(struct text *text, const char *key, int number)
{
    put_word(text, key);
    put(text, '=');
    put_number(text, number);
    put(text, '\n');
}

/* ---- spawn ---- */

static void put_app(struct text *text, const struct tf_launch_app *app, int which, int napps, const char *port)
{
    int n = 0;
    put_word(text, "mcmd=spawn\n");
    if (tf_pmi1_ours)
        put_word(text, "encoded=1\n");
    put_count(text, "nprocs", app->nprocs);
    put_line(text, "execname", -1, app->command);
    put_count(text, "totspawns", napps);
    put_count(text, "spawnssofar", which + 1);
    for (; app->argv[n]; n++)
        put_line(text, "arg", n + 1, app->argv[n]);
    put_count(text, "argcnt", n);
    put_count(text, "preput_num", 1);
    put_line(text, "preput_key_", 0, parent_key);
    put_line(text, "preput_val_", 0, port);
    put_count(text, "info_num", app->nhints);
    for (int i = 0; i < app->nhints; i++) {
        put_line(text, "info_key_", i, app->hints[i][0]);
        put_line(text, "info_val_", i, app->hints[i][1]);
    }
    put_word(text, "endcmd\n");
}

/* Slurm writes several programs into a file, a line each, and takes that apart at blanks. */
static bool is_taken_apart(const struct tf_launch_app *app)
{
    const char *type = getenv("SLURM_MPI_TYPE");
    bool blanks = strpbrk(app->command, " \t\"'\\%") != NULL;
    for (char *const *word = app->argv; *word; word++)
        blanks = blanks || !**word || strpbrk(*word, " \t\"'\\%");
    return blanks && type && strcmp(type, "pmi2") == 0;
}

/* Of a launcher that is not ours a value is a line, and a program that is not there is the end of the job. */
static int check(const struct tf_launch_app *app, int napps)
{
    bool good = !strchr(app->command, '\n');
    for (char *const *word = app->argv; *word; word++)
        good = good && !strchr(*word, '\n');
    for (int i = 0; i < app->nhints; i++)
        good = good && !strchr(app->hints[i][1], '\n');
    int err = MPI_SUCCESS;
    if (tf_pmi1_ours)
        return MPI_SUCCESS;
    if (napps > 1 && is_taken_apart(app))
        return tf_error(
            MPI_ERR_SPAWN,
            "an argument of \"%s\" is empty or has blanks or quotes in it, which srun cannot pass on where it "
            "starts several programs at once; MPI_Comm_spawn of each, or Treefold's mpiexec, can",
            app->command);
    if (good) {
        free(tf_program_find(app, &err));
        return err;
    }
    return tf_error(MPI_ERR_SPAWN,
                    "an argument or a hint of \"%s\" has a line break in it, which this launcher cannot pass on; "
                    "Treefold's mpiexec can",
                    app->command);
}

/* The answer has 0 for each process that was started; some launchers say nothing of them. */
static bool are_all_started(void)
{
    char codes[TF_PMI1_LINE] = "";
    tf_pmi1_value("errcodes", codes, sizeof codes);
    return codes[strspn(codes, "0,")] == '\0';
}

static int hear_result(char *job, size_t capacity)
{
    char rc[16] = "-1", cmd[64] = "", reason[TF_PMI1_LINE] = "";
    int err = tf_pmi1_read_line();
    if (err)
        return err;
    tf_pmi1_value("cmd", cmd, sizeof cmd);
    tf_pmi1_value("rc", rc, sizeof rc);
    tf_pmi1_value("job", job, capacity);
    if (strcmp(cmd, "spawn_result") == 0 && strcmp(rc, "0") == 0 && are_all_started())
        return MPI_SUCCESS;
    tf_pmi1_value("reason", reason, sizeof reason);
    for (char *c = reason; (c = strchr(c, '+')); c++)
        *c = ' ';
    return tf_error(MPI_ERR_SPAWN, "the launcher %s%s", *reason ? "says: " : "could not start all processes", reason);
}

int tf_pmi1_spawn(const struct tf_launch_app *apps, int napps, const char *port, char *job, size_t capacity)
{
    struct text text = {0};
    int err = MPI_SUCCESS;
    for (int i = 0; i < napps && !err; i++) {
        err = check(&apps[i], napps);
        put_app(&text, &apps[i], i, napps, port);
    }
    if (!err && text.failed)
        err = tf_error(MPI_ERR_NO_MEM, "no memory for the command that starts %d programs", napps);
    if (!err)
        err = tf_pmi1_write(text.at, text.length);
    free(text.at);
    return err ? err : hear_result(job, capacity);
}

bool tf_pmi1_parent(char *port, size_t capacity)
{
    const char *spawned = getenv("PMI_SPAWNED");
    return spawned && strcmp(spawned, "1") == 0 && tf_pmi1_get(0, parent_key, port, capacity) == MPI_SUCCESS;
}

void tf_pmi1_part(const char *job)
{
    char command[400];
    int length = snprintf(command, sizeof command, "cmd=parted job=%.300s\n", job);
    if (tf_pmi1_ours)
        tf_pmi1_write(command, (size_t)length);
}

/* ---- names ---- */

/* One word of letters, digits and a few others, whatever the name has. */
static void put_service(struct text *text, const char *service)
{
    for (; *service; service++)
        if (isalnum((unsigned char)*service) || strchr("._-", *service))
            put(text, *service);
        else
            put_coded(text, *service);
}

/* Ask; false: err, or the launcher says no. */
static int ask(const char *command, const char *service, const char *port, const char *expected, bool *yes)
{
    char cmd[64] = "", rc[16] = "0", info[32] = "ok";
    struct text text = {0};
    put_word(&text, "cmd=");
    put_word(&text, command);
    put_word(&text, " service=");
    put_service(&text, service);
    if (port) {
        put_word(&text, " port=");
        put_word(&text, port);
    }
    put(&text, '\n');
    int err = text.failed ? tf_error(MPI_ERR_NO_MEM, "no memory for the name of a service") : MPI_SUCCESS;
    if (!err && text.length >= TF_PMI1_LINE)
        err = tf_error(MPI_ERR_ARG, "the names of the service and of the port have %zu characters, which are too many",
                       text.length);
    if (!err)
        err = tf_pmi1_write(text.at, text.length);
    free(text.at);
    if (!err)
        err = tf_pmi1_read_line();
    if (err)
        return err;
    tf_pmi1_value("cmd", cmd, sizeof cmd);
    tf_pmi1_value("rc", rc, sizeof rc);
    tf_pmi1_value("info", info, sizeof info);
    *yes = strcmp(cmd, expected) == 0 && strcmp(rc, "0") == 0 && strcmp(info, "ok") == 0;
    return MPI_SUCCESS;
}

/* Slurm takes a name twice, and takes back what was never there. */
static int is_published(const char *service, bool *yes)
{
    return ask("lookup_name", service, NULL, "lookup_result", yes);
}

int tf_pmi1_publish(const char *service, const char *port)
{
    bool yes = false, taken = false;
    int err = tf_pmi1_ours ? MPI_SUCCESS : is_published(service, &taken);
    if (!err && !taken)
        err = ask("publish_name", service, port, "publish_result", &yes);
    return err || yes ? err
                      : tf_error(MPI_ERR_SERVICE, "the service \"%s\" cannot be published: that name is taken already",
                                 service);
}

int tf_pmi1_unpublish(const char *service)
{
    bool yes = false, there = true;
    int err = tf_pmi1_ours ? MPI_SUCCESS : is_published(service, &there);
    if (!err && there)
        err = ask("unpublish_name", service, NULL, "unpublish_result", &yes);
    return err || yes ? err : tf_error(MPI_ERR_SERVICE, "the service \"%s\" was not published", service);
}

int tf_pmi1_lookup(const char *service, char *port, size_t capacity)
{
    bool yes;
    int err = ask("lookup_name", service, NULL, "lookup_result", &yes);
    if (!err && (!yes || !tf_pmi1_value("port", port, capacity)))
        err = tf_error(MPI_ERR_NAME, "no service \"%s\" is published", service);
    return err;
}
