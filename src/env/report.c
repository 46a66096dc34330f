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

#include "exec/exec.h"
#include "msg/request.h"
#include "net/waiting.h"

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
    whom(end, sizeof end, recv->source, recv->tag);
    snprintf(words, n, "waits for a message (%s) on %s", end, tf_comm_describe(recv->comm));
}

static void describe_run(char *words, size_t n, const struct tf_run *run)
{
    uint32_t coll = run->fingerprint >> 27;
    const char *name = coll < TF_NCOLL ? tf_coll_name((enum tf_coll)coll) : "MPI_Finalize";
    if (tf_waiting.peer)
        snprintf(words, n, "waits in %s on %s for rank %d", name, tf_comm_describe(run->comm),
                 rank_in(run->comm, tf_waiting.peer));
    else
        snprintf(words, n, "waits in %s on %s", name, tf_comm_describe(run->comm));
}

static void describe(char *words, size_t n)
{
    const struct tf_send *send;
    const struct tf_request *request;
    switch (tf_waiting.kind) {
    case TF_WAITS_NOT:
        snprintf(words, n, "does not wait in MPI");
        break;
    case TF_WAITS_RECV:
        describe_recv(words, n, tf_waiting.object);
        break;
    case TF_WAITS_SEND:
        send = tf_waiting.object;
        snprintf(words, n, "waits for rank %d of the job to receive a message of %zu bytes with tag %d",
                 send->peer->rank, send->total, send->header.tag);
        break;
    case TF_WAITS_REQUEST:
        request = tf_waiting.object;
        if (request->peer)
            describe_recv(words, n, &request->point.recv);
        else
            snprintf(words, n, "waits for a %s request", request->kind->name);
        break;
    case TF_WAITS_REQUESTS:
        snprintf(words, n, "waits for one of several requests");
        break;
    case TF_WAITS_PROBE:
        snprintf(words, n, "waits in a probe on %s", tf_comm_describe(tf_waiting.object));
        break;
    case TF_WAITS_RUN:
        describe_run(words, n, tf_waiting.object);
        break;
    case TF_WAITS_BUFFERED:
        snprintf(words, n, "waits for its buffered sends");
        break;
    }
}

static void answer(int signal)
{
    char words[300], line[400];
    (void)signal;
    describe(words, sizeof words);
    int length = snprintf(line, sizeof line, "treefold[%d]: %s\n", tf_world.rank, words);
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
