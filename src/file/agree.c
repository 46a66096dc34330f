/* agree.c - what the processes of a file tell each other, so that all learn of an error and nobody waits for ever.
 *
 * A collective procedure is a series of steps that all take, whatever happens to one of them: an error is kept, and
 * told in the last step.  Who left in between, since memory ran out in a step that others have finished, would be
 * waited for.
 */
#include "file/file.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "coll/coll.h"

enum { WORDS = 400 };

/* The words of that rank's error, on all. */
static int tell(struct tf_comm *comm, int err, int root, int class)
{
    char words[WORDS] = "";
    const char *mine = err ? tf_error_text(err) : NULL;
    if (comm->rank == root && mine)
        snprintf(words, sizeof words, "%s", mine);
    int failed = tf_coll_bcast_bytes(comm, TF_CALLER_FILE, words, sizeof words, root);
    if (failed || err)
        return failed ? failed : err;
    return tf_error(class, "rank %d: %s", root, *words ? words : "it gave no reason");
}

int tf_file_agree(struct tf_comm *comm, int err)
{
    /* The greatest word is of the lowest rank. */
    uint64_t mine = err ? (uint64_t)(comm->size - comm->rank) << 32 | (uint32_t)err : 0, worst;
    int failed = tf_coll_max(comm, TF_CALLER_FILE, mine, &worst);
    if (failed || !worst)
        return failed;
    int root = comm->size - (int)(worst >> 32), class = (int)(uint32_t)worst;
    if (class != MPI_ERR_NO_MEM)
        return tell(comm, err, root, class);
    /* It may not have the memory to say more. */
    return err ? err : tf_error(class, "rank %d ran out of memory", root);
}

/* ---- the same call everywhere ---- */

struct same {
    bool failed;
    char procedure[40 + MPI_MAX_DATAREP_STRING];
    int64_t value;
};

static int compare(const struct same *first, const struct same *other, int rank, const char *what)
{
    if (first->failed || other->failed)
        return MPI_SUCCESS;
    if (strcmp(first->procedure, other->procedure) != 0)
        return tf_error(MPI_ERR_OTHER, "the ranks of the file disagree: rank 0 calls %s, rank %d calls %s",
                        first->procedure, rank, other->procedure);
    if (first->value != other->value)
        return tf_error(MPI_ERR_NOT_SAME, "%s is %lld on rank 0 and %lld on rank %d; it must be the same on all", what,
                        (long long)first->value, (long long)other->value, rank);
    return MPI_SUCCESS;
}

int tf_file_same(struct tf_comm *comm, const char *procedure, const char *what, int64_t value, int err)
{
    struct same mine = {.failed = err != MPI_SUCCESS, .value = value};
    struct same *all = tf_alloc((size_t)comm->size * sizeof *all, "what the ranks of a file call");
    if (!all)
        return tf_coll_give_up(comm, err ? err : MPI_ERR_NO_MEM);
    snprintf(mine.procedure, sizeof mine.procedure, "%s", procedure);
    int failed = tf_coll_allgather_bytes(comm, TF_CALLER_FILE, &mine, sizeof mine, all);
    for (int rank = 1; rank < comm->size && !failed && !err; rank++)
        err = compare(&all[0], &all[rank], rank, what);
    free(all);
    return err ? err : failed;
}

/* ---- what the system says ---- */

static int class_of(int system_error)
{
    static const struct {
        int error, class;
    } known[] = {
        {ENOENT, MPI_ERR_NO_SUCH_FILE},
        {EEXIST, MPI_ERR_FILE_EXISTS},
        {EACCES, MPI_ERR_ACCESS},
        {EPERM, MPI_ERR_ACCESS},
        {EROFS, MPI_ERR_READ_ONLY},
        {ENOSPC, MPI_ERR_NO_SPACE},
        {EDQUOT, MPI_ERR_QUOTA},
        {EFBIG, MPI_ERR_QUOTA},
        {ENAMETOOLONG, MPI_ERR_BAD_FILE},
        {ENOTDIR, MPI_ERR_BAD_FILE},
        {EISDIR, MPI_ERR_BAD_FILE},
        {ELOOP, MPI_ERR_BAD_FILE},
        {ETXTBSY, MPI_ERR_FILE_IN_USE},
        {EBUSY, MPI_ERR_FILE_IN_USE},
        {ENOMEM, MPI_ERR_NO_MEM},
        {EOPNOTSUPP, MPI_ERR_UNSUPPORTED_OPERATION},
        {ENOSYS, MPI_ERR_UNSUPPORTED_OPERATION},
        {ENOLCK, MPI_ERR_UNSUPPORTED_OPERATION},
        {ESPIPE, MPI_ERR_UNSUPPORTED_OPERATION},
    };
    for (size_t i = 0; i < TF_ARRAY_LEN(known); i++)
        if (known[i].error == system_error)
            return known[i].class;
    return MPI_ERR_IO;
}

int tf_file_error(const char *path, int system_error, const char *format, ...)
{
    char what[300], reason[100];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (!*path)
        return tf_error(MPI_ERR_BAD_FILE, "the name of the file is empty, %s", what);
    snprintf(reason, sizeof reason, "%s", strerror(system_error));
    if (!isupper((unsigned char)reason[1]))
        reason[0] = (char)tolower((unsigned char)reason[0]);
    return tf_error(class_of(system_error), "%.200s: %s, %s", path, reason, what);
}
