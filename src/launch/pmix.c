/* pmix.c - the client of PMIx, by libpmix, which is opened only where a PMIx launcher has started this process:
 * Slurm's srun --mpi=pmix, PRRTE's prterun and prun, Open MPI's mpirun.
 *
 * What a process puts is kept by the server of its node.  A barrier is a fence that collects it, after which a look-up
 * is answered by the server of this node, from memory that it shares where it can.  A look-up for what was not
 * collected goes to the server of the process that it is of ("direct modex"), and waits until that one has committed
 * it: so some processes of a job find each other without the others.  What jobs that grow need is in pmix_grow.c.
 */
#include "launch/client.h"

#define WHAT "srun --mpi=pmix, prterun, Open MPI's mpirun"

static bool is_there(void)
{
    return getenv("PMIX_NAMESPACE") && getenv("PMIX_RANK");
}

/* PMIx itself tells the size only when it is initialised.  mpirun may have used srun to start its daemons. */
static int size_told(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"};
    int size = 0;
    for (size_t i = 0; i < TF_ARRAY_LEN(variables) && size < 1; i++)
        size = getenv(variables[i]) ? atoi(getenv(variables[i])) : 0;
    return size < 1 ? 1 : size;
}

#ifdef TF_HAVE_PMIX

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>

#include "launch/pmix.h"

struct tf_pmix tf_pmix;
static const char *const names[] = {TF_PMIX_FUNCTIONS(TF_LIBRARY_NAME) NULL};

static void *library;
static char job[PMIX_MAX_NSLEN + 1];
pmix_proc_t tf_pmix_self;

static int failed(const char *what, pmix_status_t status)
{
    return tf_error(MPI_ERR_OTHER, "the PMIx server of this node could not %s: %s (%d)", what,
                    tf_pmix.PMIx_Error_string(status), (int)status);
}

static int open_library(void)
{
    const char *why;
    library = tf_library_open(TF_PMIX_LIBRARY, names, &tf_pmix, &why);
    if (library)
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_OTHER,
                    "a PMIx launcher has started this process (PMIX_RANK is %s), but %s. Install libpmix 3 or later "
                    "(Debian: libpmix2), or start the program with Treefold's mpiexec or srun --mpi=pmi2",
                    getenv("PMIX_RANK"), why);
}

pmix_value_t *tf_pmix_look_up(pmix_rank_t rank, const char *key, pmix_data_type_t type, pmix_status_t *status)
{
    pmix_proc_t proc = tf_pmix_self;
    pmix_value_t *value = NULL;
    proc.rank = rank;
    *status = tf_pmix.PMIx_Get(&proc, key, NULL, 0, &value);
    if (*status != PMIX_SUCCESS)
        return NULL;
    if (value && value->type == type && (type != PMIX_STRING || value->data.string))
        return value;
    *status = PMIX_ERR_TYPE_MISMATCH;
    return NULL;
}

static int take_size(void)
{
    pmix_status_t status;
    pmix_value_t *value = tf_pmix_look_up(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, PMIX_UINT32, &status);
    if (!value)
        return failed("tell the number of processes", status);
    uint32_t size = value->data.uint32;
    free(value);
    if (size < 1 || size > INT32_MAX || tf_pmix_self.rank >= size)
        return tf_error(MPI_ERR_OTHER, "the PMIx server says that this is rank %u of %u processes", tf_pmix_self.rank,
                        size);
    tf_job.rank = (int)tf_pmix_self.rank;
    tf_job.size = (int)size;
    return MPI_SUCCESS;
}

/* In a thread of libpmix's: nothing of it may be called. */
static void end_with_server(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                            size_t ninfo, pmix_info_t results[], size_t nresults,
                            pmix_event_notification_cbfunc_fn_t done, void *object)
{
    (void)id, (void)status, (void)source, (void)info, (void)ninfo, (void)results, (void)nresults, (void)done;
    (void)object;
    tf_fatal_tell = NULL;
    tf_fatal(1, "treefold[%d]: the launcher, or what it had on this node, has ended: so does this process",
             tf_job.rank);
}

/* Who is gone cannot end the job any more. */
static void watch_server(void)
{
    /* As the versions from 4 on say it, and as those before did (PMIX_ERR_LOST_CONNECTION_TO_SERVER). */
    pmix_status_t lost[] = {PMIX_ERR_LOST_CONNECTION, -101};
    tf_pmix.PMIx_Register_event_handler(lost, TF_ARRAY_LEN(lost), NULL, 0, end_with_server, NULL, NULL);
}

static int open_pmix(void)
{
    int err = open_library();
    if (err)
        return err;
    pmix_status_t status = tf_pmix.PMIx_Init(&tf_pmix_self, NULL, 0);
    if (status != PMIX_SUCCESS)
        return tf_error(MPI_ERR_OTHER,
                        "cannot reach the PMIx server that started this process (PMIX_NAMESPACE is %s, PMIX_RANK %s): "
                        "%s, says %s. Has the launcher ended? Unset PMIX_NAMESPACE to run the program alone",
                        getenv("PMIX_NAMESPACE"), getenv("PMIX_RANK"), tf_pmix.PMIx_Error_string(status),
                        tf_pmix.PMIx_Get_version());
    err = take_size();
    if (err)
        return err;
    strcpy(job, tf_pmix_self.nspace);
    for (char *slash = job; (slash = strchr(slash, '/'));)
        *slash = '_'; /* it becomes part of names of files */
    tf_job.name = job;
    tf_log(2, "process manager: %s", tf_pmix.PMIx_Get_version());
    /* A program that this one starts is not a rank of this job. */
    unsetenv("PMIX_RANK");
    watch_server();
    tf_pmix_take_parent();
    return MPI_SUCCESS;
}

static const char *here(void)
{
    static char words[300];
    const char *why;
    void *opened = tf_library_open(TF_PMIX_LIBRARY, names, &tf_pmix, &why);
    snprintf(words, sizeof words, "%s%s", opened ? "here: " : "not here: ", opened ? tf_pmix.PMIx_Get_version() : why);
    if (opened)
        dlclose(opened);
    return words;
}

static int put(const char *key, const char *text)
{
    pmix_value_t value = {.type = PMIX_STRING, .data.string = (char *)text};
    pmix_status_t status = tf_pmix.PMIx_Put(PMIX_GLOBAL, key, &value);
    return status == PMIX_SUCCESS ? MPI_SUCCESS : failed("take a value", status);
}

static int get(int rank, const char *key, char *text, size_t capacity)
{
    pmix_status_t status;
    pmix_value_t *value = tf_pmix_look_up((pmix_rank_t)rank, key, PMIX_STRING, &status);
    if (!value)
        return tf_error(MPI_ERR_OTHER, "the PMIx server of this node has no \"%s\" of rank %d: %s", key, rank,
                        tf_pmix.PMIx_Error_string(status));
    int err = MPI_SUCCESS;
    if (strlen(value->data.string) < capacity)
        strcpy(text, value->data.string);
    else
        err = tf_error(MPI_ERR_OTHER, "the value of \"%s\" is longer than %zu characters: \"%s\"", key, capacity - 1,
                       value->data.string);
    free(value->data.string);
    free(value);
    return err;
}

static int show(void)
{
    pmix_status_t status = tf_pmix.PMIx_Commit();
    return status == PMIX_SUCCESS ? MPI_SUCCESS : failed("take what this process publishes", status);
}

/* A question that is under way, or was answered.  They stay: libpmix answers in a thread of its own, and looks at
 * process and key there. */
struct question {
    struct question *next;
    pmix_proc_t of;
    char key[64];
    _Atomic bool answered;
};

static void hear(pmix_status_t status, pmix_value_t *value, void *data)
{
    (void)status, (void)value; /* get() asks again */
    atomic_store(&((struct question *)data)->answered, true);
}

static bool has(int rank, const char *key)
{
    static struct question *questions;
    struct question *q = questions;
    while (q && (q->of.rank != (pmix_rank_t)rank || strcmp(q->key, key)))
        q = q->next;
    if (q)
        return atomic_load(&q->answered);
    q = calloc(1, sizeof *q);
    if (!q)
        return true; /* who looks up then waits there */
    *q = (struct question){.next = questions, .of = tf_pmix_self};
    q->of.rank = (pmix_rank_t)rank;
    snprintf(q->key, sizeof q->key, "%s", key);
    questions = q;
    if (tf_pmix.PMIx_Get_nb(&q->of, q->key, NULL, 0, hear, q) != PMIX_SUCCESS)
        atomic_store(&q->answered, true);
    return atomic_load(&q->answered);
}

static int barrier(void)
{
    pmix_info_t collect = {.key = PMIX_COLLECT_DATA, .value = {.type = PMIX_BOOL, .data.flag = true}};
    pmix_proc_t all = tf_pmix_self;
    all.rank = PMIX_RANK_WILDCARD;
    pmix_status_t status = tf_pmix.PMIx_Commit();
    if (status == PMIX_SUCCESS)
        status = tf_pmix.PMIx_Fence(&all, 1, &collect, 1);
    return status == PMIX_SUCCESS ? MPI_SUCCESS : failed("gather all processes", status);
}

static bool knows(enum tf_launch_fact fact, int *number)
{
    bool size = fact == TF_LAUNCH_UNIVERSE_SIZE;
    pmix_status_t status;
    pmix_value_t *value = tf_pmix_look_up(size ? PMIX_RANK_WILDCARD : tf_pmix_self.rank,
                                          size ? PMIX_UNIV_SIZE : PMIX_APPNUM, PMIX_UINT32, &status);
    if (!value)
        return false;
    *number = (int)value->data.uint32;
    free(value);
    return *number >= (size ? 1 : 0);
}

static void abort_pmix(int exit_code, const char *message)
{
    tf_pmix.PMIx_Abort(exit_code, message, NULL, 0);
}

static int close_pmix(void)
{
    pmix_status_t status = tf_pmix.PMIx_Finalize(NULL, 0);
    dlclose(library);
    return status == PMIX_SUCCESS ? MPI_SUCCESS : failed("let this process go", status);
}

const struct tf_launch_client tf_launch_pmix = {
    .name = "pmix",
    .what = WHAT,
    .here = here,
    .is_there = is_there,
    .size = size_told,
    .open = open_pmix,
    .put = put,
    .get = get,
    .barrier = barrier,
    .show = show,
    .has = has,
    .knows = knows,
    .psets = tf_pmix_psets,
    .abort = abort_pmix,
    .close = close_pmix,
    .spawn = tf_pmix_spawn,
    .parent = tf_pmix_parent,
    .publish = tf_pmix_publish,
    .unpublish = tf_pmix_unpublish,
    .lookup = tf_pmix_lookup,
};

#else

/* N separate jobs of one process are not what who started N processes means. */
static int open_nothing(void)
{
    return tf_error(MPI_ERR_OTHER,
                    "a PMIx launcher has started this process (PMIX_RANK is %s), but this Treefold was built without "
                    "PMIx. Start the program with Treefold's mpiexec or srun --mpi=pmi2, or build Treefold with "
                    "pmix.h (Debian: libpmix-dev); unset PMIX_RANK to run the program alone",
                    getenv("PMIX_RANK"));
}

static const char *here(void)
{
    return "not here: built without pmix.h";
}

const struct tf_launch_client tf_launch_pmix = {
    .name = "pmix",
    .what = WHAT,
    .here = here,
    .is_there = is_there,
    .size = size_told,
    .open = open_nothing,
};

#endif
