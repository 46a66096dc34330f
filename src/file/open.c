/* open.c - the life of a file: open, close, delete.
 *
 * Rank 0 opens first, and makes the file if it is to be made; then the others open what is there.  If any of them
 * cannot, and all know, none has it, and a file that was made for it is gone again.
 */
#include "file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/settings.h"
#include "coll/coll.h"
#include "construct/newcomm.h"
#include "file/datarep.h"
#include "file/party.h"
#include "file/shared.h"
#include "file/system.h"
#include "file/view.h"
#include "file/worker.h"
#include "msg/await.h"
#include "msg/leave.h"
#include "msg/match.h"
#include "object/errhandler.h"
#include "object/info.h"

struct tf_file tf_file_null = {.obj = {.handle = (uint32_t)(uintptr_t)MPI_FILE_NULL, .refs = 1}, .fd = -1};

struct tf_pool tf_file_pool = {.what = "file",
                               .kind = TF_KIND_FILE,
                               .size = sizeof(struct tf_file),
                               .predef_first = (uint32_t)(uintptr_t)MPI_FILE_NULL,
                               .predef_count = 1,
                               .predef = (struct tf_object *[]){&tf_file_null.obj}};

void tf_file_setup(void)
{
    tf_file_null.errhandler = tf_errhandler_find(MPI_ERRORS_RETURN); /* which is never freed */
    tf_shared_setup();
}

enum { SHOWN = 120 }; /* bytes of a path that an error's text has room for */

struct tf_error_site tf_file_site(const struct tf_file *file)
{
    if (!file || file == &tf_file_null || !file->obj.handle) /* 0: it was closed, and that failed */
        return (struct tf_error_site){tf_file_null.errhandler, TF_KIND_FILE, tf_file_null.obj.handle, "MPI_FILE_NULL"};
    char *name = tf_own(TF_OWN_FILE);
    snprintf(name, SHOWN, "%s", file->path);
    return (struct tf_error_site){file->errhandler, TF_KIND_FILE, file->obj.handle, name};
}

/* ---- the mode (section 14.2.1) ---- */

static int mode_check(int amode)
{
    int known = MPI_MODE_APPEND | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_EXCL | MPI_MODE_RDONLY |
                MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL | MPI_MODE_UNIQUE_OPEN | MPI_MODE_WRONLY;
    int ways = !!(amode & MPI_MODE_RDONLY) + !!(amode & MPI_MODE_RDWR) + !!(amode & MPI_MODE_WRONLY);
    if (amode & ~known)
        return tf_error(MPI_ERR_AMODE, "amode is %d, in which the bits %#x mean nothing", amode, amode & ~known);
    if (ways != 1)
        return tf_error(MPI_ERR_AMODE,
                        "amode has %d of MPI_MODE_RDONLY, MPI_MODE_RDWR and MPI_MODE_WRONLY; it must "
                        "have one",
                        ways);
    if ((amode & MPI_MODE_RDONLY) && (amode & (MPI_MODE_CREATE | MPI_MODE_EXCL)))
        return tf_error(MPI_ERR_AMODE, "amode has MPI_MODE_RDONLY with MPI_MODE_CREATE or MPI_MODE_EXCL");
    if ((amode & MPI_MODE_RDWR) && (amode & MPI_MODE_SEQUENTIAL))
        return tf_error(MPI_ERR_AMODE, "amode has MPI_MODE_RDWR with MPI_MODE_SEQUENTIAL");
    return MPI_SUCCESS;
}

/* ---- the system's part ---- */

/* Who may only write may have to read where it sieves; where that is not allowed it does not sieve. */
static int open_so(struct tf_file *file, int more)
{
    mode_t mode = file->hints.permissions ? (mode_t)file->hints.permissions : 0666;
    file->readable = true;
    file->fd = open(file->path, (file->amode & MPI_MODE_RDONLY ? O_RDONLY : O_RDWR) | O_CLOEXEC | more, mode);
    if (file->fd < 0 && errno == EACCES && (file->amode & MPI_MODE_WRONLY)) {
        file->readable = false;
        file->fd = open(file->path, O_WRONLY | O_CLOEXEC | more, mode);
    }
    return file->fd;
}

static void make(struct tf_file *file)
{
    const struct tf_system *system = file->system ? file->system : tf_system_around(file->path);
    const struct tf_stripes *wanted = &file->hints.stripes;
    bool striped = system->striping && (wanted->factor || wanted->unit || wanted->first);
    int fd = open_so(file, O_CREAT | O_EXCL | (striped ? system->striping->unstriped : 0));
    int reason = striped && fd >= 0 ? system->striping->set(fd, wanted) : 0;
    file->made = fd >= 0;
    if (!reason)
        return;
    tf_log(1, "%s: it cannot be striped as hints say (%s)", file->path, strerror(reason));
    close(fd);
    open_so(file, 0); /* which is when it gets its stripes */
}

/* Whether it was there before decides whether it stays if others cannot open it. */
static int open_first(struct tf_file *file)
{
    if (!(file->amode & MPI_MODE_CREATE))
        return open_so(file, 0);
    make(file);
    if (file->made || errno != EEXIST || (file->amode & MPI_MODE_EXCL))
        return file->fd;
    return open_so(file, O_CREAT);
}

/* Which the system opens for those who only read. */
static bool is_folder(int fd)
{
    struct stat known;
    return fstat(fd, &known) == 0 && S_ISDIR(known.st_mode);
}

static int open_here(struct tf_file *file)
{
    struct rlimit limit;
    int fd = file->comm->rank == 0 ? open_first(file) : open_so(file, 0);
    if (fd < 0 || is_folder(fd))
        return tf_file_error(file->path, fd < 0 ? errno : EISDIR, "rank %d cannot open it", file->comm->rank);
    file->system = file->system ? file->system : tf_system_of(file->fd);
    file->limited = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    file->mapper = tf_mapper_create(file);
    return MPI_SUCCESS;
}

/* What is made of a communicator that breaks meanwhile stays: others may have it, or be about to open it. */
static void close_here(struct tf_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
    if (file->made && !file->comm->match->broken)
        unlink(file->path);
}

/* ---- the object ---- */

static void destroy(struct tf_file *file)
{
    if (file->shared)
        tf_shared_close(file);
    tf_party_leave(file);
    tf_mapper_free(file->mapper);
    if (file->view)
        tf_view_release(file->view);
    if (file->info)
        tf_info_free(file->info);
    if (file->errhandler)
        tf_errhandler_release(file->errhandler);
    if (file->comm)
        tf_comm_release(file->comm);
    free(file->path);
    tf_pool_give(&tf_file_pool, file);
}

static int furnish(struct tf_file *file, const char *filename)
{
    struct tf_type *bytes = tf_type_find(MPI_BYTE);
    file->errhandler = tf_file_null.errhandler;
    tf_errhandler_retain(file->errhandler);
    file->hints = tf_hints_initial;
    file->system = tf_system_named(filename);
    file->path = strdup(tf_system_strip(filename));
    if (!file->path)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate the name of a file");
    file->info = tf_info_copy(NULL);
    file->shared = tf_shared_create();
    return file->info && file->shared ? tf_view_create(0, bytes, bytes, &tf_datarep_native, &file->view)
                                      : MPI_ERR_NO_MEM;
}

static int create(struct tf_comm *comm, const char *filename, int amode, struct tf_file **made)
{
    struct tf_file *file = tf_pool_take(&tf_file_pool);
    if (!file)
        return tf_coll_give_up(comm, MPI_ERR_NO_MEM);
    file->fd = -1;
    file->amode = amode;
    int err = tf_newcomm_private(comm, TF_CALLER_FILE_OPEN, furnish(file, filename), &file->comm);
    if (err) {
        destroy(file);
        return err;
    }
    file->comm->hidden = true;
    tf_newcomm_follow(file->comm, comm);
    *made = file;
    return MPI_SUCCESS;
}

/* ---- together ---- */

/* What all have from rank 0. */
struct opening {
    bool failed; /* which it tells at the end */
    int amode;
    struct tf_file_hints hints;
    MPI_Offset end; /* of the file */
};

static int compare(const struct tf_file *file, const struct opening *opening)
{
    if (file->amode == opening->amode)
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_NOT_SAME, "amode is %d on rank 0 and %d on rank %d; it must be the same on all",
                    opening->amode, file->amode, file->comm->rank);
}

/* Whatever the hints were, this is what is so. */
static void find_stripes(struct tf_file *file)
{
    const struct tf_striping *striping = file->system->striping;
    file->hints.stripes = (struct tf_stripes){0};
    int reason = striping ? striping->get(file->fd, &file->hints.stripes) : 0;
    if (reason)
        tf_log(1, "%s: its stripes are not known (%s)", file->path, strerror(reason));
}

static int lead(struct tf_file *file, const struct tf_info *info, struct opening *opening)
{
    tf_hints_take(&file->hints, info);
    int err = mode_check(file->amode);
    if (!err)
        err = open_here(file);
    if (!err)
        find_stripes(file);
    if (!err)
        err = tf_disk_size(file, &opening->end);
    if (!file->made)
        file->hints.permissions = 0; /* which it has already */
    opening->hints = file->hints;
    opening->failed = err != MPI_SUCCESS;
    return err;
}

static int follow(struct tf_file *file, const struct opening *opening)
{
    int err = compare(file, opening);
    return err || opening->failed || file->comm->rank == 0 ? err : open_here(file);
}

static int open_together(struct tf_file *file, const struct tf_info *info)
{
    struct tf_comm *comm = file->comm;
    struct opening opening = {.amode = file->amode, .hints = file->hints};
    int err = comm->rank == 0 ? lead(file, info, &opening) : MPI_SUCCESS;
    int failed = tf_coll_bcast_bytes(comm, TF_CALLER_FILE, &opening, sizeof opening, 0);
    err = err ? err : failed ? failed : follow(file, &opening);
    file->hints = opening.hints;
    if (!err)
        err = tf_hints_tell(file);
    if (file->amode & MPI_MODE_APPEND)
        file->position = opening.end;
    failed = tf_shared_open(file);
    return tf_file_agree(comm, err ? err : failed);
}

int tf_file_open(struct tf_comm *comm, const char *filename, int amode, const struct tf_info *info, MPI_File *fh)
{
    struct tf_file *file = NULL;
    if (comm->remote)
        return tf_error(MPI_ERR_COMM, "%s is an intercommunicator; a file is opened by the processes of one group",
                        tf_comm_describe(comm));
    int err = create(comm, filename, amode, &file);
    if (err)
        return err;
    err = open_together(file, info);
    tf_newcomm_is_made(file->comm);
    if (err) {
        close_here(file);
        destroy(file);
        return err;
    }
    file->made = false;
    tf_disk_refresh(file);
    if (file->hints.styles)
        tf_disk_advise(file);
    *fh = (MPI_File)(uintptr_t)file->obj.handle;
    return MPI_SUCCESS;
}

/* ---- close ---- */

static bool is_quiet(void *state, bool *moved)
{
    (void)moved;
    return ((struct tf_file *)state)->under_way == 0;
}

static int close_alone(struct tf_file *file)
{
    int fd = file->fd;
    file->fd = -1;
    if (fd >= 0 && close(fd) < 0)
        return tf_file_error(file->path, errno, "rank %d cannot close it", file->comm->rank);
    if ((file->amode & MPI_MODE_DELETE_ON_CLOSE) && file->comm->rank == 0 && unlink(file->path) < 0 && errno != ENOENT)
        return tf_file_error(file->path, errno, "rank 0 cannot delete it");
    return MPI_SUCCESS;
}

/* Operations that go on by themselves may still do so where the program has freed their requests.  Whatever happens the
 * file is closed: who came back would be alone. */
int tf_file_close(struct tf_file *file)
{
    if (file->split)
        return tf_error(MPI_ERR_OTHER, "%s: a split collective is under way; MPI_File_..._end completes it",
                        file->path);
    tf_await(TF_AWAITS_FILE, NULL, is_quiet, file);
    struct tf_comm *comm = file->comm;
    int err = close_alone(file);
    err = tf_file_agree(comm, err);
    tf_comm_retain(comm);
    destroy(file);
    tf_leave_comm(comm);
    return err;
}

int tf_file_delete(const char *filename, const struct tf_info *info)
{
    const char *path = tf_system_strip(filename);
    (void)info; /* no hint says how to delete */
    if (unlink(path) < 0)
        return tf_file_error(path, errno, "it cannot be deleted");
    return MPI_SUCCESS;
}

/* ---- the end ---- */

/* The next one of the World Model that is open.  Those of sessions end with them. */
static struct tf_file *next_left(uint32_t *place)
{
    struct tf_file *file;
    while ((file = tf_pool_each(&tf_file_pool, place)))
        if (file != &tf_file_null && !file->comm->session)
            return file;
    return NULL;
}

static int refuse_left(void)
{
    uint32_t place = 0;
    const struct tf_file *file;
    while ((file = next_left(&place)))
        if (tf_strict() || file->split)
            return tf_error(MPI_ERR_OTHER, "%s is still open: MPI_File_close comes before MPI_Finalize", file->path);
    return MPI_SUCCESS;
}

/* Each rank by itself, as it may have left another number of them than others. */
int tf_file_leave(void)
{
    uint32_t place = 0;
    struct tf_file *file;
    int err = refuse_left();
    while (!err && (file = next_left(&place))) {
        tf_await(TF_AWAITS_FILE, NULL, is_quiet, file);
        err = close_alone(file);
    }
    return err;
}

void tf_file_drop(void)
{
    uint32_t place = 0;
    struct tf_file *file;
    while ((file = next_left(&place)))
        destroy(file);
}

void tf_file_teardown(void)
{
    tf_worker_stop();
    tf_errhandler_release(tf_file_null.errhandler);
    tf_file_null.errhandler = tf_errhandler_find(MPI_ERRORS_RETURN);
}
