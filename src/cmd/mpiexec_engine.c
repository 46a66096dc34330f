/* mpiexec_engine.c - processes on other machines are started by an engine that is installed for it: mpiexec becomes
 * that program, with its own arguments in the engine's words.
 *
 * An option's template is words between spaces, in which %s stands for the value.
 */
#include "cmd/mpiexec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#ifdef TF_HAVE_PMIX
#define BUILT_WITH_PMIX true
#else
#define BUILT_WITH_PMIX false
#endif

static const struct engine {
    const char *name, *package;
    const char *programs[2];   /* the first that is installed */
    bool needs_slurm, by_pmix; /* an allocation of Slurm; Treefold's client of PMIx */
    bool hosts_each;           /* hosts are said again for each program */
    const char *always;
    const char *count, *each, *hosts, *nhosts, *slots; /* slots: of a host in the list, behind its name */
    const char *universe;
    const char *keep_going;                      /* a process that dies ends nobody else */
    const char *pset;                            /* NULL: it cannot be told names of process sets */
    const char *variable, *wdir, *tag, *bind[4]; /* by enum mpiexec_binding */
    const char *cores; /* the binding to so many; of those with PMIx it is a modifier of `each`, where there is one */
    const char *report;
    const char *colon; /* before the next program; NULL: takes one only */
} engines[] = {
    {
        .name = "srun",
        .package = "slurm-client",
        .programs = {"srun"},
        .needs_slurm = true,
        .always = "-K", /* the others of a job end when one fails */
        .count = "-n %s",
        .each = "--ntasks-per-node=%s",
        .hosts = "-w %s",
        .nhosts = "-N %s",
        .keep_going = "--kill-on-bad-exit=0",
        .wdir = "-D %s",
        .tag = "-l",
        .bind = {NULL, "--cpu-bind=none", "--cpu-bind=cores", "--cpu-bind=ldoms"},
        .cores = "--cpu-bind=cores --cpus-per-task=%s",
    },
    {
        .name = "hydra",
        .package = "mpich",
        .programs = {"mpiexec.hydra"},
        .count = "-n %s",
        .each = "-ppn %s",
        .hosts = "-hosts %s",
        .slots = ":%d",
        .universe = "-usize %s",
        .keep_going = "-disable-auto-cleanup",
        .wdir = "-wdir %s",
        .tag = "-l",
        .bind = {NULL, "-bind-to none", "-bind-to core", "-bind-to numa"},
        .cores = "-bind-to core:%s",
        .colon = ":",
    },
    {
        .name = "prterun",
        .package = "prrte",
        .programs = {"prterun"},
        .by_pmix = true,
        .hosts_each = true,
        .count = "-n %s",
        .each = "--map-by ppr:%s:node:oversubscribe",
        .hosts = "--host %s",
        .slots = ":%d",
        .keep_going = "--enable-recovery",
        .pset = "--pset %s",
        .variable = "-x %s",
        .wdir = "--wdir %s",
        .tag = "--tag-output",
        .bind = {NULL, "--bind-to none", "--bind-to core", "--bind-to numa"},
        .cores = "--bind-to core --map-by slot:PE=%s",
        .report = "--report-bindings",
        .colon = ":",
    },
    {
        .name = "mpirun",
        .package = "openmpi-bin",
        .programs = {"orterun", "mpirun.openmpi"},
        .by_pmix = true,
        .hosts_each = true,
        .always = "--oversubscribe",
        .count = "-n %s",
        .each = "--map-by ppr:%s:node",
        .hosts = "--host %s",
        .slots = ":%d",
        .keep_going = "--enable-recovery",
        .variable = "-x %s",
        .wdir = "--wdir %s",
        .tag = "--tag-output",
        .bind = {NULL, "--bind-to none", "--bind-to core", "--bind-to numa"},
        .cores = "--bind-to core --map-by slot:PE=%s",
        .report = "--report-bindings",
        .colon = ":",
    },
};
enum { ENGINES = sizeof engines / sizeof engines[0] };

/* ---- which ---- */

static const char *program_of(const struct engine *engine)
{
    for (int i = 0; i < 2 && engine->programs[i]; i++) {
        const char *path = tf_mpiexec_search(engine->programs[i]);
        if (path)
            return path;
    }
    return NULL;
}

static bool has_psets(const struct mpiexec_options *options)
{
    for (int i = 0; i < options->napps; i++)
        if (options->apps[i].pset)
            return true;
    return false;
}

static bool is_bare(const struct mpiexec_options *options)
{
    bool bare = options->bare;
    for (int i = 0; i < options->napps; i++)
        bare |= options->apps[i].bare;
    return bare;
}

static const char *cannot_take(const struct engine *engine, const struct mpiexec_options *options)
{
    if (engine->needs_slurm && !tf_mpiexec_in_slurm())
        return "this is no allocation of Slurm";
    if (engine->by_pmix && !BUILT_WITH_PMIX)
        return "it speaks PMIx, and this Treefold was built without";
    if (!engine->colon && options->napps > 1)
        return "it takes one program, not several with a colon between them";
    if (!engine->pset && has_psets(options))
        return "it takes no names of process sets";
    if (options->outfile || options->errfile || options->merged || options->prefix)
        return "it takes no -outfile-pattern, -errfile-pattern, -merge-stderr-to-stdout and -prepend-pattern here";
    if (is_bare(options))
        return "it takes no -genvnone and -envnone here";
    if (options->reader != 0)
        return "it takes no -stdin here";
    if (options->binding == MPIEXEC_BIND_CORE && options->cores == 0)
        return "it takes no -bind-to share, but core:N";
    return program_of(engine) ? NULL : "it is not installed";
}

static void none_is_there(const struct mpiexec_options *options)
{
    fprintf(stderr, "mpiexec: %s%s: to start processes on other machines one of these is needed in PATH:\n",
            options->nhosts ? "the first of the hosts is " : "this is an allocation of Slurm",
            options->nhosts ? options->hosts[0].name : "");
    for (int i = 0; i < ENGINES; i++)
        fprintf(stderr, "    %-14s (Debian: %s) cannot be used: %s\n", engines[i].programs[0], engines[i].package,
                cannot_take(&engines[i], options));
    exit(127);
}

static const struct engine *choose(const struct mpiexec_options *options)
{
    for (int i = 0; i < ENGINES; i++) {
        const char *why = cannot_take(&engines[i], options);
        if (!options->engine && !why)
            return &engines[i];
        if (options->engine && !strcmp(options->engine, engines[i].name)) {
            if (!why)
                return &engines[i];
            fprintf(stderr, "mpiexec: the engine %s cannot be used: %s\n", options->engine, why);
            exit(127);
        }
    }
    if (!options->engine)
        none_is_there(options);
    fprintf(stderr, "mpiexec: the engine is \"%s\"; it must be one of none", options->engine);
    for (int i = 0; i < ENGINES; i++)
        fprintf(stderr, ", %s", engines[i].name);
    fprintf(stderr, "\n");
    exit(MPIEXEC_USAGE_ERROR);
}

/* ---- its arguments ---- */

struct arguments {
    char **words;
    size_t n;
};

static void *checked(void *memory)
{
    if (!memory) {
        fprintf(stderr, "mpiexec: no memory for the arguments of the engine\n");
        exit(EXIT_FAILURE);
    }
    return memory;
}

static void append(struct arguments *to, const char *word)
{
    to->words = checked(realloc(to->words, (to->n + 2) * sizeof *to->words));
    to->words[to->n++] = checked(strdup(word));
    to->words[to->n] = NULL;
}

/* Each word of `template`, the value in the place of %s.  No template: the engine has no such option. */
static void append_option(struct arguments *to, const char *template, const char *value)
{
    char *words = checked(strdup(template ? template : "")), *save = NULL;
    for (char *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *place = strstr(word, "%s");
        size_t room = strlen(word) + strlen(value) + 1;
        char *text = checked(calloc(room, 1));
        snprintf(text, room, "%.*s%s%s", place ? (int)(place - word) : (int)strlen(word), word, place ? value : "",
                 place ? place + 2 : "");
        append(to, text);
        free(text);
    }
    free(words);
}

static void append_number(struct arguments *to, const char *template, int number)
{
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    append_option(to, template, text);
}

static void modify_last(struct arguments *to, const char *modifier, int number)
{
    char *last = to->words[to->n - 1], *word = NULL;
    if (asprintf(&word, "%s%s%d", last, modifier, number) < 0)
        word = NULL;
    to->words[to->n - 1] = checked(word);
    free(last);
}

static void append_binding(struct arguments *to, const struct engine *engine, const struct mpiexec_options *options)
{
    bool cores = options->binding == MPIEXEC_BIND_CORE && options->cores != 1,
         modifies = options->ppn && engine->by_pmix;
    if (cores && modifies)
        modify_last(to, ":PE=", options->cores);
    if (cores && !modifies)
        append_number(to, engine->cores, options->cores);
    else if (options->binding > MPIEXEC_BIND_NONE)
        append_option(to, engine->bind[options->binding], "");
}

/* The engine's own form of a list; a name of -ppn processes, unless it says more, has so many slots. */
static void append_hosts(struct arguments *to, const struct engine *engine, const struct mpiexec_options *options)
{
    char *list = checked(calloc(1, 1));
    size_t length = 0;
    for (int i = 0; i < options->nhosts; i++) {
        const struct mpiexec_host *host = &options->hosts[i];
        int slots = host->slots ? host->slots : options->ppn;
        size_t room = strlen(host->name) + 16;
        list = checked(realloc(list, length + room));
        length += (size_t)snprintf(list + length, room, "%s%s", i ? "," : "", host->name);
        if (slots && engine->slots)
            length += (size_t)snprintf(list + length, room - 12, engine->slots, slots);
    }
    if (options->nhosts)
        append_option(to, engine->hosts, list);
    free(list);
}

/* Engines hand their environment on, or are told to by name. */
static void append_variables(struct arguments *to, const struct engine *engine, char *const *pairs)
{
    for (; pairs && *pairs; pairs += 2) {
        setenv(pairs[0], pairs[1], 1);
        append_option(to, engine->variable, pairs[0]);
    }
}

static void append_settings(struct arguments *to, const struct engine *engine)
{
    extern char **environ;
    for (char **variable = environ; engine->variable && *variable; variable++)
        if (!strncmp(*variable, "TREEFOLD_", 9)) {
            char *name = checked(strndup(*variable, strcspn(*variable, "=")));
            append_option(to, engine->variable, name);
            free(name);
        }
}

static void append_job(struct arguments *to, const struct engine *engine, const struct mpiexec_options *options)
{
    append_option(to, engine->always, "");
    if (engine->needs_slurm && !getenv("SLURM_MPI_TYPE"))
        append(to, "--mpi=pmi2");
    if (engine->by_pmix && geteuid() == 0)
        append(to, "--allow-run-as-root");
    if (options->keep_going)
        setenv("TREEFOLD_KEEP_GOING", "on", 1);
    append_settings(to, engine);
    append_variables(to, engine, options->genv);
    if (options->ppn)
        append_number(to, engine->each, options->ppn);
    append_binding(to, engine, options);
    if (options->nhosts)
        append_number(to, engine->nhosts, options->nhosts);
    if (!engine->hosts_each)
        append_hosts(to, engine, options);
    if (options->universe == MPIEXEC_INFINITE)
        append_option(to, engine->universe, "INFINITE");
    else if (options->universe)
        append_number(to, engine->universe, options->universe);
    if (options->keep_going)
        append_option(to, engine->keep_going, "");
    if (options->tag)
        append_option(to, engine->tag, "");
    if (options->report_bindings)
        append_option(to, engine->report, "");
}

static void append_app(struct arguments *to, const struct engine *engine, const struct mpiexec_options *options,
                       const struct mpiexec_app *app)
{
    /* The engines have no other directories to look in; programs have the same names on all hosts. */
    bool elsewhere = app->search && !strchr(app->argv[0], '/');
    const char *program = elsewhere ? tf_mpiexec_search_in(app->search, app->argv[0]) : NULL;
    if (engine->hosts_each)
        append_hosts(to, engine, options);
    if (app->counted)
        append_number(to, engine->count, app->nprocs);
    append_variables(to, engine, app->env);
    if (app->pset)
        append_option(to, engine->pset, app->pset);
    if (app->wdir)
        append_option(to, engine->wdir, app->wdir);
    append(to, program ? program : app->argv[0]);
    for (char **word = app->argv + 1; *word; word++)
        append(to, *word);
}

/* None of the engines has a time limit with the exit status that ours has. */
static void append_time_limit(struct arguments *to, double seconds)
{
    char text[40];
    snprintf(text, sizeof text, "%g", seconds);
    append_option(to, "timeout --foreground --kill-after=10 %s", text);
}

static void become(const struct engine *engine, struct arguments *arguments, bool verbose)
{
    if (verbose) {
        fprintf(stderr, "mpiexec: hands over to %s:", engine->name);
        for (char **word = arguments->words; *word; word++)
            fprintf(stderr, " %s", *word);
        fprintf(stderr, "\n");
    }
    execvp(arguments->words[0], arguments->words);
    perror("mpiexec: cannot hand over");
    exit(126);
}

void tf_mpiexec_hand_over(const struct mpiexec_options *options)
{
    if (options->engine && !strcmp(options->engine, "none")) {
        if (options->nhosts && tf_mpiexec_hosts_elsewhere(options)) {
            fprintf(stderr, "mpiexec: %s is not this machine, and no engine is to start processes there\n",
                    options->hosts[0].name);
            exit(MPIEXEC_USAGE_ERROR);
        }
        return;
    }
    if (!options->engine && !tf_mpiexec_hosts_elsewhere(options))
        return;
    const struct engine *engine = choose(options);
    struct arguments arguments = {0};
    if (options->timeout > 0)
        append_time_limit(&arguments, options->timeout);
    append(&arguments, program_of(engine));
    append_job(&arguments, engine, options);
    for (int i = 0; i < options->napps; i++) {
        if (i > 0)
            append_option(&arguments, engine->colon, "");
        append_app(&arguments, engine, options, &options->apps[i]);
    }
    become(engine, &arguments, options->verbose);
}
