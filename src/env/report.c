/* report.c - `mpiexec -timeout` asks each rank, before it ends the job, what it waits for; the answer is a line on
 * standard error.
 *
 * The question is a signal that processes ignore unless told otherwise (SIGURG), and a program that handles it itself
 * keeps it.  The handler formats into its own memory and writes: the objects it looks at are kept by the frames that
 * wait, under the feet of which it runs.
 */
#include "env/report.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "construct/letters.h"
#include "construct/newcomm.h"
#include "exec/exec.h"
#include "msg/await.h"
#include "msg/request.h"
#include "msg/transfer.h"

static int rank_in(const struct tf_comm *comm, const struct tf_peer *peer)
{
    for (int r = 0; r < comm->npeers; r++)
        if (comm->peers[r] == peer)
            return r;
    return MPI_UNDEFINED;
}

static void whom(char *words, size_t n, int rank, int tag)
{
    char source[40] = "any rank", which[40] = "any tag";
    if (rank >= 0)
        snprintf(source, sizeof source, "rank %d", rank);
    if (tag >= 0)
        snprintf(which, sizeof which, "tag %d", tag);
    snprintf(words, n, "%s, %s", source, which);
}

static void describe_recv(char *words, size_t n, const struct tf_recv *recv)
{
    char end[100];
    const char *constructor = tf_newcomm_of_tag(recv->tag);
    if (constructor) {
        snprintf(words, n, "in %s on %s for rank %d", constructor, tf_comm_describe(recv->comm), recv->source);
        return;
    }
    whom(end, sizeof end, recv->source, recv->tag);
    snprintf(words, n, "for a message (%s) on %s", end, tf_comm_describe(recv->comm));
}

static void describe_send(char *words, size_t n, const struct tf_send *send)
{
    snprintf(words, n, "for rank %d of the job to receive a message of %zu bytes with tag %d", send->peer->rank,
             send->total, send->header.tag);
}

static void describe_probe(char *words, size_t n, const struct tf_await_probe *probe)
{
    char end[100];
    whom(end, sizeof end, probe->source, probe->tag);
    snprintf(words, n, "in a probe for a message (%s) on %s", end, tf_comm_describe(probe->comm));
}

static void describe_run(char *words, size_t n, const struct tf_run *run, const struct tf_peer *peer)
{
    char name[100];
    tf_terms_name(&run->terms, name, sizeof name);
    if (peer)
        snprintf(words, n, "in %s on %s for rank %d", name, tf_comm_describe(run->comm), rank_in(run->comm, peer));
    else
        snprintf(words, n, "in %s on %s", name, tf_comm_describe(run->comm));
}

/* A request that both sends and receives knows its source once it has received. */
static void describe_request(char *words, size_t n, const struct tf_request *request)
{
    bool is_received = request->source != MPI_ANY_SOURCE;
    if (request->kind->collective)
        describe_run(words, n, request->coll.run, NULL);
    else if (!request->kind->point)
        snprintf(words, n, "for a %s request", request->kind->name);
    else if (request->point.from.type && !is_received)
        describe_recv(words, n, &request->point.recv);
    else
        describe_send(words, n, &request->point.send);
}

static void describe_any(char *words, size_t n, const struct tf_await_any *any)
{
    const struct tf_request *first = NULL;
    char its[200] = "";
    int active = 0;
    for (int i = 0; i < any->count; i++)
        if (any->requests[i] && any->requests[i]->active && active++ == 0)
            first = any->requests[i];
    if (first)
        describe_request(its, sizeof its, first);
    if (active == 1)
        snprintf(words, n, "%s", its);
    else
        snprintf(words, n, "for one of %d requests, the first of which waits %s", active, its);
}

static void describe_letter(char *words, size_t n, const struct tf_letter_key *key)
{
    snprintf(words, n, "in MPI_%s with the tag \"%.100s\" for rank %d of the job",
             key->purpose == TF_LETTER_COMM ? "Comm_create_from_group" : "Intercomm_create_from_groups", key->name,
             key->process);
}

static void describe(char *words, size_t n)
{
    const void *object = tf_awaiting.object;
    switch (tf_awaiting.what) {
    case TF_AWAITS_NOTHING:
        break;
    case TF_AWAITS_RECV:
        describe_recv(words, n, object);
        break;
    case TF_AWAITS_SEND:
        describe_send(words, n, object);
        break;
    case TF_AWAITS_REQUEST:
        describe_request(words, n, object);
        break;
    case TF_AWAITS_ANY:
        describe_any(words, n, object);
        break;
    case TF_AWAITS_PROBE:
        describe_probe(words, n, object);
        break;
    case TF_AWAITS_RUN:
        describe_run(words, n, object, tf_awaiting.peer);
        break;
    case TF_AWAITS_ANSWER:
        snprintf(words, n, "for rank %d of the job to say what it called", ((const struct tf_peer *)object)->rank);
        break;
    case TF_AWAITS_BUFFERED:
        snprintf(words, n, "for its buffered sends");
        break;
    case TF_AWAITS_DISCONNECT:
        snprintf(words, n, "in MPI_Comm_disconnect on %s for requests that are under way", tf_comm_describe(object));
        break;
    case TF_AWAITS_PULLED:
        snprintf(words, n, "for messages that it reads from others");
        break;
    case TF_AWAITS_LETTER:
        describe_letter(words, n, object);
        break;
    case TF_AWAITS_LEAVE:
        snprintf(words, n, "in MPI_Session_finalize for its messages to leave");
        break;
    }
}

static void answer(int signal)
{
    char words[300] = "", line[400];
    (void)signal;
    describe(words, sizeof words);
    int length = snprintf(line, sizeof line, "treefold[%d]: %s%s\n", tf_job.rank,
                          *words ? "waits " : "does not wait in MPI", words);
    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        return;
}

void tf_report_setup(void)
{
    const char *number = getenv("MPIEXEC_ASKS_BY");
    struct sigaction action;
    if (!number || sigaction(atoi(number), NULL, &action) || action.sa_handler != SIG_DFL)
        return;
    action.sa_handler = answer;
    action.sa_flags = SA_RESTART;
    sigaction(atoi(number), &action, NULL);
}
