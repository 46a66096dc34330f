/* check.h - what the bindings do with arguments: look handles up and check values.
 *
 * The likely case is inline, the words of an error are out of line and cold.  Each function returns MPI_SUCCESS or the
 * class of an error that it has recorded with tf_error(), with the argument's name and value.
 */
#ifndef TF_BINDING_CHECK_H
#define TF_BINDING_CHECK_H

/* The library hides its symbols; what mpi.h declares is what it shows. */
#pragma GCC visibility push(default)
#include "mpi.h"
#pragma GCC visibility pop

#include "base/settings.h"
#include "comm/comm.h"
#include "op/op.h"
#include "type/type.h"

/* A profiling tool may define MPI_X itself and call PMPI_X (MPI-5.0 section 15.2). */
#define TF_ALIAS(name) extern __typeof(P##name) name __attribute__((weak, alias("P" #name)))

static inline bool checking(void)
{
    return tf_settings.check;
}

/* ---- the state of the library ---- */

int tf_check_bad_state(void) TF_COLD; /* called before MPI_Init or after MPI_Finalize */

static inline int check_running(void)
{
    return TF_LIKELY(tf_world.initialized && !tf_world.finalized) ? MPI_SUCCESS : tf_check_bad_state();
}

/* ---- handles: *object is set only on success ---- */

int tf_check_bad_handle(const struct tf_pool *pool, const char *name, const void *handle) TF_COLD;

#define TF_FINDER(what, ctype)                                                                                         \
    static inline int find_##what(const char *name, ctype handle, struct tf_##what **object)                           \
    {                                                                                                                  \
        struct tf_##what *found = tf_pool_find(&tf_##what##_pool, (uintptr_t)handle);                                  \
        if (TF_UNLIKELY(!found))                                                                                       \
            return tf_check_bad_handle(&tf_##what##_pool, name, handle);                                               \
        *object = found;                                                                                               \
        return MPI_SUCCESS;                                                                                            \
    }
TF_FINDER(comm, MPI_Comm)
TF_FINDER(group, MPI_Group)
TF_FINDER(type, MPI_Datatype)
TF_FINDER(op, MPI_Op)
TF_FINDER(info, MPI_Info)
TF_FINDER(errhandler, MPI_Errhandler)
#undef TF_FINDER

/* An info argument that may be MPI_INFO_NULL. */
static inline int find_hints(const char *name, MPI_Info handle, struct tf_info **object)
{
    return handle == MPI_INFO_NULL ? MPI_SUCCESS : find_info(name, handle, object);
}

/* ---- values ---- */

int tf_check_bad_count(const char *name, MPI_Count count) TF_COLD;
int tf_check_special_root(const char *name, int root, const struct tf_comm *comm) TF_COLD;
int tf_check_bad_rank(const char *name, int rank, const struct tf_comm *comm, bool source) TF_COLD;
int tf_check_bad_tag(const char *name, int tag, bool any) TF_COLD;
int tf_check_null(const char *name) TF_COLD;
int tf_check_uncommitted(const char *name, const struct tf_type *type) TF_COLD;

static inline int check_count(const char *name, MPI_Count count)
{
    return TF_LIKELY(count >= 0) ? MPI_SUCCESS : tf_check_bad_count(name, count);
}
static inline int check_root(const char *name, int root, const struct tf_comm *comm)
{
    return TF_LIKELY((unsigned)root < (unsigned)comm->npeers) ? MPI_SUCCESS : tf_check_special_root(name, root, comm);
}
/* Whether this process has the root's buffers. */
static inline bool is_root(const struct tf_comm *comm, int root)
{
    return root == (TF_LIKELY(!comm->remote) ? comm->rank : MPI_ROOT);
}
/* Whether it has those of the processes that the root serves: on an intracommunicator all, the root included. */
static inline bool is_served(const struct tf_comm *comm, int root)
{
    return TF_LIKELY(!comm->remote) || root >= 0;
}
static inline int check_dest(const char *name, int rank, const struct tf_comm *comm)
{
    return TF_LIKELY((unsigned)rank < (unsigned)comm->npeers || rank == MPI_PROC_NULL)
               ? MPI_SUCCESS
               : tf_check_bad_rank(name, rank, comm, false);
}
static inline int check_source(const char *name, int rank, const struct tf_comm *comm)
{
    return TF_LIKELY((unsigned)rank < (unsigned)comm->npeers || rank == MPI_PROC_NULL || rank == MPI_ANY_SOURCE)
               ? MPI_SUCCESS
               : tf_check_bad_rank(name, rank, comm, true);
}
static inline int check_tag(const char *name, int tag)
{
    return TF_LIKELY(tag >= 0) ? MPI_SUCCESS : tf_check_bad_tag(name, tag, false);
}
static inline int check_anytag(const char *name, int tag)
{
    return TF_LIKELY(tag >= 0 || tag == MPI_ANY_TAG) ? MPI_SUCCESS : tf_check_bad_tag(name, tag, true);
}
/* An address that the library follows. */
static inline int check_out(const char *name, const void *pointer)
{
    return TF_LIKELY(pointer) ? MPI_SUCCESS : tf_check_null(name);
}
static inline int check_committed(const char *name, const struct tf_type *type)
{
    return TF_LIKELY(type->committed) ? MPI_SUCCESS : tf_check_uncommitted(name, type);
}

/* ---- buffers: addresses below 4 are the null pointer and the standard's constants ---- */

int tf_check_special_buffer(const char *name, const void *buffer, MPI_Count count, const struct tf_type *type) TF_COLD;
int tf_check_special_buffers(const char *name, const void *buffer, struct tf_counts counts, int n,
                             const struct tf_type *type) TF_COLD;
int tf_check_same_buffer(const char *name1, const struct tf_type *type1, const char *name2,
                         const struct tf_type *type2) TF_COLD;

static inline int check_buffer(const char *name, const void *buffer, MPI_Count count, const struct tf_type *type)
{
    return TF_LIKELY((uintptr_t)buffer > 3) ? MPI_SUCCESS : tf_check_special_buffer(name, buffer, count, type);
}
/* A buffer of n blocks; `type` is NULL if each has its own. */
static inline int check_buffers(const char *name, const void *buffer, struct tf_counts counts, int n,
                                const struct tf_type *type)
{
    return TF_LIKELY((uintptr_t)buffer > 3) ? MPI_SUCCESS : tf_check_special_buffers(name, buffer, counts, n, type);
}
/* Two buffers that must not overlap. */
static inline int check_apart(const char *name1, const void *buffer1, MPI_Count count1, const struct tf_type *type1,
                              const char *name2, const void *buffer2, MPI_Count count2, const struct tf_type *type2)
{
    return TF_LIKELY(buffer1 != buffer2 || count1 == 0 || count2 == 0)
               ? MPI_SUCCESS
               : tf_check_same_buffer(name1, type1, name2, type2);
}

/* ---- arrays ---- */

static inline int check_array(const char *name, const void *array, MPI_Count n)
{
    return TF_LIKELY(array || n == 0) ? MPI_SUCCESS : tf_check_null(name);
}
int tf_check_counts(const char *name, struct tf_counts counts, MPI_Count n);
int tf_check_types(const char *name, const MPI_Datatype *types, int n);
/* A message that a matched probe gave, or MPI_MESSAGE_NO_PROC. */
int tf_check_message(const char *name, const MPI_Message *message);

/* ---- results that are int in MPI_X and MPI_Count in MPI_X_c ---- */

struct number_out {
    void *pointer;
    bool large;
};

static inline struct number_out int_out(int *pointer)
{
    return (struct number_out){pointer, false};
}
static inline struct number_out large_out(MPI_Count *pointer)
{
    return (struct number_out){pointer, true};
}
static inline int number_get(const char *name, struct number_out number, MPI_Count *value)
{
    if (!number.pointer)
        return tf_check_null(name);
    *value = number.large ? *(MPI_Count *)number.pointer : *(int *)number.pointer;
    return MPI_SUCCESS;
}
/* What does not fit an int is MPI_UNDEFINED, as the standard says of sizes and counts. */
static inline void number_put(struct number_out number, MPI_Count value)
{
    if (number.large)
        *(MPI_Count *)number.pointer = value;
    else
        *(int *)number.pointer = value == (int)value ? (int)value : MPI_UNDEFINED;
}

#endif
