/* mapped.c - a range of a file as memory, for many short pieces: a call of the system for each takes many times as
 * long.
 *
 * What is stored there changes these bytes and no others, which somebody else may be writing, so it takes no lock.  In
 * the page cache it is the same as what calls of the system write, and other processes of this host read it at once.
 *
 * A file keeps the range that it had last.  As much is mapped as the cache may have in one piece (a large folio): of a
 * part of it each page is a fault of its own, for which some file systems look at the whole piece.
 */
#define _GNU_SOURCE /* fallocate */
#include "file/system.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/pages.h"

static const MPI_Offset FOLIO = 2 << 20;

/* A page costs about what a call of the system does, and a range some of them. */
enum { FEW_PIECES = 8, PAGE = 4096 };

static const MPI_Offset FAR = INT64_MAX / 2; /* no file is that long */

struct tf_mapper {
    _Atomic bool taken; /* by a thread */
    struct tf_mapped kept;
};

struct tf_mapper *tf_mapper_create(const struct tf_file *file)
{
    bool may = file->system->spare >= 0 && file->readable && !file->limited && !(file->amode & MPI_MODE_RDONLY);
    return may ? calloc(1, sizeof(struct tf_mapper)) : NULL;
}

bool tf_disk_map_wins(const struct tf_file *file, MPI_Count pieces, MPI_Count apart)
{
    return file->mapper && file->hints.ds_write == TF_HINT_AUTOMATIC && pieces >= FEW_PIECES && apart <= PAGE;
}

static void drop(struct tf_mapped *range)
{
    if (range->bytes > 0)
        munmap(range->pages, range->bytes);
    range->bytes = 0;
}

void tf_mapper_free(struct tf_mapper *mapper)
{
    if (mapper)
        drop(&mapper->kept);
    free(mapper);
}

static bool covers(const struct tf_mapped *range, MPI_Offset offset, size_t bytes)
{
    return offset >= range->begin && offset + (MPI_Offset)bytes <= range->begin + (MPI_Offset)range->bytes;
}

static bool cover(struct tf_mapped *range, int fd, MPI_Offset offset, size_t bytes)
{
    if (covers(range, offset, bytes))
        return true;
    drop(range);
    range->begin = offset / FOLIO * FOLIO;
    size_t wanted = (size_t)((offset + (MPI_Offset)bytes - 1) / FOLIO * FOLIO + FOLIO - range->begin);
    range->pages = mmap(NULL, wanted, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)range->begin);
    range->bytes = range->pages == MAP_FAILED ? 0 : wanted;
    return range->bytes > 0;
}

/* Where there is no space a store would be a signal that ends the program: so the system makes the pages writable now,
 * or says that it cannot. */
static bool reserve(int fd, MPI_Offset offset, size_t bytes, char *at)
{
    return fallocate(fd, 0, (off_t)offset, (off_t)bytes) == 0 && tf_pages_map(at, bytes);
}

char *tf_disk_map(struct tf_file *file, MPI_Offset offset, size_t bytes, struct tf_mapped *mapped)
{
    struct tf_mapper *mapper = file->mapper;
    if (!mapper || offset > FAR || (file->system->spare > 0 && tf_system_free(file->fd) < file->system->spare))
        return NULL;
    *mapped = (struct tf_mapped){.kept = !atomic_exchange_explicit(&mapper->taken, true, memory_order_acquire)};
    struct tf_mapped *range = mapped->kept ? &mapper->kept : mapped;
    if (cover(range, file->fd, offset, bytes)) {
        char *at = (char *)range->pages + (offset - range->begin);
        if (reserve(file->fd, offset, bytes, at)) {
            file->unsynced = true;
            return at;
        }
    }
    tf_disk_unmap(file, mapped);
    return NULL;
}

void tf_disk_unmap(const struct tf_file *file, struct tf_mapped *mapped)
{
    if (mapped->kept)
        atomic_store_explicit(&file->mapper->taken, false, memory_order_release);
    else
        drop(mapped);
}

/* ---- pieces ---- */

/* That these bytes were written before.  Nothing else minds the place that this sets. */
static bool is_there(int fd, MPI_Offset begin, MPI_Offset end)
{
    return lseek(fd, (off_t)begin, SEEK_HOLE) >= (off_t)end;
}

/* For who writes alone, a page that is new costs twice what a call does.  (Where all write by themselves they wait for
 * each other in calls, and it costs the same.) */
static bool store(struct tf_file *file, const struct tf_piece *pieces, int n, const char *range, MPI_Offset first)
{
    struct tf_mapped mapped;
    MPI_Offset begin = pieces[0].begin, end = pieces[n - 1].end, span = end - begin, apart = span / n;
    bool wins =
        tf_disk_map_wins(file, n, 2 * apart) || (tf_disk_map_wins(file, n, apart) && is_there(file->fd, begin, end));
    char *to = wins ? tf_disk_map(file, begin, (size_t)span, &mapped) : NULL;
    if (!to)
        return false;
    for (const struct tf_piece *p = pieces; p < pieces + n; p++)
        memcpy(to + (p->begin - begin), range + (p->begin - first), (size_t)(p->end - p->begin));
    tf_disk_unmap(file, &mapped);
    return true;
}

int tf_disk_write_pieces(struct tf_file *file, const struct tf_piece *pieces, int n, const char *range,
                         MPI_Offset first)
{
    int err = MPI_SUCCESS;
    if (store(file, pieces, n, range, first))
        return err;
    for (const struct tf_piece *p = pieces; p < pieces + n && !err; p++) {
        size_t done;
        err = tf_disk_write(file, p->begin, range + (p->begin - first), (size_t)(p->end - p->begin), &done);
    }
    return err;
}
