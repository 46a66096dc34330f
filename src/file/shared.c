/* shared.c - the shared file pointer.
 *
 *     one node          a page of shared memory without a name: rank 0 makes it, the others open it through /proc
 *     several nodes,    POINTER ------>  add, or set
 *     or no /proc              <------ POINTED   what it was
 *
 * Nothing of it has a name, so nothing can be left behind.
 */
#include "file/shared.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/limit.h"
#include "coll/coll.h"
#include "msg/await.h"
#include "msg/lost.h"
#include "msg/thread.h"
#include "msg/transfer.h"
#include "net/net.h"

struct tf_shared {
    _Atomic int64_t *place; /* of all; NULL: at rank 0, which is asked */
    _Atomic int64_t own;
    bool mapped, asked; /* by others */
};

enum { PAGE = 4096 };

/* ---- memory ---- */

/* Where the others find it. */
struct page_name {
    int pid, fd;
    uint64_t cookie;
};

struct page {
    _Atomic int64_t pointer;
    uint64_t cookie;
};

static bool map(struct tf_shared *shared, int fd, struct page **page)
{
    void *mapped = fd < 0 ? MAP_FAILED : mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped == MAP_FAILED)
        return false;
    *page = mapped;
    shared->place = &(*page)->pointer;
    shared->mapped = true;
    return true;
}

static void unmap(struct tf_shared *shared)
{
    if (shared->mapped)
        munmap((void *)shared->place, PAGE);
    shared->mapped = false;
    shared->place = NULL;
}

static void make_page(struct tf_shared *shared, struct page_name *name)
{
    struct page *page;
    int fd = memfd_create("treefold-pointer", MFD_CLOEXEC);
    if (fd >= 0 && tf_limit_grow(fd, PAGE) == 0 && map(shared, fd, &page)) {
        page->cookie = (uint64_t)tf_time() ^ (uint64_t)getpid() << 40;
        *name = (struct page_name){getpid(), fd, page->cookie};
    } else if (fd >= 0)
        close(fd);
}

static void take_page(struct tf_shared *shared, const struct page_name *name)
{
    char path[60];
    struct page *page;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", name->pid, name->fd);
    int fd = name->fd < 0 ? -1 : open(path, O_RDWR | O_CLOEXEC);
    if (map(shared, fd, &page) && page->cookie != name->cookie)
        unmap(shared);
    if (fd >= 0)
        close(fd);
}

static bool is_one_node(const struct tf_comm *comm)
{
    for (int rank = 0; rank < comm->size; rank++)
        if (tf_net_node(comm->group->processes[rank]) != tf_net_node(comm->group->processes[0]))
            return false;
    return true;
}

/* All have the page, or none. */
static int share_page(struct tf_comm *comm, struct tf_shared *shared)
{
    struct page_name name = {.fd = -1};
    uint64_t without = 0;
    if (comm->rank == 0)
        make_page(shared, &name);
    int err = tf_coll_bcast_bytes(comm, TF_CALLER_FILE, &name, sizeof name, 0);
    if (!err && comm->rank > 0)
        take_page(shared, &name);
    int failed = tf_coll_max(comm, TF_CALLER_FILE, !shared->mapped, &without);
    if (comm->rank == 0 && name.fd >= 0)
        close(name.fd);
    if (failed || without)
        unmap(shared);
    return failed;
}

/* ---- messages ---- */

struct question {
    struct tf_shared *shared; /* of the asker */
    uint32_t id;
    bool answered, lost, closed;
    const struct tf_peer *peer; /* whom it asks */
    int64_t was;
};

enum { SET = 1, CLOSED = 2 };

static const struct tf_file *file_of(uint64_t context)
{
    uint32_t place = 0;
    const struct tf_file *file;
    while ((file = tf_pool_each(&tf_file_pool, &place)))
        if (file->comm && file->comm->context == context)
            return file;
    return NULL;
}

static void say(struct tf_peer *peer, const struct tf_header *header, const int64_t *number)
{
    if (!tf_out_say(peer, header, number))
        tf_fatal(1, "no memory for a message about a shared file pointer");
}

static void hear_question(struct tf_peer *peer, const struct tf_header *header, void *payload)
{
    int64_t number, was;
    const struct tf_file *file = file_of(header->context);
    struct tf_header answer = {.kind = TF_MSG_POINTED, .length = sizeof was, .id = header->id};
    if (!file) {
        answer.flags = CLOSED;
        say(peer, &answer, &(int64_t){0});
        return;
    }
    struct tf_shared *shared = file->shared;
    memcpy(&number, payload, sizeof number);
    was = header->flags & SET ? atomic_exchange(&shared->own, number) : atomic_fetch_add(&shared->own, number);
    say(peer, &answer, &was);
}

static void hear_answer(struct tf_peer *peer, const struct tf_header *header, void *payload)
{
    struct question *question = tf_id_object(header->id);
    (void)peer;
    memcpy(&question->was, payload, sizeof question->was);
    question->closed = header->flags & CLOSED;
    question->answered = true;
}

static bool is_answered(void *state, bool *moved)
{
    (void)moved;
    return ((struct question *)state)->answered;
}

static const struct tf_peer *peer_of(const void *object)
{
    return ((const struct question *)object)->peer;
}

static void lose(void *object)
{
    struct question *question = object;
    question->answered = question->lost = true;
}

static const struct tf_id_kind questions = {peer_of, lose};

static int ask(struct tf_file *file, int flags, int64_t number, MPI_Offset *was)
{
    struct tf_peer *first = file->comm->peers[0];
    struct question question = {.shared = file->shared, .peer = first};
    tf_net_meet(first);
    if (tf_failure_is(first))
        return tf_lost_error(file->comm, first);
    question.id = tf_id_try(&question, &questions);
    if (!question.id)
        return MPI_ERR_NO_MEM;
    struct tf_header header = {.kind = TF_MSG_POINTER,
                               .flags = (uint8_t)flags,
                               .length = sizeof number,
                               .context = file->comm->context,
                               .id = question.id};
    say(first, &header, &number);
    tf_await(TF_AWAITS_FILE, NULL, is_answered, &question);
    tf_id_give(question.id);
    if (question.lost)
        return tf_lost_error(file->comm, first);
    if (question.closed)
        return tf_error(MPIX_ERR_PROC_FAILED, "%s: rank 0, which has its shared pointer, has closed it without others",
                        file->path);
    *was = question.was;
    return MPI_SUCCESS;
}

void tf_shared_setup(void)
{
    tf_net_handle(TF_MSG_POINTER, hear_question);
    tf_net_handle(TF_MSG_POINTED, hear_answer);
}

/* ---- the pointer ---- */

struct tf_shared *tf_shared_create(void)
{
    struct tf_shared *shared = calloc(1, sizeof *shared);
    if (!shared)
        tf_error(MPI_ERR_NO_MEM, "cannot allocate a shared file pointer");
    return shared;
}

int tf_shared_open(struct tf_file *file)
{
    struct tf_shared *shared = file->shared;
    int err = MPI_SUCCESS;
    if (file->comm->size > 1 && is_one_node(file->comm))
        err = share_page(file->comm, shared);
    if (!shared->place && file->comm->rank == 0) {
        shared->place = &shared->own;
        shared->asked = file->comm->size > 1;
        tf_msg_thread_serve(shared->asked);
    }
    if (file->comm->rank == 0)
        atomic_store(shared->place, file->position);
    return err;
}

void tf_shared_close(struct tf_file *file)
{
    unmap(file->shared);
    tf_msg_thread_serve(-file->shared->asked);
    free(file->shared);
    file->shared = NULL;
}

int tf_shared_add(struct tf_file *file, MPI_Offset etypes, MPI_Offset *before)
{
    if (!file->shared->place)
        return ask(file, 0, etypes, before);
    *before = atomic_fetch_add(file->shared->place, etypes);
    return MPI_SUCCESS;
}

int tf_shared_set(struct tf_file *file, MPI_Offset position)
{
    MPI_Offset was;
    if (!file->shared->place)
        return ask(file, SET, position, &was);
    atomic_store(file->shared->place, position);
    return MPI_SUCCESS;
}
