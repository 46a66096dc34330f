/* launch.c - chooses the client of a process manager by the environment; everything else is passed to it. */
#include "launch/client.h"
#include "launch/deaths.h"
#include "launch/psets.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Asked in this order; the last one is always there.  PMI-1 comes first: its open socket is a gift of whoever started
 * this very process, while variables of PMIx may be those of an srun that started the launcher's daemons. */
static const struct tf_launch_client *const clients[] = {&tf_launch_pmi1, &tf_launch_pmix, &tf_launch_singleton};
static const struct tf_launch_client *client, *former; /* of before the end */
static struct {
    enum { NOT_ASKED, KNOWN, UNKNOWN } state;
    int value;
} facts[TF_LAUNCH_FACTS];
static bool knows_psets;

static const struct tf_launch_client *first_there(void)
{
    size_t i = 0;
    while (!clients[i]->is_there())
        i++;
    return clients[i];
}

int tf_launch_size(void)
{
    return client ? tf_job.size : first_there()->size();
}

/* A process that the program has started by itself has the variable too, and no manager. */
int tf_launch_asked(void)
{
    const struct tf_launch_client *of = client ? client : first_there();
    const char *told = of == &tf_launch_pmi1 ? getenv(TF_ASKED_VARIABLE) : NULL;
    return told ? atoi(told) : tf_launch_size();
}

static int no_job(const char *what)
{
    return tf_error(MPI_ERR_OTHER, "cannot %s: this process is no part of its job, or no longer", what);
}

bool tf_launch_returns(void)
{
    return client && client->reopen && (!client->has_memory || client->has_memory());
}

int tf_launch_reopen(void)
{
    if (client)
        return MPI_SUCCESS;
    if (!former->reopen)
        return tf_error(MPI_ERR_OTHER,
                        "the launcher (%s) was told that this process had come to its end, and takes it for the last "
                        "word; only Treefold's mpiexec takes a process back, for a session after MPI_Finalize or after "
                        "the last session",
                        former->what);
    int err = former->reopen();
    if (!err)
        client = former;
    return err;
}

int tf_launch_open(void)
{
    const struct tf_launch_client *found = first_there();
    int err = found->open();
    if (err)
        return err;
    client = found;
    tf_launch_deaths_open();
    memset(facts, 0, sizeof facts);
    tf_fatal_tell = tf_launch_abort;
    tf_job.id = tf_launch_hash(TF_LAUNCH_HASH, tf_job.name);
    return MPI_SUCCESS;
}

uint64_t tf_launch_hash(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
    return hash;
}

int tf_launch_put(const char *key, const char *value)
{
    if (strlen(value) > TF_LAUNCH_VALUE || strpbrk(value, " =;\n"))
        return tf_error(MPI_ERR_INTERN,
                        "cannot publish \"%s\": a value has at most %d characters, none a space, '=' or ';'", value,
                        TF_LAUNCH_VALUE);
    return client ? client->put(key, value) : no_job("publish a value");
}

int tf_launch_get(int rank, const char *key, char *value, size_t capacity)
{
    if (!client) /* before the start or after the end, for the words of a last message */
        return tf_error(MPI_ERR_OTHER, "cannot look up %s: there is no job", key);
    return client->get(rank, key, value, capacity);
}

int tf_launch_barrier(void)
{
    return client ? client->barrier() : no_job("wait for the other processes");
}

int tf_launch_barrier_begin(void)
{
    return client && client->barrier_begin ? client->barrier_begin() : tf_launch_barrier();
}

bool tf_launch_barrier_is_over(int *err)
{
    return client && client->barrier_is_over ? client->barrier_is_over(err) : true;
}

bool tf_launch_shows(void)
{
    return client && client->show;
}

int tf_launch_show(void)
{
    return client ? client->show() : no_job("publish its values");
}

bool tf_launch_has(int rank, const char *key)
{
    return !client || !client->has || client->has(rank, key);
}

bool tf_launch_knows(enum tf_launch_fact fact, int *value)
{
    if (facts[fact].state == NOT_ASKED && client)
        facts[fact].state = client->knows && client->knows(fact, &facts[fact].value) ? KNOWN : UNKNOWN;
    *value = facts[fact].value;
    return facts[fact].state == KNOWN;
}

const struct tf_launch_pset *tf_launch_pset(int i)
{
    if (!knows_psets && client && client->psets)
        client->psets();
    knows_psets = true;
    return tf_launch_psets_at(i);
}

/* A launcher that ends the job at once does not come to read what the pipe on stderr holds, which says why: Hydra lost
 * that of every third job.  A tenth of a second is for who does not read. */
static void let_words_be_read(void)
{
    struct stat st;
    int left = 0;
    if (fstat(STDERR_FILENO, &st) || !S_ISFIFO(st.st_mode))
        return;
    for (int i = 0; i < 100 && ioctl(STDERR_FILENO, FIONREAD, &left) == 0 && left > 0; i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
}

void tf_launch_abort(int exit_code, const char *message)
{
    if (!client)
        return;
    let_words_be_read();
    client->abort(exit_code, message);
}

void tf_launch_forget(void)
{
    client = NULL;
}

int tf_launch_close(void)
{
    if (!client)
        return MPI_SUCCESS;
    former = client;
    client = NULL;
    knows_psets = false;
    tf_launch_psets_forget();
    return former->close();
}

bool tf_launch_has_memory(void)
{
    return client && client->memory && client->has_memory();
}

int tf_launch_memory(size_t bytes, char *name, size_t capacity)
{
    return client->memory(bytes, name, capacity);
}

int tf_launch_spawn(const struct tf_launch_app *apps, int napps, const char *port, struct tf_launch_spawned *spawned)
{
    *spawned = (struct tf_launch_spawned){.read = tf_launch_deaths()};
    if (client && client->spawn)
        return client->spawn(apps, napps, port, spawned->job, sizeof spawned->job);
    return tf_error(MPI_ERR_SPAWN, "the launcher (%s) starts no further processes; Treefold's mpiexec does",
                    client ? client->what : "none");
}

const char *tf_launch_spawned_end(struct tf_launch_spawned *spawned)
{
    const struct tf_death *death;
    while ((death = tf_launch_death(spawned->read))) {
        spawned->read++;
        if (death->rank == 0 && strcmp(death->job, spawned->job) == 0)
            memcpy(spawned->how, death->how, sizeof spawned->how);
    }
    return spawned->how[0] ? spawned->how : NULL;
}

bool tf_launch_parent(char *port, size_t capacity)
{
    return client && client->parent && client->parent(port, capacity);
}

void tf_launch_part(const char *name)
{
    if (client && client->part)
        client->part(name);
}

bool tf_launch_apart(const char *name, int rank, const char *why)
{
    return tf_launch_tells_deaths() && client && client->apart && client->apart(name, rank, why);
}

static int no_names(void)
{
    return tf_error(MPI_ERR_SERVICE,
                    "the launcher (%s) has no service of names; TREEFOLD_NAMES=DIRECTORY keeps them in files",
                    client ? client->what : "none");
}

int tf_launch_publish(const char *service, const char *port)
{
    return client && client->publish ? client->publish(service, port) : no_names();
}

int tf_launch_unpublish(const char *service)
{
    return client && client->unpublish ? client->unpublish(service) : no_names();
}

int tf_launch_lookup(const char *service, char *port, size_t capacity)
{
    return client && client->lookup ? client->lookup(service, port, capacity) : no_names();
}

bool tf_launch_describe(int i, const char **name, const char **what, const char **here)
{
    if (i >= (int)TF_ARRAY_LEN(clients))
        return false;
    *name = clients[i]->name;
    *what = clients[i]->what;
    *here = clients[i]->here ? clients[i]->here() : "";
    return true;
}

const char *tf_launch_name(void)
{
    return client ? client->name : "none";
}
