/* beside.c - see beside.h.
 *
 *     | head: a line of each side | ring of who offered | ring of the other one |
 *
 * Each side's word that it sleeps is in its line there, one for each pair: whoever goes to sleep raises them all
 * (tf_pause_announce).
 */
#include "net/beside/beside.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/limit.h"
#include "base/quota.h"
#include "base/settings.h"
#include "launch/nodes.h"
#include "net/remote/remote.h"
#include "net/shm/sharer.h"
#include "net/shm/shm.h"

enum {
    LAYOUT = 1, /* one more with every change of ring.h and sharer.h */
    HEAD = 4096,
};
enum side { OFFERS, OPENS };

struct tf_beside_pair {
    struct tf_shm_sharer sharer; /* the peer's link */
    struct tf_shm_line *mine;
    struct tf_shm_teller teller;
    struct tf_peer *peer;
    unsigned char *at;
    size_t bytes;
    int file; /* of who offers, until it is opened */
    enum side side;
    void (*hang_up)(void *line);
    void *line;
    struct tf_beside_pair *next;
};

/* Those in use, which a thread that goes to sleep without the big lock looks at; and those of the dead, whose heaps
 * somebody may still look at. */
static pthread_mutex_t pairs_lock = PTHREAD_MUTEX_INITIALIZER;
static struct tf_beside_pair *pairs, *graves;
static int npairs;

/* More processes than processors, the job's own of this node among them. */
static bool crowded(void)
{
    static int processors;
    if (processors == 0) {
        int all = get_nprocs(), quota = tf_quota();
        processors = quota < all ? quota : all;
    }
    return tf_nodes.size + npairs > processors;
}

static void announce(uint32_t how)
{
    pthread_mutex_lock(&pairs_lock);
    for (struct tf_beside_pair *pair = pairs; pair; pair = pair->next)
        atomic_store(&pair->mine->asleep, how);
    pthread_mutex_unlock(&pairs_lock);
}

static void put(struct tf_beside_pair *pair)
{
    pthread_mutex_lock(&pairs_lock);
    pair->next = pairs;
    pairs = pair;
    pthread_mutex_unlock(&pairs_lock);
    npairs++;
    tf_pause_announce = announce;
    tf_pause_crowd(crowded());
}

static void take(const struct tf_beside_pair *pair)
{
    struct tf_beside_pair **place = &pairs;
    pthread_mutex_lock(&pairs_lock);
    while (*place != pair)
        place = &(*place)->next;
    *place = pair->next;
    pthread_mutex_unlock(&pairs_lock);
    npairs--;
    tf_pause_crowd(npairs > 0 && crowded());
}

/* ---- the memory ---- */

static size_t bytes_for(const struct tf_peer *peer)
{
    return HEAD + 2 * tf_ring_bytes(peer->tx.capacity);
}

/* That this one sends by, or the other one. */
static struct tf_ring *ring_of(const struct tf_beside_pair *pair, enum side sender, const struct tf_peer *peer)
{
    return (struct tf_ring *)(pair->at + HEAD + (sender == OPENS ? tf_ring_bytes(peer->tx.capacity) : 0));
}

static void close_file(struct tf_beside_pair *pair)
{
    if (pair->file >= 0)
        close(pair->file);
    pair->file = -1;
}

/* Nobody is to wake this process by a file whose number may soon be another one's. */
static void unmap(struct tf_beside_pair *pair)
{
    if (!pair->at)
        return;
    atomic_store(&pair->mine->asleep, 0);
    munmap(pair->at, pair->bytes);
    pair->at = NULL;
}

void tf_beside_drop(struct tf_beside_pair *pair)
{
    if (!pair)
        return;
    close_file(pair);
    unmap(pair);
    tf_shm_heap_unmap(&pair->sharer.heap);
    free(pair);
}

/* Where addresses are limited, heaps leave room for those of this job alone (heap/region.c). */
static bool has_addresses(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY;
}

static struct tf_beside_pair *map(int file, size_t bytes, enum side side)
{
    struct tf_beside_pair *pair = calloc(1, sizeof *pair);
    void *at = pair ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (at == MAP_FAILED) {
        free(pair);
        return NULL;
    }
    struct tf_shm_line *lines = at;
    *pair = (struct tf_beside_pair){.at = at, .bytes = bytes, .file = -1, .side = side};
    pair->mine = &lines[side];
    pair->sharer.line = &lines[!side];
    pair->sharer.heap.refused = !has_addresses();
    tf_shm_come(pair->mine);
    return pair;
}

/* The system lets this process see the other one's files, as that one has to see ours. */
static bool may_look_into(int pid)
{
    char path[32], target[8];
    snprintf(path, sizeof path, "/proc/%d/exe", pid);
    return readlink(path, target, sizeof target) >= 0;
}

static int make_file(size_t bytes, struct tf_beside_offer *offer)
{
    struct stat facts;
    int file = memfd_create("treefold-beside", MFD_CLOEXEC);
    if (file < 0 || tf_limit_grow(file, bytes) || fchmod(file, 0600) || fstat(file, &facts)) {
        if (file >= 0)
            close(file);
        return -1;
    }
    *offer = (struct tf_beside_offer){file, LAYOUT, facts.st_dev, facts.st_ino, bytes};
    return file;
}

struct tf_beside_pair *tf_beside_make(const struct tf_peer *peer, int pid, struct tf_beside_offer *offer)
{
    int file = may_look_into(pid) ? make_file(bytes_for(peer), offer) : -1;
    struct tf_beside_pair *pair = file >= 0 ? map(file, bytes_for(peer), OFFERS) : NULL;
    if (pair) {
        pair->file = file;
        return pair;
    }
    if (file >= 0)
        close(file);
    *offer = (struct tf_beside_offer){.file = -1};
    return NULL;
}

struct tf_beside_pair *tf_beside_open(const struct tf_peer *peer, int pid, const struct tf_beside_offer *offer)
{
    char path[48];
    struct stat facts;
    struct tf_beside_pair *pair = NULL;
    if (offer->file < 0 || offer->layout != LAYOUT || offer->bytes != bytes_for(peer))
        return NULL;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, offer->file);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return NULL;
    if (!fstat(file, &facts) && facts.st_dev == offer->device && facts.st_ino == offer->inode)
        pair = map(file, offer->bytes, OPENS);
    close(file);
    return pair;
}

bool tf_beside_ready(void)
{
    if (tf_shm_makes_files() || strcmp(tf_settings.net, "tcp") == 0 || !tf_pause_fence())
        return false;
    tf_shm_allow_readers();
    return true;
}

/* ---- in use ---- */

void tf_beside_begin(struct tf_beside_pair *pair, struct tf_peer *peer, void (*hang_up)(void *line), void *line)
{
    close_file(pair);
    pair->peer = peer;
    pair->hang_up = hang_up;
    pair->line = line;
    put(pair);
    tf_shm_heap_begin(&pair->teller, &pair->mine->heap);
    tf_remote_rings_drop(peer);
    peer->tx.ring = ring_of(pair, pair->side, peer);
    peer->rx.ring = ring_of(pair, !pair->side, peer);
    peer->rx.takes_lines = tf_lines_are_taken();
    peer->link = pair;
    peer->sharer = &pair->sharer;
    peer->asleep = &pair->sharer.line->asleep;
    peer->pid = atomic_load(&pair->sharer.line->pid);
    tf_net_change(peer, &tf_net_beside);
    tf_net_wake(peer);
}

static void beside_part(struct tf_peer *peer)
{
    struct tf_beside_pair *pair = peer->link;
    take(pair);
    tf_shm_heap_end(&pair->teller);
    unmap(pair);
    pair->hang_up(pair->line);
    if (peer->failed && pair->sharer.heap.at) {
        pair->next = graves;
        graves = pair;
    } else
        tf_beside_drop(pair);
}

void tf_beside_forget(const struct tf_peer *peer)
{
    struct tf_beside_pair **place = &graves;
    while (*place && (*place)->peer != peer)
        place = &(*place)->next;
    if (!*place)
        return;
    struct tf_beside_pair *pair = *place;
    *place = pair->next;
    tf_beside_drop(pair);
}

static void beside_close(void)
{
    tf_pause_announce = NULL;
    while (pairs) {
        struct tf_beside_pair *pair = pairs;
        tf_shm_heap_end(&pair->teller);
        take(pair);
        tf_beside_drop(pair);
    }
    while (graves)
        tf_beside_forget(graves->peer);
}

const struct tf_net tf_net_beside = {
    .name = "beside",
    .what = "processes of other jobs on the same node, through rings in shared memory",
    .close = beside_close,
    .part = beside_part,
    .wake = tf_shm_wake,
    .shared = true,
    .read = tf_shm_read,
    .is_read_by = tf_shm_is_read_by,
    .write = tf_shm_write,
    .move = tf_shm_move,
    .map = tf_shm_map,
};
