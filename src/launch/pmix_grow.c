/* pmix_grow.c - PMIx for jobs that grow: starting processes, and names of services.
 *
 * New processes find the port of their parent in their environment, together with the settings of their parent: what a
 * launcher passes on by itself differs from one to the other.
 */
#include "launch/pmix.h"
#include "launch/program.h"

#include <stdio.h>
#include <unistd.h>

#define PARENT "PARENT_ROOT_PORT_NAME"
#define SETTINGS "TREEFOLD_"

extern char **environ;

static char *parent; /* the port of who has started this job */

/* ---- lists of words ---- */

struct words {
    char **list; /* ends with NULL */
    size_t n;
    bool failed; /* no memory */
};

/* Takes `word`, which was allocated. */
static void add(struct words *words, char *word)
{
    char **more = word ? realloc(words->list, (words->n + 2) * sizeof *more) : NULL;
    if (!more) {
        words->failed = true;
        free(word);
        return;
    }
    words->list = more;
    more[words->n++] = word;
    more[words->n] = NULL;
}

static void free_words(char **list)
{
    for (char **word = list; word && *word; word++)
        free(*word);
    free(list);
}

/* NAME=VALUE, unless there is one of that name. */
static void add_variable(struct words *env, const char *text, size_t length)
{
    const char *sign = memchr(text, '=', length);
    if (!sign || sign == text)
        return;
    for (size_t i = 0; i < env->n; i++)
        if (strncmp(env->list[i], text, (size_t)(sign - text) + 1) == 0)
            return;
    add(env, strndup(text, length));
}

static char *joined(const char *one, const char *two)
{
    char *word = malloc(strlen(one) + strlen(two) + 1);
    return word ? strcat(strcpy(word, one), two) : NULL;
}

/* ---- what is to be started ---- */

static char **make_environment(const struct tf_launch_app *app, const char *port)
{
    struct words env = {0};
    const char *lines = tf_program_hint(app, "env"), *errhandler = tf_program_hint(app, "mpi_initial_errhandler");
    add(&env, joined(PARENT "=", port));
    if (errhandler)
        add(&env, joined(SETTINGS "INITIAL_ERRHANDLER=", errhandler));
    for (; lines && *lines; lines += strcspn(lines, "\n"), lines += *lines == '\n')
        add_variable(&env, lines, strcspn(lines, "\n"));
    for (char **variable = environ; *variable; variable++)
        if (strncmp(*variable, SETTINGS, strlen(SETTINGS)) == 0)
            add_variable(&env, *variable, strlen(*variable));
    if (!env.failed)
        return env.list;
    free_words(env.list);
    return NULL;
}

static char **make_arguments(const struct tf_launch_app *app)
{
    struct words words = {0};
    add(&words, strdup(app->command));
    for (char *const *word = app->argv; *word; word++)
        add(&words, strdup(*word));
    if (!words.failed)
        return words.list;
    free_words(words.list);
    return NULL;
}

static char *find_folder(const struct tf_launch_app *app)
{
    const char *folder = tf_program_hint(app, "wdir");
    return folder ? strdup(folder) : getcwd(NULL, 0);
}

static int make_app(pmix_app_t *to, const struct tf_launch_app *app, const char *port)
{
    const char *host = tf_program_hint(app, "host");
    int err = MPI_SUCCESS;
    *to = (pmix_app_t){.cmd = tf_program_find(app, &err),
                       .argv = make_arguments(app),
                       .env = make_environment(app, port),
                       .cwd = find_folder(app),
                       .maxprocs = app->nprocs};
    to->info = host ? calloc(1, sizeof *to->info) : NULL;
    if (!err && (!to->argv || !to->env || !to->cwd || (host && !to->info)))
        err = tf_error(MPI_ERR_NO_MEM, "no memory for the command that starts \"%s\"", app->command);
    if (to->info) {
        strcpy(to->info->key, PMIX_HOST);
        to->info->value = (pmix_value_t){.type = PMIX_STRING, .data.string = (char *)host};
        to->ninfo = 1;
    }
    return err;
}

static void free_apps(pmix_app_t *list, int n)
{
    for (int i = 0; i < n; i++) {
        free(list[i].cmd);
        free(list[i].cwd);
        free(list[i].info);
        free_words(list[i].argv);
        free_words(list[i].env);
    }
    free(list);
}

static int spawn_error(const struct tf_launch_app *apps, int napps, pmix_status_t status)
{
    const char *host = tf_program_hint(apps, "host");
    if (status == PMIX_ERR_NOT_SUPPORTED)
        return tf_error(MPI_ERR_SPAWN,
                        "this PMIx server starts no further processes; Treefold's mpiexec, srun --mpi=pmi2, Hydra, "
                        "prterun and Open MPI's mpirun do");
    return tf_error(MPI_ERR_SPAWN, "the PMIx server could not start %d of \"%s\"%s%s%s: %s (%d)", apps->nprocs,
                    apps->command, host ? " on " : "", host ? host : "", napps > 1 ? ", and more" : "",
                    tf_pmix.PMIx_Error_string(status), (int)status);
}

int tf_pmix_spawn(const struct tf_launch_app *apps, int napps, const char *port, char *job, size_t capacity)
{
    pmix_nspace_t name = "";
    pmix_app_t *list = calloc((size_t)napps, sizeof *list);
    int err = list ? MPI_SUCCESS : tf_error(MPI_ERR_NO_MEM, "no memory for the start of %d programs", napps);
    for (int i = 0; i < napps && !err; i++)
        err = make_app(&list[i], &apps[i], port);
    pmix_status_t status = err ? PMIX_SUCCESS : tf_pmix.PMIx_Spawn(NULL, 0, list, (size_t)napps, name);
    if (list)
        free_apps(list, napps);
    snprintf(job, capacity, "%s", name);
    return err || status == PMIX_SUCCESS ? err : spawn_error(apps, napps, status);
}

/* Not every server says who was spawned.  What a process starts after this is nobody's child. */
void tf_pmix_take_parent(void)
{
    const char *port = getenv(PARENT);
    free(parent);
    parent = port ? strdup(port) : NULL;
    unsetenv(PARENT);
}

bool tf_pmix_parent(char *port, size_t capacity)
{
    if (!parent || strlen(parent) >= capacity)
        return false;
    strcpy(port, parent);
    return true;
}

/* ---- names ---- */

static int name_error(const char *what, const char *service, pmix_status_t status)
{
    return tf_error(MPI_ERR_SERVICE,
                    "the PMIx server could not %s the service \"%s\": %s (%d); TREEFOLD_NAMES=DIRECTORY keeps names in "
                    "files",
                    what, service, tf_pmix.PMIx_Error_string(status), (int)status);
}

/* Names of the library and of other programs are apart. */
static int make_key(const char *service, pmix_key_t key)
{
    if ((size_t)snprintf(key, sizeof(pmix_key_t), "treefold:%s", service) < sizeof(pmix_key_t))
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_SERVICE, "the name of the service has %zu characters, which are too many for PMIx",
                    strlen(service));
}

static pmix_status_t look_up_name(const pmix_key_t key, pmix_pdata_t *found)
{
    *found = (pmix_pdata_t){0};
    strcpy(found->key, key);
    pmix_status_t status = tf_pmix.PMIx_Lookup(found, 1, NULL, 0);
    if (status == PMIX_SUCCESS && (found->value.type != PMIX_STRING || !found->value.data.string))
        return PMIX_ERR_NOT_FOUND;
    return status;
}

/* Servers take a name twice. */
int tf_pmix_publish(const char *service, const char *port)
{
    pmix_info_t info = {.value = {.type = PMIX_STRING, .data.string = (char *)port}};
    pmix_pdata_t found;
    int err = make_key(service, info.key);
    if (err)
        return err;
    pmix_status_t status = look_up_name(info.key, &found);
    if (status == PMIX_SUCCESS) {
        free(found.value.data.string);
        return tf_error(MPI_ERR_SERVICE, "the service \"%s\" cannot be published: that name is taken already", service);
    }
    if (status == PMIX_ERR_NOT_FOUND)
        status = tf_pmix.PMIx_Publish(&info, 1);
    return status == PMIX_SUCCESS ? MPI_SUCCESS : name_error("publish", service, status);
}

int tf_pmix_unpublish(const char *service)
{
    pmix_key_t key;
    pmix_pdata_t found;
    int err = make_key(service, key);
    if (err)
        return err;
    pmix_status_t status = look_up_name(key, &found);
    if (status == PMIX_ERR_NOT_FOUND)
        return tf_error(MPI_ERR_SERVICE, "the service \"%s\" was not published", service);
    if (status == PMIX_SUCCESS) {
        free(found.value.data.string);
        status = tf_pmix.PMIx_Unpublish((char *[]){key, NULL}, NULL, 0);
    }
    return status == PMIX_SUCCESS ? MPI_SUCCESS : name_error("unpublish", service, status);
}

int tf_pmix_lookup(const char *service, char *port, size_t capacity)
{
    pmix_key_t key;
    pmix_pdata_t found;
    int err = make_key(service, key);
    if (err)
        return err;
    pmix_status_t status = look_up_name(key, &found);
    if (status == PMIX_ERR_NOT_FOUND)
        return tf_error(MPI_ERR_NAME, "no service \"%s\" is published", service);
    if (status != PMIX_SUCCESS)
        return name_error("look up", service, status);
    if (strlen(found.value.data.string) < capacity)
        strcpy(port, found.value.data.string);
    else
        err = tf_error(MPI_ERR_NAME, "the port of the service \"%s\" is longer than %zu characters", service,
                       capacity - 1);
    free(found.value.data.string);
    return err;
}
