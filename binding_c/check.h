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

#include <limits.h>

#include "base/caller.h"
#include "base/settings.h"
#include "comm/comm.h"
#include "object/errhandler.h"
#include "op/op.h"
#include "type/type.h"

/* A profiling tool may define MPI_X itself and call PMPI_X (MPI-5.0 section 15.2). */
#define TF_ALIAS(name) extern __typeof(P##name) name __attribute__((weak, alias("P" #name)))

static inline bool checking(void)
{
    return tf_settings.check != TF_CHECK_OFF;
}

/* ---- the state of the library ---- */

int tf_check_bad_state(void) TF_COLD; /* called before MPI_Init or after MPI_Finalize */

static inline int check_running(void)
{
    return TF_LIKELY(tf_library.running) ? MPI_SUCCESS : tf_check_bad_state();
}

/* ---- handles: *found is set only on success ---- */

int tf_check_bad_handle(const struct tf_pool *pool, const char *name, const void *handle) TF_COLD;

#define TF_HANDLE(object, KIND, ctype, ...)                                                                            \
    static inline int find_##object(const char *name, ctype handle, struct tf_##object **found)                        \
    {                                                                                                                  \
        struct tf_##object *o = tf_##object##_find(handle);                                                            \
        if (TF_UNLIKELY(!o))                                                                                           \
            return tf_check_bad_handle(&tf_##object##_pool, name, handle);                                             \
        *found = o;                                                                                                    \
        return MPI_SUCCESS;                                                                                            \
    }
#include "base/gen/handles.def"

/* Where a null handle will do: *found stays NULL. */
static inline int find_comm_or_null(const char *name, MPI_Comm handle, struct tf_comm **found)
{
    return handle == MPI_COMM_NULL ? check_running() : find_comm(name, handle, found);
}
/* One of which a process that fork() made may ask too. */
int tf_check_past_comm(const char *name, MPI_Comm handle, struct tf_comm **found) TF_COLD;
static inline int find_comm_after_fork(const char *name, MPI_Comm handle, struct tf_comm **found)
{
    *found = tf_comm_find(handle);
    return TF_LIKELY(*found) ? MPI_SUCCESS : tf_check_past_comm(name, handle, found);
}
static inline int find_win_or_null(const char *name, MPI_Win handle, struct tf_win **found)
{
    return handle == MPI_WIN_NULL ? MPI_SUCCESS : find_win(name, handle, found);
}
static inline int find_type_or_null(const char *name, MPI_Datatype handle, struct tf_type **found)
{
    return handle == MPI_DATATYPE_NULL ? MPI_SUCCESS : find_type(name, handle, found);
}

/* A datatype that mostly is `other`, which was found as `like`; else it is looked up.  A macro, so that only then. */
#define find_like(handle, other, like, object, looked_up)                                                              \
    (TF_LIKELY((handle) == (other) && (handle) != MPI_DATATYPE_NULL) ? (*(object) = (like), MPI_SUCCESS) : (looked_up))

/* A file that is open.  MPI_FILE_NULL has an object, for what files begin with. */
static inline int find_open_file(const char *name, MPI_File handle, struct tf_file **found)
{
    return handle == MPI_FILE_NULL ? tf_check_bad_handle(&tf_file_pool, name, handle) : find_file(name, handle, found);
}

/* What stands for MPI_DATATYPE_NULL if it is allowed, or NULL with MPI_ERR_TYPE recorded. */
struct tf_type *tf_check_no_type(const char *name, MPI_Datatype handle, bool allowed) TF_COLD;

/* A datatype, which matters to nobody if it is of `nothing`.  A macro, so that `nothing` is looked at
 * only where the handle is none. */
#define find_type_or_nothing(name, handle, nothing, object)                                                            \
    (TF_LIKELY((*(object) = tf_type_find(handle)) != NULL)             ? MPI_SUCCESS                                   \
     : (*(object) = tf_check_no_type(name, handle, (nothing))) != NULL ? MPI_SUCCESS                                   \
                                                                       : MPI_ERR_TYPE)

/* An info argument that may be MPI_INFO_NULL, of which *found stays as it is. */
static inline int find_hints(const char *name, MPI_Info handle, struct tf_info **found)
{
    return handle == MPI_INFO_NULL ? MPI_SUCCESS : find_info(name, handle, found);
}

/* The site of errors on an object of any class that has error handlers; `on` may be NULL. */
struct tf_error_site tf_check_site(const struct tf_object *on) TF_COLD;

/* ---- values ---- */

int tf_check_bad_count(const char *name, MPI_Count count) TF_COLD;
int tf_check_large_count(const char *name, MPI_Count count, const struct tf_type *type) TF_COLD;
int tf_check_bad_partitions(const char *name, int partitions) TF_COLD;
int tf_check_special_root(const char *name, int root, const struct tf_comm *comm) TF_COLD;
int tf_check_bad_rank(const char *name, int rank, const struct tf_comm *comm, bool source) TF_COLD;
int tf_check_bad_tag(const char *name, int tag, const struct tf_comm *wild) TF_COLD; /* NULL: no wildcard either */
int tf_check_null(const char *name) TF_COLD;
int tf_check_uncommitted(const char *name, const struct tf_type *type) TF_COLD;

static inline int check_count(const char *name, MPI_Count count)
{
    return TF_LIKELY(count >= 0) ? MPI_SUCCESS : tf_check_bad_count(name, count);
}
/* The same of elements of that datatype, of which there are not more than can be addressed. */
static inline int check_count_of(const char *name, MPI_Count count, const struct tf_type *type)
{
    return TF_LIKELY((uint64_t)count <= INT_MAX) ? MPI_SUCCESS : tf_check_large_count(name, count, type);
}
static inline int check_partitions(const char *name, int partitions)
{
    return TF_LIKELY(partitions >= 0) ? MPI_SUCCESS : tf_check_bad_partitions(name, partitions);
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
    bool wild = rank == MPI_ANY_SOURCE && !(comm->asserted & TF_ASSERTS_NO_ANY_SOURCE);
    return TF_LIKELY((unsigned)rank < (unsigned)comm->npeers || rank == MPI_PROC_NULL || wild)
               ? MPI_SUCCESS
               : tf_check_bad_rank(name, rank, comm, true);
}
static inline int check_tag(const char *name, int tag)
{
    return TF_LIKELY(tag >= 0) ? MPI_SUCCESS : tf_check_bad_tag(name, tag, NULL);
}
static inline int check_anytag(const char *name, int tag, const struct tf_comm *comm)
{
    return TF_LIKELY(tag >= 0 || (tag == MPI_ANY_TAG && !(comm->asserted & TF_ASSERTS_NO_ANY_TAG)))
               ? MPI_SUCCESS
               : tf_check_bad_tag(name, tag, comm);
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
int tf_check_same_buffer(const char *name1, const struct tf_type *type1, const char *name2,
                         const struct tf_type *type2) TF_COLD;

static inline int check_buffer(const char *name, const void *buffer, MPI_Count count, const struct tf_type *type)
{
    return TF_LIKELY((uintptr_t)buffer > 3) ? MPI_SUCCESS : tf_check_special_buffer(name, buffer, count, type);
}
/* Two buffers that must not overlap. */
static inline int check_apart(const char *name1, const void *buffer1, MPI_Count count1, const struct tf_type *type1,
                              const char *name2, const void *buffer2, MPI_Count count2, const struct tf_type *type2)
{
    return TF_LIKELY(buffer1 != buffer2 || count1 == 0 || count2 == 0)
               ? MPI_SUCCESS
               : tf_check_same_buffer(name1, type1, name2, type2);
}

/* A buffer of one block or several, of which each may have a datatype of its own. */
struct tf_side {
    const char *name;
    const void *buffer;
    MPI_Count count;                 /* of one block */
    struct tf_counts counts, displs; /* of several, in extents, or bytes where there are `types`; NULL: in a row */
    int n;
    const struct tf_type *type;
    const MPI_Datatype *types;
};

static inline struct tf_side one_block(const char *name, const void *buffer, MPI_Count count,
                                       const struct tf_type *type)
{
    return (struct tf_side){.name = name, .buffer = buffer, .count = count, .n = 1, .type = type};
}
static inline struct tf_side blocks(const char *name, const void *buffer, struct tf_counts counts,
                                    struct tf_counts displs, int n, const struct tf_type *type,
                                    const MPI_Datatype *types)
{
    return (struct tf_side){
        .name = name, .buffer = buffer, .counts = counts, .displs = displs, .n = n, .type = type, .types = types};
}

int tf_check_special_blocks(struct tf_side side) TF_COLD;
int tf_check_same_sides(const struct tf_side *side1, const struct tf_side *side2) TF_COLD;

/* A macro, so that `side` is only made where the buffer of several blocks is special. */
#define check_blocks(buffer, side) (TF_LIKELY((uintptr_t)(buffer) > 3) ? MPI_SUCCESS : tf_check_special_blocks(side))

/* Two such buffers that must not overlap. */
static inline int check_sides(struct tf_side side1, struct tf_side side2)
{
    return TF_LIKELY(side1.buffer != side2.buffer) ? MPI_SUCCESS : tf_check_same_sides(&side1, &side2);
}

/* ---- arrays ---- */

static inline int check_array(const char *name, const void *array, MPI_Count n)
{
    return TF_LIKELY(array || n == 0) ? MPI_SUCCESS : tf_check_null(name);
}
int tf_check_counts(const char *name, struct tf_counts counts, MPI_Count n);
int tf_check_types(const char *name, const MPI_Datatype *types, struct tf_counts counts, int n);
/* A message that a matched probe gave, or MPI_MESSAGE_NO_PROC. */
int tf_check_message(const char *name, const MPI_Message *message);

/* ---- results ---- */

/* What a constructor of communicators gives when it fails, as other MPI libraries do: programs compare with it. */
static inline void no_comm(MPI_Comm *comm)
{
    if (comm)
        *comm = MPI_COMM_NULL;
}

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
