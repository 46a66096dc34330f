/* newcomm.c - the constructors of communicators (MPI-5.0 section 7.4.2): what the processes must agree on.
 *
 * That is a context id.  The leader (rank 0 of the parent, or of the group in MPI_Comm_create_group) makes one from its
 * own rank in MPI_COMM_WORLD and a counter of its own, so that it is unique in the job without asking anybody; the
 * others learn it by one reduction.  The disjoint communicators of one split share an id: no process is in two of them.
 * Of an intercommunicator both groups take part, by its joint communicator.  MPI_Intercomm_create: intercomm.c.
 */
#include "construct/newcomm.h"

#include "comm/group.h"
#include "comm/part.h"
#include "msg/lost.h"
#include "msg/match.h"
#include "msg/msg.h"
#include "object/attr.h"
#include "object/info.h"

/* ---- context ids ---- */

/* MPI_COMM_WORLD has 1, each MPI_COMM_SELF 2, then come those of enum tf_internal.  Jobs begin at places of their own,
 * since in the bits that an id has of its job two of them may be alike. */
enum { LEAST_NUMBER = TF_INTERNAL_END };

uint64_t tf_newcomm_context_take(void)
{
    static uint32_t taken;
    uint32_t first = (uint32_t)tf_job.id & ~1u, all = TF_CONTEXT_NUMBERS - LEAST_NUMBER;
    if (taken == all)
        return 0;
    taken += 2;
    return tf_comm_context(tf_job.rank + 1, LEAST_NUMBER + (first % TF_CONTEXT_NUMBERS + taken) % all);
}

int tf_newcomm_context_check(uint64_t context)
{
    if (context)
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_OTHER, "the process that leads has made 536870910 communicators; it has no more ids");
}

/* err: of what went before on this process. */
static int context_agree(struct tf_comm *comm, enum tf_caller caller, int err, uint64_t *context)
{
    if (err)
        return tf_coll_give_up(comm, err);
    err = tf_coll_max(comm->joint, caller, comm->joint->rank == 0 ? tf_newcomm_context_take() : 0, context);
    return err ? err : tf_newcomm_context_check(*context);
}

MPI_Comm tf_newcomm_handle(const struct tf_comm *comm)
{
    return (MPI_Comm)(uintptr_t)(comm->obj.handle & 0x7fffffffu);
}

/* The communicator over `group`, prepared; NULL if this process is not in it. */
static int comm_make(struct tf_group *group, const struct tf_comm *parent, struct tf_comm **made)
{
    if (group->rank == MPI_UNDEFINED)
        return MPI_SUCCESS;
    *made = tf_comm_prepare(group, NULL, false, parent);
    return *made ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* ---- all or none ---- */

int tf_newcomm_agree(struct tf_comm *comm, enum tf_caller caller, int err)
{
    return err ? tf_coll_give_up(comm, err) : tf_coll_barrier(comm->joint, caller);
}

int tf_newcomm_deliver(int err, struct tf_comm *made, uint64_t context, MPI_Comm *newcomm)
{
    if (err) {
        if (made)
            tf_comm_release(made);
        return err;
    }
    *newcomm = MPI_COMM_NULL;
    if (made) {
        tf_comm_start(made, context);
        *newcomm = tf_newcomm_handle(made);
    }
    return MPI_SUCCESS;
}

/* ---- dup ---- */

/* What a duplicate has besides the group: the hints given (those of `from` are not passed on, MPI-5.0 section 7.4.2),
 * what its parts pass on, as the topology, and the attributes.  Nothing is left behind on failure. */
static int comm_furnish(struct tf_comm *comm, struct tf_comm *from, struct tf_info *info)
{
    int err = info ? tf_comm_set_info(comm, info) : MPI_SUCCESS;
    tf_part_copy(comm, from);
    return err ? err : tf_attrs_copy(from->attrs, from->obj.handle, &comm->attrs, (uintptr_t)tf_newcomm_handle(comm));
}

/* All of a duplicate but its context id.  *made is there after an error too, unless there is no memory for it. */
static int dup_prepare(struct tf_comm *comm, struct tf_info *info, struct tf_comm **made)
{
    *made = tf_comm_prepare(comm->group, comm->remote, comm->remote && tf_comm_leads(comm), comm);
    return *made ? comm_furnish(*made, comm, info) : MPI_ERR_NO_MEM;
}

static int dup(struct tf_comm *comm, enum tf_caller caller, struct tf_info *info, MPI_Comm *newcomm)
{
    uint64_t context;
    struct tf_comm *made;
    int err = context_agree(comm, caller, dup_prepare(comm, info, &made), &context);
    return tf_newcomm_deliver(err, made, context, newcomm);
}

int tf_newcomm_private(struct tf_comm *comm, enum tf_caller caller, int err, struct tf_comm **made)
{
    uint64_t context;
    MPI_Comm handle;
    *made = err ? NULL : tf_comm_prepare(comm->group, NULL, false, comm);
    err = context_agree(comm, caller, err || *made ? err : MPI_ERR_NO_MEM, &context);
    err = tf_newcomm_deliver(err, *made, context, &handle);
    if (err)
        *made = NULL;
    return err;
}

void tf_newcomm_follow(struct tf_comm *made, const struct tf_comm *maker)
{
    made->maker = maker;
    if (maker->match->broken == MPIX_ERR_REVOKED)
        tf_lost_break(made->match, MPIX_ERR_REVOKED);
}

int tf_comm_dup_with_info(struct tf_comm *comm, struct tf_info *info, MPI_Comm *newcomm)
{
    return dup(comm, TF_CALLER_COMM_DUP_WITH_INFO, info, newcomm);
}

int tf_comm_dup(struct tf_comm *comm, MPI_Comm *newcomm)
{
    return dup(comm, TF_CALLER_COMM_DUP, NULL, newcomm);
}

/* A duplicate whose context id is on its way. */
struct idup {
    struct tf_comm *comm; /* a reference */
    uint64_t context;
};

/* `err`: of the reduction. */
static int idup_done(void *state, int err)
{
    struct idup *idup = state;
    struct tf_comm *comm = idup->comm;
    if (!err)
        err = tf_newcomm_context_check(idup->context);
    if (!err)
        tf_comm_start(comm, idup->context);
    else
        tf_comm_release(comm); /* the user's reference: the handle stays stale */
    tf_comm_release(comm);
    free(idup);
    return err;
}

static int idup(struct tf_comm *comm, enum tf_caller caller, struct tf_info *info, MPI_Comm *newcomm,
                MPI_Request *request)
{
    struct tf_comm *made = NULL;
    struct idup *state = tf_alloc(sizeof *state, "a communicator's duplication");
    int err = state ? dup_prepare(comm, info, &made) : MPI_ERR_NO_MEM;
    if (err) {
        tf_coll_give_up(comm, err);
        goto release_made;
    }
    tf_comm_retain(made);
    *state = (struct idup){.comm = made, .context = comm->joint->rank == 0 ? tf_newcomm_context_take() : 0};
    MPI_Comm handle = tf_newcomm_handle(made);
    err = tf_coll_max_then(comm, caller, &state->context, idup_done, state, request);
    if (err) {
        tf_comm_release(made);
        goto release_made;
    }
    *newcomm = handle;
    return MPI_SUCCESS;

release_made:
    if (made)
        tf_comm_release(made);
    free(state);
    return err;
}

int tf_comm_idup_with_info(struct tf_comm *comm, struct tf_info *info, MPI_Comm *newcomm, MPI_Request *request)
{
    return idup(comm, TF_CALLER_COMM_DUP_WITH_INFO, info, newcomm, request);
}

int tf_comm_idup(struct tf_comm *comm, MPI_Comm *newcomm, MPI_Request *request)
{
    return idup(comm, TF_CALLER_COMM_DUP, NULL, newcomm, request);
}

/* ---- split ---- */

struct choice {
    int color, key;
    uint64_t context; /* rank 0's counts */
};

struct member {
    int key, rank;
};

static int member_order(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Those of `whole` who chose `color`, by key and then by rank; choices[r] is what its rank r chose. */
static struct tf_group *split_group(const struct tf_group *whole, const struct choice *choices, int color)
{
    struct tf_group *group = NULL;
    int n = 0;
    struct member *members = tf_alloc((size_t)whole->size * sizeof *members, "the members of a split");
    if (!members)
        return NULL;
    for (int r = 0; r < whole->size; r++) {
        if (choices[r].color == color)
            members[n++] = (struct member){choices[r].key, r};
    }
    qsort(members, (size_t)n, sizeof *members, member_order);
    int *processes = tf_alloc((size_t)n * sizeof *processes, "the ranks of a group");
    if (processes) {
        for (int i = 0; i < n; i++)
            processes[i] = whole->processes[members[i].rank];
        group = tf_group_create_object(n, processes);
    }
    free(members);
    return group;
}

/* The intercommunicator of those who chose `color` in both groups, NULL if nobody in the other did. */
static int split_inter(struct tf_comm *comm, struct tf_group *group, const struct choice *choices, int color,
                       struct tf_comm **made)
{
    bool leads = tf_comm_leads(comm);
    struct tf_group *remote = split_group(comm->remote, choices + (leads ? comm->size : 0), color);
    if (!remote)
        return MPI_ERR_NO_MEM;
    if (remote->size > 0)
        *made = tf_comm_prepare(group, remote, leads, comm);
    int err = remote->size == 0 || *made ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    tf_group_release(remote);
    return err;
}

/* The communicator of those who chose `color`. */
static int split_make(struct tf_comm *comm, const struct choice *choices, int color, struct tf_comm **made)
{
    struct tf_comm *joint = comm->joint;
    if (color == MPI_UNDEFINED)
        return MPI_SUCCESS;
    struct tf_group *group = split_group(comm->group, choices + (joint->rank - comm->rank), color);
    if (!group)
        return MPI_ERR_NO_MEM;
    int err = comm->remote ? split_inter(comm, group, choices, color, made) : comm_make(group, comm, made);
    tf_group_release(group);
    return err;
}

struct splitting {
    enum tf_caller caller;
    struct tf_info *info; /* the hints of the new one, or NULL; then told there: */
    const char *resource; /* what its processes share, or NULL */
};

static int split_furnish(struct tf_comm *made, const struct splitting *how)
{
    int err = how->info ? tf_comm_set_info(made, how->info) : MPI_SUCCESS;
    if (!err && how->info && how->resource)
        err = tf_info_set(how->info, "mpi_hw_resource_type", how->resource);
    return err;
}

/* err: of what went before on this process. */
static int split(struct tf_comm *comm, const struct splitting *how, int err, int color, int key, MPI_Comm *newcomm)
{
    struct tf_comm *joint = comm->joint, *made = NULL;
    struct choice mine = {color, key, joint->rank == 0 ? tf_newcomm_context_take() : 0};
    struct choice *choices = tf_alloc((size_t)joint->size * sizeof *choices, "the colors and keys of a split");
    if (!err && !choices)
        err = MPI_ERR_NO_MEM;
    err = err ? tf_coll_give_up(joint, err) : tf_coll_allgather_bytes(joint, how->caller, &mine, sizeof mine, choices);
    if (!err)
        err = tf_newcomm_context_check(choices[0].context);
    if (!err)
        err = split_make(comm, choices, color, &made);
    if (!err && made)
        err = split_furnish(made, how);
    err = tf_newcomm_agree(comm, how->caller, err);
    err = tf_newcomm_deliver(err, made, err ? 0 : choices[0].context, newcomm);
    free(choices);
    return err;
}

int tf_comm_split(struct tf_comm *comm, int color, int key, MPI_Comm *newcomm)
{
    if (color < 0 && color != MPI_UNDEFINED)
        return tf_error(MPI_ERR_ARG, "color is %d; it must be at least 0, or MPI_UNDEFINED", color);
    return split(comm, &(struct splitting){.caller = TF_CALLER_COMM_SPLIT}, MPI_SUCCESS, color, key, newcomm);
}

int tf_comm_split_type(struct tf_comm *comm, int split_type, int key, struct tf_info *info, MPI_Comm *newcomm)
{
    struct splitting how = {.caller = TF_CALLER_COMM_SPLIT_TYPE, .info = info};
    int color = MPI_UNDEFINED;
    int err = tf_resource_color(comm, split_type, info, &color, &how.resource);
    return split(comm, &how, err, color, key, newcomm);
}

/* ---- create ---- */

static int group_check(const struct tf_comm *comm, const struct tf_group *group)
{
    bool contains = true;
    int process = 0;
    int err = tf_group_contains(comm->group, group, &contains, &process);
    if (!err && !contains)
        err =
            tf_error(MPI_ERR_GROUP, "group holds rank %d of MPI_COMM_WORLD, which is not in the communicator", process);
    return err;
}

int tf_comm_create(struct tf_comm *comm, struct tf_group *group, MPI_Comm *newcomm)
{
    uint64_t context;
    struct tf_comm *made = NULL;
    int err = group_check(comm, group);
    if (comm->remote) /* each group tells the other whom it has chosen, and in which order */
        return split(comm, &(struct splitting){.caller = TF_CALLER_COMM_CREATE}, err,
                     group->rank == MPI_UNDEFINED ? MPI_UNDEFINED : 0, group->rank, newcomm);
    if (!err)
        err = comm_make(group, comm, &made);
    err = context_agree(comm, TF_CALLER_COMM_CREATE, err, &context);
    return tf_newcomm_deliver(err, made, context, newcomm);
}

/* What the ranks of a group tell each other. */
struct news {
    uint64_t context; /* rank 0's counts */
    int class, rank;  /* an error, on which rank of the parent; 0: none */
};

static int send_news(struct news *news, struct tf_comm *comm, const struct tf_group *group, int to, int tag)
{
    return tf_send(news, sizeof *news, tf_type_find(MPI_BYTE), tf_group_rank_of(comm->group, group->processes[to]), tag,
                   comm, TF_STANDARD);
}

static int hear_news(struct news *news, struct tf_comm *comm, const struct tf_group *group, int from, int tag)
{
    return tf_recv(news, sizeof *news, tf_type_find(MPI_BYTE), tf_group_rank_of(comm->group, group->processes[from]),
                   tag, comm, MPI_STATUS_IGNORE);
}

/* A message to or from that rank of the group has failed: it has died, or this process is at fault; the others are not
 * to wait for it. */
static void note(struct news *news, const struct tf_comm *comm, const struct tf_group *group, int err, int rank)
{
    if (!err || news->class)
        return;
    news->class = err;
    news->rank = err == MPIX_ERR_PROC_FAILED ? tf_group_rank_of(comm->group, group->processes[rank]) : comm->rank;
}

/* An error of any rank goes to rank 0 of `group`, and what that one knows to all, along a binomial tree, by messages
 * that no receive of the user can match: parent and children of group rank 6 = 110b, lowest bit 2, are 100b and 111b.
 */
static void group_agree(struct tf_comm *comm, const struct tf_group *group, int tag, struct news *news)
{
    struct news heard;
    int hidden = tf_newcomm_tag(tag, false), bit = 1;
    for (; bit < group->size && !(group->rank & bit); bit *= 2) {
        int child = group->rank + bit;
        if (child >= group->size)
            continue;
        int err = hear_news(&heard, comm, group, child, hidden);
        note(news, comm, group, err, child);
        if (!err && heard.class && !news->class)
            *news = (struct news){news->context, heard.class, heard.rank};
    }
    if (group->rank > 0) {
        int parent = group->rank - bit;
        note(news, comm, group, send_news(news, comm, group, parent, hidden), parent);
        note(news, comm, group, hear_news(news, comm, group, parent, hidden), parent);
    }
    for (bit /= 2; bit > 0; bit /= 2)
        if (group->rank + bit < group->size)
            note(news, comm, group, send_news(news, comm, group, group->rank + bit, hidden), group->rank + bit);
}

static int complain(const struct tf_comm *comm, const struct news *news)
{
    if (news->class == MPIX_ERR_PROC_FAILED)
        return tf_lost_error(comm, comm->peers[news->rank]);
    /* A class of the program's own may be another one here. */
    return tf_error(news->class == MPI_ERR_NO_MEM ? MPI_ERR_NO_MEM : MPI_ERR_OTHER,
                    "rank %d of %s %s in MPI_Comm_create_group, so rank %d has no result", news->rank,
                    tf_comm_describe(comm), news->class == MPI_ERR_NO_MEM ? "ran out of memory" : "failed", comm->rank);
}

int tf_comm_create_group(struct tf_comm *comm, struct tf_group *group, int tag, MPI_Comm *newcomm)
{
    struct tf_comm *made = NULL;
    if (comm->remote)
        return tf_error(MPI_ERR_COMM, "%s is an intercommunicator; MPI_Comm_create_group needs an intracommunicator",
                        tf_comm_describe(comm));
    int own = group_check(comm, group);
    if (own && own != MPI_ERR_NO_MEM) /* it cannot be told whom to ask */
        return own;
    /* Who is not in the group is not part of the call. */
    if (group->rank == MPI_UNDEFINED) {
        if (!own)
            *newcomm = MPI_COMM_NULL;
        return own;
    }
    if (!own)
        own = comm_make(group, comm, &made);
    struct news news = {group->rank == 0 ? tf_newcomm_context_take() : 0, own, comm->rank};
    group_agree(comm, group, tag, &news);
    int err = own ? own : news.class ? complain(comm, &news) : tf_newcomm_context_check(news.context);
    return tf_newcomm_deliver(err, made, news.context, newcomm);
}
