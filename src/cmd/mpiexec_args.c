/* mpiexec_args.c - mpiexec's command line.
 *
 *     mpiexec [global options] [-n N] [options] program args [: -n M program2 args] ...
 */
#include "cmd/mpiexec.h"
#include "launch/soft.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unversioned"
#endif

static const char usage[] =
    "Usage: mpiexec [-n N] [options] PROGRAM [ARGS] [: -n M [options] PROGRAM2 [ARGS]] ...\n"
    "Start N processes of an MPI program, on this machine or, by an engine that is installed for it, on others.\n"
    "\n"
    "  -n N, -np N           the number of processes (1)\n"
    "  -soft NUMBERS         the greatest of these that is not above N: with commas between, a, a:b or a:b:c (from a "
    "to b "
    "by c)\n"
    "  -l, -prepend-rank     put \"[rank] \" before each line of output\n"
    "  -env NAME VALUE       set a variable for this program; also NAME=VALUE\n"
    "  -genv NAME VALUE, -x NAME=VALUE   set a variable for all programs\n"
    "  -genvnone             nothing else of the environment of mpiexec is handed on\n"
    "  -outfile-pattern NAME, -errfile-pattern NAME   standard output, and error, of each rank goes to a file: %r in "
    "its\n"
    "                        name is the rank, %g the number of the MPI_Comm_spawn (0), %% a %\n"
    "  -merge-stderr-to-stdout   standard error goes where standard output goes\n"
    "  -wdir DIR, -wd DIR    run this program in DIR\n"
    "  -path DIRS            look for this program in DIRS, with colons between, before those of PATH\n"
    "  -initial-errhandler NAME   what MPI_COMM_WORLD and MPI_COMM_SELF of this program do with errors at first:\n"
    "                        mpi_errors_are_fatal (which it is), mpi_errors_abort, mpi_errors_return\n"
    "  -pset NAME            a name for the processes of this program, a process set of MPI's sessions\n"
    "                        (programs of the same name are one set)\n"
    "  -bind-to WHAT         each rank runs on one core, on one numa node, or anywhere: core, numa, none (none)\n"
    "  -hosts H1,H2:4        the hosts, and how many processes each is for\n"
    "  -f FILE, -hostfile FILE   a file of hosts, one a line: NAME, NAME:4 or NAME slots=4\n"
    "  -ppn N                the number of processes on each host; -npernode N: and on all hosts, without -n\n"
    "  -configfile FILE      all of this in a file, one program a line; # begins a comment,\n"
    "                        and a line that ends with \\ goes on\n"
    "  -engine NAME          what starts processes on other machines: srun, hydra, prterun, mpirun, or none (the "
    "first\n"
    "                        that can; also MPIEXEC_ENGINE)\n"
    "  -usize N              MPI_UNIVERSE_SIZE: how many processes there may be in all, or INFINITE (which it is)\n"
    "  -keep-going           a process that dies ends nobody else (fault tolerance; also -disable-auto-cleanup)\n"
    "  -share-heap           large blocks of malloc lie in memory that processes of a machine load from directly\n"
    "  -timeout SECONDS      end the job after so long; the exit status is 124\n"
    "  -v, -verbose          say what happens\n"
    "  -h, -help             this text\n"
    "  -version              the version\n"
    "\n"
    "Standard input goes to rank 0.  The exit status is that of the first process that fails: its own, or 128 and the\n"
    "number of the signal that killed it.  When a process fails the others are ended.\n"
    "Within an allocation of Slurm that has several nodes all of them take part.\n"
    "Options that are Hydra's or Open MPI's alone are taken as they are meant, left out with a word, or refused.\n"
    "Settings of the library are variables TREEFOLD_...; `treefold info` lists them.\n";

static void refuse(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
static void refuse(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("mpiexec: ", stderr);
    vfprintf(stderr, format, args);
    fputs("; mpiexec -help lists the options\n", stderr);
    va_end(args);
    exit(MPIEXEC_USAGE_ERROR);
}

/* The arguments that are not read yet. */
struct cursor {
    char **next;
    struct mpiexec_options *options;
    struct mpiexec_app *app;
};

static char *take(struct cursor *cursor, const char *option, const char *what)
{
    char *value = *cursor->next;
    if (!value || !strcmp(value, ":"))
        refuse("%s needs %s behind it", option, what);
    cursor->next++;
    return value;
}

/* 0: it is no number of processes. */
static int as_count(const char *text)
{
    char *end;
    errno = 0;
    long n = strtol(text, &end, 10);
    return end == text || *end || errno || n < 1 || n > INT_MAX / 2 ? 0 : (int)n;
}

static int take_count(struct cursor *cursor, const char *option)
{
    const char *text = take(cursor, option, "the number of processes");
    int n = as_count(text);
    if (!n)
        refuse("the number of processes is \"%s\"; it must be at least 1", text);
    return n;
}

/* Which of the numbers that will do: all processes can be started, so it is the greatest up to that of -n (MPI-5.0
 * section 11.8.4). */
static void choose_count(struct mpiexec_app *app)
{
    int n = tf_soft_choose(app->soft, app->nprocs);
    if (n == TF_SOFT_WRONG)
        refuse("-soft is \"%s\"; it must be " TF_SOFT_WORDS, app->soft);
    if (n < 1)
        refuse("-soft is \"%s\", which has no number from 1 to the %d of %s", app->soft, app->nprocs,
               app->counted ? "-n" : "a program without -n");
    app->nprocs = n;
}

/* The words are Hydra's: SYSTEM is what holds without the option. */
static int take_universe(struct cursor *cursor, const char *option)
{
    const char *text = take(cursor, option, "the number of processes there may be in all");
    if (!strcasecmp(text, "infinite"))
        return MPIEXEC_INFINITE;
    int n = as_count(text);
    if (!n && strcasecmp(text, "system") != 0)
        refuse("%s is \"%s\"; it must be a number of processes, INFINITE or SYSTEM", option, text);
    return n;
}

static double seconds(const char *option, const char *text)
{
    char *end;
    double seconds = strtod(text, &end);
    if (end == text || *end || !(seconds > 0))
        refuse("%s is \"%s\"; it must be a number of seconds above 0", option, text);
    return seconds;
}

static void *grow(void *memory, size_t bytes)
{
    memory = realloc(memory, bytes);
    if (!memory) {
        fprintf(stderr, "mpiexec: cannot allocate %zu bytes\n", bytes);
        exit(EXIT_FAILURE);
    }
    return memory;
}

static void add_variable(char ***list, const char *name, size_t length, const char *value)
{
    size_t n = 0;
    while (*list && (*list)[n])
        n++;
    *list = grow(*list, (n + 3) * sizeof **list);
    (*list)[n] = grow(NULL, length + 1);
    snprintf((*list)[n], length + 1, "%s", name);
    (*list)[n + 1] = (char *)value;
    (*list)[n + 2] = NULL;
    if (length == 0)
        refuse("\"%s\" is no name of a variable", name);
}

/* NAME VALUE, or NAME=VALUE in one word. */
static void take_variable(struct cursor *cursor, const char *option, char ***list)
{
    const char *name = take(cursor, option, "a variable's name and its value");
    size_t length = strcspn(name, "=");
    add_variable(list, name, length,
                 name[length] ? name + length + 1 : take(cursor, option, "a variable's name and its value"));
}

/* As Open MPI's mpirun has it: NAME=VALUE, or NAME alone for one that is handed on anyway, but by some engines. */
static void take_export(struct cursor *cursor, const char *option)
{
    const char *name = take(cursor, option, "a variable's name");
    size_t length = strcspn(name, "=");
    const char *value = name[length] ? name + length + 1 : getenv(name);
    if (value)
        add_variable(&cursor->options->genv, name, length, value);
    else
        fprintf(stderr, "mpiexec: there is no variable \"%s\" to hand on\n", name);
}

static void take_errhandler(struct cursor *cursor, const char *option)
{
    const char *name = take(cursor, option, "the name of an error handler");
    if (!tf_mpiexec_errhandler_known(name))
        refuse("%s is \"%s\"; it must be " MPIEXEC_ERRHANDLERS, option, name);
    add_variable(&cursor->app->env, MPIEXEC_ERRHANDLER_VARIABLE, strlen(MPIEXEC_ERRHANDLER_VARIABLE), name);
}

static const char *take_pattern(struct cursor *cursor, const char *option)
{
    const char *pattern = take(cursor, option, "the name of a file");
    for (const char *p = strchr(pattern, '%'); p; p = strchr(p + 2, '%'))
        if (!p[1] || !strchr("rg%", p[1]))
            refuse("%s is \"%s\"; behind %% there must be r, g or %%", option, pattern);
    return pattern;
}

static void take_pset(struct cursor *cursor, const char *option)
{
    const char *name = take(cursor, option, "the name of a process set");
    if (!tf_mpiexec_psets_good(name))
        refuse("%s is \"%s\"; it must be " MPIEXEC_PSET_NAMES, option, name);
    cursor->app->pset = name;
}

/* Before whatever is preloaded anyway. */
static void take_share_heap(struct cursor *cursor, const char *option)
{
    static const char name[] = "LD_PRELOAD", library[] = TF_PKGLIBDIR "/libtreefold_malloc.so";
    const char *others = getenv(name);
    size_t length = sizeof library + 1 + (others ? strlen(others) : 0);
    char *list = grow(NULL, length);
    if (access(library, R_OK) != 0)
        refuse("%s needs %s: %s", option, library, strerror(errno));
    snprintf(list, length, "%s%s%s", library, others ? ":" : "", others ? others : "");
    add_variable(&cursor->options->genv, name, strlen(name), list);
}

static void take_each(struct cursor *cursor, const char *option)
{
    cursor->options->ppn = take_count(cursor, option);
    cursor->options->all_hosts = true;
}

/* "ppr:N:node" says how many processes each host gets; how they are put there otherwise is the system's affair. */
static void take_mapping(struct cursor *cursor, const char *option)
{
    const char *where = take(cursor, option, "a way of mapping");
    int n, read = 0;
    if (sscanf(where, "ppr:%d:node%n", &n, &read) == 1 && read && n > 0 && strchr(":", where[read])) {
        cursor->options->ppn = n;
        cursor->options->all_hosts = true;
    } else
        fprintf(stderr, "mpiexec: %s %s is left out; -bind-to and -ppn are what there is\n", option, where);
}

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words && strcmp(word, *words))
        words++;
    return *words != NULL;
}

/* Also the words of others for what is nearest to it, and what they may say of a word behind a colon. */
static void set_binding(struct cursor *cursor, const char *word)
{
    static const struct {
        const char *word;
        enum mpiexec_binding binding;
    } known[] = {{"none", MPIEXEC_BIND_NONE},    {"core", MPIEXEC_BIND_CORE},    {"numa", MPIEXEC_BIND_NUMA},
                 {"board", MPIEXEC_BIND_NONE},   {"machine", MPIEXEC_BIND_NONE}, {"hwthread", MPIEXEC_BIND_CORE},
                 {"socket", MPIEXEC_BIND_NUMA},  {"package", MPIEXEC_BIND_NUMA}, {"l3cache", MPIEXEC_BIND_NUMA},
                 {"l1cache", MPIEXEC_BIND_CORE}, {"l2cache", MPIEXEC_BIND_CORE}, {"cpu", MPIEXEC_BIND_CORE}};
    static const char *const more[] = {"", ":1", ":overload-allowed", ":if-supported", NULL};
    size_t length = strcspn(word, ":");
    for (size_t i = 0; is_one_of(word + length, more) && i < sizeof known / sizeof known[0]; i++)
        if (strlen(known[i].word) == length && !strncmp(word, known[i].word, length)) {
            cursor->options->binding = known[i].binding;
            return;
        }
    refuse("-bind-to is \"%s\"; it must be core, numa or none", word);
}

static void take_option(struct cursor *cursor, const char *option);

/* An option of other launchers; one that has another name here is taken as that. */
static void take_foreign(struct cursor *cursor, const char *option, const char *name)
{
    struct mpiexec_foreign found;
    char *given[] = {NULL, NULL};
    struct cursor own = *cursor;
    if (!tf_mpiexec_foreign(option, name, cursor->next, &found))
        refuse("there is no option %s", option);
    given[0] = (char *)found.value;
    own.next = found.value ? given : cursor->next;
    if (found.own)
        take_option(&own, found.own);
    cursor->next = found.own && !found.value ? own.next : cursor->next + found.values;
}

static void take_option(struct cursor *cursor, const char *option)
{
    static const char *const counts[] = {"n", "np", NULL}, *const tags[] = {"l", "prepend-rank", NULL};
    static const char *const wdirs[] = {"wdir", "wd", NULL}, *const helps[] = {"h", "help", NULL};
    static const char *const hosts[] = {"hosts", "host", "H", NULL}, *const each[] = {"ppn", "perhost", NULL};
    static const char *const goings[] = {"keep-going", "disable-auto-cleanup", NULL};
    static const char *const files[] = {"f", "hostfile", "machinefile", NULL}, *const says[] = {"v", "verbose", NULL};
    static const char *const all[] = {"N", "npernode", NULL};
    const char *name = option + 1 + (option[1] == '-'); /* --timeout is -timeout */

    if (is_one_of(name, counts)) {
        cursor->app->nprocs = take_count(cursor, option);
        cursor->app->counted = true;
    } else if (is_one_of(name, tags))
        cursor->options->tag = true;
    else if (is_one_of(name, wdirs))
        cursor->app->wdir = take(cursor, option, "a directory");
    else if (!strcmp(name, "soft"))
        cursor->app->soft = take(cursor, option, "numbers of processes");
    else if (!strcmp(name, "path"))
        cursor->app->search = take(cursor, option, "directories");
    else if (!strcmp(name, "initial-errhandler"))
        take_errhandler(cursor, option);
    else if (!strcmp(name, "pset"))
        take_pset(cursor, option);
    else if (!strcmp(name, "env"))
        take_variable(cursor, option, &cursor->app->env);
    else if (!strcmp(name, "genv"))
        take_variable(cursor, option, &cursor->options->genv);
    else if (!strcmp(name, "genvnone"))
        cursor->options->bare = true;
    else if (!strcmp(name, "outfile-pattern"))
        cursor->options->outfile = take_pattern(cursor, option);
    else if (!strcmp(name, "errfile-pattern"))
        cursor->options->errfile = take_pattern(cursor, option);
    else if (!strcmp(name, "merge-stderr-to-stdout"))
        cursor->options->merged = true;
    else if (!strcmp(name, "x"))
        take_export(cursor, option);
    else if (!strcmp(name, "map-by"))
        take_mapping(cursor, option);
    else if (is_one_of(name, all))
        take_each(cursor, option);
    else if (!strcmp(name, "bind-to"))
        set_binding(cursor, take(cursor, option, "core, numa or none"));
    else if (!strcmp(name, "usize"))
        cursor->options->universe = take_universe(cursor, option);
    else if (!strcmp(name, "timeout"))
        cursor->options->timeout = seconds(option, take(cursor, option, "a number of seconds"));
    else if (!strcmp(name, "share-heap"))
        take_share_heap(cursor, option);
    else if (is_one_of(name, goings))
        cursor->options->keep_going = true;
    else if (is_one_of(name, says))
        cursor->options->verbose = true;
    else if (is_one_of(name, hosts))
        tf_mpiexec_hosts_add(cursor->options, option, take(cursor, option, "a list of hosts"));
    else if (is_one_of(name, files))
        tf_mpiexec_hosts_read(cursor->options, take(cursor, option, "a file of hosts"));
    else if (is_one_of(name, each))
        cursor->options->ppn = take_count(cursor, option);
    else if (!strcmp(name, "engine"))
        cursor->options->engine = take(cursor, option, "the name of an engine");
    else if (is_one_of(name, helps)) {
        fputs(usage, stdout);
        exit(EXIT_SUCCESS);
    } else if (!strcmp(name, "version")) {
        printf("mpiexec (Treefold) %s\n", PACKAGE_VERSION);
        exit(EXIT_SUCCESS);
    } else
        take_foreign(cursor, option, name);
}

/* One part up to a colon or the end. */
static void take_app(struct cursor *cursor)
{
    while (*cursor->next && (*cursor->next)[0] == '-' && strcmp(*cursor->next, "--")) {
        const char *option = *cursor->next++;
        take_option(cursor, option);
    }
    if (*cursor->next && !strcmp(*cursor->next, "--"))
        cursor->next++;
    if (!*cursor->next || !strcmp(*cursor->next, ":"))
        refuse("there is no program to start");
    cursor->app->argv = cursor->next;
    while (*cursor->next && strcmp(*cursor->next, ":"))
        cursor->next++;
}

void tf_mpiexec_parse(int argc, char **argv, struct mpiexec_options *options)
{
    struct cursor cursor = {.next = argv + (argc > 0), .options = options};
    static const char *const configs[] = {"configfile", "app", NULL};
    long nprocs = 0;
    bool more;
    options->engine = getenv("MPIEXEC_ENGINE");
    if (getenv("MPIEXEC_TIMEOUT"))
        options->timeout = seconds("MPIEXEC_TIMEOUT", getenv("MPIEXEC_TIMEOUT"));
    if (getenv("MPIEXEC_GRACE"))
        options->grace = seconds("MPIEXEC_GRACE", getenv("MPIEXEC_GRACE"));
    options->serve = -1;
    /* For a program that was started alone and spawns others, which starts this one: no user does. */
    if (argc == 4 && !strcmp(argv[1], "-serve")) {
        static struct mpiexec_app nothing = {.nprocs = 1};
        *options = (struct mpiexec_options){
            .serve = atoi(argv[2]), .serve_name = argv[3], .apps = &nothing, .napps = 1, .nprocs = 1};
        return;
    }
    if (argc == 3 && is_one_of(argv[1] + strspn(argv[1], "-"), configs))
        cursor.next = tf_mpiexec_config_read(argv[2]);
    do {
        options->apps = grow(options->apps, ((size_t)options->napps + 1) * sizeof *options->apps);
        cursor.app = &options->apps[options->napps++];
        *cursor.app = (struct mpiexec_app){.nprocs = 1};
        take_app(&cursor);
        if (options->all_hosts && !cursor.app->counted)
            cursor.app->nprocs = options->ppn * (options->nhosts ? options->nhosts : 1);
        if (cursor.app->soft)
            choose_count(cursor.app);
        nprocs += cursor.app->nprocs;
        more = *cursor.next != NULL;
        if (more)
            *cursor.next++ = NULL;
    } while (more);
    if (nprocs > INT_MAX)
        refuse("%ld processes are too many", nprocs);
    options->nprocs = (int)nprocs;
}
