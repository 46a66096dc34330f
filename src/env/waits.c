/* waits.c - what a wait is for, in words and as ranks of the job.
 */
#include <stdarg.h>
#include <stdio.h>

#include "construct/letters.h"
#include "construct/newcomm.h"
#include "env/waits.h"
#include "msg/match.h"
#include "partition/partition.h"
#include "rma/epoch.h"

enum { LISTED = 4 }; /* of requests or steps, so many are told of */

void tf_waits_add(struct tf_waits_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text->at, text->left, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= text->left) {
        if (text->left > 0)
            *text->at = '\0';
        text->full = true;
        return;
    }
    text->at += length;
    text->left -= (size_t)length;
}

/* ---- who ---- */

static int rank_in(const struct tf_comm *comm, const struct tf_peer *peer)
{
    for (int r = 0; r < comm->npeers; r++)
        if (comm->peers[r] == peer)
            return r;
    return MPI_UNDEFINED;
}

static void add_rank(struct tf_waits_text *text, const struct tf_comm *comm, int rank)
{
    int in_job = tf_waits_rank(comm->peers[rank]);
    tf_waits_add(text, "rank %d", rank);
    if (in_job >= 0 && in_job != rank)
        tf_waits_add(text, " (%d of the job)", in_job);
}

static void add_peer(struct tf_waits_text *text, const struct tf_comm *comm, const struct tf_peer *peer)
{
    int rank = comm ? rank_in(comm, peer) : MPI_UNDEFINED;
    if (rank != MPI_UNDEFINED)
        add_rank(text, comm, rank);
    else
        tf_waits_add(text, "rank %d of the job", tf_waits_rank(peer));
}

/* ---- in words ---- */

static void add_tag(struct tf_waits_text *text, int tag)
{
    if (tag >= 0)
        tf_waits_add(text, " with tag %d", tag);
    else if (tag == MPI_ANY_TAG)
        tf_waits_add(text, " with any tag");
}

/* A wrong tag is the commonest reason why a receive stays where it is. */
static void add_unwanted(struct tf_waits_text *text, const struct tf_comm *comm)
{
    const struct tf_unexpected *first = comm->match->unexpected.list.first;
    int n = 0;
    for (const struct tf_unexpected *m = first; m; m = m->next)
        n++;
    if (n == 0)
        return;
    tf_waits_add(text, " (not received: %d message%s, the first of rank %d", n, n == 1 ? "" : "s",
                 (int)first->header.source);
    add_tag(text, first->header.tag);
    tf_waits_add(text, ")");
}

static void add_run_call(struct tf_waits_text *text, const struct tf_run *run)
{
    char name[100];
    tf_terms_name(&run->terms, name, sizeof name);
    tf_waits_add(text, "%s on %s", name, tf_comm_describe(run->comm));
}

/* "for rank 2 (step 3 of 6 of recursive_doubling)" */
static void add_step(struct tf_waits_text *text, const struct tf_run *run, const struct tf_step *step)
{
    add_rank(text, run->comm, step->peer);
    tf_waits_add(text, " to %s (step %u of %u", step->kind == TF_SEND ? "receive" : "send",
                 (unsigned)(step - run->plan->steps) + 1, (unsigned)run->plan->nsteps);
}

static void add_run(struct tf_waits_text *text, const struct tf_run *run, bool in_order)
{
    uint32_t at = 0, row = run->terms.algorithm >> 16, n = 0;
    const struct tf_step *step = in_order ? &run->plan->steps[run->position] : tf_exec_graph_waits(run, &at);
    for (; step && n < LISTED; n++) {
        tf_waits_add(text, n ? "), " : "");
        add_step(text, run, step);
        step = in_order ? NULL : tf_exec_graph_waits(run, &at);
    }
    if (n && row < (uint32_t)tf_algo_count)
        tf_waits_add(text, " of %s", tf_algos[row].name);
    tf_waits_add(text, "%s%s", n ? ")" : "", step ? " and more" : "");
}

static void add_message(struct tf_waits_text *text, const struct tf_comm *comm, int source, int tag)
{
    tf_waits_add(text, "a message of ");
    if (source >= 0)
        add_rank(text, comm, source);
    else
        tf_waits_add(text, "any rank");
    add_tag(text, tag);
}

static struct tf_comm *comm_of(const struct tf_send *send)
{
    struct tf_match *match = tf_match_of(send->header.context);
    return match ? match->comm : NULL;
}

static void add_send(struct tf_waits_text *text, const struct tf_send *send)
{
    add_peer(text, comm_of(send), send->peer);
    tf_waits_add(text, " to receive %zu bytes", send->total);
    add_tag(text, send->header.tag);
}

static void add_partitions(struct tf_waits_text *text, const struct tf_request *request)
{
    char words[200];
    tf_partition_describe(request, words, sizeof words);
    tf_waits_add(text, "%s", words);
}

static void add_request_words(struct tf_waits_text *text, const struct tf_request *request, bool where)
{
    if (request->kind->plan) {
        if (where)
            add_run_call(text, request->coll.run);
        else
            add_run(text, request->coll.run, false);
        return;
    }
    if (request->kind->partitioned)
        add_partitions(text, request);
    else if (!request->kind->point)
        tf_waits_add(text, "the end of a %s request", request->kind->name);
    else if (request->point.message)
        tf_waits_add(text, "the rest of a matched message");
    else if (!tf_waits_received(request))
        add_message(text, request->comm, request->point.from.rank, request->point.from.tag);
    else
        add_send(text, &request->point.send);
    if (where && request->comm)
        tf_waits_add(text, " on %s", tf_comm_describe(request->comm));
}

static void add_set_words(struct tf_waits_text *text, const struct tf_await_set *set)
{
    int open = 0, active = 0;
    for (int i = 0; i < set->count; i++) {
        open += tf_waits_open(set->requests[i]);
        active += set->requests[i] && set->requests[i]->active;
    }
    tf_waits_add(text, "%d of %d request%s: ", open, active, active == 1 ? "" : "s");
    for (int i = 0, n = 0; i < set->count && n <= LISTED; i++) {
        if (!tf_waits_open(set->requests[i]))
            continue;
        if (++n > LISTED) {
            tf_waits_add(text, "; and more");
            break;
        }
        tf_waits_add(text, n > 1 ? "; " : "");
        add_request_words(text, set->requests[i], true);
    }
}

static void add_letter(struct tf_waits_text *text, const struct tf_letter_key *key)
{
    tf_waits_add(text, "MPI_%s with the tag \"%.100s\"",
                 key->purpose == TF_LETTER_COMM ? "Comm_create_from_group" : "Intercomm_create_from_groups", key->name);
}

/* "rank 1, rank 3 to call MPI_Win_post" */
static void add_window_words(struct tf_waits_text *text, const struct tf_epoch_wait *wait)
{
    int n = 0;
    for (int at = 0, rank; (rank = tf_epoch_awaited(wait, &at)) != MPI_UNDEFINED; at++, n++) {
        if (n < LISTED) {
            tf_waits_add(text, n ? ", " : "");
            add_rank(text, wait->win->comm, rank);
        }
    }
    tf_waits_add(text, n > LISTED ? " and others %s" : " %s", wait->what);
}

static void add_named(struct tf_waits_text *text, const char *call, const struct tf_comm *comm, int tag)
{
    const char *constructor = tf_newcomm_of_tag(tag);
    tf_waits_add(text, "%s", constructor ? constructor : call);
    if (comm)
        tf_waits_add(text, " on %s", tf_comm_describe(comm));
}

void tf_waits_call(struct tf_waits_text *text, const struct tf_awaiting *on)
{
    const struct tf_recv *recv = on->object;
    const struct tf_send *send = on->object;
    const struct tf_request *request = on->object;
    const struct tf_await_probe *probe = on->object;
    switch (on->what) {
    case TF_AWAITS_RECV:
        add_named(text, on->detail, recv->comm, recv->tag);
        break;
    case TF_AWAITS_SEND:
        add_named(text, tf_waits_kind(on), comm_of(send), send->header.tag);
        break;
    case TF_AWAITS_REQUEST:
        tf_waits_add(text, "%s for ", (const char *)on->detail);
        if (request->kind->plan)
            add_run_call(text, request->coll.run);
        else
            tf_waits_add(text, "a request%s%s", request->comm ? " on " : "",
                         request->comm ? tf_comm_describe(request->comm) : "");
        break;
    case TF_AWAITS_PROBE:
        add_named(text, probe->call, probe->comm, 0);
        break;
    case TF_AWAITS_RUN:
        add_run_call(text, on->object);
        break;
    case TF_AWAITS_DISCONNECT:
        tf_waits_add(text, "MPI_Comm_disconnect on %s", tf_comm_describe(on->object));
        break;
    case TF_AWAITS_LETTER:
        add_letter(text, on->object);
        break;
    case TF_AWAITS_WINDOW:
        tf_waits_add(text, "%s on %s", tf_waits_kind(on),
                     tf_win_describe(((const struct tf_epoch_wait *)on->object)->win));
        break;
    default:
        tf_waits_add(text, "%s", tf_waits_kind(on));
    }
}

void tf_waits_what(struct tf_waits_text *text, const struct tf_awaiting *on)
{
    const struct tf_recv *recv = on->object;
    const struct tf_await_probe *probe = on->object;
    switch (on->what) {
    case TF_AWAITS_NOTHING:
        break;
    case TF_AWAITS_RECV:
        tf_waits_add(text, recv->link ? "" : "the rest of ");
        add_message(text, recv->comm, recv->source, recv->tag);
        if (recv->link)
            add_unwanted(text, recv->comm);
        break;
    case TF_AWAITS_SEND:
        add_send(text, on->object);
        break;
    case TF_AWAITS_REQUEST:
        add_request_words(text, on->object, false);
        break;
    case TF_AWAITS_ALL:
    case TF_AWAITS_ANY:
        add_set_words(text, on->object);
        break;
    case TF_AWAITS_PROBE:
        add_message(text, probe->comm, probe->source, probe->tag);
        add_unwanted(text, probe->comm);
        break;
    case TF_AWAITS_RUN:
        add_run(text, on->object, on->detail != NULL);
        break;
    case TF_AWAITS_ANSWER:
        tf_waits_add(text, "rank %d of the job to say what it called", tf_waits_rank(on->object));
        break;
    case TF_AWAITS_LETTER:
        tf_waits_add(text, "rank %d of the job", ((const struct tf_letter_key *)on->object)->process);
        break;
    case TF_AWAITS_BUFFERED:
        tf_waits_add(text, "buffered sends to leave");
        break;
    case TF_AWAITS_DISCONNECT:
        tf_waits_add(text, "requests that are under way");
        break;
    case TF_AWAITS_PULLED:
        tf_waits_add(text, "messages that it reads from others");
        break;
    case TF_AWAITS_OTHERS:
        tf_waits_add(text, "%s, with which it is connected, to disconnect or to finalize",
                     tf_net_name((const struct tf_peer *)on->object));
        break;
    case TF_AWAITS_LINE:
        tf_waits_add(text, "%s", ((const struct tf_await_line *)on->object)->what);
        break;
    case TF_AWAITS_FILE:
        tf_waits_add(text, "what is under way on a file");
        break;
    case TF_AWAITS_WINDOW:
        add_window_words(text, on->object);
        break;
    case TF_AWAITS_LEAVE:
        tf_waits_add(text, "its messages to leave");
        break;
    }
}

const char *tf_waits_kind(const struct tf_awaiting *on)
{
    const struct tf_run *run = tf_waits_run(on);
    const struct tf_send *send = on->object;
    switch (on->what) {
    case TF_AWAITS_RECV:
        return on->detail;
    case TF_AWAITS_SEND:
        return send->header.flags & TF_FLAG_SYNC ? "MPI_Ssend" : on->detail;
    case TF_AWAITS_REQUEST:
        return run ? tf_coll_name((enum tf_coll)run->terms.coll) : on->detail;
    case TF_AWAITS_RUN:
        return tf_coll_name((enum tf_coll)run->terms.coll);
    case TF_AWAITS_ALL:
    case TF_AWAITS_ANY:
        return ((const struct tf_await_set *)on->object)->call;
    case TF_AWAITS_PROBE:
        return ((const struct tf_await_probe *)on->object)->call;
    case TF_AWAITS_DISCONNECT:
        return "MPI_Comm_disconnect";
    case TF_AWAITS_LETTER:
        return "a constructor of communicators";
    case TF_AWAITS_BUFFERED:
        return "the flush of a buffer";
    case TF_AWAITS_LEAVE:
        return "MPI_Session_finalize";
    case TF_AWAITS_OTHERS:
        return "a call that other jobs take part in";
    case TF_AWAITS_LINE:
        return ((const struct tf_await_line *)on->object)->call;
    case TF_AWAITS_FILE:
        return "a file";
    case TF_AWAITS_WINDOW:
        return ((const struct tf_epoch_wait *)on->object)->call;
    default:
        return "a collective";
    }
}

/* ---- where nobody waits ---- */

struct pending {
    struct tf_waits_text *text;
    int n;
};

static void add_pending(const struct tf_match *match, void *state)
{
    struct pending *pending = state;
    for (const struct tf_recv *recv = match->posted.first; recv; recv = recv->next) {
        if (++pending->n > LISTED)
            continue;
        tf_waits_add(pending->text, pending->n > 1 ? "; " : "");
        add_message(pending->text, match->comm, recv->source, recv->tag);
        tf_waits_add(pending->text, " on %s", tf_comm_describe(match->comm));
    }
}

void tf_waits_pending(struct tf_waits_text *text)
{
    struct pending pending = {text, 0};
    tf_match_walk(add_pending, &pending);
    for (const struct tf_task *task = tf_task_first(); task; task = task->next) {
        const struct tf_run *run = tf_exec_run_of(task);
        if (!run || ++pending.n > LISTED)
            continue;
        tf_waits_add(text, pending.n > 1 ? "; " : "");
        add_run_call(text, run);
        tf_waits_add(text, ", ");
        add_run(text, run, false);
    }
    if (pending.n > LISTED)
        tf_waits_add(text, "; and %d more", pending.n - LISTED);
    if (pending.n == 0)
        tf_waits_add(text, "nothing that it has begun");
}
