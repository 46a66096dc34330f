/* singleton.c - a program started alone: rank 0 of 1, which needs nobody. */
#include "launch/client.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

struct pair {
    struct pair *next;
    char *value;
    char key[];
};
static struct pair *pairs;
static char job[48];

static bool is_there(void)
{
    return true;
}

static int size_alone(void)
{
    return 1;
}

/* N separate jobs of one process are seldom meant. */
static void warn(void)
{
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS"), *place = getenv("SLURM_PROCID"),
               *mpi = getenv("SLURM_MPI_TYPE");
    if (tasks && place && atoi(tasks) > 1 && atoi(place) == 0)
        fprintf(stderr,
                "treefold: srun has started %s processes with --mpi=%s, so each of them runs alone; use srun "
                "--mpi=pmix or --mpi=pmi2\n",
                tasks, mpi ? mpi : "none");
}

static int open_alone(void)
{
    warn();
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(job, sizeof job, "%ld-%llx", (long)getpid(), (unsigned long long)now.tv_sec * 1000000000 + now.tv_nsec);
    tf_job.rank = 0;
    tf_job.size = 1;
    tf_job.name = job;
    return MPI_SUCCESS;
}

static int put(const char *key, const char *value)
{
    struct pair *pair = tf_alloc(sizeof *pair + strlen(key) + strlen(value) + 2, "a published value");
    if (!pair)
        return MPI_ERR_NO_MEM;
    strcpy(pair->key, key);
    pair->value = strcpy(pair->key + strlen(key) + 1, value);
    pair->next = pairs;
    pairs = pair;
    return MPI_SUCCESS;
}

static int get(int rank, const char *key, char *value, size_t capacity)
{
    (void)rank;
    const struct pair *pair = pairs;
    while (pair && strcmp(pair->key, key))
        pair = pair->next;
    if (!pair)
        return tf_error(MPI_ERR_INTERN, "nobody has published \"%s\"", key);
    if (strlen(pair->value) >= capacity)
        return tf_error(MPI_ERR_INTERN, "the value of \"%s\" is longer than %zu characters", key, capacity - 1);
    strcpy(value, pair->value);
    return MPI_SUCCESS;
}

static int nothing(void)
{
    return MPI_SUCCESS;
}

static void abort_alone(int exit_code, const char *message)
{
    (void)exit_code;
    (void)message;
}

static int close_alone(void)
{
    while (pairs) {
        struct pair *next = pairs->next;
        free(pairs);
        pairs = next;
    }
    return MPI_SUCCESS;
}

const struct tf_launch_client tf_launch_singleton = {
    .name = "singleton",
    .what = "a program started alone",
    .is_there = is_there,
    .size = size_alone,
    .open = open_alone,
    .put = put,
    .get = get,
    .barrier = nothing,
    .abort = abort_alone,
    .close = close_alone,
    .reopen = nothing,
};
