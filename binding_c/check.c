/* check.c - the words of errors in arguments. */
#include "check.h"

#include <inttypes.h>

#include "env/fork.h"
#include "type/contents.h"

int tf_check_bad_state(void)
{
    if (tf_fork_is_child())
        return tf_fork_refuse();
    if (tf_world.finalized)
        return tf_error(MPI_ERR_OTHER, "MPI has been finalized: only a few inquiries may follow MPI_Finalize");
    return tf_error(MPI_ERR_OTHER, "MPI is not initialized: call MPI_Init or MPI_Init_thread first");
}

int tf_check_bad_handle(const struct tf_pool *pool, const char *name, const void *handle)
{
    /* MPI_COMM_WORLD is valid, but not yet, or no longer; no handle may be after fork(). */
    if ((pool == &tf_comm_pool || tf_fork_is_child()) && check_running())
        return MPI_ERR_OTHER;
    return tf_error(tf_handle_errclass(pool->kind), "%s is %s", name, tf_handle_describe(pool, (uintptr_t)handle));
}

int tf_check_past_comm(const char *name, MPI_Comm handle, struct tf_comm **found)
{
    *found = tf_fork_comm(handle);
    return *found ? MPI_SUCCESS : tf_check_bad_handle(&tf_comm_pool, name, handle);
}

struct tf_error_site tf_check_site(const struct tf_object *on)
{
    switch (on ? tf_handle_kind(on->handle & 0x7fffffffu) : TF_KIND_NONE) {
#define TF_ERRHANDLER(object, KIND, Stem, ctype, word)                                                                 \
    case TF_KIND_##KIND:                                                                                               \
        return tf_##object##_site((const struct tf_##object *)on);
#include "base/gen/handles.def"
    default:
        return tf_comm_site(NULL);
    }
}

struct tf_type *tf_check_no_type(const char *name, MPI_Datatype handle, bool allowed)
{
    if (handle == MPI_DATATYPE_NULL && allowed && !tf_strict())
        return tf_type_find(MPI_BYTE);
    tf_check_bad_handle(&tf_type_pool, name, handle);
    return NULL;
}

int tf_check_bad_count(const char *name, MPI_Count count)
{
    return tf_error(MPI_ERR_COUNT, "%s is %" PRId64 "; it must be at least 0", name, count);
}

int tf_check_large_count(const char *name, MPI_Count count, const struct tf_type *type)
{
    MPI_Count bytes, reach;
    int err = tf_type_packed_size(name, count, type, &bytes);
    if (err || type->size == 0 || !__builtin_mul_overflow(count, type->extent, &reach))
        return err;
    return tf_error(MPI_ERR_COUNT, "%s is %" PRId64 "; so many extents of %" PRId64 " bytes do not fit 64 bits", name,
                    count, (MPI_Count)type->extent);
}

int tf_check_bad_partitions(const char *name, int partitions)
{
    return tf_error(MPI_ERR_ARG, "%s is %d; it must be at least 0", name, partitions);
}

int tf_check_special_root(const char *name, int root, const struct tf_comm *comm)
{
    if (comm->remote && (root == MPI_ROOT || root == MPI_PROC_NULL))
        return MPI_SUCCESS;
    if (comm->remote)
        return tf_error(
            MPI_ERR_ROOT,
            "%s is %d; on the intercommunicator %s it must be MPI_ROOT at the root, "
            "MPI_PROC_NULL on the others of its group, and in the other group the root's rank, between 0 and %d",
            name, root, tf_comm_describe(comm), comm->npeers - 1);
    return tf_error(MPI_ERR_ROOT, "%s is %d; it must be between 0 and %d, the highest rank of %s", name, root,
                    comm->size - 1, tf_comm_describe(comm));
}

static int refuse_wildcard(int class, const char *name, const char *wildcard, const char *hint,
                           const struct tf_comm *comm)
{
    return tf_error(class, "%s is %s, but the hint %s was given to %s, that nobody does so here", name, wildcard, hint,
                    tf_comm_describe(comm));
}

int tf_check_bad_rank(const char *name, int rank, const struct tf_comm *comm, bool source)
{
    if (source && rank == MPI_ANY_SOURCE)
        return refuse_wildcard(MPI_ERR_RANK, name, "MPI_ANY_SOURCE", "mpi_assert_no_any_source", comm);
    return tf_error(MPI_ERR_RANK, "%s is %d; it must be between 0 and %d, the highest rank of %s%s, or MPI_PROC_NULL%s",
                    name, rank, comm->npeers - 1, comm->remote ? "the remote group of " : "", tf_comm_describe(comm),
                    source ? " or MPI_ANY_SOURCE" : "");
}

int tf_check_bad_tag(const char *name, int tag, const struct tf_comm *wild)
{
    if (tag == MPI_ANY_TAG && wild)
        return refuse_wildcard(MPI_ERR_TAG, name, "MPI_ANY_TAG", "mpi_assert_no_any_tag", wild);
    if (tag == MPI_ANY_TAG)
        return tf_error(MPI_ERR_TAG, "%s is MPI_ANY_TAG, which only receives and probes may give", name);
    return tf_error(MPI_ERR_TAG, "%s is %d; it must be at least 0%s", name, tag, wild ? " or MPI_ANY_TAG" : "");
}

int tf_check_null(const char *name)
{
    return tf_error(MPI_ERR_ARG, "%s is a null pointer", name);
}

/* Why a datatype does not communicate. */
static const char *uncommitted(const struct tf_type *type)
{
    return tf_type_is_marker(type) ? "which marks a bound of other datatypes and holds no data"
                                   : "which is not committed: call MPI_Type_commit first";
}

int tf_check_uncommitted(const char *name, const struct tf_type *type)
{
    return tf_error(MPI_ERR_TYPE, "%s is %s, %s", name, tf_type_describe(type), uncommitted(type));
}

/* MPI_IN_PLACE and MPI_BUFFER_AUTOMATIC where they make no sense. */
static int check_misplaced(const char *name, const void *buffer)
{
    if (buffer == MPI_IN_PLACE)
        return tf_error(MPI_ERR_BUFFER, "%s is MPI_IN_PLACE, which is not allowed for this argument here", name);
    if (buffer == MPI_BUFFER_AUTOMATIC)
        return tf_error(MPI_ERR_BUFFER, "%s is MPI_BUFFER_AUTOMATIC, which only MPI_Buffer_attach takes", name);
    return MPI_SUCCESS;
}

/* A derived datatype may hold absolute addresses, relative to MPI_BOTTOM, which is null too, and displacements may be
 * such; nobody has data in the first page of addresses. */
static int check_null_buffer(const char *name, const void *buffer, MPI_Aint displ, MPI_Count count,
                             const struct tf_type *type)
{
    if (buffer || count == 0 || type->size == 0 || (uint64_t)displ + (uint64_t)type->true_lb >= 4096)
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_BUFFER, "%s is a null pointer, but there are %" PRId64 " elements of %s", name, count,
                    tf_type_describe(type));
}

int tf_check_special_buffer(const char *name, const void *buffer, MPI_Count count, const struct tf_type *type)
{
    if (count == 0)
        return MPI_SUCCESS;
    int err = check_misplaced(name, buffer);
    return err ? err : check_null_buffer(name, buffer, 0, count, type);
}

/* NULL: none, as there is nothing of it. */
static const struct tf_type *type_at(const struct tf_side *side, int i)
{
    return side->types ? tf_type_find(side->types[i]) : side->type;
}

static MPI_Aint displ_at(const struct tf_side *side, int i, const struct tf_type *type)
{
    return side->displs.array ? tf_counts_at(side->displs, i) * (side->types ? 1 : type->extent) : 0;
}

int tf_check_special_blocks(struct tf_side side)
{
    int err = check_misplaced(side.name, side.buffer);
    for (int i = 0; i < side.n && !err; i++) {
        const struct tf_type *type = type_at(&side, i);
        if (type)
            err =
                check_null_buffer(side.name, side.buffer, displ_at(&side, i, type), tf_counts_at(side.counts, i), type);
    }
    return err;
}

static int refuse_same_buffer(const char *name1, const char *name2)
{
    return tf_error(
        MPI_ERR_BUFFER,
        "%s and %s are the same buffer; they must not overlap (where it is allowed, MPI_IN_PLACE reuses one)", name1,
        name2);
}

int tf_check_same_buffer(const char *name1, const struct tf_type *type1, const char *name2, const struct tf_type *type2)
{
    /* Derived datatypes may interleave, or lie at different places, without overlap. */
    if (type1->size == 0 || type2->size == 0 || !type1->dense || !type2->dense || type1->true_lb != type2->true_lb)
        return MPI_SUCCESS;
    return refuse_same_buffer(name1, name2);
}

/* The bytes of a block, from its buffer's address on; none if it has no data, or gaps, in which another may lie. */
struct span {
    MPI_Count begin, end;
};

static struct span span_of(const struct tf_side *side, int i)
{
    const struct tf_type *type = type_at(side, i);
    if (!type)
        return (struct span){0, 0};
    MPI_Count count = side->counts.array ? tf_counts_at(side->counts, i) : side->count;
    MPI_Count begin = type->true_lb + displ_at(side, i, type);
    return (struct span){begin, type->dense ? begin + count * type->size : begin};
}

/* Of two sides with several blocks only those for the same process are compared. */
int tf_check_same_sides(const struct tf_side *side1, const struct tf_side *side2)
{
    int n = side1->n > side2->n ? side1->n : side2->n;
    for (int i = 0; i < n; i++) {
        struct span x = span_of(side1, side1->counts.array ? i : 0), y = span_of(side2, side2->counts.array ? i : 0);
        if (x.begin < x.end && y.begin < y.end && x.begin < y.end && y.begin < x.end)
            return refuse_same_buffer(side1->name, side2->name);
    }
    return MPI_SUCCESS;
}

int tf_check_counts(const char *name, struct tf_counts counts, MPI_Count n)
{
    int err = check_array(name, counts.array, n);
    for (int i = 0; i < n && !err; i++) /* an array of more than INT_MAX blocks is beyond struct tf_counts */
        if (TF_UNLIKELY(tf_counts_at(counts, i) < 0))
            err = tf_error(MPI_ERR_COUNT, "%s[%d] is %" PRId64 "; it must be at least 0", name, i,
                           tf_counts_at(counts, i));
    return err;
}

/* MPI_DATATYPE_NULL is one where a count is 0, unless strict. */
int tf_check_types(const char *name, const MPI_Datatype *types, struct tf_counts counts, int n)
{
    int err = check_array(name, types, n);
    for (int i = 0; i < n && !err; i++) {
        const struct tf_type *type = tf_type_find(types[i]);
        if (TF_UNLIKELY(!type && types[i] == MPI_DATATYPE_NULL && tf_counts_at(counts, i) == 0 && !tf_strict()))
            continue;
        if (TF_UNLIKELY(!type))
            err =
                tf_error(MPI_ERR_TYPE, "%s[%d] is %s", name, i, tf_handle_describe(&tf_type_pool, (uintptr_t)types[i]));
        else if (TF_UNLIKELY(!type->committed))
            err = tf_error(MPI_ERR_TYPE, "%s[%d] is %s, %s", name, i, tf_type_describe(type), uncommitted(type));
    }
    return err;
}

int tf_check_message(const char *name, const MPI_Message *message)
{
    if (TF_UNLIKELY(!message))
        return tf_check_null(name);
    if (TF_LIKELY(*message == MPI_MESSAGE_NO_PROC || tf_pool_find(&tf_message_pool, (uintptr_t)*message)))
        return MPI_SUCCESS;
    return tf_check_bad_handle(&tf_message_pool, name, *message);
}
