/* comm.c - communicators as objects: creation, comparison, the end.
 *
 * A communicator that the user has freed lives on while operations on it are under way; its handle is stale at once.
 */
#include "comm/comm.h"

#include "base/own.h"
#include "base/settings.h"

#include <stdio.h>

#include "comm/group.h"
#include "comm/hints.h"
#include "comm/part.h"
#include "net/net.h"
#include "net/others.h"
#include "object/attr.h"
#include "object/errhandler.h"
#include "object/info.h"

enum { NUMBER_WORLD = 1, NUMBER_SELF = 2 };

struct tf_comm *tf_comm_world, *tf_comm_self, *tf_comm_parent;

static struct tf_object *predefined[3]; /* MPI_COMM_NULL, _WORLD, _SELF */

static char *chunks[TF_POOL_CHUNKS];
struct tf_pool tf_comm_pool = {.what = "communicator",
                               .kind = TF_KIND_COMM,
                               .size = sizeof(struct tf_comm),
                               .predef_first = (uint32_t)(uintptr_t)MPI_COMM_NULL,
                               .predef_count = TF_ARRAY_LEN(predefined),
                               .predef = predefined,
                               .chunks = chunks,
                               .lasting = true};

/* ---- life ---- */

static bool is_predefined(const struct tf_comm *comm)
{
    return comm == tf_comm_world || comm == tf_comm_self;
}

/* Of the joint communicator: those of `low` first. */
static struct tf_group *join(const struct tf_group *low, const struct tf_group *high)
{
    int *processes = tf_alloc((size_t)(low->size + high->size) * sizeof *processes, "the ranks of two groups");
    if (!processes)
        return NULL;
    memcpy(processes, low->processes, (size_t)low->size * sizeof *processes);
    memcpy(processes + low->size, high->processes, (size_t)high->size * sizeof *processes);
    return tf_group_create_object(low->size + high->size, processes);
}

static int comm_join(struct tf_comm *comm, struct tf_group *remote, bool leads, const struct tf_comm *parent)
{
    struct tf_group *both = leads ? join(comm->group, remote) : join(remote, comm->group);
    if (!both)
        return MPI_ERR_NO_MEM;
    comm->joint = tf_comm_prepare(both, NULL, false, parent);
    tf_group_release(both);
    return comm->joint ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* With processes of other jobs; of an intercommunicator the joint one does. */
static bool connects(const struct tf_comm *comm)
{
    return comm->group && !comm->remote && comm->group->mixed;
}

/* Fill a zeroed communicator up to the context id. */
static int comm_fill(struct tf_comm *comm, struct tf_group *group, struct tf_group *remote, bool leads,
                     const struct tf_comm *parent)
{
    const struct tf_group *whom = remote ? remote : group;
    comm->joint = comm;
    comm->rank = group->rank;
    comm->size = group->size;
    comm->npeers = whom->size;
    comm->peers = tf_alloc((size_t)whom->size * sizeof *comm->peers, "the peers of a communicator");
    if (!comm->peers)
        return MPI_ERR_NO_MEM;
    for (int r = 0; r < whom->size; r++)
        comm->peers[r] = tf_net_peer(whom->processes[r]);
    tf_group_retain(group);
    comm->group = group;
    if (remote)
        tf_group_retain(remote);
    comm->remote = remote;
    if (connects(comm))
        tf_others_connect(group->processes, group->size);
    comm->session = parent ? parent->session : group->session;
    if (remote && comm_join(comm, remote, leads, parent))
        return MPI_ERR_NO_MEM;
    comm->errhandler = parent ? parent->errhandler : tf_errhandler_initial();
    tf_errhandler_retain(comm->errhandler);
    tf_hints_default(comm);
    return tf_part_create(comm);
}

/* Undo comm_fill() and tf_comm_start(); safe at any stage of the first. */
static void comm_clear(struct tf_comm *comm)
{
    if (connects(comm))
        tf_others_part(comm->group->processes, comm->group->size, comm->parted || comm->context == 0);
    if (comm->joint && comm->joint != comm) {
        comm->joint->parted = comm->parted;
        tf_comm_release(comm->joint);
    }
    tf_part_destroy(comm);
    tf_attrs_discard(&comm->attrs);
    if (comm->info)
        tf_info_free(comm->info);
    if (comm->errhandler)
        tf_errhandler_release(comm->errhandler);
    if (comm->group)
        tf_group_release(comm->group);
    if (comm->remote)
        tf_group_release(comm->remote);
    free(comm->peers);
}

void tf_comm_start(struct tf_comm *comm, uint64_t context)
{
    comm->context = context;
    tf_part_start(comm);
    if (comm->joint != comm) {
        snprintf(comm->joint->name, sizeof comm->joint->name, "both groups of 0x%x together, %d and %d processes",
                 comm->obj.handle & 0x7fffffffu, tf_comm_leads(comm) ? comm->size : comm->npeers,
                 tf_comm_leads(comm) ? comm->npeers : comm->size);
        tf_comm_start(comm->joint, context + 1);
        tf_handle_retire(&comm->joint->obj);
    }
    tf_handle_revive(&comm->obj);
}

struct tf_comm *tf_comm_reserve(void)
{
    struct tf_comm *comm = tf_pool_take(&tf_comm_pool);
    if (comm)
        tf_handle_retire(&comm->obj);
    return comm;
}

void tf_comm_empty(struct tf_comm *comm)
{
    comm_clear(comm);
    *comm = (struct tf_comm){.obj = comm->obj};
}

int tf_comm_fill(struct tf_comm *comm, struct tf_group *group, struct tf_group *remote, bool leads,
                 const struct tf_comm *parent)
{
    int err = comm_fill(comm, group, remote, leads, parent);
    if (err)
        tf_comm_empty(comm);
    return err;
}

struct tf_comm *tf_comm_prepare(struct tf_group *group, struct tf_group *remote, bool leads,
                                const struct tf_comm *parent)
{
    struct tf_comm *comm = tf_comm_reserve();
    if (!comm)
        return NULL;
    if (tf_comm_fill(comm, group, remote, leads, parent)) {
        tf_pool_give(&tf_comm_pool, comm);
        return NULL;
    }
    return comm;
}

/* Outside of the pool, in `comm`. */
static struct tf_comm *comm_create_at(struct tf_comm *comm, struct tf_group *group, uint64_t context, uintptr_t handle)
{
    *comm = (struct tf_comm){.obj = {.handle = (uint32_t)handle, .refs = 1}};
    if (comm_fill(comm, group, NULL, false, NULL)) {
        comm_clear(comm);
        return NULL;
    }
    tf_comm_start(comm, context);
    return comm;
}

static struct tf_comm *comm_create_predefined(struct tf_group *group, uint64_t context, uintptr_t handle)
{
    static struct tf_comm storage[TF_ARRAY_LEN(predefined)];
    size_t i = handle - tf_comm_pool.predef_first;
    struct tf_comm *comm = comm_create_at(&storage[i], group, context, handle);
    if (comm)
        predefined[i] = &comm->obj;
    return comm;
}

static struct tf_comm *comm_create(struct tf_group *group, struct tf_group *remote, bool leads, uint64_t context,
                                   const struct tf_comm *parent)
{
    struct tf_comm *comm = tf_comm_prepare(group, remote, leads, parent);
    if (comm)
        tf_comm_start(comm, context);
    return comm;
}

struct tf_comm *tf_comm_create_object(struct tf_group *group, uint64_t context, const struct tf_comm *parent,
                                      uintptr_t handle)
{
    if (handle)
        return comm_create_predefined(group, context, handle);
    return comm_create(group, NULL, false, context, parent);
}

struct tf_comm *tf_comm_create_internal(struct tf_group *group, enum tf_internal which, const char *name)
{
    static struct tf_comm storage[TF_INTERNAL_END - TF_INTERNAL_LOBBY];
    struct tf_comm *comm = comm_create_at(&storage[which - TF_INTERNAL_LOBBY], group, tf_comm_context(0, which), 0);
    if (comm)
        strcpy(comm->name, name);
    return comm;
}

struct tf_comm *tf_comm_create_inter(struct tf_group *group, struct tf_group *remote, bool leads, uint64_t context,
                                     const struct tf_comm *parent)
{
    return comm_create(group, remote, leads, context, parent);
}

void tf_comm_retain(struct tf_comm *comm)
{
    comm->obj.refs++;
}

void tf_comm_release(struct tf_comm *comm)
{
    if (--comm->obj.refs > 0)
        return;
    uint32_t handle = comm->obj.handle;
    comm_clear(comm);
    if (handle >= 4096)
        tf_pool_give(&tf_comm_pool, comm);
    else if (handle)
        predefined[handle - tf_comm_pool.predef_first] = NULL;
}

int tf_comm_free(struct tf_comm *comm)
{
    if (is_predefined(comm))
        return tf_error(MPI_ERR_COMM, "%s cannot be freed", tf_comm_describe(comm));
    if (comm == tf_comm_parent)
        tf_comm_parent = NULL;
    int err = tf_part_leave(comm);
    if (!err)
        err = tf_attrs_delete_all(&comm->attrs, comm->obj.handle);
    if (err)
        return err;
    comm->freed = true;
    tf_handle_retire(&comm->obj);
    tf_comm_release(comm);
    return MPI_SUCCESS;
}

int tf_comm_part(struct tf_comm *comm)
{
    comm->parted = true;
    return tf_comm_free(comm);
}

/* ---- the predefined ones ---- */

static struct tf_comm *comm_create_named(int size, int first, uint64_t context, MPI_Comm handle, const char *name)
{
    int *processes = tf_alloc((size_t)size * sizeof *processes, "the ranks of MPI_COMM_WORLD");
    if (!processes)
        return NULL;
    for (int r = 0; r < size; r++)
        processes[r] = first + r;
    struct tf_group *group = tf_group_create_object(size, processes);
    if (!group)
        return NULL;
    struct tf_comm *comm = tf_comm_create_object(group, context, NULL, (uintptr_t)handle);
    tf_group_release(group);
    if (comm)
        strcpy(comm->name, name);
    return comm;
}

int tf_comm_setup(void)
{
    uint64_t world = tf_comm_context(0, NUMBER_WORLD), self = tf_comm_context(tf_job.rank + 1, NUMBER_SELF);
    tf_comm_world = comm_create_named(tf_job.size, 0, world, MPI_COMM_WORLD, "MPI_COMM_WORLD");
    if (!tf_comm_world)
        return MPI_ERR_NO_MEM;
    tf_comm_self = comm_create_named(1, tf_job.rank, self, MPI_COMM_SELF, "MPI_COMM_SELF");
    if (!tf_comm_self) {
        tf_comm_teardown();
        return MPI_ERR_NO_MEM;
    }
    return MPI_SUCCESS;
}

int tf_comm_teardown_self(void)
{
    int err = tf_attrs_delete_all(&tf_comm_self->attrs, (uintptr_t)MPI_COMM_SELF);
    int err_world = tf_attrs_delete_all(&tf_comm_world->attrs, (uintptr_t)MPI_COMM_WORLD);
    return err ? err : err_world;
}

void tf_comm_teardown(void)
{
    if (tf_comm_parent) {
        tf_comm_parent->parted = true;
        tf_comm_release(tf_comm_parent);
        tf_comm_parent = NULL;
    }
    if (tf_comm_self)
        tf_comm_release(tf_comm_self);
    if (tf_comm_world)
        tf_comm_release(tf_comm_world);
    tf_comm_self = tf_comm_world = NULL;
}

/* ---- accessors ---- */

int tf_comm_size(const struct tf_comm *comm, int *size)
{
    *size = comm->size;
    return MPI_SUCCESS;
}

int tf_comm_rank(const struct tf_comm *comm, int *rank)
{
    *rank = comm->rank;
    return MPI_SUCCESS;
}

int tf_comm_group(struct tf_comm *comm, MPI_Group *group)
{
    *group = tf_group_share(comm->group);
    comm->group->session = comm->session;
    return MPI_SUCCESS;
}

int tf_comm_test_inter(const struct tf_comm *comm, int *flag)
{
    *flag = comm->remote != NULL;
    return MPI_SUCCESS;
}

static int inter_check(const struct tf_comm *comm)
{
    if (comm->remote)
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_COMM, "%s is an intracommunicator; only an intercommunicator has a remote group",
                    tf_comm_describe(comm));
}

int tf_comm_remote_size(const struct tf_comm *comm, int *size)
{
    int err = inter_check(comm);
    if (!err)
        *size = comm->remote->size;
    return err;
}

int tf_comm_remote_group(struct tf_comm *comm, MPI_Group *group)
{
    int err = inter_check(comm);
    if (!err)
        *group = tf_group_share(comm->remote);
    return err;
}

int tf_comm_compare(const struct tf_comm *comm1, const struct tf_comm *comm2, int *result)
{
    int local, remote = MPI_IDENT, err;
    if (comm1 == comm2) {
        *result = MPI_IDENT;
        return MPI_SUCCESS;
    }
    if (!comm1->remote != !comm2->remote) {
        *result = MPI_UNEQUAL;
        return MPI_SUCCESS;
    }
    if ((err = tf_group_compare(comm1->group, comm2->group, &local)))
        return err;
    if (comm1->remote && (err = tf_group_compare(comm1->remote, comm2->remote, &remote)))
        return err;
    if (local == MPI_UNEQUAL || remote == MPI_UNEQUAL)
        *result = MPI_UNEQUAL;
    else
        *result = local == MPI_IDENT && remote == MPI_IDENT ? MPI_CONGRUENT : MPI_SIMILAR;
    return MPI_SUCCESS;
}

/* ---- names ---- */

const char *tf_comm_describe(const struct tf_comm *comm)
{
    if (is_predefined(comm) && comm->name[0] == '\0')
        return comm == tf_comm_world ? "MPI_COMM_WORLD" : "MPI_COMM_SELF";
    _Static_assert(MPI_MAX_OBJECT_NAME + 40 <= TF_OWN_BYTES, "it fits into a piece");
    char *text = tf_own(TF_OWN_COMM);
    if (comm->name[0])
        snprintf(text, TF_OWN_BYTES, "%s", comm->name);
    else if (comm->remote)
        snprintf(text, TF_OWN_BYTES, "0x%x between %d and %d processes", comm->obj.handle & 0x7fffffffu, comm->size,
                 comm->npeers);
    else
        snprintf(text, TF_OWN_BYTES, "0x%x of %d process%s", comm->obj.handle & 0x7fffffffu, comm->size,
                 comm->size == 1 ? "" : "es");
    return text;
}

/* What concerns no object is raised on MPI_COMM_SELF, or where there is none on the initial error handler (MPI-5.0
 * section 9.3).  Until MPI-3.1 it was MPI_COMM_WORLD, and programs give only that one a handler: as long as
 * MPI_COMM_SELF has none of its own. */
static const struct tf_comm *comm_of_nothing(void)
{
    bool has_none = tf_comm_self && tf_comm_self->errhandler == tf_errhandler_initial();
    return has_none && tf_comm_world && !tf_strict() ? tf_comm_world : tf_comm_self;
}

struct tf_error_site tf_comm_site(const struct tf_comm *comm)
{
    const struct tf_comm *on = comm ? comm : comm_of_nothing();
    if (!on) {
        if (tf_library.users == 0)
            tf_settings_load(false);
        return (struct tf_error_site){.errhandler = tf_errhandler_initial(), .kind = TF_KIND_COMM};
    }
    return (struct tf_error_site){on->errhandler, TF_KIND_COMM, on->obj.handle, comm ? tf_comm_describe(comm) : NULL};
}
