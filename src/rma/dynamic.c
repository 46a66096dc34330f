/* dynamic.c - attach, detach, and whether memory is attached (MPI-5.0 section 12.2.4).
 *
 * The attachments of a window are an array in the order of their addresses; they do not overlap.
 */
#include "rma/dynamic.h"

#include <stdio.h>

/* The first attachment that ends behind `at`. */
static size_t find(const struct tf_win *win, uintptr_t at)
{
    size_t low = 0, high = win->attachments;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (win->attached[middle].end > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static int check_dynamic(const struct tf_win *win)
{
    if (win->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_RMA_FLAVOR,
                    "%s was not made by MPI_Win_create_dynamic; memory is attached to such windows only",
                    tf_win_describe(win));
}

static int grow(struct tf_win *win)
{
    if (win->attachments < win->attach_room)
        return MPI_SUCCESS;
    size_t room = win->attach_room ? 2 * win->attach_room : 8;
    struct tf_attach *attached = realloc(win->attached, room * sizeof *attached);
    if (!attached)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate the list of %zu attachments of a window", room);
    win->attached = attached;
    win->attach_room = room;
    return MPI_SUCCESS;
}

int tf_win_attach(struct tf_win *win, void *base, MPI_Aint size)
{
    uintptr_t at = (uintptr_t)base;
    int err = check_dynamic(win);
    if (err)
        return err;
    if (size < 0)
        return tf_error(MPI_ERR_SIZE, "size is %td; it must be at least 0", (ptrdiff_t)size);
    err = tf_win_check_base(base, size);
    if (err || size == 0)
        return err;
    size_t i = find(win, at);
    if (i < win->attachments && win->attached[i].base < at + (uintptr_t)size)
        return tf_error(MPI_ERR_RMA_ATTACH,
                        "the %td bytes at %p overlap the %zu bytes at %p, which are attached already", (ptrdiff_t)size,
                        base, (size_t)(win->attached[i].end - win->attached[i].base), (void *)win->attached[i].base);
    err = grow(win);
    if (err)
        return err;
    memmove(&win->attached[i + 1], &win->attached[i], (win->attachments - i) * sizeof *win->attached);
    win->attached[i] = (struct tf_attach){at, at + (uintptr_t)size};
    win->attachments++;
    return MPI_SUCCESS;
}

int tf_win_detach(struct tf_win *win, const void *base)
{
    uintptr_t at = (uintptr_t)base;
    int err = check_dynamic(win);
    if (err)
        return err;
    size_t i = find(win, at);
    if (i == win->attachments || win->attached[i].base != at)
        return tf_error(MPI_ERR_RMA_ATTACH, "no memory is attached to %s that begins at %p", tf_win_describe(win),
                        base);
    win->attachments--;
    memmove(&win->attached[i], &win->attached[i + 1], (win->attachments - i) * sizeof *win->attached);
    return MPI_SUCCESS;
}

/* Whether those bytes are, by attachments that may lie side by side. */
static bool covers(const struct tf_win *win, uintptr_t at, size_t length)
{
    uintptr_t end = at + length;
    for (size_t i = find(win, at); at < end; i++) {
        if (i == win->attachments || win->attached[i].base > at)
            return false;
        at = win->attached[i].end;
    }
    return true;
}

struct look {
    const struct tf_win *win;
    uintptr_t at;
    size_t length;
    bool good;
};

static void look_at(void *state, uintptr_t at, size_t length)
{
    struct look *look = state;
    if (!look->good || covers(look->win, at, length))
        return;
    look->good = false;
    look->at = at;
    look->length = length;
}

bool tf_dynamic_covers(const struct tf_win *win, const struct tf_apply *a, char *words, size_t n)
{
    struct look look = {.win = win, .good = true};
    if (a->length == 0)
        return true;
    tf_type_runs(a->type, a->at, a->count, a->position, a->length, look_at, &look);
    if (!look.good)
        snprintf(words, n, "%zu bytes at address %#zx of rank %d are not attached to %s there", look.length,
                 (size_t)look.at, win->comm->rank, tf_win_describe(win));
    return look.good;
}
