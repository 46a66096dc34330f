/* shrink.c - MPIX_Comm_shrink: agreements on who has died, until two in a row say the same.
 *
 *     first    all who live say whom they know to have died; the union, and a context id, are decided
 *     each     makes the communicator of the others
 *     then     says that it could, and again whom it knows to have died: the same as before, and all could: it starts;
 *              more: it is made anew
 */
#include "construct/newcomm.h"
#include "msg/lost.h"
#include "msg/msg.h"
#include "msg/request.h"
#include "survive/pact.h"
#include "survive/survive.h"

struct shrinking {
    struct tf_pact_op op;
    struct tf_request *request;
    struct tf_comm *made;  /* NULL: it has been handed out, or is gone */
    struct tf_sheet basis; /* the decision that it was made by */
    int err;               /* of this process */
};

/* ---- the new communicator ---- */

/* Those of a group, which has the ranks from `first` on in the joint communicator, who live. */
static struct tf_group *survivors(const struct tf_group *group, int first, const struct tf_sheet *decision)
{
    int n = 0, *processes = tf_alloc((size_t)group->size * sizeof *processes, "the ranks of a group");
    if (!processes)
        return NULL;
    for (int r = 0; r < group->size; r++)
        if (!tf_sheet_has(decision, first + r))
            processes[n++] = group->processes[r];
    return tf_group_create_object(n, processes);
}

static int make_of(struct tf_comm *made, const struct tf_comm *comm, struct tf_group *own, struct tf_group *others)
{
    if (others && others->size == 0)
        return tf_error(MPIX_ERR_PROC_FAILED, "no process of the remote group of %s is left", tf_comm_describe(comm));
    return tf_comm_fill(made, own, others, others && tf_comm_leads(comm), comm);
}

static int make(struct shrinking *s, const struct tf_sheet *decision)
{
    const struct tf_comm *comm = s->request->comm;
    bool leads = !comm->remote || tf_comm_leads(comm);
    struct tf_group *own = survivors(comm->group, leads ? 0 : comm->npeers, decision), *others = NULL;
    if (comm->remote)
        others = survivors(comm->remote, leads ? comm->size : 0, decision);
    int err = own && (others || !comm->remote) ? make_of(s->made, comm, own, others) : MPI_ERR_NO_MEM;
    if (own)
        tf_group_release(own);
    if (others)
        tf_group_release(others);
    return err;
}

static bool copy(struct tf_sheet *to, const struct tf_sheet *from)
{
    bool there = true;
    tf_sheet_clear(to);
    to->number = from->number;
    to->context = from->context;
    for (int i = 0; i < from->n && there; i++)
        there = tf_sheet_add(to, from->ranks[i]);
    return there;
}

static bool is_same(const struct tf_sheet *a, const struct tf_sheet *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->ranks, b->ranks, (size_t)a->n * sizeof *a->ranks) == 0);
}

/* ---- the rounds ---- */

static void say_failures(struct tf_pact_op *op)
{
    struct shrinking *s = TF_CONTAINER(op, struct shrinking, op);
    const struct tf_comm *comm = s->request->comm;
    tf_sheet_clear(&op->vote);
    for (int i = 0; i < tf_lost_count(comm); i++)
        if (!tf_sheet_add(&op->vote, tf_lost_rank(comm, i)))
            s->err = MPI_ERR_NO_MEM;
    op->vote.flag[0] = s->err ? 0 : -1;
}

static bool end(struct shrinking *s, int err)
{
    struct tf_request *request = s->request;
    if (err)
        tf_comm_release(s->made);
    else
        tf_comm_start(s->made, s->basis.context);
    s->made = NULL;
    request->error = err;
    tf_request_part_done(request);
    return true;
}

static int complain(const struct shrinking *s, const struct tf_sheet *decision)
{
    const struct tf_comm *comm = s->request->comm;
    if (decision->class)
        return tf_error(decision->class,
                        "MPIX_Comm_shrink and MPIX_Comm_agree were called on %s at the same time, one of them by rank "
                        "%d",
                        tf_comm_describe(comm), decision->from);
    if (tf_sheet_has(decision, comm->joint->rank))
        return tf_error(MPIX_ERR_PROC_FAILED, "the other processes of %s take this one, rank %d, for dead",
                        tf_comm_describe(comm), comm->rank);
    return tf_newcomm_context_check(decision->context);
}

static bool all_could(const struct tf_sheet *decision)
{
    return decision->flag[0] && decision->flag[1];
}

static int fail(const struct shrinking *s)
{
    return s->err ? s->err
                  : tf_error(MPI_ERR_NO_MEM, "a process of %s has no memory for the communicator of those who are left",
                             tf_comm_describe(s->request->comm));
}

static bool decided(struct tf_pact_op *op, const struct tf_sheet *decision)
{
    struct shrinking *s = TF_CONTAINER(op, struct shrinking, op);
    bool again = s->basis.number == 0 || !is_same(&s->basis, decision);
    int err = complain(s, decision);
    if (err)
        return end(s, err);
    if (!all_could(decision))
        return end(s, fail(s));
    if (!again)
        return end(s, MPI_SUCCESS);
    if (s->basis.number)
        tf_comm_empty(s->made);
    s->err = copy(&s->basis, decision) ? make(s, decision) : MPI_ERR_NO_MEM;
    return false;
}

/* ---- the request ---- */

static int start(struct tf_request *request)
{
    struct shrinking *s = request->survive.operation;
    tf_pact_begin(request->comm, &s->op);
    return MPI_SUCCESS;
}

static void drop(struct shrinking *s)
{
    if (s->made)
        tf_comm_release(s->made);
    tf_sheet_free(&s->op.vote);
    tf_sheet_free(&s->basis);
    free(s);
}

static int release(struct tf_request *request)
{
    drop(request->survive.operation);
    return MPI_SUCCESS;
}

static const struct tf_request_kind kind = {
    .name = "shrinking", .collective = true, .start = start, .release = release};

static int prepare(struct tf_comm *comm, struct tf_request **request)
{
    int err = tf_pact_open(comm);
    if (err)
        return err;
    struct shrinking *s = tf_alloc(sizeof *s, "a communicator that shrinks");
    if (!s)
        return MPI_ERR_NO_MEM;
    *s = (struct shrinking){
        .op = {.kind = TF_SHEET_SHRINK, .lower = tf_pact_lower(comm), .prepare = say_failures, .decided = decided},
        .made = tf_comm_reserve()};
    if (s->made && (*request = tf_request_create(&kind, comm))) {
        (*request)->survive.operation = s;
        s->request = *request;
        return MPI_SUCCESS;
    }
    drop(s);
    return MPI_ERR_NO_MEM;
}

int tf_comm_ishrink(struct tf_comm *comm, MPI_Comm *newcomm, MPI_Request *handle)
{
    struct tf_request *request;
    int err = prepare(comm, &request);
    if (err)
        return err;
    MPI_Comm made = tf_newcomm_handle(((struct shrinking *)request->survive.operation)->made);
    tf_request_begin(request);
    *newcomm = made;
    *handle = tf_request_handle(request);
    return MPI_SUCCESS;
}

int tf_comm_shrink(struct tf_comm *comm, MPI_Comm *newcomm)
{
    MPI_Comm made;
    MPI_Request request;
    struct tf_object *on = NULL;
    int err = tf_comm_ishrink(comm, &made, &request);
    if (!err)
        err = tf_wait(&request, MPI_STATUS_IGNORE, &on);
    if (!err)
        *newcomm = made;
    return err;
}
