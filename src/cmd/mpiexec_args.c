/* mpiexec_args.c - mpiexec's command line.
 *
 *     mpiexec [global options] [-n N] [options] program args [: -n M program2 args] ...
 */
#include "cmd/installed.h"
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
    "  -l, -prepend-rank     put \"[rank] \" before each line of output; -prepend-pattern TEXT: this, with %r for the "
    "rank\n"
    "  -env NAME VALUE       set a variable for this program; also NAME=VALUE\n"
    "  -genv NAME VALUE, -x NAME=VALUE   set a variable for all programs\n"
    "  -genvnone             nothing else of the environment of mpiexec is handed on; -envnone: to this program\n"
    "  -outfile-pattern NAME, -errfile-pattern NAME   standard output, and error, of each rank goes to a file: %r in "
    "its\n"
    "                        name is the rank, %g the number of the MPI_Comm_spawn (0), %% a %\n"
    "  -merge-stderr-to-stdout   standard error goes where standard output goes\n"
    "  -stdin RANK           the rank that gets standard input (0), or none\n"
    "  -report-pid WHERE     write the process number of mpiexec to a file, to standard output (-) or error (+)\n"
    "  -wdir DIR, -wd DIR    run this program in DIR\n"
    "  -path DIRS            look for this program in DIRS, with colons between, before those of PATH\n"
    "  -initial-errhandler NAME   what MPI_COMM_WORLD and MPI_COMM_SELF of this program do with errors at first:\n"
    "                        mpi_errors_are_fatal (which it is), mpi_errors_abort, mpi_errors_return\n"
    "  -pset NAME            a name for the processes of this program, a process set of MPI's sessions\n"
    "                        (programs of the same name are one set)\n"
    "  -bind-to WHAT         each rank runs on one core (core), N of them (core:N), its share of them (share), one\n"
    "                        numa node (numa), or anywhere (none, the default)\n"
    "  -report-bindings      tell on which processors each rank may run\n"
    "  -aslr                 random addresses also for ranks that share processors, which makes them slower\n"
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
    "--option VALUE may be --option=VALUE.  The exit status is that of the first process that fails: its own, or 128 "
    "and the\n"
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
    char *attached; /* the value of --option=value, not read yet, or NULL */
    struct mpiexec_options *options;
    struct mpiexec_app *app;
    bool mapped; /* the number of cores was said with -map-by */
};

static char *take(struct cursor *cursor, const char *option, const char *what)
{
    char *value = cursor->attached ? cursor->attached : *cursor->next;
    if (!value || (!cursor->attached && !strcmp(value, ":")))
        refuse("%s needs %s behind it", option, what);
    cursor->next += !cursor->attached;
    cursor->attached = NULL;
    return value;
}

enum { MOST_COUNT = INT_MAX / 2 }; /* of processes in one option; on one machine there are fewer */

/* 0: it is no number of processes. */
static int as_count(const char *text)
{
    char *end;
    errno = 0;
    long n = strtol(text, &end, 10);
    return end == text || *end || errno || n < 1 || n > MOST_COUNT ? 0 : (int)n;
}

static int take_count(struct cursor *cursor, const char *option)
{
    const char *text = take(cursor, option, "the number of processes");
    int n = as_count(text);
    if (!n)
        refuse("the number of processes of %s is \"%s\"; it must be at least 1 and at most %d", option, text,
               MOST_COUNT);
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
    static const char name[] = "LD_PRELOAD";
    char moved[PATH_MAX];
    const char *library = tf_installed(TF_PKGLIBDIR "/libtreefold_malloc.so", moved), *others = getenv(name);
    size_t length = strlen(library) + 2 + (others ? strlen(others) : 0);
    char *list = grow(NULL, length);
    if (access(library, R_OK) != 0)
        refuse("%s needs %s: %s", option, library, strerror(errno));
    if (strpbrk(library, " :"))
        refuse("%s needs %s, whose path the loader takes for two: it has a blank or a colon", option, library);
    snprintf(list, length, "%s%s%s", library, others ? ":" : "", others ? others : "");
    add_variable(&cursor->options->genv, name, strlen(name), list);
}

static void take_each(struct cursor *cursor, const char *option)
{
    cursor->options->ppn = take_count(cursor, option);
    cursor->options->all_hosts = true;
}

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words && strcmp(word, *words))
        words++;
    return *words != NULL;
}

/* "N:node", and what may follow it behind a colon: so many processes on each host.  Of what else there may be so many
 * on each, -n has to say how many that makes in all. */
static void take_resource(struct cursor *cursor, const char *option, const char *where)
{
    char *end;
    long n = strtol(where, &end, 10);
    size_t length = *end == ':' ? strcspn(end + 1, ":") : 0;
    if (n < 1 || n > MOST_COUNT || length == 0)
        refuse("%s is \"%s\"; it must be the number of processes of each and of what, as 2:node", option, where);
    if (length == 4 && !strncmp(end + 1, "node", length)) {
        cursor->options->ppn = (int)n;
        cursor->options->all_hosts = true;
    } else
        cursor->app->per = option;
}

static bool take_cores(struct cursor *cursor, const char *text)
{
    char *end;
    errno = 0;
    long n = strtol(text, &end, 10);
    if (end == text || (*end && *end != ':') || errno || n < 1 || n > MOST_COUNT)
        return false;
    cursor->options->binding = MPIEXEC_BIND_CORE;
    cursor->options->cores = (int)n;
    return true;
}

/* How processes are put on a host is the system's affair, but for binding, as to PE=N cores each. */
static void take_mapping(struct cursor *cursor, const char *option)
{
    static const char each[] = "ppr:", cores[] = "pe=";
    const char *where = take(cursor, option, "a way of mapping"), *pe = strcasestr(where, cores);
    if (pe && !take_cores(cursor, pe + strlen(cores)))
        refuse("%s is \"%s\"; what follows PE= must be the number of cores of each process", option, where);
    cursor->mapped = pe != NULL;
    if (!strncmp(where, each, strlen(each)))
        take_resource(cursor, option, where + strlen(each));
    else if (!pe && strcasecmp(where, ":oversubscribe") != 0) /* which it does */
        fprintf(stderr, "mpiexec: %s %s is left out; -bind-to and -ppn are what there is\n", option, where);
}

static void take_per_socket(struct cursor *cursor, const char *option)
{
    take_count(cursor, option);
    cursor->app->per = option;
}

/* The words of PRRTE, with commas between. */
static void take_output(struct cursor *cursor, const char *option)
{
    static const char *const tags[] = {"tag", "tag-detailed", "tag-fullname", "rank", NULL};
    static const char *const merges[] = {"merge", "merge-stderr-to-stdout", NULL};
    static const char *const left_out[] = {"timestamp", "raw", NULL};
    char *words = strdup(take(cursor, option, "words of output")), *rest = words, *word;
    while (rest && (word = strsep(&rest, ",")))
        if (is_one_of(word, tags))
            cursor->options->tag = true;
        else if (is_one_of(word, merges))
            cursor->options->merged = true;
        else if (is_one_of(word, left_out))
            fprintf(stderr, "mpiexec: %s %s does nothing here, and is left out\n", option, word);
        else
            refuse("%s is \"%s\"; it must be tag or merge, and files are of -outfile-pattern", option, word);
    free(words);
}

/* Open MPI's words for going on when a process dies, or not. */
static void take_tolerance(struct cursor *cursor, const char *option)
{
    static const char *const yes[] = {"ulfm", "mpi", "yes", "true", "on", "1", NULL};
    static const char *const no[] = {"none", "no", "false", "off", "0", NULL};
    const char *word = take(cursor, option, "a kind of fault tolerance");
    if (!is_one_of(word, yes) && !is_one_of(word, no))
        refuse("%s is \"%s\"; it must be ulfm, which is -keep-going, or none", option, word);
    cursor->options->keep_going = is_one_of(word, yes);
}

static void take_reader(struct cursor *cursor, const char *option)
{
    const char *text = take(cursor, option, "a rank, or none");
    char *end;
    errno = 0;
    long rank = strtol(text, &end, 10);
    if (!strcmp(text, "none"))
        rank = -1;
    else if (end == text || *end || errno || rank < 0 || rank > MOST_COUNT)
        refuse("%s is \"%s\"; it must be the one rank that reads standard input, or none", option, text);
    cursor->options->reader = (int)rank;
}

/* Also the words of others for what is nearest to it, and what they may say of a word behind a colon. */
static void set_binding(struct cursor *cursor, const char *option, const char *word)
{
    static const struct {
        const char *word;
        enum mpiexec_binding binding;
    } known[] = {{"none", MPIEXEC_BIND_NONE},    {"core", MPIEXEC_BIND_CORE},    {"numa", MPIEXEC_BIND_NUMA},
                 {"board", MPIEXEC_BIND_NONE},   {"machine", MPIEXEC_BIND_NONE}, {"hwthread", MPIEXEC_BIND_CORE},
                 {"socket", MPIEXEC_BIND_NUMA},  {"package", MPIEXEC_BIND_NUMA}, {"l3cache", MPIEXEC_BIND_NUMA},
                 {"l1cache", MPIEXEC_BIND_CORE}, {"l2cache", MPIEXEC_BIND_CORE}, {"cpu", MPIEXEC_BIND_CORE},
                 {"rr", MPIEXEC_BIND_CORE},      {"cores", MPIEXEC_BIND_CORE},   {"threads", MPIEXEC_BIND_CORE},
                 {"sockets", MPIEXEC_BIND_NUMA}, {"ldoms", MPIEXEC_BIND_NUMA},   {"no", MPIEXEC_BIND_NONE}};
    static const char *const more[] = {"", ":1", ":overload-allowed", ":if-supported", NULL};
    size_t length = strcspn(word, ":");
    bool of_cores = !strncmp(word, "core:", 5) || !strncmp(word, "hwthread:", 9);
    if (!strcmp(word, "share")) {
        cursor->options->binding = MPIEXEC_BIND_CORE;
        cursor->options->cores = 0;
        return;
    }
    if (take_cores(cursor, of_cores ? word + length + 1 : word))
        return;
    if (!cursor->mapped)
        cursor->options->cores = 1;
    for (size_t i = 0; is_one_of(word + length, more) && i < sizeof known / sizeof known[0]; i++)
        if (strlen(known[i].word) == length && !strncmp(word, known[i].word, length)) {
            cursor->options->binding = known[i].binding;
            return;
        }
    refuse("%s is \"%s\"; it must be core, core:N, share, numa or none", option, word);
}

static void take_own(struct cursor *cursor, const char *option, const char *name);

/* An option of other launchers; one that has another name here is taken as that. */
static void take_foreign(struct cursor *cursor, const char *option, const char *name)
{
    struct mpiexec_foreign found;
    char *given[] = {cursor->attached, NULL};
    if (!tf_mpiexec_foreign(option, name, cursor->attached ? given : cursor->next, &found))
        refuse("there is no option %s", option);
    if (found.no)
        refuse("%s cannot be: %s", option, found.no);
    if (found.own) {
        struct cursor own = *cursor;
        own.attached = found.value ? (char *)found.value : cursor->attached;
        take_own(&own, option, found.own + 1);
        cursor->next = own.next;
        cursor->attached = found.value ? cursor->attached : own.attached;
    } else if (cursor->attached && found.values == 1)
        cursor->attached = NULL;
    else
        cursor->next += found.values;
}

static const char *const configs[] = {"configfile", "app", NULL};

/* `option` as the user has written it is our option `name`. */
static void take_own(struct cursor *cursor, const char *option, const char *name)
{
    static const char *const counts[] = {"n", "np", NULL}, *const tags[] = {"l", "prepend-rank", NULL};
    static const char *const wdirs[] = {"wdir", "wd", NULL}, *const helps[] = {"h", "help", NULL};
    static const char *const hosts[] = {"hosts", "host", "H", NULL}, *const each[] = {"ppn", "perhost", NULL};
    static const char *const goings[] = {"keep-going", "disable-auto-cleanup", NULL};
    static const char *const files[] = {"f", "hostfile", "machinefile", NULL}, *const says[] = {"v", "verbose", NULL};
    static const char *const all[] = {"N", "npernode", NULL};

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
    else if (!strcmp(name, "envnone"))
        cursor->app->bare = true;
    else if (!strcmp(name, "prepend-pattern"))
        cursor->options->prefix = take_pattern(cursor, option);
    else if (!strcmp(name, "stdin"))
        take_reader(cursor, option);
    else if (!strcmp(name, "report-pid"))
        cursor->options->pid = take(cursor, option, "a file, - or +");
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
    else if (!strcmp(name, "ppr"))
        take_resource(cursor, option, take(cursor, option, "the number of processes of each, and of what"));
    else if (!strcmp(name, "npersocket"))
        take_per_socket(cursor, option);
    else if (!strcmp(name, "output"))
        take_output(cursor, option);
    else if (!strcmp(name, "with-ft"))
        take_tolerance(cursor, option);
    else if (is_one_of(name, all))
        take_each(cursor, option);
    else if (!strcmp(name, "bind-to"))
        set_binding(cursor, option, take(cursor, option, "core, core:N, share, numa or none"));
    else if (!strcmp(name, "report-bindings"))
        cursor->options->report_bindings = true;
    else if (!strcmp(name, "aslr"))
        cursor->options->aslr = true;
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
    else if (is_one_of(name, configs))
        refuse("%s FILE stands alone: all other options and programs are in the file", option);
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

/* --timeout is -timeout, and --timeout=2 is --timeout 2. */
static void take_option(struct cursor *cursor, char *option)
{
    bool two = option[1] == '-';
    char *equal = two ? strchr(option, '=') : NULL;
    if (equal) {
        *equal = '\0';
        cursor->attached = equal + 1;
    }
    take_own(cursor, option, option + 1 + two);
    if (cursor->attached)
        refuse("%s takes no value, such as %s", option, cursor->attached);
}

/* One part up to a colon or the end. */
static void take_app(struct cursor *cursor)
{
    while (*cursor->next && (*cursor->next)[0] == '-' && strcmp(*cursor->next, "--")) {
        char *option = *cursor->next++;
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

/* The engine that may take our place has our number then. */
static void report_pid(const char *where)
{
    bool out = !strcmp(where, "-"), err = !strcmp(where, "+");
    FILE *file = out ? stdout : err ? stderr : fopen(where, "we");
    bool written = file && fprintf(file, "%ld\n", (long)getpid()) > 0 && fflush(file) == 0;
    if (!written) {
        fprintf(stderr, "mpiexec: cannot write its process number to \"%s\": %s\n", where, strerror(errno));
        exit(EXIT_FAILURE);
    }
    if (!out && !err)
        fclose(file);
}

/* One that is empty is none. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* As many as on each host, where no number is said. */
static void count_hosts(const struct mpiexec_options *options, struct mpiexec_app *app)
{
    long n = (long)options->ppn * (options->nhosts ? options->nhosts : 1);
    if (n > MOST_COUNT)
        refuse("%d processes on each of %d hosts are too many", options->ppn, options->nhosts);
    app->nprocs = (int)n;
}

void tf_mpiexec_parse(int argc, char **argv, struct mpiexec_options *options)
{
    struct cursor cursor = {.next = argv + (argc > 0), .options = options};
    long nprocs = 0;
    bool more;
    options->engine = variable("MPIEXEC_ENGINE");
    if (variable("MPIEXEC_TIMEOUT"))
        options->timeout = seconds("MPIEXEC_TIMEOUT", variable("MPIEXEC_TIMEOUT"));
    if (variable("MPIEXEC_GRACE"))
        options->grace = seconds("MPIEXEC_GRACE", variable("MPIEXEC_GRACE"));
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
            count_hosts(options, cursor.app);
        if (cursor.app->per && !cursor.app->counted)
            refuse("%s needs -n too, which says how many processes that is in all", cursor.app->per);
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
    if (options->reader >= options->nprocs)
        refuse("-stdin is %d; the last rank is %d", options->reader, options->nprocs - 1);
    if (options->pid)
        report_pid(options->pid);
}
