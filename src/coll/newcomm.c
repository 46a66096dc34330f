/* newcomm.c - the constructors of communicators (MPI-5.0 section 7.4.2): what the processes must agree on.
 *
 * That is a context id.  The leader (rank 0 of the parent, or of the group in MPI_Comm_create_group) makes one from its
 * own rank in MPI_COMM_WORLD and a counter of its own, so that it is unique in the job without asking anybody; the
 * others learn it by one broadcast.  The disjoint communicators of one split share an id: no process is in two of them.
 * Of an intercommunicator both groups take part, by its joint communicator.  MPI_Intercomm_create: intercomm.c.
 */
#include "coll/newcomm.h"

#include "comm/attr.h"
#include "comm/group.h"
#include "comm/info.h"
#include "msg/msg.h"

/* ---- context ids ---- */

uint64_t tf_context_take(void)
{
    static uint64_t counter = 2; /* MPI_COMM_WORLD has 1 and each MPI_COMM_SELF 2 */
    if (counter + 2 > UINT32_MAX)
        return 0;
    counter += 2;
    return (uint64_t)(tf_world.rank + 1) << 32 | counter;
}

int tf_context_check(uint64_t context)
{
    if (context)
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_OTHER, "the process that leads has made 2147483646 communicators; it has no more ids");
}

static int context_agree(struct tf_comm *comm, uint64_t *context)
{
    *context = comm->joint->rank == 0 ? tf_context_take() : 0;
    int err = tf_coll_bcast_bytes(comm->joint, context, sizeof *context, 0);
    return err ? err : tf_context_check(*context);
}

MPI_Comm tf_newcomm_handle(const struct tf_comm *comm)
{
    return (MPI_Comm)(uintptr_t)(comm->obj.handle & 0x7fffffffu);
}

/* The new communicator over `group`, or MPI_COMM_NULL if this process is not in it. */
static int comm_finish(struct tf_group *group, uint64_t context, const struct tf_comm *parent, MPI_Comm *newcomm)
{
    if (group->rank == MPI_UNDEFINED) {
        *newcomm = MPI_COMM_NULL;
        return MPI_SUCCESS;
    }
    struct tf_comm *comm = tf_comm_create_object(group, context, parent, 0);
    if (!comm)
        return MPI_ERR_NO_MEM;
    *newcomm = tf_newcomm_handle(comm);
    return MPI_SUCCESS;
}

/* ---- dup ---- */

/* What a duplicate has besides the group: the hints given (those of `from` are not passed on, MPI-5.0 section 7.4.2),
 * and the attributes.  Nothing is left behind on failure. */
static int comm_furnish(struct tf_comm *comm, struct tf_comm *from, struct tf_info *info)
{
    int err = info ? tf_comm_set_info(comm, info) : MPI_SUCCESS;
    return err ? err : tf_attrs_copy(from->attrs, from->obj.handle, &comm->attrs, (uintptr_t)tf_newcomm_handle(comm));
}

/* The other processes may have the communicator and send to it. */
static void comm_forget(const struct tf_comm *comm, uint64_t context)
{
    tf_match_forget(context);
    if (comm->remote)
        tf_match_forget(context + 1);
}

int tf_comm_dup_with_info(struct tf_comm *comm, struct tf_info *info, MPI_Comm *newcomm)
{
    uint64_t context;
    int err = context_agree(comm, &context);
    if (err)
        return err;
    struct tf_comm *dup = comm->remote
                              ? tf_comm_create_inter(comm->group, comm->remote, tf_comm_leads(comm), context, comm)
                              : tf_comm_create_object(comm->group, context, comm, 0);
    if (!dup)
        return MPI_ERR_NO_MEM;
    err = comm_furnish(dup, comm, info);
    if (err) {
        comm_forget(dup, context);
        tf_comm_release(dup);
        return err;
    }
    *newcomm = tf_newcomm_handle(dup);
    return MPI_SUCCESS;
}

int tf_comm_dup(struct tf_comm *comm, MPI_Comm *newcomm)
{
    return tf_comm_dup_with_info(comm, NULL, newcomm);
}

/* A duplicate whose context id is on its way. */
struct idup {
    struct tf_comm *comm; /* a reference */
    uint64_t context;
};

/* `err`: of the broadcast. */
static int idup_done(void *state, int err)
{
    struct idup *idup = state;
    struct tf_comm *comm = idup->comm;
    if (!err && comm->freed)
        comm_forget(comm, idup->context);
    else if (!err)
        err = tf_context_check(idup->context);
    if (!err && !comm->freed)
        err = tf_comm_start(comm, idup->context);
    if (err && !comm->freed)
        tf_comm_release(comm); /* the user's reference: the handle stays stale */
    tf_comm_release(comm);
    free(idup);
    return err;
}

int tf_comm_idup_with_info(struct tf_comm *comm, struct tf_info *info, MPI_Comm *newcomm, MPI_Request *request)
{
    int err = MPI_ERR_NO_MEM;
    struct idup *idup = tf_alloc(sizeof *idup, "a communicator's duplication");
    if (!idup)
        return err;
    struct tf_comm *dup = tf_comm_prepare(comm->group, comm->remote, comm->remote && tf_comm_leads(comm), comm);
    if (!dup)
        goto free_idup;
    tf_comm_retain(dup);
    *idup = (struct idup){.comm = dup, .context = comm->joint->rank == 0 ? tf_context_take() : 0};
    err = tf_coll_bcast_then(comm, &idup->context, sizeof idup->context, 0, idup_done, idup, request);
    if (err)
        goto release_dup;
    /* The attributes are those of now, not of the completion.  If one cannot be copied the broadcast goes on all the
     * same: the other processes wait for it. */
    err = comm_furnish(dup, comm, info);
    if (err) {
        dup->freed = true;
        if (dup->match) /* the broadcast has ended already */
            comm_forget(dup, dup->context);
        tf_handle_retire(&dup->obj);
        tf_comm_release(dup);
        tf_request_abandon(request);
        return err;
    }
    *newcomm = tf_newcomm_handle(dup);
    return MPI_SUCCESS;

release_dup:
    tf_comm_release(dup);
    tf_comm_release(dup);
free_idup:
    free(idup);
    return err;
}

int tf_comm_idup(struct tf_comm *comm, MPI_Comm *newcomm, MPI_Request *request)
{
    return tf_comm_idup_with_info(comm, NULL, newcomm, request);
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
    int *world = tf_alloc((size_t)n * sizeof *world, "the ranks of a group");
    if (world) {
        for (int i = 0; i < n; i++)
            world[i] = whole->world[members[i].rank];
        group = tf_group_create_object(n, world);
    }
    free(members);
    return group;
}

/* The intercommunicator of those who chose `color` in both groups, MPI_COMM_NULL if nobody in the other did. */
static int split_inter(struct tf_comm *comm, struct tf_group *group, const struct choice *choices, int color,
                       MPI_Comm *newcomm)
{
    bool leads = tf_comm_leads(comm);
    struct tf_group *remote = split_group(comm->remote, choices + (leads ? comm->size : 0), color);
    int err = remote ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    *newcomm = MPI_COMM_NULL;
    if (!err && remote->size > 0) {
        struct tf_comm *new = tf_comm_create_inter(group, remote, leads, choices[0].context, comm);
        if (new)
            *newcomm = tf_newcomm_handle(new);
        else
            err = MPI_ERR_NO_MEM;
    }
    if (remote)
        tf_group_release(remote);
    return err;
}

static int split(struct tf_comm *comm, int color, int key, MPI_Comm *newcomm)
{
    struct tf_comm *joint = comm->joint;
    struct choice mine = {color, key, joint->rank == 0 ? tf_context_take() : 0};
    struct choice *choices = tf_alloc((size_t)joint->size * sizeof *choices, "the colors and keys of a split");
    if (!choices)
        return MPI_ERR_NO_MEM;
    int err = tf_coll_allgather_bytes(joint, &mine, sizeof mine, choices);
    if (!err)
        err = tf_context_check(choices[0].context);
    if (!err && color == MPI_UNDEFINED) {
        *newcomm = MPI_COMM_NULL;
    } else if (!err) {
        struct tf_group *group = split_group(comm->group, choices + (joint->rank - comm->rank), color);
        if (!group)
            err = MPI_ERR_NO_MEM;
        else if (comm->remote)
            err = split_inter(comm, group, choices, color, newcomm);
        else
            err = comm_finish(group, choices[0].context, comm, newcomm);
        if (group)
            tf_group_release(group);
    }
    free(choices);
    return err;
}

int tf_comm_split(struct tf_comm *comm, int color, int key, MPI_Comm *newcomm)
{
    if (color < 0 && color != MPI_UNDEFINED)
        return tf_error(MPI_ERR_ARG, "color is %d; it must be at least 0, or MPI_UNDEFINED", color);
    return split(comm, color, key, newcomm);
}

int tf_comm_split_type(struct tf_comm *comm, int split_type, int key, struct tf_info *info, MPI_Comm *newcomm)
{
    int color;
    int err = tf_coll_resource(comm, split_type, info, &color);
    if (!err)
        err = split(comm, color, key, newcomm);
    if (!err && info && *newcomm != MPI_COMM_NULL)
        err = tf_comm_set_info(tf_comm_find(*newcomm), info);
    return err;
}

/* ---- create ---- */

static int group_check(const struct tf_comm *comm, const struct tf_group *group)
{
    bool contains = true;
    int world_rank = 0;
    int err = tf_group_contains(comm->group, group, &contains, &world_rank);
    if (!err && !contains)
        err = tf_error(MPI_ERR_GROUP, "group holds rank %d of MPI_COMM_WORLD, which is not in the communicator",
                       world_rank);
    return err;
}

int tf_comm_create(struct tf_comm *comm, struct tf_group *group, MPI_Comm *newcomm)
{
    uint64_t context;
    int err = group_check(comm, group);
    if (err)
        return err;
    if (comm->remote) /* each group tells the other whom it has chosen, and in which order */
        return split(comm, group->rank == MPI_UNDEFINED ? MPI_UNDEFINED : 0, group->rank, newcomm);
    err = context_agree(comm, &context);
    return err ? err : comm_finish(group, context, comm, newcomm);
}

/* Broadcast from rank 0 of `group` along a binomial tree, by messages that no receive of the user can match: parent and
 * children of group rank 6 = 110b, lowest bit 2, are 100b and 111b. */
static int group_bcast(struct tf_comm *comm, const struct tf_group *group, int tag, uint64_t *context)
{
    struct tf_type *byte = tf_type_find(MPI_BYTE);
    int hidden = tf_newcomm_tag(tag, false), bit = 1, err = MPI_SUCCESS;
    while (bit < group->size && !(group->rank & bit))
        bit *= 2;
    if (group->rank > 0) {
        int parent = tf_group_rank_of(comm->group, group->world[group->rank - bit]);
        err = tf_recv(context, sizeof *context, byte, parent, hidden, comm, MPI_STATUS_IGNORE);
    }
    for (bit /= 2; bit > 0 && !err; bit /= 2) {
        if (group->rank + bit >= group->size)
            continue;
        int child = tf_group_rank_of(comm->group, group->world[group->rank + bit]);
        err = tf_send(context, sizeof *context, byte, child, hidden, comm, TF_STANDARD);
    }
    return err;
}

int tf_comm_create_group(struct tf_comm *comm, struct tf_group *group, int tag, MPI_Comm *newcomm)
{
    uint64_t context = 0;
    int err = comm->remote ? tf_error(MPI_ERR_COMM,
                                      "%s is an intercommunicator; MPI_Comm_create_group needs an intracommunicator",
                                      tf_comm_describe(comm))
                           : group_check(comm, group);
    if (err)
        return err;
    /* Who is not in the group is not part of the call. */
    if (group->rank == MPI_UNDEFINED) {
        *newcomm = MPI_COMM_NULL;
        return MPI_SUCCESS;
    }
    if (group->rank == 0)
        context = tf_context_take();
    err = group_bcast(comm, group, tag, &context);
    if (!err)
        err = tf_context_check(context);
    return err ? err : comm_finish(group, context, comm, newcomm);
}
