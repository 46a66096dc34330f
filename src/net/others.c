/* others.c - see others.h. */
#include "net/others.h"

#include <stdio.h>
#include <unistd.h>

#include "launch/nodes.h"
#include "net/beside/beside.h"
#include "net/counts.h"
#include "net/failure.h"
#include "net/peers.h"
#include "net/remote/remote.h"
#include "net/tcp/tcp.h"

/* By job as process.h counts them, from 1: [job - 1]. */
static struct job {
    struct tf_other *of; /* [size] */
    int first, size;
    int groups; /* that hold any of them */
    bool asked; /* tf_others_drop() */
} * jobs;
static int njobs;

static struct tf_card own; /* job_size 0: there is none yet */
static uint64_t *nodes;    /* names of this job's nodes, 0: not known yet */
static uint64_t *far;      /* and of nodes where only others are, in the order in which they came */
static int nfar;

/* ---- who is known ---- */

struct tf_other *tf_others_of(int process)
{
    int rank, job = tf_process_job(process, &rank);
    return job > 0 && job <= njobs ? &jobs[job - 1].of[rank] : NULL;
}

const struct tf_card *tf_others_card_of(const struct tf_peer *peer)
{
    int rank, job = tf_peers_find(peer, &rank);
    return job > 0 && job <= njobs ? jobs[job - 1].of[rank].card : NULL;
}

static int add_job(uint64_t id, int size, int *first)
{
    struct tf_process root = {.job = id};
    *first = tf_process_number(&root);
    if (*first != MPI_UNDEFINED)
        return MPI_SUCCESS;
    struct job *more = realloc(jobs, (size_t)(njobs + 1) * sizeof *more);
    struct tf_other *of = calloc((size_t)size, sizeof *of);
    jobs = more ? more : jobs;
    int err = more && of ? tf_net_add_job(id, size, &tf_net_tcp, first)
                         : tf_error(MPI_ERR_NO_MEM, "cannot allocate what is known of a job of %d processes", size);
    if (err) {
        free(of);
        return err;
    }
    jobs[njobs++] = (struct job){.of = of, .first = *first, .size = size};
    return MPI_SUCCESS;
}

/* Names of nodes are told apart from all others that have come; 0 is none. */
static int know_node(const struct tf_card *card, int process)
{
    if (process < tf_job.size) {
        if (nodes)
            nodes[tf_launch_node(process)] = card->node;
        return MPI_SUCCESS;
    }
    for (int i = 0; i < nfar; i++)
        if (far[i] == card->node)
            return MPI_SUCCESS;
    uint64_t *more = realloc(far, (size_t)(nfar + 1) * sizeof *more);
    if (!more)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate the names of %d nodes", nfar + 1);
    far = more;
    far[nfar++] = card->node;
    return MPI_SUCCESS;
}

static int keep(const struct tf_card *card, int process)
{
    struct tf_other *other = tf_others_of(process);
    if (!other || other->card)
        return MPI_SUCCESS;
    other->card = tf_alloc(sizeof *card, "what is known of a process of another job");
    if (!other->card)
        return MPI_ERR_NO_MEM;
    *other->card = *card;
    other->card->address[TF_CARD_ADDRESS - 1] = other->card->job[TF_CARD_JOB - 1] = '\0';
    return MPI_SUCCESS;
}

static int know(const struct tf_card *card)
{
    int first = 0, err = MPI_SUCCESS;
    if (card->process.rank < 0 || card->process.rank >= card->job_size)
        return tf_error(MPI_ERR_OTHER, "a process says that it is rank %d of %d", card->process.rank, card->job_size);
    if (card->process.job != tf_job.id)
        err = add_job(card->process.job, card->job_size, &first);
    int process = err ? MPI_UNDEFINED : tf_process_number(&card->process);
    if (!err && process == MPI_UNDEFINED)
        err = tf_error(MPI_ERR_OTHER,
                       "a job of %d processes and another one have the same number; one of them has to "
                       "be started again",
                       card->job_size);
    if (!err)
        err = know_node(card, process);
    return err ? err : keep(card, process);
}

int tf_others_know(const struct tf_card *cards, int n)
{
    int err = MPI_SUCCESS;
    for (int i = 0; i < n && !err; i++)
        err = know(&cards[i]);
    return err;
}

/* ---- this process ---- */

static int make_card(void)
{
    struct tf_card card = {
        .process = {tf_job.id, tf_job.rank, 0}, .job_size = tf_job.size, .node = tf_launch_nodes_name()};
    card.pid = tf_beside_ready() ? (int32_t)getpid() : 0;
    snprintf(card.job, sizeof card.job, "%s", tf_job.name);
    int err = tf_tcp_open_others(card.address);
    if (!err && !tf_key_random(card.secret, sizeof card.secret))
        err = tf_error(MPI_ERR_OTHER, "the system has no random numbers for the key of this process");
    if (!err && !(nodes = calloc((size_t)tf_nodes.count, sizeof *nodes)))
        err = tf_error(MPI_ERR_NO_MEM, "cannot allocate the names of %d nodes", tf_nodes.count);
    if (!err)
        own = card;
    return err;
}

int tf_others_card(struct tf_card *card)
{
    int err = own.job_size ? MPI_SUCCESS : make_card();
    if (!err)
        *card = own;
    return err;
}

void tf_others_key(const struct tf_card *card, unsigned char key[TF_CARD_SECRET])
{
    for (int i = 0; i < TF_CARD_SECRET; i++)
        key[i] = card->secret[i] ^ own.secret[i];
}

int tf_others_beside(const struct tf_peer *peer)
{
    const struct tf_card *card = tf_others_card_of(peer);
    return card && own.pid && card->node == own.node ? card->pid : 0;
}

uint64_t tf_others_own_node(void)
{
    return own.node;
}

static int number_of(uint64_t node)
{
    for (int i = 0; i < tf_nodes.count && nodes; i++)
        if (nodes[i] == node)
            return i;
    for (int i = 0; i < nfar; i++)
        if (far[i] == node)
            return tf_nodes.count + i;
    return MPI_UNDEFINED;
}

int tf_others_node(int process)
{
    const struct tf_other *other = tf_others_of(process);
    int node = other && other->card ? number_of(other->card->node) : MPI_UNDEFINED;
    return node == MPI_UNDEFINED ? tf_nodes.count + nfar + process - tf_job.size : node;
}

int tf_others_count(void)
{
    int n = 0;
    for (int j = 0; j < njobs; j++)
        n += jobs[j].size;
    return n;
}

/* ---- who is connected ---- */

void tf_others_connect(const int *processes, int n)
{
    for (int i = 0; i < n; i++) {
        struct tf_other *other = tf_others_of(processes[i]);
        if (other)
            other->paths++;
    }
}

void tf_others_part(const int *processes, int n, bool parted)
{
    for (int i = 0; i < n; i++) {
        struct tf_other *other = tf_others_of(processes[i]);
        if (!other)
            continue;
        other->paths--;
        other->freed |= !parted;
    }
}

int tf_others_next(int process)
{
    for (int j = 0; j < njobs; j++)
        for (int r = 0; r < jobs[j].size; r++)
            if (jobs[j].first + r >= process)
                return jobs[j].first + r;
    return MPI_UNDEFINED;
}

void tf_others_leave(int process)
{
    struct tf_other *other = tf_others_of(process);
    struct tf_peer *peer = tf_net_peer(process);
    if (peer->net)
        tf_peers_part(peer);
    other->told = other->heard = other->freed = false;
}

/* ---- which jobs are known ---- */

/* The next job of those that the processes are of, each once as long as they come in order; 0: there is none. */
static int next_job(const int *processes, int n, int *at, int before)
{
    int rank;
    for (; *at < n; ++*at) {
        int job = tf_process_job(processes[*at], &rank);
        if (job > 0 && job != before)
            return job;
    }
    return 0;
}

void tf_others_hold(const int *processes, int n)
{
    int at = 0;
    for (int job = 0; (job = next_job(processes, n, &at, job)) > 0;)
        jobs[job - 1].groups++;
}

static void forget(int job)
{
    struct job *gone = &jobs[job - 1];
    for (int r = 0; r < gone->size; r++) {
        if (tf_net_peer(gone->first + r)->net)
            tf_others_leave(gone->first + r);
        tf_beside_forget(tf_net_peer(gone->first + r));
        free(gone->of[r].card);
    }
    free(gone->of);
    tf_failure_forget(gone->first, gone->size);
    tf_peers_drop(job);
    tf_process_drop_job(job);
    memmove(gone, gone + 1, (size_t)(njobs - job) * sizeof *gone);
    njobs--;
}

static bool is_connected(const struct job *job)
{
    for (int r = 0; r < job->size; r++)
        if (job->of[r].paths > 0 || job->of[r].freed)
            return true;
    return false;
}

bool tf_others_is_job_connected(int process)
{
    int rank, job = tf_process_job(process, &rank);
    return job == 0 || is_connected(&jobs[job - 1]);
}

void tf_others_drop(const int *processes, int n)
{
    int at = 0;
    for (int job = 0; (job = next_job(processes, n, &at, job)) > 0;)
        jobs[job - 1].asked = --jobs[job - 1].groups == 0;
    for (int job = njobs; job > 0; job--)
        if (jobs[job - 1].asked) {
            jobs[job - 1].asked = false;
            if (!is_connected(&jobs[job - 1]))
                forget(job);
        }
}

void tf_others_close(void)
{
    for (int j = 0; j < njobs; j++) {
        for (int r = 0; r < jobs[j].size; r++)
            free(jobs[j].of[r].card);
        free(jobs[j].of);
    }
    free(jobs);
    free(nodes);
    free(far);
    jobs = NULL;
    nodes = far = NULL;
    njobs = nfar = 0;
    own = (struct tf_card){0};
}
