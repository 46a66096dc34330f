/* waits_peers.c - whom a wait is for, as ranks of the job, and which call of a collective it is.
 *
 * Only what those ranks have yet to do is named.  A message that is on its way comes whatever its sender waits for.
 */
#include "construct/letters.h"
#include "env/waits.h"
#include "rma/epoch.h"

/* Groups of peers, as the board has them. */
struct peers {
    struct tf_waits_text *text;
    bool any;   /* all are one group: any of them will do */
    int groups; /* so far */
    bool unknown;
};

static void add_needed(struct peers *peers, char part, const struct tf_peer *peer)
{
    int rank = tf_waits_rank(peer);
    if (rank < 0) {
        peers->unknown = true;
        return;
    }
    tf_waits_add(peers->text, "%s%c%d", peers->groups++ ? (peers->any ? "," : ";") : "", part, rank);
}

static bool all_known(const struct tf_comm *comm)
{
    int r = 0;
    while (r < comm->npeers && tf_waits_rank(comm->peers[r]) >= 0)
        r++;
    return r == comm->npeers;
}

/* Whoever may send what a receive of any source takes: not the one that waits. */
static void add_anybody(struct peers *peers, const struct tf_comm *comm)
{
    if (!all_known(comm)) {
        peers->unknown = true;
        return;
    }
    const char *between = peers->groups++ ? (peers->any ? "," : ";") : "";
    for (int r = 0, first, last; r < comm->npeers; r++) {
        first = last = tf_waits_rank(comm->peers[r]);
        if (first == tf_job.rank && comm->npeers > 1)
            continue;
        while (r + 1 < comm->npeers && last + 1 != tf_job.rank && tf_waits_rank(comm->peers[r + 1]) == last + 1)
            last++, r++;
        tf_waits_add(peers->text, first == last ? "%ss%d" : "%ss%d-%d", between, first, last);
        between = ",";
    }
}

static void add_source(struct peers *peers, const struct tf_comm *comm, int source)
{
    if (source >= 0)
        add_needed(peers, 's', comm->peers[source]);
    else
        add_anybody(peers, comm);
}

static void add_steps(struct peers *peers, const struct tf_run *run, const struct tf_peer *peer)
{
    const struct tf_step *step;
    uint32_t at = 0;
    if (peer)
        add_needed(peers, 'c', peer);
    else
        while ((step = tf_exec_graph_waits(run, &at)))
            add_needed(peers, 'c', run->comm->peers[step->peer]);
}

/* The receiver has not asked for it yet; once it has, or has begun to read it, the data come by themselves. */
static void add_receiver(struct peers *peers, const struct tf_send *send)
{
    if (send->id && !send->receiver_id)
        add_needed(peers, 'r', send->peer);
    else
        peers->unknown = true;
}

static void add_sender(struct peers *peers, const struct tf_recv *recv)
{
    if (recv->link)
        add_source(peers, recv->comm, recv->source);
    else
        peers->unknown = true;
}

static void add_request(struct peers *peers, const struct tf_request *request)
{
    if (request->kind->plan)
        add_steps(peers, request->coll.run, NULL);
    else if (!request->kind->point || request->point.message)
        peers->unknown = true;
    else if (!tf_waits_received(request))
        add_sender(peers, &request->point.recv);
    else
        add_receiver(peers, &request->point.send);
}

static void add_set(struct peers *peers, const struct tf_await_set *set)
{
    for (int i = 0; i < set->count; i++)
        if (tf_waits_open(set->requests[i]))
            add_request(peers, set->requests[i]);
}

/* Any call of MPI answers what does not need a certain one. */
static void add_callers(struct peers *peers, const struct tf_epoch_wait *wait)
{
    if (!wait->called)
        peers->unknown = true;
    for (int at = 0, rank; wait->called && (rank = tf_epoch_awaited(wait, &at)) != MPI_UNDEFINED; at++)
        add_needed(peers, 'x', wait->win->comm->peers[rank]);
}

static void add_peers(struct peers *peers, const struct tf_awaiting *on)
{
    const struct tf_await_probe *probe = on->object;
    const struct tf_letter_key *key = on->object;
    switch (on->what) {
    case TF_AWAITS_RECV:
        add_sender(peers, on->object);
        break;
    case TF_AWAITS_SEND:
        add_receiver(peers, on->object);
        break;
    case TF_AWAITS_REQUEST:
        add_request(peers, on->object);
        break;
    case TF_AWAITS_ALL:
    case TF_AWAITS_ANY:
        add_set(peers, on->object);
        break;
    case TF_AWAITS_PROBE:
        add_source(peers, probe->comm, probe->source);
        break;
    case TF_AWAITS_RUN:
        add_steps(peers, on->object, on->detail);
        break;
    case TF_AWAITS_WINDOW:
        add_callers(peers, on->object);
        break;
    case TF_AWAITS_LETTER:
        add_needed(peers, 'x', tf_net_peer(key->process));
        break;
    default:
        peers->unknown = true;
    }
}

void tf_waits_peers(struct tf_waits_text *text, const struct tf_awaiting *on)
{
    struct tf_waits_text before = *text;
    struct peers peers = {.text = text, .any = on->what == TF_AWAITS_ANY};
    add_peers(&peers, on);
    /* A group with somebody who is not known may always get what it waits for; of several, the others still count. */
    if (peers.groups && !text->full && !(peers.unknown && peers.any))
        return;
    *text = before;
    tf_waits_add(text, "-");
}

static void add_name(struct tf_waits_text *text, const struct tf_run *run)
{
    tf_waits_add(text, "%llx.%x", (unsigned long long)run->comm->context, (unsigned)run->sequence);
}

void tf_waits_name(struct tf_waits_text *text, const struct tf_awaiting *on)
{
    const struct tf_run *run = tf_waits_run(on);
    if (run)
        add_name(text, run);
    else
        tf_waits_add(text, "-");
}

void tf_waits_runs(struct tf_waits_text *text)
{
    for (const struct tf_task *task = tf_task_first(); task && !text->full; task = task->next) {
        const struct tf_run *run = tf_exec_run_of(task);
        struct tf_waits_text before = *text;
        if (!run)
            continue;
        tf_waits_add(text, "=\t");
        add_name(text, run);
        tf_waits_add(text, "\t");
        tf_waits_peers(text, &(struct tf_awaiting){TF_AWAITS_RUN, run, NULL});
        tf_waits_add(text, "\n");
        if (text->full)
            *text = before;
    }
}
