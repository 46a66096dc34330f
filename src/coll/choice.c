/* choice.c - a call becomes a choice: its algorithm and plan.  See choice.h. */
#include "coll/choice.h"

#include "base/settings.h"
#include "msg/lost.h"
#include "msg/match.h"
#include "object/info.h"

/* ---- choosing ---- */

static bool is_inplace(const struct tf_call *call)
{
    if (call->coll == TF_BARRIER || call->coll == TF_BCAST)
        return false;
    return call->sendbuf == MPI_IN_PLACE || call->recvbuf == MPI_IN_PLACE;
}

/* Ranks other than the root ignore the buffer arguments of the other side. */
static bool inplace_counts(const struct tf_call *call)
{
    return is_inplace(call) && (!tf_coll_is_rooted(call->coll) || call->comm->rank == call->root);
}

static bool is_elementwise(const struct tf_call *call)
{
    return !call->op || call->op->kernels || !call->comm->whole_operators;
}

/* What is asked of the algorithm where bits must not depend on it: nothing of accumulators, whose sums are exact. */
static unsigned must_give(const struct tf_call *call)
{
    if (!call->op || call->comm->order == TF_ORDER_ANY || tf_binned_is(call->recvtype))
        return TF_NEEDS_NOTHING;
    return tf_exact_wants(call) ? TF_GIVES_ONCE : TF_GIVES_FIXED;
}

bool tf_choice_fits(const struct tf_choice *c, const struct tf_call *call, size_t bytes)
{
    return c->plan && bytes >= c->low && bytes < c->high && c->root == call->root &&
           c->inplace == inplace_counts(call) && c->elementwise == is_elementwise(call) &&
           c->commutative == (!call->op || call->op->commutative) && c->must_give == must_give(call);
}

/* ---- what an intercommunicator changes ---- */

static enum tf_coll form_of(const struct tf_call *call)
{
    return call->comm->remote ? (enum tf_coll)(TF_INTER + call->coll) : call->coll;
}

/* Ranks of the first group, 0 on an intracommunicator. */
static int first_group(const struct tf_comm *comm)
{
    if (!comm->remote)
        return 0;
    return tf_comm_leads(comm) ? comm->size : comm->npeers;
}

/* What intercommunicators do not have. */
int tf_choice_check(const struct tf_call *call)
{
    if (!call->comm->remote)
        return MPI_SUCCESS;
    if (call->coll == TF_SCAN || call->coll == TF_EXSCAN)
        return tf_error(MPI_ERR_COMM,
                        "%s is an intercommunicator; a scan is of the ranks of one group, so it needs an "
                        "intracommunicator",
                        tf_comm_describe(call->comm));
    if (is_inplace(call))
        return tf_error(MPI_ERR_BUFFER,
                        "MPI_IN_PLACE is given, but %s is an intercommunicator, where what is sent and "
                        "what is received belong to different groups",
                        tf_comm_describe(call->comm));
    return MPI_SUCCESS;
}

static void complain(const char *words)
{
    tf_log(0, "%s", words);
}

/* The rules that an info key gives the communicator. */
static int find_rules(const struct tf_comm *comm)
{
    struct tf_colls *colls = comm->colls;
    const char *value = colls->rules_known ? NULL : tf_info_value(comm->info, "treefold_algorithm");
    if (value)
        colls->rules = tf_rules_parse(value, "info key treefold_algorithm", comm->rank == 0 ? complain : NULL);
    colls->rules_known = !value || colls->rules;
    return colls->rules_known ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static void tell_choice(const struct tf_call *call, size_t bytes, const struct tf_coll_choice *chosen)
{
    char algo[100];
    if (tf_settings.verbose >= 1)
        tf_log(1, "%s of %zu bytes on %d ranks: %s (%s:%d)", tf_coll_name(chosen->algo->coll), bytes,
               call->comm->joint->size, tf_rule_show_algo(chosen->algo, chosen->parameter, algo, sizeof algo),
               chosen->from->source, chosen->line);
}

/* Every rank comes to the same answer, which those of different jobs would not if it went by how many ranks a machine
 * has: they are as if on different nodes. */
static bool spans_nodes(const struct tf_comm *comm)
{
    int node = tf_net_node(comm->group->processes[0]);
    for (int r = 1; r < comm->size; r++)
        if (tf_net_node(comm->group->processes[r]) != node)
            return true;
    return false;
}

int tf_choice_make(const struct tf_call *call, size_t bytes, struct tf_choice *c)
{
    struct tf_comm *comm = call->comm, *joint = comm->joint;
    const struct tf_neighbors *neighbors = NULL;
    if (joint->match->broken)
        return tf_lost_broken(comm);
    int err = tf_coll_is_neighbor(call->coll) ? tf_coll_neighbors(comm, &neighbors) : MPI_SUCCESS;
    if (!err)
        err = find_rules(comm);
    if (err)
        return err;
    struct tf_choice new = {.root = call->root,
                            .inplace = inplace_counts(call),
                            .commutative = !call->op || call->op->commutative,
                            .elementwise = is_elementwise(call),
                            .must_give = must_give(call)};
    struct tf_coll_case which = {.coll = form_of(call),
                                 .size = joint->size,
                                 .bytes = bytes,
                                 .commutative = new.commutative,
                                 .elementwise = new.elementwise,
                                 .own = comm->colls->rules,
                                 .must_give = new.must_give,
                                 .persistent = comm->colls->near.call == call,
                                 .network = joint->group->mixed || spans_nodes(joint)};
    /* Within a node it costs a look at the hardware, which most programs can do without. */
    struct tf_domains *domains = &comm->colls->domains;
    if (which.network && !comm->remote)
        err = tf_coll_domains(comm, domains);
    which.levels = which.network && !comm->remote && domains->of;
    struct tf_coll_choice chosen;
    const struct tf_neighbors *near = NULL;
    if (!err && which.levels && which.persistent)
        err = tf_near_bytes(call, &which.bytes);
    if (!err)
        err = tf_coll_select(&which, &chosen);
    if (!err && chosen.algo->traits & TF_NEEDS_LEVELS)
        err = tf_coll_domains(comm, domains);
    if (!err && chosen.algo->traits & TF_NEEDS_PERSISTENT)
        err = tf_near_lists(call, &near);
    if (err)
        return err;
    new.low = chosen.low;
    new.high = chosen.high;
    new.algorithm = (uint32_t)(chosen.algo - tf_algos) << 16 | (uint32_t)chosen.parameter;
    struct tf_shape shape = {.rank = joint->rank,
                             .size = joint->size,
                             .root = tf_choice_root(call),
                             .inplace = new.inplace,
                             .commutes = new.commutative,
                             .parameter = chosen.parameter,
                             .first = first_group(comm),
                             .neighbors = neighbors,
                             .near = near};
    if (chosen.algo->traits & TF_NEEDS_LEVELS)
        shape.domain = domains->of;
    new.plan = tf_plan_cache_get(comm->colls->plans, chosen.algo, &shape);
    if (!new.plan)
        return MPI_ERR_NO_MEM;
    tell_choice(call, which.bytes, &chosen);
    if (c->plan)
        tf_plan_cache_release(comm->colls->plans, c->plan);
    *c = new;
    comm->colls->chosen[call->coll] = chosen.algo;
    return MPI_SUCCESS;
}

int tf_choice_take(const struct tf_call *call, size_t bytes, const struct tf_plan **plan, uint32_t *algorithm)
{
    struct tf_colls *colls = call->comm->colls;
    struct tf_choice *c = &colls->choices[call->coll];
    int err = tf_choice_fits(c, call, bytes) ? MPI_SUCCESS : tf_choice_make(call, bytes, c);
    if (err)
        return err;
    tf_plan_cache_hold(colls->plans, c->plan);
    *plan = c->plan;
    *algorithm = c->algorithm;
    return MPI_SUCCESS;
}
