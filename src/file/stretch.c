/* stretch.c - pieces of a file as few numbers; see stretch.h. */
#include "file/stretch.h"

#include "type/runs.h"

static int make_room(struct tf_stretches *list, size_t more)
{
    size_t needed = list->n + more, room = needed > 2 * list->room ? needed : 2 * list->room;
    if (needed <= list->room)
        return MPI_SUCCESS;
    struct tf_stretch *at = realloc(list->at, room * sizeof *at);
    if (!at)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate %zu bytes for a list of %zu pieces of a file",
                        room * sizeof *at, needed);
    list->at = at;
    list->room = room;
    return MPI_SUCCESS;
}

/* More pieces of the last stretch, if they are of its kind. */
static bool continues(struct tf_stretch *last, const struct tf_stretch *more)
{
    MPI_Count apart = more->offset - (last->offset + (last->count - 1) * last->stride);
    if (last->length != more->length || (last->count > 1 && last->stride != apart) ||
        (more->count > 1 && more->stride != apart))
        return false;
    last->stride = apart;
    last->count += more->count;
    return true;
}

int tf_stretch_list(struct tf_stretches *list, struct tf_walk *cursor, MPI_Count bytes)
{
    list->n = 0;
    for (list->bytes = 0; list->bytes < bytes;) {
        struct tf_stretch s = {.count = 1};
        s.length = tf_walk_next(cursor, bytes - list->bytes, &s.offset);
        s.count += tf_walk_repeat(cursor, s.length, bytes - list->bytes - s.length, &s.stride);
        list->bytes += s.length * s.count;
        if (list->n > 0 && continues(&list->at[list->n - 1], &s))
            continue;
        int err = make_room(list, 1);
        if (err)
            return err;
        list->at[list->n++] = s;
    }
    return MPI_SUCCESS;
}

int tf_stretch_append(struct tf_stretches *list, const void *more, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct tf_stretch one;
        memcpy(&one, (const char *)more + i * sizeof one, sizeof one);
        list->bytes += one.length * one.count;
    }
    int err = make_room(list, n);
    if (err || n == 0)
        return err;
    memcpy(list->at + list->n, more, n * sizeof *list->at);
    list->n += n;
    return MPI_SUCCESS;
}

void tf_stretch_free(struct tf_stretches *list)
{
    free(list->at);
    *list = (struct tf_stretches){0};
}

/* ---- walking ---- */

MPI_Count tf_stretch_look(const struct tf_stretch_walk *walk, MPI_Offset *offset)
{
    if (walk->i == walk->list->n)
        return 0;
    const struct tf_stretch *s = &walk->list->at[walk->i];
    *offset = s->offset + walk->k * s->stride + walk->skip;
    return s->length - walk->skip;
}

void tf_stretch_pass(struct tf_stretch_walk *walk, MPI_Count bytes)
{
    const struct tf_stretch *s = &walk->list->at[walk->i];
    walk->skip += bytes;
    if (walk->skip < s->length)
        return;
    walk->skip = 0;
    if (++walk->k < s->count)
        return;
    walk->k = 0;
    walk->i++;
}

/* Whole pieces of a stretch at a time, as far as there are. */
static size_t copy_some(enum tf_runs_way way, struct tf_stretch_walk *walk, char *place, char *data, size_t bytes)
{
    const struct tf_stretch *s = &walk->list->at[walk->i];
    size_t left = (size_t)(s->length - walk->skip), n = bytes / (size_t)s->length;
    if (walk->skip > 0 || n == 0) {
        n = left < bytes ? left : bytes;
        tf_runs_one(way, (uintptr_t)place, data, n);
        tf_stretch_pass(walk, (MPI_Count)n);
        return n;
    }
    n = n < (size_t)(s->count - walk->k) ? n : (size_t)(s->count - walk->k);
    tf_runs_row(way, (uintptr_t)place, (ptrdiff_t)s->stride, data, (size_t)s->length, n);
    walk->k += (MPI_Count)n - 1;
    tf_stretch_pass(walk, s->length);
    return n * (size_t)s->length;
}

static void copy(enum tf_runs_way way, struct tf_stretch_walk *walk, char *range, MPI_Offset begin, char *data,
                 size_t bytes)
{
    MPI_Offset offset = 0;
    for (size_t n; bytes > 0 && tf_stretch_look(walk, &offset) > 0; data += n, bytes -= n)
        n = copy_some(way, walk, range + (offset - begin), data, bytes);
}

void tf_stretch_scatter(struct tf_stretch_walk *walk, char *range, MPI_Offset begin, const char *data, size_t bytes)
{
    copy(TF_UNPACK, walk, range, begin, (char *)data, bytes);
}

void tf_stretch_gather(struct tf_stretch_walk *walk, const char *range, MPI_Offset begin, char *data, size_t bytes)
{
    copy(TF_PACK, walk, (char *)range, begin, data, bytes);
}

MPI_Count tf_stretch_before(const struct tf_stretches *list, MPI_Offset end)
{
    struct tf_stretch_walk walk = {.list = list};
    MPI_Count bytes = 0, length;
    MPI_Offset offset = 0;
    if (end == INT64_MAX)
        return list->bytes;
    while ((length = tf_stretch_look(&walk, &offset)) > 0 && offset < end) {
        bytes += length < end - offset ? length : end - offset;
        tf_stretch_pass(&walk, length);
    }
    return bytes;
}

/* ---- what several cover ---- */

static bool find_first(const struct tf_stretch_walk *walks, int n, MPI_Offset *begin)
{
    MPI_Offset offset = 0;
    bool found = false;
    for (int i = 0; i < n; i++)
        if (tf_stretch_look(&walks[i], &offset) > 0 && (!found || offset < *begin)) {
            *begin = offset;
            found = true;
        }
    return found;
}

static int after(int i, int n)
{
    return i + 1 < n ? i + 1 : 0;
}

/* To the end of the pieces that are less than `gap` apart, at once where those of a stretch are; what it returns. */
static MPI_Offset pass_near(struct tf_stretch_walk *walk, MPI_Count gap)
{
    const struct tf_stretch *s = &walk->list->at[walk->i];
    if (s->stride - s->length < gap)
        walk->k = s->count - 1;
    MPI_Offset end = s->offset + walk->k * s->stride + s->length;
    tf_stretch_pass(walk, s->length - walk->skip);
    return end;
}

/* The walks whose next piece begins less than `gap` behind `*end` go on, and *end with them.  Where ranks take turns
 * the next piece is that of the next rank, so the search begins there. */
static bool extend(struct tf_stretch_walk *walks, int n, MPI_Count gap, int *last, MPI_Offset *end)
{
    for (int tries = 0, i = *last; tries < n; tries++, i = after(i, n)) {
        MPI_Offset offset = 0;
        if (tf_stretch_look(&walks[i], &offset) == 0 || offset - *end >= gap)
            continue;
        offset = pass_near(&walks[i], gap);
        *end = *end > offset ? *end : offset;
        *last = after(i, n);
        return true;
    }
    return false;
}

bool tf_stretch_cover(struct tf_stretch_walk *walks, int n, MPI_Count gap, int *last, MPI_Offset *begin,
                      MPI_Offset *end)
{
    if (!find_first(walks, n, begin))
        return false;
    *end = *begin;
    while (extend(walks, n, gap, last, end))
        ;
    return true;
}
