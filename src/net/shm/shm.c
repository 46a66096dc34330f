/* shm.c - processes of one node (launch/nodes.h): one segment of shared memory that holds a ring for each ordered pair.
 *
 *     first pages                              then p*p rings, [sender * p + receiver], none on the diagonal
 *     magic, p, lines and processors of a rank   | ring 0->1 | ring 0->2 | ... | ring 1->0 | ...
 *
 * p counts the processes of the node, and so do the places in the segment (tf_launch_place).  The segment has no name:
 * the first of them creates a memfd and the others open it through /proc/PID/fd, so nothing can be left
 * behind by whatever end.  With the setting shm_backing=file it is a file in /dev/shm (mode 0600, reserved in full
 * before use, unlinked as soon as everyone is attached), for machines where /proc is hidden.  See UCX's posix transport
 * for the precedent of both.
 *
 * Where processes come one by one (sessions) the launcher keeps the memory, and a process is there as soon as it has
 * mapped it: nobody waits for anybody, and what is sent to one that has not come yet waits in its ring.
 */
#include "net/net.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/limit.h"
#include "base/quota.h"
#include "base/settings.h"
#include "base/yield.h"
#include "launch/launch.h"
#include "launch/nodes.h"
#include "net/awake.h"
#include "net/shm/aside.h"
#include "net/shm/sharer.h"
#include "net/shm/shm.h"

enum { MAGIC = 0x54464c44, FACT_BYTES = 200 };

struct segment_head {
    _Alignas(TF_CACHE_LINE) uint32_t magic, size;
    uint64_t bytes, cookie;
    _Atomic uint64_t processors[TF_MACHINE_PROCESSORS / 64]; /* those that any rank may run on */
    _Atomic uint32_t beyond_quota;                   /* ranks whose control group gives the job fewer than its ranks */
    _Alignas(TF_CACHE_LINE) _Atomic uint64_t worked; /* base/yield.h */
    _Alignas(TF_CACHE_LINE) _Atomic int32_t asleep;  /* awake.h */
};
struct rank_line {
    struct tf_shm_line line;
    struct tf_processors processors;                 /* that it may run on */
    _Atomic int32_t at;                              /* aside.h */
    _Alignas(TF_CACHE_LINE) struct tf_yield_run run; /* it writes that at each yield */
};

static unsigned char *segment; /* NULL while not attached */
static size_t segment_bytes, rings_at;
static uint32_t capacity;
static int places;                    /* processes of the node */
static struct tf_shm_sharer *sharers; /* by places */
static struct tf_shm_teller teller;

/* Data bytes of each ring: as much as the budget allows, at most 256 KiB, a power of two. */
static uint32_t choose_capacity(int p)
{
    size_t budget = (size_t)tf_settings.shm_size;
    if (budget == 0) {
        budget = (size_t)40 << 20;
        if (strcmp(tf_settings.shm_backing, "file") != 0 && (size_t)p << 22 > budget)
            budget = (size_t)p << 22; /* a memfd is not bound by the 64 MB that containers give /dev/shm, and has
                                         memory only where a ring is used */
    }
    size_t share = budget / ((size_t)p * (size_t)p);
    uint32_t bytes = 256 * 1024;
    while (bytes > 2048 && tf_ring_bytes(bytes) > share)
        bytes /= 2;
    return bytes;
}

static void lay_out(int p)
{
    places = p;
    size_t head = sizeof(struct segment_head) + (size_t)p * sizeof(struct rank_line);
    rings_at = (head + 4095) & ~(size_t)4095;
    segment_bytes = rings_at + (size_t)p * (size_t)p * tf_ring_bytes(capacity);
}

/* By places. */
static struct tf_ring *ring_of(int sender, int receiver)
{
    size_t i = (size_t)sender * (size_t)places + (size_t)receiver;
    return (struct tf_ring *)(segment + rings_at + i * tf_ring_bytes(capacity));
}

static struct rank_line *line_of(int place)
{
    return (struct rank_line *)(segment + sizeof(struct segment_head)) + place;
}

static int own_place(void)
{
    return tf_launch_place(tf_job.rank);
}

static int map_segment(int fd)
{
    sharers = calloc((size_t)places, sizeof *sharers);
    if (!sharers)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate what is kept of the %d processes of the node", places);
    void *at = mmap(NULL, segment_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return tf_error(MPI_ERR_NO_MEM, "cannot map the %zu bytes of shared memory of the job: %s", segment_bytes,
                        strerror(errno));
    segment = at;
    return MPI_SUCCESS;
}

static int create_file(char *name, size_t bytes, int *fd)
{
    snprintf(name, bytes, "/treefold-%s-%d", tf_job.name, (int)getpid());
    *fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (*fd < 0)
        return tf_error(MPI_ERR_NO_SPACE, "cannot create %s in /dev/shm: %s", name + 1, strerror(errno));
    int err = tf_limit_grow(*fd, segment_bytes) ? errno : posix_fallocate(*fd, 0, (off_t)segment_bytes);
    if (!err)
        return MPI_SUCCESS;
    shm_unlink(name);
    close(*fd);
    return tf_error(MPI_ERR_NO_SPACE,
                    "cannot reserve %zu bytes in /dev/shm: %s; give it more space (docker: --shm-size), lower "
                    "TREEFOLD_SHM_SIZE, or use TREEFOLD_SHM_BACKING=memfd",
                    segment_bytes, tf_limit_words(err));
}

static int create_memfd(char *name, size_t bytes, int *fd)
{
    *fd = memfd_create("treefold", MFD_CLOEXEC);
    if (*fd < 0 || tf_limit_grow(*fd, segment_bytes) || fchmod(*fd, 0600)) {
        int reason = errno;
        if (*fd >= 0)
            close(*fd);
        return tf_error(MPI_ERR_NO_MEM, "cannot create %zu bytes of shared memory: %s%s", segment_bytes,
                        tf_limit_words(reason),
                        reason == EFBIG ? "" : "; TREEFOLD_SHM_BACKING=file uses /dev/shm instead");
    }
    snprintf(name, bytes, "/proc/%d/fd/%d", (int)getpid(), *fd);
    return MPI_SUCCESS;
}

/* Whether /proc shows this process by the number that it has. */
static bool is_shown(void)
{
    char number[24] = "";
    return readlink("/proc/self", number, sizeof number - 1) > 0 && atol(number) == (long)getpid();
}

/* Whether the system has memory without a name, and lets us use it: some sandboxes do not. */
static bool has_memfd(void)
{
    int fd = memfd_create("treefold", MFD_CLOEXEC);
    if (fd >= 0)
        close(fd);
    return fd >= 0 || (errno != ENOSYS && errno != EPERM && errno != EACCES);
}

/* Asked once, as it takes several calls. */
static bool can_do_without_names(void)
{
    static enum { UNKNOWN, NO, YES } can;
    if (can == UNKNOWN)
        can = is_shown() && has_memfd() ? YES : NO;
    return can == YES;
}

/* The system lets nobody open the files of a process whose program its user may not read, or that has privileges
 * (prctl(2), PR_SET_DUMPABLE). */
bool tf_shm_makes_files(void)
{
    return strcmp(tf_settings.shm_backing, "file") == 0 || prctl(PR_GET_DUMPABLE) != 1 || !can_do_without_names();
}

static void key_of_node(char *key, size_t bytes)
{
    snprintf(key, bytes, "treefold-shm-%d", tf_launch_node(tf_job.rank));
}

/* The first: create, and tell the others "NAME,COOKIE,CAPACITY", or "!" where there is none: nobody waits in vain. */
static int create_segment(int *fd, char *name, size_t name_bytes)
{
    int err = tf_shm_makes_files() ? create_file(name, name_bytes, fd) : create_memfd(name, name_bytes, fd);
    if (!err)
        err = map_segment(*fd);
    char fact[FACT_BYTES + 40] = "!", key[40];
    if (!err) {
        struct segment_head *head = (struct segment_head *)segment;
        head->magic = MAGIC;
        head->size = (uint32_t)places;
        head->bytes = segment_bytes;
        head->cookie = (uint64_t)tf_time() ^ (uint64_t)getpid() << 40;
        snprintf(fact, sizeof fact, "%s,%llu,%u", name, (unsigned long long)head->cookie, capacity);
    }
    key_of_node(key, sizeof key);
    int err_put = tf_launch_put(key, fact);
    return err ? err : err_put;
}

static int attach_segment(void)
{
    char fact[FACT_BYTES + 40], name[FACT_BYTES], key[40];
    unsigned long long cookie;
    key_of_node(key, sizeof key);
    int err = tf_launch_get(tf_nodes.first, key, fact, sizeof fact);
    if (err)
        return err;
    if (sscanf(fact, "%199[^,],%llu,%u", name, &cookie, &capacity) != 3) {
        tf_launch_barrier(); /* the first does not come, but says why and ends the job */
        return tf_error(MPI_ERR_NO_MEM, "the first rank of this node could not create the shared memory; its message "
                                        "says why");
    }
    lay_out(tf_nodes.size);
    bool of_process = strncmp(name, "/proc/", 6) == 0;
    int fd = of_process ? open(name, O_RDWR | O_CLOEXEC) : shm_open(name, O_RDWR | O_CLOEXEC, 0);
    if (fd < 0)
        return tf_error(MPI_ERR_OTHER, "cannot open the job's shared memory %s: %s; %s", name, strerror(errno),
                        of_process ? "if /proc is restricted, set TREEFOLD_SHM_BACKING=file"
                                   : "the processes of a machine must see the same /dev/shm");
    err = map_segment(fd);
    close(fd);
    if (err)
        return err;
    const struct segment_head *seen = (const struct segment_head *)segment;
    if (seen->magic != MAGIC || seen->cookie != cookie || seen->bytes != segment_bytes)
        return tf_error(MPI_ERR_OTHER, "%s is not the shared memory of this job", name);
    return MPI_SUCCESS;
}

/* By whose process id the others see that it is here, so its line is written before. */
static void come_in(void)
{
    struct rank_line *mine = line_of(own_place());
    sched_getaffinity(0, sizeof mine->processors, (cpu_set_t *)&mine->processors);
    tf_shm_heap_begin(&teller, &mine->line.heap);
    tf_shm_come(&mine->line);
}

static void add_processors(void)
{
    struct segment_head *head = (struct segment_head *)segment;
    const struct tf_processors *mine = &line_of(own_place())->processors;
    for (size_t i = 0; i < TF_ARRAY_LEN(mine->bits); i++)
        atomic_fetch_or(&head->processors[i], mine->bits[i]);
    if (tf_quota() < places)
        atomic_fetch_add(&head->beyond_quota, 1);
}

static struct tf_aside_place place_of(int place)
{
    struct rank_line *line = line_of(place);
    return (struct tf_aside_place){&line->at, &line->line.asleep};
}

/* By which the system tells how long any process has had processors (as clock_getcpuclockid(3) makes it). */
static clockid_t clock_of(int pid)
{
    return (clockid_t)(~(unsigned)pid << 3 | 2);
}

static int64_t one_runs(struct rank_line *line, int64_t from, int64_t now)
{
    int64_t since = atomic_load_explicit(&line->run.since, memory_order_relaxed);
    int64_t time = since == 0 || since > now ? 0 : now - (since > from ? since : from);
    if (time < TF_YIELD_LONG_RUN)
        return time;
    int64_t had = tf_time_by(clock_of(line->line.pid));
    return tf_yield_counts(time, had - atomic_load_explicit(&line->run.had, memory_order_relaxed));
}

static int64_t others_run(int64_t from, int64_t now)
{
    int64_t sum = 0;
    for (int place = 0; place < places; place++)
        sum += place == own_place() ? 0 : one_runs(line_of(place), from, now);
    return sum;
}

/* The system tells none where it knows more of them than fit in our sets. */
static void begin_to_wait(int known, bool crowded)
{
    static struct tf_yield_others others;
    struct segment_head *head = (struct segment_head *)segment;
    int processors = known > 0 ? known : 1, quota = tf_quota();
    if (tf_settings.step_aside)
        tf_aside_begin(place_of, places, own_place());
    tf_pause_asleep = &line_of(own_place())->line.asleep;
    tf_pause_crowded = crowded;
    tf_awake_share(&head->asleep, places, processors < quota ? processors : quota);
    others =
        (struct tf_yield_others){processors, tf_awake_turns(), &head->worked, &line_of(own_place())->run, others_run};
    tf_yield_share(crowded ? &others : NULL);
}

/* Every rank of the node comes to the same answer, since algorithms are chosen by it. */
static void meet_others(void)
{
    const struct segment_head *head = (const struct segment_head *)segment;
    int n = 0;
    for (int i = 0; i < TF_MACHINE_PROCESSORS / 64; i++)
        n += __builtin_popcountll(head->processors[i]);
    begin_to_wait(n, places > n || head->beyond_quota > 0);
}

/* Alone on its node while others are not: nothing to share, but the barriers are everybody's. */
static int attend(void)
{
    int err = tf_launch_barrier();
    return err ? err : tf_launch_barrier();
}

static int shm_transport_open(void)
{
    if (tf_job.size == 1 || tf_nodes.count == tf_job.size)
        return MPI_SUCCESS;
    if (tf_nodes.size == 1)
        return attend();
    char name[FACT_BYTES] = "";
    int fd = -1, err;
    if (own_place() == 0) {
        capacity = choose_capacity(tf_nodes.size);
        lay_out(tf_nodes.size);
        err = create_segment(&fd, name, sizeof name);
        tf_launch_barrier();
    } else {
        err = tf_launch_barrier();
        if (!err)
            err = attach_segment();
    }
    if (!err) {
        come_in();
        add_processors();
        tf_shm_allow_readers();
    }
    if (!err)
        err = tf_launch_barrier(); /* everybody is attached */
    if (fd >= 0)
        close(fd);
    if (name[0] && strncmp(name, "/proc/", 6) != 0)
        shm_unlink(name);
    if (!err)
        meet_others();
    return err;
}

/* That the launcher may run on, from whom the processes have theirs unless they are bound: everybody comes to the same
 * answer, whoever is there. */
static void expect_others(int launcher)
{
    cpu_set_t set;
    int n = sched_getaffinity(launcher, sizeof set, &set) ? get_nprocs() : CPU_COUNT(&set);
    begin_to_wait(n, places > n || tf_quota() < places);
}

static int join_segment(const char *name)
{
    int launcher = 0, fd = open(name, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return tf_error(
            MPI_ERR_OTHER,
            "cannot open the memory %s, which mpiexec keeps for processes that come one by one: %s; is /proc "
            "restricted, or this process in a container of its own?",
            name, strerror(errno));
    int err = map_segment(fd);
    close(fd);
    if (err)
        return err;
    come_in();
    tf_shm_allow_readers();
    sscanf(name, "/proc/%d/", &launcher);
    expect_others(launcher);
    return MPI_SUCCESS;
}

int tf_shm_join(void)
{
    char name[FACT_BYTES];
    capacity = choose_capacity(tf_job.size);
    lay_out(tf_job.size);
    int err = tf_launch_memory(segment_bytes, name, sizeof name);
    return err ? err : join_segment(name);
}

static void shm_transport_close(void)
{
    static _Atomic uint32_t nobody_looks;
    if (segment) {
        tf_aside_end();
        tf_pause_asleep = &nobody_looks;
        tf_yield_share(NULL);
        tf_awake_share(NULL, 0, 0);
        tf_shm_heap_end(&teller);
        for (int i = 0; i < places; i++)
            tf_shm_heap_unmap(&sharers[i].heap);
        munmap(segment, segment_bytes);
    }
    free(sharers);
    sharers = NULL;
    segment = NULL;
}

static int shm_connect(struct tf_peer *peer)
{
    int place = tf_launch_place(peer->rank);
    peer->tx.ring = ring_of(own_place(), place);
    peer->rx.ring = ring_of(place, own_place());
    peer->tx.capacity = peer->rx.capacity = capacity;
    peer->rx.takes_lines = tf_lines_are_taken();
    tf_ring_begin(&peer->rx, peer->tx.ring);
    sharers[place].line = &line_of(place)->line;
    peer->sharer = &sharers[place];
    peer->asleep = &sharers[place].line->asleep;
    peer->pid = atomic_load_explicit(&sharers[place].line->pid, memory_order_acquire);
    return MPI_SUCCESS;
}

static void shm_processors(int world_rank, struct tf_processors *set)
{
    *set = line_of(tf_launch_place(world_rank))->processors;
}

const struct tf_net tf_net_shm = {
    .name = "shm",
    .what = "processes of one node, through rings in shared memory",
    .open = shm_transport_open,
    .close = shm_transport_close,
    .connect = shm_connect,
    .wake = tf_shm_wake,
    .shared = true,
    .read = tf_shm_read,
    .is_read_by = tf_shm_is_read_by,
    .write = tf_shm_write,
    .move = tf_shm_move,
    .map = tf_shm_map,
    .processors = shm_processors,
};
