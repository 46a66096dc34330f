/* newcomm.c - the constructors of communicators (MPI-5.0 section 7.4.2): what the processes must agree on.
 *
 * That is a context id.  The leader (rank 0 of the parent, or of the group in MPI_Comm_create_group) makes one from its
 * own rank in MPI_COMM_WORLD and a counter of its own, so that it is unique in the job without asking anybody; the
 * others learn it by one broadcast.  The disjoint communicators of one split share an id: no process is in two of them.
 */
#include "coll/coll.h"

#include <limits.h>

#include "comm/attr.h"
#include "comm/group.h"
#include "comm/info.h"
#include "msg/msg.h"

/* ---- context ids ---- */

/* 0 once this process has led as many constructors as it can. */
static uint64_t context_take(void)
{
    static uint64_t counter = 2; /* MPI_COMM_WORLD has 1 and each MPI_COMM_SELF 2 */
    return counter == UINT32_MAX ? 0 : (uint64_t)(tf_world.rank + 1) << 32 | ++counter;
}

static int context_check(uint64_t context)
{
    if (context)
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_OTHER, "rank 0 of the communicator has made 4294967293 communicators; it has no more ids");
}

static int context_agree(struct tf_comm *comm, uint64_t *context)
{
    *context = comm->rank == 0 ? context_take() : 0;
    int err = tf_coll_bcast_bytes(comm, context, sizeof *context, 0);
    return err ? err : context_check(*context);
}

static MPI_Comm handle_of(const struct tf_comm *comm)
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
    *newcomm = handle_of(comm);
    return MPI_SUCCESS;
}

/* ---- dup ---- */

/* What a duplicate has besides the group: the hints given (those of `from` are not passed on, MPI-5.0 section 7.4.2),
 * and the attributes.  Nothing is left behind on failure. */
static int comm_furnish(struct tf_comm *comm, struct tf_comm *from, struct tf_info *info)
{
    int err = info ? tf_comm_set_info(comm, info) : MPI_SUCCESS;
    return err ? err : tf_attrs_copy(from->attrs, from->obj.handle, &comm->attrs, (uintptr_t)handle_of(comm));
}

int tf_comm_dup_with_info(struct tf_comm *comm, struct tf_info *info, MPI_Comm *newcomm)
{
    uint64_t context;
    int err = context_agree(comm, &context);
    if (err)
        return err;
    struct tf_comm *dup = tf_comm_create_object(comm->group, context, comm, 0);
    if (!dup)
        return MPI_ERR_NO_MEM;
    err = comm_furnish(dup, comm, info);
    if (err) {
        tf_comm_release(dup);
        return err;
    }
    *newcomm = handle_of(dup);
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

static int idup_done(void *state)
{
    struct idup *idup = state;
    struct tf_comm *comm = idup->comm;
    int err = comm->freed ? MPI_SUCCESS : context_check(idup->context);
    if (!err && !comm->freed)
        err = tf_comm_start(comm, idup->context);
    if (err)
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
    struct tf_comm *dup = tf_comm_prepare(comm->group, comm);
    if (!dup)
        goto free_idup;
    tf_comm_retain(dup);
    *idup = (struct idup){.comm = dup, .context = comm->rank == 0 ? context_take() : 0};
    err = tf_coll_bcast_then(comm, &idup->context, sizeof idup->context, 0, idup_done, idup, request);
    if (err)
        goto release_dup;
    /* The attributes are those of now, not of the completion.  If one cannot be copied the broadcast goes on all the
     * same: the other processes wait for it. */
    err = comm_furnish(dup, comm, info);
    if (err) {
        dup->freed = true;
        tf_handle_retire(&dup->obj);
        tf_comm_release(dup);
        tf_request_abandon(request);
        return err;
    }
    *newcomm = handle_of(dup);
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

/* The group of those who chose `color`, by key and then by rank in `comm`. */
static struct tf_group *split_group(const struct tf_comm *comm, const struct choice *choices, int color)
{
    struct tf_group *group = NULL;
    int n = 0;
    struct member *members = tf_alloc((size_t)comm->size * sizeof *members, "the members of a split");
    if (!members)
        return NULL;
    for (int r = 0; r < comm->size; r++) {
        if (choices[r].color == color)
            members[n++] = (struct member){choices[r].key, r};
    }
    qsort(members, (size_t)n, sizeof *members, member_order);
    int *world = tf_alloc((size_t)n * sizeof *world, "the ranks of a group");
    if (world) {
        for (int i = 0; i < n; i++)
            world[i] = comm->group->world[members[i].rank];
        group = tf_group_create_object(n, world);
    }
    free(members);
    return group;
}

static int split(struct tf_comm *comm, int color, int key, MPI_Comm *newcomm)
{
    struct choice mine = {color, key, comm->rank == 0 ? context_take() : 0};
    struct choice *choices = tf_alloc((size_t)comm->size * sizeof *choices, "the colors and keys of a split");
    if (!choices)
        return MPI_ERR_NO_MEM;
    int err = tf_coll_allgather_bytes(comm, &mine, sizeof mine, choices);
    if (!err)
        err = context_check(choices[0].context);
    if (!err && color == MPI_UNDEFINED) {
        *newcomm = MPI_COMM_NULL;
    } else if (!err) {
        struct tf_group *group = split_group(comm, choices, color);
        err = group ? comm_finish(group, choices[0].context, comm, newcomm) : MPI_ERR_NO_MEM;
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
    if (!err)
        err = context_agree(comm, &context);
    return err ? err : comm_finish(group, context, comm, newcomm);
}

/* Broadcast from rank 0 of `group` along a binomial tree, by messages that no receive of the user can match: parent and
 * children of group rank 6 = 110b, lowest bit 2, are 100b and 111b. */
static int group_bcast(struct tf_comm *comm, const struct tf_group *group, int tag, uint64_t *context)
{
    struct tf_type *byte = tf_type_find(MPI_BYTE);
    int hidden = -100 - tag % (INT_MAX - 100), bit = 1, err = MPI_SUCCESS;
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
    int err = group_check(comm, group);
    if (err)
        return err;
    /* Who is not in the group is not part of the call. */
    if (group->rank == MPI_UNDEFINED) {
        *newcomm = MPI_COMM_NULL;
        return MPI_SUCCESS;
    }
    if (group->rank == 0)
        context = context_take();
    err = group_bcast(comm, group, tag, &context);
    if (!err)
        err = context_check(context);
    return err ? err : comm_finish(group, context, comm, newcomm);
}
