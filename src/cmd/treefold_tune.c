/* treefold_tune.c - treefold tune: measures the algorithms of this machine's collectives and writes rules of selection,
 * or checks those in force.
 *
 * One job for each number of ranks (tune_ranks.c), one after the other, started by mpiexec; their lines are read from a
 * pipe.
 */
#include "cmd/installed.h"
#include "cmd/treefold.h"
#include "cmd/tune.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/settings.h"

static const char usage[] =
    "Usage: treefold tune [OPTION...]\n"
    "\n"
    "Measures the algorithms of collectives on this machine, which should be idle, and writes rules of selection "
    "where\n"
    "another algorithm than the default is faster. 'TREEFOLD_RULES=FILE mpiexec ...' then uses them.\n"
    "\n"
    "  -n RANKS              numbers of ranks, as 2,4,8 (powers of two up to four times the processors, but not above "
    "16)\n"
    "  --collectives LIST    as bcast,allreduce (all whose algorithm may go by bytes)\n"
    "  --max-bytes N         the largest size (512K)\n"
    "  --min-bytes N         the smallest (8); each size is four times the one before\n"
    "  --time SECONDS        of measuring, about (0.7 for each size of each collective and number of ranks)\n"
    "  --margin R            a rule is written where the default takes more than R times the best's time (1.1)\n"
    "  --all                 write the default's algorithms too\n"
    "  -o FILE               write the rules there (standard output)\n"
    "  --check               print the default's time by the best's instead; the exit status is 1 if the worst of "
    "these\n"
    "                        ratios is above the target\n"
    "  --target R            (1.3)\n";

static const enum tf_coll measurable[] = {
    TF_BARRIER,        TF_BCAST,    TF_GATHER, TF_SCATTER,   TF_ALLGATHER,
    TF_ALLGATHERV,     TF_ALLTOALL, TF_REDUCE, TF_ALLREDUCE, TF_REDUCE_SCATTER_BLOCK,
    TF_REDUCE_SCATTER, TF_SCAN,     TF_EXSCAN};

enum { MOST_COUNTS = 16, MOST_CASES = 600, TIMES = 4, CASES_FROM = 6 /* the arguments before them */ };

static const double SECONDS_A_CASE = 0.7;

struct request {
    int counts[MOST_COUNTS], ncounts;
    bool chosen[TF_NCOLL];
    size_t least, most;
    double seconds; /* 0: SECONDS_A_CASE */
    double margin, target;
    bool check, all;
    const char *path;
};

static void refuse(const char *format, ...) TF_PRINTF(1, 2) __attribute__((noreturn));
static void refuse(const char *format, ...)
{
    va_list args;
    fflush(stdout);
    fputs("treefold tune: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(2);
}

/* ---- the command line ---- */

static double amount(const char *option, const char *text, double least)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= least && value < 1e9))
        refuse("--%s is \"%s\"; it must be a number of at least %g and below 1e9", option, text, least);
    return value;
}

static size_t bytes_of(const char *option, const char *text)
{
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    int shift = toupper((unsigned char)*end) == 'K' ? 10 : toupper((unsigned char)*end) == 'M' ? 20 : 0;
    if (!isdigit((unsigned char)*text) || end[shift != 0] || value == 0 ||
        value > (unsigned long long)(1 << 30) >> shift)
        refuse("--%s is \"%s\"; it must be a number of bytes from 1 to 1024M, such as 8, 64K or 1M", option, text);
    return (size_t)value << shift;
}

static void take_counts(struct request *q, char *text)
{
    char *rest;
    q->ncounts = 0;
    for (char *word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        char *end;
        long value = strtol(word, &end, 10);
        if (*end || value < 2 || value > 1024)
            refuse("-n names \"%s\"; it must be a number of ranks from 2 to 1024", word);
        if (q->ncounts == MOST_COUNTS)
            refuse("-n names more than %d numbers of ranks", MOST_COUNTS);
        q->counts[q->ncounts++] = (int)value;
    }
    if (q->ncounts == 0)
        refuse("-n names no number of ranks");
}

static bool is_measurable(enum tf_coll coll)
{
    for (size_t i = 0; i < TF_ARRAY_LEN(measurable); i++)
        if (measurable[i] == coll)
            return true;
    return false;
}

static void take_collectives(struct request *q, char *text)
{
    char *rest, known[400] = "";
    for (size_t i = 0; i < TF_ARRAY_LEN(measurable); i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                 tf_coll_name(measurable[i]));
    for (char *word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        int c = 0;
        while (c < TF_NCOLL && !(strcmp(word, tf_coll_name((enum tf_coll)c)) == 0 && is_measurable((enum tf_coll)c)))
            c++;
        if (c == TF_NCOLL)
            refuse("--collectives names \"%s\"; there are %s", word, known);
        q->chosen[c] = true;
    }
}

static int processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

static void fill_in(struct request *q)
{
    bool any = false;
    for (int c = 0; c < TF_NCOLL; c++)
        any |= q->chosen[c];
    for (size_t i = 0; i < TF_ARRAY_LEN(measurable) && !any; i++)
        q->chosen[measurable[i]] = true;
    if (q->ncounts == 0)
        for (int n = 2; n <= TIMES * processors() && n <= 16; n *= 2)
            q->counts[q->ncounts++] = n;
    if (q->least > q->most)
        refuse("--min-bytes is above --max-bytes");
}

static struct request parse(int argc, char **argv)
{
    enum { COLLECTIVES = 1, MAX_BYTES, MIN_BYTES, TIME, MARGIN, ALL, CHECK, TARGET, HELP };
    static const struct option options[] = {{"collectives", required_argument, NULL, COLLECTIVES},
                                            {"max-bytes", required_argument, NULL, MAX_BYTES},
                                            {"min-bytes", required_argument, NULL, MIN_BYTES},
                                            {"time", required_argument, NULL, TIME},
                                            {"margin", required_argument, NULL, MARGIN},
                                            {"all", no_argument, NULL, ALL},
                                            {"check", no_argument, NULL, CHECK},
                                            {"target", required_argument, NULL, TARGET},
                                            {"help", no_argument, NULL, HELP},
                                            {NULL, 0, NULL, 0}};
    struct request q = {.least = 8, .most = 512 << 10, .margin = 1.1, .target = 1.3};
    static char name[] = "treefold tune";
    int id;
    argv[0] = name;
    while ((id = getopt_long(argc, argv, "n:o:h", options, NULL)) != -1) {
        switch (id) {
        case 'n':
            take_counts(&q, optarg);
            break;
        case 'o':
            q.path = optarg;
            break;
        case COLLECTIVES:
            take_collectives(&q, optarg);
            break;
        case MAX_BYTES:
            q.most = bytes_of("max-bytes", optarg);
            break;
        case MIN_BYTES:
            q.least = bytes_of("min-bytes", optarg);
            break;
        case TIME:
            q.seconds = amount("time", optarg, 0.1);
            break;
        case MARGIN:
            q.margin = amount("margin", optarg, 1);
            break;
        case TARGET:
            q.target = amount("target", optarg, 1);
            break;
        case ALL:
            q.all = true;
            break;
        case CHECK:
            q.check = true;
            break;
        case 'h':
        case HELP:
            fputs(usage, stdout);
            exit(EXIT_SUCCESS);
        default: /* getopt_long() has said why */
            fputs("'treefold tune --help' tells more\n", stderr);
            exit(2);
        }
    }
    if (optind < argc)
        refuse("\"%s\" is no option", argv[optind]);
    fill_in(&q);
    return q;
}

/* ---- one job ---- */

/* mpiexec -n RANKS tune_ranks SECONDS MARGIN CASE... */
struct command {
    char text[CASES_FROM + MOST_CASES + 1][64], *argv[CASES_FROM + MOST_CASES + 1];
    int argc;
};

static void say(struct command *c, const char *format, ...) TF_PRINTF(2, 3);
static void say(struct command *c, const char *format, ...)
{
    va_list args;
    if (c->argc == CASES_FROM + MOST_CASES)
        refuse("there are more than %d cases; fewer collectives or sizes may be asked for", MOST_CASES);
    va_start(args, format);
    vsnprintf(c->text[c->argc], sizeof c->text[0], format, args);
    va_end(args);
    c->argv[c->argc] = c->text[c->argc];
    c->argc++;
}

static const char *mpiexec, *program;

static void find_programs(void)
{
    static char moved[2][PATH_MAX];
    mpiexec = tf_installed(TF_BINDIR "/mpiexec", moved[0]);
    program = tf_installed(TF_LIBEXECDIR "/treefold/tune_ranks", moved[1]);
    if (access(program, X_OK))
        refuse("%s, which measures, is not there; Treefold is not installed", program);
}

static void say_cases(const struct request *q, int ranks, enum tf_coll coll, struct command *c)
{
    /* An element for everybody. */
    size_t parts = coll == TF_REDUCE_SCATTER || coll == TF_REDUCE_SCATTER_BLOCK ? (size_t)ranks : 1;
    if (coll == TF_BARRIER)
        say(c, "%s:0", tf_coll_name(coll));
    for (size_t bytes = q->least; coll != TF_BARRIER && bytes <= q->most; bytes *= 4)
        if (bytes >= parts * sizeof(double))
            say(c, "%s:%zu", tf_coll_name(coll), bytes);
}

static void command_for(const struct request *q, int ranks, struct command *c)
{
    c->argc = 0;
    c->argv[c->argc++] = (char *)mpiexec;
    say(c, "-n");
    say(c, "%d", ranks);
    c->argv[c->argc++] = (char *)program;
    char *seconds = c->text[c->argc];
    say(c, "%g", q->seconds / q->ncounts);
    say(c, "%g", q->check ? q->target : q->margin);
    for (size_t i = 0; i < TF_ARRAY_LEN(measurable); i++)
        if (q->chosen[measurable[i]])
            say_cases(q, ranks, measurable[i], c);
    if (c->argc == CASES_FROM)
        refuse("nothing is left to measure on %d ranks; larger sizes may be asked for", ranks);
    if (q->seconds == 0)
        snprintf(seconds, sizeof c->text[0], "%g", SECONDS_A_CASE * (c->argc - CASES_FROM));
    c->argv[c->argc] = NULL;
}

static FILE *start(struct command *c, const struct request *q, pid_t *pid)
{
    int ends[2];
    if (pipe(ends))
        refuse("no pipe can be made: %s", strerror(errno));
    *pid = fork();
    if (*pid < 0)
        refuse("no process can be started: %s", strerror(errno));
    if (*pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        /* New rules are to be better than the shipped ones, not than those of the last time. */
        if (!q->check) {
            unsetenv("TREEFOLD_RULES");
            unsetenv("TREEFOLD_ALGORITHM");
        }
        execv(mpiexec, c->argv);
        fprintf(stderr, "treefold tune: %s cannot be run: %s\n", mpiexec, strerror(errno));
        _exit(127);
    }
    close(ends[1]);
    return fdopen(ends[0], "r");
}

static void run(const struct request *q, int ranks, struct tf_tune_results *results)
{
    static struct command command;
    int status = 0;
    pid_t pid;
    char *line = NULL;
    size_t cap = 0;
    command_for(q, ranks, &command);
    FILE *lines = start(&command, q, &pid);
    enum tf_coll before = TF_NCOLL;
    while (lines && getline(&line, &cap, lines) > 0) {
        if (!tf_tune_take(results, ranks, line))
            refuse("a job of %d ranks printed what is no figure: %s", ranks, line);
        enum tf_coll coll = results->cell[results->ncells - 1].coll;
        if (coll != before)
            fprintf(stderr, "%d ranks: %s\n", ranks, tf_coll_name(coll));
        before = coll;
    }
    free(line);
    if (lines)
        fclose(lines);
    if (waitpid(pid, &status, 0) != pid || status != 0)
        refuse("the job of %d ranks failed", ranks);
}

/* ---- the answer ---- */

static void describe(FILE *out, const struct tf_tune_results *results)
{
    char line[200], model[160] = "";
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && !*model && fgets(line, sizeof line, f))
        sscanf(line, "model name : %159[^\n]", model);
    if (f)
        fclose(f);
    fprintf(out,
            "# Rules of selection for Treefold, measured by 'treefold tune' on %d processor%s%s%s.\n"
            "# They go before the shipped ones: TREEFOLD_RULES=THIS_FILE.  Times are medians; sums of doubles.\n",
            results->processors, results->processors == 1 ? "" : "s", *model ? ", " : "", model);
}

static FILE *open_output(const struct request *q)
{
    FILE *out = q->path ? fopen(q->path, "w") : stdout;
    if (!out)
        refuse("\"%s\" cannot be written: %s", q->path, strerror(errno));
    return out;
}

int tf_cmd_tune(int argc, char **argv)
{
    struct request q = parse(argc, argv);
    struct tf_tune_results results = {.processors = processors()};
    int status = EXIT_SUCCESS;
    find_programs();
    FILE *out = open_output(&q);
    tf_settings_load(true);
    results.node_size = (int)tf_settings.node_size;
    for (int i = 0; i < q.ncounts; i++)
        run(&q, q.counts[i], &results);
    tf_tune_sort(&results);
    if (q.check) {
        status = tf_tune_check(&results, out, q.target) > q.target ? EXIT_FAILURE : EXIT_SUCCESS;
    } else {
        describe(out, &results);
        tf_tune_write(&results, out, q.margin, q.all);
    }
    if (fflush(out) || ferror(out))
        refuse("\"%s\" cannot be written: %s", q.path ? q.path : "standard output", strerror(errno));
    if (q.path)
        fclose(out);
    tf_tune_free(&results);
    return status;
}
